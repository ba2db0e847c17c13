package tree

import (
	"ringcheck/internal/intern"
	"ringcheck/model"
)

// successors has the successors of some parts of a node, given by pairs of numbers of its children, each with its tag.
// Until numberMissing, some of their halves are missing.
type successors struct {
	to    []uint64
	tags  []uint32
	count int // the number of transitions, including sleeping ones, without repetitions

	leftPairs, rightPairs   pendingPairs  // missing halves, from tabulated spanning groups
	leftValues, rightValues pendingValues // missing halves, from direct spanning groups and rotations
}

func (x *successors) add(to uint64, tag uint32) {
	x.to = append(x.to, to)
	x.tags = append(x.tags, tag)
}

// clear empties x.
func (x *successors) clear() {
	x.to, x.tags, x.count = x.to[:0], x.tags[:0], 0
	x.leftPairs.clear()
	x.rightPairs.clear()
	x.leftValues.clear()
	x.rightValues.clear()
}

func (w *Worker) acquire() *successors {
	n := len(w.spare)
	if n == 0 {
		return new(successors)
	}
	x := w.spare[n-1]
	w.spare = w.spare[:n-1]
	x.clear()
	return x
}

func (w *Worker) release(x *successors) { w.spare = append(w.spare, x) }

// halves are the numbers of the halves of a part, with their records, which are nil for halves without one.
type halves struct {
	left, right             uint32
	leftRecord, rightRecord *record
}

// moves has the transitions of a part, without direct spanning groups.
type moves struct {
	left, right memo // the halves, with the transitions within each
	spanning    []spanningMoves
	singles     []uint32 // lists of spanning that are not in a table
}

// spanningMoves has the transitions of a tabulated spanning group from a part. The list is not empty.
type spanningMoves struct {
	group       *spanningGroup
	left, right uint32   // the projections of the halves
	list        []uint32 // for each transition the new projections of both halves and its tag
}

// movesOf returns the transitions of a part of n. They are valid until the next call for n.
func (w *Worker) movesOf(n *node, h halves) (*moves, error) {
	m := &w.moves[n.id]
	if err := w.memoOf(n.left, h.left, h.leftRecord, &m.left); err != nil {
		return nil, err
	}
	if err := w.memoOf(n.right, h.right, h.rightRecord, &m.right); err != nil {
		return nil, err
	}
	return m, w.findSpanning(n, m)
}

// count returns the number of transitions, without repetitions.
func (m *moves) count(s *source) int {
	n := len(m.left.moves) + len(m.right.moves)
	for i := range m.spanning {
		n += len(m.spanning[i].list) / 3
	}
	if s.repeats.Load() {
		n -= m.countRepeated(s.tagBits)
	}
	return n
}

// countRepeated returns the number of transitions whose tags are marked.
func (m *moves) countRepeated(tagBits uint) (n int) {
	for _, half := range []*memo{&m.left, &m.right} {
		for i := range half.moves {
			n += int(half.tag(i, tagBits) >> 31)
		}
	}
	for _, s := range m.spanning {
		for i := 2; i < len(s.list); i += 3 {
			n += int(s.list[i] >> 31)
		}
	}
	return n
}

// expand adds the successors of a part of n by the groups within n.
func (w *Worker) expand(n *node, h halves, x *successors) error {
	m, err := w.movesOf(n, h)
	if err != nil {
		return err
	}
	x.count += m.count(&w.source)
	for i, to := range m.left.moves {
		x.add(intern.Pair(to, h.right), m.left.tag(i, w.source.tagBits))
	}
	for i, to := range m.right.moves {
		x.add(intern.Pair(h.left, to), m.right.tag(i, w.source.tagBits))
	}
	for i := range m.spanning {
		s := &m.spanning[i]
		for list := s.list; len(list) > 0; list = list[3:] {
			x.cross(m, s, list)
		}
	}
	for _, g := range n.directGroups {
		if err := w.expandDirect(n, g, h, false, x); err != nil {
			return err
		}
	}
	return nil
}

// cross adds the successor by the first transition in list, a rest of the list of s.
func (x *successors) cross(m *moves, s *spanningMoves, list []uint32) {
	l, r := m.left.number, m.right.number
	if list[0] != s.left {
		l = s.group.left.replace(&m.left, list[0], len(x.to), &x.leftPairs)
	}
	if list[1] != s.right {
		r = s.group.right.replace(&m.right, list[1], len(x.to), &x.rightPairs)
	}
	x.add(intern.Pair(l, r), list[2])
}

// replace returns the number of a half with the projection of its side replaced, or 0 if it is missing.
func (s *side) replace(half *memo, values uint32, at int, pending *pendingPairs) uint32 {
	if s.inner == nil {
		return values
	}
	pending.at = append(pending.at, at)
	pending.pairs = append(pending.pairs, s.inner.change(half.pair, values))
	return 0
}

// askGroup gets the transitions of a group from the system, in w.out, given the values of its slots in w.in. It leaves
// out repeated ones if transitions are only counted.
func (w *Worker) askGroup(group int) error {
	err := model.Ask(w.source.System, group, w.in[:len(w.source.groups[group].Slots)], &w.out)
	if w.source.omitRepeated && err == nil {
		w.out.Filter(0, func(s model.Step) bool { return !s.Repeated })
	}
	return err
}
