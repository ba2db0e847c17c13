package product

import (
	"errors"
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

// ErrNotClosed means that permutations do not map the actions of a search to one another.
var ErrNotClosed = errors.New("the actions to be fair to are not one of each process")

// Actions are numbered by bytes.
const _ = uint8(MaxActions - 1)

// images has the actions to which permutations move the actions of a search.
type images struct {
	*Search
	numbers     map[int][]uint8    // by sort and process: the action
	permutation map[uint32][]uint8 // by permutation: the images of the actions
}

// newImages returns nil unless actions are followed. The error is ErrTooLarge, or ErrNotClosed: the actions of some
// sort are not one of each process.
func (s *Search) newImages() (*images, error) {
	if !s.follows() {
		return nil, nil
	}
	if len(s.Actions) > MaxActions {
		return nil, ErrTooLarge
	}
	m := &images{s, make(map[int][]uint8), make(map[uint32][]uint8)}
	known := make(map[[2]int]bool)
	for i, a := range s.Actions {
		if a.Process < 0 || a.Process >= s.Processes || known[[2]int{a.Sort, a.Process}] {
			return nil, ErrNotClosed
		}
		known[[2]int{a.Sort, a.Process}] = true
		if m.numbers[a.Sort] == nil {
			m.numbers[a.Sort] = make([]uint8, s.Processes)
		}
		m.numbers[a.Sort][a.Process] = uint8(i)
	}
	if len(s.Actions) != len(m.numbers)*s.Processes {
		return nil, ErrNotClosed
	}
	return m, nil
}

// of returns the actions to which a permutation moves the actions.
func (m *images) of(permutation uint32) []uint8 {
	list, ok := m.permutation[permutation]
	if !ok {
		list = make([]uint8, len(m.Actions))
		for i, a := range m.Actions {
			list[i] = m.numbers[a.Sort][m.Moves(permutation, a.Process)]
		}
		m.permutation[permutation] = list
	}
	return list
}

// threads has the actions of a fragment, by which permutations move them.
type threads struct {
	*images
	first   int     // the bit of the first action
	frames  []uint8 // by node of a fragment and action: the action of the first node of its component
	classes []uint8 // by component and action of its first node: an action of its class
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
					for a, image := range t.of(e.by) {
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
			for a, image := range t.of(e.by) {
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
