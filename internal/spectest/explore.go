package spectest

import (
	"fmt"

	"ringcheck/model/language/step"
)

// A Graph is what Explore found.
type Graph struct {
	States      []*step.State // in breadth-first order
	Transitions int
	Deadlocks   int
	Levels      []int // states by distance from the initial states
}

// Explore searches breadth first, without any table. It is an error if there are more than limit states.
func Explore(in *step.Machine, limit int) (*Graph, error) {
	g := &Graph{}
	seen := make(map[string]bool)
	add := func(s *step.State) bool {
		if k := in.Key(s); !seen[k] {
			seen[k] = true
			g.States = append(g.States, s)
		}
		return len(g.States) <= limit
	}
	tooMany := fmt.Errorf("more than %d states", limit)
	if err := in.Initial(add); err != nil {
		return g, err
	}
	if len(g.States) > limit {
		return g, tooMany
	}
	for first := 0; first < len(g.States); {
		level := g.States[first:]
		g.Levels = append(g.Levels, len(level))
		first = len(g.States)
		for _, s := range level {
			ts, err := in.Successors(s)
			if err != nil {
				return g, err
			}
			if len(ts) == 0 {
				g.Deadlocks++
			}
			g.Transitions += len(ts)
			for _, t := range ts {
				if !add(t.Target) {
					return g, tooMany
				}
			}
		}
	}
	return g, nil
}
