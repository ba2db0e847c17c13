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
	"ringcheck/internal/intern"
	"ringcheck/internal/memo"
	"ringcheck/model"
	"ringcheck/reduce"
)

// A Cover is a coverage criterion: the elements that the runs of the tests together visit at least once.
type Cover string

// The criteria.
const (
	Transitions Cover = "transitions" // of the state space
	Actions     Cover = "actions"     // its labels
	Control     Cover = "control"     // the control points of each process
)

// Covers lists the criteria, the default first.
func Covers() []string { return []string{string(Transitions), string(Actions), string(Control)} }

// TestOptions say which runs NewTests returns.
type TestOptions struct {
	Cover Cover // the default is Transitions
	// Inputs are further actions that a test makes happen, besides receipts and what the environment does: kinds of
	// actions, and names of events and messages, as in Options.Observe.
	Inputs []string
	// Undetermined returns also runs in which the program may as well do something else after the same inputs.
	Undetermined bool
}

// Tests are runs of a spec that together take all transitions, actions or control points, as far as the program must
// take them when a test gives it the inputs. Generate takes the runs.
type Tests struct {
	reduce.Description
	Cover Cover `json:"cover"`
	explore.Ending
	Count   int `json:"runs"`
	Steps   int `json:"steps"` // of all runs together
	Covered int `json:"covered"`
	// Bound is a bound that some steps exceed. The runs do not have these steps. It is "" if there are none.
	Bound string `json:"bound,omitempty"`
	// Uncovered is the number of items that only runs cover that are left out, because they are not determined.
	Uncovered int `json:"uncovered"`
	// LeftOut says why the runs are left out that would cover these items.
	LeftOut []LeftOut `json:"left_out"`

	space *stateSpace // the state space; nil unless it is complete
}

// LeftOut is the number of runs that are left out for the same reason.
type LeftOut struct {
	Runs    int    `json:"runs"`
	Reason  Reason `json:"reason"`
	At      string `json:"at,omitempty"` // the control point of the process; "" if it has none, or no process acts
	Example Event  `json:"example"`      // the first step of such a run that is not determined
}

// NewTests explores a system of which Generate then takes runs, without steps that exceed a bound on growth, such as
// the number of messages in a channel. A search that ends early is not an error: see
// Tests.Ending.
func NewTests(ctx context.Context, sys *reduce.System, opt TestOptions, search reduce.Search) (*Tests, error) {
	opt.Cover = cmp.Or(opt.Cover, Transitions)
	prepared, err := reduce.Prepare(ctx, sys, search)
	if err != nil {
		tests := &Tests{Description: sys.Description(), Cover: opt.Cover, LeftOut: []LeftOut{}}
		return tests, tests.Stop(ctx, err)
	}
	compiled := prepared.Full
	if compiled == nil {
		return nil, &model.RequestError{Err: errors.New("tests require a spec")}
	}
	s := &stateSpace{network: newNetwork(compiled, nil), TestOptions: opt, inputs: newAlphabet()}
	if err := s.inputs.add("input", opt.Inputs, compiled.Protocol()); err != nil {
		return nil, err
	}
	s.edges.At = []uint32{0}
	s.report = &Tests{Description: prepared.Description(), Cover: opt.Cover, LeftOut: []LeftOut{}}
	system := &bounded{System: compiled, compiled: compiled, exceeding: make(map[int]map[string]bool)}
	result, err := explore.Walk(ctx, system, prepared.Search.ExploreOptions(),
		explore.Visitor{State: s.addState, Transitions: s.addTransitions, Bytes: s.bytes})
	if err != nil {
		return nil, err
	}
	s.report.Bound = system.bound
	if s.report.Ending = result.Ending(); !result.Complete() {
		return s.report, nil
	}
	if !opt.Undetermined {
		if err := s.markDetermined(ctx, system); err != nil {
			return s.report, s.report.Stop(ctx, err)
		}
	}
	if err := s.recordAssignments(); err != nil {
		return nil, err
	}
	s.report.space = s
	return s.report, nil
}

// Generate calls yield with runs that cover the state space. A run begins with the assigned values. Each step is an
// event, followed by the local state of the process that took it. If ctx ends the generation, the last run is
// incomplete, and t.Ending says so. The error is one of yield, or says that no run covers some items.
func (t *Tests) Generate(ctx context.Context, yield func(run []Event) error) error {
	if t.space == nil {
		return nil
	}
	return t.space.generateRuns(ctx, func(start uint32, run []uint32) error {
		return yield(t.space.eventsOf(start, run))
	})
}

// Write writes the runs of Generate as the lines of a log. The spec explains a complete log of a program that executes
// them.
func (t *Tests) Write(ctx context.Context, w io.Writer) error {
	if t.space == nil {
		return nil
	}
	out := newRunWriter(w, t.space)
	err := t.space.generateRuns(ctx, func(start uint32, run []uint32) error {
		return out.write(uint(t.Count), start, run)
	})
	return cmp.Or(err, out.Flush())
}

