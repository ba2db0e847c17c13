package verify

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/model/language/ir"
)

// electionRuns are properties of the runs of Franklin's algorithm; some hold.
const electionRuns = `
ltl again = always eventually (exists p in node: p at Leader)
ltl weak = always eventually (exists p in node: p at Leader) under fair
ltl strong = always eventually (exists p in node: p at Leader) under strongly fair
ltl sure = always eventually (exists p in node: p at Leader) under probability one
ltl both = always eventually (exists p in node: p at Leader) under fair and probability one
ltl early = (exists p in node: p at Leader) under positive probability
ltl begins = (0 at A1 leads to not 0 at A1) under fair of M
ltl loses = (0 at A1 leads to 0 at P) under fair
ltl wins = (not 0 at A1 leads to (exists p in node: leads(p))) under strongly fair and probability one
`

// TestTemporalSpilled checks that verdicts are the same whether transitions are on disk or in memory, and what is known
// under other assumptions. A run may be longer if there is no memory to look for a short one.
func TestTemporalSpilled(t *testing.T) {
	src := spectest.Source(t, "franklin")
	t.Run("reliable", func(t *testing.T) { compareSpilled(t, src+electionRuns) })
	t.Run("crashes", func(t *testing.T) {
		src := strings.Replace(src, "event leader", "crash at most 1 of p where p = 0\nevent leader", 1)
		compareSpilled(t, src+"ltl crashes = eventually 0 crashed under fair\n"+
			"ltl ends = always (terminal => not 0 at P) under fair and probability one\n")
	})
}

