package product

import (
	"context"

	"ringcheck/explore"
	"ringcheck/model/ltl"
)

// MaxActions is the maximum number of actions.
const MaxActions = 64 - ltl.MaxSets

// An Action is a set of transitions to which runs can be fair: all transitions of the kinds for which Is is true, from
// states in which the atom At is true. A negative At means any state.
type Action struct {
	Strong bool // strong fairness: it need not be enabled continuously, only infinitely often
	Is     func(k Kind) bool
	At     int
	// Process is the process that takes the transitions. Actions of different processes with the same Sort differ only
	// by the process.
	Process, Sort int
}

// A Search looks for a run of System that Automaton accepts and that is fair to the Actions, at most MaxActions. A
// letter of a run is the atoms that are true in a state and of the transition from it. With Chances it looks for an end
// component; Automaton must be limit-deterministic. With Surely, too, it looks for an end component that a scheduler
// can reach with probability one from some initial state; Automaton must be suitable.
type Search struct {
	System  System
	Letters []uint64 // by class: the atoms that are true in its states, a bit each
	// Ends has, by class, the length of a shortest run to a state in which it can end, negative if there is none. It is
	// nil if that is unknown. RunTo returns the places of such a run.
	Ends      []int
	RunTo     func(ctx context.Context, class int) ([]uint64, error)
	Events    func(k Kind) uint64
	Automaton *ltl.Automaton
	Actions   []Action
	Chances   bool
	Surely    bool
	// Moves returns the process to which a permutation with a number moves a process. It is nil unless System is a
	// quotient by permutations. Then a step leads to a representative of its target, and the permutation maps the
	// target to the representative. Then Actions has an action of each of Processes processes for every Sort.
	Moves     func(permutation uint32, process int) int
	Processes int
}

// A Lasso is a run. The steps of Stem lead to the first state of Cycle. The steps of Cycle lead back to it.
type Lasso struct {
	Stem, Cycle []Step
}

// A Step is a transition.
type Step struct {
	From, To uint64 // places
	Kind     Kind
	// Permutation is the number of the permutation by which the target is represented, see explore.Vertex.
	Permutation uint32
}

// stepOf returns a transition of a state.
func stepOf(v *explore.Vertex, t int, kinds []Kind) Step {
	return Step{v.Place, v.To[t], kinds[v.Tags[t]], permutationOf(v, t)}
}

// permutationOf returns the permutation of a transition, 0 for the identity or if the system is no quotient.
func permutationOf(v *explore.Vertex, t int) uint32 {
	if len(v.Permutations) == 0 {
		return 0
	}
	return v.Permutations[t]
}

// Find returns a lasso, nil if no run is one. The error is ErrTooLarge, explore.ErrMemory or the error of the context.
func (s *Search) Find(ctx context.Context) (*Lasso, error) {
	if l, err := s.Nearby(ctx); l != nil || err != nil {
		return l, err
	}
	return s.Distant(ctx)
}

// Nearby looks for a lasso before any node is eliminated: near the initial nodes, then depth-first, then for a run that
// certainly is accepted because of how it ends, then farther from the initial nodes, and for any run that ends. A nil
// result decides nothing.
func (s *Search) Nearby(ctx context.Context) (*Lasso, error) {
	m, err := s.multiply(ctx)
	if err != nil {
		return nil, err
	}
	l, err := m.searchNearby()
	if l == nil || err != nil {
		return nil, err
	}
	return m.shorten(l)
}

// ExistsNearby reports whether Nearby finds a lasso.
func (s *Search) ExistsNearby(ctx context.Context) (bool, error) {
	m, err := s.multiply(ctx)
	if err != nil {
		return false, err
	}
	l, err := m.searchNearby()
	return l != nil, err
}

// Short looks for a short lasso among the nodes near the initial ones. It calls only System.Expand, with states that
// were a target before. A nil result decides nothing.
func (s *Search) Short(ctx context.Context) (*Lasso, error) {
	m, err := s.multiply(ctx)
	if err != nil {
		return nil, err
	}
	l, err := m.newFragment().search(fewEdges)
	if l == nil || err != nil {
		return nil, err
	}
	return m.shorten(l)
}

func (m *product) searchNearby() (*Lasso, error) {
	f := m.newFragment()
	if l, err := f.search(fewEdges); l != nil || err != nil {
		return l, err
	}
	if !m.follows() { // else only fragments follow actions through permutations
		if d, err := m.searchDepthFirst(); err != nil {
			return nil, err
		} else if d != nil {
			return d.lasso()
		}
	}
	ends, err := m.endings()
	if err != nil {
		return nil, err
	}
	if ends.isCertain {
		return ends.toCertain()
	}
	if l, err := f.search(max(manyEdges, int(edgesPerState*float64(m.System.States())))); l != nil || err != nil {
		return l, err
	}
	return ends.search()
}

// Distant is Find by an elimination of nodes.
func (s *Search) Distant(ctx context.Context) (*Lasso, error) {
	if s.follows() {
		return s.distantByFragment(ctx)
	}
	m, err := s.multiply(ctx)
	if err != nil {
		return nil, err
	}
	if some, err := m.eliminate(); !some {
		return nil, err
	}
	l, err := m.lasso()
	if err != nil {
		return nil, err
	}
	return m.shorten(l)
}

// Exists reports whether some run is a lasso.
func (s *Search) Exists(ctx context.Context) (bool, error) {
	m, err := s.multiply(ctx)
	if err != nil {
		return false, err
	}
	if l, err := m.searchNearby(); l != nil || err != nil {
		return l != nil, err
	}
	if m.follows() {
		l, err := s.distantByFragment(ctx)
		return l != nil, err
	}
	return m.eliminate()
}

// eliminate leaves alive the nodes that a lasso may visit infinitely often. It reports whether there are any, and so
// whether there is a lasso. If the automaton can wait in its initial state, most nodes are reachable, and reachability
// is computed last; else first. It is also computed first if nodes are decomposed, which holds them in memory.
func (m *product) eliminate() (bool, error) {
	if err := m.initAlive(); err != nil {
		return false, err
	}
	if m.decomposes() && m.hasManyNodes() {
		if err := m.System.Hold(m.ctx); err != nil {
			return false, err
		}
	}
	reached := m.cyclesReachable()
	if !reached && (!m.waitsInitially() || m.decomposes()) {
		if err := m.reach(); err != nil {
			return false, err
		}
		reached = true
	}
	if err := m.converge(); err != nil || m.isEmpty() {
		return false, err
	}
	if !reached {
		// All alive nodes that reachable nodes lead to are reachable, so these keep their inner edges and their marks.
		if err := m.reach(); err != nil || m.isEmpty() {
			return false, err
		}
	}
	if m.Surely {
		if err := m.keepAlmostSure(); err != nil || len(m.starts) == 0 {
			return false, err
		}
	}
	return true, nil
}
