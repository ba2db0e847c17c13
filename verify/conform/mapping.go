package conform

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"ringcheck/internal/textfile"
)

// A Mapping maps the members of an event to paths in the lines of another kind of log. A path names members of objects
// inside one another, as in "body.node". In a list of attributes, as OpenTelemetry writes it, a path names their keys.
type Mapping struct {
	// Fields has the paths by member of the event: a string, for args a list of strings, or for vars, assign, before
	// and after an object whose values are paths or such objects. For args it may be an object with a list for each
	// action: the most specific of "send Vote", "Vote" and "send".
	Fields map[string]any `json:"fields"`
	// Values replaces values of a member. A line whose member has another value is ignored. The name of a member can be
	// vars.x: then it is the variable x in vars, before and after. The values of at are replaced there, too.
	Values map[string]map[string]any `json:"values"`
	// Constants are members that all events have.
	Constants map[string]any `json:"constants"`
	// Drop has conditions, or a list of them: lines that satisfy them are ignored. See condition.
	Drop any `json:"drop"`
	// Events has mappings to the events of a line in their order, one event for each whose conditions If hold. They
	// have all entries of this mapping, except for the ones that they replace. If nil, a line is one event.
	Events []*Mapping `json:"events"`
	If     condition  `json:"if"` // only in Events
}

// A condition compares values of a line. Its keys are members of an event that have a path, or else paths. A value
// "=from" is the value at another such place, "!=from" any other value or none, null none, and a list one of several.
type condition map[string]any

// mappingMembers are the members of a mapping and of its events.
var mappingMembers = []string{"fields", "values", "constants", "drop", "events", "if"}

// unmapped are the members of an event whose values cannot be replaced.
var unmapped = []string{"args", "vars", "assign", "before", "after", "clock"}

// ReadMapping reads a mapping, a JSON object. The error says which member is wrong.
func ReadMapping(r io.Reader) (*Mapping, error) {
	m := &Mapping{}
	text := bufio.NewReader(r)
	textfile.SkipMark(text)
	if err := json.UnmarshalRead(text, m, integers, json.RejectUnknownMembers(true)); err != nil {
		return nil, describeError(err, "a mapping", mappingMembers...)
	}
	if m.If != nil {
		return nil, errors.New(`"if" belongs in an entry of "events"`)
	}
	if _, err := conditionsOf(m.Drop); err != nil {
		return nil, err
	}
	if len(m.Fields)+len(m.Values)+len(m.Constants)+len(m.Events) == 0 {
		return nil, errors.New("it maps no member of an event")
	}
	if err := m.check(); err != nil {
		return nil, err
	}
	for i, e := range m.Events {
		switch {
		case e == nil:
			return nil, fmt.Errorf("entry %d of events is null", i+1)
		case e.Events != nil || e.Drop != nil:
			return nil, errors.New(`"events" and "drop" do not belong in an entry of "events"`)
		}
		if err := e.check(); err != nil {
			return nil, err
		}
		m.Events[i] = m.merge(e)
	}
	return m, nil
}

// check returns an error if a member is not one of an event, or if it cannot have its paths or values.
func (m *Mapping) check() error {
	keys := slices.Concat(slices.Sorted(maps.Keys(m.Fields)), slices.Sorted(maps.Keys(m.Values)),
		slices.Sorted(maps.Keys(m.Constants)))
	for _, member := range keys {
		_, replaced := m.Values[member]
		if replaced && strings.HasPrefix(member, "vars.") {
			continue
		}
		if !slices.Contains(eventMembers, member) {
			return fmt.Errorf("%s is not a member of an event: use %s", excerpt(member),
				strings.Join(eventMembers, ", "))
		}
		if replaced && slices.Contains(unmapped, member) {
			return fmt.Errorf("the values in %s cannot be replaced", member)
		}
		if template, ok := m.Fields[member]; ok && !validTemplate(member, template) {
			return fmt.Errorf("the path of %s must be a string, or a list of strings", member)
		}
	}
	return nil
}

// validTemplate reports whether the paths of a member have a form that Mapping.Fields permits.
func validTemplate(member string, template any) bool {
	isPath := func(x any) bool { _, text := x.(string); return text }
	switch t := template.(type) {
	case []any:
		return !slices.ContainsFunc(t, func(x any) bool { return !isPath(x) })
	case map[string]any:
		for name, inner := range t {
			list, isList := inner.([]any)
			deeper := name == "vars" && (member == "before" || member == "after")
			switch {
			case member == "args":
				if !isList || !validTemplate(member, list) {
					return false
				}
			case !slices.Contains(unmapped, member), !isPath(inner) && !(deeper && validTemplate("vars", inner)):
				return false
			}
		}
		return true
	}
	return isPath(template)
}

