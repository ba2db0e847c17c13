package conform

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"ringcheck/explore"
	"ringcheck/internal/graph"
	"ringcheck/model"
	"ringcheck/reduce"
)

// A Cover is a coverage criterion: the elements that the runs of the tests together visit at least once.
type Cover string

// The covers.
const (
	Transitions Cover = "transitions" // of the state space
	Actions     Cover = "actions"     // its labels
	Control     Cover = "control"     // the control points of each process
)

// Covers lists the covers.
func Covers() []Cover { return []Cover{Transitions, Actions, Control} }

// Tests are runs of a spec that together take all transitions, actions or control points. Generate takes the runs.
type Tests struct {
	reduce.Description
	Cover Cover `json:"cover"`
	explore.Ending
	Count   int `json:"runs"`
	Steps   int `json:"steps"` // of all runs together
	Covered int `json:"covered"`

	from *tests // the state space; nil unless it is complete
}

// NewTests explores a system of which Generate then takes runs. A search that ends early is not an error: see
// Tests.Ending.
func NewTests(ctx context.Context, sys *reduce.System, cover Cover, search reduce.Search) (*Tests, error) {
	prepared, err := reduce.Prepare(ctx, sys, search)
	if err != nil {
		tests := &Tests{Description: sys.Description(), Cover: cover}
		return tests, tests.Stop(ctx, err)
	}
	compiled := prepared.Full
	if compiled == nil {
		return nil, &model.RequestError{Err: errors.New("tests require a spec")}
	}
	t := &tests{network: newNetwork(compiled, nil), cover: cover}
	t.edges.At = []uint32{0}
	t.report = &Tests{Description: prepared.Description(), Cover: cover}
	result, err := explore.Walk(ctx, compiled, prepared.Search.ExploreOptions(),
		explore.Visitor{State: t.state, Transitions: t.transitions, Bytes: t.size})
	if err != nil {
		return nil, err
	}
	if t.report.Ending = result.Ending(); !result.Complete() {
		return t.report, nil
	}
	if err := t.assigned(); err != nil {
		return nil, err
	}
	t.report.from = t
	return t.report, nil
}

// Generate takes runs that cover the state space, and calls yield with each. A run begins with the assigned values;
// each step is an event, followed by the local state of the process that took it. If ctx ends that, the last run is cut
// short, and t says so. The error is one of yield, or says that something is reached by no run.
func (t *Tests) Generate(ctx context.Context, yield func(run []Event) error) error {
	if t.from == nil {
		return nil
	}
	return t.from.generate(ctx, yield)
}

// Write writes the runs of Generate as the lines of a log. The spec explains a complete log of a program that executes
// them.
func (t *Tests) Write(ctx context.Context, w io.Writer) error {
	out := bufio.NewWriter(w)
	err := t.Generate(ctx, func(run []Event) error {
		run[0].Run = uint(t.Count)
		for _, e := range run {
			if _, err := fmt.Fprintln(out, e); err != nil {
				return err
			}
		}
		return nil
	})
	return cmp.Or(err, out.Flush())
}

// Tests generates runs from the state space.
type tests struct {
	*network
	cover     Cover
	report    *Tests
	states    [][]model.Value
	initial   []uint32
	edges     graph.Rows[graph.Edge]
	given     map[string][]model.Value // by initial state: the assigned values
	open      graph.Set[uint32]        // the items that are not covered
	exhausted graph.Set[uint32]        // states from which no open item is reachable
	queue     []arrival
	seen      []uint32 // by state: the last search that visited it
	search    uint32
}

// An arrival is a state that a search has visited, by an edge from an earlier state of the queue.
type arrival struct{ state, before, edge uint32 }

func (t *tests) state(n uint64, level int, state []model.Value) error {
	if level == 0 {
		t.initial = append(t.initial, uint32(n))
	}
	t.states = append(t.states, slices.Clone(state))
	return nil
}

func (t *tests) transitions(_ uint64, all []explore.Transition) error {
	var row []graph.Edge
	for _, s := range all {
		if !s.Repeated {
			row = append(row, graph.Edge{Label: uint32(s.Label), To: uint32(s.To)})
		}
	}
	t.edges.Append(row...)
	return nil
}

// stateBytes is the memory of a state besides its values: a slice, its place in the table of visited states, and in the
// queue of a search for the next run.
const stateBytes = 24 + 4 + 12

