package model

import (
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"unsafe"
)

// A Value is the content of one slot of a state: a small number that indexes what the system keeps for that slot (a
// local state, the contents of a channel).
type Value = uint32

// A System is a labelled transition system given by a successor function over fixed-length vectors of values.
// Transitions come in groups; a group depends on, and changes, only the slots it names, so that an engine can tabulate
// it, store states incrementally and find independent transitions.
//
// All methods are safe for concurrent use. The caller does not change what Slots and Groups return.
type System interface {
	// Slots describes the state vector.
	Slots() []Slot
	// Groups describes the transition groups.
	Groups() []Group
	// Initial calls yield with every initial state until it returns false. The state is only valid during the call.
	Initial(yield func(state []Value) bool) error
	// Next adds to out every transition of group g from a state in which the slots Groups()[g].Slots hold in. The order
	// depends on the meaning of in only, never on the numbering of values. An error (a *Error for a mistake of the
	// spec) means that a transition cannot be represented; what was added to out is void then.
	Next(g int, in []Value, out *Successors) error
	// Label describes a label.
	Label(l Label) LabelInfo
	// FormatSlot returns the content of a slot for people.
	FormatSlot(slot int, v Value) string
}

// A Slot is one component of the state vector.
type Slot struct {
	Name    string
	Kind    SlotKind
	Process int // the process, or the receiver of a channel; -1 if none
}

// SlotKind is the kind of content of a slot.
type SlotKind int

// The kinds of slot.
const (
	OtherSlot SlotKind = iota
	ProcessSlot
	ChannelSlot
	SharedSlot // of a variable that processes share
)

// A Group is a set of transitions with common dependencies.
type Group struct {
	Name  string
	Slots []int // ascending; all that the group reads or writes
	// Environment means that its transitions are the environment's, which need not happen: a run may end in a state
	// without others. Such a state is quiescent, and so is a terminal one, which has no transitions.
	Environment bool
}

// A Label identifies what a transition does. The numbering may differ from run to run.
type Label uint32

// A LabelInfo describes a label.
type LabelInfo struct {
	// Text is "send(0,right,M(1,1,true))", "leader". It is unique among the labels of one process; an event of several
	// processes has the same text, and is the same action to an observer.
	Text    string
	Kind    ActionKind
	Visible bool // an event; everything else is τ when internal actions are hidden
	Process int  // who acts; -1 if the action belongs to no process
	// Receiver is the process that receives the message of a SyncAction, which Process sends. Both act.
	Receiver int
	Slot     int // the channel that is sent to or received from; -1 if none
	Message  string
	Fault    string // of a FaultAction: the noun of the fault, "loss"
	Into     string // what a fault makes of Message, empty unless that is another message
	Own      bool   // a crash in the text of its process, not one of the environment
}

// ActionKind is the kind of action of a label.
type ActionKind int

// The kinds of action.
const (
	Internal ActionKind = iota
	SendAction
	ReceiveAction
	SyncAction // a send and its receipt in one step, over a synchronous channel
	EventAction
	// What the environment does; a process can crash by itself, too. A FaultAction, which befalls a message in a
	// channel, or a tick is of no process.
	FaultAction
	CrashAction
	RecoverAction
	TickAction
)

// A Step is a transition without its target.
type Step struct {
	Label Label
	// Choice numbers the probabilistic choices within one call of Next, ascending. The weights of the transitions of
	// one choice add up to 1; a scheduler decides between choices.
	Choice uint32
	Weight Weight
	// Repeated means that an earlier choice of the call has a transition with the same label and target. In the set of
	// transitions they are one; to a scheduler it is part of both choices.
	Repeated bool
}

// Successors collects transitions of one group: for each a step and the new values of the group's slots. The zero value
// is ready; Reset keeps the memory.
type Successors struct {
	steps  []Step
	values []Value
	width  int

	total   *atomic.Int64 // see CountIn; may be nil
	counted int64
}

// CountIn makes s add the memory that it holds, in bytes, to a total whenever it grows: one state can have millions of
// transitions.
func (s *Successors) CountIn(total *atomic.Int64) { s.total = total }

