package symmetry

import (
	"fmt"
	"slices"
	"strings"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// A sort says how permuting the processes of a state changes a value.
type sort struct {
	form string // of the value, with the sorts of its parts
	// A number v becomes (v + times*r) mod n under the rotation of n processes by r places; times is below n. So 0
	// means that it remains the same, and 1 that it is the number of a process, which other permutations move, too.
	times int64
	// congruent says that it becomes a number that is congruent to that modulo n. It is unknown which.
	congruent bool
}

// The sorts without parts.
var (
	unknownSort = sort{}
	plain       = sort{form: "value"}           // it remains the same
	process     = sort{form: "value", times: 1} // it becomes the number of the process to which a process moves
	direction   = sort{form: "direction"}       // it becomes another direction
	channelSort = sort{form: "channel"}         // of properties
	messageSort = sort{form: "message"}
)

// sortIn returns the sort of the values of a type. If directions are not exchanged, they are plain values.
func sortIn(t *ir.Type, exchanged bool) sort {
	switch t.Kind {
	case ir.Node:
		return process
	case ir.Dir:
		if exchanged {
			return direction
		}
	case ir.ChannelRef:
		return channelSort
	case ir.MessageRef:
		return messageSort
	case ir.Set:
		if elem := sortIn(t.Elem, exchanged); elem != plain {
			return setOf(elem)
		}
	case ir.Array:
		index, elem := sortIn(t.Index, exchanged), sortIn(t.Elem, exchanged)
		if index != plain || elem != plain {
			return sort{form: fmt.Sprint("array ", index, " of ", elem)}
		}
	case ir.Absent, ir.Int, ir.Nat, ir.Bool, ir.Enum:
	}
	return plain
}

func setOf(elem sort) sort { return sort{form: fmt.Sprint("set of ", elem)} }

// namesProcess reports whether values of a type name processes.
func namesProcess(t *ir.Type) bool { return sortIn(t, false) != plain }

// namesDirection reports whether values of a type name directions.
func namesDirection(t *ir.Type) bool {
	return strings.Contains(sortIn(t, true).form, direction.form)
}

// permuteValue returns the image of a value of a type.
func permuteValue(t *ir.Type, v int64, p permutation) int64 {
	switch sortIn(t, p.directions != "") {
	case plain:
		return v
	case process:
		return int64(p.processes[v])
	case direction:
		return p.direction(v)
	}
	var elements []int64
	if t.Kind == ir.Set {
		for e := range t.Elements(v) {
			elements = append(elements, permuteValue(t.Elem, e, p))
		}
	} else {
		i := t.Index.Lo
		elements = make([]int64, t.Index.Hi-t.Index.Lo+1)
		for e := range t.Each(v) {
			elements[permuteValue(t.Index, i, p)-t.Index.Lo] = permuteValue(t.Elem, e, p)
			i++
		}
	}
	to, ok := t.Of(elements)
	if !ok {
		panic("symmetry: a permuted value is not of its type")
	}
	return to
}

// NamesProcess returns an event with a field that names processes; nil if there is none. The protocol may be nil.
func NamesProcess(p *ir.Protocol) *ir.Event {
	if p == nil {
		return nil
	}
	i := slices.IndexFunc(p.Events, func(e *ir.Event) bool {
		return slices.ContainsFunc(e.Fields, func(f ir.Field) bool { return namesProcess(f.Type) })
	})
	if i < 0 {
		return nil
	}
	return p.Events[i]
}

// An effect is the effect on the value of an expression of permuting the processes of the state.
type effect struct {
	sort sort // as which the value changes; unknownSort if the effect is unknown
	// A constant remains the same, of whatever sort it is used.
	constant bool
	value    int64
	of       *ir.Type // of a constant
	// A process that a quantifier ranges over is one of among: a byte for each process, 1 or 0; "" if that is unknown.
	among string
}

var (
	unchanged     = effect{sort: plain}
	unknownChange = effect{}
)

// A Break is a place in a spec that tells processes apart.
type Break struct {
	Pos  syntax.Pos
	Text string // what is there: "it compares the numbers of processes by <"
}

func (b Break) String() string {
	if b.Pos == (syntax.Pos{}) {
		return b.Text
	}
	return b.Pos.String() + ": " + b.Text
}

// A requirement is a Break with the permutations that it leaves.
type requirement struct {
	Break
	fixed     []int64 // processes that do not move
	set       []bool  // processes that only move among one another; nil for no restriction
	rotations bool    // only rotations are left
	all       bool    // no process moves
}

// effects is the abstract domain of the effects of the permutations of a group. It notes what they must satisfy beyond
// being in the group.
type effects struct {
	protocol     *ir.Protocol
	group        *group
	pos          syntax.Pos // of what is examined
	requirements []requirement
	// anonymous says that the numbers of processes are plain values: processes know their neighbours by other names.
	anonymous    bool
	applications ir.Applications[effect, effect]
}

// sortOf returns the sort of the values of a type.
func (d *effects) sortOf(t *ir.Type) sort {
	if d.anonymous {
		return plain
	}
	return d.group.sortOf(t)
}

// sortOfStored returns the sort of the values of a type that are stored in a state.
func (d *effects) sortOfStored(t *ir.Type) sort {
	if d.group.keepsValues {
		return plain
	}
	return d.sortOf(t)
}

// of returns the effect on an expression, which may be nil, at a position.
func (d *effects) of(e ir.Expr, pos syntax.Pos) effect {
	if e == nil {
		return unchanged
	}
	d.pos = pos
	return ir.Abstract(d, e)
}

// needs requires that an expression, which may be nil, is of a sort.
func (d *effects) needs(e ir.Expr, want sort, pos syntax.Pos) {
	if e == nil || d.as(d.of(e, pos), want, pos) || d.onlyIdentity() {
		return
	}
	d.breaks(pos, unclear)
}

// breaks notes that no permutation but the identity is known to preserve what is at a position.
func (d *effects) breaks(pos syntax.Pos, text string) effect {
	if pos == (syntax.Pos{}) {
		pos = d.pos
	}
	d.require(requirement{Break: Break{pos, text}, all: true})
	return unknownChange
}

func (d *effects) require(r requirement) {
	if r.Pos == (syntax.Pos{}) {
		r.Pos = d.pos
	}
	if !slices.ContainsFunc(d.requirements, func(s requirement) bool {
		return s.Break == r.Break && s.all == r.all && s.rotations == r.rotations && slices.Equal(s.fixed, r.fixed) &&
			slices.Equal(s.set, r.set)
	}) {
		d.requirements = append(d.requirements, r)
	}
}

// as reports whether a value is of a sort, if the permutations satisfy what it notes.
func (d *effects) as(x effect, want sort, pos syntax.Pos) bool {
	switch {
	case x.sort == unknownSort || want == unknownSort: // it is noted where that was found
		return false
	case x.constant:
		return d.constant(x, want, pos)
	case x.sort == want:
		return true
	case (x.sort == direction) != (want == direction):
		d.breaks(pos, "a direction is used as a number, or the other way around")
	case x.sort == plain:
		d.breaks(pos, "a number is used as the number of a process")
	case want == plain:
		d.breaks(pos, "the number of a process is used as a number")
	default:
		d.breaks(pos, "values are mixed that name processes in different ways")
	}
	return false
}

// constant implements as for a constant.
func (d *effects) constant(x effect, want sort, pos syntax.Pos) bool {
	switch {
	case want == plain:
	case want == process:
		if d.group.moves(x.value) {
			d.require(requirement{Break: Break{pos, "it names process " + x.of.Format(x.value)},
				fixed: []int64{x.value}})
		}
	case want == setOf(process) && x.of.Kind == ir.Set:
		d.stays(d.nodes(x.of.Elements(x.value)), pos)
	case x.value == 0 && x.of.Kind == ir.Set: // empty
	case d.sortOf(x.of) == want:
		if d.group.elements == nil || slices.ContainsFunc(d.group.generators, func(p permutation) bool {
			return permuteValue(x.of, x.value, p) != x.value
		}) {
			d.breaks(pos, "it names processes in "+x.of.Format(x.value))
			return false
		}
	default:
		d.breaks(pos, "numbers are used as the numbers of processes")
		return false
	}
	return true
}

// nodes returns a set of processes.
func (d *effects) nodes(list func(yield func(int64) bool)) []bool {
	set := make([]bool, d.protocol.N)
	for p := range list {
		if p >= 0 && p < int64(len(set)) {
			set[p] = true
		}
	}
	return set
}

// stays requires that processes of a set only move among one another.
func (d *effects) stays(set []bool, pos syntax.Pos) {
	if !d.group.maps(set) {
		d.require(requirement{Break: Break{pos, "it tells some processes from others: " + formatNodes(set)}, set: set})
	}
}

// address is the sort of the targets of sends and the sources of receives.
func (d *effects) address() sort {
	switch {
	case d.protocol.Numbered():
		return process
	case d.group.directed():
		return direction
	}
	return plain
}

// join returns the effect on a value that is one of two.
func (d *effects) join(x, y effect, pos syntax.Pos) effect {
	switch {
	case x.constant && y.constant && x == y:
		return x
	case x.constant && y.constant:
		if d.as(x, y.sort, pos) && d.as(y, y.sort, pos) {
			return effect{sort: y.sort}
		}
	case x.constant:
		if d.as(x, y.sort, pos) {
			return effect{sort: y.sort}
		}
	case d.as(y, x.sort, pos):
		return effect{sort: x.sort}
	}
	return unknownChange
}

// distinguishes requires that the processes do not move that some values can be: a place uses their numbers in a way
// that tells them apart. It returns the effect on a plain value that is computed from them.
func (d *effects) distinguishes(pos syntax.Pos, text string, values ...effect) effect {
	var moved []int64
	for _, x := range values {
		switch {
		case x.constant || x.sort == plain:
			if !d.as(x, plain, pos) {
				return unknownChange
			}
		case x.among == "":
			return d.breaks(pos, text)
		}
		for p, in := range []byte(x.among) {
			if in > 0 && d.group.moves(int64(p)) {
				moved = append(moved, int64(p))
			}
		}
	}
	if moved != nil {
		d.require(requirement{Break: Break{pos, text}, fixed: moved})
	}
	return unchanged
}

// membership returns the effect on a process that is in a set.
func membership(set []bool) effect {
	key := make([]byte, len(set))
	for p, in := range set {
		if in {
			key[p] = 1
		}
	}
	return effect{sort: process, among: string(key)}
}
