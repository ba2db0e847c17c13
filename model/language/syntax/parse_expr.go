package syntax

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The levels of precedence, from the loosest to the tightest.
const (
	implyLevel = iota + 1
	orLevel
	andLevel
	untilLevel
	notLevel
	compareLevel
	updateLevel
	sumLevel
	productLevel
	negateLevel
	powerLevel
	postfixLevel
)

// levels holds the binary operators except "at" and "is".
var levels = map[string]int{
	"=>": implyLevel, "leads to": implyLevel,
	"or": orLevel, "and": andLevel,
	"until": untilLevel, "unless": untilLevel, "releases": untilLevel,
	"=": compareLevel, "!=": compareLevel, "<": compareLevel, "<=": compareLevel, ">": compareLevel,
	">=": compareLevel, "in": compareLevel,
	"+": sumLevel, "-": sumLevel, "union": sumLevel, "minus": sumLevel,
	"*": productLevel, "/": productLevel, "div": productLevel, "mod": productLevel,
	"^": powerLevel,
}

// operator returns the next token if it is a binary operator of the given level, otherwise "".
func (p *parser) operator(level int) string {
	if t := p.peek(); (t.kind == keyword || t.kind == punctuation) && levels[t.Text] == level {
		return t.Text
	}
	return ""
}

// exprAfter reads s and an expression.
func (p *parser) exprAfter(s string) Expr {
	p.expect(s)
	return p.expr()
}

// exprBefore reads an expression and s.
func (p *parser) exprBefore(s string) Expr {
	e := p.expr()
	p.expect(s)
	return e
}

// optional reads word and an expression; it returns nil if word does not follow.
func (p *parser) optional(word string) Expr {
	if p.accept(word) {
		return p.expr()
	}
	return nil
}

func (p *parser) expr() Expr {
	defer p.leave(p.enter())
	x := p.chain(orLevel, func() Expr { return p.chain(andLevel, p.until) })
	if t := p.peek(); p.accept("=>") || p.temporal && p.accept("->") {
		return &BinaryExpr{ExprNode{t.Pos}, "=>", x, p.expr()}
	}
	return p.leadsTo(x)
}

// chain reads operands that are joined by left-associative operators of one level.
func (p *parser) chain(level int, operand func() Expr) Expr {
	defer p.leave(p.depth)
	x := operand()
	for op := p.operator(level); op != ""; op = p.operator(level) {
		p.enter()
		x = &BinaryExpr{ExprNode{p.take().Pos}, op, x, operand()}
	}
	return x
}

func (p *parser) negation() Expr {
	op := p.temporalOperator("always", "eventually", "next")
	if p.is("not") {
		op = "not"
	}
	if op == "" {
		return p.comparison()
	}
	defer p.leave(p.enter())
	return &UnaryExpr{ExprNode{p.take().Pos}, op, p.negation()}
}

func (p *parser) comparison() Expr {
	x := p.update()
	t := p.peek()
	switch {
	case p.operator(compareLevel) != "":
		p.next++
		x = &BinaryExpr{ExprNode{t.Pos}, t.Text, x, p.update()}
	case p.accept("at"):
		x = &AtExpr{ExprNode: ExprNode{t.Pos}, X: x, Equation: p.name("the name of an equation")}
	case p.is("bound") && p.peekAt(1).is("for"):
		p.next += 2
		x = &AtExpr{ExprNode{t.Pos}, x, true, p.name("the name of an equation")}
	case p.is("crashed") && !p.peek().First:
		p.next++
		x = &CrashedExpr{ExprNode{t.Pos}, x}
	case p.temporal && p.is("happens"):
		n, ok := x.(*Name)
		if !ok {
			p.fail(x.ExprPos(), "", `"happens" requires the name of an event`)
		}
		p.next++
		h := &HappensExpr{ExprNode: n.ExprNode, Event: &Ident{ExprNode: n.ExprNode, Name: n.Name}}
		if p.accept("at") {
			h.At = p.update()
		}
		return h
	case p.accept("is"):
		x = &IsExpr{ExprNode{t.Pos}, x, p.name("the name of a message")}
	default:
		return x
	}
	if p.operator(compareLevel) != "" || p.is("at") || p.is("is") {
		p.fail(p.peek().Pos, p.chainHint(x), "comparisons cannot be chained")
	}
	return x
}

// chainHint returns a hint for a second comparison of x. The body of a count extends as far as possible, which few
// expect.
func (p *parser) chainHint(x Expr) string {
	const join, enclose = `join them with "and"`, "put the %s in parentheses: (%[1]s …) %s …"
	if p.adding == "" {
		return join
	}
	hint := fmt.Sprintf(enclose, p.adding, p.peek().Text)
	if _, compared := x.(*BinaryExpr); compared { // the author may have meant two comparisons
		hint = join + ", or " + hint
	}
	return hint
}

