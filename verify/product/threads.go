package product

import (
	"math/bits"
	"slices"

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
	first    int                // the bit of the first action
	imagesOf map[uint32][]uint8 // by permutation: the images of the actions
	frames   []uint8            // by node of a fragment and action: the action of the first node of its component
	classes  []uint8            // by component and action of its first node: an action of its class
}

func newThreads(s *Search) *threads {
	return &threads{Search: s, first: s.Automaton.Sets, imagesOf: make(map[uint32][]uint8)}
}

// images returns the actions to which a permutation moves the actions.
func (t *threads) images(permutation uint32) []uint8 {
	list, ok := t.imagesOf[permutation]
	if !ok {
		list = make([]uint8, len(t.Actions))
		for i, a := range t.Actions {
			to := t.Moves(permutation, a.Process)
			list[i] = uint8(slices.IndexFunc(t.Actions, func(b Action) bool {
				return b.Process == to && b.Sort == a.Sort
			}))
		}
		t.imagesOf[permutation] = list
	}
	return list
}

// replace returns marks with each action replaced by another one.
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
