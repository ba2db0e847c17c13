package syntax

import (
	"fmt"
	"slices"
	"strconv"
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

// levels holds the binary operators but for "at" and "is".
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

// operator returns the binary operator that comes next, "" if there is none of the given level.
func (p *parser) operator(level int) string {
	if t := p.peek(); (t.kind == keyword || t.kind == punctuation) && levels[t.str] == level {
		return t.str
	}
	return ""
}

// expr reads an expression.
func (p *parser) expr() Expr {
	p.enter()
	defer p.leave(1)
	x := p.chain(orLevel, func() Expr { return p.chain(andLevel, p.until) })
	if t := p.peek(); p.accept("=>") || p.temporal && p.accept("->") {
		return &BinaryExpr{t.pos, "=>", x, p.expr()}
	}
	return p.leadsTo(x)
}

// chain reads operands with left-associative operators of one level between them.
func (p *parser) chain(level int, operand func() Expr) Expr {
	x := operand()
	links := 0
	defer func() { p.leave(links) }()
	for op := p.operator(level); op != ""; op = p.operator(level) {
		p.enter()
		links++
		pos := p.take().pos
		x = &BinaryExpr{pos, op, x, operand()}
	}
	return x
}

func (p *parser) negation() Expr {
	p.enter()
	defer p.leave(1)
	if t := p.peek(); p.accept("not") {
		return &UnaryExpr{t.pos, "not", p.negation()}
	}
	if op := p.temporalOperator("always", "eventually", "next"); op != "" {
		return &UnaryExpr{p.take().pos, op, p.negation()}
	}
	return p.comparison()
}

func (p *parser) comparison() Expr {
	x := p.update()
	t := p.peek()
	switch {
	case p.operator(compareLevel) != "":
		p.next++
		x = &BinaryExpr{t.pos, t.str, x, p.update()}
	case p.accept("at"):
		x = &AtExpr{t.pos, x, p.name("the name of an equation")}
	case p.is("crashed") && !p.peek().first:
		p.next++
		x = &CrashedExpr{t.pos, x}
	case p.temporal && p.is("happens"):
		n, ok := x.(*Name)
		if !ok {
			p.fail(x.ExprPos(), "", "only an event happens, by its name")
		}
		p.next++
		h := &HappensExpr{Pos: n.Pos, Event: &Ident{n.Pos, n.Name}}
		if p.accept("at") {
			h.At = p.update()
		}
		return h
	case p.accept("is"):
		x = &IsExpr{t.pos, x, p.name("the name of a message")}
	default:
		return x
	}
	if p.operator(compareLevel) != "" || p.is("at") || p.is("is") {
		p.fail(p.peek().pos, p.unchained(x), "comparisons do not chain")
	}
	return x
}

// unchained says what is meant by a comparison of x. A count reaches as far as it can, which few expect.
func (p *parser) unchained(x Expr) string {
	const join, enclose = `join them with "and"`, "put the %s in parentheses: (%[1]s …) %s …"
	if p.adding == "" {
		return join
	}
	hint := fmt.Sprintf(enclose, p.adding, p.peek().str)
	if _, compared := x.(*BinaryExpr); compared { // in which two comparisons can be meant
		hint = join + ", or " + hint
	}
	return hint
}

// update reads a with [i] = e.
func (p *parser) update() Expr {
	x := p.sum()
	links := 0
	defer func() { p.leave(links) }()
	for p.is("with") {
		p.enter()
		links++
		u := &UpdateExpr{Pos: p.take().pos, X: x}
		p.expect("[")
		u.Index = p.expr()
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
	p.enter()
	defer p.leave(1)
	if t := p.peek(); p.accept("-") {
		return &UnaryExpr{t.pos, "-", p.minus()}
	}
	return p.power()
}

func (p *parser) power() Expr {
	x := p.postfix()
	if t := p.peek(); p.accept("^") {
		return &BinaryExpr{t.pos, "^", x, p.minus()}
	}
	return x
}

// postfix reads an operand with indices and fields.
func (p *parser) postfix() Expr {
	x := p.operand()
	links := 0
	defer func() { p.leave(links) }()
	for {
		t := p.peek()
		switch {
		case p.accept("["):
			index := p.expr()
			p.expect("]")
			x = &IndexExpr{t.pos, x, index}
		case p.accept("."):
			x = &FieldExpr{t.pos, x, p.name("the name of a variable or field")}
		default:
			return x
		}
		p.enter()
		links++
	}
}

func (p *parser) operand() Expr {
	t := p.peek()
	switch {
	case t.kind == integer:
		return p.integer()
	case t.kind == decimal:
		return &DecimalLit{p.take().pos, t.str}
	case p.temporal && t.is("terminal"):
		return &EndExpr{p.take().pos}
	case t.kind == name:
		return p.nameOrCall()
	case p.accept("channel"):
		return &Name{t.pos, t.str}
	case p.accept("true"), p.accept("false"):
		return &BoolLit{t.pos, t.str == "true"}
	case p.accept("("):
		e := p.expr()
		p.need(")", `an operator or ")"`, "")
		return e
	case t.is("{"):
		switch p.ruleFollows() {
		case "where":
			return p.comprehension()
		case ":":
			return p.arrayRule()
		}
		return p.set(t.pos)
	case p.accept("if"):
		return p.condExpr(t.pos)
	case p.accept("all"):
		p.expect("(")
		e := p.expr()
		p.expect(")")
		return &FillExpr{Pos: t.pos, Value: e}
	case p.accept("forall"), p.accept("exists"), p.accept("count"), p.accept("sum"):
		return p.quantifier(t)
	case t.is("_"):
		p.fail(t.pos, "", `"_" may stand only for a whole field of a received message`)
	}
	hint := ""
	switch {
	case p.is("not"):
		hint = `"not" binds weaker than the operator before it: write (not …)`
	case p.temporal && p.is("["):
		hint = `the operators are words: write "always"`
	}
	p.unexpected("an expression", hint)
	return nil
}

func (p *parser) integer() Expr {
	t := p.take()
	v, err := strconv.ParseInt(t.str, 10, 64)
	if err != nil {
		p.errors.Add(t.pos, "the number %s is too large", abbreviate(t.str))
	}
	return &IntLit{t.pos, v}
}

// abbreviate shortens long text in an error message.
func abbreviate(s string) string {
	if len(s) > 24 {
		return s[:20] + "…"
	}
	return s
}

func (p *parser) nameOrCall() Expr {
	id := p.name("a name")
	if p.is("(") {
		return &CallExpr{id.Pos, id.Name, p.args()}
	}
	return &Name{id.Pos, id.Name}
}

func (p *parser) condExpr(pos Pos) Expr {
	e := &CondExpr{Pos: pos, Cond: p.expr()}
	p.expect("then")
	e.Then = p.expr()
	p.expect("else")
	e.Else = p.expr()
	return e
}

func (p *parser) quantifier(t token) Expr {
	q := &QuantExpr{Pos: t.pos, Op: t.str, Binders: p.binders()}
	p.need(":", `"," or ":"`, "")
	outer := p.adding
	if p.adding = ""; q.Op == "count" || q.Op == "sum" {
		p.adding = q.Op
	}
	q.Body = p.expr()
	p.adding = outer
	return q
}

// set reads {lo..hi} or {a, b}.
func (p *parser) set(pos Pos) Expr {
	p.expect("{")
	var elems []Expr
	for !p.is("}") {
		e := p.expr()
		if len(elems) == 0 && p.accept("..") {
			r := &RangeSet{pos, e, p.sum()}
			p.expect("}")
			return r
		}
		elems = append(elems, e)
		if !p.accept(",") {
			break
		}
	}
	p.need("}", `"," or "}"`, "")
	return &SetLit{pos, elems}
}

// ruleFollows returns which of "where", ":" and "," comes first on the same level after {x in, "" if none does. It
// tells {x in D where c} and {x in D: e} from sets of booleans such as {x in s} and {x in s, y in s}.
func (p *parser) ruleFollows() string {
	if p.peekAt(1).kind != name || !p.peekAt(2).is("in") {
		return ""
	}
	return p.withinNext(0, "where", ":", ",")
}

// withinNext returns which of some tokens comes first within the braces that open at the i-th token from here,
// outside of inner brackets; "" if none does.
func (p *parser) withinNext(i int, tokens ...string) string {
	for level := 0; ; i++ {
		switch t := p.peekAt(i); {
		case t.kind == endOfFile:
			return ""
		case t.is("("), t.is("{"), t.is("["):
			level++
		case t.is(")"), t.is("}"), t.is("]"):
			if level--; level == 0 {
				return ""
			}
		case level == 1:
			if j := slices.IndexFunc(tokens, t.is); j >= 0 {
				return tokens[j]
			}
		}
	}
}

// comprehension reads {x in DOMAIN where c}.
func (p *parser) comprehension() Expr {
	q := &QuantExpr{Pos: p.take().pos, Op: "set", Binders: []*Binder{p.binder()}}
	p.expect("where")
	q.Body = p.expr()
	p.expect("}")
	return q
}

// arrayRule reads {i in DOMAIN: e}.
func (p *parser) arrayRule() Expr {
	f := &FillExpr{Pos: p.take().pos, Binder: p.binder()}
	p.expect(":")
	f.Value = p.expr()
	p.expect("}")
	return f
}

// binders reads binders with commas between.
func (p *parser) binders() []*Binder {
	all := []*Binder{p.binder()}
	for p.accept(",") {
		all = append(all, p.binder())
	}
	return all
}

// binder reads x in DOMAIN.
func (p *parser) binder() *Binder {
	b := &Binder{Name: p.name("a name to be bound")}
	p.expect("in")
	pos := p.peek().pos
	switch {
	case p.accept("node"):
		b.Type = &NodeType{pos}
		return b
	case p.accept("dir"):
		b.Type = &DirType{pos}
		return b
	case p.accept("bool"):
		b.Type = &BoolType{pos}
		return b
	}
	x := p.sum()
	n, isName := x.(*Name)
	switch {
	case p.is(".."):
		b.Type = p.rangeFrom(x)
	case isName:
		b.Type = &NamedType{n.Pos, n.Name}
	default:
		b.Over = x
	}
	return b
}
