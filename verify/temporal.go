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
	for i, t := range c.temporal {
		if t == nil {
			continue
		}
		v := &r.Judgments[i]
		if v.Outcome != Unknown {
			continue
		}
		switch err := c.judgeTemporal(ctx, v, t, g); {
		case errors.Is(err, explore.ErrMemory):
			v.unfit(err)
		case errors.Is(err, product.ErrTooLarge):
			return fmt.Errorf("%s: property %s: %w: %w", t.property.Pos, t.property.Name, ErrTemporal, err)
		case err != nil:
			return err
		}
	}
	return nil
}

func (c *checker) judgeTemporal(ctx context.Context, v *Judgment, t *temporal, g *graph) (err error) {
	if g.environment != nil {
		if err = t.endForEver(); err != nil {
			return err
		}
	}
	if v.EvalError != nil {
		if err := t.beDefined(); err != nil {
			return err
		}
	}
	s := c.searchOf(t, g)
	if err := t.assume(s, t.property.Temporal); err != nil {
		return err
	}
	if err := c.judgeSafety(ctx, v, t, s, g); err != nil || v.Outcome != Unknown {
		return err
	}
	lasso, err := s.Nearby(ctx)
	if lasso == nil && err == nil && v.EvalError == nil {
		var holds bool
		if holds, err = c.holdsPrioritized(ctx, t, *s); holds {
			v.Outcome, v.kinds = Holds, g.kinds
			return nil
		}
	}
	if lasso == nil && err == nil {
		lasso, err = s.Distant(ctx)
	}
	if err != nil || lasso == nil && v.EvalError != nil {
		return err
	}
	if lasso == nil {
		v.Outcome, v.kinds = Holds, g.kinds
		v.idle, err = c.superfluous(ctx, t, s)
		return err
	}
	return c.violatedByLasso(ctx, v, t, s, g, lasso)
}

