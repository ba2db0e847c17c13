package diagram

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// A model is a set of vectors, by their text.
type model map[string][]uint32

func randomModel(r *rand.Rand, width int) model {
	m := make(model)
	for range r.IntN(40) {
		v := make([]uint32, width)
		for i := range v {
			v[i] = r.Uint32N(4)
		}
		m[fmt.Sprint(v)] = v
	}
	return m
}

// node makes the diagram of m, in random order.
func (m model) node(w *Store) Node {
	mark := w.Mark()
	defer w.Release(mark)
	n := Empty
	for _, v := range m {
		n = w.Hold(w.Union(n, w.Hold(w.Vector(v))))
	}
	return n
}

// vectors returns what a node stands for, and checks that it is in normal form.
func vectors(t *testing.T, w *Store, n Node, width int) model {
	t.Helper()
	m := make(model)
	var walk func(n Node, prefix []uint32)
	walk = func(n Node, prefix []uint32) {
		if len(prefix) == width {
			if n != Accept {
				t.Fatalf("vector %v leads to node %d", prefix, n)
			}
			m[fmt.Sprint(prefix)] = prefix
			return
		}
		arcs := w.Arcs(n)
		if !slices.IsSortedFunc(arcs, byValue) || len(arcs) == 0 {
			t.Fatalf("node %d has arcs %v", n, arcs)
		}
		for _, a := range arcs {
			walk(a.To, append(slices.Clone(prefix), a.Value))
		}
	}
	if n != Empty {
		walk(n, nil)
	}
	return m
}

func (m model) filter(keep func(key string) bool) model {
	out := make(model)
	for key, v := range m {
		if keep(key) {
			out[key] = v
		}
	}
	return out
}

func (m model) has(key string) bool { return m[key] != nil }

func (m model) union(o model) model {
	out := m.filter(func(string) bool { return true })
	for key, v := range o {
		out[key] = v
	}
	return out
}

// TestOperations compares the operations with those on lists of vectors, with so little memory that garbage is
// collected and tables grow all the time. Equal sets must be the same node.
func TestOperations(t *testing.T) {
	s := New(1 << 20)
	defer s.Close()
	r := rand.New(rand.NewPCG(1, 0))
	for range 3000 {
		mark := s.Mark()
		operate(t, s, r, 1+r.IntN(6))
		s.Release(mark)
	}
	if s.Halted() || s.rebuilt == 0 {
		t.Errorf("halted: %v, rebuilt %d times", s.Halted(), s.rebuilt)
	}
	if s.Peak() < s.Nodes() || s.Bytes() <= 0 {
		t.Errorf("peak %d, nodes %d, bytes %d", s.Peak(), s.Nodes(), s.Bytes())
	}
}

// operate compares all operations on two random sets.
func operate(t *testing.T, w *Store, r *rand.Rand, width int) {
	a, b := randomModel(r, width), randomModel(r, width)
	x, y := w.Hold(a.node(w)), w.Hold(b.node(w))
	for _, c := range []struct {
		name string
		got  Node
		want model
	}{
		{"union", w.Hold(w.Union(x, y)), a.union(b)},
		{"intersection", w.Hold(w.Intersection(x, y)), a.filter(b.has)},
		{"difference", w.Hold(w.Difference(x, y)), a.filter(func(key string) bool { return !b.has(key) })},
	} {
		got := vectors(t, w, c.got, width)
		if len(got) != len(c.want) || len(got.filter(c.want.has)) != len(got) {
			t.Errorf("%s of %v and %v: %v, want %v", c.name, a, b, got, c.want)
		}
		if n := c.want.node(w); n != c.got {
			t.Errorf("%s: the same set is node %d and node %d", c.name, c.got, n)
		}
	}
}

// TestProduct compares the set of all combinations of values with a list of them.
func TestProduct(t *testing.T) {
	s := New(1 << 20)
	defer s.Close()
	r := rand.New(rand.NewPCG(3, 0))
	for range 100 {
		var values [][]uint32
		all := model{"[]": nil}
		for range 1 + r.IntN(5) {
			level := r.Perm(6)[:1+r.IntN(3)]
			slices.Sort(level)
			var some []uint32
			longer := make(model)
			for _, v := range level {
				some = append(some, uint32(v))
				for _, prefix := range all {
					vector := append(slices.Clone(prefix), uint32(v))
					longer[fmt.Sprint(vector)] = vector
				}
			}
			values, all = append(values, some), longer
		}
		mark := s.Mark()
		if got, want := s.Hold(s.Product(values)), s.Hold(all.node(s)); got != want {
			t.Errorf("the product of %v is node %d, want node %d", values, got, want)
		}
		s.Release(mark)
	}
}

// TestBuilder checks that a builder adds up what is added, and returns the arcs that have changed.
func TestBuilder(t *testing.T) {
	w := New(1 << 20)
	defer w.Close()
	one, two := w.Hold(w.Vector([]uint32{1})), w.Hold(w.Vector([]uint32{2}))
	b := w.Builder()
	b.Add(w, 7, one)
	b.Add(w, 300, one)
	b.Add(w, 7, one)
	b.Add(w, 5, Empty)
	var changed []uint32
	for a, ok := b.Next(); ok; a, ok = b.Next() {
		changed = append(changed, a.Value)
		if a.Value == 300 {
			b.Add(w, 7, two)
			b.Add(w, 300, one)
		}
	}
	if !slices.Equal(changed, []uint32{7, 300, 7}) {
		t.Errorf("changed: %v", changed)
	}
	n := b.Finish(w)
	want := w.Make([]Arc{{7, w.Hold(w.Union(one, two))}, {300, one}})
	if n != want {
		t.Errorf("%v, want %v", w.Arcs(n), w.Arcs(want))
	}
	if b := w.Builder(); b.Finish(w) != Empty {
		t.Error("a new builder is not empty")
	}
}

// TestHalt checks that a full store is halted, and that operations then return subsets.
func TestHalt(t *testing.T) {
	w := New(1 << 16)
	defer w.Close()
	r := rand.New(rand.NewPCG(1, 1))
	all, n := make(model), Empty
	for !w.Halted() {
		v := make([]uint32, 8)
		for i := range v {
			v[i] = r.Uint32N(1000)
		}
		all[fmt.Sprint(v)] = v
		n = w.Hold(w.Union(n, w.Hold(w.Vector(v))))
	}
	if !w.Full() {
		t.Error("the operations were halted, but the store does not say that it is full")
	}
	for key := range vectors(t, w, n, 8) {
		if !all.has(key) {
			t.Errorf("%s was not added", key)
		}
	}
}
