package conform

import (
	"math"

	"ringcheck/internal/graph"
)

// nearest finds shortest paths to uncovered edges while these become fewer. It keeps a lower bound of the distance from
// each state to one, its level, which only grows: Even and Shiloach, An On-Line Edge-Deletion Problem (1981). All
// searches together look at each edge once for each level of its state, however many there are.
type nearest struct {
	edges   *graph.Rows[graph.Edge]
	allows  func(edge uint32) bool // whether a path may have an edge
	covers  func(edge uint32) bool // whether an edge is uncovered; a covered edge remains covered
	level   []uint32               // by state: the bound; unreachable if no path leads to an uncovered edge
	first   []uint32               // by state: the edges before this one do not begin a path as long as the level
	members []uint32               // by level: the number of states
	path    []uint32               // the states of the last path
}

// unreachable is the level of states from which no uncovered edge can be reached.
const unreachable = math.MaxUint32

// newNearest returns a search in a graph.
func newNearest(edges *graph.Rows[graph.Edge], allows, covers func(edge uint32) bool) *nearest {
	n := &nearest{edges: edges, allows: allows, covers: covers}
	states := len(edges.At) - 1
	n.level, n.first, n.members = make([]uint32, states), make([]uint32, states), []uint32{uint32(states)}
	copy(n.first, edges.At)
	return n
}

// shortestPath returns a shortest path, as indices of edges, from one of several states to an uncovered edge, including
// this: of these paths the first in the order of states and edges. It returns nil if no uncovered edge can be reached.
func (n *nearest) shortestPath(from []uint32) (start uint32, path []uint32) {
	least := uint32(unreachable)
	for _, state := range from {
		if n.settle(state); n.level[state] < least {
			start, least = state, n.level[state]
		}
	}
	if least == unreachable {
		return 0, nil
	}
	n.settle(start)
	for _, state := range n.path {
		path = append(path, n.first[state])
	}
	return start, path
}

// settle raises the level of a state to its distance. It leaves a shortest path, in which the first edge of each state
// leads to the next one.
func (n *nearest) settle(from uint32) {
	n.path = append(n.path[:0], from)
	for len(n.path) > 0 {
		last := len(n.path) - 1
		state := n.path[last]
		level := n.level[state]
		for level != unreachable && n.first[state] < n.edges.At[state+1] && !n.follows(level, n.first[state]) {
			n.first[state]++
		}
		switch {
		case level == unreachable: // so are the states on the way to it if it leads back to them
			n.path = n.path[:last]
		case n.first[state] == n.edges.At[state+1]:
			n.raise(state)
			if last > 0 {
				n.path = n.path[:last]
			}
		case level == 0:
			return
		default:
			n.path = append(n.path, n.edges.All[n.first[state]].To)
		}
	}
}

// follows reports whether an edge of a state with a level may begin a path of this length.
func (n *nearest) follows(level, edge uint32) bool {
	if !n.allows(edge) {
		return false
	}
	if level == 0 {
		return n.covers(edge)
	}
	return n.level[n.edges.All[edge].To] == level-1
}

// raise raises the level of a state none of whose edges begins a path of this length.
func (n *nearest) raise(state uint32) {
	level := n.level[state]
	if n.members[level] == 1 { // levels decrease by one along a path, so none leads past a level without states
		n.exhaust(state)
		return
	}
	if level+1 == uint32(len(n.members)) {
		n.members = append(n.members, 0)
	}
	n.members[level]--
	n.members[level+1]++
	n.level[state], n.first[state] = level+1, n.edges.At[state]
}

// exhaust records that no uncovered edge can be reached from a state, nor from its successors.
func (n *nearest) exhaust(state uint32) {
	n.remove(state)
	for reached := []uint32{state}; len(reached) > 0; {
		state, reached = reached[len(reached)-1], reached[:len(reached)-1]
		for edge := n.edges.At[state]; edge < n.edges.At[state+1]; edge++ {
			if to := n.edges.All[edge].To; n.allows(edge) && n.level[to] != unreachable {
				n.remove(to)
				reached = append(reached, to)
			}
		}
	}
}

// remove takes a state out of its level.
func (n *nearest) remove(state uint32) {
	n.members[n.level[state]]--
	n.level[state] = unreachable
}
