package syntax

// A Pos is a place in a spec. Line and Column count from 1; Column counts runes.
type Pos struct {
	File   string
	Line   int
	Column int
}

// A File is one parsed spec.
type File struct {
	Pos      Pos
	Name     string
	Doc      string
	Source   string // the paper and section, from the source clause; may be empty
	Topology *TopologyDecl
	Channel  *ChannelDecl // nil: the protocol has no channels
	Crash    *CrashDecl   // nil: no process crashes
	Goals    []Expr       // that are asked for, see ParseGoal; they are not in the text
	Order    []Decl       // all declarations in the order of the text
	Spaced   []bool       // by declaration: whether an empty line stands before it and its comments
	Comments []*Comment
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

// A Comment is a run of // lines, kept for the printer. One that stands inside a declaration belongs in
// front of it.
type Comment struct {
	Pos    Pos
	Lines  []string // without the slashes and the space after them
	Before Decl     // what it stands in front of: a declaration, or the *File for its first clause
	Beside Decl     // what it stands behind, on the same line; with neither it ends the file
	Apart  bool     // an empty line follows, so that it speaks of more than what comes next
}

// A Decl is one top-level declaration.
type Decl interface {
	text() string // text returns it as Print writes it
}

// ParamDecl: param n: 2..16 = 2 "ring size".
type ParamDecl struct {
	Pos     Pos
	Name    string
	Range   *RangeType
	Default Expr // nil: the parameter must be given
	Doc     string
}

// OptionDecl: option order: any | left = any "…", option bits: bool = true, option modulus: 1..16 = 2.
// Type is a *BoolType, an *EnumType or a *RangeType.
type OptionDecl struct {
	Pos     Pos
	Name    string
	Type    Type
	Default Expr
	Doc     string
}

// ConstDecl: const m = 2 * n.
type ConstDecl struct {
	Pos   Pos
	Name  string
	Value Expr
}

// TypeDecl: type Verdict = yes | no, type Id = 1..k.
type TypeDecl struct {
	Pos  Pos
	Name string
	Type Type
}

// TopologyDecl: topology directed ring of n | undirected ring of n | line of n | complete graph of n | star of n |
// binary tree of n | grid of w by h | torus of w by h | bipartite graph of a by b | graph of n with p -> q if EXPR.
type TopologyDecl struct {
	Pos       Pos
	Anonymous bool // topology anonymous grid of w by h: processes do not know one another by number
	Kind      string
	Size      Expr
	By        Expr   // the second size; nil if the kind has one
	From, To  *Ident // of a graph by a rule; nil else
	If        Expr   // there is an edge from From to To
}

// ChannelDecl: channel unordered | fifo = unordered "…". With one kind it fixes the kind, with two it is
// also the option --channel, and the name channel may be compared with the kinds in expressions.
type ChannelDecl struct {
	Pos     Pos
	Kinds   []*Ident // "unordered", "fifo"
	Default *Ident   // nil when there is one kind
	Clauses []*ChannelClause
	Doc     string
}

// A ChannelClause is ", lossy at most 2", ", duplicating", ", delay 1..3" or ", racing if c" behind the kind of
// channel.
type ChannelClause struct {
	Pos   Pos
	Word  string // "lossy", "duplicating", "delay", "racing"
	Most  Expr   // of lossy and duplicating: nil for any number
	Delay *RangeType
	If    Expr // of racing: nil for always
}

// CrashDecl: crash at most f of p where p != 0 recover Restart(p).
type CrashDecl struct {
	Pos     Pos
	Most    Expr
	Name    *Ident    // the number of a process, in what follows; may be nil
	Where   Expr      // nil: all processes can crash
	Recover *CallTerm // with what a process begins again; nil: never
}

// VarDecl: var id, i: 1..k | var bit: bool if bits | register x: 0..k - 1 = 0 | ghost asked: bool = false | timer t:
// 0..9.
type VarDecl struct {
	Pos   Pos
	Kind  string // "var", "register", "ghost", "timer"
	Names []*Ident
	Type  Type
	Init  Expr // nil: every value of a register, 0 of a timer
	If    Expr // nil: always; else where it is false the variables hold nothing
}

// MessageDecl: message M(id: 1..k, hop: 1..n, bit: bool if bits).
type MessageDecl struct{ Signature }

// EventDecl: event leader    event elected(id: 1..k). Events are the visible actions.
type EventDecl struct{ Signature }

// A Signature declares a message or an event.
type Signature struct {
	Pos    Pos
	Name   string
	Fields []*Field
	Doc    string
	Joined bool // written behind the one before: message A, B
}

// signed is a declaration that has a Signature.
type signed interface{ signature() *Signature }

func (s *Signature) signature() *Signature { return s }

// A Field of a message or an event.
type Field struct {
	Pos  Pos
	Name string
	Type Type
	If   Expr // as in VarDecl
}

// AssignDecl: assign uid: permutation of 1..n (every process gets another value: one initial state for each
// permutation), assign x: 1..k (every process gets any value). uid[p] is the value of process p.
type AssignDecl struct {
	Pos         Pos
	Name        string
	Permutation bool
	Type        Type
	If          Expr // nil: always; else where it is false there is nothing to assign, and uid[p] must not be used
}

// InitiallyDecl: initially Token, Fork(1) in inbox(p, left) for p in node where p > 0: a channel holds messages to
// begin with, in their order.
type InitiallyDecl struct {
	Pos      Pos
	Messages []*Content
	Process  Expr
	Source   Expr // as in recv
	Binders  []*Binder
	Where    Expr // nil: always
	If       Expr // as in PropertyDecl
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
	Pos   Pos
	Name  string
	Index *Ident     // nil: one process; else it is bound to the numbers in Range
	Range *RangeType // nil without an Index
	Body  Term
}

// EquationDecl: A2(id, bit) = TERM. Parameters name declared variables. One that is kept, Leader(keep id), is part of
// the state wherever the process is in the text of the equation.
type EquationDecl struct {
	Pos    Pos
	Name   string
	Params []*Ident
	Kept   []bool // by parameter
	Body   Term
}

// DefineDecl: define active(p) = p at A1 or p at A2. Only properties use it.
type DefineDecl struct {
	Pos    Pos
	Name   string
	Params []*Field // p: node, i: 1..n; a parameter without a type is a node
	Body   Expr
}

// PropertyDecl: invariant|terminal|reachable|recoverable NAME "doc" = EXPR if EXPR.
type PropertyDecl struct {
	Pos  Pos
	Kind string // "invariant", "terminal", "reachable", "recoverable", or "inevitable", the old name of that
	Name string
	Doc  string
	Body Expr
	If   Expr // nil: always; else where it is false the spec does not have the property
}

// A Type as it is written.
type Type interface{ TypePos() Pos }

type (
	// BoolType: bool.
	BoolType struct{ Pos Pos }
	// NatType: nat, the integers from 0 on; a value above the growth bound stops the run.
	NatType struct{ Pos Pos }
	// NodeType: node, the process numbers 0..n-1.
	NodeType struct{ Pos Pos }
	// DirType: dir, the directions left and right of a ring, and in a grid also up and down.
	DirType struct{ Pos Pos }
	// RangeType: lo..hi.
	RangeType struct {
		Pos    Pos
		Lo, Hi Expr
	}
	// EnumType: a | b | c.
	EnumType struct {
		Pos   Pos
		Names []*Ident
	}
	// NamedType: a name declared by a TypeDecl.
	NamedType struct {
		Pos  Pos
		Name string
	}
	// SetType: set of T, for a T with at most 63 values.
	SetType struct {
		Pos  Pos
		Elem Type
	}
	// ArrayType: array I of T, for an I of integers, and arrays that fit in 63 bits.
	ArrayType struct {
		Pos         Pos
		Index, Elem Type
	}
)

func (t *BoolType) TypePos() Pos  { return t.Pos }
func (t *NatType) TypePos() Pos   { return t.Pos }
func (t *NodeType) TypePos() Pos  { return t.Pos }
func (t *DirType) TypePos() Pos   { return t.Pos }
func (t *RangeType) TypePos() Pos { return t.Pos }
func (t *EnumType) TypePos() Pos  { return t.Pos }
func (t *NamedType) TypePos() Pos { return t.Pos }
func (t *SetType) TypePos() Pos   { return t.Pos }
func (t *ArrayType) TypePos() Pos { return t.Pos }

// A Term is the body of a process: what it can do from here on.
type Term interface{ TermPos() Pos }

type (
	// Stop does nothing more.
	Stop struct{ Pos Pos }
	// CrashTerm: crash, the last action of a process, until it begins again.
	CrashTerm struct{ Pos Pos }
	// CallTerm: A2(id, bit). With no arguments the parentheses are left out.
	CallTerm struct {
		Pos  Pos
		Name string
		Args []Expr
	}
	// PrefixTerm: ACTION; NEXT. It is the only term that takes a step. (NAME; NEXT is an event or skip,
	// NAME at the end of a sequence is a call.)
	PrefixTerm struct {
		Pos    Pos
		Action Action
		Next   Term
	}
	// DrawTerm: draw x; T (uniform over the type of x), draw x in SET-OR-RANGE; T, draw x with 1/3; T (x is bool),
	// draw x in {1: 1/2, 2: 1/2}; T. A set may be subsets(D, k) or permutations(D). With Choose it is choose x …:
	// nondeterminism instead of probability (no weights then). The draw is part of the action that follows.
	DrawTerm struct {
		Pos     Pos
		Choose  bool
		Name    *Ident
		From    Type      // nil, or a *RangeType
		Among   Expr      // nil, or an expression of a set type
		Weights []*Weight // nil, or explicit probabilities
		With    Expr      // nil, or the probability of true (a constant rational)
		Next    Term
	}
	// LetTerm: let x = e; T. It is part of the action that follows.
	LetTerm struct {
		Pos   Pos
		Name  *Ident
		Value Expr
		Next  Term
	}
	// IfTerm: if c then T else T. The branches are sequences; a choice needs parentheses.
	IfTerm struct {
		Pos        Pos
		Cond       Expr
		Then, Else Term
	}
	// WhenTerm: when c: T, a summand that is there only if c holds. T is a sequence.
	WhenTerm struct {
		Pos  Pos
		Cond Expr
		Then Term
	}
	// ForTerm: for q in node where q != me: send q M; T does the body for each value of the domain, in ascending
	// order, and goes on with T. The body is an action, or a choice in parentheses whose sequences end in a LoopEnd.
	ForTerm struct {
		Pos    Pos
		Binder *Binder
		Where  Expr // nil: always
		Body   Term
		Next   Term
	}
	// LoopEnd is the end of the body of a ForTerm; nothing is written there.
	LoopEnd struct{ Pos Pos }
	// IgnoreTerm: ignore M, N is an alternative for each of the messages, from wherever it comes: it is received, and
	// the process stays where it is.
	IgnoreTerm struct {
		Pos      Pos
		Messages []*Ident
	}
	// ChoiceTerm: T | T | …, at least two.
	ChoiceTerm struct {
		Pos   Pos
		Terms []Term
	}
)

func (t *Stop) TermPos() Pos       { return t.Pos }
func (t *CrashTerm) TermPos() Pos  { return t.Pos }
func (t *CallTerm) TermPos() Pos   { return t.Pos }
func (t *PrefixTerm) TermPos() Pos { return t.Pos }
func (t *DrawTerm) TermPos() Pos   { return t.Pos }
func (t *LetTerm) TermPos() Pos    { return t.Pos }
func (t *IfTerm) TermPos() Pos     { return t.Pos }
func (t *WhenTerm) TermPos() Pos   { return t.Pos }
func (t *ForTerm) TermPos() Pos    { return t.Pos }
func (t *LoopEnd) TermPos() Pos    { return t.Pos }
func (t *IgnoreTerm) TermPos() Pos { return t.Pos }
func (t *ChoiceTerm) TermPos() Pos { return t.Pos }

// A Weight is one entry of an explicit distribution: value: probability.
type Weight struct {
	Value, Probability Expr
}

// An Action is what a process does in one step.
type Action interface{ ActionPos() Pos }

type (
	// Send: send TARGET M(args). TARGET is an expression of type dir (ring) or node (complete graph):
	// a name, a call such as opposite(d), or an expression in parentheses.
	Send struct {
		Pos     Pos
		Target  Expr
		Message *Ident
		Args    []Expr
	}
	// Receive: recv SOURCE M(patterns) where COND then x := e, …. A fresh variable as SOURCE or pattern binds, a bound
	// name or any other expression must be equal, _ matches anything. COND sees what the pattern binds.
	// recv SOURCE _ takes any message. Then sets registers, ghosts and timers in the same step, one after the other.
	Receive struct {
		Pos      Pos
		Source   Expr   // *Wildcard, *Name or another expression
		Message  *Ident // nil: any
		Patterns []Expr
		Where    Expr // nil: always
		Then     []*Assign
	}
	// EventAction: leader, elected(id). A visible action.
	EventAction struct {
		Pos  Pos
		Name string
		Args []Expr
	}
	// Assign: x := e, an internal step that sets a register, a ghost or a timer.
	Assign struct {
		Pos   Pos
		Name  *Ident
		Value Expr
	}
	// Skip: skip, an internal step.
	Skip struct{ Pos Pos }
)

func (a *Send) ActionPos() Pos        { return a.Pos }
func (a *Receive) ActionPos() Pos     { return a.Pos }
func (a *EventAction) ActionPos() Pos { return a.Pos }
func (a *Assign) ActionPos() Pos      { return a.Pos }
func (a *Skip) ActionPos() Pos        { return a.Pos }
