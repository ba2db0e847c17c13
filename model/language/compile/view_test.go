package compile_test

import (
	"testing"

	"ringcheck/internal/test/spectest"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// TestView checks that a view shows the encoded state and does not allocate.
func TestView(t *testing.T) {
	p := election(t, 2, 2)
	sys := spectest.Compile(t, p)
	graph, err := spectest.Explore(step.New(p, step.Options{}), 1000)
	if err != nil {
		t.Fatal(err)
	}
	view := sys.NewView()
	var state []model.Value
	for _, s := range graph.States {
		state = sys.Encode(state[:0], s)
		view.Show(state)
		for process, l := range s.Processes {
			checkLocal(t, p, view, process, l)
		}
		for link, want := range s.Channels {
			got := view.Channel(link)
			if p.FormatContents(got) != p.FormatContents(want) {
				t.Fatalf("link %d holds %s, want %s", link, p.FormatContents(got), p.FormatContents(want))
			}
		}
	}
	x := p.Vars[0]
	if n := testing.AllocsPerRun(100, func() {
		view.Show(state)
		view.Seen(1).Var(x)
		view.Channel(1)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func checkLocal(t *testing.T, p *ir.Protocol, view *compile.View, process int, l ir.Local) {
	t.Helper()
	if view.Seen(process).Point != l.Point {
		t.Fatalf("process %d is at point %d, want %d", process, view.Seen(process).Point.ID, l.Point.ID)
	}
	live := make(map[*ir.Var]int64)
	for i, v := range l.Point.Live {
		live[v] = l.Env[i]
	}
	for _, v := range p.Vars {
		want, wantOK := live[v]
		if got, ok := view.Seen(process).Var(v); got != want || ok != wantOK {
			t.Fatalf("%s of process %d is %d, %t, want %d, %t", v.Name, process, got, ok, want, wantOK)
		}
	}
}

// TestHotNextDoesNotAllocate checks Next with filled tables.
func TestHotNextDoesNotAllocate(t *testing.T) {
	sys, states := reached(t, 3, 2, 500)
	asked := tuples(t, sys, states)
	var out model.Successors
	ask := func() {
		for g := range asked {
			for _, in := range asked[g] {
				out.Reset(len(in))
				if err := sys.Next(g, in, &out); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	ask()
	if n := testing.AllocsPerRun(5, ask); n != 0 {
		t.Errorf("%v allocations for %d states", n, len(states))
	}
}
