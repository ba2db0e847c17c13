package symmetry_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/systemtest"
	"ringcheck/model"
	"ringcheck/reduce/symmetry"
)

// TestCounts checks that the counts by orbits are those of the full system.
func TestCounts(t *testing.T) {
	for _, tt := range []struct{ spec, settings string }{
		{"franklin", "n=2 k=3"},
		{"franklin", "n=3 k=3"},
		{"franklin", "n=4 k=2"},
		{"franklin", "n=3 k=2 order=left"},
		{"franklin", "n=3 k=2 channel=fifo"},
		{"franklin", "n=3 k=2 bits=false"},
		{"franklin", "n=3 k=2 fresh=clash"},
		{"franklin", "n=3 k=2 announce=true"},
		{"franklin", "n=4 k=2 bits=false channel=fifo fresh=clash announce=true order=left"},
		{"dkr", "n=2 k=3"},
		{"dkr", "n=4 k=2"},
		{"dkr", "n=3 k=2 modulus=3"},
		{"dkr", "n=3 k=2 channel=fifo"},
		{"itai-rodeh", "n=2 k=4"},
		{"itai-rodeh", "n=6 k=2"},
		{"itai-rodeh", "n=3 k=2 channel=unordered"},
		{"chang-roberts", "n=5"},
		{"hirschberg-sinclair", "n=3"},
	} {
		t.Run(strings.ReplaceAll(tt.spec+" "+tt.settings, " ", ","), func(t *testing.T) {
			sys := open(t, tt.spec, tt.settings)
			skipLarge(t, sys)
			q := rotation(t, sys)
			compareCounts(t, sys, q)
		})
	}
}

// compareCounts explores a system and its quotient.
func compareCounts(t *testing.T, sys model.System, q *symmetry.Quotient) *explore.Result {
	t.Helper()
	want, got := systemtest.Run(t, sys, explore.Options{NoSleepSets: true}),
		systemtest.Run(t, q, explore.Options{Workers: 3})
	type counts struct {
		stop                          explore.Stop
		states, transitions, terminal uint64
	}
	count := func(r *explore.Result) counts { return counts{r.Stop, r.States, r.Transitions, r.TerminalStates} }
	if count(got) != count(want) {
		t.Errorf("by orbits: %v; plain: %v", count(got), count(want))
	}
	if want.Complete() && !slices.Equal(got.Levels, want.Levels) {
		t.Errorf("levels by orbits: %v; plain: %v", got.Levels, want.Levels)
	}
	n := uint64(len(q.Slots()))
	if got.Stored > want.Stored || got.Stored*2*n < want.Stored {
		t.Errorf("%d states stored for %d", got.Stored, want.Stored)
	}
	if got.ModelError != nil {
		t.Error(got.ModelError)
	}
	return got
}

// TestSleepSets checks that most transitions of an orbit are left out.
func TestSleepSets(t *testing.T) {
	q := rotation(t, open(t, "franklin", "n=4 k=2"))
	all, some := systemtest.Run(t, q, explore.Options{NoSleepSets: true}), systemtest.Run(t, q, explore.Options{})
	if some.Stored != all.Stored || some.Transitions != all.Transitions || some.Generated > all.Generated/2 {
		t.Errorf("%d states and %d transitions, %d followed, want %d and %d, %d followed in full",
			some.Stored, some.Transitions, some.Generated, all.Stored, all.Transitions, all.Generated)
	}
}

func TestRefusals(t *testing.T) {
	const ring = "protocol test\nparam n: 2..9 = 3\ntopology directed ring of n\nchannel fifo\nmessage M\nevent done\n"
	begin := func(states string) string {
		return "rotation is not a symmetry: (" + states + ") is an initial state, but not every rotation of it is one"
	}
	for _, tt := range []struct{ name, source, want string }{
		{"distinguished", ring + "process p = if p = 0 then Start else Relay\n" +
			"Start = send right M; Relay\nRelay = recv left M; done; stop\n", begin("0: Start, 1: Relay, 2: Relay")},
		{"numbered", ring + "var i: 0..n - 1\nprocess p = Start(p)\n" +
			"Start(i) = send right M; when i > 0: recv left M; done; stop\n",
			begin("0: Start(i=0), 1: Start(i=1), 2: Start(i=2)")},
		{"acts by number", ring + "process p = when p = 0: send right M; Relay | when p > 0: skip; Relay\n" +
			"Relay = recv left M; done; stop\n", begin("0: process:7(p=0), 1: process:7(p=1), 2: process:7(p=2)")},
		{"complete graph", "protocol test\nparam n: 2..9 = 3\ntopology complete graph of n\nchannel fifo\nmessage " +
			"M\nevent done\n" +
			"var q: node\nprocess p = Wait\nWait = choose q; send q M; Relay\nRelay = recv _ M; done; stop\n",
			"rotation is not a symmetry: the channels are not arranged symmetrically around the ring: " +
				`"process 1 sends to 0" is not the rotation of "process 0 sends to 1"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			refused(t, compiled(t, tt.source, nil), tt.want)
		})
	}
	for _, tt := range []struct{ spec, settings, want string }{
		{"chang-roberts", "n=3 ids=ascending", begin("0: Start(id=1), 1: Start(id=2), 2: Start(id=3)")},
		{"hirschberg-sinclair", "n=3 ids=descending",
			begin("0: Stage(id=3, stage=0), 1: Stage(id=2, stage=0), 2: Stage(id=1, stage=0)")},
	} {
		t.Run(tt.spec, func(t *testing.T) {
			refused(t, open(t, tt.spec, tt.settings), tt.want)
		})
	}
}

func refused(t *testing.T, sys model.System, want string) {
	t.Helper()
	_, err := symmetry.Rotation(t.Context(), sys)
	if !errors.Is(err, symmetry.ErrAsymmetric) {
		t.Fatalf("got %v, want an error that it is not symmetric", err)
	}
	if err.Error() != want {
		t.Errorf("got  %q\nwant %q", err, want)
	}
}

// TestInterrupted checks that visiting all initial states can be stopped.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := symmetry.Rotation(ctx, open(t, "chang-roberts", "n=10")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
