package conform

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ringcheck/bisim/lts"
	"ringcheck/model"
	"ringcheck/model/language/compile"
)

// A tracker follows a log in the order of its lines, by a subset construction: it computes all configurations in which
// the system may be, the hypotheses.
type tracker struct {
	network    *network
	trace      *trace // in a total order
	invariants *invariants
	initial    [][]model.Value
	hypotheses []hypothesis
	explained  int // events
	lines      int // of which all events are explained
	// checkpoints is the number of times that explained events were forgotten. Then initial are the states there.
	checkpoints int

	certain uint64 // the invariants that all runs have violated, as bits, when all moves were last expanded

	recordsRuns bool        // hypotheses have a last node
	graph       *[]*runNode // where all nodes are kept; nil: they are not
	nodes       int         // the number of nodes

	memory    uint64 // the limit, in bytes
	work      int    // so far, see workForAll
	allLimit  int    // workForAll; 0: none
	hardLimit int    // workForOne; 0: none
}

// A hypothesis is a state in which the system may be, with the information about the runs to it.
type hypothesis struct {
	state    []model.Value
	last     *runNode // of one run to it; nil if runs are not recorded
	violated uint64   // the invariants that all runs to it have violated, as bits
}

// A runNode is a move in a run, in a tree of runs.
type runNode struct {
	move   move
	parent *runNode // nil at an initial state
	number uint64   // in the graph, from 1
}

// begin makes the initial states hypotheses.
func (t *tracker) begin() error {
	t.network.fullExpansion, t.network.growth = t.network.hasInternal, nil
	initial, err := t.network.initialStates()
	t.initial = initial
	for _, state := range initial {
		last := t.extend(nil, &move{group: initialization, process: noProcess, event: -1, after: state})
		t.hypotheses = append(t.hypotheses, hypothesis{state, last, t.invariants.violatedBy(state, t.network)})
	}
	return err
}

// extend adds a move to a run.
func (t *tracker) extend(parent *runNode, m *move) *runNode {
	if !t.recordsRuns {
		return nil
	}
	node := &runNode{move: *m, parent: parent}
	t.nodes++
	if t.graph != nil {
		*t.graph = append(*t.graph, node)
		node.number = uint64(len(*t.graph))
	}
	return node
}

// add follows an event of the log, which may be about the initial state. The error is errUnexplained if no run explains
// it. Then before has the states before the event, including those after internal actions.
func (t *tracker) add(ctx context.Context, e *traceEvent) (before [][]model.Value, err error) {
	if !e.pattern.isGiven() {
		t.trace.events = append(t.trace.events, e)
		t.trace.chains[0] = append(t.trace.chains[0], len(t.trace.events)-1)
		return t.observe(ctx, e)
	}
	if e.pattern.initial != nil && t.initial != nil {
		return nil, lateInitial(e)
	}
	fits, err := t.network.recordGiven(e)
	if err != nil || t.initial == nil && fits {
		return nil, err
	}
	var after []hypothesis
	for _, h := range t.hypotheses {
		if fits && t.network.fitsAll(h.state[t.network.size:], e.pattern) {
			if h.state, err = t.network.initializeKnown(h.state); err != nil {
				return nil, err
			}
			after = append(after, h)
		}
	}
	if len(after) == 0 {
		return statesOf(t.hypotheses), t.network.notExplained()
	}
	t.hypotheses = after
	return nil, nil
}

// lateInitial returns the error that an event about the beginning of a log comes too late.
func lateInitial(e *traceEvent) error {
	err := errors.New(`a line with "initial" comes after an event of the run`)
	return &LineError{Position: e.line.Position, Err: err}
}

