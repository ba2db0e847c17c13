package syntax

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"ringcheck/model/language/topology"
)

// A declarer parses a kind of declaration.
type declarer struct {
	name string                         // describes the name after the first word; "" if no name follows
	read func(p *parser, h Header) Decl // reads the rest; nil: the clause is stored in the File
}

// declarations has a declarer for each word that begins a declaration.
var declarations = func() map[string]declarer {
	m := map[string]declarer{
		"protocol":    {"", (*parser).secondProtocol},
		"source":      {"", (*parser).source},
		"param":       {"the name of a parameter", (*parser).param},
		"option":      {"the name of an option", (*parser).option},
		"const":       {"the name of a constant", (*parser).constant},
		"type":        {"the name of a type", (*parser).typeDecl},
		"topology":    {"", (*parser).topology},
		"channel":     {"", (*parser).channel},
		"message":     signatures("message", "the name of a message"),
		"event":       signatures("event", "the name of an event"),
		"check":       {"", (*parser).check},
		"crash":       {"", (*parser).crash},
		"assign":      {"the name of the assigned value", (*parser).assign},
		"initially":   {"", (*parser).initially},
		"process":     {"a name for the number of the process", (*parser).process},
		"define":      {"the name of a definition", (*parser).define},
		"ltl":         {"the name of a property", (*parser).ltl},
		"probability": bounds("P"),
		"expected":    bounds("E"),
		"reward":      {"the name of a reward", (*parser).reward},
		"role":        {"the name of a role", (*parser).role},
	}
	for _, w := range Words(VariableClause) {
		m[w] = variables(w)
	}
	for _, w := range Words(PropertyClause) {
		m[w] = properties(w)
	}
	return m
}()

func (p *parser) secondProtocol(h Header) Decl {
	p.fail(h.Pos, "", "the protocol clause must be the first and only one")
	return nil
}

func (p *parser) source(h Header) Decl {
	if p.peek().kind != text {
		p.unexpected("a string that names the source", "")
	}
	p.checkOnce(p.out.Source != "", h.Pos, "source")
	p.out.Source = p.take().Text
	return nil
}

func (p *parser) param(h Header) Decl {
	d := &SettingDecl{h, "param", p.rangeAfter(":"), p.optional("=")}
	d.Doc = p.doc()
	return d
}

func (p *parser) option(h Header) Decl {
	p.expect(":")
	d := &SettingDecl{Header: h, Kind: "option", Type: p.typ()}
	word, isWord := d.Type.(*WordType)
	switch d.Type.(type) {
	case *EnumType, *RangeType, *NamedType:
	default:
		if !isWord || word.Word != "bool" {
			p.fail(d.Type.TypePos(), "", "an option is bool, an enumeration a | b or a range lo..hi")
		}
	}
	p.need("=", `"=" and the default of the option`, "")
	d.Default, d.Doc = p.expr(), p.doc()
	return d
}

func (p *parser) constant(h Header) Decl { return &ConstDecl{h, p.exprAfter("=")} }

func (p *parser) typeDecl(h Header) Decl {
	p.expect("=")
	return &TypeDecl{h, p.typ()}
}

func (p *parser) topology(h Header) Decl {
	d := &TopologyDecl{Header: h, Anonymous: p.accept("anonymous")}
	first, second := p.peek(), p.peekAt(1)
	words := 1
	if d.Kind = first.Text; !second.is("of") {
		d.Kind, words = d.Kind+" "+second.Text, 2
	}
	kind := d.Shape()
	if kind == nil {
		all := topology.Keywords()
		hint := cmp.Or(topologyHint(first.Text), DidYouMean(d.Kind, all))
		p.fail(first.Pos, hint, "expected one of %s, found %s", strings.Join(all, ", "), first)
	}
	p.next += words
	p.expect("of")
	d.Size = p.sum()
	if len(kind.Sizes) > 1 {
		p.expect("by")
		d.By = p.sum()
	}
	if kind.Rule {
		p.need("with", `"with" and the rule`, "as in graph of n with p -> q if q = p + 1")
		d.From = p.name("a name for the number of the sender")
		p.expect("->")
		d.To = p.name("a name for the number of the receiver")
		p.need("if", `"if" and the rule`, "")
		d.If = p.expr()
	}
	return d
}

