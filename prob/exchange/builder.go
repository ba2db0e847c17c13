package exchange

import (
	"fmt"
	"math/big"
	"strings"

	"ringcheck/internal/effort"
	"ringcheck/prob"
)

// A builder makes a process of what a file says, state by state.
type builder struct {
	*effort.Effort
	b       *prob.Builder
	names   []string // of the rewards
	marks   map[string]uint32
	rewards [][]*big.Rat // by reward and mark
}

func newBuilder(f *effort.Effort, rewards []string) *builder {
	return &builder{Effort: f, b: prob.NewBuilder(), names: rewards, marks: make(map[string]uint32), rewards: make([][]*big.Rat, len(rewards))}
}

// A branch is one as a file has it.
type branch struct {
	to      uint32
	weight  *big.Rat
	rewards []*big.Rat // by reward; nil is none
}

// branchBytes and stateBytes are what a process takes for a branch and a state while it grows.
const (
	branchBytes = 16
	stateBytes  = 12
)

// choice adds a choice to the state that is being built.
func (b *builder) choice(list []branch) error {
	b.Hold(branchBytes * uint64(len(list)))
	if len(list) == 0 {
		return fmt.Errorf("a choice has no branches")
	}
	var probabilities []*big.Rat
	for _, x := range list {
		probabilities = append(probabilities, x.weight)
	}
	w, err := weights(probabilities)
	if err != nil {
		return err
	}
	var out []prob.Branch
	for i, x := range list {
		mark, err := b.mark(x.rewards)
		if err != nil {
			return err
		}
		out = append(out, prob.Branch{To: x.to, Weight: w[i], Mark: mark})
	}
	b.b.Choice(out...)
	return nil
}

// mark returns the mark of branches with some rewards.
func (b *builder) mark(rewards []*big.Rat) (uint32, error) {
	var key strings.Builder
	for i := range b.names {
		if i < len(rewards) && rewards[i] != nil {
			if rewards[i].Sign() < 0 {
				return 0, fmt.Errorf("the reward %s is negative", rewards[i].RatString())
			}
			key.WriteString(rewards[i].RatString())
		}
		key.WriteByte(' ')
	}
	m, ok := b.marks[key.String()]
	if !ok {
		m = uint32(len(b.marks))
		b.marks[key.String()] = m
		for i := range b.names {
			r := new(big.Rat)
			if i < len(rewards) && rewards[i] != nil {
				r = rewards[i]
			}
			b.rewards[i] = append(b.rewards[i], r)
		}
	}
	return m, nil
}

// end ends a state.
func (b *builder) end() {
	b.Hold(stateBytes)
	b.b.End()
}

// process returns what was built, without what closed adds.
func (b *builder) process(initial []uint32, labels []prob.Label) (*prob.MDP, error) {
	m, err := b.b.MDP(initial...)
	if err != nil {
		return nil, err
	}
	m.Labels = labels
	for i, name := range b.names {
		m.Rewards = append(m.Rewards, prob.Reward{Name: name, Of: b.rewards[i]})
	}
	return opened(b.Effort, m)
}

// sum adds rewards, each of which may be nil.
func sum(lists ...[]*big.Rat) []*big.Rat {
	var out []*big.Rat
	for _, list := range lists {
		for i, r := range list {
			for i >= len(out) {
				out = append(out, nil)
			}
			switch {
			case r == nil:
			case out[i] == nil:
				out[i] = r
			default:
				out[i] = new(big.Rat).Add(out[i], r)
			}
		}
	}
	return out
}
