package specs_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/property"
)

// TestDKRModulo2IsFlawed: Bakhshi et al., Sect. 8: "no leader may be elected". Runs at random, in which some
// processes are much faster than others, come across it in a system that is too large to be explored here.
func TestDKRModulo2IsFlawed(t *testing.T) {
	sys := open(t, "dkr", "n=5 k=3", compile.Options{})
	rng := rand.New(rand.NewPCG(1, 2))
	view := sys.NewView()
	env := sys.Protocol().NewEnv(view)
	for range 20_000 {
		final := randomRun(t, sys, rng)
		view.Show(final)
		for _, p := range sys.Protocol().Properties {
			if p.Kind != property.Terminal {
				continue
			}
			v, err := p.Body.Eval(env)
			if err != nil {
				t.Fatal(err)
			}
			if v == 0 {
				return
			}
		}
	}
	t.Error("every run elected a leader, so nothing was tested")
}

// randomRun goes from the initial to a terminal state. Of the groups that can take a step the first in an
// order that changes slowly does.
func randomRun(t *testing.T, sys *compile.System, rng *rand.Rand) []model.Value {
	t.Helper()
	state := firstState(t, sys)
	groups := sys.Groups()
	order := rng.Perm(len(groups))
	for {
		if rng.IntN(8) == 0 {
			i, j := rng.IntN(len(order)), rng.IntN(len(order))
			order[i], order[j] = order[j], order[i]
		}
		moved := false
		for i := 0; i < len(order) && !moved; i++ {
			moved = randomStep(t, sys, order[i], state, rng)
		}
		if !moved {
			return state
		}
	}
}

func firstState(t *testing.T, sys *compile.System) []model.Value {
	t.Helper()
	var first []model.Value
	err := sys.Initial(func(s []model.Value) bool {
		first = append(first, s...)
		return false
	})
	if err != nil {
		t.Fatal(err)
	}
	return first
}

// randomStep takes one of the transitions of a group in state, if there is one.
func randomStep(t *testing.T, sys *compile.System, group int, state []model.Value, rng *rand.Rand) bool {
	t.Helper()
	cursor := model.NewCursor(sys)
	if err := cursor.Next(group, state); err != nil {
		t.Fatal(err)
	}
	if cursor.Len() == 0 {
		return false
	}
	cursor.Take(rng.IntN(cursor.Len()), state)
	return true
}

// TestChangRobertsMessages: 2n - 1 messages if the identities ascend along the ring, n(n+1)/2 if they descend.
// A run is as long as all of them are sent and received, and the leader elected.
func TestChangRobertsMessages(t *testing.T) {
	for settings, messages := range map[string]int{
		"n=5 ids=ascending":  2*5 - 1,
		"n=5 ids=descending": 5 * 6 / 2,
	} {
		g := reachable(t, open(t, "chang-roberts", settings, compile.Options{}))
		if got, want := g.runLength(), 2*messages+1; got != want {
			t.Errorf("%s: a run has %d steps, want %d", settings, got, want)
		}
	}
}

// runLength returns the length of the run that always takes the first transition.
func (g *graph) runLength() int {
	n := 0
	for s := 0; len(g.next[s]) > 0; s = g.next[s][0] {
		n++
	}
	return n
}

// TestItaiRodehRoundsGrow: with round numbers the state space is infinite, and a search says so.
func TestItaiRodehRoundsGrow(t *testing.T) {
	sys := open(t, "itai-rodeh", "n=2 rounds=true", compile.Options{MaxNat: 20})
	g := &graph{system: sys}
	var modelError *model.Error
	if err := g.generate(); !errors.As(err, &modelError) || !modelError.Growth {
		t.Errorf("generating gave %v, want growth beyond the bound", err)
	}
}
