package verify

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"ringcheck/explore"
	"ringcheck/explore/symbolic"
	"ringcheck/internal/test/spectest"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
)

// TestSymbolic checks that verdicts, counts and runs are those of the explicit search, and that the runs can be
// replayed.
func TestSymbolic(t *testing.T) {
	total := many(20)
	corpus := spectest.NewCorpus()
	compared, runs := 0, 0
	for seed, src := range corpus.Specs(total, 4) {
		done, replayed := compareSymbolic(t, spectest.Instantiate(t, src, nil), 20_000)
		if done {
			compared++
			corpus.Use(t, src)
		}
		runs += replayed
		if t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, src)
		}
	}
	if compared < int(total)/2 || runs < int(total)/4 {
		t.Errorf("of %d specs %d were compared, with %d runs", total, compared, runs)
	}
	corpus.Check(t)
}

// TestSymbolicBuiltIn compares on protocols of the catalogue, some of which are flawed.
func TestSymbolicBuiltIn(t *testing.T) {
	for _, c := range []struct {
		name     string
		settings map[string]string
	}{
		{"franklin", map[string]string{"n": "3"}},
		{"franklin", map[string]string{"n": "2", "bits": "false", "k": "3"}},
		{"dkr", map[string]string{"n": "3", "modulus": "1"}},
		{"chang-roberts", map[string]string{"n": "3"}},
		{"hirschberg-sinclair", map[string]string{"n": "2"}},
	} {
		p, err := open(t, c.name).Instantiate(c.settings)
		if err != nil {
			t.Fatal(err)
		}
		if done, runs := compareSymbolic(t, p, 20_000); !done || runs == 0 {
			t.Errorf("%s %v: compared: %v, runs: %d", c.name, c.settings, done, runs)
		}
	}
}

// compareSymbolic compares the two engines on p, unless it has more states than a limit, or a model error. It returns
// how many runs it compared.
func compareSymbolic(t *testing.T, p *ir.Protocol, limit uint64) (done bool, runs int) {
	t.Helper()
	properties := slices.DeleteFunc(slices.Clone(p.Properties), func(q *ir.Property) bool { return q.Kind.OfRuns() })
	ctx := context.Background()
	opt := compile.Options{MaxMessages: 3, MaxNat: 20}
	sys := spectest.Compile(t, p, opt)
	bounds := explore.Options{Workers: 1, MaxStates: limit}
	want, wantErr := Verifier{System: sys}.Check(ctx, properties, bounds)
	if wantErr == nil && !want.Search.Complete() {
		return false, 0
	}
	got, err := Verifier{System: sys}.CheckSymbolically(ctx, properties, symbolic.Options{Memory: 64 << 20})
	if wantErr != nil || err != nil {
		t.Fatalf("error %v, want %v", err, wantErr)
	}
	for i := range want.Judgments {
		w, g := &want.Judgments[i], &got.Judgments[i]
		if g.Outcome != w.Outcome || fmt.Sprint(g.Large) != fmt.Sprint(w.Count) || (g.Run == nil) != (w.State == nil) {
			t.Errorf("%s: %v in %v states, run %v; want %v, %v, %v", w.Property.Name, g.Outcome, g.Large, g.Run,
				w.Outcome, w.Count, w.State)
			continue
		}
		if (g.EvalError == nil) != (w.EvalError == nil) ||
			g.EvalError != nil && g.EvalError.Level != w.EvalError.Level {
			t.Errorf("%s: error %v, want %v", w.Property.Name, g.EvalError, w.EvalError)
		}
		if !slices.Equal(g.Warnings, w.Warnings) {
			t.Errorf("%s: warnings %v, want %v", w.Property.Name, g.Warnings, w.Warnings)
		}
		if g.Run == nil {
			continue
		}
		runs++
		path, err := explore.Path(ctx, sys, explore.Options{Workers: 1},
			func(_ int, state []model.Value) bool { return slices.Equal(state, w.State) })
		if err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(g.Run.Moves, path, func(a, b model.Move) bool {
			return slices.Equal(a.State, b.State) &&
				a.Step.Label == b.Step.Label
		}) {
			t.Errorf("%s: run %v, want %v", w.Property.Name, g.Run.Moves, path)
		}
		if g.Outcome != Violated {
			continue
		}
		if err := Replay(sys, g.Run); err != nil {
			t.Errorf("%s: %v", w.Property.Name, err)
		}
	}
	return true, runs
}
