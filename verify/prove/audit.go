package prove

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"ringcheck/explore"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/reduce"
	"ringcheck/verify"
)

// Limits of mining: the values of other parameters, the number and length of the random runs of each small ring, and,
// in a ring with few states, the number of runs without a new state after which there are no more.
const (
	othersMined = 3
	minedRuns   = 300
	minedSteps  = 400
	idleRuns    = 20
	fewStates   = 2000
)

// Limits of the audit: the states of each small ring in which a property is checked, and those in which patterns are
// looked for; the number and length of the random runs of each ring, and how often the states of a run are mixed.
const (
	mostChecked  = 1 << 16
	mostAudited  = 1 << 10
	auditedRuns  = 2
	auditedSteps = 400
	mixedStates  = 100
)

// Sizes of rings, minus the least size of the spec.
var (
	smallRings = []int{0, 1, 2, 3}
	largeRings = []int{4, 5, 7, 18}
)

// sizes returns sizes of rings, given minus the least size. It omits sizes that the spec does not permit. The least
// size is at least 2.
func (t *task) sizes(above ...int) (sizes []int) {
	for _, p := range t.spec.Params {
		if p.Name != t.depends.Size {
			continue
		}
		lo, _ := strconv.Atoi(p.Lo)
		hi, err := strconv.Atoi(p.Hi)
		for _, i := range above {
			if n := max(2, lo) + i; n <= hi || err != nil {
				sizes = append(sizes, n)
			}
		}
	}
	return sizes
}

