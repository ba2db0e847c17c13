package product

import (
	"context"
	"errors"
	"math"
	"slices"

	"ringcheck/explore"
	"ringcheck/internal/effort"
	"ringcheck/internal/graph"
)

// Bounds of a fragment: the edges of the first one, of the last one before a depth-first search and, if they are more,
// of the last one for each state of the system. So the last fragment costs a part of the search that found the states.
const (
	firstEdges    = 1 << 9
	fewEdges      = 1 << 16
	manyEdges     = 1 << 17
	edgesPerState = 0.25
)

// A fragment is the part of the product near the initial nodes, in memory with its edges: the first nodes of a
// breadth-first search, of which the first ones are expanded. A lasso of a fragment is one of the product, since a
// fragment has all transitions of an expanded node, and so its enabled actions. With chances, a draw with an outcome
// that is not expanded is not used, so that the end components of a fragment are some of the product.
type fragment struct {
	*product
	effort  *effort.Effort
	index   map[node]uint32
	nodes   []node
	origins []origin
	edges   graph.Rows[fragmentEdge] // by expanded node, its edges within accepting components; with Surely, all
	enabled []uint64                 // by expanded node
	visited int                      // the number of edges of expanded nodes
	bound   int                      // on visited

	component []uint32          // by expanded node: its component in the last round, graph.None if it is eliminated
	count     int               // of these components
	inner     graph.Set[uint32] // by edge: whether it stays in a component, and so do the other outcomes of its draw
	marks     []uint64          // by number
	numbers   map[uint64]uint32
	threads   *threads // nil unless actions are followed through permutations
	// candidates has, by state of the automaton, the nodes that may be on a cycle; nil means all.
	candidates []graph.Set[uint64]
}

// An origin is the edge by which a node was found: the index of its source, its kind and its permutation. An initial
// node has none.
type origin struct{ from, kind, by uint32 }

// A fragmentEdge is an edge: the index of its target, the kind, the permutation and the index of its transition, the
// first transition of the draw, and the number of its marks.
type fragmentEdge struct{ to, kind, by, transition, draw, marks uint32 }

// newFragment returns a fragment with the initial nodes.
func (m *product) newFragment() *fragment {
	room := m.System.FreeBytes()
	f := &fragment{
		product: m, bound: firstEdges, index: make(map[node]uint32), numbers: make(map[uint64]uint32),
		effort: &effort.Effort{Context: m.ctx, Limit: max(1, room-min(room, m.usedBytes))},
		edges:  graph.Rows[fragmentEdge]{At: []uint32{0}},
	}
	if m.images != nil {
		f.threads = &threads{images: m.images, first: m.Automaton.Sets}
	}
	for _, n := range m.initial() {
		f.number(n, origin{from: graph.None})
	}
	return f
}

// search doubles a fragment until it has a fair component or a number of edges. It returns a lasso then; nil decides
// nothing.
//
// So the cost follows the distance of the nearest fair component. If many processes act in turns, that component has
// many short cycles and few nodes, where a search for a single cycle would go around all processes.
func (f *fragment) search(last int) (*Lasso, error) {
	l, err := f.double(last)
	if errors.Is(err, effort.ErrMemory) {
		return nil, nil
	}
	return l, err
}

// searchAll doubles a fragment until it has a fair component or all nodes. It returns a lasso, nil if there is none.
func (f *fragment) searchAll() (*Lasso, error) {
	l, err := f.double(math.MaxInt)
	if errors.Is(err, effort.ErrMemory) {
		return nil, explore.ErrMemory
	}
	return l, err
}

// double doubles a fragment until it has a fair component, all nodes, or a number of edges. It returns a lasso in the
// component. The error is effort.ErrMemory or the error of the context.
func (f *fragment) double(last int) (l *Lasso, err error) {
	err = effort.Do(f.ctx, func() error {
		for ; f.bound <= last; f.bound *= 2 {
			if err := f.grow(f.bound); err != nil {
				return err
			}
			if f.decompose(); f.count > 0 && (!f.Surely || f.keepAlmostSure()) {
				l, err = f.lasso()
				return err
			}
			if f.visited < f.bound {
				return nil
			}
		}
		return nil
	})
	return l, err
}

