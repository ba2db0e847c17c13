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

	"ringcheck/internal/printable"
	"ringcheck/model"
	"ringcheck/model/language/ir"
)

// resolveParts resolves the names of an event in a protocol, and returns a pattern for each part of it in their order.
// The error has an unknown name and lists the known ones.
func resolveParts(p *ir.Protocol, e *Event) (parts []*pattern, err error) {
	q, err := resolve(p, e)
	if err != nil {
		return nil, err
	}
	state := func(part part, s *LocalState) {
		if s == nil || err != nil {
			return
		}
		if !q.isOfProcess() || q.isState || q.isGiven() {
			err = fmt.Errorf("%q belongs with an action of a process", part)
			return
		}
		local := &pattern{process: q.process, part: part, port: wildcard, at: s.At}
		if err = local.resolveState(p, s.Vars); err != nil {
			err = fmt.Errorf("%s: %w", part, err)
		}
		parts = append(parts, local)
	}
	state(beforePart, e.Before)
	parts = append(parts, q)
	state(afterPart, e.After)
	return parts, err
}

// resolve resolves an event without the states around its action.
func resolve(p *ir.Protocol, e *Event) (_ *pattern, err error) {
	q := &pattern{process: anyProcess, port: wildcard, at: e.At}
	if e.Process != nil {
		if q.process, err = processOf(p, e.Process); err != nil {
			return nil, err
		}
	}
	about, resolveRest := e.Do, q.resolveAction
	switch {
	case e.Initial:
		return q.resolveInitial(p, e)
	case e.Messages != nil:
		return nil, errors.New(`"messages" belong with "initial"`)
	case e.Assign != nil:
		about, resolveRest = "assign", q.resolveAssignment
	case e.At != "" || e.Vars != nil:
		about = "at or vars"
		resolveRest = func(p *ir.Protocol, e *Event) error { return q.resolveState(p, e.Vars) }
	case e.Do == "" && (e.Before != nil || e.After != nil):
		return nil, errors.New(`"before" and "after" belong with an action of a process`)
	case e.Do == "":
		return nil, errors.New(`it has none of "do", "at", "vars" and "assign"`)
	default:
		if q.verb, err = verbOf(e.Do); err != nil {
			return nil, err
		}
	}
	if err := q.checkMembers(e, about); err != nil {
		return nil, err
	}
	return q, resolveRest(p, e)
}

// checkMembers returns an error if an event has a member that does not belong to its kind.
func (q *pattern) checkMembers(e *Event, about string) error {
	for _, m := range []struct {
		name         string
		has, allowed bool
	}{
		{"do", e.Do != "", e.Do == about},
		{"at", e.At != "", e.Assign == nil},
		{"vars", e.Vars != nil, e.Assign == nil},
		{"p", e.Process != nil, q.allows("p")},
		{"to", e.To != nil, q.allows("to")},
		{"from", e.From != nil, q.allows("from")},
		{"message", e.Message != "", q.allows("message")},
		{"name", e.Name != "", q.allows("name")},
		{"args", e.Args != nil, q.allows("args")},
	} {
		if m.has && !m.allowed {
			return fmt.Errorf("%q does not belong with %q", m.name, about)
		}
	}
	return nil
}

// resolveAction resolves the action of an event.
func (q *pattern) resolveAction(p *ir.Protocol, e *Event) error {
	port := cmp.Or(e.To, e.From) // no action has both
	if port != nil {
		var err error
		if q.port, err = portOf(p, q.process, port); err != nil {
			return err
		}
	}
	if q.kind == model.FaultAction {
		if err := q.resolveLinks(p, e); err != nil {
			return err
		}
	}
	if !q.isOfProcess() {
		q.process = noProcess
	}
	var fields []ir.Field
	if e.Message != "" {
		i, err := indexOf("message", e.Message, p.Messages, func(m *ir.Message) string { return m.Name })
		if err != nil {
			return err
		}
		q.message, fields = p.Messages[i], p.Messages[i].Fields
	}
	if e.Name != "" {
		i, err := indexOf("event", e.Name, p.Events, func(x *ir.Event) string { return x.Name })
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
		q.args[i] = wildcard
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
	if len(e.Args) < next || len(e.Args) > next && !e.fromMapping {
		return fmt.Errorf("%s has %s, and there are %d args", owner, printable.Count(next, "field"), len(e.Args))
	}
	return nil
}

// resolveLinks resolves the channel of a fault, which is given as for a receipt.
func (q *pattern) resolveLinks(p *ir.Protocol, e *Event) error {
	if e.Process == nil && e.From == nil {
		return nil
	}
	for link := range p.NumberOfLinks() {
		l := p.Link(link)
		if (q.process == anyProcess || q.process == l.To) && matchesValue(l.In, q.port) {
			q.links = append(q.links, link)
		}
	}
	if q.links == nil {
		return errors.New("there is no such channel")
	}
	return nil
}

// resolveAssignment resolves the names of assigned values.
func (q *pattern) resolveAssignment(p *ir.Protocol, e *Event) error {
	if q.process < 0 {
		return errors.New(`"assign" without the process "p"`)
	}
	q.assign = make(map[int]int64)
	for _, name := range slices.Sorted(maps.Keys(e.Assign)) { // for the same error each time
		value := e.Assign[name]
		i, err := indexOf("assignment", name, p.Start.Assignments, func(a *ir.Assignment) string { return a.Name })
		if err != nil {
			return err
		}
		if q.assign[i], err = valueOf(p.Start.Assignments[i].Values, value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// resolveState checks the name of the control point, and the names and values of variables.
func (q *pattern) resolveState(p *ir.Protocol, vars map[string]any) error {
	if q.process < 0 {
		return errors.New(`"at" and "vars" without the process "p"`)
	}
	q.isState = true
	if q.at != "" && !slices.Contains(p.PointNames(), q.at) {
		_, err := indexOf("equation", q.at, p.Equations, func(x *ir.Equation) string { return x.Name })
		if err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		want := vars[name]
		if _, err := indexOf("variable", name, p.Vars, func(v *ir.Var) string { return v.Name }); err != nil {
			return err
		}
		values, wrong := make(map[*ir.Var]int64), error(nil)
		for _, v := range p.Vars {
			if v.Name != name {
				continue
			}
			if value, err := valueOf(v.Type, want); err == nil {
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

// indexOf returns the index of a name. The error lists the names.
func indexOf[T any](kind, name string, all []T, nameOf func(T) string) (int, error) {
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

// valueOf returns a decoded JSON value, or a Go value, as a value of a type; null matches anything.
func valueOf(t *ir.Type, decoded any) (v int64, err error) {
	value, ok := reflect.ValueOf(decoded), false
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
		v, ok = integer(decoded)
		ok = ok && t.Contains(v)
	}
	switch {
	case decoded == nil:
		return wildcard, nil
	case !ok:
		return 0, fmt.Errorf("%s is not a value of %s", excerpt(decoded), t)
	}
	return v, nil
}
