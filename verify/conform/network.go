package conform

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"ringcheck/bisim/lts"
	"ringcheck/internal/memo"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// A network is the transition system of an instance, with its observable actions. A state is a vector of the compiled
// system, followed by the assigned values, one for each assignment and process.
//
// Assigned values are bound late: a process whose values are not bound has the local state uninitialized. Its first
// moves are initializations, one for each value that is left, which are no transitions of the system.
type network struct {
	sys            *compile.System
	protocol       *ir.Protocol
	size           int       // the number of slots of the compiled system
	processGroups  [][]int   // by process: the groups of its steps and of the faults of channels to it
	receiptGroups  [][]int   // by link: of these, the groups of receipts
	sharedGroups   []int     // the groups of no process: ticks
	counters       []counter // of faults
	faultLinks     []int     // by group of faults of messages: their link; else -1
	dependent      bool      // steps of different processes need not commute
	hasInternal    bool      // a step, or a fault, need not be observable
	hasFaults      bool      // a fault need not be observable
	losesUnlogged  bool      // no loss is observable
	lateFaults     bool      // faults that are not in the log can be decided late
	observable     *alphabet // the actions that are events of the log
	pointNames     []string
	knownValues    []model.Value // the assigned values that the log shows, else unbound
	openStart      *openStart    // nil unless the log begins in the middle of a run
	allContents    []model.Value // see possibleMessages; nil: not computed yet
	localStarts    map[string]model.Value
	receptions     func(local model.Value) []step.Reception
	representative func(local model.Value) model.Value // see canonicalLocal

	fullExpansion bool     // expand all moves, not a persistent set
	leavesOut     bool     // leave out faults, see isLeftOut
	expanded      struct { // when faults are left out: the configuration that is expanded
		trace *trace
		cut   cut
	}
	growth error // a step was left out that exceeds a bound on growth

	cursor *model.Cursor
}

// uninitialized is the local state of a process whose assigned values are not bound yet. unbound is such a value.
const (
	uninitialized = math.MaxUint32
	unbound       = math.MaxUint32
)

// An alphabet is a set of observable actions: all actions of some kinds, and all about messages and events of the spec
// with some names. A nil alphabet has all actions.
type alphabet struct {
	verbs map[verb]bool
	names map[string]bool
}

func newAlphabet() *alphabet { return &alphabet{make(map[verb]bool), make(map[string]bool)} }

// add adds actions by the words of an option: kinds of actions, and names of messages and events.
func (a *alphabet) add(option string, words []string, p *ir.Protocol) error {
	for _, w := range words {
		known := slices.ContainsFunc(p.Messages, func(m *ir.Message) bool { return m.Name == w }) ||
			slices.ContainsFunc(p.Events, func(e *ir.Event) bool { return e.Name == w })
		if v, err := verbOf(w); err == nil {
			a.verbs[v], known = true, true
		}
		if a.names[w] = true; !known {
			return &model.RequestError{Option: option, Value: w,
				Err: errors.New("it is neither a kind of action (send, recv, …) nor a message or an event")}
		}
	}
	return nil
}

// has reports whether an action, about a message or an event of the spec if these are not nil, is in a.
func (a *alphabet) has(v verb, m *ir.Message, e *ir.Event) bool {
	return a == nil || a.verbs[v] || m != nil && a.names[m.Name] || e != nil && a.names[e.Name]
}

