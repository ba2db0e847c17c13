package conform

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"ringcheck/internal/printable"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
)

// An Event is a report of a program: an action of one of its processes, the local state of a process at that moment, or
// the values assigned to a process at the start. A missing value, or a null in args, matches any value. In a log it is
// a JSON object:
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
	// Run, if not 0, says that the event begins another run, unless the event before it has the same number.
	Run uint `json:"run,omitzero"`

	mapped bool // it comes from a mapping, which has one list of args for all messages
}

// String returns the event as a line of a log.
func (e Event) String() string { return text(e) }

// The words for actions of processes and of the environment, by kind.
var verbs = map[model.ActionKind]string{
	model.Internal: "skip", model.SendAction: "send", model.ReceiveAction: "recv", model.EventAction: "event",
	model.CrashAction: "crash", model.RecoverAction: "recover", model.TickAction: "tick", model.LossAction: "lose",
	model.DuplicateAction: "duplicate",
}

// anybody is the process of an event that does not name one, and nobody that of a tick.
const (
	nobody  = -1
	anybody = -2
)

// A pattern is an Event whose names and values are resolved in a protocol.
type pattern struct {
	process int
	kind    model.ActionKind
	state   bool                // it is about the state of the process, and no action
	assign  map[int]int64       // it is about assigned values, by the number of the assignment
	port    int64               // or anything
	message *ir.Message         // nil: any
	event   *ir.Event           // nil: any
	args    []int64             // of the message or event; nil: any
	at      string              // "": anywhere
	vars    []map[*ir.Var]int64 // of each name, the variables that have it
}

// anything matches any value.
const anything = math.MinInt64

