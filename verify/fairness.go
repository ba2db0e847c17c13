package verify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ringcheck/explore"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/model/ltl"
	"ringcheck/verify/product"
)

// assume makes a search look for runs that violate the property under the assumptions. Without draws, a scheduler
// decides everything: it has one run, with probability one. So each assumption about chance is one about all runs
// (docs/properties.md).
func (t *temporal) assume(s *product.Search, assumed *ir.Temporal) error {
	s.Automaton = ltl.Translate(t.violation())
	draws := hasDraws(s.System.Kinds())
	s.Chances, s.Surely = draws && assumed.Chance != ir.AllRuns, draws && assumed.Chance == ir.PositiveProbability
	switch {
	case s.Automaton == nil:
	case s.Surely:
		s.Automaton = s.Automaton.Suitable()
	case s.Chances:
		s.Automaton = s.Automaton.LimitDeterministic()
	}
	if s.Automaton == nil {
		return t.refuse("the automaton of its negation is too large")
	}
	s.Actions = nil
	for i := range assumed.Fair {
		first := len(s.Actions)
		for _, a := range t.actions(&assumed.Fair[i]) {
			a.Sort += first
			s.Actions = append(s.Actions, a)
		}
	}
	if len(s.Actions) > product.MaxActions {
		return t.refuse(fmt.Sprintf("there are more than %d actions to be fair to", product.MaxActions))
	}
	return nil
}

func (t *temporal) refuse(why string) error {
	return fmt.Errorf("%s: property %s: %w: %s", t.property.Pos, t.property.Name, ErrTemporal, why)
}

// actions returns the actions of a fairness clause: one for each process, or the actions that it names.
func (t *temporal) actions(f *ir.FairClause) []product.Action {
	var list []product.Action
	for process := range t.protocol.N {
		sorts := 0
		add := func(at int, action string) { // all steps of the process if action is ""
			is := func(k product.Kind) bool {
				return action == "" && takes(process, k) || action != "" && takesAction(process, action, k)
			}
			list = append(list, product.Action{Strong: f.Strongly, At: at, Is: is, Process: process, Sort: sorts})
			sorts++
		}
		if len(f.Names) == 0 {
			add(-1, "")
		}
		for _, eq := range f.Equations {
			add(t.locationAtoms[location{process, eq}], "")
		}
		for _, e := range f.Events {
			add(-1, actionOf(e))
		}
		for _, m := range f.Messages {
			add(-1, sendAction+m.Name)
			add(-1, receiveAction+m.Name)
		}
	}
	return list
}

// why describes a lasso: which process is starved, and which further assumption would make the property hold. For a
// quotient or a reduced system it does not name processes.
func (c *checker) why(ctx context.Context, v *Judgment, t *temporal, s *product.Search, g *graph) ([]string, error) {
	var lines []string
	l := v.Lasso
	most := strongly
	switch {
	case l.Cycle == 0:
		ends, err := l.ends(g)
		if err != nil {
			return nil, err
		}
		lines = append(lines, ends)
	case s.Surely:
		lines = append(lines, "a scheduler can violate the property with probability one")
	case s.Chances:
		lines = append(lines, "from the cycle on, a scheduler can violate the property with probability one")
	}
	switch {
	case l.Cycle > 0 && c.verifier.quotient() && l.moves == nil:
		lines = append(lines, "after the cycle the state is the same up to a rotation")
		most = 0
	case c.verifier.Unreduce != nil:
		most = 0
	case l.Cycle > 0:
		cycle, err := c.cycle(g, l)
		if err != nil {
			return nil, err
		}
		starved, err := describeStarved(c.verifier.System, cycle)
		if err != nil {
			return nil, err
		}
		lines = append(lines, starved...)
	}
	if v.EvalError != nil { // no assumption makes the property hold
		return lines, nil
	}
	remedy := t.remedy
	if !c.verifier.Diagnose && s.System.States() > maxDiagnosed {
		remedy = t.nearRemedy
	}
	more, err := remedy(ctx, s, l.lasso, t.assumptions(hasDraws(g.kinds), most))
	return append(lines, more...), err
}

// cycle returns the moves of the cycle of a lasso.
func (c *checker) cycle(g *graph, l *Lasso) ([]explore.Move, error) {
	if l.moves != nil {
		return l.moves[l.Stem:], nil
	}
	return c.moves(g, l.lasso.Cycle[0].From, l.lasso.Cycle)
}