// A runWriter writes runs as the lines of a log. It formats each distinct line once, except for the first of a run,
// which has the number of the run.
type runWriter struct {
	*bufio.Writer
	space  *stateSpace
	action func(l model.Label) string
	local  func(l localState) string
}

// A localState is the value of a process' slot.
type localState struct {
	process int
	value   model.Value
}

func newRunWriter(w io.Writer, s *stateSpace) *runWriter {
	n := s.network
	return &runWriter{
		Writer: bufio.NewWriter(w), space: s,
		action: memo.Of(func(l model.Label) string { return s.testEventOf(l).String() + "\n" }),
		local:  memo.Of(func(l localState) string { return n.localEvent(l.value, l.process).String() + "\n" }),
	}
}

// write writes a run from a state by some edges.
func (w *runWriter) write(number uint, start uint32, run []uint32) error {
	head := w.space.eventsOf(start, run[:1])
	head[0].Run = number
	for _, e := range head {
		if _, err := fmt.Fprintln(w, e); err != nil {
			return err
		}
	}
	for _, edge := range run[1:] {
		e := w.space.edges.All[edge]
		if _, err := w.WriteString(w.action(model.Label(e.Label))); err != nil {
			return err
		}
		process, value, ok := w.space.actor(e)
		if !ok {
			continue
		}
		if _, err := w.WriteString(w.local(localState{process, value})); err != nil {
			return err
		}
	}
	return nil
}

// A stateSpace generates runs from all states and transitions.
type stateSpace struct {
	TestOptions
	network        *network
	inputs         *alphabet // the actions in Inputs
	report         *Tests
	states         [][]model.Value
	initial        []uint32
	edges          graph.Rows[graph.Edge]
	reasons        []uint8       // by edge: why it is not determined, as an index of reasons
	parts          []*actionPart // by label
	lines          intern.Values[string]
	valuesOf       map[string][]model.Value // by initial state: the assigned values
	uncoveredItems graph.Set[uint32]        // the items that are not covered
}

func (s *stateSpace) addState(n uint64, level int, state []model.Value) error {
	if level == 0 {
		s.initial = append(s.initial, uint32(n))
	}
	s.states = append(s.states, slices.Clone(state))
	return nil
}

func (s *stateSpace) addTransitions(_ uint64, all []explore.Transition) error {
	var row []graph.Edge
	for _, t := range all {
		if !t.Repeated {
			row = append(row, graph.Edge{Label: uint32(t.Label), To: uint32(t.To)})
		}
	}
	s.edges.Append(row...)
	return nil
}

// stateBytes is the memory of a state besides its values: a slice, its place in the table of visited states, and in the
// searches for the next run, of which there are two.
const stateBytes = 24 + 4 + 2*12

func (s *stateSpace) bytes() uint64 {
	values, reasons := uint64(len(s.states))*(uint64(4*s.network.size+15)&^15), uint64(len(s.edges.All))
	return uint64(cap(s.states))*stateBytes + values + s.edges.Bytes() + reasons
}

// recordAssignments records the assigned values of each initial state, which determine it.
func (s *stateSpace) recordAssignments() error {
	all, err := s.network.allInitialStates()
	s.valuesOf = make(map[string][]model.Value)
	for _, state := range all {
		s.valuesOf[fmt.Sprint(state[:s.network.size])] = state[s.network.size:]
	}
	return err
}

// items calls yield with the numbers of the items that an edge covers.
func (s *stateSpace) items(edge uint32, yield func(item uint32)) {
	switch e := s.edges.All[edge]; s.Cover {
	case Transitions:
		yield(edge)
	case Actions:
		yield(e.Label)
	case Control:
		for p := range s.network.protocol.N {
			if id := s.network.sys.Local(s.states[e.To][s.network.sys.SlotOfProcess(p)]).Point.ID; id >= 0 {
				yield(uint32(p*len(s.network.pointNames) + id))
			}
		}
	}
}

// coversNew reports whether an edge covers an uncovered item.
func (s *stateSpace) coversNew(edge uint32) (covers bool) {
	s.items(edge, func(item uint32) { covers = covers || s.uncoveredItems.Has(item) })
	return covers
}

