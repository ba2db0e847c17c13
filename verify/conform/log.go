package conform

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"ringcheck/internal/textfile"
)

// A Log is a file of events, one JSON object a line. Empty lines, and objects without do, at, vars and assign, are
// ignored, and so are the members time, level, msg and source, which package slog writes.
type Log struct {
	Name    string // in messages
	Reader  io.Reader
	Mapping *Mapping // of another kind of log; nil if it has events

	valuesFound map[string]bool   // the paths of the mapping at which lines had a value
	events      map[string]*Event // by JSON text without clock and run; nil if the text is no event
	cachedBytes int               // the length of these texts
}

// A Place is a line of a log.
type Position struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

// A line is an event with its place. Equal events of several lines are shared, and have no clock and no run.
type line struct {
	Position
	Event *Event
	Clock any
	Run   uint
}

// fullEvent returns the event with its clock and its run.
func (l *line) fullEvent() *Event {
	e := *l.Event
	e.Clock, e.Run = l.Clock, l.Run
	return &e
}

// A LineError is an error in a line of a log.
type LineError struct {
	Position
	Err    error
	Bounds []Bound // a greater value of one of these removes the error
}

func (e *LineError) Error() string {
	text := fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err)
	for _, b := range e.Bounds {
		text += fmt.Sprintf("; %s is %d, and must be at least %d", b.Name, b.Value, b.Needs)
	}
	return text
}

func (e *LineError) Unwrap() error { return e.Err }

// errTruncated means that the end of the last line of a log is missing.
var errTruncated = errors.New("the last line of the log is cut off")

// errDuplicate means that a member of an object occurs twice.
var errDuplicate = errors.New("occurs twice")

// longestLine is the length of the longest line of a log, in bytes.
const longestLine = 1 << 20

// lines yields the events. The error is a *LineError. It wraps errTruncated if the last line is the beginning of a
// valid one.
func (l *Log) lines() iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		in := bufio.NewReaderSize(l.Reader, longestLine)
		for number := 1; ; number++ {
			at := line{Position: Position{l.Name, number}}
			text, err := in.ReadSlice('\n')
			ended := err == nil
			if number == 1 {
				text = textfile.TrimMark(text)
			}
			switch {
			case errors.Is(err, bufio.ErrBufferFull):
				err = fmt.Errorf("the line is longer than %d bytes", longestLine)
			case err == io.EOF && len(bytes.TrimSpace(text)) == 0:
				return
			case err == nil || err == io.EOF:
				err = l.parseLine(text, &at)
			}
			if !ended && errors.Is(err, io.ErrUnexpectedEOF) {
				err = errTruncated
			}
			if err != nil {
				yield(at, &LineError{Position: at.Position, Err: err})
				return
			}
			if at.Event != nil && !yield(at, nil) || !ended {
				return
			}
		}
	}
}

// slogMembers are the members that package slog writes. Events do not have them.
type slogMembers struct {
	Time   jsontext.Value `json:"time"`
	Level  jsontext.Value `json:"level"`
	Msg    jsontext.Value `json:"msg"`
	Source jsontext.Value `json:"source"`
}

// parseLine sets the event of a line from its text, nil if the text is no event. A member that package slog writes
// occurs twice if the program has an attribute of that name. Both are ignored, except by a mapping.
func (l *Log) parseLine(text []byte, at *line) error {
	err := l.parseObject(text, at)
	var once struct {
		slogMembers
		Rest jsontext.Value `json:",embed"`
	}
	if l.Mapping == nil && errors.Is(err, errDuplicate) &&
		json.Unmarshal(text, &once, jsontext.AllowDuplicateNames(true)) == nil {
		return l.parseObject(once.Rest, at)
	}
	return err
}

// parseObject is parseLine for a line in which no member occurs twice.
func (l *Log) parseObject(text []byte, at *line) (err error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil
	}
	if l.Mapping != nil {
		if text, err = l.applyMapping(text); text == nil || err != nil {
			return err
		}
	}
	var e struct {
		slogMembers
		Clock any            `json:"clock"`
		Run   uint           `json:"run"`
		Rest  jsontext.Value `json:",embed"`
	}
	if err = json.Unmarshal(text, &e, integers); err != nil {
		return describeError(err, "an event", eventMembers...)
	}
	if bytes.TrimSpace(text)[0] != '{' { // null
		return errors.New("it is not a JSON object")
	}
	at.Clock, at.Run = e.Clock, e.Run
	at.Event, err = l.cachedEvent(e.Rest)
	return err
}

