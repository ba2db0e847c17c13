package prob_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
	"ringcheck/verify/prob"
)

// naiveProcess takes the process of a protocol from the small-step semantics. Where only the environment can act one
// more choice leads to a terminal state, the last, if a run may end there. It returns nil if there are many states or a
// model error, and the states in which a process has crashed.
func naiveProcess(p *ir.Protocol, ends bool) (m *prob.MDP, crashed []uint32, quiescent int) {
	in := step.New(p, step.Options{})
	g, err := spectest.Explore(in, 400)
	if err != nil {
		return nil, nil, 0
	}
	number := make(map[string]uint32)
	for i, s := range g.States {
		number[s.Key()] = uint32(i)
	}
	b := prob.NewBuilder()
	last := uint32(len(g.States))
	for i, s := range g.States {
		transitions, err := spectest.Successors(in, s)
		if err != nil {
			return nil, nil, 0
		}
		if s.Processes[0].Point.Equation == p.Faults.Crashed {
			crashed = append(crashed, uint32(i))
		}
		for first := 0; first < len(transitions); {
			var choice []prob.Branch
			for n := transitions[first].Choice; first < len(transitions) && transitions[first].Choice == n; first++ {
				t := &transitions[first]
				w := prob.NewWeight(t.Weight.Num().Uint64(), t.Weight.Denom().Uint64())
				choice = append(choice, prob.Branch{To: number[t.Target.Key()], Weight: w})
			}
			b.Choice(choice...)
		}
		if len(transitions) > 0 && spectest.Quiescent(transitions) {
			quiescent++
			if ends {
				b.Choice(prob.Branch{To: last, Weight: prob.Certain, Mark: 1})
			}
		}
		b.End()
	}
	b.End()
	if m, err = b.MDP(0); err != nil {
		return nil, nil, 0
	}
	m.Rewards = []prob.Reward{{Name: "steps", Of: []*big.Rat{big.NewRat(1, 1)}}}
	return m, crashed, quiescent
}

// TestEnds: least and greatest values are those of a process in which a scheduler can end a run where only the
// environment can act, the uniform ones of that in which it cannot.
func TestEnds(t *testing.T) {
	compared, differ := 0, 0
	for seed := range uint64(60 * prob.Scale()) {
		p := spectest.Instantiate(t, spectest.Faulty(rand.New(rand.NewPCG(seed, 5)))+"define down = 0 crashed\n", nil)
		ends, crashed, quiescent := naiveProcess(p, true)
		if ends == nil || quiescent == 0 {
			continue
		}
		compared++
		plain, _, _ := naiveProcess(p, false)
		down := &ir.Formula{Op: ir.StateAtom, State: &ir.At{Process: &ir.Const{T: ir.NodeType(p.N)},
			Equation: p.Faults.Crashed}}
		asked := prob.Protocol{System: spectest.Compile(t, p), Goals: []*ir.Formula{down, {Op: ir.TerminalAtom}},
			Rewards: p.Rewards[:1]}
		m, goals, _, err := asked.Process(t.Context(), explore.Options{})
		if err != nil || m == nil {
			t.Fatal(err)
		}
		for i, goal := range goals {
			naive := prob.Goal{Terminal: i == 1}
			if i == 0 {
				naive.States = prob.NewSet(ends.States())
				for _, s := range crashed {
					naive.States.Add(s)
				}
			}
			for _, k := range []prob.Scheduler{prob.Uniform, prob.Min, prob.Max} {
				reference := ends
				if k == prob.Uniform {
					reference = plain
				}
				for _, exact := range []bool{false, true} {
					got := answers(t, m, goal, k, exact)
					want := answers(t, reference, naive, k, exact)
					if fmt.Sprint(got) != fmt.Sprint(want) {
						t.Fatalf("seed %d, goal %d, %v, exact %v: %v, want %v", seed, i, k, exact, got, want)
					}
					if k != prob.Uniform && fmt.Sprint(answers(t, plain, naive, k, exact)) != fmt.Sprint(want) {
						differ++
					}
				}
			}
		}
	}
	t.Logf("%d specs, %d answers depend on it", compared, differ)
	if compared < 15*prob.Scale() || differ < 30*prob.Scale() {
		t.Errorf("only %d specs, of which %d answers depend on the ends of runs", compared, differ)
	}
}

// answers returns the probability, that within three steps, and the expected steps until a goal, to nine digits.
func answers(t *testing.T, m *prob.MDP, g prob.Goal, k prob.Scheduler, exact bool) (values []string) {
	t.Helper()
	p, err := prob.Prepare(t.Context(), m, g)
	if err != nil {
		t.Fatal(err)
	}
	queries := []prob.Query{{Within: -1}, {Within: 3}, {Within: -1, Reward: &m.Rewards[0]}}
	for i := range queries {
		queries[i].Scheduler = k
	}
	for _, a := range p.Ask(t.Context(), queries, prob.Options{Exact: exact}) {
		if a.Err != nil {
			t.Fatal(a.Err)
		}
		values = append(values, fmt.Sprintf("%.9g", math.Abs(a.Interval.High)))
	}
	return values
}