// merge returns the mapping with the entries of another one, which replace entries of the same name.
func (m *Mapping) merge(e *Mapping) *Mapping {
	all := &Mapping{Fields: maps.Clone(m.Fields), Values: maps.Clone(m.Values), Constants: maps.Clone(m.Constants),
		If: e.If}
	merge(&all.Fields, e.Fields)
	merge(&all.Values, e.Values)
	merge(&all.Constants, e.Constants)
	for member := range e.Constants { // it has no path any more
		if _, ok := e.Fields[member]; !ok {
			delete(all.Fields, member)
		}
	}
	return all
}

// merge copies entries to a map.
func merge[V any](to *map[string]V, from map[string]V) {
	if *to == nil {
		*to = make(map[string]V)
	}
	maps.Copy(*to, from)
}

// conditionsOf returns the conditions in the value of drop: an object, or a list of objects.
func conditionsOf(drop any) (all []condition, err error) {
	list, isList := drop.([]any)
	if !isList && drop != nil {
		list = []any{drop}
	}
	for _, x := range list {
		object, ok := x.(map[string]any)
		if !ok || len(object) == 0 {
			return nil, errors.New(`"drop" must be an object with conditions, or a list of such objects`)
		}
		all = append(all, object)
	}
	return all, nil
}

// A mappedLine is a line of another kind of log.
type mappedLine struct {
	object map[string]any
	found  map[string]bool // the paths at which lines had a value
}

// at returns the value at a path, and records that there is one.
func (l *mappedLine) at(path string) any {
	value := valueAt(l.object, path)
	if value != nil {
		l.found[path] = true
	}
	return value
}

// fill returns the values at the paths of a template, nil if there are none.
func (l *mappedLine) fill(template any) any {
	switch t := template.(type) {
	case string:
		return l.at(t)
	case []any:
		all, found := make([]any, len(t)), false
		for i, path := range t {
			all[i] = l.fill(path)
			found = found || all[i] != nil
		}
		if found {
			return all
		}
	case map[string]any:
		all := make(map[string]any)
		for name, path := range t {
			if value := l.fill(path); value != nil {
				all[name] = value
			}
		}
		if len(all) > 0 {
			return all
		}
	}
	return nil
}

// satisfies reports whether a line satisfies all comparisons of a condition.
func (l *mappedLine) satisfies(c condition, fields map[string]any) bool {
	lookUp := func(name string) any {
		if path, ok := fields[name].(string); ok {
			return valueAt(l.object, path)
		}
		return valueAt(l.object, name)
	}
	same := func(a, b any) bool { return (a == nil) == (b == nil) && mappedText(a) == mappedText(b) }
	for name, want := range c {
		value, holds := lookUp(name), false
		switch want := want.(type) {
		case []any:
			holds = slices.ContainsFunc(want, func(x any) bool { return same(value, x) })
		case string:
			if other, is := strings.CutPrefix(want, "!="); is {
				holds = value == nil || !same(value, lookUp(other))
			} else if other, is := strings.CutPrefix(want, "="); is {
				holds = value != nil && same(value, lookUp(other))
			} else {
				holds = same(value, want)
			}
		default:
			holds = same(value, want)
		}
		if !holds {
			return false
		}
	}
	return true
}

// mappedText returns a value as a key of Mapping.Values.
func mappedText(value any) string {
	if number, is := value.(float64); is {
		return strconv.FormatFloat(number, 'f', -1, 64) // as JSON has it, without an exponent
	}
	return fmt.Sprint(value)
}

// applyMapping returns the texts of the events in a line of another kind of log. It records the paths at which the line
// has a value.
func (l *Log) applyMapping(text []byte) (events [][]byte, err error) {
	if l.valuesFound == nil {
		l.valuesFound = make(map[string]bool)
	}
	line := &mappedLine{found: l.valuesFound}
	if err := json.Unmarshal(text, &line.object, integers); err != nil {
		return nil, describeError(err, "an event", eventMembers...)
	}
	m := l.Mapping
	drop, err := conditionsOf(m.Drop)
	if err != nil || slices.ContainsFunc(drop, func(c condition) bool { return line.satisfies(c, m.Fields) }) {
		return nil, err
	}
	all := m.Events
	if all == nil {
		all = []*Mapping{m}
	}
	for _, m := range all {
		if !line.satisfies(m.If, m.Fields) {
			continue
		}
		values := m.eventIn(line)
		if values == nil {
			continue
		}
		event, err := json.Marshal(values, json.Deterministic(true))
		if err != nil {
			return nil, err
		}
		events = append(events, event)
	}
	return events, nil
}

