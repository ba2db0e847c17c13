package refinement

import (
	"slices"
	"unsafe"

	"ringcheck/bisim/lts"
	"ringcheck/internal/effort"
)

// rows keeps the transitions of the states of a system that were asked for.
type rows struct {
	System
	hold  func(bytes uint64) // see reserve
	of    []row              // by state
	edges []lts.Edge
}

// A row is the transitions of a state: edges[begin-1:end-1]. begin is 0 if they are not known.
type row struct{ begin, end uint32 }

// edgesOf returns the transitions from a state, valid until the next call.
func (r *rows) edgesOf(state uint32) []lts.Edge {
	for uint32(len(r.of)) <= state {
		r.of = append(reserve(r.of, 1, r.hold), row{})
	}
	at := r.of[state]
	if at.begin == 0 {
		begin := len(r.edges)
		const most = 256 // transitions of a state, mostly
		r.edges = effort.Must(r.Edges(state, reserve(r.edges, most, r.hold)))
		if uint64(len(r.edges)) > lts.MaxTransitions-1 {
			effort.Abort(lts.ErrTooLarge)
		}
		at = row{uint32(begin) + 1, uint32(len(r.edges)) + 1}
		r.of[state] = at
	}
	return r.edges[at.begin-1 : at.end-1]
}

// reserve returns a list with room for n more elements. Before it copies the list to a larger place, it calls hold with
// the memory of that, which stops the search if there is too little.
func reserve[T any](list []T, n int, hold func(bytes uint64)) []T {
	if len(list)+n <= cap(list) {
		return list
	}
	var element T
	more := max(n, len(list)/4)
	hold(uint64(unsafe.Sizeof(element)) * uint64(len(list)+more))
	return slices.Grow(list, more)
}

func (r *rows) bytes() uint64 { return 8 * (uint64(cap(r.of)) + uint64(cap(r.edges))) }

// A divergence decides which states have an infinite run of τ's.
type divergence struct {
	edgesOf func(state uint32) []lts.Edge // valid until the next call
	tick    func()
	of      []outcome // by state
	// The path from the state that was asked for, with the τ-successors of each state that are not visited yet.
	path    []uint32
	ends    []int // by state of the path: the end of its successors in targets
	targets []uint32
}

// An outcome says whether a state diverges.
type outcome uint8

const (
	unknown outcome = iota
	onPath
	converges
	diverges
)

// has reports whether a state diverges. It is a depth-first search for a τ-cycle: if the path reaches itself or a state
// that diverges, all states on the path diverge.
func (d *divergence) has(state uint32) bool {
	if d.outcome(state) != unknown {
		return d.of[state] == diverges
	}
	d.path, d.ends, d.targets = d.path[:0], d.ends[:0], d.targets[:0]
	d.enter(state)
	for len(d.path) > 0 {
		d.tick()
		top := len(d.path) - 1
		begin := 0
		if top > 0 {
			begin = d.ends[top-1]
		}
		last := len(d.targets) - 1
		if last < begin {
			d.of[d.path[top]] = converges
			d.path, d.ends = d.path[:top], d.ends[:top]
			continue
		}
		to := d.targets[last]
		d.targets, d.ends[top] = d.targets[:last], last
		switch d.outcome(to) {
		case unknown:
			d.enter(to)
		case onPath, diverges:
			for _, s := range d.path {
				d.of[s] = diverges
			}
			return true
		case converges:
		}
	}
	return false
}

func (d *divergence) enter(state uint32) {
	d.of[state] = onPath
	d.path = append(d.path, state)
	for _, e := range d.edgesOf(state) {
		if e.Label == lts.Tau {
			d.targets = append(d.targets, e.To)
		}
	}
	d.ends = append(d.ends, len(d.targets))
}

func (d *divergence) outcome(state uint32) outcome {
	for uint32(len(d.of)) <= state {
		d.of = append(d.of, unknown)
	}
	return d.of[state]
}

func (d *divergence) bytes() uint64 {
	return uint64(cap(d.of)) + 4*uint64(cap(d.path)+cap(d.targets)) + 8*uint64(cap(d.ends))
}
