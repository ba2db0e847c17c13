package syntax

// A node of the tree embeds one of these, which makes it a Type, a Term, an Action or an Expr.
type (
	TypeNode   struct{ Pos Pos }
	TermNode   struct{ Pos Pos }
	ActionNode struct{ Pos Pos }
	ExprNode   struct{ Pos Pos }
)

func (n *TypeNode) TypePos() Pos     { return n.Pos }
func (n *TermNode) TermPos() Pos     { return n.Pos }
func (n *ActionNode) ActionPos() Pos { return n.Pos }
func (n *ExprNode) ExprPos() Pos     { return n.Pos }

// A Binding is the declaration that a name denotes. Package check stores it in the node with the name. A parsed tree
// has no bindings.
type Binding any

// A Type as it is written.
type Type interface{ TypePos() Pos }

type (
	// WordType: bool; nat, the integers from 0 on (a value above the growth bound stops the run); node, the process
	// numbers 0..n-1; dir, the directions left and right of a ring, and in a grid also up and down.
	WordType struct {
		TypeNode
		Word string
	}
	// RangeType: lo..hi.
	RangeType struct {
		TypeNode
		Lo, Hi Expr
	}
	// EnumType: a | b | c.
	EnumType struct {
		TypeNode
		Names []*Ident
	}
	// NamedType: a name declared by a TypeDecl.
	NamedType struct {
		TypeNode
		Name    string
		Binding Binding
	}
	// SetType: set of T. If T has more than 63 values, the system can only be simulated.
	SetType struct {
		TypeNode
		Elem Type
	}
	// ArrayType: array I of T, where I is a range of integers; the array must fit in 63 bits.
	ArrayType struct {
		TypeNode
		Index, Elem Type
	}
)

// A Term is the body of a process: what it can do from here on.
type Term interface{ TermPos() Pos }

type (
	// BadTerm is a term that could not be parsed.
	BadTerm struct{ TermNode }
	// Stop: stop. The process does nothing more.
	Stop struct{ TermNode }
	// CrashTerm: crash, the last action of a process unless it recovers.
	CrashTerm struct{ TermNode }
	// CallTerm: A2(id, bit). With no arguments the parentheses are left out.
	CallTerm struct {
		TermNode
		Name    string
		Args    []Expr
		Binding Binding
	}
	// PrefixTerm: ACTION; NEXT. It is the only term that takes a step. (NAME; NEXT is an event or skip,
	// NAME at the end of a sequence is a call.)
	PrefixTerm struct {
		TermNode
		Action Action
		Next   Term
	}
	// DrawTerm: draw x; T (uniform over the type of x), draw x in SET-OR-RANGE; T, draw x with 1/3; T (x is bool), draw
	// x in {1: 1/2, 2: 1/2}; T. A set may be subsets(D, k). With Choose it is choose x …, a nondeterministic choice
	// without weights. The draw is part of the action that follows.
	DrawTerm struct {
		TermNode
		Choose  bool
		Name    *Ident
		From    Type      // nil, or a *RangeType
		Among   Expr      // nil, or an expression of a set type
		Weights []*Weight // nil, or explicit probabilities
		With    Expr      // nil, or the probability of true, a rational constant
		Next    Term
	}
	// LetTerm: let x = e; T. It is part of the action that follows.
	LetTerm struct {
		TermNode
		Name  *Ident
		Value Expr
		Next  Term
	}
	// IfTerm: if c then T else T. The branches are sequences; a choice needs parentheses.
	IfTerm struct {
		TermNode
		Cond       Expr
		Then, Else Term
	}
	// WhenTerm: when c: T, an alternative that exists only if c holds. T is a sequence.
	WhenTerm struct {
		TermNode
		Cond Expr
		Then Term
	}
	// ForTerm: for q in node where q != me: send q M; T executes the body for each value of the domain, in ascending
	// order, and continues with T. The body is an action, or a choice in parentheses whose sequences end in a LoopEnd.
	ForTerm struct {
		TermNode
		Binder *Binder
		Where  Expr // nil: always
		Body   Term
		Next   Term
	}
	// LoopEnd is the end of the body of a ForTerm; it has no text.
	LoopEnd struct{ TermNode }
	// IgnoreTerm: ignore M, N has an alternative for each of the messages: the process receives it, from any source,
	// and stays at its control point.
	IgnoreTerm struct {
		TermNode
		Messages []*Ident
	}
	// ChoiceTerm: T | T | …, at least two.
	ChoiceTerm struct {
		TermNode
		Terms []Term
	}
)

// A Weight is one entry of an explicit distribution: value: probability.
type Weight struct {
	Value, Probability Expr
}

// An Action is one step of a process.
type Action interface{ ActionPos() Pos }

type (
	// Send: send TARGET M(args). TARGET is an expression of type dir (ring) or node (complete graph):
	// a name, a call such as opposite(d), or an expression in parentheses.
	Send struct {
		ActionNode
		Target  Expr
		Message *Ident
		Args    []Expr
	}
	// Receive: recv SOURCE M(patterns) where COND then x := e, …. As SOURCE or pattern, an unbound variable is bound, _
	// matches anything, and any other expression must equal the value. COND may use the variables that are bound. recv
	// SOURCE _ takes any message. Then sets registers, ghosts and timers in the same step, one after the other.
	Receive struct {
		ActionNode
		Source   Expr   // *Wildcard, *Name or another expression
		Message  *Ident // nil: any
		Patterns []Expr
		Where    Expr // nil: always
		Then     []*Assign
	}
	// EventAction: leader, elected(id). A visible action.
	EventAction struct {
		ActionNode
		Name    string
		Args    []Expr
		Binding Binding
	}
	// Assign: x := e, an internal step that sets a register, a ghost or a timer.
	Assign struct {
		ActionNode
		Name  *Ident
		Value Expr
	}
	// Skip: skip, an internal step.
	Skip struct{ ActionNode }
)

