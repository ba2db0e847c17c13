package view

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/topology"
)

// A Trace is a run of a protocol, prepared for drawing. Its slices must not be changed.
type Trace struct {
	Caption  Caption
	N        int              // processes, numbered from 0
	Names    []string         // of the processes; nil for "process 0", "process 1", …
	Numbers  []int            // the numbers in the protocol of the processes shown; nil if all are shown
	Topology string           // in the words of the spec; empty without a spec
	Ring     bool             // drawn as a ring or a line; otherwise as a complete graph
	Layout   []topology.Point // the positions of the processes in a picture of the network; nil for a circle
	Channel  string           // the keyword of the discipline of channels
	Events   []string         // the names of the visible events
	Roles    []Role           // the roles that processes can have, in the order of the legend
	Links    []Link
	Messages []Message    // by serial number, which counts from 1: see Message
	Lasso    *model.Lasso // nil unless the run is infinite
	Width    int          // the width of text charts, in columns; 0 means 120
	values   bool         // states are Go values
	strict   bool         // steps of neighbours depend on each other
	sharing  bool         // steps of all processes depend on each other, by shared variables

	Selection Selection // what pictures show

	Steps []Step // Steps[0] is the initial state; Steps[i] is the i-th action and the state after it
}

// Loop returns the first step of the cycle of a lasso, 0 for a run without a cycle.
func (t *Trace) Loop() int {
	if t.Lasso == nil || t.Lasso.Cycle == 0 {
		return 0
	}
	return t.Lasso.Stem + 1
}

// Repeats reports whether a step belongs to the cycle of a lasso.
func (t *Trace) Repeats(step int) bool { return t.Loop() > 0 && step >= t.Loop() }

// A Caption describes the content of a picture. Empty parts are left out.
type Caption struct {
	Title    string   // "franklin, n = 3, k = 2"
	Settings string   // the options: "bits = false, channel = unordered"
	Property string   // the name of the property that the run is about
	Finding  string   // what the run shows, in a sentence
	Why      []string // why the property is false in the last state, line by line
}

// A Link is a channel from a process to a process.
type Link struct {
	From int `json:"from"`
	To   int `json:"to"`
	// Direction is the sender's: "left" or "right"; empty in a complete graph.
	Direction string `json:"direction,omitempty"`
	// Seam says that the link joins the last process and process 0 of a ring: its messages cross a margin if the
	// processes are drawn in a row.
	Seam bool `json:"-"`
}

// A Message is one message, from the step that sends it to the step that receives it. Serial numbers follow the order
// of sending.
//
// If an unordered channel contains several identical messages, one cannot tell which is received; it is taken to be the
// oldest. So a message overtakes only messages that differ from it.
type Message struct {
	Serial   int    `json:"id"`
	Text     string `json:"text"`               // M(1,1)
	Link     int    `json:"link"`               // index in Trace.Links
	Sent     int    `json:"sent"`               // step; 0 if it is in the channel initially
	Received int    `json:"received,omitempty"` // step, Sent over a synchronous channel; 0 if it is never received
	Lost     int    `json:"lost,omitempty"`     // step that lost or changed it: a fault, or a tick; else 0
	Fault    Kind   `json:"fault,omitempty"`    // of step Sent, if a fault made the message
	// Overtakes has the serial numbers of older messages of the link that are still in transit when it is received.
	Overtakes   []int `json:"overtakes,omitempty"`
	OvertakenBy []int `json:"overtaken_by,omitempty"`
}

// endStep returns the step that receives or loses the message, 0 if no step does.
func (m *Message) endStep() int { return max(m.Received, m.Lost) }

// A Step is an action and the state that it leads to.
type Step struct {
	Action  string `json:"action"`  // the label: send(0,right,M(1,1)); empty in the initial state
	Process int    `json:"process"` // the process that acts; -1 in the initial state and for the environment
	Kind    Kind   `json:"kind"`
	Text    string `json:"text"` // the step in a sentence: process 0 sends M(1,1) to process 1
	// Message is the serial number of the message sent or received, or that a fault made or lost; else 0.
	Message   int       `json:"message,omitempty"`
	Before    int       `json:"before,omitempty"`   // the message that a fault changed to Message, else 0
	Unlogged  bool      `json:"unlogged,omitempty"` // the step is not in the log that the run explains
	Changes   []Change  `json:"changes"`
	Processes []Process `json:"-"` // the local states after the step
	Shared    []Var     `json:"-"` // the shared variables after it
	Channels  [][]int   `json:"-"` // by link: the serial numbers of the messages in transit after it, oldest first

	receiver int // one more than the process that receives the message in the same step, 0 if none does
}

