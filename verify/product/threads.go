package product

import (
	"context"
	"math/bits"
	"slices"

	"ringcheck/explore"
	"ringcheck/internal/effort"
	"ringcheck/internal/graph"
)

// In a quotient by permutations, a node has the marks of its representative, and a step exchanges processes. A thread
// follows one action through the permutations of a path (Emerson and Sistla, Utilizing symmetry when model-checking
// under fairness assumptions, ACM Trans. Program. Lang. Syst. 19(4), 1997). Two actions of a node are equivalent if a
// path in its strongly connected component leads from one to the other. A component of the quotient is fair if each
// class of equivalent actions has the marks that a component of the full system must have; docs/symmetry.md has the
// proof.

// follows reports whether a search must follow actions through permutations.
func (s *Search) follows() bool { return s.Moves != nil && len(s.Actions) > 0 }

// threads has the actions of a product, by which permutations move them.
type threads struct {
	*Search
	first   int                // the bit of the first action
	known   map[uint32][]uint8 // by permutation: the images of the actions
	frames  []uint8            // by node of a fragment and action: the action of the first node of its component
	classes []uint8            // by component and action of its first node: an action of its class
}

func newThreads(s *Search) *threads {
	return &threads{Search: s, first: s.Automaton.Sets, known: make(map[uint32][]uint8)}
}

// images returns the actions to which a permutation moves the actions.
func (t *threads) images(permutation uint32) []uint8 {
	list, ok := t.known[permutation]
	if !ok {
		list = make([]uint8, len(t.Actions))
		for i, a := range t.Actions {
			to := t.Moves(permutation, a.Process)
			list[i] = uint8(slices.IndexFunc(t.Actions, func(b Action) bool {
				return b.Process == to && b.Sort == a.Sort
			}))
		}
		t.known[permutation] = list
	}
	return list
}

// replace returns marks with other actions in place of those that they have.
func (t *threads) replace(marks uint64, by []uint8) uint64 {
	to := marks & (1<<t.first - 1)
	for rest := marks >> t.first; rest != 0; rest &= rest - 1 {
		to |= 1 << (t.first + int(by[bits.TrailingZeros64(rest)]))
	}
	return to
}

// inFrame returns the marks of a node as marks of the first node of its component.
func (f *fragment) inFrame(n uint32, marks uint64) uint64 {
	if f.threads == nil {
		return marks
	}
	actions := uint32(len(f.Actions))
	return f.threads.replace(marks, f.threads.frames[n*actions:(n+1)*actions])
}

// setFrames sets the frames of all nodes of components, along trees of inner edges.
func (f *fragment) setFrames(components []uint32, count int) {
	t := f.threads
	if t == nil {
		return
	}
	actions := len(t.Actions)
	t.frames = slices.Grow(t.frames[:0], actions*len(components))[:actions*len(components)]
	reached := graph.NewSet(uint32(len(components)))
	begun := graph.NewSet(uint32(count))
	var open []uint32
	for root, c := range components {
		if c == graph.None || begun.Has(c) {
			continue
		}
		begun.Add(c)
		reached.Add(uint32(root))
		for a := range actions {
			t.frames[root*actions+a] = uint8(a)
		}
		for open = append(open, uint32(root)); len(open) > 0; {
			n := open[len(open)-1]
			open = open[:len(open)-1]
			f.effort.Tick()
			for i := f.edges.At[n]; i < f.edges.At[n+1]; i++ {
				if e := &f.edges.All[i]; f.isInside(components, n, i) && !reached.Has(e.to) {
					reached.Add(e.to)
					for a, image := range t.images(e.by) {
						t.frames[int(e.to)*actions+int(image)] = t.frames[int(n)*actions+a]
					}
					open = append(open, e.to)
				}
			}
		}
	}
	t.uniteActions(f, components, count)
}

// isInside reports whether an edge of a node is an inner edge in its component.
func (f *fragment) isInside(components []uint32, n, edge uint32) bool {
	return f.inner.Has(edge) && components[f.edges.All[edge].to] == components[n]
}

// uniteActions sets the classes of equivalent actions of the first node of each component.
func (t *threads) uniteActions(f *fragment, components []uint32, count int) {
	actions := len(t.Actions)
	t.classes = slices.Grow(t.classes[:0], actions*count)[:actions*count]
	for i := range t.classes {
		t.classes[i] = uint8(i % actions)
	}
	for n, c := range components {
		if f.effort.Tick(); c == graph.None {
			continue
		}
		classes := t.classes[int(c)*actions:][:actions]
		for i := f.edges.At[n]; i < f.edges.At[n+1]; i++ {
			if !f.isInside(components, uint32(n), i) {
				continue
			}
			e := &f.edges.All[i]
			for a, image := range t.images(e.by) {
				unite(classes, t.frames[n*actions+a], t.frames[int(e.to)*actions+int(image)])
			}
		}
	}
}

// uniteThreads gives each action of the first node of a component the marks of all equivalent ones.
func (f *fragment) uniteThreads(count int, marks ...[]uint64) {
	t := f.threads
	if t == nil {
		return
	}
	for _, of := range marks {
		for c := range count {
			classes := t.classes[c*len(t.Actions):][:len(t.Actions)]
			some := t.replace(of[c], classes)
			of[c] = some & (1<<t.first - 1)
			for a, class := range classes {
				of[c] |= some >> (t.first + int(class)) & 1 << (t.first + a)
			}
		}
	}
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
	return f.all()
}

