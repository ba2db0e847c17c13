package verify

import (
	"fmt"
	"slices"
	"testing"
)

// checkShortest checks that the run of a judgment on an LTL property is a shortest one if the safety part of its
// formula can be violated, and that the property is violated then. It returns the number of steps, negative if the
// safety part holds or is too large.
func checkShortest(t *testing.T, g *naive, f *temporal, got *Judgment) (int, error) {
	t.Helper()
	safety := f.formula.Safety()
	tableau := newTableau(safety)
	if tableau == nil {
		return -1, nil
	}
	want, err := g.shortestPrefix(t, f, tableau)
	if err != nil {
		return 0, err
	}
	switch pure := safety.String() == f.formula.String(); {
	case want >= 0 && (got.Outcome != Violated || got.length() != want):
		return 0, fmt.Errorf("%v after %d steps, want a violation after %d", got.Outcome, got.length(), want)
	case want < 0 && (got.Prefix != nil || pure && got.Outcome != Holds):
		return 0, fmt.Errorf("%v after %d steps, want no such run", got.Outcome, got.length())
	}
	return want, nil
}

// shortestPrefix returns the length of a shortest run that violates the tableau's formula, which has no until: every
// transition from its last state does, or the run that ends there. It is negative if there is none.
func (g *naive) shortestPrefix(t *testing.T, f *temporal, b *tableau) (int, error) {
	t.Helper()
	edges, _ := g.edges(t, f)
	b.keepEndless()
	start := slices.DeleteFunc(slices.Clone(b.sets), func(s uint64) bool { return s>>(len(b.formulas)-1)&1 == 0 })
	type node struct {
		state int
		sets  string
	}
	type entry struct {
		state, steps int
		sets         []uint64
	}
	var queue []entry
	seen := map[node]bool{}
	add := func(e entry) {
		key := node{e.state, fmt.Sprint(e.sets)}
		if !seen[key] {
			seen[key] = true
			queue = append(queue, e)
		}
	}
	for i, level := range g.level {
		if level == 0 {
			add(entry{i, 0, start})
		}
	}
	for i := 0; i < len(queue); i++ {
		e := queue[i]
		letter, err := f.letter(g.states[e.state], g.protocol)
		if err != nil {
			return 0, err
		}
		every, ends := len(b.after(e.sets, letter)) == 0, false
		for _, out := range edges[e.state] {
			after := b.after(e.sets, out.letter)
			every = every && len(after) == 0
			if out.to < len(g.states) {
				add(entry{out.to, e.steps + 1, after})
				continue
			}
			for range len(b.sets) + 1 {
				after = b.after(after, out.letter)
			}
			ends = len(after) == 0
		}
		if every || ends {
			return e.steps, nil
		}
	}
	return -1, nil
}

// keepEndless leaves only the sets from which words go on for ever.
func (b *tableau) keepEndless() {
	for n := -1; n != len(b.sets); {
		n = len(b.sets)
		all := slices.Clone(b.sets)
		b.sets = slices.DeleteFunc(b.sets, func(s uint64) bool {
			return !slices.ContainsFunc(all, func(to uint64) bool { return b.leads(s, to) })
		})
	}
}

// after returns the sets after a letter.
func (b *tableau) after(sets []uint64, letter uint64) []uint64 {
	var after []uint64
	for _, to := range b.sets {
		if slices.ContainsFunc(sets, func(s uint64) bool { return b.fits(s, letter) && b.leads(s, to) }) {
			after = append(after, to)
		}
	}
	return after
}