// topologyHint returns a hint if a word is another name for some kinds of network, else "".
func topologyHint(word string) string {
	var list []string
	for _, k := range topology.Kinds {
		if slices.Contains(k.Also, word) {
			list = append(list, strconv.Quote(k.Keyword))
		}
	}
	if list == nil {
		return ""
	}
	return "write " + strings.Join(list, " or ")
}

func (p *parser) channel(h Header) Decl {
	d := &ChannelDecl{Header: h, Kinds: series(p, "|", p.channelKind)}
	var words []string
	for _, id := range d.Kinds {
		if slices.Contains(words, id.Name) {
			p.fail(id.Pos, "", "a channel kind is listed twice")
		}
		words = append(words, id.Name)
	}
	if len(words) > 1 {
		p.need("=", `"=" and the default kind`, "")
		d.Default = p.oneOf(words...)
	}
	if p.accept("of") {
		d.Capacity = p.sum()
	}
	for p.accept(",") {
		d.Clauses = append(d.Clauses, p.channelClause())
	}
	d.Doc = p.doc()
	return d
}

func (p *parser) channelClause() *ChannelClause {
	id := p.oneOf(Words(ChannelClauses)...)
	c := &ChannelClause{Pos: id.Pos, Word: id.Name}
	switch {
	case c.Word == "delay":
		c.Delay = p.rangeFrom(p.sum())
	case c.Word == "racing":
		c.If = p.optional("if")
	case p.is("at"):
		c.Most = p.atMost()
	}
	return c
}

// atMost reads "at most EXPR".
func (p *parser) atMost() Expr {
	p.expect("at")
	p.expect("most")
	return p.sum()
}

func (p *parser) check(h Header) Decl {
	return &CheckDecl{h, series(p, ",", func() *Given {
		id := p.name("the name of a parameter or option")
		g := &Given{Pos: id.Pos, Name: id, Value: p.exprAfter("=")}
		if p.accept("..") {
			g.Last = p.sum()
		}
		return g
	})}
}

func (p *parser) crash(h Header) Decl {
	d := &CrashDecl{Header: h, Most: p.atMost()}
	if p.accept("of") {
		d.Name, d.Where = p.name("a name for the number of a process"), p.optional("where")
	}
	if p.accept("recover") {
		name := p.name("the name of an equation")
		d.Recover = &CallTerm{TermNode: TermNode{name.Pos}, Name: name.Name, Args: p.args()}
	}
	return d
}

func (p *parser) channelKind() *Ident { return p.oneOf(Words(ChannelKindClause)...) }

// variables returns the declarer of a kind of variables.
func variables(kind string) declarer {
	return declarer{"", func(p *parser, h Header) Decl {
		d := &VarDecl{Header: h, Kind: kind, Names: p.names(",", "the name of a variable")}
		p.expect(":")
		d.Type = p.typ()
		if p.accept("of") {
			d.Of = p.name("the name of a kind of process")
		}
		if kind != "var" {
			d.Init = p.optional("=")
		} else if p.is("=") {
			p.fail(p.peek().Pos, "a process gets its values from the call with which it begins, as in "+
				"process p = A(0); a register has an initial value", "a var has no initial value")
		}
		d.If = p.optional("if")
		return d
	}}
}

// signatures returns the declarer of messages or events, which are separated by commas.
func signatures(kind, what string) declarer {
	return declarer{what, func(p *parser, h Header) Decl {
		for joined := false; ; joined = true {
			d := &SignatureDecl{h, kind, p.fields("the name of a field", true), joined}
			d.Doc = p.doc()
			if !p.accept(",") {
				return d
			}
			p.add(d)
			id := p.name(what)
			h = Header{Pos: id.Pos, Name: id.Name, At: id.Pos}
		}
	}}
}

