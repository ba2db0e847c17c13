// Package topology is the table of the networks that a spec can declare.
//
//	Kinds   the table, in the order of docs/language.md
//	Kind    an entry: how a network is written, its processes and edges, and how processes name their neighbours
//	Find    the entry with a keyword
//
// The parser, the checker and the pictures read this table, and tests compare it with the documents. The automorphisms
// of a network are no part of it: package symmetry finds them in the links.
package topology

import "slices"

// A Kind is a kind of network.
type Kind struct {
	Keyword string   // one or two words
	Also    []string // other words for it, for which the parser suggests the keyword
	Sizes   []Size   // one, or two with "by" between them
	// Rule says that the declaration goes on with a condition on the numbers of two processes, which is true where an
	// edge leads from one to the other.
	Rule bool
	// Anonymous says that processes never know the numbers of their neighbours. For other kinds, the word "anonymous"
	// in the declaration says so.
	Anonymous bool
	// Directions are the names that anonymous processes have for their neighbours, by value. Two that differ in the
	// last bit of the value are opposite. If there are none, anonymous processes name neighbours by port. If edges have
	// none, ports 1, 2, … are by ascending number of the neighbour, starting after the own number.
	Directions []string
	Ring       bool // every process p has the neighbours p - 1 and p + 1, modulo the number of processes
	Directed   bool // edges lead to the right only
	Complete   bool // an edge leads from every process to every other one

	// processes returns their number, given the sizes. If it is nil, the number is the product of the sizes.
	processes func(a, b int64) int64
	// edges returns the edges that leave a process, given the sizes. It is nil if there is a rule.
	edges func(process, a, b int) []Edge
	// layout returns the positions of the processes in a picture, given the sizes. If it is nil, they are on a circle.
	layout func(a, b int) []Point
}

// A Size is the range of a number in the declaration of a network.
type Size struct{ Least, Most int64 }

// MaxProcesses is the maximum number of processes.
const MaxProcesses = 1 << 17

// many is the range of a number of processes.
var many = Size{1, MaxProcesses}

// An Edge leads from one process to another. If the kind of network has directions, or ports of its own, an anonymous
// sender names it Out and the receiver In; otherwise both are 0.
type Edge struct {
	From, To int
	Out, In  int64
}

// The values of directions.
const (
	Left int64 = iota
	Right
	Up
	Down
)

// Sides are the directions in rings and lines.
var Sides = []string{"left", "right"}

// Compass are the directions in grids, to which those in rings and lines belong.
var Compass = append(slices.Clone(Sides), "up", "down")

