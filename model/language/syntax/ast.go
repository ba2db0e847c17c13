package syntax

import "ringcheck/model/language/topology"

// A Pos is a position in a spec. Line and Column count from 1; Column counts runes.
type Pos struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// A File is one parsed spec.
type File struct {
	Header
	Source   string // the paper and section, from the source clause; may be empty
	Topology *TopologyDecl
	Channel  *ChannelDecl // nil: the protocol has no channels
	Crash    *CrashDecl   // nil: no process crashes
	Goals    []Expr       // from the request, see ParseGoal; they are not part of the text
	Order    []Decl       // all declarations in the order of the text
	Spaced   []bool       // by declaration: whether an empty line stands before it and its comments
	Extents  []Extent     // of the protocol clause and the declarations
	Comments []*Comment
	// Unread holds the words of declarations that could not be parsed: they may be declared or used there.
	Unread map[string]bool

	tokens []Token
	text   string
}

// Reparse parses the text of a file again, without the bindings that package check stores in a tree. It has no errors,
// because they were reported before.
func (f *File) Reparse() *File {
	again, _ := Parse(f.Pos.File, []byte(f.text))
	return again
}

// All returns the declarations of one kind in the order of the text.
func All[D Decl](f *File) []D {
	var all []D
	for _, d := range f.Order {
		if d, ok := d.(D); ok {
			all = append(all, d)
		}
	}
	return all
}

// A Comment is a run of // lines, kept for the printer.
type Comment struct {
	Pos    Pos
	Lines  []string // without the slashes and the space after them
	Before Decl     // the declaration that it precedes, or the *File for its first clause
	Beside Decl     // the declaration before it on the same line; if Before is nil, too, the comment ends the file
	Inside bool     // it is within the declaration Before
	Behind bool     // tokens precede it on its line
	Apart  bool     // an empty line follows
}

// A Decl is one top-level declaration.
type Decl interface{ header() *Header }

// A Header is the common part of declarations; some have no name or no string.
type Header struct {
	Pos  Pos
	Name string
	At   Pos // of the name, if there is one
	Doc  string
}

func (h *Header) header() *Header { return h }

// SettingDecl: param n: 2..16 = 2 "ring size", option order: any | left = any "…", option bits: bool = true, option
// modulus: 1..16 = 2. Type is a *RangeType; the type of an option can also be bool, an *EnumType or a *NamedType.
type SettingDecl struct {
	Header
	Kind    string // "param", "option"
	Type    Type
	Default Expr // nil: the parameter must be given
}

// ConstDecl: const m = 2 * n.
type ConstDecl struct {
	Header
	Value Expr
}

// TypeDecl: type Verdict = yes | no, type Id = 1..k.
type TypeDecl struct {
	Header
	Type Type
}

// TopologyDecl: topology directed ring of n | grid of w by h | graph of n with p -> q if EXPR | …, see topology.Kinds.
type TopologyDecl struct {
	Header
	Anonymous bool   // topology anonymous grid of w by h: processes do not know the numbers of others
	Kind      string // a keyword of topology.Kinds
	Size      Expr
	By        Expr   // the second size; nil if the kind has one
	From, To  *Ident // of a graph given by a rule; otherwise nil
	If        Expr   // there is an edge from From to To
}

// Shape returns the kind of network.
func (d *TopologyDecl) Shape() *topology.Kind { return topology.Find(d.Kind) }

// ChannelDecl: channel unordered | fifo = unordered of 2 "…". One kind is fixed. With several, the option --channel
// selects one, and expressions may compare the name channel with the kinds.
type ChannelDecl struct {
	Header
	Kinds    []*Ident // the keywords of channel.Disciplines
	Default  *Ident   // nil when there is one kind
	Capacity Expr     // the number of messages that a channel has room for; nil for any number
	Clauses  []*ChannelClause
}

// A ChannelClause is ", lossy at most 2", ", duplicating", ", delay 1..3", ", racing if c" or ", dropping" after the
// kind of channel.
type ChannelClause struct {
	Pos   Pos
	Word  string // "delay", "racing", "dropping", or the keyword of a fault: see ir.FaultInfo
	Most  Expr   // of faults: nil for any number
	Delay *RangeType
	If    Expr // of racing: nil for always
}

// CrashDecl: crash at most f of p where p != 0 recover Restart(p).
type CrashDecl struct {
	Header
	Most    Expr
	Name    *Ident    // bound to the number of a process in Where and Recover; may be nil
	Where   Expr      // nil: all processes can crash
	Recover *CallTerm // the call with which a crashed process restarts; nil: it never does
}

// CheckDecl: check n = 2..4, order = left: settings at which "ringcheck test" checks the properties.
type CheckDecl struct {
	Header
	Given []*Given
}

// A Given is the value of a setting, n = 3, or a range of values, n = 2..4.
type Given struct {
	Pos   Pos
	Name  *Ident
	Value Expr
	Last  Expr // the upper end of a range; nil for one value
}