// distantByFragment is Distant by a fragment with all nodes that may be on a lasso without the actions.
func (s *Search) distantByFragment(ctx context.Context) (*Lasso, error) {
	unfair := *s
	unfair.Actions, unfair.Surely = nil, false
	m, err := unfair.multiply(ctx)
	if err != nil {
		return nil, err
	}
	if some, err := m.eliminate(); !some {
		return nil, err
	}
	fair, err := s.multiply(ctx)
	if err != nil {
		return nil, err
	}
	fair.usedBytes = m.usedBytes
	f := fair.newFragment()
	f.candidates = m.alive
	return f.searchAll()
}

// number returns the index of a node.
func (f *fragment) number(n node, by origin) uint32 {
	i, ok := f.index[n]
	if !ok {
		i = uint32(len(f.nodes))
		f.index[n] = i
		f.nodes, f.origins = append(f.nodes, n), append(f.origins, by)
	}
	return i
}

// bytes returns the memory of the nodes and edges, with the map and the spare room of growing lists.
func (f *fragment) bytes() uint64 {
	node := 88
	if f.follows() {
		node += 2 * len(f.Actions)
	}
	return uint64(node)*uint64(len(f.nodes)) + 48*uint64(len(f.edges.All))
}

// grow expands nodes until they have a number of edges, or all are expanded.
func (f *fragment) grow(edges int) error {
	for f.visited < edges && len(f.enabled) < len(f.nodes) {
		bytes := f.bytes()
		some := f.nodes[len(f.enabled):min(len(f.enabled)+batchSize, len(f.nodes))]
		if err := f.System.Expand(f.placesOf(some, nil), f.expand); err != nil {
			return err
		}
		f.effort.Hold(f.bytes() - bytes)
		if err := f.ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// expand expands the next node.
func (f *fragment) expand(v *explore.Vertex) {
	n := uint32(len(f.enabled))
	q, enabled := f.stateOf(f.nodes[n]), f.product.enabled(v)
	for first := 0; first < len(v.To); {
		end := len(v.To)
		if f.Chances {
			end = f.distribution(v, first)
		}
		before, complete := len(f.edges.All), true
		for t := first; t < end; t++ {
			outcome := len(f.edges.All)
			f.product.edges(v, q, t, t+1, func(e edge) bool {
				f.visited++
				by := permutationOf(v, t)
				to := f.number(f.nodeOf(e.To, v.To[t]), origin{n, v.Tags[t], by})
				if f.keeps(f.nodes[n], f.nodes[to]) {
					f.edges.All = append(f.edges.All, fragmentEdge{to, v.Tags[t], by, uint32(t), uint32(first),
						f.numberOf(f.marksOf(v, e, enabled))})
				}
				return true
			})
			complete = complete && len(f.edges.All) > outcome
		}
		if f.Chances && !complete {
			f.edges.All = f.edges.All[:before]
		}
		first = end
	}
	f.enabled = append(f.enabled, enabled)
	f.edges.Append()
}

// keeps reports whether an edge may be on a cycle or, with Surely, on the way to one.
func (f *fragment) keeps(from, to node) bool {
	if f.Surely {
		return true
	}
	q, p := f.stateOf(from), f.stateOf(to)
	return f.accepting[q] && f.accepting[p] && (f.candidates == nil ||
		f.candidates[q].Has(f.placeOf(from)) && f.candidates[p].Has(f.placeOf(to)))
}

// numberOf returns the number of a set of marks.
func (f *fragment) numberOf(marks uint64) uint32 {
	i, ok := f.numbers[marks]
	if !ok {
		i = uint32(len(f.marks))
		f.numbers[marks] = i
		f.marks = append(f.marks, marks)
	}
	return i
}

// decompose leaves only the nodes of fair components, as product.decompose does. With chances these are end components:
// draws with an outcome in another component are dropped, which may divide a component, until nothing changes (de
// Alfaro 1997, Sect. 3.2).
func (f *fragment) decompose() {
	f.component, f.count = f.component[:0], 1
	for _, n := range f.nodes[:len(f.enabled)] {
		c := uint32(graph.None)
		if f.accepting[f.stateOf(n)] {
			c = 0
		}
		f.component = append(f.component, c)
	}
	for f.round() {
	}
	f.keepInner()
	f.count = 0
	for _, c := range f.component {
		if c != graph.None {
			f.count = max(f.count, int(c)+1)
		}
	}
}

// round is subgraph.round. With chances it also reports whether it has divided a component.
func (f *fragment) round() (changed bool) {
	f.keepInner()
	components, count := f.components()
	f.setFrames(components, count)
	marks, enabled, cyclic := make([]uint64, count), make([]uint64, count), graph.NewSet(uint32(count))
	for n, c := range components {
		if f.effort.Tick(); c == graph.None {
			continue
		}
		enabled[c] |= f.inFrame(uint32(n), f.enabled[n]&f.strong)
		for i := f.edges.At[n]; i < f.edges.At[n+1]; i++ {
			if e := f.edges.All[i]; f.inner.Has(i) && components[e.to] == c {
				marks[c] |= f.inFrame(uint32(n), f.marks[e.marks])
				cyclic.Add(c)
			}
		}
	}
	f.uniteThreads(count, marks, enabled)
	parts := make([]uint32, f.count) // by component of the last round: one of its parts
	for i := range parts {
		parts[i] = graph.None
	}
	for n, c := range components {
		if c == graph.None {
			continue
		}
		if part := &parts[f.component[n]]; *part == graph.None {
			*part = c
		} else if f.Chances && *part != c {
			changed = true
		}
		missing := f.missingMarks(marks[c], enabled[c])
		if !cyclic.Has(c) || missing&^f.strong != 0 || missing&f.inFrame(uint32(n), f.enabled[n]) != 0 {
			c, changed = graph.None, true
		}
		f.component[n] = c
	}
	f.count = count
	f.effort.Release(4 * uint64(len(components)))
	return changed
}

// keepInner selects the edges that stay in a component of the last round.
func (f *fragment) keepInner() {
	words := len(f.edges.All)/64 + 1
	if cap(f.inner) < words {
		f.inner = graph.NewSet(uint32(2 * 64 * words))
	}
	f.inner = f.inner[:words]
	clear(f.inner)
	for n, c := range f.component {
		if c == graph.None {
			continue
		}
		for i, end := f.edges.At[n], f.edges.At[n+1]; i < end; {
			i = f.keepDraw(c, i, end)
		}
	}
}

// keepDraw selects edges from i on, up to the end of a draw, if every outcome has one that stays in a component. It
// returns the next edge. Without chances it selects all edges that stay.
func (f *fragment) keepDraw(c, i, end uint32) uint32 {
	first, draw, stays := i, f.edges.All[i].draw, true
	for i < end && f.edges.All[i].draw == draw {
		t, some := f.edges.All[i].transition, false
		for ; i < end && f.edges.All[i].transition == t; i++ {
			if f.stays(c, i) {
				f.inner.Add(i)
				some = true
			}
		}
		stays = stays && some
	}
	if f.Chances && !stays {
		for ; first < i; first++ {
			f.inner.Remove(first)
		}
	}
	return i
}

// stays reports whether an edge leads to a component.
func (f *fragment) stays(c, i uint32) bool {
	to := f.edges.All[i].to
	return to < uint32(len(f.component)) && f.component[to] == c
}

// components returns the strongly connected component of each node, by inner edges.
func (f *fragment) components() (of []uint32, count int) {
	search := graph.NewSearch(f.effort, len(f.component), func(n, from uint32) (to, edge uint32, ok bool) {
		for i, end := f.edges.At[n]+from, f.edges.At[n+1]; i < end; i++ {
			if f.inner.Has(i) {
				return f.edges.All[i].to, i - f.edges.At[n], true
			}
		}
		return 0, 0, false
	})
	for n, c := range f.component {
		if c != graph.None {
			search.Visit(uint32(n))
		}
	}
	return search.Components()
}

// keepAlmostSure is product.keepAlmostSure for draws whose outcomes are all expanded: it keeps some of the starts from
// which a scheduler can reach a fair component with probability one, and reports whether there are any.
func (f *fragment) keepAlmostSure() bool {
	postponed := !f.Automaton.IsDeterministic()
	outer := make([]bool, len(f.component))
	for n := range outer {
		outer[n] = !postponed || !f.accepting[f.stateOf(f.nodes[n])] || f.component[n] != graph.None
	}
	for {
		inner := make([]bool, len(outer))
		for n, c := range f.component {
			inner[n] = c != graph.None
		}
		for changed := true; changed; {
			changed = false
			for n := len(inner) - 1; n >= 0; n-- {
				if f.effort.Tick(); outer[n] && !inner[n] && f.chooses(uint32(n), outer, inner) {
					inner[n], changed = true, true
				}
			}
		}
		if slices.Equal(outer, inner) {
			break
		}
		outer = inner
	}
	starts := slices.DeleteFunc(slices.Clone(f.starts), func(p uint64) bool {
		i := f.index[f.nodeOf(f.Automaton.Initial, p)]
		return int(i) >= len(outer) || !outer[i]
	})
	if len(starts) > 0 {
		f.starts = starts
	}
	return len(starts) > 0
}

// chooses is product.chooses.
func (f *fragment) chooses(n uint32, outer, inner []bool) bool {
	in := func(set []bool, e fragmentEdge) bool { return int(e.to) < len(set) && set[e.to] }
	for list := f.edges.Of(n); len(list) > 0; {
		stays, comes := true, false
		for draw := list[0].draw; len(list) > 0 && list[0].draw == draw; {
			t, some := list[0].transition, false
			for ; len(list) > 0 && list[0].transition == t; list = list[1:] {
				some = some || in(outer, list[0])
				comes = comes || in(inner, list[0])
			}
			stays = stays && some
		}
		if stays && comes {
			return true
		}
	}
	return false
}

// Bounds of the search for a short cycle in a fragment: the nodes from which cycles begin, and the edges.
const (
	maxHomes     = 64
	maxHomeEdges = 1 << 20
)

// lasso returns a lasso with a cycle in a fair component. Of those through some nodes near the initial ones it is a
// short one.
func (f *fragment) lasso() (*Lasso, error) {
	w := &walk{fragment: f, reached: make([]uint32, len(f.enabled)), by: make([]walkEdge, len(f.enabled))}
	f.effort.Hold(12 * uint64(len(f.enabled)))
	var best []pathEdge
	least, homes := 0, 0
	reachable := f.reachable()
	for n, c := range f.component {
		if c == graph.None || !reachable[n] {
			continue
		}
		depth := len(f.stem(uint32(n)))
		if homes++; best != nil && (homes > maxHomes || w.edges > maxHomeEdges || depth+1 >= least) {
			break
		}
		if cycle := w.cycle(uint32(n)); best == nil || depth+len(cycle) < least {
			best, least = cycle, depth+len(cycle)
		}
	}
	if f.Surely { // not every initial node is a start
		stems := &bfs{m: f.product}
		if err := stems.restart(f.initial()); err != nil {
			return nil, err
		}
		return stems.runTo(best)
	}
	on, err := f.cycleEntries(best)
	if err != nil {
		return nil, err
	}
	for n, of := range f.nodes { // breadth-first: the first one has the shortest stem
		if turn, ok := on[of]; ok {
			return fold(f.steps(f.stem(uint32(n))), f.steps(slices.Concat(best[turn:], best[:turn]))), nil
		}
	}
	return nil, errNoPath
}

// reachable returns which expanded nodes the starts lead to: all nodes unless, with Surely, not every initial node is a
// start.
func (f *fragment) reachable() []bool {
	if !f.Surely {
		return slices.Repeat([]bool{true}, len(f.component))
	}
	reached := make([]bool, len(f.component))
	var queue []uint32
	reach := func(n uint32) {
		if int(n) < len(reached) && !reached[n] {
			reached[n] = true
			queue = append(queue, n)
		}
	}
	for _, n := range f.initial() {
		reach(f.index[n])
	}
	for i := 0; i < len(queue); i++ {
		for _, e := range f.edges.Of(queue[i]) {
			f.effort.Tick()
			reach(e.to)
		}
	}
	return reached
}

// stem returns the path by which a node was found.
func (f *fragment) stem(n uint32) (way []pathEdge) {
	for f.origins[n].from != graph.None {
		by := f.origins[n]
		way = append(way, pathEdge{from: f.nodes[by.from], to: f.nodes[n], kind: by.kind, by: by.by})
		n = by.from
	}
	slices.Reverse(way)
	return way
}
