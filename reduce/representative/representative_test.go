package representative_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ringcheck/bisim"
	"ringcheck/bisim/lts"
	"ringcheck/explore"
	"ringcheck/internal/test/systemtest"
	"ringcheck/model"
	"ringcheck/reduce/representative"
)

// machines is a system of independent machines: each is a slot with a graph of its own, which says which transitions
// are confluent in the machine, and so in the system.
type machines struct{ graphs []graph }

// A graph is the transitions of a machine, by state.
type graph [][]edge

type edge struct {
	to        model.Value
	label     model.Label // 0 is τ
	confluent bool
}

func (m machines) Slots() []model.Slot {
	slots := make([]model.Slot, len(m.graphs))
	for i := range slots {
		slots[i] = model.Slot{Name: fmt.Sprint(i), Process: i}
	}
	return slots
}

func (m machines) Groups() []model.Group {
	groups := make([]model.Group, len(m.graphs))
	for i := range groups {
		groups[i] = model.Group{Name: fmt.Sprint(i), Slots: []int{i}}
	}
	return groups
}

func (m machines) Initial(yield func([]model.Value) bool) error {
	yield(make([]model.Value, len(m.graphs)))
	return nil
}

func (m machines) Next(g int, in []model.Value, out *model.Successors) error {
	m.add(g, in, out, func(edge) bool { return true })
	return nil
}

func (m machines) Confluent(g int, in []model.Value, out *model.Successors) error {
	m.add(g, in, out, func(e edge) bool { return e.confluent })
	return nil
}

func (m machines) add(g int, in []model.Value, out *model.Successors, wanted func(edge) bool) {
	for i, e := range m.graphs[g][in[0]] {
		if wanted(e) {
			out.Add(model.Step{Label: e.label, Choice: uint32(i), Weight: model.Certain})[0] = e.to
		}
	}
}

func (m machines) Label(l model.Label) model.LabelInfo {
	return model.LabelInfo{Text: fmt.Sprint(l), Visible: l != 0, Slot: -1, Process: -1}
}

func (m machines) FormatSlot(_ int, v model.Value) string { return fmt.Sprint(v) }

// count explores sys and returns its transitions too.
func count(t *testing.T, sys model.System) (*explore.Result, *lts.LTS) {
	t.Helper()
	b := lts.NewBuilder()
	r, err := explore.Walk(context.Background(), sys, explore.Options{}, explore.Visitor{
		Transitions: func(from uint64, all []explore.Transition) error {
			for _, t := range all {
				label := lts.Tau
				if t.Label != 0 {
					label = b.Label(sys.Label(t.Label).Text)
				}
				b.Add(uint32(from), lts.Edge{Label: label, To: uint32(t.To)})
			}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	l, err := b.Build(t.Context(), 0, int(r.States))
	if err != nil {
		t.Fatal(err)
	}
	return r, l
}

// equivalent checks that two systems are branching bisimilar.
func equivalent(t *testing.T, a, b *lts.LTS) {
	t.Helper()
	c, err := bisim.Compare(context.Background(), a, b, bisim.Branching, bisim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !c.Equivalent {
		why, _ := c.Explain(t.Context(), true)
		t.Fatalf("not equivalent: %v", why.Formula)
	}
}

func tau(to model.Value) edge                    { return edge{to: to, confluent: true} }
func visible(to model.Value, l model.Label) edge { return edge{to: to, label: l} }
func reduce(m machines) *representative.ReducedSystem {
	return representative.Reduce(m, representative.Options{})
}

// TestCycles checks representatives on cycles of confluent τ's.
func TestCycles(t *testing.T) {
	ring := graph{{tau(1)}, {tau(2)}, {tau(0)}}
	knot := graph{{tau(1), tau(2)}, {tau(0), tau(3)}, {tau(1)}, {visible(3, 1)}} // a cycle with a way out
	both := graph{{tau(1), visible(2, 1)}, {tau(0), visible(3, 1)}, {tau(3)}, {tau(2)}}
	tail := graph{{tau(1)}, {tau(2)}, {tau(3)}, {tau(1)}}
	for _, tt := range []struct {
		name                string
		graphs              []graph
		states, transitions uint64
	}{
		{"a loop", []graph{{{tau(0)}}}, 1, 1},
		{"a cycle", []graph{ring}, 1, 1},
		{"a cycle that is reached", []graph{tail}, 1, 1},
		{"a cycle with a way out", []graph{knot}, 1, 1},
		{"a visible step between cycles", []graph{both}, 2, 3},
		{"two cycles", []graph{ring, ring}, 1, 2},
		{"cycles beside a way out", []graph{knot, ring, knot}, 1, 3},
		{"many", []graph{both, knot, tail, both}, 4, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := machines{tt.graphs}
			_, full := count(t, m)
			reduced, small := count(t, reduce(m))
			equivalent(t, full, small)
			if reduced.States != tt.states || tt.transitions != 0 && reduced.Transitions != tt.transitions {
				t.Errorf("%d states, %d transitions; want %d, %d", reduced.States, reduced.Transitions, tt.states,
					tt.transitions)
			}
		})
	}
}

// randomMachine returns a machine of blocks. In a block all confluent τ's lead to one component in the end, and every
// state has the same other steps.
func randomMachine(r *rand.Rand) graph {
	blocks := 1 + r.IntN(3) // of states that confluent τ's join
	size := 1 + r.IntN(5)
	g := make(graph, blocks*size)
	for b := range blocks {
		first := b * size
		var events []edge // of all states of the block, each to the block and not to a state of it
		for range r.IntN(3) {
			events = append(events, visible(model.Value(r.IntN(blocks)*size), model.Label(r.IntN(3))))
		}
		cycle := r.IntN(size + 1) // of the last states of the block
		for i := range size {
			s := &g[first+i]
			*s = append(*s, events...)
			for range 1 + r.IntN(2) {
				if rest := size - i - 1; rest > 0 {
					*s = append(*s, tau(model.Value(first+i+1+r.IntN(rest))))
				}
			}
			if i+1 == size && cycle > 0 {
				*s = append(*s, tau(model.Value(first+size-cycle)))
			}
		}
	}
	return g
}

// TestRandom compares random systems with cycles of confluent τ's with their reductions, explored by one and by several
// goroutines.
func TestRandom(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 9))
		var m machines
		for range 1 + r.IntN(3) {
			m.graphs = append(m.graphs, randomMachine(r))
		}
		_, full := count(t, m)
		reduced, small := count(t, reduce(m))
		equivalent(t, full, small)
		one, naive := reduce(m), reduce(m)
		systemtest.Run(t, one, explore.Options{Workers: 1})
		stepByStep(t, naive)
		if one.InternalStates() != naive.InternalStates() {
			t.Fatalf("seed %d: %d internal states, %d step by step", seed, one.InternalStates(), naive.InternalStates())
		}
		parallel := systemtest.Run(t, reduce(m), explore.Options{Workers: 4})
		if parallel.States != reduced.States {
			t.Fatalf("seed %d: %d states, by several goroutines %d", seed, reduced.States, parallel.States)
		}
	}
}