func compareSpilled(t *testing.T, src string) {
	t.Helper()
	p := spectest.Instantiate(t, src, spectest.Settings("n=2 k=4"))
	properties := slices.DeleteFunc(slices.Clone(p.Properties), func(q *ir.Property) bool { return !q.Kind.OfRuns() })
	check := func(opt explore.Options) *Result {
		sys := spectest.Compile(t, p)
		r, err := Verifier{System: sys}.Check(t.Context(), properties, opt)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	resident, spilled := check(explore.Options{}),
		check(explore.Options{Memory: 1 << 20, Spill: true, SpillDir: t.TempDir()})
	if spilled.Search.Spilled == 0 {
		t.Error("the search has not spilled")
	}
	if resident.Holds() || !resident.Violated() {
		t.Error("all properties hold, or none is violated")
	}
	for i, want := range resident.Judgments {
		got := spilled.Judgments[i]
		// The first lines are about the run, the last one is about other assumptions.
		if got.Outcome != want.Outcome || !slices.Equal(lastOf(why(got)), lastOf(why(want))) {
			t.Errorf("%s: %v %q, want %v %q", got.Property.Name, got.Outcome, why(got), want.Outcome, why(want))
		}
		if (got.Lasso == nil) != (want.Lasso == nil) || got.Lasso != nil && got.length() < want.length() {
			t.Errorf("%s: a run %+v, want %+v", got.Property.Name, got.Lasso, want.Lasso)
		}
	}
}

// unorientedRuns are properties of the runs of Franklin's algorithm in an unoriented ring; some hold.
const unorientedRuns = `
ltl again = always eventually (exists p in node: p at Leader)
ltl weak = always eventually (exists p in node: p at Leader) under fair
ltl strong = eventually always (exists p in node: p at Leader) under strongly fair and probability one
ltl moves = forall p in node: p at First leads to not p at First under fair
`

// TestPermutationsSpilled checks that verdicts by orbits under permutations are the same whether transitions, with
// their permutations, are on disk or in memory, and replays the runs.
func TestPermutationsSpilled(t *testing.T) {
	text, err := os.ReadFile("../examples/franklin-unoriented.ring")
	if err != nil {
		t.Fatal(err)
	}
	p := spectest.Instantiate(t, string(text)+unorientedRuns, spectest.Settings("n=3 k=2"))
	outcomes := make(map[Outcome]int)
	for _, property := range p.Properties {
		if !property.Kind.OfRuns() {
			continue
		}
		sys := spectest.Compile(t, p)
		q := permutedFor(t, sys, property)
		if q == nil {
			t.Fatalf("%s: no permutations", property.Name)
		}
		s, list := Verifier{System: sys, Searched: q}, []*ir.Property{property}
		full, err := Verifier{System: sys}.Check(t.Context(), list, explore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		want := full.Judgments[0].Outcome
		outcomes[want]++
		for _, opt := range []explore.Options{{}, {Memory: 1 << 22, Spill: true, SpillDir: t.TempDir()}} {
			r, err := s.Check(t.Context(), list, opt)
			if err != nil {
				t.Fatal(err)
			}
			if opt.Spill != (r.Search.Spilled > 0) || r.Judgments[0].Outcome != want {
				t.Errorf("%s, on disk %t: %d states spilled, %v, want %v", property.Name, opt.Spill, r.Search.Spilled,
					r.Judgments[0].Outcome, want)
			}
			if want != Violated {
				continue
			}
			run, r, err := s.Counterexample(t.Context(), list, opt)
			if err == nil && run != nil {
				err = Replay(sys, run)
			}
			if err != nil || run == nil || opt.Spill != (r.Search.Spilled > 0) {
				t.Errorf("%s, on disk %t: run %v, %v", property.Name, opt.Spill, run, err)
			}
		}
	}
	if outcomes[Holds] == 0 || outcomes[Violated] < 2 {
		t.Errorf("verdicts: %v", outcomes)
	}
}

// A countdown is a context that is cancelled after a number of calls of Err.
type countdown struct {
	context.Context
	left atomic.Int64
}

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestTemporalInterrupted checks that an interrupted verdict may say less than a complete one, and nothing else.
func TestTemporalInterrupted(t *testing.T) {
	src := spectest.Source(t, "franklin")
	p := spectest.Instantiate(t, string(src)+electionRuns, spectest.Settings("n=2 k=2"))
	loses := p.Properties[slices.IndexFunc(p.Properties, func(q *ir.Property) bool { return q.Name == "loses" })]
	early := 0
	var whole Judgment
	for left := int64(1 << 40); left > 0; left = left * 2 / 3 {
		sys := spectest.Compile(t, p)
		ctx := &countdown{Context: t.Context()}
		ctx.left.Store(left)
		r, err := Verifier{System: sys}.Check(ctx, []*ir.Property{loses}, explore.Options{Workers: 1})
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if r == nil {
			continue
		}
		v := r.Judgments[0]
		switch {
		case whole.Property == nil:
			whole = v
			left -= ctx.left.Load() // more questions would make no difference
		case v.Outcome == Unknown, len(why(v)) < len(why(whole)):
			early++
		}
		if v.Outcome == Holds || len(why(v)) > len(why(whole)) || !slices.Equal(why(v), why(whole)[:len(why(v))]) {
			t.Fatalf("%v %q after %d questions, want %v %q", v.Outcome, why(v), left, whole.Outcome, why(whole))
		}
	}
	if whole.Outcome != Violated || early == 0 {
		t.Errorf("%v, and %d times something is missing", whole.Outcome, early)
	}
}

// TestCounterexampleInterrupted checks that a property known to be violated has a run even if there is no time left to
// decide the others.
func TestCounterexampleInterrupted(t *testing.T) {
	src := spectest.Source(t, "franklin")
	p := spectest.Instantiate(t, string(src)+electionRuns, spectest.Settings("n=2 k=2"))
	properties := slices.DeleteFunc(slices.Clone(p.Properties), func(q *ir.Property) bool {
		return q.Name != "again" &&
			q.Name != "loses"
	})
	early := 0
	for left := int64(1 << 14); left > 0; left = left * 9 / 10 {
		sys := spectest.Compile(t, p)
		ctx := &countdown{Context: t.Context()}
		ctx.left.Store(left)
		run, r, err := Verifier{System: sys}.Counterexample(ctx, properties, explore.Options{Workers: 1})
		if err != nil {
			continue
		}
		if r.Violated() != (run != nil) {
			t.Fatalf("%v after %d questions, and the run is %v", r.Judgments, left, run)
		}
		if run != nil && slices.ContainsFunc(r.Judgments, func(v Judgment) bool { return v.Outcome == Unknown }) {
			early++
		}
	}
	if early == 0 {
		t.Error("no verdict was known before the end of a search")
	}
}

func lastOf(lines []string) []string { return lines[max(0, len(lines)-1):] }

func why(v Judgment) []string {
	if v.Lasso == nil {
		return nil
	}
	return v.Lasso.Why
}
