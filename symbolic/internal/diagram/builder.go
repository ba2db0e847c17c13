package diagram

import (
	"cmp"
	"slices"
)

// A Builder is a node that is being made: a set to which others are added, part by part. Its arcs are protected, in the
// order in which their values came. It is a sparse set (Briggs and Torczon), so that to begin costs nothing, however
// many values there are.
type Builder struct {
	Arcs   []Arc
	index  []uint32 // by value: where the arc is, if it is there
	queue  []int    // of arcs that have changed
	head   int      // of the queue
	queued []bool   // by arc
}

// Builder returns an empty builder. Builders are finished in the reverse order.
func (s *Store) Builder() *Builder {
	if s.building == len(s.builders) {
		s.builders = append(s.builders, new(Builder))
	}
	b := s.builders[s.building]
	s.building++
	return b
}

// Add adds the vectors that begin with a value and go on as n says, which is protected.
func (b *Builder) Add(s *Store, value uint32, n Node) {
	if n == Empty {
		return
	}
	i := b.find(value)
	if i < len(b.Arcs) {
		more := s.Union(b.Arcs[i].To, n)
		if more == b.Arcs[i].To {
			return
		}
		b.Arcs[i].To = more
	} else {
		b.index[value] = uint32(i)
		b.Arcs = append(b.Arcs, Arc{value, n})
		b.queued = append(b.queued, false)
	}
	if !b.queued[i] {
		b.queued[i] = true
		b.queue = append(b.queue, i)
	}
}

// find returns the index of the arc with a value, or that of a new one.
func (b *Builder) find(value uint32) int {
	if int(value) >= len(b.index) {
		b.index = append(b.index, make([]uint32, int(value)+1-len(b.index))...)
		b.index = b.index[:cap(b.index)]
	}
	if i := int(b.index[value]); i < len(b.Arcs) && b.Arcs[i].Value == value {
		return i
	}
	return len(b.Arcs)
}

// Next takes the arc out of the queue that has been there longest: one that was added, or to which was added, since it
// was taken before. It returns false if there is none.
func (b *Builder) Next() (arc Arc, ok bool) {
	if b.head == len(b.queue) {
		b.queue, b.head = b.queue[:0], 0
		return Arc{}, false
	}
	i := b.queue[b.head]
	b.head++
	b.queued[i] = false
	return b.Arcs[i], true
}

// Node returns the node as it is now.
func (b *Builder) Node(s *Store) Node {
	arcs := slices.Clone(b.Arcs)
	slices.SortFunc(arcs, byValue)
	return s.Make(arcs)
}

func byValue(x, y Arc) int { return cmp.Compare(x.Value, y.Value) }

// Finish returns the node and ends the use of the builder.
func (b *Builder) Finish(s *Store) Node {
	slices.SortFunc(b.Arcs, byValue)
	n := s.Make(b.Arcs)
	b.Arcs, b.queue, b.head, b.queued = b.Arcs[:0], b.queue[:0], 0, b.queued[:0]
	s.building--
	return n
}
