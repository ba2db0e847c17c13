package conform

import (
	"strconv"

	"github.com/go-json-experiment/json"

	"ringcheck/model"
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
//
// An action of a process can have the local state around it, as lines of their own before and after it would:
//
//	{"p":0,"do":"recv","message":"M","before":{"at":"A3"},"after":{"at":"A4","vars":{"id":2}}}
//
// A log from the middle of a run begins with the states of processes and the contents of channels, as far as they are
// known:
//
//	{"initial":true,"p":0,"at":"A3","vars":{"id":2}}
//	{"initial":true,"p":0,"from":"left","messages":[{"message":"M","args":[1,3,true]}]}
type Event struct {
	Process any            `json:"p,omitzero"` // its number, or its name as in pictures: "coordinator"
	Do      string         `json:"do,omitempty"`
	To      any            `json:"to,omitzero"`   // of a send: a direction, or the number of a process or a port
	From    any            `json:"from,omitzero"` // of a recv, or of Messages
	Message string         `json:"message,omitempty"`
	Name    string         `json:"name,omitempty"` // of an event of the spec
	Args    []any          `json:"args,omitempty"` // of the message or the event
	At      string         `json:"at,omitempty"`   // the equation or the control point that the process is at
	Vars    map[string]any `json:"vars,omitempty"` // variables of the process that are live there
	Assign  map[string]any `json:"assign,omitempty"`
	Before  *LocalState    `json:"before,omitempty"` // of the process of an action, immediately before it
	After   *LocalState    `json:"after,omitempty"`  // likewise, immediately after it
	Clock   any            `json:"clock,omitzero"`   // a vector clock: a list by process, or an object
	// Initial says that the log begins in the middle of a run, and that At and Vars describe the state of the process
	// at its beginning. What no such event gives is open: a process may be in any state, a channel have any contents.
	Initial bool `json:"initial,omitzero"`
	// Messages are, in an initial event, the contents of the channel from From to the process, in the order in which
	// they were sent. Without From they are empty, and so are all channels to the process, without the process all
	// channels, except for those with other events.
	Messages []Message `json:"messages,omitzero"`
	// Role says, of an action in a line of Tests, whether a test gives it to the program or expects it. Logs need none.
	Role Role `json:"role,omitempty"`
	// Run, if not 0, says that the event begins another run, unless the event before it has the same number.
	Run uint `json:"run,omitzero"`

	fromMapping bool // it comes from a mapping, which has one list of args for all messages
}

// A Role is the part of an action in a test.
type Role string

// The roles.
const (
	Input  Role = "input"  // a receipt, a crash, a recovery, a tick or a fault: the test makes it happen
	Output Role = "output" // a send, an event or a skip: the program does it
)

// roleOf returns the role of an action.
func roleOf(kind model.ActionKind) Role {
	switch kind {
	case model.ReceiveAction, model.CrashAction, model.RecoverAction, model.TickAction, model.FaultAction:
		return Input
	case model.SendAction, model.SyncAction, model.EventAction, model.Internal:
	}
	return Output
}

// A Message is a message in a channel at the beginning of a log.
type Message struct {
	Message string `json:"message"`
	Args    []any  `json:"args,omitempty"` // all of them
}

// A LocalState is the local state of a process around an action. A missing value matches any value.
type LocalState struct {
	At   string         `json:"at,omitempty"`
	Vars map[string]any `json:"vars,omitempty"`
}

// String returns the event as a line of a log.
func (e Event) String() string { return jsonText(e) }

// anyProcess is the process of an event that names none. noProcess is the process of an event without one, such as a
// tick.
const (
	noProcess  = -1
	anyProcess = -2
)

// excerpt returns the beginning of a value, for messages.
func excerpt(value any) string {
	const limit = 60
	name, quoted := value.(string)
	if !quoted {
		name = jsonText(value)
	}
	if all := []rune(name); len(all) > limit {
		name = string(all[:limit]) + "…"
	}
	if quoted {
		return strconv.Quote(name)
	}
	return name
}

// jsonText returns a value as JSON.
func jsonText(value any) string {
	text, err := json.Marshal(value, json.Deterministic(true))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// jsonValue returns a value of a type for JSON: a number, a boolean, a name, or a list of these.
func jsonValue(t *ir.Type, v int64) any {
	switch t.Kind {
	case ir.Bool:
		return v != 0
	case ir.Enum, ir.Dir:
		return t.Format(v)
	case ir.Set, ir.Array:
		list := []any{}
		for element := range t.Each(v) {
			list = append(list, jsonValue(t.Elem, element))
		}
		return list
	}
	return v
}
