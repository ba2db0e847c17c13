package prob

import (
	"context"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/reduce"
)

// TestReduced: the reductions by confluence keep the least and the greatest probability of an event and of coming to a
// terminal state, and composing keeps the least and the greatest rewards until then, where it tells what it has
// composed.
func TestReduced(t *testing.T) {
	total := uint64(100 * Scale())
	compared, smaller, between, rewards := 0, 0, 0, 0
	corpus := spectest.NewCorpus(spectest.Coupled...)
	for seed, src := range corpus.Specs(int(total), 14) {
		p := spectest.Instantiate(t, src, nil)
		if spectest.Compile(t, p).CheckUncoupled() != nil {
			continue
		}
		full, states, _ := reducedValues(t, p, reduce.NoReduction)
		if full == nil {
			continue
		}
		compared++
		for _, level := range []reduce.Reduction{reduce.Confelm, reduce.OnTheFly} {
			got, fewer, told := reducedValues(t, p, level)
			if fewer < states {
				smaller++
			}
			for i, v := range got {
				if i >= probabilities && !told {
					break
				}
				if i >= probabilities && full[i] != Infinite {
					rewards++
				}
				if full[i].Low > 0 && full[i].High < 1 {
					between++
				}
				if v.High < full[i].Low || v.Low > full[i].High {
					t.Errorf("seed %d, level %v, value %d: %v, reduced %v\n%s", seed, level, i, full[i], v, src)
				}
			}
		}
		corpus.Use(t, src)
	}
	if compared < int(total)*9/10 || smaller < int(total) || rewards < int(total)/10 || between == 0 {
		t.Errorf("%d specs, %d reduced, %d rewards, %d probabilities between 0 and 1 say little", compared, smaller,
			rewards, between)
	}
	corpus.Check(t)
}

// probabilities is how many of the values are.
const probabilities = 4

// reducedValues returns extreme values of a protocol; none if it is too large or has a model error.
func reducedValues(t *testing.T, p *ir.Protocol, level reduce.Reduction) (values []Interval, states int, told bool) {
	t.Helper()
	sys := spectest.Compile(t, p, compile.Options{MaxMessages: 3})
	applied, err := reduce.Apply(context.Background(), sys, reduce.Search{Reduction: level}, nil)
	if err != nil {
		t.Fatal(err)
	}
	asked := Protocol{System: sys, Searched: applied.System, Actions: applied.Actions, Rewards: p.Rewards[:2],
		Goals: []*ir.Formula{{Op: ir.TerminalAtom}, {Op: ir.EventAtom, Event: p.Events[0]}}}
	m, goals, _, err := asked.Process(t.Context(), explore.Options{MaxStates: 3000})
	if err != nil || m == nil {
		return nil, 0, false
	}
	ask := func(g Goal, q Query) {
		problem, err := Prepare(t.Context(), m, g)
		if err != nil {
			t.Fatal(err)
		}
		a := problem.Ask(t.Context(), []Query{q}, Options{})[0]
		if a.Err != nil {
			t.Fatal(a.Err)
		}
		values = append(values, a.Interval)
	}
	for _, k := range []Scheduler{Min, Max} {
		ask(goals[0], Query{Within: -1, Scheduler: k})
		ask(goals[1], Query{Within: -1, Scheduler: k})
	}
	for _, k := range []Scheduler{Min, Max} {
		for i := range m.Rewards {
			ask(goals[0], Query{Within: -1, Scheduler: k, Reward: &m.Rewards[i]})
		}
	}
	return values, m.States(), applied.ActionsComplete()
}