// Kinds lists the kinds of network.
var Kinds = []*Kind{
	{
		Keyword: "directed ring", Also: []string{"ring", "unidirectional"}, Sizes: []Size{many},
		Anonymous: true, Directions: Sides, Ring: true, Directed: true,
		edges: func(p, n, _ int) []Edge { return []Edge{step(p, (p+1)%n, Right)} },
	},
	{
		Keyword: "undirected ring", Also: []string{"ring", "bidirectional"}, Sizes: []Size{many},
		Anonymous: true, Directions: Sides, Ring: true,
		edges: func(p, n, _ int) []Edge { return []Edge{step(p, (p+n-1)%n, Left), step(p, (p+1)%n, Right)} },
	},
	{
		Keyword: "line", Sizes: []Size{many}, Anonymous: true, Directions: Sides,
		edges:  func(p, n, _ int) []Edge { return grid(p, n, 1) },
		layout: rows,
	},
	{
		Keyword: "complete graph", Also: []string{"clique", "mesh"}, Sizes: []Size{many}, Complete: true,
		edges: func(p, n, _ int) []Edge { return append(edgesTo(p, 0, p), edgesTo(p, p+1, n)...) },
	},
	{
		Keyword: "star", Sizes: []Size{many},
		edges: func(p, n, _ int) []Edge {
			if p > 0 {
				return edgesTo(p, 0, 1)
			}
			return edgesTo(0, 1, n)
		},
		layout: wheel,
	},
	{
		Keyword: "binary tree", Also: []string{"tree"}, Sizes: []Size{many},
		edges: func(p, n, _ int) []Edge {
			children := edgesTo(p, min(2*p+1, n), min(2*p+3, n))
			if p > 0 {
				children = append(children, Edge{From: p, To: (p - 1) / 2})
			}
			return children
		},
		layout: tree,
	},
	{Keyword: "grid", Sizes: []Size{many, many}, Directions: Compass, edges: grid, layout: rows},
	{Keyword: "torus", Sizes: []Size{many, many}, Directions: Compass, edges: torus, layout: rows},
	{
		Keyword: "bipartite graph", Sizes: []Size{many, many}, processes: func(a, b int64) int64 { return a + b },
		edges: func(p, a, b int) []Edge {
			if p >= a {
				return edgesTo(p, 0, a)
			}
			return edgesTo(p, a, a+b)
		},
		layout: twoRows,
	},
	{
		Keyword: "hypercube", Also: []string{"cube"}, Sizes: []Size{{0, 17}},
		processes: func(d, _ int64) int64 { return 1 << d },
		edges: func(p, d, _ int) (edges []Edge) {
			for i := range d {
				edges = append(edges, Edge{From: p, To: p ^ 1<<i, Out: int64(i) + 1, In: int64(i) + 1})
			}
			return edges
		},
		layout: cube,
	},
	{Keyword: "graph", Sizes: []Size{many}, Rule: true},
}

// step returns an edge in a direction.
func step(from, to int, direction int64) Edge { return Edge{from, to, direction, direction ^ 1} }

// edgesTo returns the edges from a process to lo, lo+1, …, hi-1.
func edgesTo(from, lo, hi int) (edges []Edge) {
	for to := lo; to < hi; to++ {
		edges = append(edges, Edge{From: from, To: to})
	}
	return edges
}

// grid returns the edges that leave a process of a grid of w by h processes.
func grid(p, w, h int) (edges []Edge) {
	x, y := p%w, p/w
	for _, e := range torus(p, w, h) {
		switch e.Out {
		case Left:
			if x == 0 {
				continue
			}
		case Right:
			if x == w-1 {
				continue
			}
		case Up:
			if y == 0 {
				continue
			}
		case Down:
			if y == h-1 {
				continue
			}
		}
		edges = append(edges, e)
	}
	return edges
}

// torus returns the edges that leave a process of a torus of w by h processes, of which none leads to itself.
func torus(p, w, h int) []Edge {
	x, y := p%w, p/w
	edges := []Edge{
		step(p, y*w+(x+w-1)%w, Left), step(p, y*w+(x+1)%w, Right),
		step(p, (y+h-1)%h*w+x, Up), step(p, (y+1)%h*w+x, Down),
	}
	return slices.DeleteFunc(edges, func(e Edge) bool { return e.To == p })
}

// Find returns the kind with a keyword, or nil.
func Find(keyword string) *Kind {
	i := slices.IndexFunc(Kinds, func(k *Kind) bool { return k.Keyword == keyword })
	if i < 0 {
		return nil
	}
	return Kinds[i]
}

// Keywords returns the keywords of all kinds.
func Keywords() (list []string) {
	for _, k := range Kinds {
		list = append(list, k.Keyword)
	}
	return list
}

// Linear reports whether the network is a line or a ring.
func (k *Kind) Linear() bool { return len(k.Directions) == len(Sides) }

// Processes returns the number of processes, given the sizes; the second is 1 if there is only one.
func (k *Kind) Processes(a, b int64) int64 {
	if k.processes == nil {
		return a * b
	}
	return k.processes(a, b)
}

// Edges returns the edges that leave a process, given the sizes; the second is 1 if there is only one. A kind with a
// rule has none.
func (k *Kind) Edges(process, a, b int) []Edge { return k.edges(process, a, b) }
