package ir

import (
	"slices"
	"strings"

	"ringcheck/model"
	"ringcheck/model/language/channel"
	"ringcheck/model/language/property"
	"ringcheck/model/language/syntax"
	"ringcheck/model/language/topology"
)

// A Protocol is one instance of a spec. It is immutable and safe for concurrent use.
type Protocol struct {
	Name     string
	Params   []Setting // in the order of their declarations
	Options  []Setting
	N        int            // processes
	Kinds    []*ProcessKind // in the order of the text; none if one declaration is for all processes
	Topology *topology.Kind
	Sizes    [2]int // of the network; the second is 1 if it has one
	Naming   Naming
	Network  *Network // nil in a complete graph without channels
	Links    []Link   // every channel; empty without a channel declaration, and if Vast
	Vast     bool     // a complete graph with too many channels to list: see NumberOfLinks and Link
	Channel  channel.Discipline
	// ChannelPos is the position of the keyword of Channel.
	ChannelPos syntax.Pos
	Capacity   Capacity
	Faults     Faults
	Time       Time
	Vars       []*Var
	Shared     []*Var // the shared variables in Vars, in the order of their slots
	Messages   []*Message
	Events     []*Event

	Equations  []*Equation
	Points     []*Point // Points[i].ID == i
	Start      Start
	Properties []*Property
	Bounds     []*Bound
	Goals      []*Formula // the requested goals, in the order of the request
	Rewards    []*Reward  // the predefined ones are the first, unless the spec declares rewards of their names
	Roles      []*Role
	// Large lists why the system is too large to be compiled, so that it can only be simulated; empty if it can be.
	Large []Warning
	// EnvSize is a length of Env.Vars that suffices for every expression: the variables, followed by the binders of the
	// properties.
	EnvSize int
}

// A Setting is the value a parameter or option was given.
type Setting struct {
	Name  string
	Type  *Type
	Value int64
}

// FormatSettings returns "n = 2, bits = true".
func FormatSettings(list ...Setting) string {
	var parts []string
	for _, s := range list {
		parts = append(parts, s.Name+" = "+s.Type.Format(s.Value))
	}
	return strings.Join(parts, ", ")
}

// A ProcessKind is the kind of the processes First..Last; the range may be empty.
type ProcessKind struct {
	Name        string
	First, Last int
	Indexed     bool // false for a single process, whose name has no number
}

// Has reports whether a process is of the kind.
func (k *ProcessKind) Has(process int) bool { return k.First <= process && process <= k.Last }

// Naming is the way in which a process names its neighbours when it sends, receives or reads.
type Naming int

// The ways to name neighbours.
const (
	ByNumber    Naming = iota
	ByDirection        // left and right in rings and lines, in grids also up and down
	ByPort             // 1, 2, … by ascending number, starting after the own number and wrapping around
)

// Time describes the effect of ticks.
type Time struct {
	Ticks  bool // whether there is time: a delay or a timer
	Delay  bool // whether messages take time: Lo..Hi ticks
	Lo, Hi int64
	// Racing says that a process can act on its own although it could receive a message that is due.
	Racing bool
	Pos    syntax.Pos // of the delay or the first timer
}

// Capacity is the number of messages that each channel has room for.
type Capacity struct {
	Most int // 0 for any number
	// Drops says that a message that is sent to a full channel is lost. Otherwise such a send is not possible.
	Drops bool
	Pos   syntax.Pos // in the declaration of the channel
}

// Blocks reports whether a send is possible only where its channel has room.
func (c Capacity) Blocks() bool { return c.Most > 0 && !c.Drops }

// Full reports whether a channel with a number of messages has no room for another one.
func (c Capacity) Full(messages int) bool { return c.Most > 0 && messages >= c.Most }

// A Link is one channel. The sender addresses it by Out and the receiver by In, according to Protocol.Naming.
type Link struct {
	From, To int
	Out, In  int64 // the value of the target at the sender and of the source at the receiver
}

