package product

import (
	"context"
	"math"

	"ringcheck/verify/ltl"
)

// MaxActions is how many actions there can be.
const MaxActions = 64

// An Action is something that is done sometime if a run is fair to it: the transitions of the kinds for which Is is true, from
// states in which the atom At is true, if that is not negative.
type Action struct {
	Strong bool // it is enough that it can be done infinitely often, with breaks
	Is     func(k Kind) bool
	At     int
}

// A Search looks for a run of Graph that Automaton accepts and that is fair to the Actions, at most MaxActions. A letter of a run is the
// atoms that are true in a state and those that are true of the transition from it. With Chances it looks for an end component;
// Automaton must be limit-deterministic. With Surely as well it looks for one to which a scheduler can come with probability one, from some
// initial state; Automaton must be suitable.
type Search struct {
	Graph     *Graph
	Letters   []uint64 // by class: the atoms that are true in its states, a bit each
	Events    func(k Kind) uint64
	Automaton *ltl.Automaton
	Actions   []Action
	Chances   bool
	Surely    bool
}

// A Lasso is a run: the states and transitions of Stem lead to the first state of Cycle, those of Cycle back to it.
type Lasso struct {
	Stem, Cycle []Step
	// Component is the number of nodes of the component in which the cycle is; with chances, of the end component.
	Component int
}

// A Step is a transition.
type Step struct {
	From, To uint32 // states
	Kind     Kind
}

// Find returns a lasso of which the stem is as short as that of any, nil if there is none. The error is ErrTooLarge or that of
// the context.
func (s *Search) Find(ctx context.Context) (*Lasso, error) {
	m := &multiplication{ctx: ctx, Search: s, Graph: s.Graph, width: uint32(len(s.Automaton.Edges))}
	if uint64(m.States())*uint64(m.width) >= math.MaxUint32/2 {
		return nil, ErrTooLarge
	}
	m.prepare()
	good, err := m.components()
	if err != nil || len(good) == 0 {
		return nil, err
	}
	starts := m.starts()
	if m.Surely {
		if starts, err = m.surely(starts, good); err != nil || len(starts) == 0 {
			return nil, err
		}
	}
	return m.lasso(starts, good)
}

// starts returns the nodes of the initial states.
func (m *multiplication) starts() []uint32 {
	var starts []uint32
	for _, s := range m.Initial {
		starts = append(starts, s*m.width+uint32(m.Automaton.Initial))
	}
	return starts
}

// A multiplication is a product that is being searched. Node n is the state n / width with the automaton in state n % width.
type multiplication struct {
	*Search
	*Graph
	ctx   context.Context
	width uint32
	calls int

	accepting    []bool   // by state of the automaton: in an accepting component
	weak, strong uint64   // of Actions
	events       []uint64 // by kind
	does         []uint64 // by kind: the actions that it is, if their atom is true
	can          []uint64 // by class: the actions whose atom is true
	low          []uint32 // by node: see division

	owner, lower []uint32 // by node: of the parts that a component was divided into
	parts        uint32
	before       []uint32 // by node: see walk
	good         []*part
}

func (m *multiplication) prepare() {
	m.accepting = m.Automaton.Accepting()
	for _, k := range m.Kinds {
		does := uint64(0)
		for i, action := range m.Actions {
			if action.Is(k) {
				does |= 1 << i
			}
		}
		m.does = append(m.does, does)
		m.events = append(m.events, m.Search.Events(k))
	}
	for i, action := range m.Actions {
		if action.Strong {
			m.strong |= 1 << i
		} else {
			m.weak |= 1 << i
		}
	}
	m.can = make([]uint64, len(m.Letters))
	for i, letter := range m.Letters {
		for j, action := range m.Actions {
			if action.At < 0 || letter>>action.At&1 == 1 {
				m.can[i] |= 1 << j
			}
		}
	}
}

// takes returns the actions that a transition from a state is.
func (m *multiplication) takes(state uint32, t uint64) uint64 {
	return m.does[m.kinds.at(t)] & m.can[m.classes.at(uint64(state))]
}

// enabled returns the actions that can be taken in a state.
func (m *multiplication) enabled(state uint32) uint64 {
	all := uint64(0)
	for t, end := m.transitions(state); t < end; t++ {
		all |= m.does[m.kinds.at(t)]
	}
	return all & m.can[m.classes.at(uint64(state))]
}

// A position is an edge of a node: a transition, and an edge of the automaton.
type position struct {
	transition uint64
	edge       int
}

// start returns the position before the first edge of a node.
func (m *multiplication) start(node uint32) position {
	first, _ := m.transitions(node / m.width)
	return position{first, -1}
}

// next goes to the next edge of a node and returns its target; not ok if there is none.
func (m *multiplication) next(node uint32, p *position) (to uint32, ok bool) {
	state, q := node/m.width, node%m.width
	edges := m.Automaton.Edges[q]
	letter := m.Letters[m.classes.at(uint64(state))]
	for end := m.ends.at(uint64(state)); p.transition < end; p.transition, p.edge = p.transition+1, -1 {
		now := letter | m.events[m.kinds.at(p.transition)]
		for p.edge++; p.edge < len(edges); p.edge++ {
			if e := &edges[p.edge]; e.Guard.Has(now) {
				return m.to.at(p.transition)*m.width + uint32(e.To), true
			}
		}
	}
	return 0, false
}

// interrupted is asked now and then whether the search is to end.
func (m *multiplication) interrupted() bool {
	m.calls++
	return m.calls%(1<<12) == 0 && m.ctx.Err() != nil
}