// fields reads fields in parentheses, if there are any; typed says that each has a type.
func (p *parser) fields(what string, typed bool) []*Field {
	return inParentheses(p, func() *Field {
		id := p.name(what)
		f := &Field{Pos: id.Pos, Name: id.Name}
		if typed || p.is(":") {
			p.expect(":")
			f.Type = p.typ()
		}
		if typed {
			f.If = p.optional("if")
		}
		return f
	})
}

func (p *parser) assign(h Header) Decl {
	p.expect(":")
	permutation := p.is("permutation") && p.peekAt(1).is("of")
	if permutation {
		p.next += 2
	}
	return &AssignDecl{h, permutation, p.typ(), p.optional("if")}
}

func (p *parser) initially(h Header) Decl {
	if !p.messagesFollow() {
		return &InitialDecl{h, p.expr(), p.optional("if")}
	}
	d := &InitiallyDecl{Header: h}
	d.Messages = series(p, ",", func() *Content { return &Content{p.name("the name of a message"), p.args()} })
	p.expect("in")
	p.expect("inbox")
	d.Process, d.Source = p.exprAfter("("), p.exprAfter(",")
	p.expect(")")
	if p.accept("for") {
		d.Binders, d.Where = series(p, ",", p.binder), p.optional("where")
	}
	d.If = p.optional("if")
	return d
}

// messagesFollow reports whether messages follow, as in M(e) in inbox or M, N: a name, perhaps with arguments, and then
// a comma or the words "in inbox".
func (p *parser) messagesFollow() bool {
	if p.peek().kind != name {
		return false
	}
	i := 1
	if p.peekAt(i).is("(") {
		i = p.closing(i) + 1
	}
	return p.peekAt(i).is(",") || p.peekAt(i).is("in") && p.peekAt(i+1).is("inbox")
}

// closing returns the place of the bracket that closes the one i tokens after the next one, or the end of the file.
func (p *parser) closing(i int) int {
	for level := 0; ; i++ {
		t := p.peekAt(i)
		if level += t.nesting(); level == 0 || t.kind == endOfFile {
			return i
		}
	}
}

func (p *parser) process(h Header) Decl {
	d := &ProcessDecl{Header: h}
	if p.accept("[") {
		d.Index, d.Range = p.name("a name for the number of the process"), p.rangeAfter("in")
		p.expect("]")
	}
	p.expect("=")
	d.Body = p.choice()
	return d
}

func (p *parser) equation() Decl {
	id := p.name("the name of an equation")
	d := &EquationDecl{Header: Header{Pos: id.Pos, Name: id.Name, At: id.Pos}}
	d.Params = inParentheses(p, func() *Ident {
		keep := p.is("keep") && p.peekAt(1).kind == name
		if keep {
			p.next++
		}
		d.Kept = append(d.Kept, keep)
		return p.name("the name of a variable")
	})
	p.expect("=")
	d.Body = p.choice()
	return d
}

func (p *parser) define(h Header) Decl {
	return &DefineDecl{h, p.fields("the name of an argument", false), p.body()}
}

// body reads "=" and an expression.
func (p *parser) body() (e Expr) {
	at := ExprNode{p.peek().Pos}
	if !p.recovering(func() { e = p.exprAfter("=") }, p.skip) {
		e = &BadExpr{at}
	}
	return e
}

// properties returns the declarer of a kind of property.
func properties(kind string) declarer {
	return declarer{"the name of a property", func(p *parser, h Header) Decl {
		h.Doc = p.doc()
		return &PropertyDecl{h, kind, p.body(), p.optional("if")}
	}}
}