// A Local is a process at a control point: Env[i] is the value of Point.Live[i].
type Local struct {
	Point *Point
	Env   []int64
}

// A Point is a control point: a place in a body after an action, or the start of an equation. Two states of
// a process are the same exactly if they agree in the point and the values of its live variables.
//
// A point whose term is Passing is never a state: after an action it is not among Protocol.Points and its ID is -1.
type Point struct {
	ID       int
	Equation *Equation    // the equation whose text holds it; nil in the process declaration
	Kind     *ProcessKind // of a process declaration; nil if one declaration is for all processes
	Start    bool         // the start of Equation
	Term     Term         // what the process does from here
	Live     []*Var       // by ascending Var.ID
	Pos      syntax.Pos
}

// An Equation is a named process equation.
type Equation struct {
	ID         int
	Name       string
	Params     []*Var
	LiveParams []*Var // parameters that are live at every point in the text of the equation
	Start      *Point
}

// A Var is a declared variable (or a binder of a property). Env vectors during execution are indexed by ID.
type Var struct {
	ID   int
	Name string
	Type *Type
	Kind VarKind
	Of   *ProcessKind // whose processes have it; nil for all
	// Init is the initial value of a variable that lasts, evaluated in the environment of Start.Term.
	Init Expr
	Pos  syntax.Pos // of its name in the declaration; the zero Pos if nothing declares it
	Slot int        // of a shared variable: its number among them
}

// HasGhosts reports whether the protocol has ghosts.
func (p *Protocol) HasGhosts() bool {
	return slices.ContainsFunc(p.Vars, func(v *Var) bool { return v.Kind == Ghost && v.Lasting() })
}

// BelongsTo reports whether a process has the variable, which may be absent or not live there.
func (v *Var) BelongsTo(process int) bool { return v.Of == nil || v.Of.Has(process) }

// VarKind determines who can read a variable, and its lifetime.
type VarKind int

// The kinds of variable.
const (
	Ordinary VarKind = iota // its process, where it is live
	Register                // its process and its neighbours, always
	Ghost                   // properties only
	Timer                   // its process; it counts down to 0 with every tick
	Shared                  // all processes, always, and all can set it; it is part of no local state
)

// Lasting reports whether a variable always has a value. Unless it is shared, it is part of every local state of its
// process, if that is of the kind that has it.
func (v *Var) Lasting() bool { return v.Kind != Ordinary && v.Type.Kind != Absent }

// Kind is the kind of a type.
type Kind int

// The kinds.
const (
	Absent Kind = iota // one value, 0
	Int                // Lo..Hi
	Nat                // the integers from 0 on
	Bool
	Enum // Names
	Dir  // Names: left, right and, in a grid, up and down
	Node // 0..N-1
	Set  // of Elem
	Array
	ChannelRef // properties only: the number of a link, -1 for none
	MessageRef // properties only: a message in a channel, see MessageAt
)

// A Type is a domain of values, which is finite except for Nat.
type Type struct {
	Kind   Kind
	Lo, Hi int64    // the least and greatest value of a scalar
	Names  []string // of an Enum
	Elem   *Type    // of a Set or an Array
	Wide   bool     // of a Set: see WideSetType
	Index  *Type    // of an Array
}

// A Message kind, with its fields.
type Message struct {
	ID     int
	Name   string
	Fields []Field
}

// An Event is a visible action.
type Event struct {
	ID     int
	Name   string
	Fields []Field
}

// Tick stands in formulas for the event that time advances. It is no event of a process.
var Tick = &Event{ID: -1, Name: "tick"}

// A Field of a message or event.
type Field struct {
	Name string
	Type *Type
}

// A Term is the behaviour from a control point on.
type Term interface{ isTerm() }

