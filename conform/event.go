package conform

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"ringcheck/internal/printable"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
)

// An Event is what a program reports: what one of its processes did, what is true of a process at that moment, or what
// it was given at the start. A missing value, and a null among others, stands for any value. In a log it is a JSON
// object:
//
//	{"p":0,"do":"send","to":"right","message":"M","args":[1,null,true]}
//	{"p":0,"do":"recv","from":"left","message":"M"}
//	{"p":0,"do":"event","name":"leader"}
//	{"p":0,"do":"crash"}
//	{"do":"tick"}
//	{"p":0,"at":"A3","vars":{"id":2}}
//	{"p":0,"assign":{"uid":3}}
type Event struct {
	Process any            `json:"p,omitzero"` // its number, or its name as in pictures: "coordinator"
	Do      string         `json:"do,omitempty"`
	To      any            `json:"to,omitzero"`   // of a send: a direction, or the number of a process or a port
	From    any            `json:"from,omitzero"` // of a recv
	Message string         `json:"message,omitempty"`
	Name    string         `json:"name,omitempty"` // of an event of the spec
	Args    []any          `json:"args,omitempty"` // of the message or the event
	At      string         `json:"at,omitempty"`   // the equation or the control point that the process is at
	Vars    map[string]any `json:"vars,omitempty"` // variables of the process that are live there
	Assign  map[string]any `json:"assign,omitempty"`
	Clock   any            `json:"clock,omitzero"` // a vector clock: a list by process, or an object
	Run     uint           `json:"run,omitzero"`   // if not 0, the event is the first of a run of its own
}

// String returns the event as a line of a log.
func (e Event) String() string { return text(e) }

// The words for what processes and the environment do, by the kind of action.
var verbs = map[model.ActionKind]string{
	model.Internal: "skip", model.SendAction: "send", model.ReceiveAction: "recv", model.EventAction: "event",
	model.CrashAction: "crash", model.RecoverAction: "recover", model.TickAction: "tick", model.LossAction: "lose",
	model.DuplicateAction: "duplicate",
}

// anybody is the process of an event that does not say who acts, nobody that of a tick.
const (
	nobody  = -1
	anybody = -2
)

// A pattern is an Event whose names are resolved in a protocol.
type pattern struct {
	process int
	kind    model.ActionKind
	state   bool           // it is about the state of the process, and no action
	assign  map[int]any    // it is about assigned values, by the number of the assignment
	port    *int64         // nil: any
	message *ir.Message    // nil: any
	event   *ir.Event      // nil: any
	args    []any          // of the message or event
	at      string         // "": anywhere
	vars    map[string]any // by the name of a variable
}

// resolve resolves the names of an event in a protocol. The error says what does not exist, and what does.
func resolve(p *ir.Protocol, e *Event) (_ *pattern, err error) {
	q := &pattern{process: anybody, at: e.At, vars: e.Vars}
	if e.Process != nil {
		if q.process, err = processOf(p, e.Process); err != nil {
			return nil, err
		}
	}
	about, judge := e.Do, q.action
	switch {
	case e.Assign != nil:
		about, judge = "assign", q.assigned
	case e.At != "" || e.Vars != nil:
		about, judge = "at or vars", q.situation
	case e.Do == "":
		return nil, errors.New(`it says neither what was done ("do") nor what was true ("at", "vars", "assign")`)
	default:
		if err := q.verb(e.Do); err != nil {
			return nil, err
		}
	}
	if err := q.members(e, about); err != nil {
		return nil, err
	}
	return q, judge(p, e)
}

// members returns an error if an event has a member that does not belong to what it is about.
func (q *pattern) members(e *Event, about string) error {
	nobodys := q.kind == model.TickAction || q.kind == model.LossAction || q.kind == model.DuplicateAction
	for _, m := range []struct {
		name         string
		has, allowed bool
	}{
		{"do", e.Do != "", e.Do == about},
		{"at", e.At != "", e.Assign == nil},
		{"vars", e.Vars != nil, e.Assign == nil},
		{"p", e.Process != nil, !nobodys},
		{"to", e.To != nil, q.kind == model.SendAction},
		{"from", e.From != nil, q.kind == model.ReceiveAction},
		{"message", e.Message != "", q.carries()},
		{"name", e.Name != "", q.kind == model.EventAction},
		{"args", e.Args != nil, q.carries() || q.kind == model.EventAction},
	} {
		if m.has && !m.allowed {
			return fmt.Errorf("%q does not go with %q", m.name, about)
		}
	}
	if nobodys {
		q.process = nobody
	}
	return nil
}

// carries reports whether actions of the kind have a message.
func (q *pattern) carries() bool {
	return q.kind == model.SendAction || q.kind == model.ReceiveAction || q.kind == model.LossAction ||
		q.kind == model.DuplicateAction
}

// verb sets the kind of action.
func (q *pattern) verb(do string) error {
	var known []string
	for kind, word := range verbs {
		if word == do {
			q.kind = kind
			return nil
		}
		known = append(known, word)
	}
	slices.Sort(known)
	return fmt.Errorf("%q is nothing that is done: use %s", do, strings.Join(known, ", "))
}

