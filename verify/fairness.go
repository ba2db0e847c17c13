package verify

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ringcheck/model/language/ir"
	"ringcheck/verify/ltl"
	"ringcheck/verify/product"
)

// assume makes a search look for runs that violate the property in spite of what is assumed.
func (t *temporal) assume(s *product.Search, assumed *ir.Temporal) error {
	s.Automaton, s.Chances = ltl.Translate(ltl.Not(t.formula)), assumed.Chances
	if s.Automaton != nil && s.Chances {
		s.Automaton = s.Automaton.LimitDeterministic()
	}
	if s.Automaton == nil {
		return t.refuse("the automaton of its negation is too large")
	}
	s.Actions = nil
	for i := range assumed.Fair {
		s.Actions = append(s.Actions, t.actions(&assumed.Fair[i])...)
	}
	if len(s.Actions) > product.MaxActions {
		return t.refuse(fmt.Sprintf("there are more than %d actions to be fair to", product.MaxActions))
	}
	return nil
}

func (t *temporal) refuse(why string) error {
	return fmt.Errorf("%s: property %s: %w: %s", t.property.Pos, t.property.Name, ErrTemporal, why)
}

// actions returns what runs are fair to: whatever each process does, or what is named.
func (t *temporal) actions(f *ir.FairClause) []product.Action {
	var list []product.Action
	for process := range t.protocol.N {
		add := func(at int, is func(action string) bool) {
			list = append(list, product.Action{Strong: f.Strongly, At: at, Is: func(k product.Kind) bool {
				return k.Process == process && (is == nil || is(k.Action))
			}})
		}
		if len(f.Names) == 0 {
			add(-1, nil)
		}
		for _, eq := range f.Equations {
			add(t.at[station{process, eq}], nil)
		}
		for _, e := range f.Events {
			add(-1, func(action string) bool { return action == eventAction+e.Name })
		}
		for _, m := range f.Messages {
			add(-1, func(action string) bool { return action == sendAction+m.Name })
			add(-1, func(action string) bool { return action == receiveAction+m.Name })
		}
	}
	return list
}

// why says of a lasso who is starved, and which further assumption would make the property hold.
func (t *temporal) why(ctx context.Context, l *Lasso, s *product.Search) ([]string, error) {
	var lines []string
	switch {
	case l.Cycle == 0:
		lines = append(lines, "the run ends: nothing can happen any more")
	case s.Chances:
		lines = append(lines, fmt.Sprintf("whatever is drawn, a scheduler can stay with it for ever, in %d states with what the formula is waiting for",
			l.lasso.Component))
	}
	if l.Cycle > 0 {
		lines = append(lines, t.starved(l, s)...)
	}
	assumptions := t.assumptions(s)
	if len(assumptions) == 0 {
		return lines, nil
	}
	holds := func(a *ir.Temporal) (bool, error) {
		other := *s
		if err := t.assume(&other, a); err != nil {
			return false, nil // nothing is known then
		}
		lasso, err := other.Find(ctx)
		return lasso == nil && err == nil, err
	}
	strongest := assumptions[len(assumptions)-1]
	helps, err := holds(strongest)
	if err != nil {
		return lines, err
	}
	if !helps {
		actions, err := t.smallest(holds)
		if actions != nil {
			return append(lines, "it holds "+Assuming(actions)), err
		}
		return append(lines, "it is violated "+even(strongest)), err
	}
	for _, a := range assumptions {
		if helps, err = holds(a); helps || err != nil {
			return append(lines, "it holds "+Assuming(a)), err
		}
	}
	return lines, nil
}