// update reads a with [i] = e.
func (p *parser) update() Expr {
	defer p.leave(p.depth)
	x := p.sum()
	for p.is("with") {
		p.enter()
		u := &UpdateExpr{ExprNode: ExprNode{p.take().Pos}, X: x, Index: p.exprAfter("[")}
		p.expect("]")
		p.expect("=")
		u.Value = p.sum()
		x = u
	}
	return x
}

func (p *parser) sum() Expr     { return p.chain(sumLevel, p.product) }
func (p *parser) product() Expr { return p.chain(productLevel, p.minus) }

func (p *parser) minus() Expr {
	if !p.is("-") {
		return p.power()
	}
	defer p.leave(p.enter())
	return &UnaryExpr{ExprNode{p.take().Pos}, "-", p.minus()}
}

func (p *parser) power() Expr {
	x := p.postfix()
	if t := p.peek(); p.accept("^") {
		defer p.leave(p.enter())
		return &BinaryExpr{ExprNode{t.Pos}, "^", x, p.minus()}
	}
	return x
}

// postfix reads an operand with indices and fields.
func (p *parser) postfix() Expr {
	defer p.leave(p.depth)
	x := p.operand()
	for {
		at := ExprNode{p.peek().Pos}
		switch {
		case p.accept("["):
			x = &IndexExpr{at, x, p.exprBefore("]")}
		case p.accept("."):
			x = &FieldExpr{ExprNode: at, X: x, Name: p.name("the name of a variable or field")}
		default:
			return x
		}
		p.enter()
	}
}

func (p *parser) operand() Expr {
	t := p.peek()
	at := ExprNode{t.Pos}
	switch {
	case t.kind == integer:
		return p.integer()
	case t.kind == decimal:
		return &DecimalLit{ExprNode{p.take().Pos}, t.Text}
	case p.temporal && t.is("terminal"):
		return &EndExpr{ExprNode{p.take().Pos}}
	case t.kind == name:
		return p.nameOrCall()
	case p.accept("channel"):
		return &Name{ExprNode: at, Name: t.Text}
	case p.accept("true"), p.accept("false"):
		return &BoolLit{at, t.Text == "true"}
	case p.accept("("):
		e := p.expr()
		p.need(")", `an operator or ")"`, "")
		return e
	case t.is("{"):
		return p.braces()
	case p.accept("if"):
		return &CondExpr{at, p.exprBefore("then"), p.exprBefore("else"), p.expr()}
	case p.accept("all"):
		p.expect("(")
		return &FillExpr{at, nil, p.exprBefore(")")}
	case p.accept("forall"), p.accept("exists"), p.accept("count"), p.accept("sum"):
		return p.quantifier(t)
	case t.is("_"):
		p.fail(t.Pos, "", `"_" may stand only for a whole field of a received message`)
	}
	hint := ""
	switch {
	case p.is("not"):
		hint = `"not" binds weaker than the operator before it: write (not …)`
	case p.temporal && p.is("["):
		hint = `the operators are words: write "always"`
	case p.is("node"):
		hint = aSetOfNodes
	}
	p.unexpected("an expression", hint)
	return nil
}

func (p *parser) integer() Expr {
	t := p.take()
	v, err := strconv.ParseInt(t.Text, 10, 64)
	if err != nil {
		p.errors.Add(t.Pos, "the number %s is too large", abbreviate(t.Text))
	}
	return &IntLit{ExprNode{t.Pos}, v}
}

// abbreviate shortens long text in an error message.
func abbreviate(s string) string {
	if len(s) > 24 {
		return strings.ToValidUTF8(s[:20], "") + "…"
	}
	return s
}

func (p *parser) nameOrCall() Expr {
	id := p.name("a name")
	if p.is("(") {
		return &CallExpr{ExprNode: id.ExprNode, Name: id.Name, Args: p.args()}
	}
	return &Name{ExprNode: id.ExprNode, Name: id.Name}
}

func (p *parser) quantifier(t Token) Expr {
	q := &QuantExpr{ExprNode: ExprNode{t.Pos}, Op: t.Text, Binders: series(p, ",", p.binder)}
	outer := p.adding
	p.adding = ""
	expected := `"," or ":"`
	if q.Where = p.optional("where"); q.Where != nil {
		expected = `":"`
	}
	p.need(":", expected, "")
	if q.Op == "count" || q.Op == "sum" {
		p.adding = q.Op
	}
	q.Body = p.expr()
	p.adding = outer
	return q
}