// all expands all nodes and returns a lasso, nil if there is none.
func (f *fragment) all() (l *Lasso, err error) {
	err = effort.Do(f.ctx, func() error {
		for {
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
			f.bound *= 2
		}
	})
	if err == effort.ErrMemory { //nolint:errorlint // it is not wrapped
		return nil, explore.ErrMemory
	}
	return l, err
}

// A threadWalk is a node on a walk, with the actions at its start to which its actions belong; images is nil if actions
// are not followed.
type threadWalk struct {
	threads *threads
	node    uint32
	images  []uint8
}

// start returns the start of a walk.
func (f *fragment) start(home uint32) threadWalk {
	at := threadWalk{threads: f.threads, node: home}
	if f.threads != nil {
		for a := range f.Actions {
			at.images = append(at.images, uint8(a))
		}
	}
	return at
}

// atStart returns the marks at the start that marks at the node belong to.
func (w *threadWalk) atStart(marks uint64) uint64 {
	if w.threads == nil {
		return marks
	}
	return w.threads.replace(marks, w.images)
}

// advance takes an edge.
func (f *fragment) advance(w *threadWalk, e *fragmentEdge) {
	w.node = e.to
	if w.threads != nil {
		next := make([]uint8, len(w.images))
		for a, image := range f.threads.images(e.by) {
			next[image] = w.images[a]
		}
		w.images = next
	}
}

// A thread is a node with one of its marks.
type thread struct {
	node uint32
	mark uint8
}

// pathOfThreads returns a shortest path in the component of a node that ends with an edge with one of some missing
// marks, which are marks at the start of the walk.
func (w *walk) pathOfThreads(at threadWalk, missing uint64) []walkEdge {
	type step struct {
		from thread
		edge walkEdge
	}
	by := make(map[thread]step)
	var queue []thread
	add := func(t thread, s step) {
		if _, ok := by[t]; !ok {
			w.effort.Hold(threadBytes)
			by[t] = s
			queue = append(queue, t)
		}
	}
	for bit := range uint8(w.threads.first + len(w.Actions)) {
		if missing&at.atStart(1<<bit) != 0 {
			add(thread{at.node, bit}, step{edge: walkEdge{from: graph.None}})
		}
	}
	defer func() { w.effort.Release(threadBytes * uint64(len(by))) }()
	for i := 0; ; i++ {
		t := queue[i]
		w.effort.Tick()
		for edge := w.fragment.edges.At[t.node]; edge < w.fragment.edges.At[t.node+1]; edge++ {
			if w.edges++; !w.inner.Has(edge) {
				continue
			}
			e, s := &w.fragment.edges.All[edge], step{t, walkEdge{t.node, edge}}
			if w.marks[e.marks]>>t.mark&1 == 1 {
				var way []walkEdge
				for ; s.edge.from != graph.None; s = by[s.from] {
					way = append(way, s.edge)
				}
				slices.Reverse(way)
				return way
			}
			add(thread{e.to, uint8(bits.TrailingZeros64(w.threads.replace(1<<t.mark, w.threads.images(e.by))))}, s)
		}
	}
}

// threadBytes is about the memory of a thread that a search has reached.
const threadBytes = 64

// frames has, for each step of a cycle, the actions at its start to which the actions there belong. They are nil unless
// actions are followed.
type frames struct {
	at      [][]uint8
	classes []uint8 // by action at the start: one that the repetition of the cycle makes equivalent to it
}

func (s *Search) newFrames(cycle []Step) *frames {
	f := &frames{}
	if !s.follows() {
		return f
	}
	t := newThreads(s)
	at := make([]uint8, len(s.Actions))
	for a := range at {
		at[a] = uint8(a)
	}
	f.classes = slices.Clone(at)
	for _, step := range cycle {
		f.at = append(f.at, at)
		next := make([]uint8, len(at))
		for a, image := range t.images(step.Permutation) {
			next[image] = at[a]
		}
		at = next
	}
	for a, from := range at { // after the cycle, action a is what action from was at its start
		unite(f.classes, uint8(a), from)
	}
	return f
}

// unite makes two actions equivalent.
func unite(classes []uint8, a, b uint8) {
	if x, y := classes[a], classes[b]; x != y {
		for k := range classes {
			if classes[k] == y {
				classes[k] = x
			}
		}
	}
}

// atStart returns the actions at the start to which actions at a step belong.
func (f *frames) atStart(step int, actions uint64) (set uint64) {
	if f.at == nil {
		return actions
	}
	for ; actions != 0; actions &= actions - 1 {
		set |= 1 << f.at[step][bits.TrailingZeros64(actions)]
	}
	return set
}

// withEquivalent returns all actions at the start that are equivalent to some of a set.
func (f *frames) withEquivalent(actions uint64) (set uint64) {
	if f.at == nil {
		return actions
	}
	for a := range f.classes {
		for b := range f.classes {
			if f.classes[a] == f.classes[b] && actions>>b&1 == 1 {
				set |= 1 << a
			}
		}
	}
	return set
}
