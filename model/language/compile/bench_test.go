package compile_test

import (
	"testing"

	"ringcheck/internal/test/spectest"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/step"
)

// tuples returns the arguments of Next for some states, by group.
func tuples(tb testing.TB, sys *compile.System, states []*step.State) (all [][][]model.Value) {
	tb.Helper()
	all = make([][][]model.Value, len(sys.Groups()))
	for _, s := range states {
		state := sys.Encode(nil, s)
		for g, group := range sys.Groups() {
			in := make([]model.Value, len(group.Slots))
			for i, slot := range group.Slots {
				in[i] = state[slot]
			}
			all[g] = append(all[g], in)
		}
	}
	return all
}

func BenchmarkNew(b *testing.B) {
	p := election(b, 6, 3)
	b.ReportAllocs()
	for b.Loop() {
		spectest.Compile(b, p)
	}
}

// BenchmarkNextHot asks about one group of one state at a time, with filled tables; a state has 20 groups.
func BenchmarkNextHot(b *testing.B) {
	sys, states := reached(b, 4, 2, 5000)
	asked := tuples(b, sys, states)
	var out model.Successors
	ask := func(g, i int) int {
		out.Reset(len(asked[g][i]))
		if err := sys.Next(g, asked[g][i], &out); err != nil {
			b.Fatal(err)
		}
		return out.Len()
	}
	for g := range asked {
		for i := range asked[g] {
			ask(g, i)
		}
	}
	b.ReportAllocs()
	transitions, g, i := 0, 0, 0
	for b.Loop() {
		transitions += ask(g, i)
		if g++; g == len(asked) {
			g, i = 0, (i+1)%len(states)
		}
	}
	b.ReportMetric(float64(transitions)/b.Elapsed().Seconds(), "transitions/s")
}

// BenchmarkNextCold explores 5,000 states with empty tables.
func BenchmarkNextCold(b *testing.B) {
	known, states := reached(b, 4, 2, 5000)
	p := known.Protocol()
	b.ReportAllocs()
	for b.Loop() {
		sys := spectest.Compile(b, p)
		for _, s := range states {
			state := sys.Encode(nil, s)
			if err := successors(sys, state, func(model.Step, []model.Value) {}); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkUntabulated computes the successors of one state by the semantics, without tables.
func BenchmarkUntabulated(b *testing.B) {
	sys, states := reached(b, 4, 2, 5000)
	reference := step.New(sys.Protocol(), step.Options{})
	i := 0
	for b.Loop() {
		if _, err := spectest.Successors(reference, states[i%len(states)]); err != nil {
			b.Fatal(err)
		}
		i++
	}
}

// reached returns a system and its first states.
func reached(tb testing.TB, n, k, limit int) (*compile.System, []*step.State) {
	tb.Helper()
	p := election(tb, n, k)
	graph, err := spectest.Explore(step.New(p, step.Options{}), limit)
	if err == nil {
		tb.Fatal("there are fewer states than the benchmark asks for")
	}
	return spectest.Compile(tb, p), graph.States[:limit]
}
