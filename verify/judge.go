package verify

import (
	"context"
	"errors"
	"time"

	"ringcheck/explore"
	"ringcheck/internal/effort"
	"ringcheck/model"
	"ringcheck/model/language/ir"
)

// ErrNeedsAll means that deciding a property requires all states and transitions at once.
var ErrNeedsAll = errors.New("deciding it requires all states and transitions at once")

// A Judge decides invariants, terminal and reachable properties in a search by the caller, which may use several
// operating-system processes. The result of Letters for a state is the same in all of them. The warnings are the
// warnings of Check without the warnings of warnHollow.
type Judge struct {
	explore.Observer
	checker *checker
	vacuity []*vacuityCheck
	unseen  []*instance // the instances not seen in some random runs
}

// NewJudge returns a judge that ends with ctx. The error wraps ErrNeedsAll or ErrAsymmetric, or is ctx's.
func NewJudge(ctx context.Context, s Verifier, properties []*ir.Property) (_ *Judge, err error) {
	defer effort.Catch(&err)
	verdicts := make([]Judgment, len(properties))
	for i, p := range properties {
		if !p.Kind.Statewise() {
			return nil, ErrNeedsAll
		}
		verdicts[i] = Judgment{Property: p, Outcome: Holds}
	}
	if err := s.permits(properties); err != nil {
		return nil, err
	}
	j := &Judge{vacuity: s.vacuityChecks(verdicts, true)}
	if err := s.sample(ctx, j.vacuity); err != nil {
		return nil, err
	}
	var more []ir.Expr
	for _, s := range j.vacuity {
		for _, i := range s.unseen() {
			j.unseen, more = append(j.unseen, i), append(more, i.expr)
		}
	}
	if j.checker, err = newChecker(ctx, s, properties, more...); err != nil {
		return nil, err
	}
	j.Observer = j.checker.observer
	return j, nil
}

// Names returns the names of the properties.
func (j *Judge) Names() (names []string) {
	for _, p := range j.checker.properties {
		names = append(names, p.Name)
	}
	return names
}

// Letters returns a letter for each property: T, F, or - if undefined, for the value of its body in the states of a
// class. It also returns the numbers of the instances that hold in these states, refute a warning, and did not hold in
// the random runs.
func (j *Judge) Letters(class uint32) (told string, shown []int) {
	outcomes := j.checker.observer.outcomes(class)
	for i, o := range outcomes[len(j.checker.properties):] {
		if o.err != nil || o.value != 0 {
			shown = append(shown, i)
		}
	}
	return letters(outcomes[:len(j.checker.properties)]), shown
}

func letters(outcomes []outcome) string {
	var told []byte
	for _, o := range outcomes {
		switch {
		case o.err != nil:
			told = append(told, '-')
		case o.value != 0:
			told = append(told, 'T')
		default:
			told = append(told, 'F')
		}
	}
	return string(told)
}

// Breaks reports whether states with these letters violate an invariant or, if quiescent, a terminal property.
func (j *Judge) Breaks(told string, quiescent bool) bool {
	for i, p := range j.checker.properties {
		about := p.Kind.Safety() && p.Kind.Concerns(quiescent)
		if about && i < len(told) && told[i] == 'F' {
			return true
		}
	}
	return false
}

// A ClassObservation is the observation of all states with the same result of Judge.Letters.
type ClassObservation struct {
	Letters string
	explore.Observation
}

// Report returns the verdicts after a search. It evaluates the properties again, by the semantics, in the states that
// decide, and returns an error if the letters differ.
func (j *Judge) Report(
	ctx context.Context, result *explore.Result, observed []ClassObservation, shown []int,
) (*Result, error) {
	j.checker.begin = time.Now().Add(-result.Elapsed)
	var failed error
	r := j.checker.judge(result, func(yield func(*explore.Observation, []outcome) bool) {
		for i := range observed {
			o := &observed[i]
			outcomes := j.evaluate(ctx, o.All.State)
			if letters(outcomes) != o.Letters {
				failed = errors.New("the reported values of a state are wrong")
				return
			}
			if !yield(&o.Observation, outcomes) {
				return
			}
		}
	})
	if failed != nil {
		return nil, failed
	}
	for _, i := range shown {
		if i < 0 || i >= len(j.unseen) {
			return nil, errors.New("a value was reported that was not requested")
		}
		j.unseen[i].seen.Store(true)
	}
	for i := range r.Judgments {
		v := &r.Judgments[i]
		r.warnPlainly(v)
		if result.Complete() {
			j.vacuity[i].verdict = v
			v.warn(j.vacuity[i].candidates(false))
		}
	}
	return r, nil
}

// evaluate returns the values of the bodies of the properties in a state of the searched system.
func (j *Judge) evaluate(ctx context.Context, state []model.Value) (outcomes []outcome) {
	sys := j.checker.verifier.System
	view := sys.NewView()
	env := sys.Protocol().NewEnv(view)
	env.Tick = (&effort.Effort{Context: ctx}).Tick
	view.Show(j.checker.verifier.decode(state))
	for _, p := range j.checker.properties {
		v, err := p.Body.Eval(env)
		outcomes = append(outcomes, outcome{v, err})
	}
	return outcomes
}

// First returns the judgment of a result whose violation should be shown, nil without a violation; and the state of the
// searched system that violates it, nil if no single one does.
func (r *Result) First() (*Judgment, []model.Value) {
	v := r.shortest()
	if v == nil {
		return nil, nil
	}
	return v, v.searched
}

// Run returns the run of the protocol for a run of the searched system, which ends in the state of a verdict.
func (s Verifier) Run(v *Judgment, states [][]model.Value) (*Run, error) {
	moves := []model.Move{{State: states[0]}}
	for i, state := range states[1:] {
		step, err := explore.StepBetween(s.searched(), states[i], state, func(model.Step) bool { return true })
		if err != nil {
			return nil, err
		}
		moves = append(moves, model.Move{Step: step, State: state})
	}
	moves, err := s.lift(moves, v.State)
	return &Run{Property: v.Property, Moves: moves}, err
}
