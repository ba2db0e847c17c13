package view

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ringcheck/internal/test/spectest"
	"ringcheck/internal/test/systemtest"
	"ringcheck/model"
	"ringcheck/model/language/compile"
)

// TestRowsAreRuns: in whatever order the steps of a row are taken, the rows that steps share are a run of the system
// to the same state. So no two steps of which one depends on the other are out of order. The specs are random ones,
// with everything on which a step can depend.
func TestRowsAreRuns(t *testing.T) {
	corpus := spectest.NewCorpus()
	rng := rand.New(rand.NewPCG(3, 4))
	shared := 0
	check := func(t *testing.T, sys *compile.System) {
		run := []model.Move{{State: initial(t, sys)}}
		for next := moves(sys, run[0].State); len(next) > 0 && len(run) < 60; {
			run = append(run, next[rng.IntN(len(next))])
			next = moves(sys, run[len(run)-1].State)
		}
		trace := newTrace(t, sys, run)
		trace.Selection = Selection{Share: true, Fold: true}
		rows := newRows(trace)
		var steps []int
		for _, row := range rows.steps[1:] {
			if acting := rows.actors(rows.of[row[0]]); len(acting) > 1 {
				shared++
			}
			steps = append(steps, shuffled(rng, trace, row)...)
		}
		all := slices.Sorted(slices.Values(steps))
		if len(all) != trace.Length() || len(slices.Compact(all)) != trace.Length() {
			t.Fatalf("of %d steps, the rows have %v", trace.Length(), rows.steps)
		}
		if !reaches(sys, run, steps) {
			t.Fatalf("the rows %v are no run to the same state:\n%s", rows.steps, written(t, trace, "text"))
		}
	}
	for _, src := range corpus.Specs(60, 33) {
		sys, err := compile.New(t.Context(), spectest.Instantiate(t, src, nil), compile.Options{})
		if err != nil {
			continue
		}
		corpus.Use(t, src)
		for range 4 {
			check(t, sys)
		}
	}
	corpus.Check(t)
	randomTraces(t, func(t *testing.T, sys *compile.System, _ *Trace) { check(t, sys) })
	if shared < 500 {
		t.Errorf("only %d rows are shared", shared)
	}
}

// moves returns the transitions of a state, none if the model has an error there.
func moves(sys *compile.System, state []model.Value) (all []model.Move) {
	transitions, err := systemtest.Successors(sys, state)
	if err != nil {
		return nil
	}
	for _, t := range transitions {
		all = append(all, model.Move{Step: t.Step, State: t.Target})
	}
	return all
}

// shuffled returns the steps of a row in a random order, in which those of each process keep theirs.
func shuffled(rng *rand.Rand, trace *Trace, row []int) []int {
	first := make(map[int]int)
	for _, i := range row {
		if _, known := first[trace.Steps[i].Process]; !known {
			first[trace.Steps[i].Process] = rng.IntN(1000)
		}
	}
	row = slices.Clone(row)
	slices.SortStableFunc(row, func(a, b int) int {
		return first[trace.Steps[a].Process] - first[trace.Steps[b].Process]
	})
	return row
}

// reaches reports whether the steps of a run lead to its last state in another order, too.
func reaches(sys *compile.System, run []model.Move, steps []int) bool {
	states := map[string][]model.Value{fmt.Sprint(run[0].State): run[0].State}
	for _, i := range steps {
		next := make(map[string][]model.Value)
		for _, s := range states {
			for _, m := range moves(sys, s) {
				if sys.Label(m.Step.Label).Text == sys.Label(run[i].Step.Label).Text {
					next[fmt.Sprint(m.State)] = m.State
				}
			}
		}
		states = next
	}
	_, found := states[fmt.Sprint(run[len(run)-1].State)]
	return found
}
