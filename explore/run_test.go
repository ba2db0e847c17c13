package explore_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/internal/test/systemtest"
	"ringcheck/internal/test/testlevel"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
	"ringcheck/specs"
)

// workerCounts are the numbers of goroutines with which searches are compared.
var workerCounts = []int{1, 2, 3, 8}

// random returns the system that belongs to a seed, and its name.
func random(seed uint64) (*systemtest.System, string) {
	shape := systemtest.RandomShape(rand.New(rand.NewPCG(seed, 0)))
	return systemtest.New(seed, shape), fmt.Sprintf("seed %d, %+v", seed, shape)
}

// seeds is how many random systems a test looks at.
func seeds(n uint64) uint64 {
	if testlevel.Gate() {
		return n
	}
	return max(1, n/5)
}

// counts are the results that must not depend on the kind of search.
type counts struct {
	stop                                           explore.Stop
	states, transitions, terminal, environmentOnly uint64
	levels                                         string
}

func countsOf(r *explore.Result) counts {
	return counts{r.Stop, r.States, r.Transitions, r.TerminalStates, r.EnvironmentOnly, fmt.Sprint(r.Levels)}
}

func graphCounts(g *systemtest.Graph) counts {
	return counts{explore.Exhausted, uint64(len(g.States)), g.Transitions, g.TerminalStates, g.EnvironmentOnly,
		fmt.Sprint(g.Levels)}
}

// TestRunRandomSystems compares with the simplest search that there is.
func TestRunRandomSystems(t *testing.T) {
	for seed := range seeds(160) {
		sys, name := random(seed)
		graph := systemtest.Explored(t, sys)
		want := graphCounts(graph)
		for _, n := range workerCounts {
			r := systemtest.Run(t, sys, explore.Options{Workers: n})
			if got := countsOf(r); got != want {
				t.Errorf("%s, %d workers: %v, want %v", name, n, got, want)
			}
			if !r.Complete() || r.Stored != r.States || r.Workers != n || r.TotalBytes < r.Bytes || r.Bytes == 0 {
				t.Errorf("%s, %d workers: %+v", name, n, r)
			}
		}
		w, err := explore.Walk(t.Context(), sys, explore.Options{}, explore.Visitor{})
		if err != nil || countsOf(w) != want {
			t.Errorf("%s: Walk found %v, error %v, want %v", name, countsOf(w), err, want)
		}
	}
}

// A product is a random system whose initial states are all combinations of some values.
type product struct {
	*systemtest.System
	values [][]model.Value // by slot
}

func (p product) InitialValues() [][]model.Value { return p.values }

func (p product) Initial(yield func(state []model.Value) bool) error {
	var states func(state []model.Value) bool
	states = func(state []model.Value) bool {
		if len(state) == len(p.values) {
			return yield(state)
		}
		for _, v := range p.values[len(state)] {
			if !states(append(slices.Clone(state), v)) {
				return false
			}
		}
		return true
	}
	states(nil)
	return nil
}

// TestRunProducts compares searches from initial states that are a product with the simplest search, which meets them
// one by one: in memory, with a budget, from disk.
func TestRunProducts(t *testing.T) {
	for seed := range seeds(100) {
		r := rand.New(rand.NewPCG(seed, 8))
		shape := systemtest.RandomShape(r)
		sys := product{System: systemtest.New(seed, shape)}
		for range shape.Slots {
			values := r.Perm(shape.Values)[:1+r.IntN(shape.Values)]
			slices.Sort(values)
			var some []model.Value
			for _, v := range values {
				some = append(some, model.Value(v))
			}
			sys.values = append(sys.values, some)
		}
		want := graphCounts(systemtest.Explored(t, sys))
		for _, opt := range []explore.Options{{Workers: 1}, {Workers: 3}, {Workers: 2, Memory: 64 << 20},
			explore.Spilling(explore.Options{Workers: 2}, 50, 40)} {
			if got := countsOf(systemtest.Run(t, sys, opt)); got != want {
				t.Errorf("seed %d, %+v: %v, want %v", seed, opt, got, want)
			}
		}
	}
}

