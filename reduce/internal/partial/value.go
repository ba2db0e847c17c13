package partial

import "math"

// A value is what is known of the value of an expression: it is within lo..hi.
type value struct {
	lo, hi int64
	none   bool // the expression is undefined
	maybe  bool // it may be, or evaluating it may fail
}

const (
	least = math.MinInt64
	most  = math.MaxInt64
)

var (
	anything  = value{lo: least, hi: most, maybe: true}
	undefined = value{none: true}
	boolean   = value{lo: 0, hi: 1}
)

func exactly(v int64) value { return value{lo: v, hi: v} }

func truth(b bool) value {
	if b {
		return exactly(1)
	}
	return exactly(0)
}

// certain reports whether the expression has a value.
func (v value) certain() bool { return !v.none && !v.maybe }

// exact reports whether there is one value that it has.
func (v value) exact() bool { return v.certain() && v.lo == v.hi }

// is reports whether it has that value.
func (v value) is(x int64) bool { return v.exact() && v.lo == x }

// or is what v or w may be.
func (v value) or(w value) value {
	if !v.certain() || !w.certain() {
		return anything
	}
	return value{lo: min(v.lo, w.lo), hi: max(v.hi, w.hi)}
}

// holds is v where it is defined, else false.
func (v value) holds() value {
	switch {
	case v.none:
		return exactly(0)
	case v.maybe:
		return boolean
	}
	return v
}

func (v value) not() value {
	if !v.certain() {
		return v
	}
	return value{lo: 1 - v.hi, hi: 1 - v.lo}
}

// and is the conjunction: false if one of both is, whatever becomes of the other.
func (v value) and(w value) value {
	switch {
	case v.is(0) || w.is(0):
		return exactly(0)
	case !v.certain() || !w.certain():
		return boolean.uncertain()
	}
	return value{lo: min(v.lo, w.lo), hi: min(v.hi, w.hi)}
}

func (v value) uncertain() value {
	v.maybe = true
	return v
}

func (v value) plus(w value) value {
	if min(v.lo, w.lo) < -bound || max(v.lo, w.lo) > bound {
		return anything
	}
	sum := value{lo: v.lo + w.lo, hi: most}
	if v.hi < bound && w.hi < bound {
		sum.hi = v.hi + w.hi
	}
	return sum
}

// bound is beyond what numbers of a protocol come to, and half of what can be added.
const bound = 1 << 60

// known is a comparison that is known to be false, or true, or neither.
func known(no, yes bool) value {
	switch {
	case yes:
		return exactly(1)
	case no:
		return exactly(0)
	}
	return boolean
}