// cachedEvent returns the event of a JSON text without clock and run, nil if the text is no event. Equal texts have the
// same event while the cache has room.
func (l *Log) cachedEvent(text []byte) (*Event, error) {
	const cacheLimit = 1 << 24 // bytes
	if e, ok := l.events[string(text)]; ok || len(text) == 0 {
		return e, nil
	}
	e := &Event{fromMapping: l.Mapping != nil}
	if err := json.Unmarshal(text, e, integers, json.RejectUnknownMembers(true)); err != nil {
		other := Event{}
		if json.Unmarshal(text, &other) != nil || other.hasContent() {
			return nil, describeError(err, "an event", eventMembers...)
		}
	}
	if !e.hasContent() {
		e = nil
	}
	if l.events == nil {
		l.events = make(map[string]*Event)
	}
	if l.cachedBytes += len(text); l.cachedBytes <= cacheLimit {
		l.events[string(text)] = e
	}
	return e, nil
}

// integers decodes a number without a fraction as an int64, because a float64 is not exact from 2^53 on.
var integers = json.WithUnmarshalers(json.UnmarshalFromFunc(func(d *jsontext.Decoder, v *any) error {
	if d.PeekKind() != '0' {
		return errors.ErrUnsupported // it is decoded as usual
	}
	text, err := d.ReadValue()
	if err != nil {
		return err
	}
	if n, err := strconv.ParseInt(string(text), 10, 64); err == nil {
		*v = n
		return nil
	}
	*v, err = strconv.ParseFloat(string(text), 64)
	return err
}))

// hasContent reports whether the event is about an action, a state or assigned values.
func (e *Event) hasContent() bool {
	return e.Do != "" || e.At != "" || e.Vars != nil || e.Assign != nil || e.Before != nil || e.After != nil
}

// The members of an event, and the types of the members of events and mappings in words.
var (
	eventMembers = []string{"p", "do", "to", "from", "message", "name", "args", "at", "vars", "assign", "before",
		"after", "clock", "run"}
	memberTypes  = map[string]string{
		"p": "a number or a name", "do": "a text", "to": "a number or a name", "from": "a number or a name",
		"message": "a text", "name": "a text", "args": "a list", "at": "a text", "vars": "an object",
		"assign": "an object", "before": "an object", "after": "an object", "clock": "a list or an object",
		"run": "a positive number", "before/at": "a text", "after/at": "a text",
		"fields": "an object", "values": "an object of objects", "constants": "an object",
	}
)

// describeError returns the error of decoding a JSON object with some members, in plain words.
func describeError(err error, object string, members ...string) error {
	if semantic := (*json.SemanticError)(nil); errors.As(err, &semantic) {
		where := strings.TrimPrefix(string(semantic.JSONPointer), "/")
		if where == "" {
			return errors.New("it is not a JSON object")
		}
		if errors.Is(semantic.Err, strconv.ErrRange) {
			return fmt.Errorf("%s is a number out of range", excerpt(where))
		}
		if semantic.Err != nil && strings.Contains(semantic.Err.Error(), "unknown") {
			if strings.HasPrefix(where, "before/") || strings.HasPrefix(where, "after/") {
				members = []string{"at", "vars"}
			}
			return fmt.Errorf("%s is not a member of %s: use %s", excerpt(where), object, strings.Join(members, ", "))
		}
		wanted, ok := memberTypes[where]
		if !ok {
			member, _, _ := strings.Cut(where, "/")
			wanted = memberTypes[member]
		}
		return fmt.Errorf("%s of %s must be %s", excerpt(where), object, wanted)
	}
	if syntax := (*jsontext.SyntacticError)(nil); errors.As(err, &syntax) {
		if err = syntax.Err; errors.Is(err, jsontext.ErrDuplicateName) {
			err = fmt.Errorf("%s %w", excerpt(syntax.JSONPointer.LastToken()), errDuplicate)
			if slices.Contains([]jsontext.Pointer{"/time", "/level", "/msg", "/source"}, syntax.JSONPointer) {
				err = fmt.Errorf("%w: rename the attribute, because log/slog writes a member of this name", err)
			}
		}
	}
	return fmt.Errorf("it is not a JSON object: %w", err)
}