// compareSpec compares searches of a compiled protocol, by so many workers each, with one that uses no tables; model
// errors, too. It returns the counts, and is not ok if there is a model error or there are more states than the limit.
func compareSpec(
	t *testing.T, name string, p *ir.Protocol, opt compile.Options, limit int, workers ...int,
) (want counts, ok bool) {
	t.Helper()
	graph, err := spectest.Explore(step.New(p, opt), limit)
	var modelError *model.Error
	switch {
	case errors.As(err, &modelError):
		for _, n := range workers {
			r, err := explore.Run(t.Context(), spectest.Compile(t, p, opt), explore.Options{Workers: n})
			if err == nil && r.Stop != explore.ModelFailure || err != nil && !errors.As(err, &modelError) {
				t.Errorf("%s: without tables there is %v, the search %v, error %v", name, modelError, r, err)
			}
		}
		return want, false
	case err != nil:
		return want, false // too many states to be compared
	}
	want = counts{
		explore.Exhausted, uint64(len(graph.States)), uint64(graph.Transitions), uint64(graph.TerminalStates),
		uint64(graph.EnvironmentOnly), fmt.Sprint(graph.Levels),
	}
	for _, n := range workers {
		sys := spectest.Compile(t, p, opt)
		if got := countsOf(systemtest.Run(t, sys, explore.Options{Workers: n})); got != want {
			t.Errorf("%s, %d workers: %v, want %v", name, n, got, want)
		}
	}
	return want, true
}

func TestRunRandomSpecs(t *testing.T) {
	corpus := spectest.NewCorpus()
	for seed, src := range corpus.Specs(int(seeds(200)), 0) {
		p := spectest.Instantiate(t, src, nil)
		compareSpec(t, fmt.Sprint("seed ", seed), p, compile.Options{MaxMessages: 2}, 1000, workerCounts[seed%4])
		corpus.Use(t, src)
	}
	corpus.Check(t)
}

func TestRunSpecs(t *testing.T) {
	for _, name := range specs.Names() {
		spec, err := specs.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		p, err := spec.Instantiate(map[string]string{"n": "2"})
		if err != nil {
			t.Fatal(err)
		}
		compareSpec(t, name, p, compile.Options{MaxMessages: 8, MaxNat: 4}, 5000, workerCounts...)
	}
}

// orbits is a quotient: a state represents one more states than the sum of its slots.
type orbits struct{ *systemtest.System }

func (orbits) OrbitSize(state []model.Value) uint64 {
	size := uint64(1)
	for _, v := range state {
		size += uint64(v)
	}
	return size
}

func TestQuotient(t *testing.T) {
	for seed := range seeds(40) {
		sys, name := random(seed)
		q := orbits{sys}
		want := quotientCounts(t, q)
		for _, n := range workerCounts {
			r := systemtest.Run(t, q, explore.Options{Workers: n})
			if got := countsOf(r); got != want {
				t.Errorf("%s, %d workers: %v, want %v", name, n, got, want)
			}
			if stored := systemtest.Run(t, sys, explore.Options{Workers: n}).States; r.Stored != stored {
				t.Errorf("%s: %d states were stored, want %d", name, r.Stored, stored)
			}
		}
		w, err := explore.Walk(t.Context(), q, explore.Options{}, explore.Visitor{})
		if err != nil || countsOf(w) != want {
			t.Errorf("%s: Walk found %v, error %v, want %v", name, countsOf(w), err, want)
		}
	}
}

// quotientCounts adds up the sizes of orbits.
func quotientCounts(t *testing.T, q orbits) counts {
	t.Helper()
	graph := systemtest.Explored(t, q)
	want := counts{stop: explore.Exhausted}
	levels := make([]uint64, len(graph.Levels))
	for _, state := range graph.States {
		size := q.OrbitSize(state)
		successors, err := systemtest.Successors(q, state)
		if err != nil {
			t.Fatal(err)
		}
		want.states += size
		want.transitions += size * uint64(len(successors))
		switch {
		case len(successors) == 0:
			want.terminal += size
		case systemtest.Quiescent(q, successors):
			want.environmentOnly += size
		}
		levels[graph.Level[systemtest.Key(state)]] += size
	}
	want.levels = fmt.Sprint(levels)
	return want
}

