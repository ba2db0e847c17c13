package graph

import (
	"ringcheck/internal/effort"
	"ringcheck/internal/largepage"
)

// None is the component of a vertex that was not visited.
const None = ^uint32(0)

// Edges returns the target and the number of the first edge of a vertex, numbered from or higher, that the search
// follows. ok is false if no edge is left.
type Edges func(vertex, from uint32) (to, edge uint32, ok bool)

// A Search visits vertices depth first. It is Tarjan's algorithm in the form of D. J. Pearce, "A space-efficient
// algorithm for finding strongly connected components" (Inf. Process. Lett. 116, 2016, algorithm PEA_FIND_SCC2), with
// an explicit stack: one number per vertex is first its visit number, then the least one it reaches, then its
// component.
type Search struct {
	// Left, if not nil, is called with each vertex in postorder.
	Left func(vertex uint32)

	edges  Edges
	effort *effort.Effort
	held   uint64 // memory of the stacks in bytes
	// rank is 0 for an unvisited vertex, then the least visit number that it is known to reach, then its component,
	// counted down from above all visit numbers.
	rank      []uint32
	next      uint32 // next visit number
	component uint32
	open      []uint32 // visited vertices, not roots, of incomplete components
	calls     []call
}

// A call is a vertex being visited, and the next of its edges to look at.
type call struct {
	vertex, edge uint32
	root         bool
}

// NewSearch returns a search of a graph with n < 2^32-2 vertices. It holds 4 bytes per vertex, which the caller
// releases from the effort.
func NewSearch(f *effort.Effort, n int, edges Edges) *Search {
	f.Hold(4 * uint64(n))
	return &Search{edges: edges, effort: f, rank: largepage.Make[uint32](n), next: 1, component: None - 1}
}

// Components ends the search and returns the component of each vertex, and their number. Components are numbered from 0
// so that edges lead to the same or a smaller one.
func (s *Search) Components() (of []uint32, count int) {
	for v, r := range s.rank {
		s.effort.Tick()
		if s.rank[v] = None; r != 0 {
			s.rank[v] = None - 1 - r
		}
	}
	s.effort.Release(s.held)
	return s.rank, int(None - 1 - s.component)
}

// Visit visits all unvisited vertices that are reachable from a vertex, itself included.
func (s *Search) Visit(vertex uint32) {
	if s.rank[vertex] != 0 {
		return
	}
	s.enter(vertex)
	for len(s.calls) > 0 {
		c := &s.calls[len(s.calls)-1]
		if w, ok := s.step(c); ok {
			s.enter(w)
			continue
		}
		done := *c
		s.calls = s.calls[:len(s.calls)-1]
		s.leave(done)
	}
}

func (s *Search) enter(vertex uint32) {
	s.rank[vertex] = s.next
	s.next++
	if len(s.calls) == cap(s.calls) {
		s.grow(12 * cap(s.calls))
	}
	s.calls = append(s.calls, call{vertex: vertex, root: true})
}

// grow accounts for the memory that a stack is about to take.
func (s *Search) grow(bytes int) {
	s.effort.Hold(uint64(bytes))
	s.held += uint64(bytes)
}

// step looks at edges from c.edge on, up to one to a vertex not yet visited.
func (s *Search) step(c *call) (unvisited uint32, ok bool) {
	for {
		s.effort.Tick()
		to, edge, ok := s.edges(c.vertex, c.edge)
		if !ok {
			return 0, false
		}
		r := s.rank[to]
		if r == 0 {
			c.edge = edge // look again when the rank of to is known
			return to, true
		}
		c.edge = edge + 1
		if r < s.rank[c.vertex] {
			s.rank[c.vertex] = r
			c.root = false
		}
	}
}

func (s *Search) leave(c call) {
	if s.Left != nil {
		s.Left(c.vertex)
	}
	if !c.root {
		if len(s.open) == cap(s.open) {
			s.grow(4 * cap(s.open))
		}
		s.open = append(s.open, c.vertex)
		return
	}
	rank := s.rank[c.vertex]
	s.next--
	for n := len(s.open); n > 0 && s.rank[s.open[n-1]] >= rank; n-- {
		s.rank[s.open[n-1]] = s.component
		s.open = s.open[:n-1]
		s.next--
	}
	s.rank[c.vertex] = s.component
	s.component--
}