type (
	// Stop does nothing. Point is the control point of a process that has stopped here. Where the stop is neither after
	// an action nor at the start of an equation, no process stays at Point, which is not among Protocol.Points and has
	// the ID -1: see Protocol.Ended.
	Stop struct{ Point *Point }
	// Call continues as Equation. Args are evaluated in the caller's environment, all before any is bound. A variable
	// is not passed to a parameter that is not live at the start of Equation; a Const replaces it.
	Call struct {
		Equation *Equation
		Args     []Expr
		Pos      syntax.Pos
	}
	// Prefix takes a step. A call at Next is resolved in the same step. If Next is nil, the process stays at its point
	// and only lasting variables change: see Local.Set.
	Prefix struct {
		Action Action
		Next   *Point
	}
	// Draw binds Var to each of the values with positive probability; Choose to each of the values.
	Draw struct {
		Choose bool
		Var    *Var
		// Exactly one of Values, Among and Weights is set.
		Values  []int64    // uniform over fixed values
		Among   Expr       // uniform over the elements of this set or, with Size,
		Size    Expr       // over its subsets of this size
		Weights []Weighted // explicit
		Then    Term
		Pos     syntax.Pos
	}
	// Let binds Var.
	//
	// Whatever Eval returns for the Value of a Let, and for the Args of a Call, Send or Emit, is a value of the
	// variable's or field's type: where that is not certain, the expression is wrapped in a Convert.
	Let struct {
		Var   *Var
		Value Expr
		Then  Term
		Pos   syntax.Pos
	}
	// If is evaluated when the next action is chosen.
	If struct {
		Cond       Expr
		Then, Else Term
		Pos        syntax.Pos // of the condition
	}
	// For begins a loop.
	For struct{ *Loop }
	// LoopEnd stands at the end of the body of a loop.
	LoopEnd struct{ *Loop }
	// Store sets a lasting variable, as an Assign does, in the step of the receive before it.
	Store struct {
		Var   *Var
		Value Expr // of the type of Var, as for a Let
		Then  *Point
		Pos   syntax.Pos
	}
	// Enter begins a process. It stands in Start.Term only.
	Enter struct{ Point *Point }
	// Choice has the alternatives of all its terms. A Choice without terms has no step, but is not a Stop; it is the
	// Else of "when c: T".
	Choice struct{ Terms []Term }
)

func (*Stop) isTerm()    {}
func (*Call) isTerm()    {}
func (*Prefix) isTerm()  {}
func (*Draw) isTerm()    {}
func (*Let) isTerm()     {}
func (*If) isTerm()      {}
func (*Choice) isTerm()  {}
func (*Enter) isTerm()   {}
func (*For) isTerm()     {}
func (*LoopEnd) isTerm() {}
func (*Store) isTerm()   {}

// A Loop goes through the values of a domain in ascending order. The next value is found in the step that leads to
// the loop or to the end of its body: there is no state in between.
type Loop struct {
	Var    *Var
	Lo, Hi Expr   // the domain, or
	Set    Expr   // of a set type
	Where  Expr   // with Var bound: selects the values; nil for all
	Body   *Point // with Var bound; ends in Again
	Then   *Point
	Pos    syntax.Pos
}

// Weighted is a value with its probability Num/Den.
type Weighted struct {
	Value    int64
	Num, Den uint32
}

// An Action is one step of a process.
type Action interface {
	// Position returns the position of the action.
	Position() syntax.Pos
}

type (
	// Send puts a message into the link whose Out equals Target.
	Send struct {
		Target  Expr
		Message *Message
		Args    []Expr // one for each field
		Pos     syntax.Pos
	}
	// Receive takes a message of kind Message out of a link whose In matches Source.
	Receive struct {
		Source   Pattern
		Message  *Message  // nil: any
		Patterns []Pattern // one for each field
		Where    Expr      // nil: always
		Pos      syntax.Pos
	}
	// Emit is a visible event.
	Emit struct {
		Event *Event
		Args  []Expr
		Pos   syntax.Pos
	}
	// Assign is an internal step that sets a lasting variable.
	Assign struct {
		Var   *Var
		Value Expr // of the type of Var, as for a Let
		Pos   syntax.Pos
	}
	// Skip is an internal step.
	Skip struct{ Pos syntax.Pos }
	// Crash is a step to Faults.Crashed.
	Crash struct{ Pos syntax.Pos }
)

