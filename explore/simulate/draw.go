package simulate

import (
	"fmt"
	"math/bits"
	"slices"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// assign gives the processes values, each combination equally likely.
func (r *Run) assign(a *ir.Assignment, values []int64) {
	if a.Permutation {
		for i := range values {
			values[i] = a.Values.Lo + int64(i)
		}
		r.rng.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
		return
	}
	for i := range values {
		values[i] = a.Values.Random(r.rng)
	}
}

// sample returns a value that d draws, and records it.
func (r *Run) sample(d *ir.Draw) (value int64, err error) {
	if value, err = r.value(d); err == nil {
		r.draws = append(r.draws, step.DrawValue{Var: d.Var, Value: value})
	}
	return value, err
}

// value returns one of the values of d.
func (r *Run) value(d *ir.Draw) (int64, error) {
	switch {
	case d.Weights != nil:
		u := r.rng.Float64()
		last := len(d.Weights) - 1
		for _, w := range d.Weights[:last] {
			if u -= float64(w.Num) / float64(w.Den); u < 0 {
				return w.Value, nil
			}
		}
		return d.Weights[last].Value, nil
	case d.Among == nil:
		return d.Values[r.rng.IntN(len(d.Values))], nil
	}
	from, err := r.domain(d.Among)
	if err != nil {
		return 0, err
	}
	if d.Size == nil {
		if from.size() == 0 {
			return 0, &ir.Error{Pos: d.Pos, Message: fmt.Sprintf("the draw of %s has no value to draw", d.Var.Name)}
		}
		return from.at(r.rng.IntN(from.size())), nil
	}
	k, err := d.Size.Eval(r.env)
	if err != nil {
		return 0, err
	}
	if k < 0 || k > int64(from.size()) {
		text := fmt.Sprintf("a set of %d elements has no subset of %d", from.size(), k)
		return 0, &ir.Error{Pos: d.Pos, Message: text}
	}
	list := r.subset(from.size(), int(k))
	for i, x := range list {
		list[i] = int32(from.at(int(x)))
	}
	t := d.Var.Type
	if t.Wide {
		return r.env.Sets.Add(list), nil
	}
	var mask int64
	for _, x := range list {
		mask |= 1 << (int64(x) - t.Elem.Lo)
	}
	return mask, nil
}

// A domain is the set of values for a draw: a range or a list.
type domain struct {
	lo, hi int64
	list   []int32
}

func (d *domain) size() int {
	if d.list != nil {
		return len(d.list)
	}
	return int(max(0, d.hi-d.lo+1))
}

func (d *domain) at(i int) int64 {
	if d.list != nil {
		return int64(d.list[i])
	}
	return d.lo + int64(i)
}

// domain evaluates the set for a draw. It does not enumerate a range.
func (r *Run) domain(e ir.Expr) (d domain, err error) {
	if i, ok := e.(*ir.Interval); ok {
		if d.lo, err = i.Lo.Eval(r.env); err != nil {
			return d, err
		}
		d.hi, err = i.Hi.Eval(r.env)
		return d, err
	}
	set, err := e.Eval(r.env)
	if err != nil {
		return d, err
	}
	d.list = r.env.Members(e.Type(), set)
	d.hi = -1 // of an empty list
	return d, nil
}

// few is the largest size of a subset that is sorted by insertion.
const few = 24

// subset returns k different numbers below n in ascending order, each subset equally likely.
func (r *Run) subset(n, k int) []int32 {
	list := make([]int32, 0, k)
	if k <= few && k <= n/2 {
		for len(list) < k {
			x := int32(r.rng.Uint32N(uint32(n)))
			if at, found := slices.BinarySearch(list, x); !found {
				list = slices.Insert(list, at, x)
			}
		}
		return list
	}
	words := (n + 63) / 64
	if len(r.bits) < words {
		r.bits = make([]uint64, words)
	}
	// Of a subset with more than half of the numbers, the complement is drawn.
	drawn, flip := k, uint64(0)
	if k > n/2 {
		drawn, flip = n-k, ^uint64(0)
	}
	for count := 0; count < drawn; {
		x := r.rng.Uint32N(uint32(n))
		if bit := uint64(1) << (x % 64); r.bits[x/64]&bit == 0 {
			r.bits[x/64] |= bit
			count++
		}
	}
	for i := range words {
		word := r.bits[i] ^ flip
		if i == words-1 && n%64 != 0 {
			word &= 1<<(n%64) - 1
		}
		for ; word != 0; word &= word - 1 {
			list = append(list, int32(i*64+bits.TrailingZeros64(word)))
		}
		r.bits[i] = 0
	}
	return list
}
