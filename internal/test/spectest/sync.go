package spectest

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"ringcheck/model/language/step"
)

// Synchronous returns a spec with synchronous channels in the place of others. Nothing is left of what it says of
// messages in them.
func Synchronous(text string) string {
	text = channelClause.ReplaceAllString(text, "channel sync\n")
	return initialContents.ReplaceAllString(text, "")
}

var (
	channelClause   = regexp.MustCompile(`(?m)^channel .*\n`)
	initialContents = regexp.MustCompile(`(?m)^initially .* in inbox.*\n`)
)

// meet collects the transitions of process p in which it acts, over synchronous channels: what it does alone, and what
// it sends together with the receipts of others, in all combinations.
func (c *collector) meet(p int) error {
	all, err := c.machine.OwnSteps(c.state.Processes[p], step.Site{Process: p, View: registers{c.state}})
	if err != nil {
		return err
	}
	choices, transitions := make(map[string]bool), make(map[string]bool)
	for _, d := range all {
		ways := [][]Transition{nil}
		for _, o := range d {
			options, err := c.options(p, &o)
			if err != nil {
				return err
			}
			var longer [][]Transition
			for _, way := range ways {
				for _, t := range options {
					longer = append(longer, append(slices.Clone(way), t))
				}
			}
			ways = longer
		}
		for _, way := range ways {
			way, text := sums(way)
			if choices[text] {
				continue
			}
			choices[text] = true
			for _, t := range way {
				t.Choice, t.Repeated = c.choices, transitions[identity(&t)]
				c.all = append(c.all, t)
			}
			for _, t := range way {
				transitions[identity(&t)] = true
			}
			c.choices++
		}
	}
	return nil
}

// identity tells the transitions of a process from each other.
func identity(t *Transition) string { return t.Label + t.Target.Key() }

// sums adds the weights of equal transitions. It returns a text that does not depend on the order.
func sums(way []Transition) (sum []Transition, text string) {
	var parts []string
	for _, t := range way {
		i := slices.IndexFunc(sum, func(u Transition) bool { return identity(&u) == identity(&t) })
		if i < 0 {
			sum = append(sum, t)
			continue
		}
		sum[i].Weight = new(big.Rat).Add(sum[i].Weight, t.Weight)
	}
	for _, t := range sum {
		parts = append(parts, fmt.Sprintf("%q %v", identity(&t), t.Weight))
	}
	slices.Sort(parts)
	return sum, strings.Join(parts, "\n")
}

// options returns the transitions in which an outcome of process p comes about: one, or with a send one for each way to
// receive its message in the state that the sender leaves.
func (c *collector) options(p int, o *step.Outcome) (all []Transition, err error) {
	t := Transition{
		Action: o.Action, Kind: o.Action.Kind, Process: p, Link: -1, Weight: o.Probability, Target: clone(c.state),
	}
	change(t.Target, p, o)
	if !o.Action.Sends() {
		t.Label = c.machine.Label(o.Action, p).Text
		return []Transition{t}, nil
	}
	if t.Link = c.protocol.OutLink(p, o.Action.Port); t.Link < 0 {
		return nil, c.machine.NoChannel(o.Action.Port, o.Place)
	}
	info := c.machine.Label(o.Action, p)
	t.Label, t.Message = info.Text, info.Message
	l := c.protocol.Links[t.Link]
	if l.To == p {
		return nil, nil
	}
	site := step.Site{Process: l.To, View: registers{t.Target}}
	received, err := c.machine.Receive(c.state.Processes[l.To], site, l.In, o.Action.Message)
	for _, d := range received {
		both := t
		both.Target = clone(t.Target)
		change(both.Target, l.To, &d[0])
		all = append(all, both)
	}
	return all, err
}

// change changes a state as an outcome of process p does, except for channels.
func change(s *step.State, p int, o *step.Outcome) {
	s.Processes[p] = o.Next
	for _, w := range o.Writes {
		s.Shared[w.Var.Slot] = w.Value
	}
}
