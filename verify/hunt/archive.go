package hunt

import (
	"slices"

	"ringcheck/model"
)

// An archive keeps one run to each class of similar states. It repeatedly returns to a state that was rarely chosen,
// and follows a random run from there: Go-Explore (Ecoffet, Huizinga, Lehman, Stanley, Clune 2021). It ends after a
// number of visits, or when it is full. An archive of size 0 follows random runs from initial states.
type archive struct {
	*hunter
	policy
	abstract abstraction
	cells    []cell
	states   []model.Value    // of the cells
	number   map[uint64]int32 // by class: the number of its cell
	trail    []node
	visits   int // the remaining number of visits
	most     int // the maximum number of cells
	length   int // the length of a random run
}

// A cell is a class of similar states; its representative is the end of the shortest run found so far.
type cell struct {
	node   int32
	length int32
	begun  uint32
}

// A node is the end of a run, as part of a tree of runs.
type node struct {
	before int32 // -1 - i for initial state i
	edge
}

// cellBytes estimates the memory of a cell without its state, with the maximum number of nodes.
const cellBytes = 12 + 40 + 3*12

func newArchive(h *hunter, visits, bytes int) *archive {
	return &archive{
		hunter: h, policy: newPolicy(h), abstract: newAbstraction(h.rng), number: make(map[uint64]int32),
		visits: visits, most: max(64, bytes/(4*len(h.slots)+cellBytes)), length: 10 << h.rng.IntN(4),
	}
}

func newRuns(h *hunter, visits, _ int) *archive {
	return &archive{hunter: h, policy: newPolicy(h), visits: visits, length: 50 << h.rng.IntN(4)}
}

// search visits some states. It returns false when the archive ends.
func (a *archive) search(visits int) (more bool) {
	end := a.visits - visits
	for a.visits > end && !a.isDone() {
		if len(a.cells) == 0 || a.rng.IntN(64) == 0 {
			i := a.rng.IntN(len(a.hunt.starts))
			a.goTo(a.hunt.starts[i])
			a.follow(int32(-1-i), 0)
		} else {
			a.resume()
		}
		if a.visits < 0 || a.most > 0 && max(len(a.cells), len(a.trail)/3) >= a.most {
			return false
		}
	}
	return true
}

// resume selects a few random cells, and follows a random run from the cell that was chosen least often.
func (a *archive) resume() {
	best := a.rng.IntN(len(a.cells))
	for range 4 {
		if i := a.rng.IntN(len(a.cells)); a.cells[i].begun < a.cells[best].begun {
			best = i
		}
	}
	c := &a.cells[best]
	c.begun++
	a.goTo(a.states[best*len(a.slots) : (best+1)*len(a.slots)])
	a.follow(c.node, int(c.length))
}

// follow extends the run of a node by a random run from the hunter's state.
func (a *archive) follow(from int32, length int) {
	var way []edge // the transitions since node from
	a.policy.begin()
	for range a.length {
		a.arrive(length, func() (int, []edge) { return a.run(from, way) })
		if a.visits--; a.isDone() || len(a.enabled) == 0 {
			return
		}
		if c := a.cell(length); c != nil {
			for _, e := range way {
				a.trail = append(a.trail, node{from, e})
				from = int32(len(a.trail) - 1)
			}
			c.node, c.length, way = from, int32(length), way[:0]
		}
		e := a.next()
		*at(&a.actionCounts, a.step(e).Label)++
		way = append(way, e)
		length++
		a.take(e)
	}
}

// cell returns the cell of the hunter's state if the state is the first of its cell, or its run is the shortest so far.
func (a *archive) cell(length int) *cell {
	if a.most == 0 {
		return nil
	}
	class := a.abstract.of(a.hunter)
	i, known := a.number[class]
	switch {
	case !known:
		i = int32(len(a.cells))
		a.number[class] = i
		a.cells, a.states = append(a.cells, cell{}), append(a.states, a.state...)
	case int(a.cells[i].length) > length:
		copy(a.states[int(i)*len(a.state):], a.state)
	default:
		return nil
	}
	return &a.cells[i]
}

// run returns the number of the initial state and the transitions of the run to a node, followed by the given ones.
func (a *archive) run(n int32, way []edge) (start int, edges []edge) {
	for ; n >= 0; n = a.trail[n].before {
		edges = append(edges, a.trail[n].edge)
	}
	slices.Reverse(edges)
	return int(-1 - n), append(edges, way...)
}