// The unit of work is a process of a hypothesis, or a value of a quantifier in an invariant.
//
// All internal actions are followed up to workForAll, and as long as the work is workForEach per event on average. Then
// only persistent sets are followed: they explain the same events, but states and verdicts may be missing. Beyond
// workForOne, it is faster to find one run than all hypotheses.
//
// Unlogged faults may make many hypotheses at little work, so their number is limited, too: to maxWithFaults after an
// event, and to maxBeforeEvent in the search for the next one.
const (
	workForAll     = 1 << 17
	workForOne     = 1 << 19
	workForEach    = 1 << 12
	maxWithFaults  = 32
	maxBeforeEvent = 1 << 10
)

// observe follows the next event, as add does.
func (t *tracker) observe(ctx context.Context, e *traceEvent) ([][]model.Value, error) {
	before, next, err := t.step(ctx)
	if t.network.fullExpansion && errors.Is(err, errLimit) {
		t.certain, _ = t.violatedInvariants()
		t.network.fullExpansion = false
		before, next, err = t.step(ctx)
	}
	if err == nil && len(next) == 0 {
		err = t.network.notExplained()
	}
	if err != nil {
		return statesOf(before), err
	}
	t.hypotheses = next
	if t.explained++; e.last {
		t.lines++
	}
	return nil, nil
}

// step returns the hypotheses before and after the next event.
func (t *tracker) step(ctx context.Context) (before, after []hypothesis, err error) {
	t.work = max(0, t.work-workForEach)
	explained := cut{model.Value(t.explained)}
	network := t.network
	visited, next := &hypothesisSet{network: network}, &hypothesisSet{network: network}
	if !network.fullExpansion && network.hasFaults && network.lateFaults {
		visited.compared, next.compared = network.comparedSlots(model.OtherSlot), network.comparedSlots()
	}
	limited := network.fullExpansion && network.hasFaults && network.lateFaults && t.allLimit > 0 && t.graph == nil
	for _, h := range t.hypotheses {
		visited.add(h)
	}
	for i := 0; i < len(visited.list); i++ {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		h := visited.list[i]
		moves, err := t.network.expand(t.trace, configuration{h.state, explained})
		if err != nil {
			return nil, nil, err
		}
		for j := range moves {
			m := &moves[j]
			to := visited
			if m.event >= 0 {
				to = next
			}
			violated := h.violated | t.invariants.violatedBy(m.after, t.network)
			if to.add(hypothesis{m.after, h.last, violated}) {
				to.list[len(to.list)-1].last = t.extend(h.last, m)
			}
		}
		t.work += t.network.protocol.N + t.invariants.work
		t.invariants.work = 0
		switch {
		case t.network.fullExpansion && t.allLimit > 0 && t.work > t.allLimit, t.hardLimit > 0 && t.work > t.hardLimit:
			return nil, nil, errLimit
		case limited && (len(visited.list) > maxBeforeEvent || len(next.list) > maxWithFaults):
			return nil, nil, errLimit
		case t.bytes(len(visited.list)+len(next.list)) > t.memory:
			return nil, nil, errMemory
		}
	}
	next.prune()
	return visited.list, next.list, nil
}

// statesOf returns the states of hypotheses.
func statesOf(list []hypothesis) (states [][]model.Value) {
	for _, h := range list {
		states = append(states, h.state)
	}
	return states
}

// bytes estimates the memory of a number of hypotheses and of all nodes.
func (t *tracker) bytes(hypotheses int) uint64 {
	return uint64(t.nodes+hypotheses) * uint64(4*len(t.initial[0])+150)
}

// dropExplained drops the events that are explained.
func (t *tracker) dropExplained() { t.trace.events, t.trace.chains[0], t.explained = nil, nil, 0 }

// violatedInvariants returns the invariants that all runs to the hypotheses have violated, as far as that is certain,
// and the invariants that some runs have violated, as bits.
func (t *tracker) violatedInvariants() (byAll, bySome uint64) {
	byAll = ^uint64(0)
	for _, h := range t.hypotheses {
		byAll, bySome = byAll&h.violated, bySome|h.violated
	}
	if !t.complete() {
		byAll = t.certain
	}
	return byAll, bySome
}

