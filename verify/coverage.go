package verify

import (
	"context"
	"fmt"
	"slices"

	"ringcheck/explore"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/replay"
	"ringcheck/model/language/step"
	"ringcheck/model/language/syntax"
)

// Coverage is the number of states in which a part of a spec is active.
type Coverage struct {
	Pos      syntax.Pos   `json:"-"`
	Place    string       `json:"place"` // Pos: file:line:column
	Kind     CoverageKind `json:"kind"`
	Equation string       `json:"equation,omitempty"` // that contains it; "" in the process declaration
	Action   string       `json:"action,omitempty"`   // "send M", "recv M", "event leader", "skip" or "x :="
	// States is the number of reachable states in which some process is in the text of the equation, or evaluates a
	// condition or can take an action in it; for an action, in which some process can take it; for a condition, in
	// which it is true for some process that evaluates it.
	States model.Count `json:"states"`
	// False is the number of states in which a condition is false for some process; nil for other parts.
	False *model.Count `json:"false,omitempty"`
}

// Gap returns "never" if the part is never active, "never true" or "never false" for a condition that always has the
// same value, and "" if the part is covered.
func (c *Coverage) Gap() string {
	switch {
	case c.States == 0 && (c.False == nil || *c.False == 0):
		return "never"
	case c.States == 0:
		return "never true"
	case c.False != nil && *c.False == 0:
		return "never false"
	}
	return ""
}

// CoverageKind is the kind of a covered part of the spec.
type CoverageKind string

// The kinds of parts.
const (
	CoversEquation  CoverageKind = "equation"
	CoversAction    CoverageKind = "action"
	CoversCondition CoverageKind = "condition"
)

// Cover counts for each equation, action and condition of a protocol the states in which it is active, in the order of
// the text. It explores the system with one worker that executes the small-step semantics in every state, and takes
// much longer than a search. The error is an *explore.StopError if that did not complete.
func Cover(ctx context.Context, sys *compile.System, bounds compile.Options, opt explore.Options) ([]Coverage, error) {
	c := newCoverer(sys.Protocol())
	if c.blocks {
		if err := drawBeforeSend(sys.Protocol()); err != nil {
			return nil, err
		}
	}
	machine := step.New(sys.Protocol(), bounds).Listening(c)
	opt.Observer, opt.Until, opt.Match = nil, nil, nil
	result, err := explore.Walk(ctx, sys, opt, explore.Visitor{State: func(_ uint64, _ int, state []model.Value) error {
		c.now++
		at := sys.Decode(state)
		for _, l := range at.Processes {
			c.count(c.places[l.Point.Equation], true)
		}
		return replay.NewState(machine, at, nil).Enabled(func(d *replay.Step) bool {
			if place := d.Place(); c.blocks && place != nil {
				c.count(c.sends[*place], true)
			}
			return true
		})
	}})
	if err == nil {
		err = result.Err()
	}
	return c.list(), err
}

// A coverer counts the places that a machine reports, each once per state.
type coverer struct {
	now    uint64               // the number of the state
	places map[any]*coveredPart // by *ir.Equation, *ir.Prefix or *ir.If
	all    []*coveredPart
	// Where sends wait for room in channels or for receivers, they are counted as the steps that are possible.
	blocks bool
	sends  map[syntax.Pos]*coveredPart
}

// A coveredPart counts the states in which a part is active. Its equation is active in the same states, because no
// process stays at the start of an equation that begins with a condition.
type coveredPart struct {
	Coverage
	last, lastFalse uint64       // the numbers of the states that were counted last
	equation        *coveredPart // the equation, or nil
}