// actors returns the processes that act in a step.
func (s *Step) actors() []int {
	switch {
	case s.Process < 0:
		return nil
	case s.receiver > 0:
		return []int{s.Process, s.receiver - 1}
	}
	return []int{s.Process}
}

// acts reports whether a process acts in a step.
func (s *Step) acts(process int) bool { return slices.Contains(s.actors(), process) }

// Unlogged is the suffix of the texts of steps that are not in the log that a run explains.
const Unlogged = " (not in the log)"

// MarkUnlogged marks a step that is not in the log that the run explains.
func (s *Step) MarkUnlogged() { s.Unlogged, s.Text = true, s.Text+Unlogged }

// Kind is the kind of a step.
type Kind string

// The kinds of step.
const (
	Start    Kind = "start" // no action: the initial state
	Send     Kind = "send"
	Receive  Kind = "receive"
	Event    Kind = "event"
	Internal Kind = "internal"
	// The steps of the environment. Tick belongs to no process, as the faults of messages, which have their nouns as
	// kinds: see Kind.fault.
	Crash   Kind = "crash"
	Recover Kind = "recover"
	Tick    Kind = "tick"
)

// fault returns the entry of the fault of a message that the steps of a kind are, nil if they are others.
func (k Kind) fault() *ir.FaultInfo {
	for fault := range ir.FaultKinds {
		if info := fault.Info(); info.Noun == string(k) && fault != ir.CrashFault {
			return info
		}
	}
	return nil
}

// loss returns the entry of the fault that takes a message away in a step of a kind. A tick loses messages, too, and so
// does a send to a full channel.
func (k Kind) loss() *ir.FaultInfo {
	if k == Tick || k == Send {
		return ir.LossFault.Info()
	}
	return k.fault()
}

// Sign returns the sign of the fault of a message, empty for other kinds.
func (k Kind) Sign() string {
	if fault := k.fault(); fault != nil {
		return fault.Sign
	}
	return ""
}

// A Process is the local state of a process.
//
// In the model, a conditional right after an action is evaluated with the next action. Pictures show the state after
// its evaluation, if it depends only on the variables of the process: this is the state that Name, Vars and Role
// describe.
type Process struct {
	Name  string `json:"name"` // the process equation that it is in
	Vars  []Var  `json:"vars"` // the live variables
	Role  Role   `json:"role"`
	Exact string `json:"exact"` // the local state with its control point: A2:43(id=1, i=2, h=1)
}

// A Var is a variable and its value.
type Var struct {
	Name     string `json:"-"`
	Caption  string `json:"name"` // the name as pictures show it, with a mark for a timer
	Text     string `json:"text"`
	Value    any    `json:"-"` // the value as int64 or bool, or as string for all other types
	Timer    bool   `json:"-"` // it counts down with every tick
	Register bool   `json:"-"` // the neighbours can read it
}

// A Change is a value that a step changes.
type Change struct {
	Process int      `json:"process"` // -1 for a shared variable
	Var     optional `json:"var"`     // empty if the Name of the process changes
	From    optional `json:"from"`    // empty if the variable is not live before
	To      optional `json:"to"`      // empty if it is not live after
}

// An optional is a text that is null in JSON if it is empty.
type optional string

// MarshalJSON implements json.Marshaler.
func (o optional) MarshalJSON() ([]byte, error) {
	if o == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(o))
}

// String returns the local state as a call of its equation: A2(id=1).
func (p Process) String() string {
	if len(p.Vars) == 0 {
		return p.Name
	}
	return p.Name + "(" + assignments(p.Vars) + ")"
}

// assignments returns variables with their values: id=1, hop=2.
func assignments(vars []Var) string {
	var parts []string
	for _, v := range vars {
		parts = append(parts, v.Caption+"="+v.Text)
	}
	return strings.Join(parts, ", ")
}

// Visible returns the process as its neighbours see it: with only its name and registers.
func (p Process) Visible() Process {
	p.Vars = slices.DeleteFunc(slices.Clone(p.Vars), func(v Var) bool { return !v.Register })
	return p
}

// Length returns the number of actions.
func (t *Trace) Length() int { return len(t.Steps) - 1 }

// Message returns the message with a serial number.
func (t *Trace) Message(serial int) *Message { return &t.Messages[serial-1] }

// Number returns the number in the protocol of a process of the trace.
func (t *Trace) Number(process int) int {
	if t.Numbers == nil {
		return process
	}
	return t.Numbers[process]
}

// of describes a message, with the step that sends it to distinguish it from others with the same text.
func (t *Trace) of(serial int) string {
	m := t.Message(serial)
	if m.Sent == 0 {
		return m.Text + ", initially in its channel"
	}
	return fmt.Sprintf("%s of step %d", m.Text, m.Sent)
}
