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

// A network is the transition system of an instance, with the actions of it that a log shows. A state of it is a vector
// of the compiled system, followed by the assigned values, one for each assignment and process.
//
// Assigned values are bound late: a process whose values are not bound has the local state uninitialized. Its first
// moves are initializations, one for each value that is left, which are no transitions of the system.
type network struct {
	sys      *compile.System
	protocol *ir.Protocol
	size     int     // slots of the compiled system
	own      [][]int // by process: the groups of its steps and of the faults of channels to it
	receives [][]int // by link: of these, the groups of receipts
	common   []int   // the groups of no process: ticks
	coupled  bool    // steps of different processes need not commute: see reduce
	shown    *alphabet
	names    []string // of control points

	given  []model.Value // the assigned values in the log, else unbound
	starts map[string]model.Value

	messages []model.Value // the possible ones, each as the contents of a channel; nil: see enumerate

	receptions func(local model.Value) []step.Reception
	head       func(local model.Value) model.Value // the representative of those in which a process does the same
	whole      bool                                // use all moves, not a persistent set
	unseen     bool                                // a process can take a step that is not an event of the log
	grown      error                               // a step was left out that exceeds a bound on growth
	out        model.Successors
	in         []model.Value
}

// uninitialized is the local state of a process whose assigned values are not bound yet, and unbound such a value.
const (
	uninitialized = math.MaxUint32
	unbound       = math.MaxUint32
)

// An alphabet has the actions that are events of a log: all of some kinds, and those about messages and events of the
// spec with some names. Nil stands for all actions.
type alphabet struct {
	kinds map[model.ActionKind]bool
	names map[string]bool
}

// has reports whether an action of a kind, about a message or an event of the spec if these are not nil, is in a.
func (a *alphabet) has(kind model.ActionKind, m *ir.Message, e *ir.Event) bool {
	return a == nil || a.kinds[kind] || m != nil && a.names[m.Name] || e != nil && a.names[e.Name]
}

// newNetwork returns the network of an instance, with the actions that are events of the log.
func newNetwork(sys *compile.System, shown *alphabet) *network {
	p := sys.Protocol()
	n := &network{
		sys: sys, protocol: p, size: len(sys.Slots()), own: make([][]int, p.N), shown: shown, names: p.PointNames(),
		receives: make([][]int, p.NumberOfLinks()), starts: make(map[string]model.Value),
		head: memo.Of(sys.Head),
	}
	n.receptions = memo.Of(func(local model.Value) []step.Reception {
		list, err := sys.Receptions(local)
		if err != nil {
			return []step.Reception{{}}
		}
		return list
	})
	for g, group := range sys.Groups() {
		role := sys.Role(g)
		process := role.Process
		if group.Environment && process < 0 {
			process = sys.Slots()[group.Slots[0]].Process // the receiver of a faulty channel
		}
		if process < 0 {
			n.common = append(n.common, g)
		} else {
			n.own[process] = append(n.own[process], g)
		}
		if role.Kind == compile.Receives {
			link := p.InLink(process, role.Port)
			n.receives[link] = append(n.receives[link], g)
		}
	}
	n.forget()
	n.coupled = p.Time.Ticks || p.Reads() != nil || p.Faults.Any()
	for _, t := range p.Terms() {
		prefix, acts := t.(*ir.Prefix)
		n.unseen = n.unseen || acts && n.mayHide(prefix.Action)
	}
	return n
}

// mayHide reports whether an action of a spec may be one that is not an event of the log.
func (n *network) mayHide(action ir.Action) bool {
	switch act := action.(type) {
	case *ir.Send:
		return !n.shown.has(model.SendAction, act.Message, nil)
	case *ir.Receive:
		return !n.shown.has(model.ReceiveAction, act.Message, nil)
	case *ir.Emit:
		return !n.shown.has(model.EventAction, nil, act.Event)
	case *ir.Crash:
		return !n.shown.has(model.CrashAction, nil, nil)
	case *ir.Assign, *ir.Skip:
	}
	return !n.shown.has(model.Internal, nil, nil)
}

// every reports whether all actions of a kind, which are about messages, are events of the log.
func (n *network) every(kind model.ActionKind) bool {
	return !slices.ContainsFunc(n.protocol.Messages, func(m *ir.Message) bool { return !n.shown.has(kind, m, nil) })
}

