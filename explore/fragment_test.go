package explore_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"ringcheck/bisim/lts"
	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/model"
	"ringcheck/model/language/compile"
)

// fragment returns a fragment of a system, with a builder that has its labels.
func fragment(t *testing.T, sys model.System, opt explore.Options, name func(model.LabelInfo) string) (
	*explore.Fragment, *lts.Builder,
) {
	t.Helper()
	b := lts.NewBuilder()
	f, err := explore.NewFragment(t.Context(), sys, opt,
		func(info model.LabelInfo) lts.Label { return b.Label(name(info)) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f, b
}

// askAll asks a fragment for all states, which are added to the builder, and returns their number.
func askAll(f *explore.Fragment, b *lts.Builder) (states int, err error) {
	met, err := f.Initial()
	if err != nil {
		return 0, err
	}
	for s := uint32(0); s <= met; s++ {
		edges, err := f.Edges(s, nil)
		if err != nil {
			return int(met), err
		}
		b.Add(s, edges...)
		for _, e := range edges {
			met = max(met, e.To)
		}
	}
	return int(met) + 1, nil
}

// TestFragment compares fragments of random specs with what Generate returns, and takes their runs step by step.
func TestFragment(t *testing.T) {
	several, steps, compared, tried := 0, 0, 0, 0
	corpus := spectest.NewCorpus()
	for seed, src := range corpus.Specs(int(seeds(200)), 7) {
		tried++
		sys, err := compile.New(t.Context(), spectest.Instantiate(t, src, nil), compile.Options{MaxMessages: 2,
			MaxNat: 3})
		if err != nil {
			t.Fatal(err)
		}
		want, r, err := explore.Generate(t.Context(), sys, explore.Options{MaxStates: 2000}, fullText)
		f, b := fragment(t, sys, explore.Options{MaxStates: 2000}, fullText)
		states, failed := askAll(f, b)
		counts := f.Result()
		if err != nil || counts.Stop != r.Stop || counts.Complete() != (failed == nil) {
			t.Fatalf("seed %d: %v, %v; want %v, %v", seed, failed, counts.Stop, err, r.Stop)
		}
		if !r.Complete() {
			continue
		}
		compared++
		corpus.Use(t, src)
		got, err := b.Build(t.Context(), 0, states)
		if err != nil {
			t.Fatal(err)
		}
		sameSystem(t, uint64(seed), got, want)
		breadthFirst(t, uint64(seed), got)
		if counts.Stored != r.Stored || counts.Transitions != r.Transitions {
			t.Fatalf("seed %d: %d states, %d transitions, want %d, %d", seed, counts.Stored, counts.Transitions,
				r.Stored, r.Transitions)
		}
		if r.Levels[0] > 1 {
			several++
		}
		steps += walkOne(t, sys, f, got)
	}
	if several < tried/20 || compared < tried*3/4 || steps < tried {
		t.Errorf("compared %d of %d, %d with several initial states, %d steps", compared, tried, several, steps)
	}
	corpus.Check(t)
}

// walkOne takes a run of a fragment, and compares its labels and states. It returns the number of steps.
func walkOne(t *testing.T, sys model.System, f *explore.Fragment, l *lts.LTS) int {
	t.Helper()
	var run []lts.Edge
	for at := l.Initial(); len(run) < 12 && len(l.Out(at)) > 0; at = run[len(run)-1].To {
		run = append(run, l.Out(at)[len(l.Out(at))-1])
	}
	moves, err := f.Moves(run)
	if err != nil {
		t.Fatal(err)
	}
	named := run
	if len(moves) == len(run) { // the first τ leads to one of several initial states
		named = run[1:]
	}
	for i, m := range moves[1:] {
		if text := sys.Label(m.Step.Label).Text; text != l.Label(named[i].Label) {
			t.Fatalf("step %d is %s, want %s", i, text, l.Label(named[i].Label))
		}
		if !slices.Equal(m.State, f.State(named[i].To)) {
			t.Fatalf("step %d leads to another state", i)
		}
	}
	return len(moves) - 1
}

// TestFragmentEnds checks that each limit ends the work with its reason, and that nothing is said afterwards.
func TestFragmentEnds(t *testing.T) {
	sys := spectest.Compile(t, spectest.Open(t, "franklin", "n=4 k=2"))
	late, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	over, stop := context.WithCancel(t.Context())
	stop()
	for want, c := range map[explore.Stop]struct {
		ctx context.Context
		opt explore.Options
	}{
		explore.StateLimit:  {t.Context(), explore.Options{MaxStates: 100}},
		explore.MemoryLimit: {t.Context(), explore.Options{Memory: 1 << 20}},
		explore.Deadline:    {late, explore.Options{}},
		explore.Interrupted: {over, explore.Options{}},
	} {
		b := lts.NewBuilder()
		f, err := explore.NewFragment(c.ctx, sys, c.opt,
			func(info model.LabelInfo) lts.Label { return b.Label(info.Text) })
		if err == nil {
			_, err = askAll(f, b)
			defer f.Close()
		}
		var stopped *explore.StopError
		switch {
		case want == explore.MemoryLimit && err == nil: // the caller adds up what all parts hold, see Bytes
		case c.ctx.Err() != nil && f == nil:
		case !errors.As(err, &stopped) || stopped.Stop != want:
			t.Errorf("%v: %v", want, err)
		case f.Result().Stop != want:
			t.Errorf("%v: the result says %v", want, f.Result().Stop)
		default:
			if _, err := f.Edges(0, nil); err == nil {
				t.Errorf("%v: an answer after the end", want)
			}
		}
	}
}
