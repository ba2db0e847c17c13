package symmetry

import (
	"strings"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// Under the rotation of n processes by r places, the number p of a process becomes (p + r) mod n. So do (p + 1) mod n
// and (p - 1) mod n: they are of the sort process, too, if all permutations are rotations. What is computed on the way
// has sorts of its own.

// ofProcess reports whether a value is a number that depends on the numbers of processes.
func (x effect) ofProcess() bool {
	return x.sort.form == plain.form && x.sort != plain && !x.constant
}

// fits reports whether a value is a number below n that depends on the numbers of processes, and all such numbers are
// of a type of numbers.
func (d *effects) fits(x effect, t *ir.Type) bool {
	return x.ofProcess() && !x.sort.congruent && d.sortOf(t) == plain &&
		(t.Kind == ir.Int || t.Kind == ir.Nat) && t.Lo <= 0 && t.Hi >= int64(d.protocol.N)-1
}

const computed = "it computes with the number of a process"

// arithmetic returns the effect on what is computed from two numbers, one of which depends on the numbers of processes.
func (d *effects) arithmetic(e *ir.Binary, x, y effect, pos syntax.Pos) effect {
	if s := d.sortOfResult(e, x, y); s != unknownSort && d.rotates(x, y) {
		if !d.group.rotations() && !x.sort.congruent && !y.sort.congruent {
			d.require(requirement{Break: Break{pos, computed}, rotations: true})
		}
		return effect{sort: s}
	}
	return d.distinguishes(pos, computed, x, y)
}

// sortOfResult returns the sort that what is computed from two numbers has under rotations; unknownSort if it has none.
func (d *effects) sortOfResult(e *ir.Binary, x, y effect) sort {
	times := func(x effect) (int64, bool) {
		if x.constant {
			return 0, true
		}
		return x.sort.times, x.sort.form == plain.form
	}
	a, ok := times(x)
	b, ok2 := times(y)
	n := int64(d.protocol.N)
	switch {
	case !ok || !ok2:
		return unknownSort
	case e.Op == ir.Mod && y.constant && y.value == n:
		return sort{form: plain.form, times: a}
	case e.T.Lo < -maxDistance || e.T.Hi > maxDistance: // it may overflow for some processes only
		return unknownSort
	case e.Op == ir.Add:
		return sort{plain.form, (a + b) % n, true}
	case e.Op == ir.Sub:
		return sort{plain.form, (a - b + n) % n, true}
	}
	return unknownSort
}

// maxDistance bounds what is computed from the numbers of processes.
const maxDistance = 1 << 62

// rotates reports whether the arithmetic on given values leaves rotations: the group has some, and each value can be
// any process. Otherwise more permutations are left if the processes do not move that the values can be.
func (d *effects) rotates(values ...effect) bool {
	if d.group.rotations() {
		return !d.group.trivial()
	}
	if !d.group.rotates() {
		return false
	}
	for _, x := range values {
		if x.among != "" && strings.Contains(x.among, "\x00") {
			return false
		}
	}
	return true
}