// braces reads {lo..hi}, {a, b}, {x in DOMAIN where c} or {i in DOMAIN: e}.
func (p *parser) braces() Expr {
	rule, at := p.ruleFollows(), ExprNode{p.peek().Pos}
	switch rule {
	case "where":
		p.next++
		q := &QuantExpr{ExprNode: at, Op: "set", Binders: []*Binder{p.binder()}, Body: p.exprAfter("where")}
		p.expect("}")
		return q
	case ":":
		p.next++
		f := &FillExpr{at, p.binder(), p.exprAfter(":")}
		p.expect("}")
		return f
	}
	if p.next++; p.accept("}") {
		return &SetLit{ExprNode: at}
	}
	first := p.expr()
	if p.accept("..") {
		r := &RangeSet{at, first, p.sum()}
		p.expect("}")
		return r
	}
	s := &SetLit{ExprNode: at, Elems: []Expr{first}}
	for p.accept(",") && !p.is("}") {
		s.Elems = append(s.Elems, p.expr())
	}
	p.need("}", `"," or "}"`, "")
	return s
}

// ruleFollows returns the first of "where", ":" and "," on the same level after "{x in", or "". It distinguishes {x in
// D where c} and {x in D: e} from sets of booleans such as {x in s} and {x in s, y in s}.
func (p *parser) ruleFollows() string {
	if p.peekAt(1).kind != name || !p.peekAt(2).is("in") {
		return ""
	}
	return p.withinNext(0, "where", ":", ",")
}

// withinNext returns the first of some tokens within the braces that open i tokens after the next one, outside of inner
// brackets, or "".
func (p *parser) withinNext(i int, tokens ...string) string {
	for level := 0; ; i++ {
		t := p.peekAt(i)
		if level += t.nesting(); level == 0 || t.kind == endOfFile {
			return ""
		}
		if j := slices.IndexFunc(tokens, t.is); level == 1 && j >= 0 {
			return tokens[j]
		}
	}
}

// aSetOfNodes is a hint about node where a set is expected.
const aSetOfNodes = "the set of the nodes other than p is {q in node where q != p}"

// binder reads x in DOMAIN.
func (p *parser) binder() *Binder {
	b := &Binder{Name: p.name("a name to be bound")}
	p.expect("in")
	if p.is("node") || p.is("dir") || p.is("bool") {
		b.Type = p.typ()
		if t := p.peek(); t.is("minus") || t.is("union") {
			p.fail(t.Pos, aSetOfNodes, "%s needs sets, and %s is a type", t, p.tokens[p.next-1])
		}
		return b
	}
	x := p.sum()
	n, isName := x.(*Name)
	switch {
	case p.is(".."):
		b.Type = p.rangeFrom(x)
	case isName:
		b.Type = &NamedType{TypeNode: TypeNode{n.Pos}, Name: n.Name}
	default:
		b.Over = x
	}
	return b
}

// formula reads an expression that may have temporal operators.
func (p *parser) formula() Expr {
	p.temporal = true
	defer func() { p.temporal = false }()
	return p.expr()
}

// temporalWords are the temporal operators, with their abbreviations. They are not reserved: elsewhere they are names.
var temporalWords = map[string]string{
	"always": "always", "G": "always",
	"eventually": "eventually", "F": "eventually",
	"next": "next", "X": "next",
	"until": "until", "U": "until",
	"unless": "unless", "W": "unless",
	"releases": "releases", "R": "releases",
	"leads": "leads to",
}

// temporalOperator returns the next token if it is one of the given temporal operators, otherwise "".
func (p *parser) temporalOperator(sort ...string) string {
	t := p.peek()
	if op := temporalWords[t.Text]; p.temporal && t.kind == name && slices.Contains(sort, op) {
		return op
	}
	return ""
}

// leadsTo reads P leads to Q, which binds as loosely as an implication.
func (p *parser) leadsTo(x Expr) Expr {
	t := p.peek()
	if p.temporal && (t.is("leadsto") || t.is("leads_to")) {
		p.fail(t.Pos, `write "leads to"`, "expected an operator, found %s", t)
	}
	if p.temporalOperator("leads to") == "" {
		return x
	}
	p.next++
	p.expect("to")
	return &BinaryExpr{ExprNode{t.Pos}, "leads to", x, p.expr()}
}

// until reads operands that are joined by until, unless or releases, which are right-associative.
func (p *parser) until() Expr {
	x := p.negation()
	t := p.peek()
	if op := p.temporalOperator("until", "unless", "releases"); op != "" {
		defer p.leave(p.enter())
		p.next++
		return &BinaryExpr{ExprNode{t.Pos}, op, x, p.until()}
	}
	return x
}