// ends says why a run can end in the state of a lasso without a cycle.
func (l *Lasso) ends(sys *graph) (why string, err error) {
	err = sys.Expand([]uint64{l.lasso.Cycle[0].From}, func(v *explore.Vertex) {
		why = "the run ends: no transition is enabled"
		if len(v.To) > 1 {
			why = "the run ends: only environment steps are enabled"
		}
	})
	return why, err
}

// remedy finds the weakest in a list of assumptions about runs, sorted by strength, under which a violated property
// would hold, and returns a sentence about it, or that the property is violated even under the strongest. base is the
// search that found the lasso. If no assumption in the list helps, remedy tries positive probability.
func (t *temporal) remedy(
	ctx context.Context, base *product.Search, lasso *product.Lasso, list []*ir.Temporal,
) ([]string, error) {
	if len(list) == 0 {
		return nil, nil
	}
	strongest := list[len(list)-1]
	if strongest.Chance == ir.ProbabilityOne {
		list = append(list, &ir.Temporal{Fair: strongest.Fair, Chance: ir.PositiveProbability})
	}
	unknown := false
	for _, a := range list {
		switch helps, err := t.helps(ctx, base, lasso, a, (*product.Search).Exists); {
		case undecided(err):
			unknown = true // the property may hold under this assumption
		case err != nil:
			return nil, err
		case helps:
			return []string{"it holds " + Assuming(a)}, nil
		}
	}
	if unknown {
		return nil, nil
	}
	return []string{"it is violated " + even(strongest)}, nil
}

// maxDiagnosed is the number of states beyond which it takes Verifier.Diagnose to search all of them for violations
// under other assumptions.
const maxDiagnosed = 1 << 18

// nearRemedy is remedy without a search of the whole system. The property may hold under an assumption if neither the
// lasso nor a lasso near the initial states refutes that. nearRemedy does not try positive probability.
func (t *temporal) nearRemedy(
	ctx context.Context, base *product.Search, lasso *product.Lasso, list []*ir.Temporal,
) ([]string, error) {
	var open *ir.Temporal // the weakest assumption that is not refuted
	for i, a := range slices.Backward(list) {
		switch helps, err := t.helps(ctx, base, lasso, a, (*product.Search).ExistsNearby); {
		case err != nil && !undecided(err):
			return nil, err
		case helps || err != nil:
			open = a
		case i == len(list)-1:
			return []string{"it is violated " + even(a)}, nil
		}
	}
	if open == nil {
		return nil, nil
	}
	return []string{"it may hold " + Assuming(open) + ": --diagnose decides that"}, nil
}

// whyPrefix says that no further assumption makes a property hold that a finite run violates: the run is the beginning
// of a fair one, and its probability is positive. It does not try positive probability, which takes a search of the
// whole system.
func (c *checker) whyPrefix(t *temporal, draws bool) []string {
	most := strongly
	if c.verifier.quotient() && c.verifier.permutations() == nil || c.verifier.Unreduce != nil {
		most = 0
	}
	list := t.assumptions(draws, most)
	if len(list) == 0 {
		return nil
	}
	return []string{"it is violated " + even(list[len(list)-1])}
}

// helps reports whether the property would hold under an assumption. If the known lasso does not refute that, exists
// searches for another one.
func (t *temporal) helps(
	ctx context.Context, base *product.Search, lasso *product.Lasso, a *ir.Temporal,
	exists func(*product.Search, context.Context) (bool, error),
) (bool, error) {
	other := *base
	if err := t.assume(&other, a); err != nil {
		return false, err
	}
	// A finite run has a positive probability, since it has finitely many draws.
	if ends := lasso.Cycle[0].Kind.Action == product.Over; !other.Chances || ends && !other.Surely {
		if fair, err := other.Fair(lasso); err != nil || fair {
			return false, err
		}
	}
	found, err := exists(&other, ctx)
	return !found, err
}

// undecided reports whether an error means that a property cannot be decided, or not within the memory budget.
func undecided(err error) bool {
	return errors.Is(err, ErrTemporal) || errors.Is(err, product.ErrTooLarge) || errors.Is(err, explore.ErrMemory)
}

// Assuming returns the assumption about runs as text: "if runs are fair", "with probability one".
func Assuming(t *ir.Temporal) string {
	if len(t.Fair) == 0 {
		return t.String()
	}
	return "if runs are " + t.String()
}