// observes reports whether an event is about a state, or may be about an action that the log shows.
func (n *network) observes(q *pattern) bool {
	return q.state || q.assign != nil || n.shown.has(q.kind, q.message, q.event) ||
		q.message == nil && q.takes("message") && slices.ContainsFunc(n.protocol.Messages,
			func(m *ir.Message) bool { return n.shown.has(q.kind, m, nil) }) ||
		q.event == nil && q.takes("name") && slices.ContainsFunc(n.protocol.Events,
			func(e *ir.Event) bool { return n.shown.has(q.kind, nil, e) })
}

// hides reports whether a transition with a label is not observed.
func (n *network) hides(label model.Label) bool {
	a, _ := n.sys.Action(label)
	return !n.shown.has(a.Kind, a.Message.Message, a.Event)
}

// maxCombinations limits the initial states where values cannot be bound late.
const maxCombinations = 1_000_000

var errCombinations = errors.New("there are more than a million initial states: log \"assign\"")

// unexplained returns the error of a search that has found no run: errUnexplained, unless it left out a step.
func (n *network) unexplained() error {
	if n.grown != nil {
		return fmt.Errorf("%w: %w", lts.ErrTooLarge, n.grown)
	}
	return errUnexplained
}

// A move is a step of the network.
type move struct {
	group   int // of the transition; initialization; or observation, which has no effect
	step    model.Step
	process int // who acts, or is initialized or observed
	event   int // of the log that the move explains, -1 if it is hidden
	after   []model.Value
}

const (
	initialization = -1
	observation    = -2
)

// moves appends the moves of a process, of nobody or of anybody in a state. explains returns the event that an action
// with a label explains, and whether that action is possible now.
func (n *network) moves(list []move, state []model.Value, process int,
	explains func(label model.Label) (event int, ok bool)) ([]move, error) {
	if process == anybody {
		var err error
		for p := nobody; p < n.protocol.N && err == nil; p++ {
			list, err = n.moves(list, state, p, explains)
		}
		return list, err
	}
	if process >= 0 && state[n.sys.SlotOfProcess(process)] == uninitialized {
		err := n.initialize(state, process, func(after []model.Value) {
			list = append(list, move{group: initialization, process: process, event: -1, after: after})
		})
		return list, err
	}
	groups := n.common
	if process >= 0 {
		groups = n.own[process]
	}
	return n.steps(list, state, process, groups, explains), nil
}

// steps appends the moves by the transitions of groups.
func (n *network) steps(list []move, state []model.Value, process int, groups []int,
	explains func(label model.Label) (event int, ok bool)) []move {
	for _, g := range groups {
		slots := n.sys.Groups()[g].Slots
		n.in = n.in[:0]
		for _, slot := range slots {
			n.in = append(n.in, state[slot])
		}
		role := n.sys.Role(g)
		if role.Kind == compile.Receives && n.in[role.Channel] == compile.Empty {
			continue
		}
		if slices.Contains(n.in, uninitialized) {
			continue // a group has several processes only where none is ever uninitialized
		}
		n.out.Reset(len(slots))
		if err := n.sys.Next(g, n.in, &n.out); err != nil {
			if fault := model.AsFault(err); fault.Growth {
				n.grown = err
			}
			continue
		}
		for i := range n.out.Len() {
			label := n.out.Step(i).Label
			event, ok := explains(label)
			if !ok {
				continue
			}
			after := slices.Clone(state)
			for j, slot := range slots {
				after[slot] = n.out.Values(i)[j]
			}
			list = append(list, move{group: g, step: n.out.Step(i), process: process, event: event, after: after})
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

// event returns an action as an event.
func (n *network) event(label model.Label) Event {
	a, process := n.sys.Action(label)
	e := Event{Do: verbs[a.Kind]}
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
	case model.Internal, model.LossAction, model.DuplicateAction, model.CrashAction, model.RecoverAction,
		model.TickAction: // no neighbour, and no name
	}
	for i, f := range fields {
		if f.Type.Kind != ir.Absent {
			e.Args = append(e.Args, plain(f.Type, values[i]))
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
