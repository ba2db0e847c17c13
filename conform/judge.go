package conform

import (
	"fmt"

	"ringcheck/internal/intern"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/verify"
)

// A judge evaluates invariants in states. In small networks it works bottom-up, as verify does in a search: the values
// of a slot, and the classes of neighbouring slots, are looked up. Large ones have too many classes: there it evaluates
// the formulas.
type judge struct {
	properties []*ir.Property
	view       *compile.View
	env        *ir.Env
	work       int  // values of quantifiers that were tried
	unknown    bool // whether there was a state in which a process was unborn
	err        error

	of      *verify.Judge // nil in a large network
	root    *span
	verdict map[uint32]uint64 // by class: the invariants that are violated
}

// smallNetwork is the largest number of processes with which classes are used.
const smallNetwork = 12

// A span is neighbouring slots.
type span struct {
	slot        int // of a leaf
	leaf        func(model.Value) uint32
	left, right *span // nil at a leaf
	join        func(left, right uint32) uint32
	classes     map[uint64]uint32
}

// newJudge returns a judge of states of a system. of is nil, or knows the same properties.
func newJudge(sys *compile.System, properties []*ir.Property, of *verify.Judge) *judge {
	j := &judge{properties: properties, view: sys.NewView(), of: of, verdict: make(map[uint32]uint64)}
	j.env = sys.Protocol().NewEnv(j.view)
	j.env.Tick = func() { j.work++ }
	if slots := len(sys.Slots()); of != nil {
		j.root = j.span(0, max(2, slots), slots)
	}
	return j
}

func (j *judge) span(first, end, slots int) *span {
	s := &span{slot: first, classes: make(map[uint64]uint32)}
	if end-first == 1 {
		if first < slots {
			s.leaf = j.of.Leaf(first)
		}
		return s
	}
	mid := (first + end) / 2
	s.left, s.right, s.join = j.span(first, mid, slots), j.span(mid, end, slots), j.of.Join(first, mid, end)
	return s
}

// class returns the class of the slots of a state.
func (s *span) class(state []model.Value) uint32 {
	var key uint64
	switch {
	case s.left != nil:
		key = intern.Pair(s.left.class(state), s.right.class(state))
	case s.leaf != nil:
		key = uint64(state[s.slot])
	default:
		return 0
	}
	class, ok := s.classes[key]
	if !ok {
		if s.left != nil {
			class = s.join(intern.Split(key))
		} else {
			class = s.leaf(model.Value(key))
		}
		s.classes[key] = class
	}
	return class
}

// broken returns the invariants that a state violates, as bits. Nothing is known while a process is unborn.
func (j *judge) broken(state []model.Value, n *network) (set uint64) {
	if len(j.properties) == 0 {
		return 0
	}
	for p := range n.protocol.N {
		if state[n.sys.SlotOfProcess(p)] == unborn {
			j.unknown = true
			return 0
		}
	}
	if j.of == nil {
		return j.evaluate(state)
	}
	class := j.root.class(state)
	set, ok := j.verdict[class]
	if !ok {
		told, _ := j.of.Told(class)
		for i := range told {
			if told[i] != 'T' {
				set |= 1 << i
			}
		}
		j.verdict[class] = set
	}
	return set
}

func (j *judge) evaluate(state []model.Value) (set uint64) {
	j.view.Show(state)
	for i, p := range j.properties {
		holds, err := p.Body.Eval(j.env)
		if err != nil && j.err == nil {
			j.err = fmt.Errorf("%s cannot be evaluated: %w", p.Name, err)
		}
		if holds == 0 {
			set |= 1 << i
		}
	}
	return set
}
