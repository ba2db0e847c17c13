package hunt

import (
	"math"
	"slices"

	"ringcheck/model"
)

// An archive keeps one run to each class of alike states, goes back to one that was seldom begun from, and follows a
// random run from there: Go-Explore (Ecoffet, Huizinga, Lehman, Stanley, Clune 2021). It ends after some visits, or
// when it is full. One that keeps nothing follows random runs from initial states.
type archive struct {
	*hunter
	policy
	alike  abstraction
	focus  int // of the gauge
	cells  []cell
	states []model.Value    // of the cells
	number map[uint64]int32 // of the cell, by class
	trail  []node
	visits int      // left
	most   int      // how many cells there may be
	pull   distance // how much it matters to be near to a violation
	length int      // of a random run
}

// A cell is a class of alike states; the state that stands for it is at the end of a shortest run that was met.
type cell struct {
	node   int32
	length int32
	begun  uint32
	far    distance
}

// A node is the end of a run, as part of a tree of runs.
type node struct {
	before int32 // -1 - i for initial state i
	edge
}

// cellBytes is about what a cell takes without its state, with as many nodes as there may be.
const cellBytes = 16 + 40 + 3*12

func newArchive(h *hunter, visits, bytes int) *archive {
	a := &archive{
		hunter: h, policy: newPolicy(h), alike: newAbstraction(h.rng), number: make(map[uint64]int32), visits: visits,
		most: max(64, bytes/(4*len(h.slots)+cellBytes)), pull: distance(h.rng.IntN(4)), length: 10 << h.rng.IntN(4),
		focus: h.focus,
	}
	if a.pull == 0 && !a.alike.profile {
		a.focus = -1
	}
	return a
}

func newRuns(h *hunter, visits, _ int) *archive {
	return &archive{hunter: h, focus: -1, policy: newPolicy(h), visits: visits, length: 50 << h.rng.IntN(4)}
}

// search visits some states. It returns false when the archive has come to its end.
func (a *archive) search(visits int) (more bool) {
	a.hunter.focus = a.focus
	end := a.visits - visits
	for a.visits > end && !a.over() {
		if len(a.cells) == 0 || a.rng.IntN(64) == 0 {
			i := a.rng.IntN(len(a.starts))
			a.goTo(a.starts[i])
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

// resume follows a random run from the best of a few cells: one that was seldom begun from, and is near to a violation.
func (a *archive) resume() {
	best, score := 0, math.Inf(1)
	for range 5 {
		i := a.rng.IntN(len(a.cells))
		c := &a.cells[i]
		if s := 8*math.Log2(float64(c.begun+1)) + float64(a.pull*c.far); s < score {
			best, score = i, s
		}
	}
	c := &a.cells[best]
	c.begun++
	a.goTo(a.states[best*len(a.slots) : (best+1)*len(a.slots)])
	a.follow(c.node, int(c.length))
}

// follow follows a random run on from the state where the hunter is, at the end of another.
func (a *archive) follow(from int32, length int) {
	var way []edge // since from
	a.policy.begin()
	for range a.length {
		far, profile := a.arrive(length, func() (int, []edge) { return a.run(from, way) })
		if a.visits--; a.over() || len(a.enabled) == 0 {
			return
		}
		if c := a.cell(profile, length); c != nil {
			for _, e := range way {
				a.trail = append(a.trail, node{from, e})
				from = int32(len(a.trail) - 1)
			}
			c.node, c.length, c.far, way = from, int32(length), far, way[:0]
		}
		e := a.next()
		way = append(way, e)
		length++
		a.take(e)
	}
}

// cell returns the cell of the state where the hunter is if that is the first one met, or at the end of a shorter run.
func (a *archive) cell(profile uint64, length int) *cell {
	if a.most == 0 {
		return nil
	}
	class := a.alike.of(a.hunter, profile)
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

// run returns the number of the initial state and the transitions of the run to a node, and a way on from there.
func (a *archive) run(n int32, way []edge) (start int, edges []edge) {
	for ; n >= 0; n = a.trail[n].before {
		edges = append(edges, a.trail[n].edge)
	}
	slices.Reverse(edges)
	return int(-1 - n), append(edges, way...)
}
