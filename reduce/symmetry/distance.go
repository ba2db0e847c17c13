package symmetry

import (
	"fmt"
	"strings"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// Under the rotation of n processes by r places, the number p of a process becomes (p + r) mod n. So do (p + 1) mod n
// and (p - 1) mod n: they are of the sort process, too, if all permutations are rotations. The sorts below are those of
// what is computed on the way.

// congruent returns the sort of numbers v that become, under a rotation by r places, a number that is congruent to v +
// times*r modulo n. It is unknown which.
func congruent(times int64) sort { return sort(fmt.Sprintf("congruent to %d processes", times)) }

// remainder returns the sort of numbers v that become (v + times*r) mod n, times below n.
func remainder(times int64) sort {
	switch times {
	case 0:
		return plain
	case 1:
		return process
	}
	return sort(fmt.Sprintf("remainder of %d processes", times))
}

// times returns the parameter of a congruent or remainder.
func (s sort) times() (times int64, ok bool) {
	switch s {
	case plain:
		return 0, true
	case process:
		return 1, true
	}
	for _, form := range []string{"congruent to %d processes", "remainder of %d processes"} {
		if _, err := fmt.Sscanf(string(s), form, &times); err == nil {
			return times, true
		}
	}
	return 0, false
}

// inexact reports whether s is a congruent.
func (s sort) inexact() bool {
	times, ok := s.times()
	return ok && s != remainder(times)
}

// ofProcess reports whether a value is a number that depends on the numbers of processes.
func (x effect) ofProcess() bool {
	_, ok := x.sort.times()
	return ok && x.sort != plain && !x.constant
}

// fits reports whether a value is a number below n that depends on the numbers of processes, and all such numbers are
// of a type of numbers.
func (d *effects) fits(x effect, t *ir.Type) bool {
	return x.ofProcess() && !x.sort.inexact() && d.sortOf(t) == plain &&
		(t.Kind == ir.Int || t.Kind == ir.Nat) && t.Lo <= 0 && t.Hi >= int64(d.protocol.N)-1
}

const computed = "it computes with the number of a process"

// arithmetic returns the effect on what is computed from two numbers, one of which depends on the numbers of processes.
func (d *effects) arithmetic(e *ir.Binary, x, y effect, pos syntax.Pos) effect {
	if s := d.sortOfResult(e, x, y); s != unknownSort && d.rotates(x, y) {
		if !d.group.rotations() && !x.sort.inexact() && !y.sort.inexact() {
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
		return x.sort.times()
	}
	a, ok := times(x)
	b, ok2 := times(y)
	n := int64(d.protocol.N)
	switch {
	case !ok || !ok2:
		return unknownSort
	case e.Op == ir.Mod && y.constant && y.value == n:
		return remainder(a)
	case e.T.Lo < -maxDistance || e.T.Hi > maxDistance: // it may overflow for some processes only
		return unknownSort
	case e.Op == ir.Add:
		return congruent((a + b) % n)
	case e.Op == ir.Sub:
		return congruent((a - b + n) % n)
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
