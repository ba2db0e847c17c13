package prob

import (
	"context"

	"ringcheck/explore"
	"ringcheck/model"
)

// Generate explores sys and returns it as a process: a draw is a choice with as many branches as it has outcomes, every
// other transition a choice of its own. What a scheduler decides is thus who acts, which message is received, and what
// a process may choose. Transitions with a label have the mark that mark returns for it.
//
// If the search does not come to its end there is no process, only the result.
func Generate(ctx context.Context, sys model.System, opt explore.Options, mark func(model.Label) uint32) (
	*MDP, *explore.Result, error,
) {
	return generate(ctx, sys, opt, mark, nil)
}

// generate is Generate, where see, unless it is nil, is told of every state.
func generate(ctx context.Context, sys model.System, opt explore.Options, mark func(model.Label) uint32,
	see func(s uint32, state []model.Value) error,
) (*MDP, *explore.Result, error) {
	g := &generator{mark: mark, marks: make(map[model.Label]uint32), see: see, groups: sys.Groups(), b: NewBuilder()}
	g.orbits, _ = model.As[model.Quotient](sys)
	opt.Spill = false
	result, err := explore.Walk(ctx, sys, opt,
		explore.Visitor{State: g.state, Transitions: g.transitions, Bytes: g.bytes})
	if err != nil || !result.Complete() {
		return nil, result, err
	}
	m, err := g.b.mdp(g.initial)
	if err == nil && len(g.stops) > 0 {
		m.Stops = NewSet(m.States())
		for _, s := range g.stops {
			m.Stops.Add(s)
		}
	}
	return m, result, err
}

// A generator builds a process while a system is explored.
type generator struct {
	mark    func(model.Label) uint32
	marks   map[model.Label]uint32 // those that mark has returned
	see     func(s uint32, state []model.Value) error
	groups  []model.Group
	b       *Builder
	initial []start
	orbits  model.Quotient // nil: a state stands for itself
	stops   []uint32
	known   [2][]known // by label: of other branches than the first of a choice, and of the first
}

// What a process takes while questions about it are answered: the process itself, the problem, and values for the
// states.
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
	if g.see == nil {
		return nil
	}
	return g.see(uint32(id), state)
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

// A known is the class of the last branch with a label.
type known struct {
	weight model.Weight
	class  uint16
}

// remembered bounds the labels whose classes are cached.
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
	m, ok := g.marks[l]
	if !ok {
		m = g.mark(l)
		g.marks[l] = m
	}
	n := g.b.number(Class{Weight: Weight{Num: uint64(w.Num), Den: uint64(w.Den)}, First: first, Mark: m})
	if l < remembered {
		(*memory)[l] = known{w, n}
	}
	return n
}
