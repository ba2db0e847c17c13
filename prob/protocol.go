package prob

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"ringcheck/explore"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
)

// A Protocol is what is asked about a compiled protocol.
type Protocol struct {
	System *compile.System
	// Searched is what is explored in its place, nil for System itself: a System with the labels of that one, whose slots are its
	// slots or each stand for equally many of them.
	Searched model.System
	// Actions returns the labels of System's transitions that one of Searched stands for; nil if it is always the one with the same label.
	Actions func(model.Label) []model.Label
	Goals   []*ir.Formula // propositional
	Rewards []*ir.Reward
}

// A GoalError says that a formula is no goal.
type GoalError struct {
	Formula *ir.Formula
	Reason  string
}

func (e *GoalError) Error() string { return fmt.Sprintf("%s: %s", e.Formula.Pos, e.Reason) }

// Process explores the protocol and returns it as a process, with its rewards, and its goals in the same order. If the search
// does not come to its end there is only its result.
func (p *Protocol) Process(ctx context.Context, opt explore.Options) (*MDP, []Goal, *explore.Result, error) {
	v := &viewer{Protocol: p, marks: make(map[string]uint32)}
	for _, f := range p.Goals {
		if err := v.collect(f); err != nil {
			return nil, nil, nil, err
		}
	}
	sys := p.Searched
	if sys == nil {
		sys = p.System
	}
	v.prepare(sys)
	m, result, err := Generate(ctx, sys, opt, View{Mark: v.mark, Predicates: v.predicates()})
	if m == nil {
		if v.err != nil {
			err = v.err
		}
		return nil, nil, result, err
	}
	if v.err != nil {
		return nil, nil, nil, v.err
	}
	for i, r := range p.Rewards {
		m.Rewards = append(m.Rewards, Reward{r.Name, v.rewards[i]})
	}
	var goals []Goal
	for _, f := range p.Goals {
		goals = append(goals, v.goal(m, f))
	}
	return m, goals, result, nil
}

// A viewer makes a system's labels marks, and formulas goals.
type viewer struct {
	*Protocol
	atoms  []*ir.Formula // of states
	events []*ir.Event   // that goals speak of
	cells  interface {
		Cell(v model.Value) []model.Value
	}
	state   []model.Value // of the protocol
	view    *compile.View
	env     *ir.Env
	marks   map[string]uint32
	happens []*ir.Event  // by mark
	rewards [][]*big.Rat // by reward and mark
	err     error
}

// collect finds the atoms of a goal, a disjunction of events and of what can be told from a state.
func (v *viewer) collect(f *ir.Formula) error {
	switch {
	case !f.Propositional():
		return &GoalError{f, "a goal is a predicate of states and events; temporal operators cannot stand in it"}
	case f.Op == ir.EventAtom:
		v.events = append(v.events, f.Event)
		return nil
	case f.Op == ir.Disjunction:
		return errors.Join(v.collect(f.X), v.collect(f.Y))
	}
	return v.collectStates(f)
}

// collectStates finds the atoms of what is to be told from a state.
func (v *viewer) collectStates(f *ir.Formula) error {
	if f == nil {
		return nil
	}
	switch f.Op {
	case ir.EventAtom:
		return &GoalError{f, "in a goal an event can only stand by itself or as an alternative: E happens or …"}
	case ir.StateAtom:
		v.atoms = append(v.atoms, f)
	}
	return errors.Join(v.collectStates(f.X), v.collectStates(f.Y))
}

func (v *viewer) prepare(sys model.System) {
	v.cells, _ = sys.(interface {
		Cell(v model.Value) []model.Value
	})
	v.view = v.System.NewView()
	v.env = v.System.Protocol().NewEnv(v.view)
	v.rewards = make([][]*big.Rat, len(v.Rewards))
}

// predicates returns the atoms, evaluated.
func (v *viewer) predicates() []Predicate {
	var list []Predicate
	for _, a := range v.atoms {
		list = append(list, Predicate{Holds: func(state []model.Value) (bool, error) {
			v.show(state)
			value, err := a.State.Eval(v.env)
			return value != 0, err
		}})
	}
	return list
}

// show makes expressions see a state of the searched system.
func (v *viewer) show(state []model.Value) {
	if v.cells != nil {
		v.state = v.state[:0]
		for _, c := range state {
			v.state = append(v.state, v.cells.Cell(c)...)
		}
		state = v.state
	}
	v.view.Show(state)
}

// mark returns the same mark for labels that no goal or reward tells apart.
func (v *viewer) mark(l model.Label) uint32 {
	all := []model.Label{l}
	if v.Actions != nil {
		all = v.Actions(l)
	}
	var seen *ir.Event
	values := make([]int64, len(v.Rewards))
	for _, l := range all {
		if e, _ := v.System.Happened(l); e != nil && slices.Contains(v.events, e) {
			seen = e
		}
		for i, r := range v.Rewards {
			value, err := v.System.Reward(r, l)
			if err != nil && v.err == nil {
				v.err = err
			}
			values[i] += max(0, value)
		}
	}
	key := fmt.Sprintf("%p %d", seen, values)
	m, ok := v.marks[key]
	if !ok {
		m = uint32(len(v.happens))
		v.marks[key] = m
		v.happens = append(v.happens, seen)
		for i, value := range values {
			v.rewards[i] = append(v.rewards[i], v.Rewards[i].Earned(value))
		}
	}
	return m
}

// goal returns what a formula means in a process.
func (v *viewer) goal(m *MDP, f *ir.Formula) Goal {
	g := Goal{States: NewSet(m.States()), Ends: NewSet(m.States()), Marks: make([]bool, len(v.happens))}
	v.add(m, &g, f)
	return g
}

func (v *viewer) add(m *MDP, g *Goal, f *ir.Formula) {
	switch f.Op {
	case ir.Disjunction:
		v.add(m, g, f.X)
		v.add(m, g, f.Y)
	case ir.EventAtom:
		for mark, e := range v.happens {
			g.Marks[mark] = g.Marks[mark] || e == f.Event
		}
	default:
		for s := range uint32(m.States()) {
			switch {
			case v.holds(m, f, s, m.Terminal(s)):
				g.States.Add(s)
			case m.MayEnd(s) && v.holds(m, f, s, true):
				g.Ends.Add(s)
			}
		}
	}
}

// holds evaluates what is to be told from a state, in which the run has ended or not.
func (v *viewer) holds(m *MDP, f *ir.Formula, s uint32, ended bool) bool {
	switch f.Op {
	case ir.StateAtom:
		return m.Labels[slices.Index(v.atoms, f)].States.Has(s)
	case ir.TerminalAtom:
		return ended
	case ir.Negation:
		return !v.holds(m, f.X, s, ended)
	case ir.Conjunction:
		return v.holds(m, f.X, s, ended) && v.holds(m, f.Y, s, ended)
	case ir.Implication:
		return !v.holds(m, f.X, s, ended) || v.holds(m, f.Y, s, ended)
	}
	return v.holds(m, f.X, s, ended) || v.holds(m, f.Y, s, ended)
}
