package conform

import (
	"slices"

	"ringcheck/explore"
	"ringcheck/internal/memo"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/verify"
)

// A judge evaluates invariants in states. In small networks it evaluates them once for each class of states, in which
// they have the same values. Large networks have too many classes.
type judge struct {
	properties []*ir.Property
	view       *compile.View
	env        *ir.Env
	work       int                 // values of quantifiers that were tried
	unknown    bool                // whether there was a state in which a process was uninitialized
	invalid    []*verify.EvalError // by property: why it has no value in some state; nil if it has one in all

	leaves  []func(v model.Value) uint32         // see explore.Chain; nil in a large network
	joins   []func(left, right uint32) uint32    // likewise
	verdict func(class uint32) (violated uint64) // on the class of the state in view
}

// smallNetwork is the largest number of processes with which classes are used.
const smallNetwork = 12

// newJudge returns a judge of states of a system. of is nil, or is about the same properties.
func newJudge(sys *compile.System, properties []*ir.Property, of *verify.Judge) *judge {
	j := &judge{properties: properties, view: sys.NewView(), invalid: make([]*verify.EvalError, len(properties))}
	j.env = sys.Protocol().NewEnv(j.view)
	j.env.Tick = func() { j.work++ }
	j.verdict = memo.Of(func(uint32) uint64 { return j.evaluate() })
	if of != nil {
		j.leaves, j.joins = explore.Chain(of, len(sys.Slots()))
	}
	return j
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
	j.view.Show(state)
	if j.leaves == nil {
		return j.evaluate()
	}
	last := n.size - 1
	class := j.leaves[last](state[last])
	for slot, v := range slices.Backward(state[:last]) {
		class = j.joins[slot](j.leaves[slot](v), class)
	}
	return j.verdict(class)
}

// evaluate returns the invariants that the state in view violates.
func (j *judge) evaluate() (set uint64) {
	for i, p := range j.properties {
		switch holds, err := p.Body.Eval(j.env); {
		case err != nil && j.invalid[i] == nil:
			j.invalid[i] = &verify.EvalError{Property: p, Err: err}
		case err == nil && holds == 0:
			set |= 1 << i
		}
	}
	return set
}