func (t *tests) size() uint64 {
	return uint64(cap(t.states))*stateBytes + uint64(len(t.states))*(uint64(4*t.network.size+15)&^15) + t.edges.Bytes()
}

// assigned notes which assigned values lead to each initial state.
func (t *tests) assigned() error {
	all, err := t.combinations()
	t.given = make(map[string][]model.Value)
	for _, state := range all {
		t.given[fmt.Sprint(state[:t.network.size])] = state[t.network.size:]
	}
	return err
}

// items calls yield with the numbers of the items that an edge covers.
func (t *tests) items(edge uint32, yield func(item uint32)) {
	switch e := t.edges.All[edge]; t.cover {
	case Transitions:
		yield(edge)
	case Actions:
		yield(e.Label)
	case Control:
		for p := range t.protocol.N {
			if id := t.sys.Local(t.states[e.To][t.sys.SlotOfProcess(p)]).Point.ID; id >= 0 {
				yield(uint32(p*len(t.names) + id))
			}
		}
	}
}

// covers reports whether an edge covers an open item.
func (t *tests) covers(edge uint32) (is bool) {
	t.items(edge, func(item uint32) { is = is || t.open.Has(item) })
	return is
}

// generate takes runs until everything is covered, and calls yield with each. A run goes from each state to the nearest
// open item: the greedy heuristic for the Chinese postman on a directed graph that need not be strongly connected.
func (t *tests) generate(ctx context.Context, yield func([]Event) error) error {
	t.exhausted, t.seen = graph.NewSet(uint32(len(t.states))), make([]uint32, len(t.states))
	most := uint32(len(t.edges.All) + t.protocol.N*len(t.names))
	for i := range t.edges.All {
		most = max(most, t.edges.All[i].Label+1)
	}
	t.open = graph.NewSet(most)
	for i := range t.edges.All {
		t.items(uint32(i), t.open.Add)
	}
	all := t.open.Len()
	for !t.open.Empty() && ctx.Err() == nil {
		start, path := t.nearest(t.initial)
		if path == nil {
			return fmt.Errorf("%d of %d are reached by no run", t.open.Len(), all)
		}
		var run []uint32
		for path != nil && len(run) < longestRun && ctx.Err() == nil {
			for _, edge := range path {
				t.items(edge, t.open.Remove)
			}
			run = append(run, path...)
			_, path = t.nearest([]uint32{t.edges.All[path[len(path)-1]].To})
		}
		t.report.Steps += len(run)
		t.report.Count++
		t.report.Covered = all - t.open.Len()
		if err := yield(t.events(start, run)); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return t.report.Stop(ctx, context.Cause(ctx))
	}
	return nil
}

// longestRun is the number of steps after which a run ends and another one begins, so that its events fit in memory.
const longestRun = 10_000

// nearest returns a shortest path from one of several states to an edge that covers an open item, as indices of edges.
// If there is none, the visited states are exhausted.
func (t *tests) nearest(from []uint32) (start uint32, path []uint32) {
	t.queue = t.queue[:0]
	t.search++
	add := func(a arrival) {
		if t.seen[a.state] != t.search && !t.exhausted.Has(a.state) {
			t.seen[a.state] = t.search
			t.queue = append(t.queue, a)
		}
	}
	for _, s := range from {
		add(arrival{state: s})
	}
	roots := uint32(len(t.queue))
	for i := uint32(0); i < uint32(len(t.queue)); i++ {
		state := t.queue[i].state
		for edge := t.edges.At[state]; edge < t.edges.At[state+1]; edge++ {
			if !t.covers(edge) {
				add(arrival{t.edges.All[edge].To, i, edge})
				continue
			}
			path = []uint32{edge}
			for ; i >= roots; i = t.queue[i].before {
				path = append(path, t.queue[i].edge)
			}
			slices.Reverse(path)
			return t.queue[i].state, path
		}
	}
	for _, a := range t.queue {
		t.exhausted.Add(a.state)
	}
	return 0, nil
}

// events returns a run as the lines of a log.
func (t *tests) events(start uint32, run []uint32) (all []Event) {
	all = t.assignments(t.given[fmt.Sprint(t.states[start])])
	for _, edge := range run {
		e := t.edges.All[edge]
		all = append(all, t.event(model.Label(e.Label)))
		if _, process := t.sys.Action(model.Label(e.Label)); process >= 0 {
			all = append(all, t.situation(t.states[e.To], process))
		}
	}
	return all
}