// resolve resolves the names of an event in a protocol. The error gives an unknown name and lists the known ones.
func resolve(p *ir.Protocol, e *Event) (_ *pattern, err error) {
	q := &pattern{process: anybody, port: anything, at: e.At}
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
		return nil, errors.New(`it has none of "do", "at", "vars" and "assign"`)
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

// members returns an error if an event has a member that does not belong to its kind.
func (q *pattern) members(e *Event, about string) error {
	for _, m := range []struct {
		name         string
		has, allowed bool
	}{
		{"do", e.Do != "", e.Do == about},
		{"at", e.At != "", e.Assign == nil},
		{"vars", e.Vars != nil, e.Assign == nil},
		{"p", e.Process != nil, q.takes("p")},
		{"to", e.To != nil, q.takes("to")},
		{"from", e.From != nil, q.takes("from")},
		{"message", e.Message != "", q.takes("message")},
		{"name", e.Name != "", q.takes("name")},
		{"args", e.Args != nil, q.takes("args")},
	} {
		if m.has && !m.allowed {
			return fmt.Errorf("%q does not belong with %q", m.name, about)
		}
	}
	if !q.takes("p") {
		q.process = nobody
	}
	return nil
}

// belongs has the kinds of actions to which a member of an event belongs, if not to all.
var belongs = map[string][]model.ActionKind{
	"p": {model.Internal, model.SendAction, model.ReceiveAction, model.EventAction, model.CrashAction,
		model.RecoverAction},
	"to":      {model.SendAction},
	"from":    {model.ReceiveAction},
	"message": {model.SendAction, model.ReceiveAction, model.LossAction, model.DuplicateAction},
	"name":    {model.EventAction},
	"args": {model.SendAction, model.ReceiveAction, model.LossAction, model.DuplicateAction,
		model.EventAction},
}

// takes reports whether a member of an event may belong to actions of the kind.
func (q *pattern) takes(member string) bool {
	kinds, some := belongs[member]
	return !some || slices.Contains(kinds, q.kind)
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
	return fmt.Errorf("%s is not a kind of action: use %s", excerpt(do), strings.Join(known, ", "))
}

// action resolves the action of an event.
func (q *pattern) action(p *ir.Protocol, e *Event) error {
	port := e.To
	if q.kind == model.ReceiveAction {
		port = e.From
	}
	if port != nil {
		var err error
		if q.port, err = portOf(p, q.process, port); err != nil {
			return err
		}
	}
	var fields []ir.Field
	if e.Message != "" {
		i, err := named("message", e.Message, p.Messages, func(m *ir.Message) string { return m.Name })
		if err != nil {
			return err
		}
		q.message, fields = p.Messages[i], p.Messages[i].Fields
	}
	if e.Name != "" {
		i, err := named("event", e.Name, p.Events, func(x *ir.Event) string { return x.Name })
		if err != nil {
			return err
		}
		q.event, fields = p.Events[i], p.Events[i].Fields
	}
	if e.Args == nil {
		return nil
	}
	owner := cmp.Or(e.Message, e.Name) // no action has both
	if owner == "" {
		return errors.New(`"args" without the name of what they belong to`)
	}
	q.args = make([]int64, len(fields))
	next := 0
	for i, f := range fields {
		q.args[i] = anything
		if f.Type.Kind == ir.Absent { // with the settings of the instance
			continue
		}
		if next < len(e.Args) {
			var err error
			if q.args[i], err = valueOf(f.Type, e.Args[next]); err != nil {
				return fmt.Errorf("field %s of %s: %w", f.Name, owner, err)
			}
		}
		next++
	}
	if len(e.Args) < next || len(e.Args) > next && !e.mapped {
		return fmt.Errorf("%s has %s, and there are %d args", owner, printable.Count(next, "field"), len(e.Args))
	}
	return nil
}

// assigned resolves the names of assigned values.
func (q *pattern) assigned(p *ir.Protocol, e *Event) error {
	if q.process < 0 {
		return errors.New(`"assign" without the process "p"`)
	}
	q.assign = make(map[int]int64)
	for _, name := range slices.Sorted(maps.Keys(e.Assign)) { // for the same error each time
		said := e.Assign[name]
		i, err := named("assignment", name, p.Start.Assignments, func(a *ir.Assignment) string { return a.Name })
		if err != nil {
			return err
		}
		if q.assign[i], err = valueOf(p.Start.Assignments[i].Values, said); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
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
	for _, name := range slices.Sorted(maps.Keys(e.Vars)) {
		said := e.Vars[name]
		if _, err := named("variable", name, p.Vars, func(v *ir.Var) string { return v.Name }); err != nil {
			return err
		}
		values, wrong := make(map[*ir.Var]int64), error(nil)
		for _, v := range p.Vars {
			if v.Name != name {
				continue
			}
			if value, err := valueOf(v.Type, said); err == nil {
				values[v] = value
			} else {
				wrong = fmt.Errorf("variable %s: %w", name, err)
			}
		}
		if len(values) == 0 {
			return wrong
		}
		q.vars = append(q.vars, values)
	}
	return nil
}

// named returns the index of a name. The error lists the names.
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
		return 0, fmt.Errorf("there is no %s %s: the spec declares none", kind, excerpt(name))
	}
	return 0, fmt.Errorf("there is no %s %s: use %s", kind, excerpt(name), strings.Join(names, ", "))
}

// processOf returns the process that a value names.
func processOf(p *ir.Protocol, value any) (int, error) {
	if number, ok := integer(value); ok && number >= 0 && number < int64(p.N) {
		return int(number), nil
	}
	name := reflect.ValueOf(value).String() // of any type of strings
	for process := range p.N {
		if name == p.ProcessName(process) || name == strconv.Itoa(process) {
			return process, nil
		}
	}
	return 0, fmt.Errorf("there is no process %s: use 0 to %d", excerpt(value), p.N-1)
}

