package bisim

import (
	"fmt"
	"slices"
	"strings"

	"ringcheck/bisim/lts"
)

// naive computes the classes by the definitions, with no thought of time. Strong and branching: the greatest
// relation with the transfer property, by removing pairs. Divergence: the coarsest partition that is
// stable under signatures that say whether τ is possible for ever within the block.
func naive(l *lts.LTS, e Equivalence) *Partition {
	if e == Divergence {
		return naiveDivergence(l)
	}
	n := l.States()
	related := make([][]bool, n)
	for s := range related {
		related[s] = slices.Repeat([]bool{true}, n)
	}
	for changed := true; changed; {
		changed = false
		for s := range n {
			for t := range n {
				if related[s][t] && !(transfers(l, related, e, s, t) && transfers(l, related, e, t, s)) {
					related[s][t], related[t][s] = false, false
					changed = true
				}
			}
		}
	}
	of := make([]uint32, n)
	for s := range n {
		of[s] = uint32(slices.Index(related[s], true))
	}
	return canonical(idle(), of, n)
}

// transfers checks van Glabbeek and Weijland's condition: whatever s does, t does after τ's through states
// that are still related to s; or it is a τ to a state related to t.
func transfers(l *lts.LTS, related [][]bool, e Equivalence, s, t int) bool {
	before := map[uint32]bool{uint32(t): true}
	if e != Strong {
		before = closure(l, uint32(t), func(v uint32) bool { return related[s][v] })
	}
	for _, step := range l.Out(uint32(s)) {
		matched := e != Strong && step.Label == lts.Tau && related[step.To][t]
		for v := range before {
			for _, answer := range l.Out(v) {
				matched = matched || answer.Label == step.Label && related[step.To][answer.To]
			}
		}
		if !matched {
			return false
		}
	}
	return true
}

// closure returns the states reached from s by τ's through states with a property.
func closure(l *lts.LTS, s uint32, has func(uint32) bool) map[uint32]bool {
	seen := map[uint32]bool{s: true}
	for todo := []uint32{s}; len(todo) > 0; {
		v := todo[0]
		todo = todo[1:]
		for _, e := range l.Out(v) {
			if e.Label == lts.Tau && has(e.To) && !seen[e.To] {
				seen[e.To] = true
				todo = append(todo, e.To)
			}
		}
	}
	return seen
}

func naiveDivergence(l *lts.LTS) *Partition {
	p := canonical(idle(), make([]uint32, l.States()), 1)
	for {
		number := map[string]uint32{}
		of := make([]uint32, l.States())
		for s := range of {
			key := signatureText(l, p, uint32(s))
			if _, ok := number[key]; !ok {
				number[key] = uint32(len(number))
			}
			of[s] = number[key]
		}
		if len(number) == p.Blocks {
			return p
		}
		p = canonical(idle(), of, len(number))
	}
}

func signatureText(l *lts.LTS, p *Partition, s uint32) string {
	within := func(v uint32) bool { return p.Of[v] == p.Of[s] }
	var parts []string
	for v := range closure(l, s, within) {
		for _, e := range l.Out(v) {
			switch {
			case e.Label != lts.Tau || !within(e.To):
				parts = append(parts, fmt.Sprint(e.Label, ">", p.Of[e.To]))
			case closure(l, e.To, within)[v]:
				parts = append(parts, "for ever")
			}
		}
	}
	slices.Sort(parts)
	return fmt.Sprint(p.Of[s], ":", strings.Join(slices.Compact(parts), " "))
}
