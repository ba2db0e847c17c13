package bisim

import (
	"fmt"
	"slices"
	"testing"
)

// sanity checks the invariants of a refiner, and that it is stable where it should be: before a separation.
func (r *refiner) sanity() error {
	for b := range uint32(r.blocks.len()) {
		if err := r.saneBlock(b, *r.blocks.at(b)); err != nil {
			return fmt.Errorf("block %d: %w", b, err)
		}
	}
	for t := range r.edges {
		q := r.slices.of[t]
		s := r.slices.list.at(q)
		to := r.edges[t].To
		first := r.slices.elem[s.start]
		switch {
		case s.block != r.blockOf[r.source[t]]:
			return fmt.Errorf("transition %d is in slice %d of block %d, and starts in block %d", t, q, s.block, r.blockOf[r.source[t]])
		case s.label != r.edges[t].Label:
			return fmt.Errorf("transition %d is in slice %d with label %d", t, q, s.label)
		case r.slices.elem[r.slices.at[t]] != uint32(t) || r.slices.at[t] < s.start || r.slices.at[t] >= s.end:
			return fmt.Errorf("transition %d is not where it is said to be in slice %d", t, q)
		case r.constellationOf(to) != r.constellationOf(r.edges[first].To):
			return fmt.Errorf("slice %d leads to two constellations", q)
		}
	}
	return r.saneCounters()
}

func (r *refiner) saneBlock(b uint32, blk block) error {
	if blk.marked != 0 {
		return fmt.Errorf("has marked states")
	}
	for i := blk.start; i < blk.end; i++ {
		s := r.elem[i]
		inert := uint32(0)
		for _, e := range r.row(s) {
			if r.mayBeInert(e.Label) && r.blockOf[e.To] == b {
				inert++
			}
		}
		if r.at[s] != i || r.blockOf[s] != b || r.inertOut[s] != inert || (inert == 0) != (i < blk.bottom) {
			return fmt.Errorf("state %d is misplaced or has a wrong number of inert transitions", s)
		}
	}
	for q := blk.slices; q != none; q = r.slices.list.at(q).next {
		s := r.slices.list.at(q)
		if s.block != b || s.size() == 0 || s.marked != 0 || s.child != none || s.unstable || s.pending != settled {
			return fmt.Errorf("slice %d is not settled: %+v", q, *s)
		}
		if r.isExempt(s) {
			continue
		}
		for _, v := range r.elem[blk.start:blk.bottom] {
			if !slices.ContainsFunc(r.slices.elem[s.start:s.end], func(t uint32) bool { return r.source[t] == v }) {
				return fmt.Errorf("not stable under slice %d: state %d", q, v)
			}
		}
	}
	return nil
}

func (r *refiner) saneCounters() error {
	type key struct{ s, label, constellation uint32 }
	counts := map[key]uint32{}
	of := func(t int) key {
		e := r.edges[t]
		return key{r.source[t], uint32(e.Label), r.constellationOf(e.To)}
	}
	for t := range r.edges {
		counts[of(t)]++
	}
	for t := range r.edges {
		if c := *r.counters.list.at(r.counters.of[t]); c.peer != none || c.count != counts[of(t)] {
			return fmt.Errorf("transition %d has counter %+v", t, c)
		}
	}
	return nil
}

// TestInvariants checks the invariants before every separation.
func TestInvariants(t *testing.T) {
	for seed := range uint64(2000) {
		l := small(seed)
		for _, e := range equivalences {
			g, _ := reduce(idle(), l, e, false)
			r := newRefiner(idle(), g)
			if err := r.runChecked(); err != nil {
				t.Fatalf("seed %d, %v: %v\n%s", seed, e, err, dump(l))
			}
		}
	}
}

// runChecked is run, with checks.
func (r *refiner) runChecked() error {
	r.destabilize(0)
	for {
		r.stabilize()
		if err := r.sanity(); err != nil {
			return err
		}
		if len(r.compound) == 0 {
			return nil
		}
		c := r.compound[len(r.compound)-1]
		r.compound = r.compound[:len(r.compound)-1]
		r.constellations.at(c).listed = false
		r.separate(c)
		r.settle()
	}
}
