package syntax

// An Expr is an expression.
type Expr interface{ ExprPos() Pos }

type (
	// Ident is a name where only a name may stand (declarations, binders).
	Ident struct {
		Pos  Pos
		Name string
	}
	// Name is a name used as an expression.
	Name struct {
		Pos  Pos
		Name string
	}
	// Wildcard: _ (patterns only).
	Wildcard struct{ Pos Pos }
	// DecimalLit: 0.95. It stands only in probabilities and bounds.
	DecimalLit struct {
		Pos  Pos
		Text string
	}
	// IntLit: 42.
	IntLit struct {
		Pos   Pos
		Value int64
	}
	// BoolLit: true, false.
	BoolLit struct {
		Pos   Pos
		Value bool
	}
	// SetLit: {}, {a, b}.
	SetLit struct {
		Pos   Pos
		Elems []Expr
	}
	// RangeSet: {lo..hi}, the set of these integers.
	RangeSet struct {
		Pos    Pos
		Lo, Hi Expr
	}
	// UnaryExpr: not e, -e, and in ltl always e, eventually e, next e.
	UnaryExpr struct {
		Pos Pos
		Op  string
		X   Expr
	}
	// BinaryExpr: + - * / div mod ^ = != < <= > >= and or => in union minus. Pos is the operator's.
	// "/" stands only in probabilities; until, unless, releases and "leads to" only in ltl.
	BinaryExpr struct {
		Pos  Pos
		Op   string
		X, Y Expr
	}
	// CondExpr: if c then a else b.
	CondExpr struct {
		Pos        Pos
		Cond       Expr
		Then, Else Expr
	}
	// CallExpr: a built-in (min, max, abs, size, opposite, log2ceil, sqrtceil) or, in properties, a define or one of
	// the state functions: inbox(p, left) is the channel from which p receives with recv left,
	// neighbour(p, right) the process next to p, size(c) the number of messages of a channel.
	CallExpr struct {
		Pos  Pos
		Name string
		Args []Expr
	}
	// IndexExpr: a[i].
	IndexExpr struct {
		Pos      Pos
		X, Index Expr
	}
	// UpdateExpr: a with [i] = e.
	UpdateExpr struct {
		Pos             Pos
		X, Index, Value Expr
	}
	// FillExpr: all(e), the array whose elements are all e, or {i in DOMAIN: e}, the array whose element at each
	// index i is e.
	FillExpr struct {
		Pos    Pos
		Binder *Binder // nil: all(e)
		Value  Expr
	}

	// QuantExpr: forall|exists|count|sum x in DOMAIN: e. DOMAIN is node, lo..hi, or a channel
	// (inbox(p, left)), over whose messages x then ranges. Several binders may be written with commas:
	// forall p in node, d in 1..n: e (count counts the combinations; sum adds e up). With Op "set" it is
	// {x in DOMAIN where e}.
	QuantExpr struct {
		Pos     Pos
		Op      string
		Binders []*Binder
		Body    Expr
	}
	// The rest stands only in properties.

	// AtExpr: p at A2: the last action of p, or the call that followed it, put it into the text of A2.
	AtExpr struct {
		Pos      Pos
		X        Expr
		Equation *Ident
	}
	// CrashedExpr: p crashed.
	CrashedExpr struct {
		Pos Pos
		X   Expr
	}
	// IsExpr: m is M: the message m is of kind M.
	IsExpr struct {
		Pos     Pos
		X       Expr
		Message *Ident
	}
	// FieldExpr: p.id, the variable id of process p; m.hop, the field hop of message m. A comparison with a
	// variable that is not live, or a field that the message does not have, is false.
	FieldExpr struct {
		Pos  Pos
		X    Expr
		Name *Ident
	}
)

// Begin returns where an expression begins. That of an operator is not where its left operand is.
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
	Type Type // *NodeType, *DirType, *BoolType, *RangeType, *NamedType; nil: Over is set
	Over Expr // a channel or a set
}

func (e *Ident) ExprPos() Pos       { return e.Pos }
func (e *Name) ExprPos() Pos        { return e.Pos }
func (e *Wildcard) ExprPos() Pos    { return e.Pos }
func (e *DecimalLit) ExprPos() Pos  { return e.Pos }
func (e *IntLit) ExprPos() Pos      { return e.Pos }
func (e *BoolLit) ExprPos() Pos     { return e.Pos }
func (e *SetLit) ExprPos() Pos      { return e.Pos }
func (e *RangeSet) ExprPos() Pos    { return e.Pos }
func (e *UnaryExpr) ExprPos() Pos   { return e.Pos }
func (e *BinaryExpr) ExprPos() Pos  { return e.Pos }
func (e *CondExpr) ExprPos() Pos    { return e.Pos }
func (e *CallExpr) ExprPos() Pos    { return e.Pos }
func (e *IndexExpr) ExprPos() Pos   { return e.Pos }
func (e *UpdateExpr) ExprPos() Pos  { return e.Pos }
func (e *FillExpr) ExprPos() Pos    { return e.Pos }
func (e *QuantExpr) ExprPos() Pos   { return e.Pos }
func (e *AtExpr) ExprPos() Pos      { return e.Pos }
func (e *IsExpr) ExprPos() Pos      { return e.Pos }
func (e *CrashedExpr) ExprPos() Pos { return e.Pos }
func (e *FieldExpr) ExprPos() Pos   { return e.Pos }