// complete reports whether all moves have been expanded, so that the hypotheses are all states after the last event.
func (t *tracker) complete() bool { return t.network.fullExpansion || !t.network.hasInternal }

// run returns an initial state and the moves from it to a hypothesis.
func (h *hypothesis) run() (start []model.Value, path []move) {
	node := h.last
	for ; node.parent != nil; node = node.parent {
		path = append(path, node.move)
	}
	slices.Reverse(path)
	if len(path) > 0 { // later lines may have assigned values to a process
		path[len(path)-1].after = h.state
	}
	return node.move.after, path
}

// label returns the label of the transition to a node in a graph.
func (n *runNode) label(sys *compile.System) string {
	switch m := &n.move; {
	case m.group == initialization && m.process < 0:
		return lts.TauName
	case m.group == initialization:
		return fmt.Sprintf("process %d gets its values", m.process)
	case m.group == observation:
		return fmt.Sprintf("process %d is as logged", m.process)
	case m.event < 0:
		return sys.Label(m.step.Label).Text + " (not in the log)"
	}
	return sys.Label(n.move.step.Label).Text
}

// A hypothesisSet is a set of hypotheses in the order in which they were added. It is fast for few.
type hypothesisSet struct {
	network *network
	list    []hypothesis
	has     map[string][]int // by key: the indices in list; nil while there are at most linearSearch
	key     []byte

	// compared are the slots in which a state may differ from one that it supersedes, which is left out. Without such
	// slots only equal states are left out.
	compared []int
}

// linearSearch is the largest number of hypotheses that are compared one by one.
const linearSearch = 8

// setKey sets the key, which does not have the slots that are compared.
func (s *hypothesisSet) setKey(h hypothesis) {
	s.key = s.network.appendKey(s.key[:0], s.rest(h.state), false)
	s.key = appendValue(appendValue(s.key, model.Value(h.violated)), model.Value(h.violated>>32))
}

// rest returns a state without the slots that are compared.
func (s *hypothesisSet) rest(state []model.Value) []model.Value {
	if s.compared != nil {
		state = slices.Clone(state)
		for _, slot := range s.compared {
			state[slot] = 0
		}
	}
	return state
}

// covers reports whether one hypothesis makes another one superfluous.
func (s *hypothesisSet) covers(x, h hypothesis) bool {
	if s.compared == nil || x.violated != h.violated {
		return x.violated == h.violated && slices.Equal(x.state, h.state)
	}
	return slices.Equal(s.rest(x.state), s.rest(h.state)) && s.network.supersedes(x.state, h.state)
}

// add adds a hypothesis and returns true, or returns false if the set has one that makes it superfluous.
func (s *hypothesisSet) add(h hypothesis) bool {
	if len(s.list) < linearSearch {
		if slices.ContainsFunc(s.list, func(x hypothesis) bool { return s.covers(x, h) }) {
			return false
		}
		s.list = append(s.list, h)
		return true
	}
	if s.has == nil {
		s.has = make(map[string][]int)
		for i, x := range s.list {
			s.setKey(x)
			s.has[string(s.key)] = append(s.has[string(s.key)], i)
		}
	}
	s.setKey(h)
	same := s.has[string(s.key)]
	if slices.ContainsFunc(same, func(i int) bool { return s.covers(s.list[i], h) }) {
		return false
	}
	s.has[string(s.key)] = append(same, len(s.list))
	s.list = append(s.list, h)
	return true
}

// prune removes the hypotheses that later ones have made superfluous.
func (s *hypothesisSet) prune() {
	if s.compared == nil {
		return
	}
	kept := s.list[:0:0]
	for i, h := range s.list {
		covered := func(j int) bool { return j > i && s.covers(s.list[j], h) }
		s.setKey(h)
		later := s.has[string(s.key)]
		for j := range s.list[:min(len(s.list), linearSearch)] {
			if s.has == nil {
				later = append(later, j)
			}
		}
		if !slices.ContainsFunc(later, covered) {
			kept = append(kept, h)
		}
	}
	s.list = kept
}
