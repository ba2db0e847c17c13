package verify

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ringcheck/explore"
	"ringcheck/internal/effort"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
	"ringcheck/model/ltl"
	"ringcheck/verify/product"
)

// ErrTemporal means that a temporal property cannot be decided as it is stated, or on the system that is searched.
var ErrTemporal = errors.New("the temporal property cannot be decided")

// A temporal is an LTL property with its atoms numbered.
type temporal struct {
	property      *ir.Property
	formula       *ltl.Formula
	states        []ir.Expr    // by atom: the predicate of states, nil for other atoms
	positions     []syntax.Pos // by atom: its position in the formula
	steps         []stepAtom
	locationAtoms map[location]int // the atoms "a process is in an equation", for fairness
	protocol      *ir.Protocol
	bodies        int // the index of the first state predicate among the bodies of the observer
	// runs characterises the runs among the infinite paths of the searched graph: see endForEver.
	runs *ltl.Formula
	// always is g, and occurrences has its events, if the safety part of formula is "always g": see observeEvents.
	always      *ltl.Formula
	occurrences []*occurrence
	safe        bool // all states were found, and neither a state nor a step violates always
	// undefined is the atom that is true where any other atom has no value: see beDefined.
	undefined int
}

// A stepAtom is an atom about a step: an event, or the end of a run.
type stepAtom struct {
	atom    int
	event   *ir.Event // nil for the end of the run
	process int       // the process of the event, or anyone
	pos     syntax.Pos
}

// anyone is the process of an atom about the events of all processes.
const anyone = -2

// A location is a process and an equation.
type location struct {
	process  int
	equation *ir.Equation
}

// newTemporal numbers the atoms of a property.
func newTemporal(p *ir.Property, of *ir.Protocol) (*temporal, error) {
	n := of.N
	t := &temporal{property: p, protocol: of, locationAtoms: make(map[location]int), runs: ltl.True}
	t.formula = p.Temporal.Formula.LTL(n, t.number)
	for _, f := range p.Temporal.Fair {
		for _, eq := range f.Equations {
			for process := range n {
				t.locationAtoms[location{process, eq}] = len(t.states)
				t.atom(&ir.At{Process: &ir.Const{T: ir.NodeType(n), Value: int64(process)}, Equation: eq})
			}
		}
	}
	return t, t.fits()
}

// fits returns an error if there are too many atoms.
func (t *temporal) fits() error {
	if len(t.states) > ltl.MaxAtoms {
		return t.refuse(fmt.Sprintf("it has more than %d atoms", ltl.MaxAtoms))
	}
	return nil
}

// endForEver excludes runs that continue after their end. It is for a graph in which a run can end in a state that has
// transitions.
func (t *temporal) endForEver() error {
	over := t.step(nil, anyone, syntax.Pos{})
	t.runs = ltl.Always(ltl.Implies(over, ltl.Next(over)))
	return t.fits()
}

// beDefined excludes runs through a state in which an atom has no value. The remaining runs that violate the property
// do so for any value.
func (t *temporal) beDefined() error {
	t.undefined = len(t.states)
	t.runs = ltl.And(t.runs, ltl.Always(ltl.Not(t.atom(nil))))
	return t.fits()
}

// violation returns the formula of the runs that violate the property.
func (t *temporal) violation() *ltl.Formula { return ltl.And(ltl.Not(t.formula), t.runs) }

// number returns the atom for a formula without operators, and assigns it a number.
func (t *temporal) number(f *ir.Formula) *ltl.Formula {
	if f.Op == ir.StateAtom {
		return t.addAtom(f.State, f.Pos)
	}
	process := anyone
	if c, ok := f.Process.(*ir.Const); ok {
		process = int(c.Value)
	}
	return t.step(f.Event, process, f.Pos)
}

func (t *temporal) step(e *ir.Event, process int, pos syntax.Pos) *ltl.Formula {
	t.steps = append(t.steps, stepAtom{len(t.states), e, process, pos})
	return t.atom(nil)
}

func (t *temporal) atom(state ir.Expr) *ltl.Formula { return t.addAtom(state, syntax.Pos{}) }

// addAtom is number for an atom with a position in the formula.
func (t *temporal) addAtom(state ir.Expr, pos syntax.Pos) *ltl.Formula {
	t.states, t.positions = append(t.states, state), append(t.positions, pos)
	return ltl.Atom(len(t.states) - 1)
}

// forFairness reports whether an atom is only one of where a process is, for fairness.
func (t *temporal) forFairness(atom int) bool {
	for _, a := range t.locationAtoms {
		if a == atom {
			return true
		}
	}
	return false
}

// predicates returns the atoms that are predicates of states, with those for fairness.
func (t *temporal) predicates() []ir.Expr {
	var list []ir.Expr
	for _, e := range t.states {
		if e != nil {
			list = append(list, e)
		}
	}
	return list
}

