package verify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ringcheck/explore"
	"ringcheck/model/language/ir"
	"ringcheck/verify/ltl"
	"ringcheck/verify/product"
)

// ErrTemporal means that a temporal property cannot be decided as it is stated, or on the system that is searched.
var ErrTemporal = errors.New("the temporal property cannot be decided")

// A temporal is an LTL property with its atoms numbered.
type temporal struct {
	property *ir.Property
	formula  *ltl.Formula
	states   []ir.Expr // the atoms that are predicates of states, nil where an atom is not
	steps    []stepAtom
	bodies   int // which of the bodies of the observer the atoms are: from there on those that are not nil
}

// A stepAtom is an atom that is true of a step: an event, or that a run has come to its end.
type stepAtom struct {
	atom  int
	event *ir.Event // nil: the end
}

// newTemporal numbers the atoms of a property.
func newTemporal(p *ir.Property) (*temporal, error) {
	t := &temporal{property: p}
	t.formula = t.convert(p.Temporal.Formula)
	if len(t.states) > ltl.MaxAtoms {
		return nil, fmt.Errorf("%s: property %s: %w: it has more than %d atoms", p.Pos, p.Name, ErrTemporal, ltl.MaxAtoms)
	}
	return t, nil
}

func (t *temporal) convert(f *ir.Formula) *ltl.Formula {
	if f == nil {
		return nil
	}
	switch f.Op {
	case ir.StateAtom:
		if c, ok := f.State.(*ir.Const); ok {
			if c.Value != 0 {
				return ltl.True
			}
			return ltl.False
		}
		return t.atom(f.State)
	case ir.EventAtom, ir.TerminalAtom:
		t.steps = append(t.steps, stepAtom{len(t.states), f.Event})
		return t.atom(nil)
	}
	x, y := t.convert(f.X), t.convert(f.Y)
	switch f.Op {
	case ir.Negation:
		return ltl.Not(x)
	case ir.Conjunction:
		return ltl.And(x, y)
	case ir.Disjunction:
		return ltl.Or(x, y)
	case ir.Implication:
		return ltl.Implies(x, y)
	case ir.Next:
		return ltl.Next(x)
	case ir.Always:
		return ltl.Always(x)
	case ir.Eventually:
		return ltl.Eventually(x)
	case ir.Until:
		return ltl.Until(x, y)
	case ir.Unless:
		return ltl.WeakUntil(x, y)
	}
	return ltl.Release(x, y)
}

func (t *temporal) atom(state ir.Expr) *ltl.Formula {
	t.states = append(t.states, state)
	return ltl.Atom(len(t.states) - 1)
}

// predicates returns the atoms that are predicates of states.
func (t *temporal) predicates() []ir.Expr {
	var list []ir.Expr
	for _, e := range t.states {
		if e != nil {
			list = append(list, e)
		}
	}
	return list
}

// letter returns the state atoms that are true, by the outcomes of all bodies of the observer.
func (t *temporal) letter(outcomes []outcome) (uint64, error) {
	letter, body := uint64(0), t.bodies
	for atom, e := range t.states {
		if e == nil {
			continue
		}
		o := outcomes[body]
		if o.err != nil {
			return 0, &EvalError{t.property, o.err}
		}
		letter |= uint64(o.value) << atom
		body++
	}
	return letter, nil
}

// events returns the step atoms that are true of a kind of steps.
func (t *temporal) events(k product.Kind) uint64 {
	letter := uint64(0)
	for _, s := range t.steps {
		if s.event == nil && k.Action == product.Over || s.event != nil && k.Action == eventAction+s.event.Name {
			letter |= 1 << s.atom
		}
	}
	return letter
}

// actions returns what the property assumes runs to be fair to: whatever each process does.
func (t *temporal) actions(fairness ir.Fairness, n int) ([]product.Action, error) {
	if fairness == ir.Unfair {
		return nil, nil
	}
	if n > product.MaxActions {
		return nil, fmt.Errorf("%s: property %s: %w: fairness is for up to %d processes", t.property.Pos, t.property.Name, ErrTemporal, product.MaxActions)
	}
	actions := make([]product.Action, n)
	for i := range actions {
		actions[i] = product.Action{Strong: fairness == ir.StronglyFair, At: -1, Is: func(k product.Kind) bool { return k.Process == i }}
	}
	return actions, nil
}

