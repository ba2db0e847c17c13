package equivalence

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ringcheck/bisim/lts"
	"ringcheck/bisim/refinement"
	"ringcheck/explore"
	"ringcheck/model"
	"ringcheck/reduce"
	"ringcheck/view"
)

// A Model is a kind of behaviour that one system must not have unless another one has it, see package refinement. "" is
// WeakTrace.
type Model string

// The models.
const (
	WeakTrace           Model = "weak-trace"
	Trace               Model = "trace"
	Failures            Model = "failures"
	FailuresDivergences Model = "failures-divergences"
)

// Models returns the models, the default first.
func Models() []string { return refinement.Names() }

// suits returns an error unless the model exists and the reduction preserves it.
func (m Model) suits(opt *reduce.Search) error {
	err := reduce.OneOf("model", string(m), Models())
	if err == nil && opt.Reduction != reduce.NoReduction && m != WeakTrace {
		err = model.Refuse("reduce", string(opt.Reduction), "it preserves weak traces, not %s", m.noun())
	}
	return err
}

// noun names what is compared.
func (m Model) noun() string {
	return map[Model]string{WeakTrace: "weak traces", Trace: "traces", Failures: "failures",
		FailuresDivergences: "failures and divergences"}[m]
}

// A RefinementReport is the report of Refines.
type RefinementReport struct {
	Refines *bool `json:"refines,omitempty"` // nil if not complete
	Model   Model `json:"model"`
	explore.Ending
	*Violation        // nil if A refines B
	Vacuous    string `json:"vacuous,omitempty"` // why A refines B whatever they are for
	Note       string `json:"note,omitempty"`    // about labels, if it does not
	Pairs      uint64 `json:"pairs"`             // states of A with a set of states of B that were compared
	Sets       uint64 `json:"sets"`              // of states of B
	A          *Graph `json:"a,omitempty"`       // with the sizes of what was asked for
	B          *Graph `json:"b,omitempty"`
	explore.Cost
}

// A Violation is a behaviour of one system that the other one does not have.
type Violation struct {
	Kind  ViolationKind `json:"kind"`
	Trace []string      `json:"trace"` // a shortest one; with the label that is not permitted
	// Of a failure: the labels that are possible after the trace, and some that are not, though they always are in the
	// other system, or it comes to rest never. Nil for other kinds.
	Offer   []string `json:"offer,omitzero"`
	Refusal []string `json:"refusal,omitzero"`

	Run *view.Run `json:"-"` // that shows it, replayed; nil if RunCut says why not
	// RunCut is "" if there is a run, or none was asked for.
	RunCut string `json:"run_cut,omitempty"`
}

// ViolationKind is the kind of a violation.
type ViolationKind string

// The kinds of violation.
const (
	ExcessTrace      ViolationKind = "trace"      // the other system does not have the trace
	ExcessFailure    ViolationKind = "failure"    // it does not refuse the labels after the trace
	ExcessDivergence ViolationKind = "divergence" // it does not diverge after the trace
)

// Refines decides whether a system does nothing, in a model, that another one does not. Neither is generated before:
// only what traces of A lead to is asked of B. opt.Explain is NoExplanation for no run. A search that ends early is not
// an error: see RefinementReport.Err. The error is a *model.RequestError, or says why the work could not begin.
func Refines(ctx context.Context, a, b *reduce.System, m Model, opt Comparison) (*RefinementReport, error) {
	began := time.Now()
	m = cmp.Or(m, WeakTrace)
	opt.A.Search, opt.B.Search = opt.A.Normal(), opt.B.Normal()
	explain := reduce.OneOf("explain", string(opt.Explain), Explanations())
	err := cmp.Or(opt.A.Stepwise(), opt.B.Stepwise(), m.suits(&opt.A.Search), m.suits(&opt.B.Search), explain)
	if err != nil {
		return nil, err
	}
	r := &RefinementReport{Model: m}
	p, err := openPair(ctx, a, b, m, &opt)
	r.Ending, r.A, r.B = p.ending, p.a.result(), p.b.result()
	if err == nil && r.Complete {
		err = r.decide(ctx, p)
	}
	p.close()
	r.Cost = explore.CostSince(began)
	if err != nil {
		return nil, err
	}
	return r, nil
}

func (r *RefinementReport) decide(ctx context.Context, p *pair) error {
	result, err := p.check(ctx, false)
	if r.Ending = p.ending; err != nil {
		return err
	}
	r.Pairs, r.Sets = result.Pairs, result.Sets
	if !r.Complete {
		return nil
	}
	r.Refines = &result.Refines
	switch {
	case result.Refines:
		r.Vacuous = vacuity(result)
		return nil
	case !result.Common && result.Difference.Kind == refinement.Excess && result.Visible:
		r.Note = "no visible label is common to what was met of A and of B: their names may differ"
	}
	r.Violation, err = p.violation(ctx, result, false)
	return err
}

// vacuity says why a system refines another one whatever they are for, "" if it does not.
func vacuity(r *refinement.Result) string {
	switch {
	case r.Void:
		return "B can diverge before it does anything visible, and after that everything is permitted"
	case !r.Visible:
		return "A has no visible label"
	}
	return ""
}