// An Expr is an expression.
type Expr interface{ ExprPos() Pos }

type (
	// Ident is a name where the grammar permits nothing else, as in declarations and binders.
	Ident struct {
		ExprNode
		Name    string
		Binding Binding
	}
	// Name is a name used as an expression.
	Name struct {
		ExprNode
		Name    string
		Binding Binding
		Binds   bool // a pattern that binds the variable; package check sets it
	}
	// BadExpr is an expression that could not be parsed.
	BadExpr struct{ ExprNode }
	// Wildcard: _ (patterns only).
	Wildcard struct{ ExprNode }
	// DecimalLit: 0.95. It occurs only in probabilities and bounds.
	DecimalLit struct {
		ExprNode
		Text string
	}
	// IntLit: 42.
	IntLit struct {
		ExprNode
		Value int64
	}
	// BoolLit: true, false.
	BoolLit struct {
		ExprNode
		Value bool
	}
	// SetLit: {}, {a, b}.
	SetLit struct {
		ExprNode
		Elems []Expr
		Shape any // its type without ranges; package check sets it
	}
	// RangeSet: {lo..hi}, the set of these integers.
	RangeSet struct {
		ExprNode
		Lo, Hi Expr
	}
	// UnaryExpr: not e, -e, and in ltl always e, eventually e, next e.
	UnaryExpr struct {
		ExprNode
		Op string
		X  Expr
	}
	// BinaryExpr: + - * / div mod ^ = != < <= > >= and or => in union minus. Pos is the operator's.
	// "/" stands only in probabilities; until, unless, releases and "leads to" only in ltl.
	BinaryExpr struct {
		ExprNode
		Op   string
		X, Y Expr
	}
	// CondExpr: if c then a else b.
	CondExpr struct {
		ExprNode
		Cond       Expr
		Then, Else Expr
	}
	// CallExpr: a built-in (min, max, abs, size, opposite, log2ceil, sqrtceil) or, in properties, a define or one of
	// the state functions: inbox(p, left) is the channel from which p receives with recv left,
	// neighbour(p, right) the process next to p, size(c) the number of messages of a channel.
	CallExpr struct {
		ExprNode
		Name    string
		Args    []Expr
		Binding Binding // of a define
	}
	// IndexExpr: a[i].
	IndexExpr struct {
		ExprNode
		X, Index Expr
	}
	// UpdateExpr: a with [i] = e.
	UpdateExpr struct {
		ExprNode
		X, Index, Value Expr
	}
	// FillExpr: all(e), the array whose elements are all e, or {i in DOMAIN: e}, the array whose element at each
	// index i is e.
	FillExpr struct {
		ExprNode
		Binder *Binder // nil: all(e)
		Value  Expr
	}

	// QuantExpr: forall|exists|count|sum x in DOMAIN where c: e. DOMAIN is node, lo..hi, or a channel (inbox(p, left)),
	// over whose messages x then ranges. Several binders may be written with commas: forall p in node, d in 1..n: e
	// (count counts the combinations; sum adds e up). Combinations for which Where is false are left out. With Op "set"
	// it is {x in DOMAIN where e}.
	QuantExpr struct {
		ExprNode
		Op      string
		Binders []*Binder
		Where   Expr // nil: always
		Body    Expr
	}
	// The following expressions occur only in properties.

	// AtExpr: p at A2: the control point of p is in the text of A2. With Bound it is p bound for A2: it is, or the
	// decisions of p alone lead there.
	AtExpr struct {
		ExprNode
		X        Expr
		Bound    bool
		Equation *Ident
	}
	// CrashedExpr: p crashed.
	CrashedExpr struct {
		ExprNode
		X Expr
	}
	// IsExpr: m is M: the message m is of kind M.
	IsExpr struct {
		ExprNode
		X       Expr
		Message *Ident
	}
	// FieldExpr: p.id, the variable id of process p; m.hop, the field hop of message m. A comparison with a
	// variable that is not live, or a field that the message does not have, is false.
	FieldExpr struct {
		ExprNode
		X    Expr
		Name *Ident
		Of   Binding // the kind that the message is known to be; nil if it is unknown
	}
	// HappensExpr: leader happens, leader happens at p: the next step is that event, of process p.
	HappensExpr struct {
		ExprNode
		Event *Ident
		At    Expr // nil: any process
	}
	// EndExpr: terminal: the state has no transitions.
	EndExpr struct{ ExprNode }
)

// Parts returns the condition of a quantifier, if it has one, and its body.
func (e *QuantExpr) Parts() []Expr {
	if e.Where == nil {
		return []Expr{e.Body}
	}
	return []Expr{e.Where, e.Body}
}

// Begin returns the position at which the text of an expression begins. ExprPos of a binary or postfix expression is
// the position of its operator.
func Begin(e Expr) Pos {
	switch x := e.(type) {
	case *BinaryExpr:
		return Begin(x.X)
	case *IndexExpr:
		return Begin(x.X)
	case *UpdateExpr:
		return Begin(x.X)
	case *AtExpr:
		return Begin(x.X)
	case *CrashedExpr:
		return Begin(x.X)
	case *IsExpr:
		return Begin(x.X)
	case *FieldExpr:
		return Begin(x.X)
	}
	return e.ExprPos()
}

// A Binder of a quantifier or a loop: x in lo..hi, p in node, m in inbox(p, left), q in p.s.
type Binder struct {
	Name *Ident
	Type Type // *WordType but nat, *RangeType, *NamedType; nil: Over is set
	Over Expr // a channel or a set
}