// decideTemporal judges the LTL properties. It explores the system once more, to have its transitions in memory.
func (c *checker) decideTemporal(ctx context.Context, r *Report, opt explore.Options) error {
	if !c.wants(ir.LTL) {
		return nil
	}
	g, err := c.graph(ctx, opt)
	for i := range r.Verdicts {
		if t := c.temporal[i]; t != nil && err == nil {
			if err = c.judgeTemporal(ctx, &r.Verdicts[i], t, g); errors.Is(err, product.ErrTooLarge) {
				err = fmt.Errorf("%s: property %s: %w: %w", t.property.Pos, t.property.Name, ErrTemporal, err)
			}
		}
	}
	if errors.Is(err, explore.ErrMemory) || errors.Is(err, explore.ErrIncomplete) || ctx.Err() != nil {
		return nil // the verdicts are unknown
	}
	return err
}

func (c *checker) judgeTemporal(ctx context.Context, v *Verdict, t *temporal, g *product.Graph) error {
	automaton := ltl.Translate(ltl.Not(t.formula))
	if automaton == nil {
		return fmt.Errorf("%s: property %s: %w: the automaton of its negation is too large", t.property.Pos, t.property.Name, ErrTemporal)
	}
	s := &product.Search{Graph: g, Events: t.events, Automaton: automaton}
	var err error
	if s.Letters, err = c.letters(t); err != nil {
		return err
	}
	if s.Actions, err = t.actions(t.property.Temporal.Fairness, c.subject.System.Protocol().N); err != nil {
		return err
	}
	lasso, err := s.Find(ctx)
	if err != nil {
		return err
	}
	if lasso == nil {
		v.Outcome = Holds
		return nil
	}
	if err := s.Check(lasso, ltl.Not(t.formula)); err != nil {
		return err
	}
	v.Outcome = Violated
	v.Lasso = &Lasso{lasso: lasso, Stem: len(lasso.Stem), Cycle: len(lasso.Cycle)}
	over := func(s product.Step) bool { return s.Kind.Action == product.Over }
	if over(lasso.Cycle[0]) {
		v.Lasso.Cycle = 0
		if i := slices.IndexFunc(lasso.Stem, over); i >= 0 { // for the automaton time went on before
			v.Lasso.Stem = i
		}
	}
	return c.remedy(ctx, v, s, t)
}

// letters returns the letters of the classes of states.
func (c *checker) letters(t *temporal) ([]uint64, error) {
	letters := make([]uint64, c.observer.classes())
	for class := range letters {
		var err error
		if letters[class], err = t.letter(c.observer.outcomes(uint32(class))); err != nil {
			return nil, err
		}
	}
	return letters, nil
}

// remedy finds out which fairness would make a violated property hold, and who is treated unfairly by the lasso.
func (c *checker) remedy(ctx context.Context, v *Verdict, s *product.Search, t *temporal) error {
	lasso := v.Lasso
	for f := t.property.Temporal.Fairness + 1; f <= ir.StronglyFair; f++ {
		actions, err := t.actions(f, c.subject.System.Protocol().N)
		if err != nil {
			return nil // nothing is known about fairness then
		}
		fair := *s
		fair.Actions = actions
		if lasso.Starved == nil {
			lasso.Starved = fair.Starved(lasso.lasso, f == ir.StronglyFair)
			lasso.Starving = f
		}
		other, err := fair.Find(ctx)
		if err != nil {
			return err
		}
		if other == nil {
			lasso.Remedy = f
			return nil
		}
	}
	return nil
}

// Words says, line by line, of a violated property whose fairness is given what fairness has to do with it.
func (l *Lasso) Words(assumed ir.Fairness) []string {
	var lines []string
	switch {
	case l.Cycle == 0:
		lines = append(lines, "the run ends: nothing can happen any more")
	case len(l.Starved) > 0 && l.Starving == ir.StronglyFair:
		lines = append(lines, fmt.Sprintf("%s could act again and again and never does", processes(l.Starved)))
	case len(l.Starved) > 0:
		lines = append(lines, fmt.Sprintf("%s could act all the time and never does", processes(l.Starved)))
	}
	switch {
	case l.Remedy != ir.Unfair:
		lines = append(lines, fmt.Sprintf("it holds if runs are %v", l.Remedy))
	case assumed != ir.StronglyFair:
		lines = append(lines, "it is violated by fair runs too, strongly fair ones included")
	}
	return lines
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

// A Lasso is a run that violates a temporal property: a stem, and a cycle that is repeated for ever.
type Lasso struct {
	Stem, Cycle int // steps; Cycle is 0 if the run ends in a terminal state
	// Remedy is the fairness under which the property would hold; Unfair if there is none, or none that is stronger than what is assumed.
	Remedy ir.Fairness
	// Starved are the processes that could act all along the cycle, or sometime on it if Starving is StronglyFair, and never do.
	Starved  []int
	Starving ir.Fairness

	lasso *product.Lasso
}
