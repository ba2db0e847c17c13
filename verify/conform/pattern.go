package conform

import (
	"math"
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
)

// A pattern is an Event whose names and values are resolved in a protocol. Actions and states match it.
type pattern struct {
	verb
	part    part // of its line
	process int
	isState bool                // it is about the state of the process, not an action
	assign  map[int]int64       // not nil: it is about assigned values, by the number of the assignment
	port    int64               // or wildcard
	links   []int               // of a fault: the channels in which it may happen; nil: any
	message *ir.Message         // nil: any
	event   *ir.Event           // nil: any
	args    []int64             // of the message or event; nil: any
	at      string              // "": anywhere
	vars    []map[*ir.Var]int64 // by name of a variable: the values of the variables that have it
	initial *initialPart        // not nil: it is about the beginning of a log from the middle of a run
}

// isGiven reports whether the event is no part of a run, but gives a part of its initial state.
func (q *pattern) isGiven() bool { return q.assign != nil || q.initial != nil }

// A part is a part of a line that has an action with the local state around it.
type part string

const (
	mainPart   part = ""       // the action, or all of another line
	beforePart part = "before" // the state before the action
	afterPart  part = "after"  // the state after it
)

// wildcard matches any value.
const wildcard = math.MinInt64

// matchesValue reports whether a value matches the value in an event.
func matchesValue(v, want int64) bool { return want == wildcard || want == v }

// matches reports whether an action matches the event.
func (q *pattern) matches(sys *compile.System, label model.Label) bool {
	a, process := sys.Action(label)
	if q.isState || q.isGiven() || q.verb != (verb{a.Kind, a.Fault}) ||
		q.process != anyProcess && q.process != process {
		return false
	}
	switch a.Kind {
	case model.SendAction, model.ReceiveAction:
		if !matchesValue(a.Port, q.port) {
			return false
		}
		return q.matchesMessage(a.Message)
	case model.FaultAction:
		return (q.links == nil || slices.Contains(q.links, int(a.Port))) && q.matchesMessage(a.Message)
	case model.EventAction:
		return q.event == nil || q.event == a.Event && q.matchesArgs(a.Args)
	case model.Internal, model.CrashAction, model.RecoverAction, model.TickAction: // the kind suffices
	case model.SyncAction: // refused: see ir.SyncFeature
	}
	return true
}

// matchesMessage reports whether a message matches the event.
func (q *pattern) matchesMessage(m ir.Content) bool {
	return q.message == nil || q.message == m.Message && q.matchesArgs(m.Args)
}

// isExact reports whether only one message matches the event.
func (q *pattern) isExact() bool {
	if q.message == nil {
		return false
	}
	for i, f := range q.message.Fields {
		if f.Type.Kind != ir.Absent && (q.args == nil || q.args[i] == wildcard) {
			return false
		}
	}
	return true
}

// matchesArgs reports whether the values of fields match the event.
func (q *pattern) matchesArgs(values []int64) bool {
	return q.args == nil || slices.EqualFunc(values, q.args, matchesValue)
}

// matchesLocal reports whether a local state matches the event, before or after its pending decisions.
func (q *pattern) matchesLocal(sys *compile.System, v model.Value, names []string) bool {
	l := sys.Local(v)
	return q.matchesPoint(l, names) || q.matchesPoint(sys.Protocol().Settle(l, nil), names)
}

// matchesPoint reports whether the control point and the variables of a local state match the event.
func (q *pattern) matchesPoint(l ir.Local, names []string) bool {
	at := q.at == "" || l.Point.ID >= 0 && names[l.Point.ID] == q.at ||
		l.Point.Equation != nil && l.Point.Equation.Name == q.at
	if !at {
		return false
	}
	for _, values := range q.vars {
		i := slices.IndexFunc(l.Point.Live, func(v *ir.Var) bool { _, has := values[v]; return has })
		if i < 0 || !matchesValue(l.Env[i], values[l.Point.Live[i]]) {
			return false
		}
	}
	return true
}