// events returns the step atoms that are true of a kind of steps.
func (t *temporal) events(k product.Kind) uint64 {
	letter := uint64(0)
	for _, s := range t.steps {
		happens := k.Action == product.Over
		if s.event != nil {
			happens = k.Action == actionOf(s.event) && (s.process == anyone || s.process == k.Process)
		}
		if happens {
			letter |= 1 << s.atom
		}
	}
	return letter
}

// stepAtoms returns the set of the step atoms.
func (t *temporal) stepAtoms() uint64 {
	all := uint64(0)
	for _, s := range t.steps {
		all |= 1 << s.atom
	}
	return all
}

// decideTemporal judges the LTL properties by a search that has kept its states. A property that does not fit in memory
// is unknown; without a graph, all are. After an error, the remaining ones are unknown.
func (c *checker) decideTemporal(ctx context.Context, r *Result, space *explore.Space, k *kinds) (g *graph, err error) {
	err = effort.Do(ctx, func() error {
		if g, err = k.graph(ctx, space); err != nil {
			return err
		}
		return c.judgeRuns(ctx, r, g)
	})
	if errors.Is(err, explore.ErrMemory) {
		r.unfit(err)
		return g, nil
	}
	return g, err
}

// unfit sets the reason for which LTL properties are unknown to an error.
func (r *Result) unfit(err error) {
	for i := range r.Judgments {
		r.Judgments[i].unfit(err)
	}
}

// unfit sets the reason for which an LTL property is unknown, if it is, to an error.
func (v *Judgment) unfit(err error) {
	if !v.Property.Kind.OfRuns() || v.Outcome != Unknown {
		return
	}
	v.Reason = "the states and their bits do not fit in the memory budget"
	var memory *product.MemoryError
	if errors.As(err, &memory) {
		v.Reason = fmt.Sprintf("deciding it takes %.1f MiB in addition to the states, "+
			"and the memory budget leaves %.1f MiB", mebibytes(memory.Bytes), mebibytes(memory.Available))
	}
}

func mebibytes(n uint64) float64 { return float64(n) / (1 << 20) }

// judgeRuns judges the LTL properties. A property that does not fit in memory is unknown. The next one may fit.
func (c *checker) judgeRuns(ctx context.Context, r *Result, g *graph) error {
	var open []*openJudgment
	for i, t := range c.temporal {
		if t == nil || r.Judgments[i].Outcome != Unknown {
			continue
		}
		o := &openJudgment{Judgment: &r.Judgments[i], of: t}
		if err := o.handle(c.judgeNearby(ctx, o, g)); err != nil {
			return err
		}
		if o.search != nil {
			open = append(open, o)
		}
	}
	for len(open) > 0 {
		var group, others []*openJudgment
		for _, o := range open {
			if o == open[0] || o.joins(open[0]) {
				group = append(group, o)
			} else {
				others = append(others, o)
			}
		}
		open = others
		if err := c.judgeTogether(ctx, group, g); err != nil {
			return err
		}
	}
	return nil
}

// An openJudgment is the judgment of a property with the search that it takes, nil if the outcome is known.
type openJudgment struct {
	*Judgment
	of     *temporal
	search *product.Search
}

// handle records the error of a judgment. It returns an error if the other properties cannot be judged either.
func (o *openJudgment) handle(err error) error {
	switch {
	case errors.Is(err, explore.ErrMemory):
		o.unfit(err)
		o.search = nil
	case errors.Is(err, product.ErrTooLarge):
		p := o.of.property
		return fmt.Errorf("%s: property %s: %w: %w", p.Pos, p.Name, ErrTemporal, err)
	case err != nil:
		return err
	}
	return nil
}

// joins reports whether a judgment makes the same assumptions about runs as another one.
func (o *openJudgment) joins(other *openJudgment) bool {
	return o.of.property.Temporal.String() == other.of.property.Temporal.String() && !o.search.Surely &&
		o.EvalError == nil && other.EvalError == nil
}

// judgeTogether judges properties with the same assumptions by a search of all states.
func (c *checker) judgeTogether(ctx context.Context, group []*openJudgment, g *graph) error {
	var searches []*product.Search
	for _, o := range group {
		searches = append(searches, o.search)
	}
	return product.EachDistant(ctx, searches, func(i int, lasso *product.Lasso, err error) error {
		if err == nil {
			err = c.conclude(ctx, group[i], g, lasso)
		}
		return group[i].handle(err)
	})
}

