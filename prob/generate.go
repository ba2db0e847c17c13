package prob

import (
	"context"

	"ringcheck/explore"
	"ringcheck/model"
)

// A View says what is to be seen of a system.
type View struct {
	// Mark returns the mark of the transitions with a label; nil: all have mark 0.
	Mark func(model.Label) uint32
	// Predicates are of states; each becomes a label of the process.
	Predicates []Predicate
}

// A Predicate is true in some states.
type Predicate struct {
	Name  string
	Holds func(state []model.Value) (bool, error) // state is valid during the call
}

// Generate explores sys and returns it as a process: a draw is a choice with as many branches as it has outcomes, every other
// transition a choice of its own. What a scheduler decides is thus who acts, which message is received, and what a
// process may choose.
//
// If the search does not come to its end there is no process, only the result.
func Generate(ctx context.Context, sys model.System, opt explore.Options, view View) (*MDP, *explore.Result, error) {
	g := &generator{view: view, b: NewBuilder(), marks: make(map[model.Label]uint32), labels: make([][]uint32, len(view.Predicates))}
	opt.Spill = false
	result, err := explore.Walk(ctx, sys, opt, explore.Visitor{State: g.state, Transitions: g.transitions})
	if err != nil || !result.Complete() {
		return nil, result, err
	}
	m, err := g.finish()
	return m, result, err
}

// A generator builds a process while a system is explored.
type generator struct {
	view    View
	b       *Builder
	marks   map[model.Label]uint32
	initial []uint32
	labels  [][]uint32 // by predicate: the states where it holds
	choice  []Branch
}

func (g *generator) state(id uint64, level int, state []model.Value) error {
	if level == 0 {
		g.initial = append(g.initial, uint32(id))
	}
	for i, p := range g.view.Predicates {
		holds, err := p.Holds(state)
		if err != nil {
			return err
		}
		if holds {
			g.labels[i] = append(g.labels[i], uint32(id))
		}
	}
	return nil
}

// transitions adds the choices of a state.
func (g *generator) transitions(from uint64, list []explore.Transition) error {
	for first := 0; first < len(list); {
		end := first
		g.choice = g.choice[:0]
		for ; end < len(list) && list[end].Group == list[first].Group && list[end].Choice == list[first].Choice; end++ {
			t := &list[end]
			g.choice = append(g.choice, Branch{uint32(t.To), weightOf(t.Weight), g.mark(t.Label)})
		}
		g.b.Choice(g.choice...)
		first = end
	}
	g.b.End()
	return nil
}

func (g *generator) mark(l model.Label) uint32 {
	if g.view.Mark == nil {
		return 0
	}
	m, ok := g.marks[l]
	if !ok {
		m = g.view.Mark(l)
		g.marks[l] = m
	}
	return m
}

func (g *generator) finish() (*MDP, error) {
	m, err := g.b.MDP(g.initial...)
	if err != nil {
		return nil, err
	}
	for i, p := range g.view.Predicates {
		set := NewSet(m.States())
		for _, s := range g.labels[i] {
			set.Add(s)
		}
		m.Labels = append(m.Labels, Label{p.Name, set})
	}
	return m, nil
}
