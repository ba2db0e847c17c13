package simulate_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"ringcheck/explore/simulate"
	"ringcheck/internal/test/spectest"
	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// TestTimedFaults checks for every discipline of channels and every fault of messages, with a Timed schedule, that the
// fault befalls the single message of a run with the probability FaultRate, has each of its effects equally often, and
// that the receiver receives what the fault makes of the message.
func TestTimedFaults(t *testing.T) {
	const runs, rate = 2000, 0.5
	const src = `protocol single
topology line of 2
channel DISCIPLINE, FAULT at most 1, delay 1..2
message M(v: 1..4)
event got(v: 1..4)
var v: 1..4
process p = if p = 0 then send right M(1); stop else Take
Take = recv left M(v); got(v); Take
`
	for c := range spectest.FaultyChannels() {
		if c.Fault == "" {
			continue
		}
		words := strings.NewReplacer("DISCIPLINE", c.Discipline, "FAULT", c.Fault)
		p := spectest.Instantiate(t, words.Replace(src), nil)
		sys, err := simulate.New(t.Context(), p, step.Options{},
			simulate.Scheduler{Schedule: simulate.Timed, FaultRate: rate})
		if err != nil {
			t.Fatal(c, err)
		}
		effects, sizes, m := map[string]int{}, map[string]int{}, step.New(p, step.Options{})
		for a, place := range m.Befall(c.Kind, p.InLink(1, 0),
			ir.Content{Message: p.Messages[0], Args: []int64{1}}) {
			text := m.Label(a, -1).Text
			effects[text], sizes[text] = 0, len(place)
		}
		faults := 0
		for seed := range uint64(runs) {
			r := sys.NewRun()
			if err := r.Reset(rand.New(rand.NewPCG(seed, 9))); err != nil {
				t.Fatal(c, err)
			}
			received, want := 0, 1
			for {
				ok, err := r.Step()
				if err != nil {
					t.Fatal(c, err)
				}
				if !ok {
					break
				}
				switch r.Last.Kind {
				case model.FaultAction:
					text := r.Text()
					if _, known := effects[text]; !known {
						t.Fatalf("%v: there is no fault %s", c, text)
					}
					faults++
					effects[text]++
					want = sizes[text]
				case model.EventAction:
					received++
				case model.Internal, model.SendAction, model.ReceiveAction, model.SyncAction, model.CrashAction,
					model.RecoverAction, model.TickAction:
				}
			}
			if received != want {
				t.Fatalf("%v, run %d: %d messages are received, want %d", c, seed, received, want)
			}
		}
		if math.Abs(float64(faults)-runs*rate) > 5*math.Sqrt(runs*rate*(1-rate)) {
			t.Errorf("%v: %d faults in %d runs", c, faults, runs)
		}
		for text, n := range effects {
			if mean := float64(faults) / float64(len(effects)); math.Abs(float64(n)-mean) > 5*math.Sqrt(mean) {
				t.Errorf("%v: %s happens %d times, want about %.0f", c, text, n, mean)
			}
		}
	}
}