// TestModelErrors: a search of a system in which some state fails says so, and which.
func TestModelErrors(t *testing.T) {
	failed := 0
	for seed := range seeds(120) {
		shape := systemtest.RandomShape(rand.New(rand.NewPCG(seed, 0)))
		shape.Errors = 5
		sys := systemtest.New(seed, shape)
		graph := systemtest.Explored(t, sys)
		for _, n := range workerCounts {
			r := systemtest.Run(t, sys, explore.Options{Workers: n})
			if r.Complete() != (graph.Errors == 0) {
				t.Errorf("seed %d, %d workers: %v, with %d model errors", seed, n, r.Stop, graph.Errors)
			}
			if r.Stop != explore.ModelFailure {
				continue
			}
			failed++
			_, want := systemtest.Successors(sys, r.ErrorState)
			var modelError *model.Error
			if _, reachable := graph.Level[systemtest.Key(r.ErrorState)]; !reachable || !errors.As(want, &modelError) ||
				r.ModelError == nil {
				t.Errorf("seed %d: state %v fails with %v, want %v", seed, r.ErrorState, r.ModelError, want)
			}
			if r.States > uint64(len(graph.States)) || r.Transitions > graph.Transitions {
				t.Errorf("seed %d: %d states and %d transitions are no lower bounds of %d and %d", seed, r.States,
					r.Transitions,
					len(graph.States), graph.Transitions)
			}
		}
	}
	if failed == 0 {
		t.Error("no generated system has a model error, so nothing was tested")
	}
}

// TestMatch: the search ends with all states of the first level that has a match.
func TestMatch(t *testing.T) {
	for seed := range seeds(80) {
		sys, name := random(seed)
		graph := systemtest.Explored(t, sys)
		last := graph.States[len(graph.States)/2]
		goal := func(state []model.Value) bool { return state[0] == last[0] && state[len(last)-1] == last[len(last)-1] }
		want, level := matches(graph, goal)
		for _, n := range workerCounts {
			r := systemtest.Run(t, sys, explore.Options{Workers: n, Match: func(worker int, state []model.Value) bool {
				if worker < 0 || worker >= n {
					t.Errorf("worker %d of %d", worker, n)
				}
				return goal(state)
			}})
			slices.SortFunc(r.Matches, slices.Compare)
			if r.Stop != explore.Matched || len(r.Levels) != level+1 || !slices.EqualFunc(r.Matches, want,
				slices.Equal) {
				t.Errorf("%s, %d workers: %v after %d levels with %v, want %v", name, n, r.Stop, len(r.Levels),
					r.Matches, want)
			}
		}
	}
}

// matches returns the states of the first level in which there are goals, in order.
func matches(g *systemtest.Graph, goal func([]model.Value) bool) (states [][]model.Value, level int) {
	for _, s := range g.States {
		if !goal(s) {
			continue
		}
		l := g.Level[systemtest.Key(s)]
		if len(states) == 0 {
			level = l
		}
		if l == level {
			states = append(states, s)
		}
	}
	slices.SortFunc(states, slices.Compare)
	return states, level
}

// broken is a system whose initial states cannot be computed.
type broken struct{ *systemtest.System }

var errBroken = errors.New("broken")

func (broken) Initial(func([]model.Value) bool) error { return errBroken }

func TestInitialError(t *testing.T) {
	sys, _ := random(1)
	_, err := explore.Run(context.Background(), broken{sys}, explore.Options{})
	if !errors.Is(err, errBroken) {
		t.Errorf("Run: %v", err)
	}
	if _, err = explore.Walk(context.Background(), broken{sys}, explore.Options{}, explore.Visitor{}); !errors.Is(err,
		errBroken) {
		t.Errorf("Walk: %v", err)
	}
}