// portOf returns the port of a process for the neighbour that a value names.
func portOf(p *ir.Protocol, process int, value any) (int64, error) {
	if text := reflect.ValueOf(value); text.Kind() == reflect.String && p.Naming == ir.ByDirection {
		if i := slices.Index(p.DirType().Names, text.String()); i >= 0 {
			return int64(i), nil
		}
		return 0, fmt.Errorf("there is no direction %s: use %s", excerpt(value), strings.Join(p.DirType().Names, ", "))
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

// integer returns a decoded JSON value, or a Go value, as an integer.
func integer(value any) (n int64, ok bool) {
	switch v := reflect.ValueOf(value); { // of any type of Go, in events that are made there
	case v.CanInt():
		return v.Int(), true
	case v.CanUint():
		return int64(v.Uint()), v.Uint() <= math.MaxInt64
	case v.CanFloat():
		f := v.Float()
		return int64(f), f == math.Trunc(f) && math.Abs(f) < 1<<53
	}
	return 0, false
}

// excerpt returns the beginning of a value for messages.
func excerpt(value any) string {
	const most = 60
	name, quoted := value.(string)
	if !quoted {
		name = text(value)
	}
	if all := []rune(name); len(all) > most {
		name = string(all[:most]) + "…"
	}
	if quoted {
		return strconv.Quote(name)
	}
	return name
}

// text returns a value as JSON.
func text(value any) string {
	text, err := json.Marshal(value, json.Deterministic(true))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// valueOf returns a decoded JSON value, or a Go value, as a value of a type; null matches anything.
func valueOf(t *ir.Type, said any) (v int64, err error) {
	value, ok := reflect.ValueOf(said), false
	switch t.Kind {
	case ir.Bool:
		if ok = value.Kind() == reflect.Bool; ok && value.Bool() {
			v = 1
		}
	case ir.Enum, ir.Dir:
		v = int64(slices.Index(t.Names, value.String()))
		ok = v >= 0
	case ir.Set, ir.Array:
		list := value.Kind() == reflect.Slice || value.Kind() == reflect.Array
		var elements []int64
		for i := 0; list && i < value.Len(); i++ {
			e, err := valueOf(t.Elem, value.Index(i).Interface())
			if err != nil {
				return 0, err
			}
			elements = append(elements, e)
		}
		v, ok = t.Of(elements)
		ok = ok && list
	default:
		v, ok = integer(said)
		ok = ok && t.Contains(v)
	}
	switch {
	case said == nil:
		return anything, nil
	case !ok:
		return 0, fmt.Errorf("%s is not a value of %s", excerpt(said), t)
	}
	return v, nil
}

// plain returns a value of a type for JSON: a number, a boolean, a name, or a list of these.
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

// is reports whether a value matches the value in an event.
func is(v, said int64) bool { return said == anything || said == v }

// matches reports whether an action of a process may be the one that the event is about.
func (q *pattern) matches(sys *compile.System, label model.Label) bool {
	a, process := sys.Action(label)
	if q.state || q.assign != nil || a.Kind != q.kind || q.process != anybody && q.process != process {
		return false
	}
	switch a.Kind {
	case model.SendAction, model.ReceiveAction:
		if !is(a.Port, q.port) {
			return false
		}
		fallthrough
	case model.LossAction, model.DuplicateAction:
		return q.about(a.Message)
	case model.EventAction:
		return q.event == nil || q.event == a.Event && q.valued(a.Args)
	case model.Internal, model.CrashAction, model.RecoverAction, model.TickAction: // the kind says all
	}
	return true
}

// about reports whether a message may be the one that the event is about.
func (q *pattern) about(m ir.Content) bool {
	return q.message == nil || q.message == m.Message && q.valued(m.Args)
}

// exact reports whether the event is about one message.
func (q *pattern) exact() bool {
	if q.message == nil {
		return false
	}
	for i, f := range q.message.Fields {
		if f.Type.Kind != ir.Absent && (q.args == nil || q.args[i] == anything) {
			return false
		}
	}
	return true
}

// valued reports whether fields have the values that the event gives them.
func (q *pattern) valued(values []int64) bool {
	return q.args == nil || slices.EqualFunc(values, q.args, is)
}

// fitsLocal reports whether a local state, or one after its pending decisions, matches the event.
func (q *pattern) fitsLocal(sys *compile.System, v model.Value, names []string) bool {
	l := sys.Local(v)
	return q.holds(l, names) || q.holds(sys.Protocol().Settled(l, nil), names)
}

func (q *pattern) holds(l ir.Local, names []string) bool {
	here := q.at == "" || l.Point.ID >= 0 && names[l.Point.ID] == q.at ||
		l.Point.Equation != nil && l.Point.Equation.Name == q.at
	if !here {
		return false
	}
	for _, values := range q.vars {
		i := slices.IndexFunc(l.Point.Live, func(v *ir.Var) bool { _, has := values[v]; return has })
		if i < 0 || !is(l.Env[i], values[l.Point.Live[i]]) {
			return false
		}
	}
	return true
}
