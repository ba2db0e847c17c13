package diagram

import "math/bits"

// A Worker does operations on the diagrams of a store, for one goroutine at a time.
type Worker struct {
	store  *Store
	number int
	region gap   // units to be used
	made   int64 // nodes, since the last look

	arcs     []Arc      // of nodes that are being made, the innermost last
	held     []Node     // what callers protect, the innermost last
	Items    []Item     // what callers work on, the innermost last; their nodes are protected
	builders []*Builder // all; those in use first
	building int
	results  [][]Node // of jobs
}

// An Item is a node with a key to sort it by.
type Item struct {
	Key  uint64
	Node Node
}

func newWorker(s *Store, number int) *Worker { return &Worker{store: s, number: number} }

// Number returns the number of the worker, from 0 on.
func (w *Worker) Number() int { return w.number }

// Arcs returns the arcs of a node, see Store.Arcs.
func (w *Worker) Arcs(n Node) []Arc { return w.store.Arcs(n) }

// Make returns the node with the given arcs, of which none leads to Empty, ascending by value. Their nodes are protected.
func (w *Worker) Make(arcs []Arc) Node {
	base := w.Begin()
	w.arcs = append(w.arcs, arcs...)
	return w.Finish(base)
}

// Begin begins a node that is made arc by arc, with Append. Others may be made between Begin and Finish, from end to end.
func (w *Worker) Begin() (base int) { return len(w.arcs) }

// Append adds an arc to the node that was begun last, unless it leads nowhere; the values ascend. Its node is protected from then on.
func (w *Worker) Append(value uint32, to Node) {
	if to != Empty {
		w.arcs = append(w.arcs, Arc{value, to})
	}
}

// Finish returns the node with the arcs that were appended since Begin.
func (w *Worker) Finish(base int) Node {
	n := w.unique(w.arcs[base:])
	w.arcs = w.arcs[:base]
	return n
}

func (w *Worker) unique(arcs []Arc) Node {
	if len(arcs) == 0 {
		return Empty
	}
	s := w.store
	hash := hashArcs(arcs)
	n, i := s.find(slot(hash, len(s.table)), hash, arcs)
	if n != Empty {
		return n
	}
	size, rebuilt := len(arcs)+1, s.rebuilt
	if n = w.allocate(size); n == Empty {
		return Empty
	}
	if s.rebuilt != rebuilt {
		i = slot(hash, len(s.table)) // it is another table
	}
	s.units[n] = Arc{uint32(len(arcs)), Node(hash)}
	copy(s.units[n+1:], arcs)
	for {
		var known Node
		if known, i = s.find(i, hash, arcs); known != Empty {
			w.region.first -= size // somebody else was faster
			return known
		}
		if s.table[i].CompareAndSwap(0, uint64(hash)<<32|uint64(n)) {
			w.made++
			return n
		}
	}
}

// Hold protects a node until Release. It returns the node.
func (w *Worker) Hold(n Node) Node {
	w.held = append(w.held, n)
	return n
}

// Mark returns what Release takes to end the protection of all that is held from now on.
func (w *Worker) Mark() int { return len(w.held) }

// Release ends the protection of what was held since Mark.
func (w *Worker) Release(mark int) { w.held = w.held[:mark] }

// roots calls visit for all that w protects.
func (w *Worker) roots(visit func(Node)) {
	for _, n := range w.held {
		visit(n)
	}
	for _, a := range w.arcs {
		visit(a.To)
	}
	for _, i := range w.Items {
		visit(i.Node)
	}
	for _, b := range w.builders[:w.building] {
		for _, a := range b.Arcs {
			visit(a.To)
		}
	}
	for _, r := range w.results {
		for _, n := range r {
			visit(n)
		}
	}
}

// eachLive calls f for all nodes that are marked, in the order of the heap.
func (s *Store) eachLive(f func(Node)) {
	for i, word := range s.marks[:s.heap.next/64+1] {
		for ; word != 0; word &= word - 1 {
			f(Node(i*64 + bits.TrailingZeros64(word)))
		}
	}
}