func (a *Send) Position() syntax.Pos    { return a.Pos }
func (a *Receive) Position() syntax.Pos { return a.Pos }
func (a *Emit) Position() syntax.Pos    { return a.Pos }
func (a *Assign) Position() syntax.Pos  { return a.Pos }
func (a *Skip) Position() syntax.Pos    { return a.Pos }
func (a *Crash) Position() syntax.Pos   { return a.Pos }

// A Pattern binds Bind (see Var.Check), or else must be equal to Equal; with neither it matches anything. All Equal
// expressions of a receive are evaluated before anything is bound.
type Pattern struct {
	Bind  *Var
	Equal Expr
}

// A Property of the spec. Body is of type Bool and is evaluated with a View.
type Property struct {
	Kind *property.Kind
	Name string
	Doc  string
	Body Expr // true for an LTL property
	Pos  syntax.Pos
	// Temporal is the formula of an LTL property, nil for other properties.
	Temporal *Temporal
	Warnings []Warning
}

// A Warning describes a part of the spec that is probably a mistake.
type Warning struct {
	Pos  syntax.Pos
	Text string
}

// Warnings returns warnings with their positions as text.
func Warnings(list []Warning) (warnings []model.Warning) {
	for _, w := range list {
		warnings = append(warnings, model.Warning{Place: w.Pos.String(), Text: w.Text})
	}
	return warnings
}

// A View is a global state as properties see it.
type View interface {
	// Seen returns the local state of process p.
	Seen(p int) Local
	// Channel returns the messages in Links[link], in the order of the discipline: see channel.Discipline. A multiset
	// is in ascending order of Content.Compare, with equal messages repeated. The caller does not change it.
	Channel(link int) []Content
	// SharedValue returns the value of Protocol.Shared[slot].
	SharedValue(slot int) int64
}

// A Content is one message in a channel.
type Content struct {
	Message *Message
	Args    []int64
	Age     int64 // in ticks, if messages take time
}

// An Env is the environment in which an expression is evaluated.
type Env struct {
	Vars  []int64 // by Var.ID
	State View    // for properties, and for processes that read the registers of others
	Sets  *Sets   // the sets that values of wide set types refer to
	Self  int     // the process that reads
	// Acting says that Vars has the values of the shared variables, which the step of a process can change. Otherwise
	// State has them.
	Acting bool
	// Tick, if not nil, is called for each value of a quantifier, each call of a definition and each element of a new
	// wide set. It panics to end an evaluation that takes too long.
	Tick func()

	applied *Applications[int64, result] // during the evaluation of a large definition
	// assignedReads, if not nil, receives the positions in Vars of the assigned values that are read.
	assignedReads *[]int
}

func (env *Env) tick(times int) {
	if env.Tick == nil {
		return
	}
	for range times {
		env.Tick()
	}
}

// An Expr is a typed expression. Eval's errors are *Error (index out of range, division by zero, overflow, a value that
// leaves its range). All implementations are in this package, see Children, except expressions that a tool derives from
// them for its own use, which embed Foreign.
type Expr interface {
	Type() *Type
	Eval(env *Env) (int64, error)
	parts() []*Expr
}

// Foreign is embedded by expressions of other packages. They have no parts and are not part of a Protocol.
type Foreign struct{}

func (Foreign) parts() []*Expr { return nil }

var _ interface{ parts() []*Expr } = Foreign{}

// An Error is a model error that is found during evaluation.
type Error struct {
	Pos     syntax.Pos
	Message string
}

func (e *Error) Error() string { return e.Message }

// Name returns the name of the kind of message that is received, "_" for any.
func (r *Receive) Name() string {
	if r.Message == nil {
		return "_"
	}
	return r.Message.Name
}