// judgeNearby judges a property if a run near the initial states, or one that ends, violates it, or if it is shown to
// hold without a search of all states. Otherwise it sets the search.
func (c *checker) judgeNearby(ctx context.Context, o *openJudgment, g *graph) error {
	t := o.of
	if g.environment != nil {
		if err := t.endForEver(); err != nil {
			return err
		}
	}
	if o.EvalError != nil {
		if err := t.beDefined(); err != nil {
			return err
		}
	}
	s := c.searchOf(t, g)
	if err := t.assume(s, t.property.Temporal); err != nil {
		return err
	}
	if err := c.judgeSafety(ctx, o.Judgment, t, s, g); err != nil || o.Outcome != Unknown {
		return err
	}
	lasso, err := s.Nearby(ctx)
	if lasso == nil && err == nil && o.EvalError == nil {
		var holds bool
		if holds, err = c.holdsPrioritized(ctx, t, *s); holds {
			o.Outcome, o.kinds = Holds, g.kinds
			return nil
		}
	}
	switch {
	case err != nil:
		return err
	case lasso != nil:
		return c.violatedByLasso(ctx, o.Judgment, t, s, g, lasso)
	}
	o.search = s
	return nil
}

// conclude sets the outcome after a search of all states, which has found a lasso unless that is nil.
func (c *checker) conclude(ctx context.Context, o *openJudgment, g *graph, lasso *product.Lasso) (err error) {
	switch {
	case lasso != nil:
		return c.violatedByLasso(ctx, o.Judgment, o.of, o.search, g, lasso)
	case o.EvalError != nil:
		return nil
	}
	o.Outcome, o.kinds = Holds, g.kinds
	o.idle, err = c.superfluous(ctx, o.of, o.search)
	return err
}

// searchOf returns a search for runs of a graph, without assumptions.
func (c *checker) searchOf(t *temporal, g *graph) *product.Search {
	s := &product.Search{System: g, Events: t.events, Letters: c.letters(t)}
	if q := c.verifier.runQuotient(); q != nil {
		s.Moves, s.Processes = q.Image, t.protocol.N
	}
	for class := range s.Letters {
		s.Ends = append(s.Ends, g.endsIn(class))
	}
	s.RunTo = g.runTo
	return s
}

// violatedByLasso records that a lasso violates an LTL property.
func (c *checker) violatedByLasso(
	ctx context.Context, v *Judgment, t *temporal, s *product.Search, g *graph, lasso *product.Lasso,
) (err error) {
	if err := s.Check(lasso, t.violation()); err != nil {
		return err
	}
	v.Outcome = Violated
	v.Lasso = lassoOf(lasso)
	if c.verifier.runQuotient() != nil {
		err = c.liftLasso(ctx, v.Lasso, t, s, g)
	} else if !c.verifier.quotient() { // its states are states of the run
		v.Lasso.Bindings, err = c.instance(t, lasso, g)
	}
	if err != nil {
		return err
	}
	v.Lasso.Why, err = c.why(ctx, v, t, s, g)
	return err
}

// A Lasso is a run that violates a temporal property: a stem, and a cycle that is repeated for ever.
type Lasso struct {
	Stem, Cycle int // steps; Cycle is 0 if the run ends in a quiescent state
	// Bindings are values of binders for which the formula is false.
	Bindings []Binding
	// Why says, line by line, which process is starved, and which assumption about runs would make the property hold.
	Why []string

	lasso *product.Lasso // of the searched system
	moves []explore.Move // for a quotient by permutations: the run of the full system, once around the cycle
}

// lassoOf returns the lengths of a lasso of the searched system.
func lassoOf(lasso *product.Lasso) *Lasso {
	l := &Lasso{lasso: lasso, Stem: len(lasso.Stem), Cycle: len(lasso.Cycle)}
	over := func(s product.Step) bool { return s.Kind.Action == product.Over }
	if over(lasso.Cycle[0]) {
		l.Cycle = 0
		if i := slices.IndexFunc(lasso.Stem, over); i >= 0 { // the automaton saw steps after the end
			l.Stem = i
		}
	}
	return l
}

// letters returns, by class of states, the state atoms of an LTL property that are true. If one has no value, only
// temporal.undefined is.
func (c *checker) letters(t *temporal) []uint64 {
	letters := make([]uint64, c.observer.classes())
	for class := range letters {
		letter, defined := t.letterOf(c.observer.outcomes(uint32(class)))
		if !defined {
			letter = 1 << t.undefined
		}
		letters[class] = letter
	}
	return letters
}

// letterOf returns the state atoms that are true in states with some outcomes, and whether all have a value.
func (t *temporal) letterOf(outcomes []outcome) (letter uint64, defined bool) {
	outcomes = outcomes[t.bodies:]
	for atom, e := range t.states {
		if e == nil {
			continue
		}
		if outcomes[0].err != nil {
			return 0, false
		}
		letter |= uint64(outcomes[0].value) << atom
		outcomes = outcomes[1:]
	}
	return letter, true
}
