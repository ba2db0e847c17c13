package conform

import (
	"bufio"
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

// Tests are runs of a spec that together take all transitions, actions or control points.
type Tests struct {
	reduce.Description
	Cover Cover `json:"cover"`
	explore.Ending
	Runs    [][]Event `json:"-"`
	Count   int       `json:"runs"`
	Steps   int       `json:"steps"` // of all runs together
	Covered int       `json:"covered"`
}

// NewTests explores a system and returns runs that cover it. Each begins with the assigned values; each step is an
// event, followed by the local state of the process that took it.
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
	return t.report, t.generate(ctx)
}

// Write writes the runs as the lines of a log. The spec explains a complete log of a program that executes them.
func (t *Tests) Write(w io.Writer) error {
	out := bufio.NewWriter(w)
	for i, run := range t.Runs {
		for j, e := range run {
			if j == 0 {
				e.Run = uint(i + 1)
			}
			fmt.Fprintln(out, e)
		}
	}
	return out.Flush()
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

func (t *tests) size() uint64 {
	return uint64(len(t.states))*uint64(4*t.network.size+24) + t.edges.Bytes()
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

// generate takes runs until everything is covered: from each state to the nearest open item (the greedy heuristic for
// the Chinese postman on a directed graph that need not be strongly connected).
func (t *tests) generate(ctx context.Context) error {
	t.exhausted, t.seen = graph.NewSet(uint32(len(t.states))), make([]uint32, len(t.states))
	most := uint32(len(t.edges.All) + t.protocol.N*len(t.names))
	for i := range t.edges.All {
		most = max(most, t.edges.All[i].Label+1)
	}
	t.open = graph.NewSet(most)
	for i := range t.edges.All {
		t.items(uint32(i), t.open.Add)
	}
	for t.report.Covered = t.open.Len(); !t.open.Empty(); {
		start, path := t.nearest(t.initial)
		if path == nil {
			return fmt.Errorf("%d of %d are reached by no run", t.open.Len(), t.report.Covered)
		}
		run := []uint32{}
		for path != nil {
			if ctx.Err() != nil {
				t.report.Covered -= t.open.Len()
				return t.report.Stop(ctx, context.Cause(ctx))
			}
			for _, edge := range path {
				t.items(edge, t.open.Remove)
			}
			run = append(run, path...)
			_, path = t.nearest([]uint32{t.edges.All[path[len(path)-1]].To})
		}
		t.report.Runs = append(t.report.Runs, t.events(start, run))
		t.report.Steps += len(run)
		t.report.Count++
	}
	return nil
}

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