// The levels of fairness of runs to all processes; 0 means no fairness.
const (
	weakly   = 1
	strongly = 2
)

// level returns the level of fairness to all processes that clauses require.
func level(list []ir.FairClause) int {
	level := 0
	for i := range list {
		switch {
		case len(list[i].Names) > 0:
		case list[i].Strongly:
			level = strongly
		default:
			level = max(level, weakly)
		}
	}
	return level
}

// assumptions returns the additional assumptions to try, the weakest first: fairness to all processes, up to the level
// most, and chance if there are draws.
func (t *temporal) assumptions(draws bool, most int) []*ir.Temporal {
	given := t.property.Temporal
	var list []*ir.Temporal
	for chance := given.Chance; chance <= max(given.Chance, ir.ProbabilityOne); chance++ {
		if chance > given.Chance && !draws {
			break
		}
		for fair := level(given.Fair); fair <= max(most, level(given.Fair)); fair++ {
			a := &ir.Temporal{Fair: slices.Clone(given.Fair), Chance: chance}
			if fair > level(given.Fair) {
				a.Fair = slices.DeleteFunc(a.Fair, func(f ir.FairClause) bool { return len(f.Names) == 0 })
				a.Fair = append(a.Fair, ir.FairClause{Strongly: fair == strongly})
			}
			if chance != given.Chance || fair > level(given.Fair) {
				list = append(list, a)
			}
		}
	}
	return list
}

// describeStarved returns sentences about the processes that never act on a cycle although they can always or
// repeatedly act. The first move has the first state of the cycle.
func describeStarved(sys *compile.System, cycle []explore.Move) ([]string, error) {
	on, err := loopOf(sys, cycle)
	if err != nil {
		return nil, err
	}
	for _, strong := range []bool{false, true} {
		var list []int
		for p := range sys.Protocol().N {
			is := func(k product.Kind) bool { return takes(p, k) }
			if on.unfair(product.Action{Strong: strong, Is: is, At: -1}) {
				list = append(list, p)
			}
		}
		if len(list) > 0 {
			when := map[bool]string{false: "all the time", true: "again and again"}[strong]
			return []string{fmt.Sprintf("%s could act %s and never does", processes(list), when)}, nil
		}
	}
	return nil, nil
}

// A loop is the cycle of a lasso: by state, the enabled actions, the action taken, and the atoms that are true.
type loop struct {
	enabled [][]product.Kind
	actions []product.Kind
	letters []uint64 // only for actions with an atom
}

// loopOf returns the loop of a cycle, without letters. The first move has the first state.
func loopOf(sys model.System, cycle []explore.Move) (*loop, error) {
	on := &loop{}
	for i, m := range cycle[1:] {
		var enabled []product.Kind
		err := model.Each(sys, cycle[i].State, func(_ int, step model.Step, _ []model.Value) bool {
			enabled = append(enabled, kindOf(sys.Label(step.Label)))
			return true
		})
		if err != nil {
			return nil, err
		}
		on.enabled, on.actions = append(on.enabled, enabled), append(on.actions, kindOf(sys.Label(m.Step.Label)))
	}
	return on, nil
}

// unfair reports whether an action is never taken though it is enabled in all states or, with strong fairness, in one.
func (l *loop) unfair(a product.Action) bool {
	enabled := 0
	for i, kinds := range l.enabled {
		if a.At >= 0 && l.letters[i]>>a.At&1 == 0 {
			continue
		}
		if a.Is(l.actions[i]) {
			return false
		}
		if slices.ContainsFunc(kinds, a.Is) {
			enabled++
		}
	}
	return enabled > 0 && (a.Strong || enabled == len(l.enabled))
}

// processes returns "process 1" or "each of processes 1, 2".
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

// even returns the sentence that a property is violated even under an assumption.
func even(t *ir.Temporal) string {
	var parts []string
	if len(t.Fair) > 0 {
		parts = append(parts, "even if runs are "+(&ir.Temporal{Fair: t.Fair}).String())
	}
	switch t.Chance {
	case ir.ProbabilityOne:
		parts = append(parts, "with positive probability")
	case ir.PositiveProbability:
		parts = append(parts, "by some scheduler with probability one")
	case ir.AllRuns:
	}
	return strings.Join(parts, ", and ")
}