// action resolves what is done.
func (q *pattern) action(p *ir.Protocol, e *Event) error {
	port := e.To
	if q.kind == model.ReceiveAction {
		port = e.From
	}
	if port != nil {
		number, err := portOf(p, q.process, port)
		if err != nil {
			return err
		}
		q.port = &number
	}
	var fields []ir.Field
	owner := ""
	if e.Message != "" {
		i, err := named("message", e.Message, p.Messages, func(m *ir.Message) string { return m.Name })
		if err != nil {
			return err
		}
		q.message = p.Messages[i]
		owner, fields = q.message.Name, q.message.Fields
	}
	if e.Name != "" {
		i, err := named("event", e.Name, p.Events, func(x *ir.Event) string { return x.Name })
		if err != nil {
			return err
		}
		q.event = p.Events[i]
		owner, fields = q.event.Name, q.event.Fields
	}
	if e.Args == nil {
		return nil
	}
	if owner == "" {
		return errors.New(`"args" without the name of what they belong to`)
	}
	fields = present(fields)
	if len(e.Args) != len(fields) {
		return fmt.Errorf("%s has %s, and there are %d args", owner, printable.Count(len(fields), "field"), len(e.Args))
	}
	for i, f := range fields {
		if err := fits(f.Type, e.Args[i]); err != nil {
			return fmt.Errorf("field %s of %s: %w", f.Name, owner, err)
		}
	}
	q.args = e.Args
	return nil
}

// present returns the fields that exist with the settings of the instance.
func present(fields []ir.Field) []ir.Field {
	return slices.DeleteFunc(slices.Clone(fields), func(f ir.Field) bool { return f.Type.Kind == ir.Absent })
}

