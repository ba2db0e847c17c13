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
	g := &generator{
		view: view, groups: sys.Groups(), b: NewBuilder(), marks: make(map[model.Label]uint32), labels: make([][]uint32, len(view.Predicates)),
	}
	g.orbits, _ = model.As[model.Quotient](sys)
	opt.Spill = false
	result, err := explore.Walk(ctx, sys, opt, explore.Visitor{State: g.state, Transitions: g.transitions, Bytes: g.bytes})
	if err != nil || !result.Complete() {
		return nil, result, err
	}
	m, err := g.finish()
	return m, result, err
}

// A generator builds a process while a system is explored.
type generator struct {
	view    View
	groups  []model.Group
	b       *Builder
	marks   map[model.Label]uint32
	initial []start
	orbits  model.Quotient // nil: a state stands for itself
	labels  [][]uint32     // by predicate: the states where it holds
	stops   []uint32
	known   [2][]known // by label: of other branches than the first of a choice, and of the first
}

// What a process takes while questions about it are answered: the process itself, the problem, and values for the states.
const (
	bytesPerState  = 80
	bytesPerBranch = 12
)

// bytes returns what the process that is being built will take.
func (g *generator) bytes() uint64 {
	return bytesPerState*uint64(len(g.b.m.rows)) + bytesPerBranch*uint64(len(g.b.m.to))
}

func (g *generator) state(id uint64, level int, state []model.Value) error {
	if level == 0 {
		s := start{uint32(id), 1}
		if g.orbits != nil { // with a state, all of its orbit are initial
			s.weight = g.orbits.OrbitSize(state)
		}
		g.initial = append(g.initial, s)
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
	stops := len(list) > 0
	for i := range list {
		t := &list[i]
		stops = stops && g.groups[t.Group].Environment
		first := i == 0 || t.Group != list[i-1].Group || t.Choice != list[i-1].Choice
		g.b.add(uint32(t.To), g.class(t.Label, t.Weight, first))
	}
	if stops {
		g.stops = append(g.stops, uint32(from))
	}
	g.b.End()
	return g.b.err
}

// A known is the class of the branches with a label that were met last.
type known struct {
	weight model.Weight
	class  uint16
}

// remembered is below which number the classes of labels are remembered.
const remembered = 1 << 20

// class returns the class of a branch. A label nearly always comes with the same weight.
func (g *generator) class(l model.Label, w model.Weight, first bool) uint16 {
	memory := &g.known[0]
	if first {
		memory = &g.known[1]
	}
	for l < remembered && int(l) >= len(*memory) {
		*memory = append(*memory, known{})
	}
	if l < remembered && (*memory)[l].weight == w {
		return (*memory)[l].class
	}
	n := g.b.number(Class{Weight: weightOf(w), First: first, Mark: g.mark(l)})
	if l < remembered {
		(*memory)[l] = known{w, n}
	}
	return n
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
	m, err := g.b.mdp(g.initial)
	if err != nil {
		return nil, err
	}
	set := func(states []uint32) Set {
		x := NewSet(m.States())
		for _, s := range states {
			x.Add(s)
		}
		return x
	}
	for i, p := range g.view.Predicates {
		m.Labels = append(m.Labels, Label{p.Name, set(g.labels[i])})
	}
	if len(g.stops) > 0 {
		m.Stops = set(g.stops)
	}
	return m, nil
}
