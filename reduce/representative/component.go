package representative

import (
	"slices"

	"ringcheck/model"
)

// A search finds the terminal strongly connected component of the confluent τ's by Tarjan's algorithm: the first
// component that this completes has no way out, and all states of the search lead there.
type search struct {
	*walker
	nodes   map[uint32]*node
	stack   []uint64 // Tarjan's stack: the states of incomplete components
	calls   []*node  // the path
	numbers []uint32 // the numbers of the states met, including those not entered
}

// A node is a state of the search.
type node struct {
	index, low int
	state      uint64
	next       []arrow
	followed   int // the number of elements of next that were followed
}

// component returns the representative of a state from which a cycle of confluent τ's is reachable. If a state found
// has a known representative, component returns the first such representative; otherwise it returns the least state of
// the terminal component in readable form. So the result depends neither on the order of the search nor on the
// numbering of values.
func (w *walker) component(from numberedState) (uint64, error) {
	s := search{walker: w, nodes: make(map[uint32]*node)}
	s.numbers = w.visited
	counted := len(w.path)
	if err := s.enter(from); err != nil {
		return 0, err
	}
	for {
		n := s.calls[len(s.calls)-1]
		if known, ok := w.knownAmong(n.next); ok {
			return s.finish(known, counted), nil
		}
		if n.followed < len(n.next) {
			if err := s.follow(n); err != nil {
				return 0, err
			}
			continue
		}
		if n.low == n.index {
			known, err := s.root(n)
			if err != nil {
				return 0, err
			}
			return s.finish(known, counted), nil
		}
		s.calls = s.calls[:len(s.calls)-1]
		caller := s.calls[len(s.calls)-1]
		caller.low = min(caller.low, n.low)
	}
}

// enter makes a new state the end of the path.
func (s *search) enter(at numberedState) error {
	next, err := s.successors(at)
	if err != nil {
		return err
	}
	if err := s.checkInterrupt(1 + len(next)); err != nil {
		return err
	}
	n := &node{state: at.state, index: len(s.nodes), low: len(s.nodes), next: slices.Clone(next)}
	s.nodes[at.number] = n
	s.stack = append(s.stack, at.state)
	s.calls = append(s.calls, n)
	s.numbers = appendNumbers(append(s.numbers, at.number), n.next)
	return nil
}

// follow follows the next transition of n. No component is complete yet, so every state seen is on the stack.
func (s *search) follow(n *node) error {
	to := n.next[n.followed].to
	n.followed++
	if seen, ok := s.nodes[to.number]; ok {
		n.low = min(n.low, seen.index)
		return nil
	}
	return s.enter(to)
}

// root returns the representative of the terminal component that n completes.
func (s *search) root(n *node) (uint64, error) {
	if len(n.next) == 0 {
		return n.state, nil
	}
	if s.quotient != nil {
		return 0, &model.Error{Process: -1, Cause: ErrCycle, Message: ErrCycle.Error()}
	}
	members := s.stack[n.index:]
	least := slices.MinFunc(members, s.compare)
	return least, nil
}

// compare orders states by their readable form.
func (s *search) compare(a, b uint64) int {
	s.Read(a, s.state)
	other := make([]model.Value, len(s.state))
	s.Read(b, other)
	return model.Compare(s.System, s.state, other)
}

// finish records the representative of all states met. counted of the expanded states are already counted.
func (s *search) finish(representative uint64, counted int) uint64 {
	s.counted += uint64(max(0, len(s.nodes)-counted))
	s.visited = s.numbers
	return s.record(representative)
}
