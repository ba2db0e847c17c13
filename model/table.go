package model

import (
	"ringcheck/internal/intern"
)

// widest is the number of slots up to which a group is tabulated. The number of combinations grows with it;
// beyond, a tuple is hardly ever met twice.
const widest = 6

// A Table is a System that remembers what Next returned: each combination of a group's slots is worked out
// once and looked up without a lock from then on. It is LTSmin's caching layer (pins2pins-cache).
type Table struct {
	System
	groups []groupTable
	arena  intern.Arena
}

// Tabulate returns sys with its transitions remembered.
func Tabulate(sys System) *Table {
	t := &Table{System: sys}
	for _, g := range sys.Groups() {
		n := len(g.Slots)
		t.groups = append(t.groups, groupTable{
			width:  n,
			direct: n > widest,
			prefix: make([]intern.Pairs, max(0, n-2)),
		})
	}
	return t
}

// Unwrap returns the system that Tabulate was given.
func (t *Table) Unwrap() System { return t.System }

// A groupTable maps the values of a group's slots to a run of the arena: prefixes of the tuple are numbered
// pair by pair, and the last pair is the key.
type groupTable struct {
	width   int
	direct  bool
	prefix  []intern.Pairs
	results intern.Map
}

func (g *groupTable) key(in []Value) uint64 {
	switch g.width {
	case 0:
		return 0
	case 1:
		return uint64(in[0])
	}
	n := in[0]
	for i := range g.prefix {
		n = g.prefix[i].Number(intern.Pair(n, in[i+1]))
	}
	return intern.Pair(n, in[g.width-1])
}

// stepWords is the number of words in which a Step is stored.
const stepWords = 4

// Next implements System.
func (t *Table) Next(g int, in []Value, out *Successors) error {
	gt := &t.groups[g]
	if gt.direct {
		return t.System.Next(g, in, out)
	}
	key := gt.key(in)
	ref, ok := gt.results.Load(key)
	if !ok {
		return t.fill(g, key, in, out)
	}
	run := t.arena.At(ref)
	n, run := run[0], run[1:]
	for range n {
		copy(out.Add(loadStep(run)), run[stepWords:])
		run = run[stepWords+gt.width:]
	}
	return nil
}

func (t *Table) fill(g int, key uint64, in []Value, out *Successors) error {
	first := out.Len()
	if err := t.System.Next(g, in, out); err != nil {
		return err
	}
	if err := out.Check(first); err != nil {
		return err
	}
	run := []uint32{uint32(out.Len() - first)}
	for i := first; i < out.Len(); i++ {
		run = storeStep(run, out.Step(i))
		run = append(run, out.Values(i)...)
	}
	// A writer of its own would leave a chunk to every goroutine; filling is rare enough to share one.
	t.groups[g].results.LoadOrStore(key, t.arena.Add(run))
	return nil
}

func storeStep(run []uint32, s Step) []uint32 {
	return append(run, uint32(s.Label), s.Choice, s.Weight.Num, s.Weight.Den)
}

func loadStep(run []uint32) Step {
	return Step{Label: Label(run[0]), Choice: run[1], Weight: Weight{run[2], run[3]}}
}

// Bytes implements Holder.
func (t *Table) Bytes() int64 {
	n := Bytes(t.System) + t.arena.Bytes()
	for i := range t.groups {
		g := &t.groups[i]
		n += g.results.Bytes()
		for j := range g.prefix {
			n += g.prefix[j].Bytes()
		}
	}
	return n
}
