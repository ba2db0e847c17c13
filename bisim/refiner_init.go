package bisim

import "context"

// newRefiner returns a refiner with one block and one constellation.
func newRefiner(ctx context.Context, g *graph) *refiner {
	n, m := g.states(), len(g.edges)
	r := &refiner{
		graph:    g,
		source:   make([]uint32, m),
		elem:     make([]uint32, 0, n),
		at:       make([]uint32, n),
		blockOf:  make([]uint32, n),
		inertOut: make([]uint32, n),
		race:     newRace(n),
		ctx:      ctx,
	}
	for s := range uint32(n) {
		for i := g.offset[s]; i < g.offset[s+1]; i++ {
			r.source[i] = s
			if r.mayBeInert(g.edges[i].Label) {
				r.inertOut[s]++
			}
		}
	}
	r.indexTargets()
	r.initBlock()
	r.slices = newSlices(g)
	r.blocks.at(0).slices = r.slices.all()
	r.counters = newCounters(g)
	return r
}

// indexTargets sorts the transitions by their targets, by counting.
func (r *refiner) indexTargets() {
	n := uint32(r.states())
	r.in = make([]uint32, len(r.edges))
	r.inAt = make([]uint32, n+1)
	r.inTau = make([]uint32, n)
	for _, e := range r.edges {
		r.inAt[e.To+1]++
		if r.mayBeInert(e.Label) {
			r.inTau[e.To]++
		}
	}
	next := make([]uint32, n) // for visible transitions
	for s := range n {
		r.inAt[s+1] += r.inAt[s]
		next[s] = r.inAt[s] + r.inTau[s]
		r.inTau[s] = r.inAt[s]
	}
	for i, e := range r.edges {
		place := &next[e.To]
		if r.mayBeInert(e.Label) {
			place = &r.inTau[e.To]
		}
		r.in[*place] = uint32(i)
		*place++
	}
}

func (r *refiner) initBlock() {
	n := uint32(r.states())
	for s := range n {
		if r.inertOut[s] == 0 {
			r.elem = append(r.elem, s)
		}
	}
	bottom := uint32(len(r.elem))
	for s := range n {
		if r.inertOut[s] != 0 {
			r.elem = append(r.elem, s)
		}
	}
	for i, s := range r.elem {
		r.at[s] = uint32(i)
	}
	r.blocks.add(block{bottom: bottom, end: n, slices: none})
	r.constellations.add(constellation{end: n})
}