// stepByStep expands the states of a system breadth first, one after the other.
func stepByStep(t *testing.T, sys model.System) {
	t.Helper()
	var states [][]model.Value
	known := make(map[string]bool)
	meet := func(state []model.Value) bool {
		if name := fmt.Sprint(state); !known[name] {
			known[name] = true
			states = append(states, slices.Clone(state))
		}
		return true
	}
	if err := sys.Initial(meet); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(states); i++ {
		successors, err := systemtest.Successors(sys, states[i])
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range successors {
			meet(s.Target)
		}
	}
}

// TestExpander checks that a search, which has its own numbers of states, finds the successors of Next.
func TestExpander(t *testing.T) {
	compared := 0
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 10))
		var m machines
		for range 2 + r.IntN(3) {
			m.graphs = append(m.graphs, randomMachine(r))
		}
		order := r.Perm(len(m.graphs))
		compared += systemtest.CompareExpander(t, representative.Reduce(m, representative.Options{Order: order,
			LastFirst: seed%2 == 0}))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if compared < 1000 {
		t.Errorf("only %d states are compared", compared)
	}
}

// TestInternalStates checks that siblings get a representative and are not counted.
func TestInternalStates(t *testing.T) {
	m := machines{[]graph{{{tau(1)}, {}}, {{tau(1)}, {}}, {{tau(1)}, {}}}}
	r := reduce(m)
	if _, err := explore.Run(context.Background(), r, explore.Options{Workers: 1}); err != nil {
		t.Fatal(err)
	}
	if got := r.InternalStates(); got != 4 {
		t.Errorf("%d internal states on the way from 000 to 111, want 4", got)
	}
}

// TestLongCycle searches a cycle so long that the states on the path are kept in a map.
func TestLongCycle(t *testing.T) {
	const length = 100
	long := make(graph, length)
	for i := range long {
		long[i] = []edge{tau(model.Value((i + 1) % length))}
	}
	r := reduce(machines{[]graph{long}})
	result := systemtest.Run(t, r, explore.Options{Workers: 1})
	if result.States != 1 || result.Transitions != 1 || r.InternalStates() != length {
		t.Errorf("%d states, %d transitions, %d internal states; want 1, 1, %d",
			result.States, result.Transitions, r.InternalStates(), length)
	}
}
