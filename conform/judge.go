package conform

import (
	"ringcheck"
	"ringcheck/internal/intern"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/verify"
)

// A judge evaluates invariants in states. In small networks it evaluates them once for each class of states, in which
// they have the same values. The class is found from the last slot to the first, as verify does in a diagram: that of a
// value, and that of it and the slots after it. Large networks have too many classes.
type judge struct {
	properties []*ir.Property
	view       *compile.View
	env        *ir.Env
	work       int  // values of quantifiers that were tried
	unknown    bool // whether there was a state in which a process was uninitialized
	err        error

	of      *verify.Judge          // nil in a large network
	classes [][2]map[uint64]uint32 // by slot: of its value; of that class and the one of the slots after it
	verdict map[uint32]uint64      // by class: the invariants that are violated
}

// smallNetwork is the largest number of processes with which classes are used.
const smallNetwork = 12

// newJudge returns a judge of states of a system. of is nil, or is about the same properties.
func newJudge(sys *compile.System, properties []*ir.Property, of *verify.Judge) *judge {
	j := &judge{properties: properties, view: sys.NewView(), of: of, verdict: make(map[uint32]uint64)}
	j.env = sys.Protocol().NewEnv(j.view)
	j.env.Tick = func() { j.work++ }
	for range sys.Slots() {
		j.classes = append(j.classes, [2]map[uint64]uint32{make(map[uint64]uint32), make(map[uint64]uint32)})
	}
	return j
}

// class returns the class of a state.
func (j *judge) class(state []model.Value) (class uint32) {
	last := len(j.classes) - 1
	for slot := last; slot >= 0; slot-- {
		v := state[slot]
		leaf := remembered(j.classes[slot][0], uint64(v), func() uint32 { return j.of.Leaf(slot)(v) })
		if slot == last && last > 0 {
			class = leaf
			continue
		}
		class = remembered(j.classes[slot][1], intern.Pair(leaf, class), func() uint32 {
			return j.of.Join(slot, slot+1, max(2, last+1))(leaf, class)
		})
	}
	return class
}

// remembered returns the value of a key in a map. If there is none, it adds the result of find.
func remembered(known map[uint64]uint32, key uint64, find func() uint32) uint32 {
	value, ok := known[key]
	if !ok {
		value = find()
		known[key] = value
	}
	return value
}

// broken returns the invariants that a state violates, as bits. It is unknown while a process is uninitialized.
func (j *judge) broken(state []model.Value, n *network) (set uint64) {
	if len(j.properties) == 0 {
		return 0
	}
	for p := range n.protocol.N {
		if state[n.sys.SlotOfProcess(p)] == uninitialized {
			j.unknown = true
			return 0
		}
	}
	if j.of == nil {
		return j.evaluate(state)
	}
	class := j.class(state)
	set, ok := j.verdict[class]
	if !ok {
		set = j.evaluate(state)
		j.verdict[class] = set
	}
	return set
}

func (j *judge) evaluate(state []model.Value) (set uint64) {
	j.view.Show(state)
	for i, p := range j.properties {
		holds, err := p.Body.Eval(j.env)
		if err != nil && j.err == nil {
			j.err = &ringcheck.RequestError{Err: &verify.EvalError{Property: p, Err: err}}
		}
		if holds == 0 {
			set |= 1 << i
		}
	}
	return set
}
