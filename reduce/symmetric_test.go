package reduce_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/reduce"
	"ringcheck/reduce/representative"
	"ringcheck/reduce/symmetry"
)

// applied explores p reduced by opt. It returns what must be the same with symmetry and without, "" if symmetry is
// refused or the search is incomplete.
func applied(t *testing.T, p *ir.Protocol, opt reduce.Search, workers int) (counts string, err error) {
	t.Helper()
	return appliedUpTo(t, p, opt, workers, limit)
}

// appliedUpTo is applied with a limit of the number of stored states.
func appliedUpTo(
	t *testing.T, p *ir.Protocol, opt reduce.Search, workers int, most uint64,
) (counts string, err error) {
	t.Helper()
	small, err := reduce.Apply(t.Context(), spectest.Compile(t, p, compile.Options{MaxMessages: 8}), opt, nil)
	if err != nil {
		return "", err
	}
	r, err := explore.Run(t.Context(), small.System, explore.Options{Workers: workers, MaxStates: most})
	switch {
	case err != nil:
		return "", err
	case r.Stop == explore.ModelFailure:
		return "", r.ModelError
	case !r.Complete():
		return "", errors.New(r.Stop.String())
	}
	return fmt.Sprintf("%d states, %d transitions, %d terminal, levels %d", r.States, r.Transitions, r.TerminalStates,
		r.Levels), nil
}

// TestRandomSymmetric checks that each reduction has the same counts with symmetry as without, for any number of
// workers, unless the symmetry is refused.
func TestRandomSymmetric(t *testing.T) {
	total := randomSpecs() / 2
	compared, refused := 0, 0
	corpus := spectest.NewCorpus(spectest.Asymmetric...)
	for seed, source := range corpus.Specs(total, 21) {
		if seed%4 > 0 {
			source = spectest.Anonymous(source)
		}
		p := spectest.Instantiate(t, source, nil)
		for _, level := range []reduce.Reduction{reduce.NoReduction, reduce.Confelm, reduce.OnTheFly} {
			want, err := applied(t, p, reduce.Search{Reduction: level}, 1)
			if err != nil {
				continue
			}
			for _, opt := range []reduce.Search{{Reduction: level}, {Reduction: level, Symmetry: reduce.Rotation}} {
				got, err := applied(t, p, opt, 3)
				switch {
				case errors.Is(err, symmetry.ErrAsymmetric), errors.Is(err, representative.ErrCycle):
					refused++
				case err != nil:
					t.Errorf("seed %d, %+v: %v\n%s", seed, opt, err, source)
				case got != want:
					t.Errorf("seed %d, %+v: %s, want %s\n%s", seed, opt, got, want, source)
				default:
					if compared++; opt.Symmetry == reduce.Rotation {
						corpus.Use(t, source)
					}
				}
			}
		}
	}
	t.Logf("%d compared, %d refused", compared, refused)
	if compared < total {
		t.Errorf("of %d specs only %d symmetric systems were compared", total, compared)
	}
	corpus.Check(t)
}

// merged has a process that emits ping itself or makes its neighbour emit it, by a step of one label.
const merged = `
protocol merged
topology undirected ring of 2
channel fifo
message M, N
event begin, ping, pong
process p = skip; S | skip; W
S = begin; send right M; A | begin; send right N; B
W = recv left M; B | recv left N; A
A = ping; A
B = pong; B
`

// TestMerged checks the counts where several steps with one label lead to one orbit.
func TestMerged(t *testing.T) {
	p := spectest.Instantiate(t, merged, nil)
	want, err := applied(t, p, reduce.Search{Reduction: reduce.OnTheFly}, 1)
	if err != nil {
		t.Error(err)
	}
	for _, kind := range []reduce.Symmetry{reduce.Rotation, reduce.Permutation} {
		got, err := applied(t, p, reduce.Search{Reduction: reduce.OnTheFly, Symmetry: kind}, 1)
		if err != nil || got != want {
			t.Errorf("by %s: %s, error %v, want %s", kind, got, err, want)
		}
	}
}

// circle is a protocol whose confluent actions form a cycle round the ring.
const circle = `
protocol circle
param n: 2..9 = 4
topology directed ring of n
channel fifo
message M
message N
process p = S
S  = send right M; L0
L0 = recv left M; send right M; L1
L1 = recv left M; send right N; L2
L2 = recv left N; send right M; L1
`

// TestCircle checks that where confluent actions form a cycle, the representative does not depend on the order of the
// search, and symmetry is refused with the reason.
func TestCircle(t *testing.T) {
	for n := 2; n <= 6; n++ {
		p := spectest.Instantiate(t, circle, map[string]string{"n": fmt.Sprint(n)})
		want, err := applied(t, p, reduce.Search{Reduction: reduce.OnTheFly}, 1)
		if err != nil || !strings.HasPrefix(want, "1 states") {
			t.Fatalf("n = %d: %s, error %v", n, want, err)
		}
		for workers := range 8 {
			if got, err := applied(t, p, reduce.Search{Reduction: reduce.OnTheFly}, 1+workers); got != want {
				t.Errorf("n = %d, %d workers: %s, error %v, want %s", n, 1+workers, got, err, want)
			}
		}
		if got, err := applied(t, p, reduce.Search{Reduction: reduce.OnTheFly, Symmetry: reduce.Rotation},
			2); !errors.Is(err,
			representative.ErrCycle) {
			t.Errorf("n = %d: with rotation: %s, error %v", n, got, err)
		}
	}
}

// TestInterrupt checks that an interrupted search does not wait for a representative that is thousands of steps away.
func TestInterrupt(t *testing.T) {
	p := spectest.Open(t, "dkr", "n=100 ids=distinct channel=fifo")
	small, err := reduce.Apply(t.Context(), spectest.Compile(t, p), reduce.Search{Reduction: reduce.OnTheFly}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := explore.Run(ctx, small.System, explore.Options{Workers: 1})
	if err != nil || r.Stop != explore.Interrupted || small.InternalStates() > 100 {
		t.Errorf("%+v, error %v, %d internal states", r, err, small.InternalStates())
	}
	r, err = explore.Run(t.Context(), small.System, explore.Options{Workers: 1})
	if err != nil || !r.Complete() || small.InternalStates() < 300 {
		t.Errorf("afterwards: %+v, error %v, %d internal states", r, err, small.InternalStates())
	}
}