func (p *parser) role(h Header) Decl {
	d := &RoleDecl{Header: h, Body: p.body()}
	d.Doc = p.doc()
	if t := p.peek(); t.kind == name && !t.First {
		d.Colour = p.oneOf(Words(ColourClause)...)
	}
	return d
}

func (p *parser) reward(h Header) Decl {
	h.Doc = p.doc()
	d := &RewardDecl{Header: h, Value: p.exprAfter("=")}
	p.expect("per")
	d.Per = p.oneOf(Words(PerClause)...).Name
	if t := p.peek(); d.Per == "event" || d.Per == "send" && t.kind == name && !t.First {
		d.Of = p.name("the name of an event")
	}
	return d
}

// bounds returns the declarer of claims about probabilities, P(…), or expected rewards, E(…).
func bounds(of string) declarer {
	return declarer{"the name of a property", func(p *parser, h Header) Decl {
		h.Doc = p.doc()
		for _, s := range []string{"=", of, "("} {
			p.expect(s)
		}
		d := &BoundDecl{Header: h}
		switch {
		case of == "E":
			d.Reward = p.name("the name of a reward")
			p.expect("until")
		case p.accept("within"):
			if d.Within = p.sum(); !p.is(":") {
				d.Unit = p.name("the name of a reward, or :")
			}
			p.expect(":")
		}
		return p.bound(d)
	}}
}

// bound reads the goal, the relation, the bound and the clauses.
func (p *parser) bound(d *BoundDecl) Decl {
	d.Goal = p.formula()
	p.expect(")")
	d.Relation = p.oneOf("<=", ">=", "<", ">").Name
	d.Bound = p.sum()
	if d.Uniform = p.accept("under"); d.Uniform {
		p.expect("uniform")
	}
	d.If = p.optional("if")
	return d
}

func (p *parser) ltl(h Header) Decl {
	h.Doc = p.doc()
	p.expect("=")
	d := &TemporalDecl{Header: h, Formula: p.formula()}
	for more := p.accept("under"); more; more = p.accept("and") {
		p.assumption(d)
	}
	d.If = p.optional("if")
	return d
}

// assumption reads one assumption of a temporal property about runs.
func (p *parser) assumption(d *TemporalDecl) {
	for _, words := range [][2]string{{"probability", "one"}, {"positive", "probability"}} {
		if !p.is(words[0]) {
			continue
		}
		if d.Chance != "" {
			p.fail(p.peek().Pos, "", "the probability is given twice")
		}
		p.next++
		p.expect(words[1])
		d.Chance = words[0] + " " + words[1]
		return
	}
	f := &FairClause{Strongly: p.accept("strongly")}
	p.expect("fair")
	if p.accept("of") {
		f.Names = p.names(",", "the name of an equation, event or message")
	}
	d.Fair = append(d.Fair, f)
}

func (p *parser) typ() Type {
	defer p.leave(p.enter())
	t := p.peek()
	at := TypeNode{t.Pos}
	switch {
	case p.accept("bool"), p.accept("nat"), p.accept("node"), p.accept("dir"):
		return &WordType{at, t.Text}
	case p.accept("set"):
		p.expect("of")
		return &SetType{at, p.typ()}
	case p.accept("array"):
		index := p.typ()
		p.expect("of")
		return &ArrayType{at, index, p.typ()}
	case p.peek().kind == name && p.peekAt(1).is("|"):
		return &EnumType{at, p.names("|", "a value")}
	}
	lo := p.sum()
	if n, ok := lo.(*Name); ok && !p.is("..") {
		return &NamedType{TypeNode: TypeNode{n.Pos}, Name: n.Name}
	}
	return p.rangeFrom(lo)
}

// rangeAfter reads s and a range.
func (p *parser) rangeAfter(s string) *RangeType {
	p.expect(s)
	return p.rangeFrom(p.sum())
}

func (p *parser) rangeFrom(lo Expr) *RangeType {
	p.need("..", `".." and the upper end of a range`, "")
	return &RangeType{TypeNode{Begin(lo)}, lo, p.sum()}
}
