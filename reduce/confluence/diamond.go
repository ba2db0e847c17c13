package confluence

import (
	"cmp"
	"slices"

	"ringcheck/model/language/compile"
)

// A check of the diamonds of one transition: s –t→ s1 and s –a→ s2 close if s1 –a→ s3 and s2 –t→ s3.
type check struct {
	*analysis
	t     transition
	step  outcome      // of t
	needs []transition // the edges s2 –t→ s3
}

// commutesWith checks t against all transitions of the process under trigger y.
func (c *check) commutesWith(y trigger) bool {
	here := c.behaviour.offer(c.t.local, y)
	if here.empty() {
		return true
	}
	there := c.behaviour.offer(c.step.next, y)
	if here.fails || there.fails {
		return here.fails == there.fails
	}
	for _, choice := range here.choices {
		if !slices.ContainsFunc(there.choices, func(same []outcome) bool { return c.closesChoice(choice, same) }) {
			return false
		}
	}
	return true
}

// closesChoice reports whether each outcome of a choice before t meets one of a choice after t with the same
// probability.
func (c *check) closesChoice(before, after []outcome) bool {
	if len(before) != len(after) {
		return false
	}
	needs := len(c.needs)
	used := make([]bool, len(after))
	for i := range before {
		met := false
		for j := range after {
			if !used[j] && c.closesOutcome(&before[i], &after[j]) {
				used[j], met = true, true
				break
			}
		}
		if !met {
			c.needs = c.needs[:needs]
			return false
		}
	}
	return true
}

// closesOutcome reports whether the outcome x before t and y after t close a diamond.
func (c *check) closesOutcome(x, y *outcome) bool {
	if x.weight != y.weight || x.event != y.event {
		return false
	}
	sent := slices.Concat(c.step.sends, y.sends)
	if c.t.trigger == own && x.next == y.next && c.sameSends(x.sends, sent) {
		return true // x undoes t: s2 is s3
	}
	o := c.behaviour.offer(x.next, c.t.trigger)
	last, certain := o.certain()
	if !certain || last.next != y.next || !c.sameSends(slices.Concat(x.sends, last.sends), sent) {
		return false
	}
	c.needs = append(c.needs, transition{c.head(x.next), c.t.trigger})
	return true
}

// sameSends reports whether two sequences of sends have the same effect on the channels.
func (a *analysis) sameSends(x, y []compile.Outcome) bool {
	if len(x) != len(y) {
		return false
	}
	if len(x) == 0 {
		return true
	}
	return slices.EqualFunc(a.canonicalSends(x), a.canonicalSends(y), func(m, n compile.Outcome) bool {
		return m.Target == n.Target && m.Message == n.Message
	})
}

// canonicalSends returns sends in a canonical order with the same effect on the channels.
func (a *analysis) canonicalSends(sends []compile.Outcome) []compile.Outcome {
	sends = slices.Clone(sends)
	slices.SortStableFunc(sends, func(m, n compile.Outcome) int {
		if c := cmp.Compare(m.Target, n.Target); c != 0 || a.channel.Ordered() {
			return c
		}
		return cmp.Compare(m.Message, n.Message)
	})
	return sends
}