// eachRing calls visit with the systems of rings of some sizes, with settings for each, until visit returns an error.
// It skips a size if the spec has no instance with these settings.
func (t *task) eachRing(ctx context.Context, sizes []int, settings func(n int) map[string]string,
	visit func(sys *compile.System) error) error {
	for _, n := range sizes {
		p, err := t.protocol(settings(n))
		if err != nil {
			continue
		}
		sys, err := compile.New(ctx, p, compile.Options{MaxMessages: 64, MaxNat: 1000})
		if err == nil {
			err = visit(sys)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// miningSettings returns the settings for a small ring of n.
func (t *task) miningSettings(n int) map[string]string { return t.settings(n, othersMined, 0) }

// walk calls visit with the states of a random run, and the atoms that are true there, until it returns an error. A
// model error ends it, too.
func (w *abstractor) walk(
	ctx context.Context, steps int, random *rand.Rand, visit func(state []model.Value, atoms []atom) error,
) error {
	state, err := w.randomInitial(random)
	if err != nil {
		return err
	}
	for range steps {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		atoms, err := w.atoms(state)
		if err == nil {
			err = visit(state, atoms)
		}
		if err != nil {
			return err
		}
		var next [][]model.Value
		err = model.Each(w.system(), state, func(_ int, _ model.Step, to []model.Value) bool {
			next = append(next, slices.Clone(to))
			return true
		})
		if failure := asModelError(err); failure != nil {
			return failure
		}
		if err != nil || len(next) == 0 { // growth beyond a limit ends a run, too
			return nil
		}
		state = next[random.IntN(len(next))]
	}
	return nil
}

// asModelError returns an error if it is a model error, but not growth beyond a limit; else nil.
func asModelError(err error) error {
	if modelError := (*model.Error)(nil); errors.As(err, &modelError) && !modelError.Growth {
		return modelError
	}
	return nil
}

// mine observes the states of small rings.
func (t *task) mine(ctx context.Context, m *miner) error {
	return t.mineRuns(ctx, m, minedRuns, minedSteps)
}

// mineRuns observes the states of random runs of each small ring. It bounds the number of runs and of their steps.
func (t *task) mineRuns(ctx context.Context, m *miner, runs, steps int) error {
	return t.eachRing(ctx, t.sizes(smallRings...), t.miningSettings, func(sys *compile.System) error {
		n := sys.Protocol().N
		w, random := newAbstractor(m.translation, sys), rand.New(rand.NewPCG(1, uint64(n)))
		seen, idle := make(map[string]bool), 0
		for run := 0; run < runs && idle < idleRuns; run++ {
			idle++
			err := w.walk(ctx, steps, random, func(state []model.Value, atoms []atom) error {
				key := keyOfState(state)
				if len(seen) >= fewStates || !seen[key] {
					idle = 0
					m.observe(n, atoms)
				}
				if len(seen) < fewStates {
					seen[key] = true
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// keyOfState returns a string that is different for each state of a system.
func keyOfState(state []model.Value) string {
	var key []byte
	for _, v := range state {
		key = binary.AppendUvarint(key, uint64(v))
	}
	return string(key)
}

// audit looks for the patterns of a proof in states of small rings and in random runs, where it also compares the rules
// and the property with the semantics. An error is a bug of this program.
func (t *task) audit(ctx context.Context) error {
	p := t.report.proof
	// In larger rings, random runs find the patterns, in experience.
	err := t.eachRing(ctx, t.sizes(smallRings[:2]...), t.miningSettings, func(sys *compile.System) error {
		text, _, err := p.explore(ctx, sys, explore.Options{MaxStates: mostAudited})
		return cmp.Or(occursError(sys.Protocol().N, text), err)
	})
	random := rand.New(rand.NewPCG(1, 0))
	drawn := func(n int) map[string]string { return t.randomSettings(n, random) }
	compare := func(sys *compile.System) error { return t.auditRun(ctx, newValidator(p.translation, sys), random) }
	for run := 0; run < auditedRuns && err == nil; run++ {
		err = t.eachRing(ctx, t.sizes(slices.Concat(smallRings, largeRings)...), drawn, compare)
	}
	return err
}

// randomSettings returns settings for a ring of n with random values of other parameters.
func (t *task) randomSettings(n int, random *rand.Rand) map[string]string {
	values := t.settings(n, n, 0)
	for _, p := range t.spec.Params {
		if p.Name != t.depends.Size {
			values[p.Name] = t.settings(n, 1+random.IntN(n+1), 0)[p.Name]
		}
	}
	return values
}

// auditRun looks for the patterns of a proof in a random run, and evaluates the property. It mixes the states of the
// run: in the resulting states, which may be unreachable, each transition must be a step of a rule, and the property
// must hold unless one of the goals occurs.
func (t *task) auditRun(ctx context.Context, v *validator, random *rand.Rand) error {
	p, n := t.report.proof, v.ring.n
	occurring, forbidden := p.patternFinder(p.patterns, n), p.patternFinder(p.goals, n)
	property, err := t.property(v.Protocol())
	if err != nil {
		return err
	}
	var run [][]model.Value
	err = v.walk(ctx, auditedSteps, random, func(state []model.Value, atoms []atom) error {
		if run = append(run, state); len(run) == 1 {
			if err := v.validateInitial(atoms); err != nil {
				return err
			}
		}
		if violated, err := v.violates(state, property); violated || err != nil {
			return cmp.Or(err, fmt.Errorf("%s is proved, and violated in a ring of %d", property.Name, n))
		}
		return occursError(n, occurring(atoms))
	})
	for range mixedStates {
		if err = cmp.Or(err, context.Cause(ctx)); err != nil {
			return err
		}
		state := v.mix(run, random)
		atoms, failed := v.atoms(state)
		err = cmp.Or(failed, v.validate(state))
		if violated, undefined := v.violates(state, property); violated && undefined == nil && forbidden(atoms) == "" {
			err = cmp.Or(err, fmt.Errorf("in a ring of %d, a state violates %s "+
				"but has none of the patterns that it forbids: %v", n, property.Name, atoms))
		}
	}
	return err
}

// occursError returns the error that a pattern occurs in a ring of n; nil if its description is "".
func occursError(n int, text string) error {
	if text == "" {
		return nil
	}
	return fmt.Errorf("in a ring of %d, a pattern of the proof occurs: %s", n, text)
}

// violates reports whether a state violates an invariant or a terminal property.
func (w *abstractor) violates(state []model.Value, p *ir.Property) (bool, error) {
	state = w.withoutHistory(state)
	if p.Kind.OfEnds() {
		acts := false
		err := model.Each(w.System, state, func(int, model.Step, []model.Value) bool { acts = true; return false })
		if acts || err != nil {
			return false, err
		}
	}
	view := w.NewView()
	view.Show(state)
	v, err := p.Body.Eval(w.Protocol().NewEnv(view))
	return v == 0, err
}

// checkSmall checks a proved property in small rings: it may hold vacuously.
func (t *task) checkSmall(ctx context.Context, spec *reduce.Spec) error {
	name := t.report.Property
	for i, n := range t.sizes(smallRings...) {
		values := make(reduce.Set)
		for name, text := range t.miningSettings(n) {
			values[name] = text
		}
		sys, err := spec.System(values)
		if err != nil {
			continue // the spec has no ring of this size
		}
		v, err := checkProperty(ctx, sys, name)
		switch {
		case err != nil:
			return err
		case v.Outcome == verify.Violated:
			return fmt.Errorf("%s is proved, and violated in a ring of %d", name, n)
		case i < 2: // in larger rings, fewer properties are vacuous
			t.report.Warnings = ir.Warnings(v.Warnings)
		}
	}
	return nil
}

// checkProperty checks a property of a small ring by exploration. The error may be a *model.Error.
func checkProperty(ctx context.Context, sys *reduce.System, name string) (*verify.Judgment, error) {
	s, err := reduce.NewSubject(sys, reduce.Search{MaxStates: mostChecked})
	if err == nil {
		err = s.Choose([]string{name}, "")
	}
	if err == nil {
		err = s.Prepare(ctx)
	}
	if err != nil {
		return nil, err
	}
	r, err := verify.For(s).Check(ctx, s.ChosenProperties, s.Search.ExploreOptions())
	if err != nil {
		return nil, err
	}
	ending := r.Search.Ending()
	if failure := asModelError(ending.Err()); failure != nil {
		return nil, failure
	}
	return &r.Judgments[0], nil
}
