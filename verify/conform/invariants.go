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

// An invariants evaluates invariants in states. In small networks it evaluates them once for each class of states in
// which they have the same values. Large networks have too many classes.
type invariants struct {
	properties    []*ir.Property
	view          *compile.View
	env           *ir.Env
	work          int                 // the number of values of quantifiers that were tried
	skippedStates bool                // there was a state in which a process was uninitialized or a channel unknown
	readsChannels bool                // an invariant depends on the contents of channels
	errors        []*verify.EvalError // by property: why it has no value in some state; nil if it has one in all

	leaves          []func(v model.Value) uint32         // see explore.Chain; nil in a large network
	joins           []func(left, right uint32) uint32    // likewise
	violatedByClass func(class uint32) (violated uint64) // of the state in view
	cacheSize       *int                                 // the number of results that leaves and joins cache
}

// smallNetwork is the largest number of processes with which classes are used.
const smallNetwork = 12

// newInvariants returns an evaluation of invariants of a system. classes, if not nil, is about the same properties.
func newInvariants(sys *compile.System, properties []*ir.Property, classes *verify.Judge) *invariants {
	v := &invariants{properties: properties, view: sys.NewView(), cacheSize: new(int),
		errors: make([]*verify.EvalError, len(properties))}
	v.readsChannels = slices.ContainsFunc(properties, func(p *ir.Property) bool { return readsChannel(p.Body) })
	v.env = sys.Protocol().NewEnv(v.view)
	v.env.Tick = func() { v.work++ }
	v.violatedByClass = memo.Of(func(uint32) uint64 { return v.evaluate() })
	if classes != nil {
		v.leaves, v.joins = explore.Chain(&countingObserver{classes, v.cacheSize}, len(sys.Slots()))
	}
	return v
}

// resultBytes estimates the memory of a cached result and of the class that belongs to it.
const resultBytes = 100

// bytes estimates the memory of all cached results.
func (v *invariants) bytes() int64 { return int64(*v.cacheSize) * resultBytes }

// A countingObserver counts the calls of its functions.
type countingObserver struct {
	explore.Observer
	calls *int
}

// Leaf implements explore.Observer.
func (c *countingObserver) Leaf(slot int) func(v model.Value) uint32 {
	leaf := c.Observer.Leaf(slot)
	return func(v model.Value) uint32 {
		*c.calls++
		return leaf(v)
	}
}

// Join implements explore.Observer.
func (c *countingObserver) Join(first, mid, end int) func(left, right uint32) uint32 {
	join := c.Observer.Join(first, mid, end)
	return func(left, right uint32) uint32 {
		*c.calls++
		return join(left, right)
	}
}

// readsChannel reports whether an expression depends on the contents of a channel.
func readsChannel(e ir.Expr) (reads bool) {
	ir.Walk(e, func(x ir.Expr) bool {
		apply, defined := x.(*ir.Apply)
		reads = reads || x.Type().Kind == ir.ChannelRef || defined && readsChannel(apply.Define.Body)
		return !reads
	})
	return reads
}

// violatedBy returns the invariants that a state violates, as bits. It is 0 while a process is uninitialized, or a
// channel on which they depend has unknown contents.
func (v *invariants) violatedBy(state []model.Value, n *network) (violated uint64) {
	if len(v.properties) == 0 {
		return 0
	}
	for p := range n.protocol.N {
		if state[n.sys.SlotOfProcess(p)] == uninitialized {
			v.skippedStates = true
			return 0
		}
	}
	if v.readsChannels && n.openStart != nil && n.openStart.openChannels(state) {
		v.skippedStates = true
		return 0
	}
	v.view.Show(state)
	if v.leaves == nil {
		return v.evaluate()
	}
	last := n.size - 1
	class := v.leaves[last](state[last])
	for slot, value := range slices.Backward(state[:last]) {
		class = v.joins[slot](v.leaves[slot](value), class)
	}
	return v.violatedByClass(class)
}

// evaluate returns the invariants that the state in view violates.
func (v *invariants) evaluate() (violated uint64) {
	for i, p := range v.properties {
		switch holds, err := p.Body.Eval(v.env); {
		case err != nil && v.errors[i] == nil:
			v.errors[i] = &verify.EvalError{Property: p, Err: err}
		case err == nil && holds == 0:
			violated |= 1 << i
		}
	}
	return violated
}