// A pair is two systems that are compared state by state.
type pair struct {
	model  refinement.Model
	opt    *Comparison
	a, b   *side
	meter  *explore.ProgressMeter
	began  time.Time
	ending explore.Ending
}

// openPair opens two systems. If one of them ends early, the ending says so. The caller closes the pair, also after an
// error.
func openPair(ctx context.Context, a, b *reduce.System, m Model, opt *Comparison) (p *pair, err error) {
	p = &pair{opt: opt, meter: explore.NewProgressMeter(opt.A.Progress, opt.A.ProgressEvery), began: time.Now()}
	if p.model, err = refinement.Parse(string(m)); err != nil {
		return p, err
	}
	alphabet := refinement.NewAlphabet()
	opt.A.Logf("A: %s", a.Name)
	if p.a, err = open(ctx, a, &opt.A, alphabet); err != nil {
		return p, err
	}
	if p.ending = p.a.graph.Ending; !p.ending.Complete {
		return p, nil
	}
	opt.B.Logf("B: %s", b.Name)
	if p.b, err = open(ctx, b, &opt.B, alphabet); err != nil {
		return p, err
	}
	p.ending = p.b.graph.Ending
	return p, nil
}

func (p *pair) close() {
	p.a.close()
	p.b.close()
}

// result returns the graph of a side, nil if it was not opened.
func (s *side) result() *Graph {
	if s == nil {
		return nil
	}
	return s.graph
}

// of returns the implementation and the specification: A and B, or B and A if they are swapped.
func (p *pair) of(swapped bool) (a, b *side) {
	if swapped {
		return p.b, p.a
	}
	return p.a, p.b
}

// check decides whether A refines B or, if they are swapped, B refines A. The ending says whether it is known.
func (p *pair) check(ctx context.Context, swapped bool) (*refinement.Result, error) {
	a, b := p.of(swapped)
	result, err := refinement.Check(ctx, a, b, p.model, refinement.Options{
		Memory: p.opt.A.Budget(), Progress: p.progress,
	})
	switch {
	case err == nil || errors.Is(err, model.ErrInvalid):
	case a.stop(&p.ending) || b.stop(&p.ending):
		err = nil
	default:
		err = p.ending.Stop(ctx, err)
	}
	return result, cmp.Or(err, a.permits(), b.permits())
}

// permits returns an error if a visible label makes the reduction unsound.
func (s *side) permits() error {
	kind := reduce.NoSymmetry
	if s.subject != nil {
		kind = s.subject.Search.Symmetry
	}
	return s.options.permits(s.labels.private, kind)
}

// progress reports the progress of a search.
func (p *pair) progress(now refinement.Progress) {
	if elapsed := time.Since(p.began); p.meter.Due(elapsed) {
		p.meter.ReportSearch(explore.SearchProgress{
			Level: now.Level, Frontier: uint64(now.Frontier), States: now.Pairs, Transitions: p.transitions(),
			Bytes: now.Bytes, Time: elapsed,
		})
	}
}

// transitions returns the number of transitions that were asked for.
func (p *pair) transitions() (n uint64) {
	for _, s := range []*side{p.a, p.b} {
		if s.fragment != nil {
			n += s.fragment.Result().Transitions
		}
	}
	return n
}

// violation returns the difference that a check has found, with a run that shows it.
func (p *pair) violation(ctx context.Context, result *refinement.Result, swapped bool) (*Violation, error) {
	a, b := p.of(swapped)
	d := result.Difference
	v := &Violation{Trace: a.alphabet.Texts(d.Trace), Kind: ExcessTrace}
	switch d.Kind {
	case refinement.Excess:
	case refinement.Refusal:
		v.Kind, v.Offer, v.Refusal = ExcessFailure, a.alphabet.Texts(d.Offer), a.alphabet.Texts(d.Refusal)
		slices.Sort(v.Offer)
		slices.Sort(v.Refusal)
	case refinement.Divergence:
		v.Kind = ExcessDivergence
	}
	if p.opt.Explain == NoExplanation {
		return v, nil
	}
	var err error
	v.Run, v.RunCut, err = a.run(ctx, d, v.finding(b.graph.Title()))
	if err != nil && ctx.Err() != nil {
		v.Run, v.RunCut, err = nil, cutBy(ctx, err), nil
	}
	return v, err
}

// finding says in a sentence what the run of a violation shows.
func (v *Violation) finding(other string) string {
	switch {
	case v.Kind == ExcessTrace:
		last := v.Trace[len(v.Trace)-1]
		if last == lts.TauName {
			last = "τ"
		}
		return fmt.Sprintf("%s cannot do the last visible step, %s, after the visible steps before it", other, last)
	case v.Kind == ExcessDivergence:
		return fmt.Sprintf("internal steps can follow for ever, which is not so in %s after these visible steps", other)
	case len(v.Refusal) == 0:
		return fmt.Sprintf("the last state has no internal step; %s is never in such a state after these visible steps",
			other)
	}
	return fmt.Sprintf("the last state refuses %s; %s, without an internal step, does not refuse that after these "+
		"visible steps", strings.Join(v.Refusal, ", "), other)
}