// smallest returns strong fairness to messages and events, as few as possible, under which the property would hold; nil if there is none.
func (t *temporal) smallest(holds func(*ir.Temporal) (bool, error)) (*ir.Temporal, error) {
	var all ir.FairClause
	add := func(f *ir.FairClause, m *ir.Message, e *ir.Event) {
		if m != nil {
			f.Messages, f.Names = append(f.Messages, m), append(f.Names, m.Name)
		} else {
			f.Events, f.Names = append(f.Events, e), append(f.Names, e.Name)
		}
	}
	for _, e := range t.protocol.Events {
		add(&all, nil, e)
	}
	for _, m := range t.protocol.Messages {
		add(&all, m, nil)
	}
	given := t.property.Temporal
	with := func(f ir.FairClause) *ir.Temporal {
		f.Strongly = true
		return &ir.Temporal{Fair: append(slices.Clone(given.Fair), f), Chances: given.Chances}
	}
	if helps, err := holds(with(all)); !helps || err != nil || len(all.Names) == 0 {
		return nil, err
	}
	for _, name := range slices.Clone(all.Names) {
		var fewer ir.FairClause
		for _, e := range all.Events {
			if e.Name != name {
				add(&fewer, nil, e)
			}
		}
		for _, m := range all.Messages {
			if m.Name != name {
				add(&fewer, m, nil)
			}
		}
		if len(fewer.Names) == 0 {
			break
		}
		helps, err := holds(with(fewer))
		if err != nil {
			return nil, err
		}
		if helps {
			all = fewer
		}
	}
	return with(all), nil
}

// Assuming says what is assumed of runs: "if runs are fair", "with probability one".
func Assuming(t *ir.Temporal) string {
	if len(t.Fair) == 0 {
		return t.String()
	}
	return "if runs are " + t.String()
}

// assumptions returns what could be assumed beyond what is, the weakest first: fairness to all processes, and chance if something is drawn.
func (t *temporal) assumptions(s *product.Search) []*ir.Temporal {
	given := t.property.Temporal
	level := func(list []ir.FairClause) int {
		level := 0
		for i := range list {
			switch {
			case len(list[i].Names) > 0:
			case list[i].Strongly:
				level = 2
			default:
				level = max(level, 1)
			}
		}
		return level
	}
	draws := s.Graph.Draws()
	var list []*ir.Temporal
	for _, chances := range []bool{false, true} {
		if !chances && given.Chances || chances && !given.Chances && !draws {
			continue
		}
		for fair := level(given.Fair); fair <= 2; fair++ {
			a := &ir.Temporal{Fair: slices.Clone(given.Fair), Chances: chances}
			if fair > level(given.Fair) {
				a.Fair = append(slices.DeleteFunc(a.Fair, func(f ir.FairClause) bool { return len(f.Names) == 0 }), ir.FairClause{Strongly: fair == 2})
			}
			if chances != given.Chances || fair > level(given.Fair) {
				list = append(list, a)
			}
		}
	}
	return list
}

// starved says which processes could act along a lasso and never do.
func (t *temporal) starved(l *Lasso, s *product.Search) []string {
	if t.protocol.N > product.MaxActions {
		return nil
	}
	for _, strongly := range []bool{false, true} {
		all := *s
		all.Actions = t.actions(&ir.FairClause{Strongly: strongly})
		list := all.Starved(l.lasso, strongly)
		if len(list) == 0 {
			continue
		}
		when := "all the time"
		if strongly {
			when = "again and again"
		}
		return []string{fmt.Sprintf("%s could act %s and never does", processes(list), when)}
	}
	return nil
}

// processes writes "process 1" or "each of processes 1, 2".
func processes(list []int) string {
	var parts []string
	for _, p := range list {
		parts = append(parts, strconv.Itoa(p))
	}
	if len(parts) == 1 {
		return "process " + parts[0]
	}
	return "each of processes " + strings.Join(parts, ", ")
}

// even says that an assumption does not help.
func even(t *ir.Temporal) string {
	if len(t.Fair) == 0 {
		return "even with positive probability"
	}
	s := "even if runs are " + (&ir.Temporal{Fair: t.Fair}).String()
	if t.Chances {
		s += ", and with positive probability"
	}
	return s
}
