package reduce_test

import (
	"errors"
	"testing"

	"ringcheck/internal/test/spectest"
	"ringcheck/internal/test/testlevel"
	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/reduce"
	"ringcheck/reduce/representative"
	"ringcheck/reduce/symmetry"
)

var permutedSpecs = testlevel.Cases[uint64](60, 120) // how many random specs of a kind are reduced

// permutedRuns says how many searches under permutations are of some sort.
type permutedRuns struct {
	specs    uint64
	compared map[reduce.Reduction]uint64 // that leave out states
	refused  uint64                      // since there is no permutation
	cycles   uint64                      // since confluent actions form a cycle
	violated uint64                      // where the assumption does not hold
}

// compare checks that each reduction of a spec has the same counts under permutations as without, with and without the
// assumption.
func (r *permutedRuns) compare(t *testing.T, p *ir.Protocol, workers int, source string) {
	t.Helper()
	full, err := appliedUpTo(t, p, reduce.Search{}, 1, 1500)
	if err != nil || spectest.Compile(t, p).CheckUncoupled() != nil {
		return
	}
	r.specs++
	for _, opt := range []reduce.Search{
		{Reduction: reduce.Confelm}, {Reduction: reduce.OnTheFly}, {Assume: reduce.NoConflict},
		{Reduction: reduce.Confelm, Assume: reduce.NoConflict},
		{Reduction: reduce.OnTheFly, Assume: reduce.NoConflict},
	} {
		want, failure := applied(t, p, opt, 1)
		opt.Symmetry = reduce.Permutation
		got, err := applied(t, p, opt, workers)
		var modelError *model.Error
		switch {
		case errors.Is(err, symmetry.ErrAsymmetric) && !errors.As(err, &modelError):
			r.refused++
		case errors.Is(err, representative.ErrCycle):
			r.cycles++
		case (failure == nil) != (err == nil), got != want:
			t.Fatalf("%+v: %s, error %v; want %s, error %v\n%s", opt, got, err, want, failure, source)
		case failure != nil:
			r.violated++
		case want != full:
			r.compared[opt.Reduction]++
		}
	}
}

// TestRandomPermuted compares the counts of random specs whose actions are often confluent.
func TestRandomPermuted(t *testing.T) {
	r := permutedRuns{compared: make(map[reduce.Reduction]uint64)}
	total := permutedSpecs()
	for seed := range total {
		source := spectest.Sequential(seed, 1)
		r.compare(t, spectest.Instantiate(t, source, nil), 1+int(seed%3), source)
	}
	t.Logf("of %d specs: %+v", total, r)
	if r.compared[reduce.Confelm] < total/2 || r.compared[reduce.OnTheFly] < total/2 || r.cycles < total/50 ||
		r.violated < total/100 || r.refused > 0 {
		t.Error("the random specs do not test what they should")
	}
}

// TestRandomPermutable compares the counts of random specs with all that permutations can change.
func TestRandomPermutable(t *testing.T) {
	r := permutedRuns{compared: make(map[reduce.Reduction]uint64)}
	total := permutedSpecs()
	for seed := range total {
		generate := spectest.Permutable
		if seed%2 == 0 {
			generate = spectest.Directed
		}
		source := spectest.Uncoupled(generate(seed, 5))
		r.compare(t, spectest.Instantiate(t, source, nil), 1+int(seed%3), source)
	}
	t.Logf("of %d specs: %+v", total, r)
	if r.specs < total/2 || r.compared[reduce.Confelm] < total/60 || r.compared[reduce.OnTheFly] < total/60 {
		t.Error("the random specs do not test what they should")
	}
}
