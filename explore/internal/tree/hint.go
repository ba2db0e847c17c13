package tree

import "ringcheck/internal/intern"

// Hint returns one successor of a state that has been expanded before, if one of its halves remembers a move.
// That is much faster than Successors; a state without a hint may have successors all the same.
func (w *Worker) Hint(r Root) (successor Root, ok bool) {
	left, right := intern.Split(r)
	if to, ok := w.root.left.move(w, left); ok {
		return intern.Pair(to, right), true
	}
	if to, ok := w.root.right.move(w, right); ok {
		return intern.Pair(left, to), true
	}
	return 0, false
}

// move returns a number to which a group within n leads, if that is known.
func (n *node) move(w *Worker, number uint32) (to uint32, ok bool) {
	if !n.recorded() {
		return 0, false
	}
	k := len(n.views)
	if number >= n.kept {
		e := w.entry(n, number)
		if e.number != number+1 || len(e.run) == k {
			return 0, false
		}
		return e.run[k], true
	}
	r := n.records.At(number)
	head := r.head.Load()
	if kind := head & 0xff; kind <= 1 || kind == busy {
		return 0, false
	}
	var f facts
	w.read(r, head, k, &f)
	if len(f.moves) == 0 {
		return 0, false
	}
	return f.moves[0], true
}