// VarDecl: var id, i: 1..k | var bit: bool if bits | register x: 0..k - 1 of hub = 0 | ghost asked: bool = false |
// shared turn: node = 0 | timer t: 0..9.
type VarDecl struct {
	Header
	Kind  string // "var", "register", "shared", "ghost", "timer"
	Names []*Ident
	Type  Type
	Of    *Ident // the kind of process that has the variables; nil: all processes
	Init  Expr   // nil: any initial value, but 0 for a timer
	If    Expr   // nil: always; if it is false, the variables have the type Absent
}

// SignatureDecl: message M(id: 1..k, hop: 1..n, bit: bool if bits), event leader, event elected(id: 1..k). Events are
// the visible actions.
type SignatureDecl struct {
	Header
	Kind   string // "message", "event"
	Fields []*Field
	Joined bool // written after the one before: message A, B
}

// A Field of a message or an event.
type Field struct {
	Pos     Pos
	Name    string
	Type    Type
	If      Expr // as in VarDecl
	Binding Binding
}

// AssignDecl: assign uid: permutation of 1..n (each process gets a different value; there is one initial state for each
// permutation), assign x: 1..k (each process gets any value). uid[p] is the value of process p.
type AssignDecl struct {
	Header
	Permutation bool
	Type        Type
	If          Expr // nil: always; if it is false, nothing is assigned, and uid[p] must not be used
}

// InitiallyDecl: initially Token, Fork(1) in inbox(p, left) for p in node where p > 0: the channel holds these messages
// in the initial state, in this order.
type InitiallyDecl struct {
	Header
	Messages []*Content
	Process  Expr
	Source   Expr // as in recv
	Binders  []*Binder
	Where    Expr // nil: always
	If       Expr // as in PropertyDecl
}

// InitialDecl: initially exists p in node: p.token. The condition is true of every initial state.
type InitialDecl struct {
	Header
	Condition Expr
	If        Expr // as in PropertyDecl
}

// A Content is a message in a channel.
type Content struct {
	Message *Ident
	Args    []Expr
}

// ProcessDecl: process p = if p = 0 then Initiator else Waiting(uid[p]). Name is bound to 0..n-1. Where there are
// several, or one has an index, each is a kind of process: process hub = Hub (one process), process leaf[p in 1..n -
// 1] = Leaf(p).
type ProcessDecl struct {
	Header
	Index *Ident     // bound to the numbers in Range; nil: one process
	Range *RangeType // nil without an Index
	Body  Term
}

// EquationDecl: A2(id, bit) = TERM. Parameters name declared variables. A kept parameter, Leader(keep id), is part of
// the state wherever the process is in the text of the equation.
type EquationDecl struct {
	Header
	Params []*Ident
	Kept   []bool // by parameter
	Body   Term
}

// DefineDecl: define active(p) = p at A1 or p at A2. Only properties use it.
type DefineDecl struct {
	Header
	Params []*Field // p: node, i: 1..n; a parameter without a type is a node
	Body   Expr
}

// PropertyDecl: invariant|terminal|reachable|recoverable NAME "doc" = EXPR if EXPR.
type PropertyDecl struct {
	Header
	Kind string // "invariant", "terminal", "reachable" or "recoverable"
	Body Expr
	If   Expr // nil: always; if it is false, the spec does not have the property
}

// RoleDecl: role leader = p at Leader "elected" green. The name of the process number in the process declaration
// denotes the process.
type RoleDecl struct {
	Header
	Body    Expr
	Colour  *Ident  // nil: the tool chooses one
	Process Binding // of the name of the process number
}

// RewardDecl: reward bits "…" = log2ceil(id) per send M. Per is "step", "send", "event" or "tick". The value may
// use the fields of the message or event.
type RewardDecl struct {
	Header
	Value Expr
	Per   string
	Of    *Ident // nil: every step, every send, every tick
	// Fields are the bindings of the fields of the message or event in Value.
	Fields []Binding
}

// BoundDecl: probability quick "…" = P(within 100: leader happens) >= 0.9, or expected cheap "…" =
// E(messages until terminal) <= 2 * n. The goal may hold HappensExpr and EndExpr.
type BoundDecl struct {
	Header
	Reward   *Ident // nil: a probability
	Within   Expr   // nil: without limit
	Unit     *Ident // the reward that Within limits; nil: steps
	Goal     Expr
	Relation string // < <= >= >
	Bound    Expr
	Uniform  bool // under uniform
	If       Expr // as in PropertyDecl
}

// TemporalDecl: ltl served "…" = always eventually 0 at Critical under strongly fair of Deliver and probability one.
type TemporalDecl struct {
	Header
	Formula Expr
	Fair    []*FairClause
	Chance  string // "probability one", "positive probability"; "": none
	If      Expr   // as in PropertyDecl
}

// FairClause: fair, strongly fair, fair of A, B, where the names denote equations, events and messages.
type FairClause struct {
	Strongly bool
	Names    []*Ident
}
