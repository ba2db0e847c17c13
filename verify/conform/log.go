package conform

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
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
			at, all := line{Position: Position{l.Name, number}}, []line(nil)
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
				all, err = l.parseLine(text, at.Position)
			}
			if !ended && errors.Is(err, io.ErrUnexpectedEOF) {
				err = errTruncated
			}
			if err != nil {
				yield(at, &LineError{Position: at.Position, Err: err})
				return
			}
			for _, at := range all {
				if !yield(at, nil) {
					return
				}
			}
			if !ended {
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

// parseLine returns the events in the text of a line. With a mapping, there may be several. A member that package slog
// writes occurs twice if the program has an attribute of that name. Both are ignored, except by a mapping.
func (l *Log) parseLine(text []byte, at Position) ([]line, error) {
	all, err := l.parseObject(text, at)
	var once struct {
		slogMembers
		Rest jsontext.Value `json:",embed"`
	}
	if l.Mapping == nil && errors.Is(err, errDuplicate) &&
		json.Unmarshal(text, &once, jsontext.AllowDuplicateNames(true)) == nil {
		return l.parseObject(once.Rest, at)
	}
	return all, err
}

// parseObject is parseLine for a line in which no member occurs twice.
func (l *Log) parseObject(text []byte, at Position) (all []line, err error) {
	texts := [][]byte{text}
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	if l.Mapping != nil {
		if texts, err = l.applyMapping(text); err != nil {
			return nil, err
		}
	}
	for _, text := range texts {
		e := line{Position: at}
		if err := l.parseEvent(text, &e); err != nil {
			return nil, err
		}
		if e.Event != nil {
			all = append(all, e)
		}
	}
	return all, nil
}

// parseEvent sets the event of a line from its text, nil if the text is no event.
func (l *Log) parseEvent(text []byte, at *line) (err error) {
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
// same event until the cache is full and begins anew.
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
	if l.cachedBytes += len(text); l.events == nil || l.cachedBytes > cacheLimit {
		l.events, l.cachedBytes = make(map[string]*Event), len(text)
	}
	l.events[string(text)] = e
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
	return e.Do != "" || e.At != "" || e.Vars != nil || e.Assign != nil || e.Before != nil || e.After != nil ||
		e.Initial
}

// The members of an event, and the types of the members of events and mappings in words.
var (
	eventMembers = []string{"p", "do", "to", "from", "message", "name", "args", "at", "vars", "assign", "before",
		"after", "clock", "initial", "messages", "role", "run"}
	memberTypes = map[string]string{
		"p": "a number or a name", "do": "a text", "to": "a number or a name", "from": "a number or a name",
		"message": "a text", "name": "a text", "args": "a list", "at": "a text", "vars": "an object",
		"assign": "an object", "before": "an object", "after": "an object", "clock": "a list or an object",
		"role": "a text", "run": "a positive number", "before/at": "a text", "after/at": "a text",
		"fields": "an object", "values": "an object of objects", "constants": "an object",
		"drop": "an object or a list of objects", "events": "a list of mappings", "if": "an object",
		"initial": "true or false", "messages": "a list of objects",
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
