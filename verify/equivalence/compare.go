package equivalence

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"ringcheck/bisim"
	"ringcheck/bisim/lts"
	"ringcheck/bisim/refinement"
	"ringcheck/explore"
	"ringcheck/model"
	"ringcheck/reduce"
)

// An Explanation is the way in which Compare explains a difference. "" is ByFormula.
type Explanation string

// The explanations.
const (
	ByFormula     Explanation = "formula" // a formula and, where there is one, a trace
	ByTrace       Explanation = "trace"   // a trace that only one of the systems can do
	NoExplanation Explanation = "none"
)

// Explanations returns the explanations, the default first.
func Explanations() []string {
	return []string{string(ByFormula), string(ByTrace), string(NoExplanation)}
}

// A CompareReport is the report of Compare.
type CompareReport struct {
	Equivalent  *bool       `json:"equivalent,omitempty"` // nil if not complete
	Equivalence Equivalence `json:"equivalence"`
	explore.Ending
	Formula string   `json:"formula,omitempty"`  // true in A and false in B
	Trace   []string `json:"trace,omitzero"`     // of only one of them, if traces differ
	TraceOf string   `json:"trace_of,omitempty"` // which: "a" or "b"
	// By a Model: what the system of the trace does, see Violation.
	Kind    ViolationKind `json:"kind,omitempty"`
	Offer   []string      `json:"offer,omitzero"`
	Refusal []string      `json:"refusal,omitzero"`
	Cut     string        `json:"explanation_cut,omitempty"` // why there is neither
	A       *Graph        `json:"a,omitempty"`
	B       *Graph        `json:"b,omitempty"`
	explore.Cost

	Why *bisim.Difference `json:"-"` // nil if they are equivalent or Explain is NoExplanation
	// Violation is not nil if a Model says that they are not equivalent.
	Violation *Violation `json:"-"`
}

// A Comparison selects what to compare in two systems, and how to explain a difference.
type Comparison struct {
	A, B GraphOptions
	// Explain says how a difference is explained, and ExplainWithin limits the time for that; 0 means 5 s.
	Explain       Explanation
	ExplainWithin time.Duration
}

// Comparisons returns the equivalences by which Compare compares, the default first: bisimilarities, and models, by
// which two systems are equivalent if each refines the other.
func Comparisons() []string {
	return append([]string{string(Branching), string(Strong), string(Divergence)}, Models()...)
}

// Compare decides whether two systems are equivalent, and explains a difference. By a model it generates neither, as
// Refines. A search that ends early is not an error: see CompareReport.Err. The error is a *model.RequestError, or says
// why the work could not begin.
func Compare(ctx context.Context, a, b *reduce.System, e Equivalence, opt Comparison) (*CompareReport, error) {
	began := time.Now()
	opt.A.Search, opt.B.Search = opt.A.Normal(), opt.B.Normal()
	suits := e.suits
	if slices.Contains(Models(), string(e)) {
		suits = Model(e).suits
	}
	explain := reduce.OneOf("explain", string(opt.Explain), Explanations())
	err := cmp.Or(opt.A.Stepwise(), opt.B.Stepwise(), suits(&opt.A.Search), suits(&opt.B.Search), explain)
	if err != nil {
		return nil, err
	}
	c := &CompareReport{Equivalence: e}
	if slices.Contains(Models(), string(e)) {
		err = c.compareBehaviour(ctx, a, b, &opt)
		c.Cost = explore.CostSince(began)
		return c, err
	}
	relation, err := bisim.ParseEquivalence(string(e))
	if err != nil {
		return nil, model.Refuse("equivalence", string(e), "it is not an equivalence for comparing systems")
	}
	err = c.compare(ctx, a, b, relation, &opt)
	c.Cost = explore.CostSince(began)
	return c, err
}

// compareBehaviour compares by a model: it looks for a violation of A first, and then for one of B.
func (c *CompareReport) compareBehaviour(ctx context.Context, a, b *reduce.System, opt *Comparison) error {
	p, err := openPair(ctx, a, b, Model(c.Equivalence), opt)
	defer p.close()
	c.Ending, c.A, c.B = p.ending, p.a.result(), p.b.result()
	equivalent := true
	for _, swapped := range []bool{false, true} {
		if err != nil || !c.Complete || !equivalent {
			break
		}
		var result *refinement.Result
		result, err = p.check(ctx, swapped)
		if c.Ending = p.ending; err != nil || !c.Complete || result.Refines {
			continue
		}
		equivalent = false
		if c.Violation, err = p.violation(ctx, result, swapped); err == nil {
			c.Kind, c.Trace = c.Violation.Kind, c.Violation.Trace
			c.Offer, c.Refusal = c.Violation.Offer, c.Violation.Refusal
			c.TraceOf = map[bool]string{false: "a", true: "b"}[swapped]
		}
	}
	if err == nil && c.Complete {
		c.Equivalent = &equivalent
	}
	return err
}

func (c *CompareReport) compare(
	ctx context.Context, a, b *reduce.System, e bisim.Equivalence, opt *Comparison,
) (err error) {
	opt.A.Logf("A: %s", a.Name)
	if c.A, err = generate(ctx, a, &opt.A); err != nil {
		return err
	}
	if c.Ending = c.A.Ending; c.A.LTS == nil {
		return nil
	}
	opt.B.Logf("B: %s", b.Name)
	if c.B, err = generate(ctx, b, &opt.B); err != nil {
		return err
	}
	if c.Ending = c.B.Ending; c.B.LTS == nil {
		return nil
	}
	verdict, err := bisim.Compare(ctx, c.A.LTS, c.B.LTS, e,
		bisim.Options{Memory: opt.A.Remaining(c.A.LTS, c.B.LTS)})
	if err != nil {
		return c.Ending.Stop(ctx, err)
	}
	c.Equivalent = &verdict.Equivalent
	if verdict.Equivalent || opt.Explain == NoExplanation {
		return nil
	}
	opt.A.Logf("not equivalent; looking for the reason")
	return c.explain(ctx, verdict, opt)
}

// explain says why the systems are not equivalent. If it fails to, the verdict stands.
func (c *CompareReport) explain(ctx context.Context, verdict *bisim.Comparison, opt *Comparison) (err error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(opt.ExplainWithin, 5*time.Second))
	defer cancel()
	c.Why, err = verdict.Explain(ctx, opt.Explain != ByTrace)
	if errors.Is(err, bisim.ErrUnconfirmed) {
		return err
	}
	if c.Why.Formula != nil {
		c.Formula = c.Why.Formula.String()
	}
	if c.Trace = c.Why.Trace; c.Trace != nil {
		c.TraceOf = map[bool]string{true: "a", false: "b"}[c.Why.TraceOfFirst]
	}
	if c.Formula == "" && c.Trace == nil {
		c.Cut = noReason(c.Why)
		if err != nil {
			c.Cut = cutBy(ctx, err)
		}
	}
	return nil
}

// cutBy says why an error means that there is no explanation.
func cutBy(ctx context.Context, err error) string {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return "out of time"
	case ctx.Err() != nil:
		return "interrupted"
	case errors.Is(err, lts.ErrMemory):
		return "out of memory"
	}
	return "the difference is too deep for a formula"
}

// noReason says why the search for a trace ended without one.
func noReason(d *bisim.Difference) string {
	if d.SameTraces {
		return "both have the same traces; a formula shows the difference"
	}
	return "there are too many traces to compare; a formula shows the difference"
}