// eventIn returns the members of the event in a line, nil if a value is not among those that are replaced.
func (m *Mapping) eventIn(line *mappedLine) map[string]any {
	values := make(map[string]any)
	for member, template := range m.Fields {
		if _, byAction := template.(map[string]any); byAction && member == "args" {
			continue
		}
		if value := line.fill(template); value != nil {
			values[member] = value
		}
	}
	if !m.replace(values, "do", "do") {
		return nil
	}
	addConstant := func(member string) {
		if _, ok := values[member]; !ok {
			values[member] = m.Constants[member]
		}
	}
	if _, ok := m.Constants["do"]; ok {
		addConstant("do")
	}
	allowed := func(string) bool { return true }
	if do, ok := values["do"].(string); ok {
		if v, err := verbOf(do); err == nil { // other members may have paths of these names
			allowed = v.allows
			maps.DeleteFunc(values, func(member string, _ any) bool { return !allowed(member) })
		}
	}
	for member := range m.Values {
		if member != "do" && !m.replace(values, member, member) {
			return nil
		}
	}
	for _, around := range []string{"", "before", "after"} {
		if !m.replaceState(values, around) {
			return nil
		}
	}
	for member := range m.Constants {
		if allowed(member) {
			addConstant(member)
		}
	}
	if byAction, is := m.Fields["args"].(map[string]any); is {
		do, name := fmt.Sprint(values["do"]), values["message"]
		if name == nil {
			name = values["name"]
		}
		for _, key := range []string{fmt.Sprint(do, " ", name), fmt.Sprint(name), do} {
			if paths, ok := byAction[key]; ok {
				if args := line.fill(paths); args != nil {
					values["args"] = args
				}
				break
			}
		}
	}
	return values
}

// replace replaces a value by that in the mapping for a member. It is false if that does not list the value.
func (m *Mapping) replace(values map[string]any, name, member string) (listed bool) {
	value, ok := values[name]
	replaced, is := m.Values[member]
	if !ok || !is {
		return true
	}
	values[name], ok = replaced[mappedText(value)]
	return ok
}

// replaceState replaces values in the local state that before or after has, or in vars.
func (m *Mapping) replaceState(values map[string]any, around string) bool {
	state := values
	if around != "" {
		state, _ = values[around].(map[string]any)
		if !m.replace(state, "at", "at") {
			return false
		}
	}
	vars, _ := state["vars"].(map[string]any)
	for name := range vars {
		if !m.replace(vars, name, "vars."+name) {
			return false
		}
	}
	return true
}

// pathsWithoutValue returns the paths at which no line of the logs had a value.
func pathsWithoutValue(logs []*Log) []string {
	var paths []string
	for _, l := range logs {
		if l.Mapping == nil {
			continue
		}
		paths = appendPaths(paths, l.Mapping.Fields)
		for _, m := range l.Mapping.Events {
			paths = appendPaths(paths, m.Fields)
		}
	}
	paths = slices.DeleteFunc(paths, func(p string) bool {
		return slices.ContainsFunc(logs, func(l *Log) bool { return l.valuesFound[p] })
	})
	slices.Sort(paths)
	return slices.Compact(paths)
}

// appendPaths appends the paths in a template.
func appendPaths(paths []string, template any) []string {
	switch t := template.(type) {
	case string:
		paths = append(paths, t)
	case []any:
		for _, inner := range t {
			paths = appendPaths(paths, inner)
		}
	case map[string]any:
		for _, inner := range t {
			paths = appendPaths(paths, inner)
		}
	}
	return paths
}

// valueAt returns the value at a path, nil if it is missing. A member whose name has dots precedes a member inside an
// object.
func valueAt(value any, path string) any {
	value = unwrapAttribute(value)
	if path == "" {
		return value
	}
	for end := len(path); end > 0; end = strings.LastIndexByte(path[:end], '.') {
		rest := strings.TrimPrefix(path[end:], ".")
		switch inside := value.(type) {
		case map[string]any:
			if member, ok := inside[path[:end]]; ok {
				return valueAt(member, rest)
			}
		case []any: // attributes
			for _, element := range inside {
				if a, ok := element.(map[string]any); ok && a["key"] == path[:end] {
					return valueAt(a["value"], rest)
				}
			}
		}
	}
	return nil
}

// unwrapAttribute returns the value in an object of OpenTelemetry with one member, such as intValue.
func unwrapAttribute(value any) any {
	object, ok := value.(map[string]any)
	if !ok || len(object) != 1 {
		return value
	}
	for kind, inner := range object {
		switch kind {
		case "stringValue", "boolValue", "doubleValue":
			return inner
		case "intValue":
			if text, ok := inner.(string); ok {
				if n, err := strconv.ParseInt(text, 10, 64); err == nil {
					return n
				}
			}
			return inner
		case "arrayValue":
			list, _ := inner.(map[string]any)
			values, _ := list["values"].([]any)
			all := []any{}
			for _, v := range values {
				all = append(all, unwrapAttribute(v))
			}
			return all
		}
	}
	return value
}