// assigned resolves the names of assigned values.
func (q *pattern) assigned(p *ir.Protocol, e *Event) error {
	if q.process < 0 {
		return errors.New(`"assign" without the process "p"`)
	}
	q.assign = make(map[int]any)
	for name, value := range e.Assign {
		i, err := named("assignment", name, p.Start.Assignments, func(a *ir.Assignment) string { return a.Name })
		if err != nil {
			return err
		}
		if err := fits(p.Start.Assignments[i].Values, value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		q.assign[i] = value
	}
	return nil
}

// situation checks the names of a control point and of variables.
func (q *pattern) situation(p *ir.Protocol, e *Event) error {
	if q.process < 0 {
		return errors.New(`"at" and "vars" without the process "p"`)
	}
	q.state = true
	if e.At != "" && !slices.Contains(p.PointNames(), e.At) {
		_, err := named("equation", e.At, p.Equations, func(x *ir.Equation) string { return x.Name })
		if err != nil {
			return err
		}
	}
	for name, value := range e.Vars {
		i, err := named("variable", name, p.Vars, func(v *ir.Var) string { return v.Name })
		if err != nil {
			return err
		}
		if err := fits(p.Vars[i].Type, value); err != nil {
			return fmt.Errorf("variable %s: %w", name, err)
		}
	}
	return nil
}

// named returns which one has a name. The error says which names there are.
func named[T any](kind, name string, all []T, nameOf func(T) string) (int, error) {
	var names []string
	for i, x := range all {
		n := nameOf(x)
		if n == name {
			return i, nil
		}
		if n != "" && !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	if len(names) == 0 {
		return 0, fmt.Errorf("there is no %s %q, nor any other", kind, name)
	}
	return 0, fmt.Errorf("there is no %s %q: use %s", kind, name, strings.Join(names, ", "))
}

// processOf returns the process that a value names.
func processOf(p *ir.Protocol, value any) (int, error) {
	if number, ok := integer(value); ok && number >= 0 && number < int64(p.N) {
		return int(number), nil
	}
	for process := range p.N {
		if value == p.ProcessName(process) {
			return process, nil
		}
	}
	return 0, fmt.Errorf("there is no process %s: use 0 to %d", excerpt(value), p.N-1)
}

// portOf returns the port by which a process calls a neighbour that a value names.
func portOf(p *ir.Protocol, process int, value any) (int64, error) {
	if text, ok := value.(string); ok && p.Naming == ir.ByDirection {
		if i := slices.Index(p.DirType().Names, text); i >= 0 {
			return int64(i), nil
		}
		return 0, fmt.Errorf("there is no direction %q: use %s", text, strings.Join(p.DirType().Names, ", "))
	}
	if number, ok := integer(value); ok {
		if process < 0 || slices.Contains(p.Ports(process), number) {
			return number, nil
		}
		return 0, fmt.Errorf("process %d has no neighbour %s", process, excerpt(value))
	}
	peer, err := processOf(p, value)
	return int64(peer), err
}

// integer returns the integer that a decoded JSON value, or one of Go, is.
func integer(value any) (n int64, ok bool) {
	switch v := value.(type) {
	case float64:
		return int64(v), v == math.Trunc(v) && math.Abs(v) < 1<<53
	case int:
		return int64(v), true
	case nil:
		return 0, false
	}
	switch v := reflect.ValueOf(value); { // of events that are made by a program
	case v.CanInt():
		return v.Int(), true
	case v.CanUint():
		return int64(v.Uint()), v.Uint() <= math.MaxInt64
	}
	return 0, false
}

// excerpt returns the beginning of a value as JSON, for messages.
func excerpt(value any) string {
	const most = 60
	if all := []rune(text(value)); len(all) > most {
		return string(all[:most]) + "…"
	}
	return text(value)
}

// text returns a value as JSON.
func text(value any) string {
	text, err := json.Marshal(value, json.Deterministic(true))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// elements returns the elements of a list that stands for a set or an array.
func elements(value any) ([]any, bool) {
	list, ok := value.([]any)
	if v := reflect.ValueOf(value); !ok && v.Kind() == reflect.Slice {
		for i := range v.Len() {
			list = append(list, v.Index(i).Interface())
		}
		ok = true
	}
	return list, ok
}

// fits returns an error unless a value may be of a type. Null may be any value.
func fits(t *ir.Type, value any) error {
	if value == nil {
		return nil
	}
	ok := false
	switch t.Kind {
	case ir.Bool:
		_, ok = value.(bool)
	case ir.Enum, ir.Dir:
		name, text := value.(string)
		ok = text && slices.Contains(t.Names, name)
	case ir.Set, ir.Array:
		var list []any
		if list, ok = elements(value); ok {
			for _, element := range list {
				if err := fits(t.Elem, element); err != nil {
					return err
				}
			}
		}
	default:
		var n int64
		n, ok = integer(value)
		ok = ok && t.Contains(n)
	}
	if !ok {
		return fmt.Errorf("%s is no value of %s", excerpt(value), t)
	}
	return nil
}

// Plain returns a value of a type as JSON has it: a number, a boolean, a name, or a list of such.
func plain(t *ir.Type, v int64) any {
	switch t.Kind {
	case ir.Bool:
		return v != 0
	case ir.Enum, ir.Dir:
		return t.Format(v)
	case ir.Set, ir.Array:
		list := []any{}
		for element := range t.Each(v) {
			list = append(list, plain(t.Elem, element))
		}
		return list
	}
	return v
}

// equal reports whether a value of a type is what an event says it is. Sets have no order.
func equal(t *ir.Type, v int64, said any) bool {
	switch {
	case said == nil:
		return true
	case t.Kind == ir.Set || t.Kind == ir.Array:
		list, _ := elements(said)
		var actual []int64
		for element := range t.Each(v) {
			actual = append(actual, element)
		}
		if t.Kind == ir.Set {
			return len(list) == len(actual) && !slices.ContainsFunc(list, func(x any) bool {
				return !slices.ContainsFunc(actual, func(e int64) bool { return equal(t.Elem, e, x) })
			})
		}
		return slices.EqualFunc(actual, list, func(e int64, x any) bool { return equal(t.Elem, e, x) })
	}
	if n, ok := integer(said); ok {
		return n == v
	}
	return plain(t, v) == said
}

// matches reports whether an action of a process may be the one that the event is about.
func (q *pattern) matches(sys *compile.System, label model.Label) bool {
	a, process := sys.Action(label)
	if q.state || q.assign != nil || a.Kind != q.kind || q.process != anybody && q.process != process {
		return false
	}
	switch a.Kind {
	case model.SendAction, model.ReceiveAction:
		if q.port != nil && *q.port != a.Port {
			return false
		}
		fallthrough
	case model.LossAction, model.DuplicateAction:
		return q.message == nil || q.message == a.Message.Message && q.valued(q.message.Fields, a.Message.Args)
	case model.EventAction:
		return q.event == nil || q.event == a.Event && q.valued(q.event.Fields, a.Args)
	}
	return true
}

// valued reports whether the fields have the values that the event gives them.
func (q *pattern) valued(fields []ir.Field, values []int64) bool {
	if q.args == nil {
		return true
	}
	next := 0
	for i, f := range fields {
		if f.Type.Kind == ir.Absent {
			continue
		}
		if !equal(f.Type, values[i], q.args[next]) {
			return false
		}
		next++
	}
	return true
}

// fitsLocal reports whether what the event says of a process is true in a local state: as it is, or after the decisions
// that are pending there.
func (q *pattern) fitsLocal(sys *compile.System, v model.Value, names []string) bool {
	l := sys.Local(v)
	return q.is(l, names) || q.is(sys.Protocol().Settled(l, nil), names)
}

func (q *pattern) is(l ir.Local, names []string) bool {
	here := q.at == "" || l.Point.ID >= 0 && names[l.Point.ID] == q.at ||
		l.Point.Equation != nil && l.Point.Equation.Name == q.at
	if !here {
		return false
	}
	for name, said := range q.vars {
		i := slices.IndexFunc(l.Point.Live, func(v *ir.Var) bool { return v.Name == name })
		if i < 0 || !equal(l.Point.Live[i].Type, l.Env[i], said) {
			return false
		}
	}
	return true
}