// newNetwork returns the network of an instance with the given observable actions.
func newNetwork(sys *compile.System, observable *alphabet) *network {
	p := sys.Protocol()
	n := &network{
		sys: sys, protocol: p, size: len(sys.Slots()), processGroups: make([][]int, p.N), observable: observable,
		pointNames: p.PointNames(), receiptGroups: make([][]int, p.NumberOfLinks()),
		localStarts: make(map[string]model.Value), representative: memo.Of(sys.Head),
		cursor: model.NewCursor(sys),
	}
	n.receptions = memo.Of(func(local model.Value) []step.Reception {
		list, err := sys.Receptions(local)
		if err != nil {
			return []step.Reception{{}}
		}
		return list
	})
	linkOf := make(map[int]int)
	for link := range n.receiptGroups {
		linkOf[sys.SlotOfLink(link)] = link
	}
	for slot, s := range sys.Slots() {
		for kind := range ir.FaultKinds {
			if s.Kind == model.OtherSlot && s.Name == kind.String() {
				n.counters = append(n.counters, counter{slot, kind})
			}
		}
	}
	for g, group := range sys.Groups() {
		role := sys.Role(g)
		n.faultLinks = append(n.faultLinks, -1)
		if link, ok := linkOf[group.Slots[0]]; ok && group.Environment && role.Process < 0 {
			n.faultLinks[g] = link
		}
		process := role.Process
		if group.Environment && process < 0 {
			process = sys.Slots()[group.Slots[0]].Process // the receiver of a faulty channel
		}
		if process < 0 {
			n.sharedGroups = append(n.sharedGroups, g)
		} else {
			n.processGroups[process] = append(n.processGroups[process], g)
		}
		if role.Kind == compile.Receives {
			link := p.InLink(process, role.Port)
			n.receiptGroups[link] = append(n.receiptGroups[link], g)
		}
	}
	n.clearKnownValues()
	n.hasFaults = n.unloggedFaults()
	n.hasInternal = n.hasFaults
	n.losesUnlogged = p.Faults.Most[lossFault] != 0 && !slices.ContainsFunc(p.Messages, func(m *ir.Message) bool {
		return n.observable.has(verb{model.FaultAction, lossFault}, m, nil)
	})
	n.dependent = dependent(p)
	n.lateFaults = !n.dependent
	for _, t := range p.Terms() {
		prefix, acts := t.(*ir.Prefix)
		n.hasInternal = n.hasInternal || acts && n.mayBeInternal(prefix.Action)
	}
	return n
}

// dependent reports whether steps of different processes of a spec need not commute.
func dependent(p *ir.Protocol) bool {
	return p.Time.Ticks || p.Reads() != nil || len(p.Shared) > 0 || p.Channel.SendDisables() || p.Capacity.Most > 0
}

// mayBeInternal reports whether an action of a spec may be unobservable.
func (n *network) mayBeInternal(action ir.Action) bool {
	switch act := action.(type) {
	case *ir.Send:
		return !n.observable.has(verb{kind: model.SendAction}, act.Message, nil)
	case *ir.Receive:
		return !n.observable.has(verb{kind: model.ReceiveAction}, act.Message, nil)
	case *ir.Emit:
		return !n.observable.has(verb{kind: model.EventAction}, nil, act.Event)
	case *ir.Crash:
		return !n.observable.has(verb{kind: model.CrashAction}, nil, nil)
	case *ir.Assign, *ir.Skip:
	}
	return !n.observable.has(verb{kind: model.Internal}, nil, nil)
}

// observesAll reports whether all actions of a kind, which is about messages, are observable.
func (n *network) observesAll(kind model.ActionKind) bool {
	hidden := func(m *ir.Message) bool { return !n.observable.has(verb{kind: kind}, m, nil) }
	return !slices.ContainsFunc(n.protocol.Messages, hidden)
}

// mayObserve reports whether an event is about a state, or may be about an observable action.
func (n *network) mayObserve(q *pattern) bool {
	return q.isState || q.isGiven() || n.observable.has(q.verb, q.message, q.event) ||
		q.message == nil && q.allows("message") && slices.ContainsFunc(n.protocol.Messages,
			func(m *ir.Message) bool { return n.observable.has(q.verb, m, nil) }) ||
		q.event == nil && q.allows("name") && slices.ContainsFunc(n.protocol.Events,
			func(e *ir.Event) bool { return n.observable.has(q.verb, nil, e) })
}

// isInternal reports whether an action is not observable.
func (n *network) isInternal(label model.Label) bool {
	a, _ := n.sys.Action(label)
	return !n.observable.has(verb{a.Kind, a.Fault}, a.Message.Message, a.Event)
}

// maxCombinations limits the initial states where values cannot be bound late.
const maxCombinations = 1_000_000

var errCombinations = errors.New("there are more than a million initial states: log \"assign\"")

// notExplained returns the error of a search that has found no run: errUnexplained, or an error that wraps
// lts.ErrTooLarge if it left out a step.
func (n *network) notExplained() error {
	if n.growth != nil {
		return fmt.Errorf("%w: %w", lts.ErrTooLarge, n.growth)
	}
	return errUnexplained
}

