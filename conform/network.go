package conform

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"ringcheck/lts"
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
	shown    func(step.Action) bool
	names    []string // of control points

	given  []model.Value // the assigned values in the log, else unbound
	starts map[string]model.Value

	messages []model.Value // the possible ones, each as the contents of a channel; nil: see enumerate

	receptions map[model.Value][]step.Reception
	heads      map[model.Value]model.Value
	whole      bool  // use all moves, not a persistent set
	unseen     bool  // a process can take a step that is not an event of the log
	grown      error // a step was left out that exceeds a bound on growth
	out        model.Successors
	in         []model.Value
}

// uninitialized is the local state of a process whose assigned values are not bound yet, and unbound such a value.
const (
	uninitialized = math.MaxUint32
	unbound       = math.MaxUint32
)

// newNetwork returns the network of an instance. shown says which actions are events of the log.
func newNetwork(sys *compile.System, shown func(step.Action) bool) *network {
	p := sys.Protocol()
	n := &network{
		sys: sys, protocol: p, size: len(sys.Slots()), own: make([][]int, p.N), shown: shown, names: p.PointNames(),
		receives: make([][]int, p.NumberOfLinks()), starts: make(map[string]model.Value),
		receptions: make(map[model.Value][]step.Reception), heads: make(map[model.Value]model.Value),
	}
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
	a := step.Action{}
	switch act := action.(type) {
	case *ir.Send:
		a.Kind, a.Message.Message = model.SendAction, act.Message
	case *ir.Receive:
		a.Kind, a.Message.Message = model.ReceiveAction, act.Message
	case *ir.Emit:
		a.Kind, a.Event = model.EventAction, act.Event
	case *ir.Crash:
		a.Kind = model.CrashAction
	}
	return !n.shown(a)
}

// every reports whether all actions of a kind are events of the log.
func (n *network) every(kind model.ActionKind) bool {
	return !slices.ContainsFunc(n.protocol.Messages, func(m *ir.Message) bool {
		return !n.shown(step.Action{Kind: kind, Message: ir.Content{Message: m}})
	})
}

// observes reports whether an event is about a state, or may be about an action that the log shows.
func (n *network) observes(q *pattern) bool {
	messages, events := []*ir.Message{q.message}, []*ir.Event{q.event}
	switch {
	case q.state || q.assign != nil:
		return true
	case q.kind == model.EventAction && q.event == nil:
		events = append(events, n.protocol.Events...)
	case q.message == nil && q.takes("message"):
		messages = append(messages, n.protocol.Messages...)
	}
	return slices.ContainsFunc(messages, func(m *ir.Message) bool {
		return slices.ContainsFunc(events, func(e *ir.Event) bool {
			return n.shown(step.Action{Kind: q.kind, Event: e, Message: ir.Content{Message: m}})
		})
	})
}

// hides reports whether a transition with a label is not observed.
func (n *network) hides(label model.Label) bool {
	a, _ := n.sys.Action(label)
	return !n.shown(a)
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

// moves appends the moves of a process in a state. explains returns the event that an action with a label explains, and
// whether that action is possible now.
func (n *network) moves(list []move, state []model.Value, process int,
	explains func(label model.Label) (event int, ok bool)) ([]move, error) {
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
	if v == uninitialized {
		return false
	}
	list, ok := n.receptions[v]
	if !ok {
		var err error
		if list, err = n.sys.Receptions(v); err != nil {
			list = []step.Reception{{}}
		}
		n.receptions[v] = list
	}
	port := n.protocol.Link(link).In
	return slices.ContainsFunc(list, func(r step.Reception) bool { return r.Source == nil || *r.Source == port })
}

// head returns the representative of the local states in which a process does the same.
func (n *network) head(v model.Value) model.Value {
	if v == uninitialized {
		return v
	}
	h, ok := n.heads[v]
	if !ok {
		h = n.sys.Head(v)
		n.heads[v] = h
	}
	return h
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
