package conform

import (
	"context"
	"maps"
	"slices"
	"sort"
	"strconv"

	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
)

// A Bound is a value that bounds the runs of a spec. With a greater value, a run explains a line.
type Bound struct {
	Name  string `json:"name"`  // of a parameter or an option; or of a number of faults, as in ir.FaultInfo
	Value int64  `json:"value"` // in the spec that does not explain the line
	Needs int64  `json:"needs"` // the greater value
}

// boundsReached returns the bounds that prevent an explanation of a trace, which follows the checkpoints of a tracker:
// if a parameter, an option or a number of faults is greater by one, a short search explains it.
func (c *checker) boundsReached(ctx context.Context, t *trace, followed *tracker) (bounds []Bound) {
	p := c.sys.Protocol()
	for _, s := range slices.Concat(p.Params, p.Options) {
		if other := c.withValue(s, s.Value+1); other != nil && c.isExplainedBy(ctx, other, t, followed) {
			bounds = append(bounds, Bound{s.Name, s.Value, s.Value + 1})
		}
	}
	if bounds != nil {
		return bounds // one of these may be the number of faults
	}
	for kind := range ir.FaultKinds {
		other, err := c.system.Spec.Declarations.Instantiate(c.system.Given)
		if err != nil {
			return nil
		}
		limit := &other.Faults.Most[kind]
		if *limit <= 0 {
			continue // no faults, or unboundedly many
		}
		*limit++
		if c.isExplainedBy(ctx, other, t, followed) {
			bounds = append(bounds, Bound{kind.String(), *limit - 1, *limit})
		}
	}
	return bounds
}

// stepErrors returns the first model errors of steps of a process, or of anyProcess, in some states, each once.
func (n *network) stepErrors(states [][]model.Value, process int) (list []*model.Error) {
	const limit = 4
	for _, state := range states {
		for p, groups := range n.processGroups {
			for _, g := range groups {
				unbound := func(slot int) bool { return state[slot] == uninitialized }
				if process != anyProcess && p != process || slices.ContainsFunc(n.sys.Groups()[g].Slots, unbound) {
					continue
				}
				err := n.cursor.Next(g, state)
				if err == nil {
					continue
				}
				e := model.AsError(err)
				same := func(x *model.Error) bool { return x.Place == e.Place && x.Message == e.Message }
				if e.Growth || slices.ContainsFunc(list, same) {
					continue
				}
				if list = append(list, e); len(list) == limit {
					return list
				}
			}
		}
	}
	return list
}

// withValue returns the protocol with another value of a parameter or an option. It is nil if the value is invalid, or
// if it changes the network.
func (c *checker) withValue(s ir.Setting, value int64) *ir.Protocol {
	if s.Type.Kind != ir.Int || !s.Type.Contains(value) {
		return nil
	}
	values := make(map[string]string)
	maps.Copy(values, c.system.Given)
	values[s.Name] = strconv.FormatInt(value, 10)
	other, err := c.system.Spec.Declarations.Instantiate(values)
	if p := c.sys.Protocol(); err != nil || other.N != p.N || !slices.Equal(other.Links, p.Links) ||
		len(other.Start.Assignments) != len(p.Start.Assignments) || len(other.Shared) != len(p.Shared) {
		return nil
	}
	return other
}

// isExplainedBy reports whether a short search explains a trace by a run of another protocol for the same network.
func (c *checker) isExplainedBy(ctx context.Context, p *ir.Protocol, t *trace, followed *tracker) bool {
	sys, err := compile.New(ctx, p, compile.Options{MaxMessages: c.MaxChannel, MaxNat: c.MaxNat})
	if err != nil {
		return false
	}
	other := &checker{Options: c.Options, sys: sys, network: newNetwork(sys, c.network.observable)}
	other.network.knownValues = c.network.knownValues
	if m := c.network.openStart; m != nil {
		for _, e := range m.events {
			q, err := resolve(p, e)
			if err != nil || other.network.recordInitial(e, q) != nil {
				return false
			}
		}
	}
	same := *t
	same.events = nil
	for _, e := range t.events {
		parts, err := resolveParts(p, e.line.Event)
		if err != nil {
			return false
		}
		part := slices.IndexFunc(parts, func(q *pattern) bool { return q.part == e.pattern.part })
		event := *e
		event.pattern = parts[part]
		same.events = append(same.events, &event)
	}
	initial, err := c.initialFrom(followed)
	if followed == nil || followed.checkpoints == 0 {
		initial, err = other.network.initialStates()
	}
	if err != nil {
		return false
	}
	for i := 0; followed != nil && followed.checkpoints > 0 && i < len(initial); i++ {
		state, ok := other.network.translate(c.network, initial[i])
		if !ok {
			return false
		}
		initial[i] = state
	}
	d := other.newDFS(&same)
	d.limit, d.abstractionLimit = workForOne/p.N, workForAll
	_, _, err = d.search(ctx, initial)
	return err == nil
}

// boundsOfLine returns the parameters and options that make a line an event of the spec if they have a greater value.
func (c *checker) boundsOfLine(e *Event) (bounds []Bound) {
	const maxIncrease = 1 << 20
	p := c.sys.Protocol()
	for _, s := range slices.Concat(p.Params, p.Options) {
		if s.Type.Kind != ir.Int {
			continue
		}
		resolves := func(more int) bool {
			other := c.withValue(s, s.Value+1+int64(more))
			if other == nil {
				return false
			}
			_, err := resolveParts(other, e)
			return err == nil
		}
		limit := int(min(maxIncrease, s.Type.Hi-s.Value))
		if more := sort.Search(limit, resolves); more < limit && resolves(more) {
			bounds = append(bounds, Bound{s.Name, s.Value, s.Value + 1 + int64(more)})
		}
	}
	return bounds
}
