package tree

import (
	"sync/atomic"

	"ringcheck/internal/intern"
)

// RestTable caches the resting states of states: see Worker.RestingState. It is safe for concurrent use.
type RestTable struct {
	*Classes
	rule        int
	left, right halfTable
}

// A halfTable has, by number of a half, the number of its resting half, plus one.
type halfTable = intern.Array[atomic.Uint32]

// RestTable returns the table of the resting states within the classes. The rule, a number from 0 on, determines which
// move a part takes if there are several.
func (c *Classes) RestTable(rule int) *RestTable { return &RestTable{Classes: c, rule: rule} }

// RestingState returns a state of the same class that can be reached from id, which has been expanded before: each half
// in turn takes one of its moves that do not change its class, until it has no such move, or is in a cycle. The moves
// within a half do not depend on the other half, so this is computed once for each half, and very many states have few
// resting states. A state of a quotient by rotation, and a representative, is its own resting state.
func (w *Worker) RestingState(id StateID, m *RestTable) StateID {
	if !w.expander.halvesMove() {
		return id
	}
	left, right := intern.Split(id)
	left = w.restingHalf(m.root.left, left, m.rule, &m.left)
	right = w.restingHalf(m.root.right, right, m.rule, &m.right)
	return intern.Pair(left, right)
}

// restingHalf returns the resting half of the half with a number. Table is the table of these halves.
func (w *Worker) restingHalf(half *nodeClasses, number uint32, rule int, table *halfTable) uint32 {
	if to := table.At(number).Load(); to != 0 {
		return to - 1
	}
	class := half.class(number)
	w.path = w.path[:0]
	for {
		// Until the result is known, the half is its own resting half. This ends cycles, and is correct for other
		// workers that read it.
		table.At(number).Store(number + 1)
		w.path = append(w.path, number)
		var memo memo
		if w.memoOf(half.node, number, half.node.record(number), &memo) != nil {
			break
		}
		to, ok := half.choose(number, rule, class, memo.moves)
		if !ok {
			break
		}
		number = to
		if to := table.At(number).Load(); to != 0 {
			number = to - 1
			break
		}
	}
	for _, part := range w.path {
		table.At(part).Store(number + 1)
	}
	return number
}

// choose chooses one of the moves of a number that do not change its class, pseudo-randomly, so that parts with the
// same moves do not always take the same one.
func (n *nodeClasses) choose(number uint32, rule int, class uint32, moves []uint32) (to uint32, ok bool) {
	first := int(uint64(number)*0x9e3779b97f4a7c15>>40) + rule
	for i := range moves {
		if to := moves[(first+i)%len(moves)]; n.class(to) == class {
			return to, true
		}
	}
	return 0, false
}
