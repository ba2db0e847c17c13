package interp

import (
	"fmt"
	"strings"

	"ringcheck/model/language/ir"
)

// Key returns a text that is the same for two states exactly if they are the same.
func (in *Interpreter) Key(s *State) string {
	var b strings.Builder
	for _, l := range s.Processes {
		fmt.Fprintln(&b, l.Point.ID, l.Env)
	}
	for _, channel := range s.Channels {
		for _, m := range channel {
			fmt.Fprint(&b, m.Message.ID, m.Args)
		}
		fmt.Fprintln(&b)
	}
	return b.String()
}

// Format returns s for people: the processes, then the channels, in the order of the protocol's links.
func (in *Interpreter) Format(s *State) string {
	var parts []string
	for _, l := range s.Processes {
		parts = append(parts, ir.FormatLocal(in.points[l.Point.ID], l))
	}
	for _, channel := range s.Channels {
		parts = append(parts, in.protocol.FormatContents(channel))
	}
	return strings.Join(parts, " ")
}

// A Graph is what Explore found.
type Graph struct {
	States      []*State // in breadth-first order
	Transitions int
	Deadlocks   int
	Levels      []int // states by distance from the initial states
}

// Explore searches breadth first. It is an error if there are more than limit states.
func (in *Interpreter) Explore(limit int) (*Graph, error) {
	g := &Graph{}
	seen := make(map[string]bool)
	add := func(s *State) bool {
		if k := in.Key(s); !seen[k] {
			seen[k] = true
			g.States = append(g.States, s)
		}
		return len(g.States) <= limit
	}
	if err := in.Initial(add); err != nil {
		return g, err
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
					return g, fmt.Errorf("more than %d states", limit)
				}
			}
		}
	}
	return g, nil
}
