package verify

import (
	"cmp"
	"context"
	"slices"

	"ringcheck/explore"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/replay"
	"ringcheck/model/language/step"
	"ringcheck/model/language/syntax"
)

// Coverage says of a place in a spec in how many states it takes part.
type Coverage struct {
	Pos      syntax.Pos
	Kind     CoverageKind
	Equation string // whose text it is in; "" in the process declaration
	Action   string // what an action does, "send M", "recv M", "event leader", "skip" or "x :="
	// States is the number of reachable states in which some process is in the text of the equation or decides or does
	// something of it, or can do the action; of a condition, in which it is true for some process that decides it, and
	// False those in which it is false for some.
	States, False uint64
}

// CoverageKind is what is covered.
type CoverageKind string

// The kinds.
const (
	CoversEquation  CoverageKind = "equation"
	CoversAction    CoverageKind = "action"
	CoversCondition CoverageKind = "condition"
)

// Cover counts for each equation, action and condition of a protocol the states in which it takes part, in the order of
// the text. It explores the system by one worker that asks the small-step semantics in every state, and takes much
// longer than a search. The error is explore.ErrIncomplete if that did not come to its end.
func Cover(ctx context.Context, sys *compile.System, bounds compile.Options, opt explore.Options) ([]Coverage, error) {
	c := newCoverer(sys.Protocol())
	machine := step.New(sys.Protocol(), bounds).Listening(c)
	opt.Observer, opt.Until, opt.Match = nil, nil, nil
	result, err := explore.Walk(ctx, sys, opt, explore.Visitor{State: func(_ uint64, _ int, state []model.Value) error {
		c.now++
		at := sys.Decode(state)
		for _, l := range at.Processes {
			if n := c.equations[l.Point.Equation]; n != nil {
				n.note(c.now)
			}
		}
		return replay.NewState(machine, at, nil).Enabled(func(*replay.Step) bool { return true })
	}})
	if err == nil && !result.Complete() {
		err = explore.ErrIncomplete
	}
	return c.list(), err
}

// A coverer counts what a machine finds out, each thing once in a state.
type coverer struct {
	now        uint64
	equations  map[*ir.Equation]*counter
	actions    map[*ir.Prefix]*counter
	conditions map[*ir.If]*[2]counter
	all        []Coverage
	counters   []*counter
	falses     []*counter // nil but for conditions
}

// A counter counts states. What is counted by it is a part of what its whole counts, if it has one: an equation that
// begins with a condition takes part where that is decided, although no process stays there.
type counter struct {
	states, last uint64
	whole        *counter
}

func (n *counter) note(now uint64) {
	if n.last != now {
		n.last = now
		n.states++
	}
	if n.whole != nil {
		n.whole.note(now)
	}
}

func newCoverer(p *ir.Protocol) *coverer {
	c := &coverer{
		equations: make(map[*ir.Equation]*counter), actions: make(map[*ir.Prefix]*counter),
		conditions: make(map[*ir.If]*[2]counter),
	}
	for _, eq := range p.Equations {
		if eq.Start.ID >= 0 { // else nobody stays there
			c.equations[eq] = &counter{}
			c.add(Coverage{Pos: eq.Start.Pos, Kind: CoversEquation, Equation: eq.Name}, c.equations[eq], nil)
		}
	}
	for _, pt := range p.Points {
		equation := ""
		if pt.Equation != nil {
			equation = pt.Equation.Name
		}
		for t := range ir.Terms(pt.Term) {
			switch t := t.(type) {
			case *ir.Prefix:
				if c.actions[t] == nil {
					c.actions[t] = &counter{whole: c.equations[pt.Equation]}
					at := Coverage{Pos: t.Action.Place(), Kind: CoversAction, Equation: equation, Action: describe(t.Action)}
					c.add(at, c.actions[t], nil)
				}
			case *ir.If:
				if c.conditions[t] == nil {
					whole := c.equations[pt.Equation]
					c.conditions[t] = &[2]counter{{whole: whole}, {whole: whole}}
					at := Coverage{Pos: t.Pos, Kind: CoversCondition, Equation: equation}
					c.add(at, &c.conditions[t][1], &c.conditions[t][0])
				}
			}
		}
	}
	return c
}

func (c *coverer) add(place Coverage, yes, no *counter) {
	c.all, c.counters, c.falses = append(c.all, place), append(c.counters, yes), append(c.falses, no)
}

// Possible implements step.Listener.
func (c *coverer) Possible(action *ir.Prefix) {
	if n := c.actions[action]; n != nil {
		n.note(c.now)
	}
}

// Decided implements step.Listener.
func (c *coverer) Decided(condition *ir.If, value bool) {
	if n := c.conditions[condition]; n != nil {
		if value {
			n[1].note(c.now)
		} else {
			n[0].note(c.now)
		}
	}
}

// list returns what was counted. What stands at one place in the text and was lowered several times is one.
func (c *coverer) list() []Coverage {
	var list []Coverage
	for i, place := range c.all {
		place.States = c.counters[i].states
		if c.falses[i] != nil {
			place.False = c.falses[i].states
		}
		j := slices.IndexFunc(list, func(d Coverage) bool {
			d.States, d.False = place.States, place.False
			return d == place
		})
		if j < 0 {
			list = append(list, place)
			continue
		}
		list[j].States = max(list[j].States, place.States)
		list[j].False = max(list[j].False, place.False)
	}
	slices.SortStableFunc(list, func(a, b Coverage) int {
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Column, b.Pos.Column))
	})
	return list
}

// describe says what an action does.
func describe(a ir.Action) string {
	switch a := a.(type) {
	case *ir.Send:
		return sendAction + a.Message.Name
	case *ir.Receive:
		return receiveAction + a.Message.Name
	case *ir.Emit:
		return eventAction + a.Event.Name
	case *ir.Assign:
		return a.Var.Name + " :="
	case *ir.Crash:
		return "crash"
	}
	return "skip"
}