// A Mapping maps the members of an event to paths in the lines of another kind of log. A path names members of objects
// inside one another, as in "body.node". In a list of attributes, as OpenTelemetry writes it, a path names their keys.
type Mapping struct {
	// Fields has the paths by member of the event: a string, or for args a list of strings.
	Fields map[string]any `json:"fields"`
	// Values replaces values of a member. A line whose member has another value is ignored.
	Values map[string]map[string]any `json:"values"`
	// Constants are members that all events have.
	Constants map[string]any `json:"constants"`
}

// ReadMapping reads a mapping, a JSON object. The error says which member is wrong.
func ReadMapping(r io.Reader) (*Mapping, error) {
	m := &Mapping{}
	text := bufio.NewReader(r)
	textfile.SkipMark(text)
	if err := json.UnmarshalRead(text, m, integers, json.RejectUnknownMembers(true)); err != nil {
		return nil, describeError(err, "a mapping", "fields", "values", "constants")
	}
	keys := slices.Concat(slices.Sorted(maps.Keys(m.Fields)), slices.Sorted(maps.Keys(m.Values)),
		slices.Sorted(maps.Keys(m.Constants)))
	if len(keys) == 0 {
		return nil, errors.New("it maps no member of an event")
	}
	for _, member := range keys {
		if !slices.Contains(eventMembers, member) {
			return nil, fmt.Errorf("%s is not a member of an event: use %s", excerpt(member),
				strings.Join(eventMembers, ", "))
		}
		_, replaced := m.Values[member]
		if replaced && slices.Contains([]string{"args", "vars", "assign", "clock"}, member) {
			return nil, fmt.Errorf("the values in %s cannot be replaced", member)
		}
		for _, path := range m.paths(member) {
			if _, text := path.(string); !text {
				return nil, fmt.Errorf("the path of %s must be a string, or a list of strings", member)
			}
		}
	}
	return m, nil
}

// paths returns the paths of a member, which has one path or a list.
func (m *Mapping) paths(member string) []any {
	path, ok := m.Fields[member]
	if list, is := path.([]any); is || !ok {
		return list
	}
	return []any{path}
}

// applyMapping returns the text of the event in a line of another kind of log, nil if the line is no event. It records
// the paths at which the line has a value.
func (l *Log) applyMapping(line []byte) ([]byte, error) {
	var object map[string]any
	if err := json.Unmarshal(line, &object, integers); err != nil {
		return nil, describeError(err, "an event", eventMembers...)
	}
	if l.valuesFound == nil {
		l.valuesFound = make(map[string]bool)
	}
	m := l.Mapping
	lookUp := func(path any) any {
		value := valueAt(object, path.(string))
		if value != nil {
			l.valuesFound[path.(string)] = true
		}
		return value
	}
	values := make(map[string]any)
	maps.Copy(values, m.Constants)
	for member, path := range m.Fields {
		if list, ok := path.([]any); ok {
			all := make([]any, len(list))
			for i, p := range list {
				if all[i] = lookUp(p); all[i] != nil {
					values[member] = all
				}
			}
		} else if value := lookUp(path); value != nil {
			values[member] = value
		}
	}
	replace := func(member string) (listed bool) {
		value, ok := values[member]
		replaced, is := m.Values[member]
		if !ok || !is {
			return true
		}
		if number, is := value.(float64); is {
			value = strconv.FormatFloat(number, 'f', -1, 64) // as JSON has it, without an exponent
		}
		values[member], ok = replaced[fmt.Sprint(value)]
		return ok
	}
	if !replace("do") {
		return nil, nil
	}
	if do, ok := values["do"].(string); ok {
		if v, err := verbOf(do); err == nil { // other members may have paths of these names
			maps.DeleteFunc(values, func(member string, _ any) bool { return !v.allows(member) })
		}
	}
	for member := range m.Values {
		if member != "do" && !replace(member) {
			return nil, nil
		}
	}
	return json.Marshal(values, json.Deterministic(true))
}

// pathsWithoutValue returns the paths at which no line of the logs had a value.
func pathsWithoutValue(logs []*Log) []string {
	var paths []string
	for _, l := range logs {
		if l.Mapping == nil {
			continue
		}
		for member := range l.Mapping.Fields {
			for _, path := range l.Mapping.paths(member) {
				paths = append(paths, path.(string))
			}
		}
	}
	paths = slices.DeleteFunc(paths, func(p string) bool {
		return slices.ContainsFunc(logs, func(l *Log) bool { return l.valuesFound[p] })
	})
	slices.Sort(paths)
	return slices.Compact(paths)
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
