package confluence

import (
	"iter"

	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
)

// A trigger triggers a transition of a process: a message from a source, or none (own).
type trigger struct {
	source  int64
	message uint32
}

// own is the trigger of a process that acts on its own.
var own = trigger{source: -1}

// An outcome is the effect of a transition on its process, with what it sends.
type outcome struct {
	weight model.Weight
	event  uint32 // 0 for τ, else one more than the action
	next   model.Value
	sends  []compile.Outcome
}

// An offer is the set of choices of a process under a trigger, each with its outcomes.
type offer struct {
	choices [][]outcome
	// fails means that such a state is a model error or leads to one in one step.
	fails bool
}

func (o *offer) empty() bool { return len(o.choices) == 0 && !o.fails }

// certain returns the outcome of an offer if it is the only one and a τ.
func (o *offer) certain() (outcome, bool) {
	if o.fails || len(o.choices) != 1 || len(o.choices[0]) != 1 || o.choices[0][0].event != 0 {
		return outcome{}, false
	}
	return o.choices[0][0], true
}

// A behaviour gives the offers of processes.
type behaviour interface {
	offer(l model.Value, s trigger) offer
}

// compiledBehaviour is the behaviour of the processes of a compiled system.
type compiledBehaviour struct{ *compile.System }

func (c compiledBehaviour) offer(l model.Value, s trigger) offer {
	var outcomes []compile.Outcome
	var err error
	if s == own {
		outcomes, err = c.OwnOutcomes(l)
	} else {
		outcomes, err = c.ReceiveOutcomes(l, s.source, s.message)
	}
	if err != nil {
		return offer{fails: true}
	}
	var o offer
	for i := range outcomes {
		m := &outcomes[i]
		if int(m.Choice) == len(o.choices) {
			o.choices = append(o.choices, nil)
		}
		if _, err := c.OwnOutcomes(m.Next); err != nil {
			o.fails = true
		}
		last := &o.choices[m.Choice]
		*last = append(*last, outcomeOf(m))
	}
	return o
}

func outcomeOf(m *compile.Outcome) outcome {
	o := outcome{weight: m.Weight, next: m.Next}
	if m.Visible {
		o.event = m.Action + 1
	}
	if m.Target != compile.NoTarget {
		o.sends = []compile.Outcome{*m}
	}
	return o
}

// prefixes yields the actions that can come first in t, including those in calls; with undrawn only those without a
// draw before them.
func prefixes(t ir.Term, undrawn bool) iter.Seq[*ir.Prefix] {
	return func(yield func(*ir.Prefix) bool) {
		called, looped := make(map[*ir.Equation]bool), make(map[*ir.Loop]bool)
		w := prefixWalk{yield: yield, called: called, looped: looped, undrawn: undrawn}
		w.visit(t)
	}
}

type prefixWalk struct {
	yield   func(*ir.Prefix) bool
	called  map[*ir.Equation]bool
	looped  map[*ir.Loop]bool
	undrawn bool
}

// loop visits the actions that can come first in a loop.
func (w *prefixWalk) loop(l *ir.Loop) bool {
	if w.looped[l] {
		return true
	}
	w.looped[l] = true
	return w.visit(l.Body.Term) && w.visit(l.Then.Term)
}

func (w *prefixWalk) visit(t ir.Term) bool {
	switch t := t.(type) {
	case *ir.Prefix:
		return w.yield(t)
	case *ir.Call:
		if w.called[t.Equation] {
			return true
		}
		w.called[t.Equation] = true
		return w.visit(t.Equation.Start.Term)
	case *ir.For:
		return w.loop(t.Loop)
	case *ir.LoopEnd:
		return w.loop(t.Loop)
	case *ir.Store:
		return w.visit(t.Then.Term)
	case *ir.Draw:
		return w.undrawn && !t.Choose || w.visit(t.Then)
	case *ir.Let:
		return w.visit(t.Then)
	case *ir.If:
		return w.visit(t.Then) && w.visit(t.Else)
	case *ir.Choice:
		for _, u := range t.Terms {
			if !w.visit(u) {
				return false
			}
		}
	}
	return true
}
