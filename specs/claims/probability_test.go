package claims

import (
	"fmt"
	"math/big"
	"testing"

	"ringcheck/explore"
	"ringcheck/model/language/ir"
	"ringcheck/prob"
)

// goals are declarations that ask about an election: by its event, and by the end of everything.
const goals = `
probability when_elected = P(leader happens) >= 0
probability when_terminal = P(terminal) >= 0
`

// problem returns the problem to reach a goal, and the protocol's rewards.
func (i instance) problem(t *testing.T, goal string) (*prob.Problem, *prob.MDP) {
	t.Helper()
	i.properties += goals
	sys := i.compile(t)
	asked := prob.Protocol{System: sys, Rewards: sys.Protocol().Rewards}
	for _, b := range sys.Protocol().Bounds {
		if b.Name == "when_"+goal {
			asked.Goals = []*ir.Formula{b.Goal}
		}
	}
	m, reached, _, err := asked.Process(t.Context(), explore.Options{})
	if err != nil || m == nil {
		t.Fatalf("%s: %v", i.settings, err)
	}
	p, err := prob.Prepare(t.Context(), m, reached[0])
	if err != nil {
		t.Fatal(err)
	}
	return p, m
}

// exactly returns an exact value.
func exactly(t *testing.T, p *prob.Problem, q prob.Query) *big.Rat {
	t.Helper()
	i, err := p.Exact(t.Context(), q)
	if err != nil || i.Exact == nil {
		t.Fatalf("%v, %v", i, err)
	}
	return i.Exact
}

// Sect. 4, Theorem 2, and Theorem 4 of the note: a leader is elected with probability one. It is so whoever decides who acts, without
// an assumption of fairness: the least probability is 1. It follows from the graph, so it is exact.
func TestTheorem2Almost(t *testing.T) {
	settings := append(grid(3, 3, ""), grid(3, 2, "fresh=clash")...)
	settings = append(settings, grid(3, 2, "fresh=both")...)
	if *full {
		settings = append(settings, "n=4 k=3", "n=5 k=2")
	}
	for _, s := range settings {
		p, _ := instance{spec: "franklin", settings: s}.problem(t, "elected")
		got, err := p.Probability(t.Context(), prob.Min, prob.Options{})
		if err != nil || got.Exact == nil || got.Exact.Cmp(big.NewRat(1, 1)) != 0 {
			t.Errorf("%s: the least probability is %v, %v", s, got, err)
		}
	}
}

// Sect. 6, Fig. 3: "Algorithm A has a much better performance than Algorithm B", by the probability of an election within t steps, up to 150. The
// text gives neither n nor k nor who schedules. With two identities, under the uniform scheduler:
//   - in a ring of three, A and B are the same algorithm, for all that this shows;
//   - in a ring of four, A is ahead of B by at most 1/16;
//   - read as if both messages had to carry the own identity ("either" as in "both"), B is far behind: after 50 steps
//     it has elected a leader in an eighth of the cases, A in 13 of 32.
func TestFigure3(t *testing.T) {
	deadlines := []int{30, 50, 100}
	for _, c := range []struct{ settings, want string }{
		{"n=3 k=2 fresh=round", "3/8 105/128 32385/32768"},
		{"n=3 k=2 fresh=clash", "3/8 105/128 32385/32768"},
		{"n=3 k=2 fresh=both", "3/8 87/128 32007/32768"},
		{"n=4 k=2 fresh=round", "0 13/32 15035/16384"},
		{"n=4 k=2 fresh=clash", "0 11/32 14865/16384"},
		{"n=4 k=2 fresh=both", "0 1/8 1691/2048"},
	} {
		if !*full && c.settings[2] == '4' { // the regression file has these
			continue
		}
		p, _ := instance{spec: "franklin", settings: c.settings}.problem(t, "elected")
		curve, err := p.Within(t.Context(), prob.Uniform, 100)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range fractions(t, c.want) {
			got := curve[deadlines[i]]
			exact, _ := want.Float64()
			if got.Low > exact || got.High < exact || got.Width() > 1e-9 {
				t.Errorf("%s: within %d steps %v, want %v", c.settings, deadlines[i], got, want)
			}
		}
	}
}

// fractions reads numbers separated by blanks.
func fractions(t *testing.T, text string) []*big.Rat {
	var list []*big.Rat
	for len(text) > 0 {
		var word string
		if _, err := fmt.Sscan(text, &word); err != nil {
			t.Fatal(err)
		}
		text = text[min(len(text), len(word)+1):]
		r, ok := new(big.Rat).SetString(word)
		if !ok {
			t.Fatalf("%q", word)
		}
		list = append(list, r)
	}
	return list
}