// countMemory is called when s has grown.
func (s *Successors) countMemory() {
	held := int64(cap(s.steps))*int64(unsafe.Sizeof(Step{})) + int64(cap(s.values))*int64(unsafe.Sizeof(Value(0)))
	if s.total != nil {
		s.total.Add(held - s.counted)
	}
	s.counted = held
}

// Reset empties s and sets how many slots a transition changes.
func (s *Successors) Reset(width int) {
	s.steps, s.values, s.width = s.steps[:0], s.values[:0], width
}

// Add appends a transition and returns its values, to be filled in by the caller, valid until the next Add.
func (s *Successors) Add(step Step) []Value {
	room := cap(s.steps) + cap(s.values)
	s.steps = append(s.steps, step)
	n := len(s.values)
	for range s.width {
		s.values = append(s.values, 0)
	}
	if cap(s.steps)+cap(s.values) != room {
		s.countMemory()
	}
	return s.values[n:]
}

// Filter removes the transitions from number first on for which keep returns false.
func (s *Successors) Filter(first int, keep func(Step) bool) {
	n := first
	for i := first; i < s.Len(); i++ {
		if keep(s.steps[i]) {
			if n < i {
				s.steps[n] = s.steps[i]
				copy(s.values[n*s.width:], s.Values(i))
			}
			n++
		}
	}
	s.steps, s.values = s.steps[:n], s.values[:n*s.width]
}

// Relabel gives a label to the transitions from number first on.
func (s *Successors) Relabel(first int, l Label) {
	for i := first; i < s.Len(); i++ {
		s.steps[i].Label = l
	}
}

// Len returns the number of transitions.
func (s *Successors) Len() int { return len(s.steps) }

// Step returns transition i without its target.
func (s *Successors) Step(i int) Step { return s.steps[i] }

// Values returns the new values of the group's slots after transition i.
func (s *Successors) Values(i int) []Value {
	return s.values[i*s.width : (i+1)*s.width : (i+1)*s.width]
}

// An Error is a model error, a mistake of a spec in some reachable state: a value leaves its range, or something grows
// beyond the bound.
type Error struct {
	Place   string // file:line:column
	Process int    // -1 if it is not known
	Message string
	Growth  bool  // the configurable bound was reached, which need not be a mistake of the spec
	Cause   error // nil, or what errors.Is finds
}

// MarshalJSON writes an object with the members "place", "message" and "process". Unknown members are absent.
func (e *Error) MarshalJSON() ([]byte, error) {
	var process *int
	if e.Process >= 0 {
		process = &e.Process
	}
	return json.Marshal(struct {
		Place   string `json:"place,omitempty"`
		Message string `json:"message"`
		Process *int   `json:"process,omitempty"`
	}{e.Place, e.Message, process})
}

func (e *Error) Unwrap() error { return e.Cause }

// AsError returns the model error that err wraps, or one with the message of err.
func AsError(err error) *Error {
	var modelError *Error
	if !errors.As(err, &modelError) {
		modelError = &Error{Process: -1, Message: err.Error()}
	}
	return modelError
}

func (e *Error) Error() string {
	if e.Place == "" {
		return e.Message
	}
	return e.Place + ": " + e.Message
}

// Compare orders states of sys by their text, the same way in every process.
func Compare(sys System, a, b []Value) int {
	for i := range a {
		if a[i] == b[i] {
			continue
		}
		if c := strings.Compare(sys.FormatSlot(i, a[i]), sys.FormatSlot(i, b[i])); c != 0 {
			return c
		}
	}
	return 0
}

// A Move is one step of a run and the state after it. The first Move has no step: its state is an initial state.
type Move struct {
	Step  Step
	State []Value
}

// A Lasso is the shape of a run that goes on for ever: after Stem steps the Cycle others are repeated. Cycle is 0 if
// the run stays where it has come to, since nothing can happen any more.
type Lasso struct {
	Stem  int `json:"stem"`
	Cycle int `json:"cycle"`
}