// generateRuns calls yield with runs until all items are covered, as far as determined runs cover them unless others
// are wanted, too. It counts the runs that would cover the other items.
func (s *stateSpace) generateRuns(ctx context.Context, yield func(start uint32, run []uint32) error) error {
	items := uint32(len(s.edges.All) + s.network.protocol.N*len(s.network.pointNames))
	for i := range s.edges.All {
		items = max(items, s.edges.All[i].Label+1)
	}
	s.uncoveredItems = graph.NewSet(items)
	for i := range s.edges.All {
		s.items(uint32(i), s.uncoveredItems.Add)
	}
	all := s.uncoveredItems.Len()
	err := s.cover(ctx, s.isWanted, func(start uint32, run []uint32) error {
		s.report.Steps += len(run)
		s.report.Count++
		s.report.Covered = all - s.uncoveredItems.Len()
		return yield(start, run)
	})
	if err == nil && !s.Undetermined && ctx.Err() == nil {
		s.report.Uncovered = s.uncoveredItems.Len()
		err = s.cover(ctx, func(uint32) bool { return true }, s.countLeftOut)
	}
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return s.report.Stop(ctx, context.Cause(ctx))
	case !s.uncoveredItems.Empty():
		return fmt.Errorf("no run reaches %d of %d", s.uncoveredItems.Len(), all)
	}
	return nil
}

// isWanted reports whether runs may have an edge.
func (s *stateSpace) isWanted(edge uint32) bool { return s.Undetermined || s.reasons[edge] == 0 }

// cover calls yield with runs of allowed edges until all items are covered that these can cover, or ctx ends. A run
// goes from each state to the nearest uncovered item: the greedy heuristic for the Chinese postman problem on a
// directed graph that need not be strongly connected.
func (s *stateSpace) cover(ctx context.Context, allowed func(edge uint32) bool,
	yield func(start uint32, run []uint32) error) error {
	uncovered := newNearest(&s.edges, allowed, s.coversNew)
	for !s.uncoveredItems.Empty() && ctx.Err() == nil {
		start, path := uncovered.shortestPath(s.initial)
		if path == nil {
			return nil
		}
		var run []uint32
		for path != nil && len(run) < longestRun && ctx.Err() == nil {
			for _, edge := range path {
				s.items(edge, s.uncoveredItems.Remove)
			}
			run = append(run, path...)
			_, path = uncovered.shortestPath([]uint32{s.edges.All[path[len(path)-1]].To})
		}
		if len(run) == 0 { // ctx has ended since the run began
			return nil
		}
		if err := yield(start, run); err != nil {
			return err
		}
	}
	return nil
}

// countLeftOut counts a run that is not determined: determined runs have covered what they can.
func (s *stateSpace) countLeftOut(start uint32, run []uint32) error {
	state, i := start, 0
	for s.reasons[run[i]] == 0 {
		state = s.edges.All[run[i]].To
		i++
	}
	e := s.edges.All[run[i]]
	l := LeftOut{Runs: 1, Reason: reasons[s.reasons[run[i]]], Example: s.testEventOf(model.Label(e.Label))}
	if process := s.partOf(e).process; process >= 0 {
		l.At = s.network.localEvent(s.states[state][s.network.sys.SlotOfProcess(process)], process).At
	}
	same := func(other LeftOut) bool { return other.Reason == l.Reason && other.At == l.At }
	if at := slices.IndexFunc(s.report.LeftOut, same); at >= 0 {
		s.report.LeftOut[at].Runs++
	} else {
		s.report.LeftOut = append(s.report.LeftOut, l)
	}
	return nil
}

// longestRun limits the steps of a run, so that its events fit in memory.
const longestRun = 10_000

// eventsOf returns a run as the lines of a log.
func (s *stateSpace) eventsOf(start uint32, run []uint32) (all []Event) {
	all = s.network.assignmentEvents(s.valuesOf[fmt.Sprint(s.states[start])])
	for _, edge := range run {
		e := s.edges.All[edge]
		all = append(all, s.testEventOf(model.Label(e.Label)))
		if process, value, ok := s.actor(e); ok {
			all = append(all, s.network.localEvent(value, process))
		}
	}
	return all
}

// testEventOf returns an action as an event with its role.
func (s *stateSpace) testEventOf(label model.Label) Event {
	e := s.network.eventOf(label)
	e.Role = s.roleOf(label)
	if a, _ := s.network.sys.Action(label); a.Kind == model.FaultAction {
		link := s.network.protocol.Link(int(a.Port))
		e.Process, e.From = link.To, s.network.port(link.In)
	}
	return e
}

// roleOf returns the role of an action.
func (s *stateSpace) roleOf(label model.Label) Role {
	a, _ := s.network.sys.Action(label)
	if s.inputs.has(verb{a.Kind, a.Fault}, a.Message.Message, a.Event) {
		return Input
	}
	return roleOf(a.Kind)
}

// actor returns the process that takes an edge and the value of its slot afterwards. It is not ok if no process does.
func (s *stateSpace) actor(e graph.Edge) (process int, value model.Value, ok bool) {
	_, process = s.network.sys.Action(model.Label(e.Label))
	if process < 0 {
		return process, 0, false
	}
	return process, s.states[e.To][s.network.sys.SlotOfProcess(process)], true
}
