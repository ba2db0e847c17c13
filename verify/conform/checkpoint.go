package conform

import (
	"cmp"
	"context"
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// A log may have more events than fit in memory. So at a checkpoint, the events before it are forgotten: its hypotheses
// take the place of the initial states. If the tables of the compiled system have become large, because programs visit
// ever new local states, the hypotheses are encoded in a new system.
//
// The invariants that runs have violated before a checkpoint are recorded there.
const (
	checkpointEvents = 1 << 14 // between two checkpoints
	maxTables        = 1 << 26 // the bytes of the tables, and of what invariants cache, from which on they are replaced
	maxPatterns      = 1 << 16 // that are kept by event
)

// checkpoint forgets the events that a tracker has followed, if there are many.
func (c *checker) checkpoint(ctx context.Context, t *tracker) error {
	if len(t.trace.events) < cmp.Or(c.checkpointEvents, checkpointEvents) || t.recordsRuns {
		return nil
	}
	byAll, bySome := t.violatedInvariants()
	c.violatedByAll, c.violatedBySome = c.violatedByAll|byAll, c.violatedBySome|bySome
	c.report.EventsExplained += t.lines
	t.lines, t.checkpoints = 0, t.checkpoints+1
	t.dropExplained()
	if err := c.renew(ctx, t); err != nil {
		return err
	}
	t.initial = statesOf(t.hypotheses)
	return nil
}

// renew encodes the hypotheses of a tracker in a new system if the tables of the old one are large.
func (c *checker) renew(ctx context.Context, t *tracker) error {
	if len(c.patterns) > maxPatterns {
		clear(c.patterns)
	}
	if c.sys.Bytes()+c.invariants.bytes() < int64(cmp.Or(c.maxTables, maxTables)) {
		return nil
	}
	search, old := c.search(), c.network
	sys, err := compile.New(ctx, c.sys.Protocol(), search.Bounds())
	if err != nil {
		return err
	}
	seen := c.invariants
	c.sys, c.network = sys, newNetwork(sys, old.observable)
	if err := c.chooseInvariants(ctx); err != nil {
		return err
	}
	c.invariants.errors, c.invariants.skippedStates = seen.errors, seen.skippedStates
	c.network.knownValues, c.network.fullExpansion, c.network.growth = old.knownValues, old.fullExpansion, old.growth
	if c.network.openStart = old.openStart; old.openStart != nil {
		c.network.openStart.locals = nil
		clear(c.network.openStart.messages)
		if err := c.network.openStart.findLocals(c.network); err != nil {
			return err
		}
	}
	t.network, t.invariants = c.network, c.invariants
	for i := range t.hypotheses {
		h := &t.hypotheses[i]
		h.state, _ = c.network.translate(old, h.state)
	}
	return nil
}

// initialFrom returns the states in which a search begins that follows a tracker: its initial states or, after a
// checkpoint, the states there that fit what is known of assigned values.
func (c *checker) initialFrom(t *tracker) ([][]model.Value, error) {
	if t == nil || t.checkpoints == 0 {
		return c.network.initialStates()
	}
	var states [][]model.Value
	for _, state := range t.initial {
		values := state[c.network.size:]
		fits := true
		for i, v := range c.network.knownValues {
			fits = fits && (v == unbound || values[i] == unbound || values[i] == v)
		}
		state, err := c.network.initializeKnown(state)
		if err != nil {
			return nil, err
		}
		if fits {
			states = append(states, state)
		}
	}
	return states, nil
}

// translate returns the state of another network, for a spec that differs at most in bounds. It is not ok if a value of
// the state is not one of this spec.
func (n *network) translate(from *network, state []model.Value) (to []model.Value, ok bool) {
	to = slices.Clone(state)
	for process := range n.protocol.N {
		slot := n.sys.SlotOfProcess(process)
		if state[slot] == uninitialized {
			continue
		}
		l := from.sys.Local(state[slot])
		point := n.protocol.Points[l.Point.ID]
		same := func(a, b *ir.Var) bool { return a.Name == b.Name }
		if !slices.EqualFunc(point.Live, l.Point.Live, same) {
			return nil, false
		}
		for i, v := range point.Live {
			if !sameValue(l.Point.Live[i].Type, v.Type, l.Env[i]) {
				return nil, false
			}
		}
		s := &step.State{Processes: []ir.Local{{Point: point, Env: l.Env}}}
		to[slot] = n.sys.Encode(nil, s)[n.sys.SlotOfProcess(0)] // processes share the numbers of local states
	}
	for link := range n.receiptGroups {
		var contents []ir.Content
		for _, c := range from.sys.Contents(state[from.sys.SlotOfLink(link)]) {
			message := n.protocol.Messages[c.Message.ID]
			for i, f := range message.Fields {
				if !sameValue(c.Message.Fields[i].Type, f.Type, c.Args[i]) {
					return nil, false
				}
			}
			contents = append(contents, ir.Content{Message: message, Args: slices.Clone(c.Args), Age: c.Age})
		}
		if most := n.protocol.Capacity.Most; most > 0 && len(contents) > most {
			return nil, false
		}
		to[n.sys.SlotOfLink(link)] = n.sys.EncodeContents(contents)
	}
	for i, v := range n.protocol.Shared {
		value := from.sys.SharedValue(state[from.sys.SlotOfShared(i)])
		if !sameValue(from.protocol.Shared[i].Type, v.Type, value) {
			return nil, false
		}
		to[n.sys.SlotOfShared(i)] = n.sys.EncodeShared(value)
	}
	return to, true
}

// sameValue reports whether a value of one type is the same value of another type.
func sameValue(from, to *ir.Type, value int64) bool {
	return from.SubtypeOf(to) || from.Scalar() && from.Kind == to.Kind && to.Contains(value)
}
