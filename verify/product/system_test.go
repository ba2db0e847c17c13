package product_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"ringcheck/explore"
	. "ringcheck/verify/product"
)

// A system is a small transition system written out: transitions by state, in distributions.
type system struct {
	letters []uint64
	next    [][]edge
	initial []uint32
}

type edge struct {
	events, takes uint64
	ends          bool
	to            uint32
}

// kind returns the kind of an edge.
func (e *edge) kind(draw int) Kind {
	return Kind{Action: fmt.Sprint(e.events, " ", e.takes), Draw: draw}
}

func read(k Kind) (events, takes uint64) {
	if k.Action != Over {
		fmt.Sscan(k.Action, &events, &takes)
	}
	return events, takes
}

func eventsOf(k Kind) uint64 {
	events, _ := read(k)
	return events
}

func randomActions(r *rand.Rand) []Action {
	actions := make([]Action, 1+r.IntN(3))
	for i := range actions {
		is := func(k Kind) bool { _, takes := read(k); return takes>>i&1 == 1 }
		actions[i] = Action{Strong: r.IntN(2) == 0, Is: is, At: r.IntN(3) - 1}
	}
	return actions
}

const atoms = 3 // the last is an event

// randomSystem returns a system with n states in which some transitions are in distributions of two.
func randomSystem(r *rand.Rand, n, actions int) *system {
	s := &system{initial: []uint32{0}}
	for range n {
		s.letters = append(s.letters, r.Uint64N(4))
		var edges []edge
		for range r.IntN(4) {
			e := edge{r.Uint64N(2) << 2, 1 << r.IntN(actions), true, r.Uint32N(uint32(n))}
			if r.IntN(3) == 0 {
				f := e
				f.ends, f.to = false, r.Uint32N(uint32(n))
				edges = append(edges, f)
			}
			edges = append(edges, e)
		}
		s.next = append(s.next, edges)
	}
	return s.reachable()
}

// beside returns the disjoint union of two systems.
func (s *system) beside(other *system) *system {
	first := uint32(len(s.next))
	union := &system{
		initial: slices.Clone(s.initial), letters: slices.Concat(s.letters, other.letters), next: slices.Clone(s.next),
	}
	for _, i := range other.initial {
		union.initial = append(union.initial, first+i)
	}
	for _, edges := range other.next {
		edges = slices.Clone(edges)
		for i := range edges {
			edges[i].to += first
		}
		union.next = append(union.next, edges)
	}
	return union
}

// reachable leaves out what cannot be reached.
func (s *system) reachable() *system {
	number := make(map[uint32]uint32)
	var order []uint32
	numbered := func(state uint32) uint32 {
		if _, ok := number[state]; !ok {
			number[state] = uint32(len(order))
			order = append(order, state)
		}
		return number[state]
	}
	t := &system{}
	for _, i := range s.initial {
		t.initial = append(t.initial, numbered(i))
	}
	for i := 0; i < len(order); i++ {
		t.letters = append(t.letters, s.letters[order[i]])
		t.next = append(t.next, nil)
		for _, e := range s.next[order[i]] {
			e.to = numbered(e.to)
			t.next[i] = append(t.next[i], e)
		}
	}
	return t
}

// A memory is a System in memory.
type memory struct {
	initial  []uint64
	kinds    []Kind
	vertices []explore.Vertex
}

func (m *memory) States() uint64    { return m.Places() }
func (m *memory) Places() uint64    { return uint64(len(m.vertices)) }
func (m *memory) Initial() []uint64 { return slices.Clone(m.initial) }
func (m *memory) Kinds() []Kind     { return m.kinds }
func (m *memory) FreeBytes() uint64 { return 1 << 40 }
func (m *memory) Has(uint64) bool   { return true }

func (m *memory) Hold(context.Context) error { return nil }

func (m *memory) Sweep(ctx context.Context, backward bool, selected explore.Selection,
	visit func(v *explore.Vertex)) error {
	for i := range m.vertices {
		if backward {
			i = len(m.vertices) - 1 - i
		}
		if is := uint64(i); (selected.Number == nil || selected.Number(is)) &&
			(selected.Place == nil || selected.Place(is)) {
			visit(&m.vertices[i])
		}
	}
	return ctx.Err()
}

func (m *memory) Expand(places []uint64, visit func(v *explore.Vertex)) error {
	for _, p := range places {
		visit(&m.vertices[p])
	}
	return nil
}

func (s *system) graph() *memory {
	m := &memory{}
	for _, p := range s.initial {
		m.initial = append(m.initial, uint64(p))
	}
	tag := func(k Kind) uint32 {
		i := slices.Index(m.kinds, k)
		if i < 0 {
			i = len(m.kinds)
			m.kinds = append(m.kinds, k)
		}
		return uint32(i)
	}
	for i, edges := range s.next {
		v := explore.Vertex{Number: uint64(i), Place: uint64(i), Level: i, Class: uint32(i)}
		draw := 0
		for j, e := range edges {
			first := j == 0 || edges[j-1].ends
			switch {
			case first && e.ends:
				draw = 0
			case first:
				draw = j + 1
			}
			v.To, v.Tags = append(v.To, uint64(e.to)), append(v.Tags, tag(e.kind(draw)))
		}
		if len(edges) == 0 {
			v.To, v.Tags = []uint64{uint64(i)}, []uint32{tag(Kind{Process: -1, Action: Over})}
		}
		m.vertices = append(m.vertices, v)
	}
	for i := range s.next { // from here on nothing happens in terminal states
		if len(s.next[i]) == 0 {
			s.next[i] = []edge{{ends: true, to: uint32(i)}}
		}
	}
	return m
}

func (s *system) enabled(state uint32, actions []Action) uint64 {
	all := uint64(0)
	for _, e := range s.next[state] {
		all |= s.taken(state, e, actions)
	}
	return all
}

func (s *system) taken(state uint32, e edge, actions []Action) uint64 {
	taken := e.takes
	for i, a := range actions {
		if a.At >= 0 && s.letters[state]>>a.At&1 == 0 {
			taken &^= 1 << i
		}
	}
	return taken
}
