package tree

import (
	"sync/atomic"

	"ringcheck/internal/intern"
	"ringcheck/model"
)

// A Labelling knows the labels of the transitions of the states in a store. A subtree remembers, for each number,
// those of its own groups, as it remembers where they lead; so a store of which nobody asks for labels holds
// none. It is safe for concurrent use.
type Labelling struct {
	number  func(model.Label) uint32
	numbers intern.Map // what number returned
	root    *labelled
	lists   intern.Arena // of numbers of labels, each behind its length
}

// Labelling returns what a state's transitions are labelled with. number gives the caller's number of a label;
// it is called by many goroutines at once, and always returns the same for the same.
func (s *Store) Labelling(number func(model.Label) uint32) *Labelling {
	return &Labelling{number: number, root: newLabelled(s.root)}
}

// Bytes returns the memory that l holds.
func (l *Labelling) Bytes() int64 { return l.root.bytes() + l.lists.Bytes() + l.numbers.Bytes() }

// of returns the number of a label.
func (l *Labelling) of(label model.Label) uint32 {
	if n, ok := l.numbers.Load(uint64(label)); ok {
		return n
	}
	return l.numbers.LoadOrStore(uint64(label), l.number(label))
}

// A labelled is a node with the labels of its transitions.
type labelled struct {
	node        *node
	left, right *labelled
	known       intern.Array[atomic.Uint32] // by number of the node: the Ref of its list, or 0
	cross       []labelledCrossing          // in the order of the node's
}

type labelledCrossing struct {
	*crossing
	known intern.Grid // by the views of the two sides: the Ref of a list
}

func newLabelled(n *node) *labelled {
	l := &labelled{node: n, cross: make([]labelledCrossing, len(n.cross))}
	for i, c := range n.cross {
		l.cross[i].crossing = c
	}
	if !n.leaf() {
		l.left, l.right = newLabelled(n.left), newLabelled(n.right)
	}
	return l
}

func (l *labelled) bytes() int64 {
	if l == nil {
		return 0
	}
	b := l.known.Bytes() + l.left.bytes() + l.right.bytes()
	for i := range l.cross {
		b += l.cross[i].known.Bytes()
	}
	return b
}

// Transitions is Successors, but for the numbers of the labels of the transitions, which it appends to labels.
func (w *Worker) Transitions(l *Labelling, states, out []Root, ends []int, labels []uint32) ([]Root, []int, []uint32, error) {
	w.listener, w.heard = l, w.heard[:0]
	out, ends, err := w.Successors(states, out, ends)
	w.listener = nil
	if err != nil {
		return out, ends, labels, err
	}
	heard := w.heard
	for _, r := range states {
		left, right := intern.Split(r)
		if labels, err = w.labels(l, l.root, left, right, labels); err != nil {
			break
		}
	}
	w.heard = heard
	return out, ends, labels, err
}

// hear notes the labels of the transitions that the system was asked for last, behind their number. They are by a
// direct crossing of the root, for which it is asked every time; once is enough.
func (w *Worker) hear() {
	w.heard = w.asked(w.listener, append(w.heard, uint32(w.out.Len())))
}

// heardFirst returns the labels that were noted first, and forgets them.
func (w *Worker) heardFirst() []uint32 {
	n := 1 + w.heard[0]
	list := w.heard[1:n]
	w.heard = w.heard[n:]
	return list
}

// labels appends those of the groups within n. It goes through them in the same order as expand.
func (w *Worker) labels(l *Labelling, n *labelled, left, right uint32, out []uint32) ([]uint32, error) {
	lviews, llist, err := w.listed(l, n.left, left)
	if err != nil {
		return out, err
	}
	rviews, rlist, err := w.listed(l, n.right, right)
	if err != nil {
		return out, err
	}
	out = append(append(out, llist...), rlist...)
	for i := range n.cross {
		c := &n.cross[i]
		var list []uint32
		switch {
		case c.direct && n == l.root:
			list = w.heardFirst()
		case c.direct:
			if err = w.askWhole(n.node, c.crossing, left, right); err == nil {
				list = w.asked(l, nil)
			}
		default:
			list, err = w.crossed(l, c, lviews[0], rviews[0])
			lviews, rviews = lviews[1:], rviews[1:]
		}
		if err != nil {
			return out, err
		}
		out = append(out, list...)
	}
	return out, nil
}

// listed returns the views of a number of n, and the labels of the transitions by the groups within n.
func (w *Worker) listed(l *Labelling, n *labelled, number uint32) (views, list []uint32, err error) {
	if !n.node.recorded() {
		return nil, nil, nil
	}
	var f facts
	if err := w.know(n.node, number, &f); err != nil || !n.node.own {
		return f.views, nil, err
	}
	known := n.known.At(number)
	ref := known.Load()
	if ref == 0 {
		if list, err = w.list(l, n, number); err != nil {
			return nil, nil, err
		}
		ref = l.add(list)
		known.Store(ref)
	}
	return f.views, l.at(ref), nil
}

// list works out the labels of a number of n.
func (w *Worker) list(l *Labelling, n *labelled, number uint32) ([]uint32, error) {
	if !n.node.leaf() {
		left, right := n.node.children(number)
		return w.labels(l, n, left, right, nil)
	}
	var list []uint32
	for _, g := range n.node.groups {
		if err := w.askLeaf(g, number); err != nil {
			return nil, err
		}
		list = w.asked(l, list)
	}
	return list, nil
}

// crossed returns the labels of a tabulated crossing for the views of its two sides.
func (w *Worker) crossed(l *Labelling, c *labelledCrossing, lview, rview uint32) ([]uint32, error) {
	ref, ok := c.known.Load(lview, rview)
	if !ok {
		if err := w.askViews(c.crossing, lview, rview); err != nil {
			return nil, err
		}
		ref = c.known.LoadOrStore(lview, rview, l.add(w.asked(l, nil)))
	}
	return l.at(ref), nil
}

// asked appends the labels of the transitions that the system was asked for last.
func (w *Worker) asked(l *Labelling, list []uint32) []uint32 {
	for i := range w.out.Len() {
		list = append(list, l.of(w.out.Step(i).Label))
	}
	return list
}

func (l *Labelling) add(list []uint32) intern.Ref {
	return l.lists.Add(append([]uint32{uint32(len(list))}, list...))
}

func (l *Labelling) at(ref intern.Ref) []uint32 {
	run := l.lists.At(ref)
	return run[1 : 1+run[0]]
}