func newCoverer(p *ir.Protocol) *coverer {
	c := &coverer{
		places: make(map[any]*coveredPart), blocks: p.Capacity.Blocks() || p.Channel.Sync,
		sends: make(map[syntax.Pos]*coveredPart),
	}
	add := func(key any, at Coverage, in *ir.Equation) {
		if c.places[key] != nil {
			return
		}
		at.Place = at.Pos.String()
		one := &coveredPart{Coverage: at}
		if in != nil {
			one.Equation, one.equation = in.Name, c.places[in]
		}
		c.places[key], c.all = one, append(c.all, one)
	}
	for _, eq := range p.Equations {
		if eq.Start.ID >= 0 { // otherwise no process stays there
			add(eq, Coverage{Pos: eq.Start.Pos, Kind: CoversEquation, Equation: eq.Name}, nil)
		}
	}
	for pt, t := range p.Terms() {
		switch t := t.(type) {
		case *ir.Prefix:
			at := Coverage{Pos: t.Action.Position(), Kind: CoversAction, Action: describe(t.Action)}
			add(t, at, pt.Equation)
			if send, ok := t.Action.(*ir.Send); ok {
				c.sends[send.Pos] = c.places[t]
			}
		case *ir.If:
			add(t, Coverage{Pos: t.Pos, Kind: CoversCondition, False: new(model.Count)}, pt.Equation)
		}
	}
	return c
}

// Possible implements step.Listener.
func (c *coverer) Possible(action *ir.Prefix) {
	if _, sends := action.Action.(*ir.Send); !sends || !c.blocks {
		c.count(c.places[action], true)
	}
}

// drawBeforeSend returns an error about a draw that decides between a send and another action: the other one is
// possible only if the channel has room. Before a send over a synchronous channel no draw is permitted: the receipts of
// all its messages must be possible.
func drawBeforeSend(p *ir.Protocol) error {
	for _, t := range p.Terms() {
		d, ok := t.(*ir.Draw)
		if !ok || d.Choose {
			continue
		}
		sends, acts := false, false
		for next := range ir.Beginnings(d.Then) {
			if prefix, ok := next.(*ir.Prefix); ok {
				_, is := prefix.Action.(*ir.Send)
				sends, acts = sends || is, acts || !is
			}
		}
		if sends && p.Channel.Sync {
			return fmt.Errorf("%s: coverage with synchronous channels: this draw leads to a send", d.Pos)
		}
		if sends && acts {
			return fmt.Errorf("%s: coverage with a capacity of channels: this draw decides whether to send", d.Pos)
		}
	}
	return nil
}

// Decided implements step.Listener.
func (c *coverer) Decided(condition *ir.If, value bool) { c.count(c.places[condition], value) }

func (c *coverer) count(p *coveredPart, value bool) {
	if p == nil {
		return
	}
	states, last := &p.States, &p.last
	if !value {
		states, last = p.False, &p.lastFalse
	}
	if *last != c.now {
		*last = c.now
		*states++
	}
	c.count(p.equation, true)
}

// list returns the counts. It merges places that were compiled from the same place in the text.
func (c *coverer) list() []Coverage {
	var list []Coverage
	index := make(map[Coverage]int)
	for _, p := range c.all {
		key := p.Coverage
		key.States, key.False = 0, nil
		i, ok := index[key]
		if !ok {
			index[key], list = len(list), append(list, p.Coverage)
			continue
		}
		list[i].States = max(list[i].States, p.States)
		if p.False != nil {
			*list[i].False = max(*list[i].False, *p.False)
		}
	}
	slices.SortStableFunc(list, func(a, b Coverage) int { return byPosition(a.Pos, b.Pos) })
	return list
}

// describe describes an action.
func describe(a ir.Action) string {
	switch a := a.(type) {
	case *ir.Send:
		return sendAction + a.Message.Name
	case *ir.Receive:
		return receiveAction + a.Message.Name
	case *ir.Emit:
		return actionOf(a.Event)
	case *ir.Assign:
		return a.Var.Name + " :="
	case *ir.Crash:
		return "crash"
	case *ir.Skip:
		return "skip"
	}
	panic("verify: unknown action")
}
