package ringcheck

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/dustin/go-humanize"

	"ringcheck/explore"
	"ringcheck/explore/symbolic"
	"ringcheck/internal/effort"
	"ringcheck/model/language/ir"
	"ringcheck/reduce"
	"ringcheck/verify"
)

// Advice says, after Explore or Check visited states one by one and reached a limit of states, memory or time, what
// may help for this system, a sentence each: a symmetry that the system has, a reduction that leaves out many states
// at its beginning, a hunt for violations, and the engine that is likely to be faster. It is nil after other searches.
// What it cannot find out within two seconds, or one if ctx is done, is left out.
func (r *Report) Advice(ctx context.Context) []string {
	if r.advice == nil {
		return nil
	}
	return r.advice(ctx)
}

// The beginning of a search that advice examines.
const (
	adviceStates  = 1 << 20 // by the symbolic engine
	reducedStates = 1 << 14 // of a reduced system
	fewStates     = 1 << 10 // too few to say something about the rest
)

// The time for advice, and that after a deadline. Tests have more.
var adviceTime, lateAdvice = 2 * time.Second, time.Second

// advice is Report.Advice for a search that ended with r.
func (t *task) advice(ctx context.Context, r *explore.Result) (list []string) {
	switch r.Stop {
	case explore.StateLimit, explore.MemoryLimit, explore.Deadline:
	default:
		return nil
	}
	if r.Stored == 0 {
		return nil
	}
	limit := adviceTime
	if ctx.Err() != nil {
		ctx, limit = context.WithoutCancel(ctx), lateAdvice
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for _, find := range []func(context.Context, *explore.Result) string{
		t.symmetryAdvice, t.reductionAdvice, t.huntAdvice, t.engineAdvice,
	} {
		if advice := find(ctx, r); advice != "" {
			list = append(list, advice)
		}
	}
	return list
}

// engineAdvice says which engine is likely to be faster.
func (t *task) engineAdvice(ctx context.Context, _ *explore.Result) string {
	other := t.Search
	other.MaxStates, other.Engine = 0, Symbolic
	if other.Validate() != nil || t.checks.permits(Symbolic) != nil || t.undecidable() != nil {
		return ""
	}
	diagrams := t.symbolicOptions()
	diagrams.Memory /= 4 // beside what the search still holds
	sizes, err := symbolic.Prefix(ctx, t.SearchSystem, diagrams, adviceStates)
	if err != nil || len(sizes) < 2 {
		return ""
	}
	_, why := symbolic.Advise(sizes)
	return why
}

// symmetryAdvice names a symmetry that the system has and the search does not use.
func (t *task) symmetryAdvice(ctx context.Context, _ *explore.Result) string {
	if t.Search.Symmetry != NoSymmetry || t.Protocol == nil {
		return ""
	}
	for _, symmetry := range []Symmetry{Rotation, Permutation} {
		other := t.Search
		other.Symmetry = symmetry
		if s := t.prepareOther(ctx, other); s != nil {
			return fmt.Sprintf("--symmetry %s stores one of up to %d states", symmetry, s.Reduced.Order())
		}
	}
	return ""
}

// reductionAdvice names a reduction that leaves out many states at the beginning.
func (t *task) reductionAdvice(ctx context.Context, _ *explore.Result) string {
	if t.Search.Reduction != NoReduction || t.Protocol == nil {
		return ""
	}
	other := t.Search
	other.Reduction, other.MaxStates = OnTheFly, reducedStates
	s := t.prepareOther(ctx, other)
	if s == nil {
		return ""
	}
	options := s.Search.ExploreOptions()
	options.Progress = nil
	reduced, err := explore.Run(ctx, s.SearchSystem, options)
	internal := s.Reduced.InternalStates()
	if err != nil || reduced.States < fewStates || internal < reduced.States/2 {
		return ""
	}
	return fmt.Sprintf("--reduce %s leaves out states: %s beside the first %s that it stores", other.Reduction,
		humanize.Comma(int64(internal)), humanize.Comma(int64(reduced.States)))
}

// huntAdvice says that a hunt may find a violation sooner, if there are properties that single states violate.
func (t *task) huntAdvice(context.Context, *explore.Result) string {
	direct := t.Search.Reduction == NoReduction && t.Search.Symmetry == NoSymmetry && t.Protocol != nil
	if !direct || !slices.ContainsFunc(t.ChosenProperties, func(p *ir.Property) bool { return p.Kind.Safety() }) {
		return ""
	}
	return "counterexample --hunt looks for violations that are deeper than the states that were visited"
}

// prepareOther returns the subject of another search for the same properties, prepared, or nil if the search is
// impossible or does not decide them.
func (t *task) prepareOther(ctx context.Context, search Search) *reduce.Subject {
	search.Log = nil
	s, err := reduce.NewSubject(t.System, search)
	if err != nil {
		return nil
	}
	s.Visible, s.ChosenProperties = t.Visible, t.ChosenProperties
	if effort.Do(ctx, func() error { return s.Prepare(ctx) }) != nil || verify.Decides(s) != nil {
		return nil
	}
	return s
}
