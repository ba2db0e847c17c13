package prove

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"ringcheck"
	"ringcheck/explore"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/verify"
)

// Limits of mining: the values of other parameters, and the number and length of the random runs of each small ring.
const (
	othersMined = 3
	minedRuns   = 300
	minedSteps  = 400
)

// Limits of the audit: the states of each small ring in which a property is checked, and those in which patterns are
// looked for; the number and length of the random runs of each large ring.
const (
	mostChecked  = 1 << 16
	mostAudited  = 1 << 10
	auditedRuns  = 3
	auditedSteps = 100
)

// Sizes of rings, above the least.
var (
	smallRings = []int{0, 1, 2, 3}
	largeRings = []int{4, 5, 7, 10}
)

// sizes returns the sizes that the spec has, of the given ones above its least, which is at least 2.
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

// system returns the system of a ring, nil if the spec has none of this size.
func (t *task) system(ctx context.Context, n, others int) (*compile.System, error) {
	p, err := t.protocol(t.settings(n, others, 0))
	if err != nil {
		return nil, nil
	}
	return compile.New(ctx, p, compile.Options{MaxMessages: 64, MaxNat: 1000})
}

// walk calls visit with the states of random runs of a ring, and the atoms that are true there, until it returns an
// error. A fault of the model ends it, too.
func (t *task) walk(
	ctx context.Context, x *translation, n, others, runs, steps int,
	visit func(w *viewer, state []model.Value, atoms []atom) error,
) error {
	sys, err := t.system(ctx, n, others)
	if sys == nil {
		return err
	}
	w, random := newViewer(x, sys), rand.New(rand.NewPCG(1, uint64(n)))
	for range runs {
		state, err := w.begin(random)
		if err != nil {
			return err
		}
		for range steps {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			atoms, err := w.atoms(state)
			if err == nil {
				err = visit(w, state, atoms)
			}
			if err != nil {
				return err
			}
			var next [][]model.Value
			err = model.Each(w.system(), state, func(_ int, _ model.Step, to []model.Value) bool {
				next = append(next, slices.Clone(to))
				return true
			})
			if fault := faulted(err); fault != nil {
				return fault
			}
			if err != nil || len(next) == 0 { // growth beyond a limit of the runs ends one, too
				break
			}
			state = next[random.IntN(len(next))]
		}
	}
	return nil
}

// faulted returns the fault of the model that an error is; nil if it is none, or growth beyond a limit.
func faulted(err error) error {
	if fault := (*model.Fault)(nil); errors.As(err, &fault) && !fault.Growth {
		return fault
	}
	return nil
}

// mine observes the states of small rings.
func (t *task) mine(ctx context.Context, m *miner) error {
	for _, n := range t.sizes(smallRings...) {
		err := t.walk(ctx, m.translation, n, othersMined, minedRuns, minedSteps,
			func(_ *viewer, _ []model.Value, atoms []atom) error {
				m.note(n, atoms)
				return nil
			})
		if err != nil {
			return err
		}
	}
	return nil
}

// audit looks for the patterns of a proof in states of small rings, and in random runs of larger ones, where it also
// evaluates the property. What it finds is an error of this program.
func (t *task) audit(ctx context.Context) error {
	p := t.report.proof
	for _, n := range t.sizes(smallRings[:2]...) { // in the others, random runs were observed to find the patterns
		sys, err := t.system(ctx, n, othersMined)
		if err != nil {
			return err
		}
		if sys == nil {
			continue
		}
		text, _, err := p.explore(ctx, sys, explore.Options{MaxStates: mostAudited})
		if err = cmp.Or(occurs(n, text), err); err != nil {
			return err
		}
	}
	for _, n := range t.sizes(largeRings...) {
		occurring := p.occurring(n)
		err := t.walk(ctx, p.translation, n, n/2, auditedRuns, auditedSteps,
			func(w *viewer, state []model.Value, atoms []atom) error {
				return cmp.Or(occurs(n, occurring(atoms)), t.evaluate(w, state))
			})
		if err != nil {
			return err
		}
	}
	return nil
}

// occurs returns the error that a pattern occurs in a ring of n; nil if its description is "".
func occurs(n int, text string) error {
	if text == "" {
		return nil
	}
	return fmt.Errorf("in a ring of %d, a pattern of the proof occurs: %s", n, text)
}

// evaluate returns an error if an invariant that is proved is false in a state.
func (t *task) evaluate(w *viewer, state []model.Value) error {
	view := w.NewView()
	view.Show(w.plain(state))
	for _, p := range w.Protocol().Properties {
		if p.Name != t.report.Property || p.Kind != ir.Invariant {
			continue
		}
		if v, err := p.Body.Eval(w.Protocol().NewEnv(view)); err != nil || v == 0 {
			return cmp.Or(err, fmt.Errorf("%s is proved, and violated in a ring of %d", p.Name, w.Protocol().N))
		}
	}
	return nil
}

// checkSmall checks a proved property in small rings: it may hold vacuously.
func (t *task) checkSmall(ctx context.Context, spec *ringcheck.Spec) error {
	name := t.report.Property
	for i, n := range t.sizes(smallRings...) {
		values := make(ringcheck.Set)
		for name, text := range t.settings(n, othersMined, 0) {
			values[name] = text
		}
		sys, err := spec.System(values)
		if err != nil {
			continue // the spec has no ring of this size
		}
		r, err := ringcheck.Check(ctx, sys, ringcheck.Options{Properties: []string{name}, MaxStates: mostChecked})
		if err != nil {
			return err
		}
		if fault := faulted(r.Err()); fault != nil {
			return fault
		}
		p := r.Property(name)
		if p.Outcome() == verify.Violated {
			return fmt.Errorf("%s is proved, and violated in a ring of %d", name, n)
		}
		if i < 2 { // in larger rings, fewer properties are vacuous
			t.report.Warnings = p.Warnings
		}
	}
	return nil
}
