package costs

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"

	"ringcheck"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
)

// A Tally is the cost of a run by one reward, over all arrangements of identities around a ring, equally likely.
type Tally struct {
	Least, Greatest int64
	Mean            *big.Rat
}

// Messages takes one run, up to a terminal state, for each arrangement of identities that begins with the same identity
// (these are all arrangements up to rotation), and returns the costs of the runs by reward of the spec. It refuses a
// spec that draws, because one run would miss the other outcomes.
//
// One run is enough where the schedule does not change what is counted. In chang-roberts and hirschberg-sinclair the
// identities alone decide whether a message is passed on, answered or stopped, and what a candidate sends depends only
// on the answers that it gets. In dkr, peterson and franklin-unique over FIFO channels every process is a deterministic
// program that waits for one channel, or for one message from each of two, so that the messages through a channel are
// the same in all runs (G. Kahn, The semantics of a simple language for parallel programming, 1974). For small rings
// the tests compare the result with the least and the greatest cost over all schedules.
func Messages(ctx context.Context, spec string, set ringcheck.Set) (map[string]*Tally, error) {
	sys, err := ringcheck.Load(spec, set)
	if err != nil {
		return nil, err
	}
	return tally(ctx, sys)
}

// tally is Messages for a system.
func tally(ctx context.Context, sys *ringcheck.System) (map[string]*Tally, error) {
	prepared, err := ringcheck.Prepare(ctx, sys, ringcheck.Search{})
	if err != nil {
		return nil, err
	}
	compiled := prepared.System.(*compile.System)
	r := &runner{System: compiled, rewards: compiled.Protocol().Rewards, rewardsOf: make(map[model.Label][]int64),
		cursor: model.NewCursor(compiled)}
	first := model.Value(0)
	runs := int64(0)
	sums := make([]int64, len(r.rewards))
	tallies := make(map[string]*Tally)
	failed := error(nil)
	err = compiled.Initial(func(state []model.Value) bool {
		at := state[compiled.SlotOfProcess(0)]
		if runs == 0 {
			first = at
		}
		if at != first {
			return true
		}
		if failed = ctx.Err(); failed == nil {
			failed = r.run(slices.Clone(state))
		}
		for i, reward := range r.rewards {
			t := tallies[reward.Name]
			if t == nil {
				t = &Tally{Least: r.total[i]}
				tallies[reward.Name] = t
			}
			t.Least, t.Greatest = min(t.Least, r.total[i]), max(t.Greatest, r.total[i])
			sums[i] += r.total[i]
		}
		runs++
		return failed == nil
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		return nil, err
	}
	for i, reward := range r.rewards {
		tallies[reward.Name].Mean = big.NewRat(sums[i], runs)
	}
	return tallies, nil
}

// A runner runs a system and adds up its rewards.
type runner struct {
	*compile.System
	rewards   []*ir.Reward
	rewardsOf map[model.Label][]int64 // by reward
	total     []int64                 // of the run
	cursor    *model.Cursor
}

// longest is the greatest number of steps of a run.
const longest = 1 << 20

// run takes the first enabled step until none is enabled.
func (r *runner) run(state []model.Value) error {
	r.total = make([]int64, len(r.rewards))
	groups := r.Groups()
	idle := 0
	for steps, g := 0, 0; idle < len(groups); g = (g + 1) % len(groups) {
		if err := r.cursor.Next(g, state); err != nil {
			return err
		}
		idle++
		if r.cursor.Len() == 0 {
			continue
		}
		step := r.cursor.Step(0)
		if step.Weight != model.Certain {
			return fmt.Errorf("%s: %s draws", r.Protocol().Name, groups[g].Name)
		}
		if steps++; steps > longest {
			return fmt.Errorf("%s: a run is longer than %d steps", r.Protocol().Name, longest)
		}
		if err := r.earn(step.Label); err != nil {
			return err
		}
		r.cursor.Take(0, state)
		idle = 0
	}
	return nil
}

// earn adds the rewards of a step.
func (r *runner) earn(l model.Label) error {
	list, ok := r.rewardsOf[l]
	if !ok {
		for _, reward := range r.rewards {
			value, err := r.Reward(reward, l)
			if err != nil {
				return err
			}
			list = append(list, value)
		}
		r.rewardsOf[l] = list
	}
	for i, value := range list {
		r.total[i] += value
	}
	return nil
}

// A Term is the term of one stage in the note's bound on the messages of Hirschberg and Sinclair's algorithm, 4 (n + 2
// ⌊n/2⌋ + 4 ⌊n/3⌋ + 8 ⌊n/5⌋ + …).
type Term struct {
	Stage      int
	Candidates int64 // at most
	Messages   int64 // at most
}

// Bound returns the terms for a ring of n, one for each of the 1 + ⌈log2 n⌉ stages.
func Bound(n int64) []Term {
	var terms []Term
	for i := 0; 1<<i < 2*n; i++ {
		candidates := n
		if i > 0 {
			candidates = n / (1<<(i-1) + 1)
		}
		terms = append(terms, Term{i, candidates, 4 << i * candidates})
	}
	return terms
}

// A Protocol is a spec whose messages are counted over all arrangements of unique identities.
type Protocol struct {
	Name, Spec string
	Options    ringcheck.Set
}

// Settings returns the parameters and options for a ring of n.
func (p *Protocol) Settings(n int) ringcheck.Set {
	set := ringcheck.Set{"n": n}
	maps.Copy(set, p.Options)
	return set
}

// Protocols are the protocols of the papers that do not draw, except Franklin's with the announcement of the leader,
// whose messages depend on the schedule: a process that has passed on the announcement stops, and then does not pass on
// a message of the leader that comes later. So from 1 to n messages more are sent than without the announcement.
var Protocols = []Protocol{
	{"Chang–Roberts", "chang-roberts", nil},
	{"Hirschberg–Sinclair", "hirschberg-sinclair", nil},
	{"Franklin", "franklin-unique", nil},
	{"Dolev–Klawe–Rodeh", "dkr", ringcheck.Set{"ids": "any", "modulus": "1", "channel": "fifo"}},
	{"Peterson", "peterson", nil},
}

// Stages returns the number of candidates in each stage of Hirschberg and Sinclair's algorithm: half the number of
// requests sent by their own candidate, because a candidate sends two.
func Stages(ctx context.Context, n int) ([]Tally, error) {
	spec, err := ringcheck.Open("hirschberg-sinclair")
	if err != nil {
		return nil, err
	}
	text := slices.Clone(spec.Text)
	terms := Bound(int64(n))
	for i := range terms {
		text = fmt.Appendf(text, "\nreward stage%d = if x = 0 and y = %d then 1 else 0 per send From\n", i, 1<<i)
	}
	if spec, err = ringcheck.Parse(spec.File, text); err != nil {
		return nil, err
	}
	sys, err := spec.System(ringcheck.Set{"n": n})
	if err != nil {
		return nil, err
	}
	tallies, err := tally(ctx, sys)
	if err != nil {
		return nil, err
	}
	var stages []Tally
	for i := range terms {
		t := tallies[fmt.Sprint("stage", i)]
		stages = append(stages, Tally{t.Least / 2, t.Greatest / 2, new(big.Rat).Quo(t.Mean, big.NewRat(2, 1))})
	}
	return stages, nil
}

// PerLog returns the number of messages of the given number of rounds, 2n each, divided by n log2 n.
func PerLog(n int, rounds Ratio) float64 { return 2 * rounds.Float() / math.Log2(float64(n)) }