// searchOf returns a search for runs of a graph, without assumptions.
func (c *checker) searchOf(t *temporal, g *graph) *product.Search {
	s := &product.Search{System: g, Events: t.events, Letters: c.letters(t)}
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
	v.Lasso = &Lasso{lasso: lasso, Stem: len(lasso.Stem), Cycle: len(lasso.Cycle)}
	over := func(s product.Step) bool { return s.Kind.Action == product.Over }
	if over(lasso.Cycle[0]) {
		v.Lasso.Cycle = 0
		if i := slices.IndexFunc(lasso.Stem, over); i >= 0 { // the automaton saw steps after the end
			v.Lasso.Stem = i
		}
	}
	if !c.verifier.quotient() { // its states are states of the run
		if v.Lasso.Bindings, err = c.instance(t, lasso, g); err != nil {
			return err
		}
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

	lasso *product.Lasso
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

// Vacuity of temporal properties that hold.

// constants returns the atoms that are always true, and the atoms that are never true, as bits, given the letters of
// the states and the kinds of steps.
func (t *temporal) constants(letters []uint64, kinds []product.Kind) (always, never uint64) {
	always, never = ^uint64(0), ^uint64(0)
	for _, letter := range letters {
		always &= letter
		never &^= letter
	}
	for _, kind := range kinds {
		never &^= t.events(kind)
	}
	return always, never
}

// occurs reports whether an atom occurs in a formula positively (yes) or negated (not yes).
func occurs(f *ltl.Formula, atom int, yes bool) bool {
	if a, y, ok := f.Literal(); ok {
		return a == atom && y == yes
	}
	return slices.ContainsFunc(f.Parts(), func(p *ltl.Formula) bool { return occurs(p, atom, yes) })
}

// conditions returns the places of atoms in the left sides of implications of f.
func conditions(f *ir.Formula, inside bool) []syntax.Pos {
	if f == nil {
		return nil
	}
	if inside && f.X == nil {
		return []syntax.Pos{f.Pos}
	}
	return slices.Concat(conditions(f.X, inside || f.Op == ir.Implication), conditions(f.Y, inside))
}

// maxRechecked is the limit on states times acceptance conditions of all searches for vacuity, one for each place in a
// formula.
const maxRechecked = 1 << 22

// superfluous warns of state predicates and events that a formula that holds does not need: each is replaced by the
// value that is worst for the formula, at one place for all processes of a quantifier, and the result is searched for a
// violation (Beer, Ben-David, Eisner and Rodeh, Efficient detection of vacuity in temporal model checking, FMSD 18,
// 2001; Kupferman and Vardi 2003: this decides whether the formula depends on atoms of one polarity, and the atoms of
// one place have one). Other warnings are about constants. The left side of an implication is not replaced: if P leads
// to Q where Q always recurs, the claim is weak but not a mistake. Nor is an atom whose replacement leaves a formula
// that a reduced system does not decide.
func (c *checker) superfluous(ctx context.Context, t *temporal, s *product.Search) ([]ir.Warning, error) {
	left := t.formula.Given(t.constants(s.Letters, s.System.Kinds())).Atoms()
	conditions := conditions(t.property.Temporal.Formula, false)
	var list []ir.Warning
	work := uint64(0)
	for _, place := range t.formulaPlaces() {
		f, never := t.worst(place)
		if place.atoms&left == 0 || f == ltl.False || slices.Contains(conditions, place.pos) ||
			c.verifier.Unreduce != nil && !f.Inert(t.stepAtoms()) {
			continue
		}
		stronger := *t
		stronger.formula, stronger.always = f, nil
		if t.always != nil {
			stronger.always = f.Invariant()
		}
		if stronger.always == nil {
			work += s.System.States()
		}
		if work > maxRechecked {
			return list, nil
		}
		found, err := c.violates(ctx, &stronger, *s)
		switch {
		case undecided(err):
		case err != nil:
			return list, err
		case !found:
			text := "the formula would hold even if this were always true"
			if never {
				text = "the formula would hold even if this were never true"
			}
			list = append(list, ir.Warning{Pos: place.pos, Text: text})
		}
	}
	return list, nil
}

// violates reports whether a run of a complete search violates a property that is stronger than one that holds.
func (c *checker) violates(ctx context.Context, t *temporal, s product.Search) (bool, error) {
	if t.always != nil {
		for class := range c.observer.classes() {
			if state, step := t.refuted(c.observer.outcomes(uint32(class))); state || step {
				return true, nil
			}
		}
		return false, nil
	}
	if !s.Surely && t.formula.Safety().String() == t.formula.String() {
		if p, err := s.Prefix(ctx, t.formula); !errors.Is(err, product.ErrNoMonitor) {
			return p != nil, err
		}
	}
	if err := t.assume(&s, t.property.Temporal); err != nil {
		return false, err
	}
	return s.Exists(ctx)
}

// A place is a position in a formula with its atoms: one, or one for each process.
type place struct {
	pos   syntax.Pos
	atoms uint64
}

// formulaPlaces returns the places of state predicates and events, in the order of the text.
func (t *temporal) formulaPlaces() []place {
	var list []place
	add := func(pos syntax.Pos, atom int) {
		i := slices.IndexFunc(list, func(s place) bool { return s.pos == pos })
		if i < 0 {
			i, list = len(list), append(list, place{pos: pos})
		}
		list[i].atoms |= 1 << atom
	}
	for atom, pos := range t.positions {
		if pos.Line > 0 && t.states[atom] != nil {
			add(pos, atom)
		}
	}
	for _, s := range t.steps {
		if s.event != nil {
			add(s.pos, s.atom)
		}
	}
	slices.SortFunc(list, func(a, b place) int { return byPosition(a.pos, b.pos) })
	return list
}

// worst returns the formula with the worst value of the atoms of a place: never true, or always.
func (t *temporal) worst(s place) (f *ltl.Formula, isNever bool) {
	always, never := uint64(0), uint64(0)
	for atom := range ltl.MaxAtoms {
		switch {
		case s.atoms>>atom&1 == 0:
		case occurs(t.formula, atom, true):
			never |= 1 << atom
		default:
			always |= 1 << atom
		}
	}
	return t.formula.Given(always, never), never != 0
}