// A move is a step of the network.
type move struct {
	group   int // of the transition; initialization; or observation, which has no effect
	step    model.Step
	process int // that acts, or is initialized or observed
	event   int // of the log that the move explains, -1 if it is not logged
	after   []model.Value
	origin  *model.Value // the local state in which the process began, if it was unknown before this move
	unknown bool         // it is about a message that was in a channel with unknown contents
}

// A matcher returns the event that an action explains, -1 if none, and whether the action is possible now.
type matcher func(label model.Label) (event int, ok bool)

const (
	initialization = -1
	observation    = -2
)

// moves appends the moves of a process, of noProcess or of anyProcess in a state.
func (n *network) moves(list []move, state []model.Value, process int, match matcher) ([]move, error) {
	if process == anyProcess {
		var err error
		for p := noProcess; p < n.protocol.N && err == nil; p++ {
			list, err = n.moves(list, state, p, match)
		}
		return list, err
	}
	if n.openStart != nil {
		return n.openMoves(list, state, process, match)
	}
	if process >= 0 && state[n.sys.SlotOfProcess(process)] == uninitialized {
		err := n.initialize(state, process, func(after []model.Value) {
			list = append(list, move{group: initialization, process: process, event: -1, after: after})
		})
		return list, err
	}
	return n.groupMoves(list, state, process, n.groupsOf(process), match), nil
}

// groupsOf returns the groups of a process, or of noProcess.
func (n *network) groupsOf(process int) []int {
	if process < 0 {
		return n.sharedGroups
	}
	return n.processGroups[process]
}

// groupMoves appends the moves of a process by the transitions of groups.
func (n *network) groupMoves(list []move, state []model.Value, process int, groups []int, match matcher) []move {
	for _, g := range groups {
		slots := n.sys.Groups()[g].Slots
		role := n.sys.Role(g)
		if role.Kind == compile.Receives && state[slots[role.Channel]] == compile.Empty {
			continue
		}
		if slices.ContainsFunc(slots, func(slot int) bool { return state[slot] == uninitialized }) {
			continue // a group has several processes only if no process is ever uninitialized
		}
		if err := n.cursor.Next(g, state); err != nil {
			if modelError := model.AsError(err); modelError.Growth {
				n.growth = err
			}
			continue
		}
		for i := range n.cursor.Len() {
			label := n.cursor.Step(i).Label
			event, ok := match(label)
			if !ok {
				continue
			}
			after := n.cursor.Target(i, state)
			m := move{group: g, step: n.cursor.Step(i), process: process, event: event, after: after}
			if link := n.faultLinks[g]; link < 0 || event >= 0 || !n.leavesOut || !n.isLeftOut(state, link, &m) {
				list = append(list, m)
			}
		}
	}
	return list
}

// receptive reports whether a local state of a process may receive from a link.
func (n *network) receptive(v model.Value, link int) bool {
	port := n.protocol.Link(link).In
	return v != uninitialized && slices.ContainsFunc(n.receptions(v), func(r step.Reception) bool {
		return r.Source == nil || *r.Source == port
	})
}

// eventOf returns an action as an event.
func (n *network) eventOf(label model.Label) Event {
	a, process := n.sys.Action(label)
	e := Event{Do: verb{a.Kind, a.Fault}.String()}
	if process >= 0 {
		e.Process = process
	}
	fields, values := []ir.Field(nil), a.Args
	if a.Message.Message != nil {
		e.Message, fields, values = a.Message.Message.Name, a.Message.Message.Fields, a.Message.Args
	}
	switch a.Kind {
	case model.SendAction:
		e.To = n.port(a.Port)
	case model.ReceiveAction:
		e.From = n.port(a.Port)
	case model.EventAction:
		e.Name, fields = a.Event.Name, a.Event.Fields
	case model.Internal, model.FaultAction, model.CrashAction, model.RecoverAction, model.TickAction:
	case model.SyncAction: // refused: see ir.SyncFeature
	}
	for i, f := range fields {
		if f.Type.Kind != ir.Absent {
			e.Args = append(e.Args, jsonValue(f.Type, values[i]))
		}
	}
	return e
}

// port returns the port by which a process names a neighbour.
func (n *network) port(port int64) any {
	if n.protocol.Naming == ir.ByDirection {
		return n.protocol.FormatPort(port)
	}
	return port
}
