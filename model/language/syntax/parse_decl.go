package syntax

import (
	"slices"
	"strings"
)

// declarations maps the word that begins a declaration to what reads the rest of it. A nil result means that
// the clause went into the File itself.
var declarations = map[string]func(p *parser, pos Pos) Decl{
	"protocol":    (*parser).secondHeader,
	"source":      (*parser).source,
	"param":       (*parser).param,
	"option":      (*parser).option,
	"const":       (*parser).constant,
	"type":        (*parser).typeDecl,
	"topology":    (*parser).topology,
	"channel":     (*parser).channel,
	"var":         variables("var"),
	"register":    variables("register"),
	"ghost":       variables("ghost"),
	"timer":       variables("timer"),
	"message":     signatures("the name of a message", func(s Signature) Decl { return &MessageDecl{s} }),
	"crash":       (*parser).crash,
	"event":       signatures("the name of an event", func(s Signature) Decl { return &EventDecl{s} }),
	"assign":      (*parser).assign,
	"initially":   (*parser).initially,
	"process":     (*parser).process,
	"define":      (*parser).define,
	"invariant":   property("invariant"),
	"terminal":    property("terminal"),
	"reachable":   property("reachable"),
	"recoverable": property("recoverable"),
	"inevitable":  property("inevitable"),
	"ltl":         (*parser).ltl,
	"probability": (*parser).probability,
	"expected":    (*parser).expected,
	"reward":      (*parser).reward,
	"role":        (*parser).role,
}

func (p *parser) secondHeader(pos Pos) Decl {
	p.fail(pos, "", "the protocol clause must be the first and only one")
	return nil
}

func (p *parser) source(pos Pos) Decl {
	if p.peek().kind != text {
		p.unexpected("a string that names the source", "")
	}
	p.once(p.out.Source != "", pos, "source")
	p.out.Source = p.take().str
	return nil
}

func (p *parser) param(pos Pos) Decl {
	d := &ParamDecl{Pos: pos, Name: p.name("the name of a parameter").Name}
	p.expect(":")
	d.Range = p.rangeType()
	if p.accept("=") {
		d.Default = p.expr()
	}
	d.Doc = p.doc()
	return d
}

func (p *parser) option(pos Pos) Decl {
	d := &OptionDecl{Pos: pos, Name: p.name("the name of an option").Name}
	p.expect(":")
	d.Type = p.typ()
	switch d.Type.(type) {
	case *BoolType, *EnumType, *RangeType, *NamedType:
	default:
		p.fail(d.Type.TypePos(), "", "an option is bool, an enumeration a | b or a range lo..hi")
	}
	p.need("=", `"=" and the default of the option`, "")
	d.Default = p.expr()
	d.Doc = p.doc()
	return d
}

func (p *parser) constant(pos Pos) Decl {
	d := &ConstDecl{Pos: pos, Name: p.name("the name of a constant").Name}
	p.expect("=")
	d.Value = p.expr()
	return d
}

func (p *parser) typeDecl(pos Pos) Decl {
	d := &TypeDecl{Pos: pos, Name: p.name("the name of a type").Name}
	p.expect("=")
	d.Type = p.typ()
	return d
}

// topologies lists what may stand between "topology" and "of".
var topologies = []string{
	"directed ring", "undirected ring", "line", "complete graph", "star", "binary tree", "grid", "torus",
	"bipartite graph", "graph",
}

// twoSizes lists the topologies of w by h.
var twoSizes = []string{"grid", "torus", "bipartite graph"}

func (p *parser) topology(pos Pos) Decl {
	anonymous := p.accept("anonymous")
	first, second := p.peek(), p.peekAt(1)
	kind := first.str
	words := 1
	if !second.is("of") {
		kind, words = kind+" "+second.str, 2
	}
	if !slices.Contains(topologies, kind) {
		p.fail(first.pos, DidYouMean(kind, topologies), "expected one of %s, found %s", strings.Join(topologies, ", "), first)
	}
	p.next += words
	p.expect("of")
	d := &TopologyDecl{Pos: pos, Anonymous: anonymous, Kind: kind, Size: p.sum()}
	if slices.Contains(twoSizes, kind) {
		p.expect("by")
		d.By = p.sum()
	}
	if kind == "graph" {
		p.expect("with")
		d.From = p.name("a name for the number of the sender")
		p.expect("->")
		d.To = p.name("a name for the number of the receiver")
		if !p.is("if") {
			p.unexpected(`"if" and the rule`, "")
		}
		d.If = p.condition()
	}
	return d
}

// channelKinds lists the disciplines of channels.
var channelKinds = []string{"unordered", "fifo"}

func (p *parser) channel(pos Pos) Decl {
	d := &ChannelDecl{Pos: pos, Kinds: []*Ident{p.channelKind()}}
	for p.accept("|") {
		d.Kinds = append(d.Kinds, p.channelKind())
	}
	if len(d.Kinds) > 2 || len(d.Kinds) == 2 && d.Kinds[0].Name == d.Kinds[1].Name {
		p.fail(d.Kinds[1].Pos, "", "a channel kind is listed twice")
	}
	if len(d.Kinds) == 2 {
		p.need("=", `"=" and the default kind`, "")
		d.Default = p.channelKind()
	}
	for p.accept(",") {
		d.Clauses = append(d.Clauses, p.channelClause())
	}
	d.Doc = p.doc()
	return d
}

func (p *parser) channelClause() *ChannelClause {
	id := p.oneOf("lossy", "duplicating", "delay", "racing")
	c := &ChannelClause{Pos: id.Pos, Word: id.Name}
	switch {
	case c.Word == "delay":
		c.Delay = p.rangeType()
	case c.Word == "racing":
		c.If = p.condition()
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

func (p *parser) crash(pos Pos) Decl {
	d := &CrashDecl{Pos: pos, Most: p.atMost()}
	if p.accept("of") {
		d.Name = p.name("a name for the number of a process")
		if p.accept("where") {
			d.Where = p.expr()
		}
	}
	if p.accept("recover") {
		name := p.name("the name of an equation")
		d.Recover = &CallTerm{name.Pos, name.Name, p.args()}
	}
	return d
}

func (p *parser) channelKind() *Ident {
	for _, k := range channelKinds {
		if p.is(k) {
			return p.name("")
		}
	}
	p.unexpected(`"unordered" or "fifo"`, p.misspelt(channelKinds...))
	return nil
}

// variables returns what reads the declaration of variables of some kind.
func variables(kind string) func(*parser, Pos) Decl {
	return func(p *parser, pos Pos) Decl {
		d := &VarDecl{Pos: pos, Kind: kind, Names: p.names(",", "the name of a variable")}
		p.expect(":")
		d.Type = p.typ()
		if kind != "var" && p.accept("=") {
			d.Init = p.expr()
		}
		d.If = p.condition()
		return d
	}
}

// condition reads the clause "if EXPR" that ends some declarations.
func (p *parser) condition() Expr {
	if p.accept("if") {
		return p.expr()
	}
	return nil
}

// signatures returns what reads messages or events, with commas between.
func signatures(what string, declare func(Signature) Decl) func(*parser, Pos) Decl {
	return func(p *parser, pos Pos) Decl {
		for joined := false; ; joined = true {
			d := declare(Signature{Pos: pos, Name: p.name(what).Name, Fields: p.fields(), Doc: p.doc(), Joined: joined})
			if !p.accept(",") {
				return d
			}
			p.add(d, pos)
			pos = p.peek().pos
		}
	}
}

func (p *parser) fields() []*Field {
	return inParentheses(p, func() *Field {
		id := p.name("the name of a field")
		p.expect(":")
		return &Field{Pos: id.Pos, Name: id.Name, Type: p.typ(), If: p.condition()}
	})
}

func (p *parser) assign(pos Pos) Decl {
	d := &AssignDecl{Pos: pos, Name: p.name("the name of the assigned value").Name}
	p.expect(":")
	if p.is("permutation") && p.peekAt(1).is("of") {
		p.next += 2
		d.Permutation = true
	}
	d.Type = p.typ()
	d.If = p.condition()
	return d
}

func (p *parser) initially(pos Pos) Decl {
	d := &InitiallyDecl{Pos: pos}
	for more := true; more; more = p.accept(",") {
		d.Messages = append(d.Messages, &Content{p.name("the name of a message"), p.args()})
	}
	p.expect("in")
	p.expect("inbox")
	p.expect("(")
	d.Process = p.expr()
	p.expect(",")
	d.Source = p.expr()
	p.expect(")")
	if p.accept("for") {
		d.Binders = p.binders()
		if p.accept("where") {
			d.Where = p.expr()
		}
	}
	d.If = p.condition()
	return d
}

func (p *parser) process(pos Pos) Decl {
	d := &ProcessDecl{Pos: pos, Name: p.name("a name for the number of the process").Name}
	if p.accept("[") {
		d.Index = p.name("a name for the number of the process")
		p.expect("in")
		d.Range = p.rangeType()
		p.expect("]")
	}
	p.expect("=")
	d.Body = p.choice()
	return d
}

func (p *parser) equation() Decl {
	id := p.name("the name of an equation")
	d := &EquationDecl{Pos: id.Pos, Name: id.Name}
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

func (p *parser) define(pos Pos) Decl {
	d := &DefineDecl{Pos: pos, Name: p.name("the name of a definition").Name}
	d.Params = inParentheses(p, func() *Field {
		id := p.name("the name of an argument")
		f := &Field{Pos: id.Pos, Name: id.Name}
		if p.accept(":") {
			f.Type = p.typ()
		}
		return f
	})
	p.expect("=")
	d.Body = p.expr()
	return d
}

// property returns what reads a property of the given kind.
func property(kind string) func(*parser, Pos) Decl {
	return func(p *parser, pos Pos) Decl {
		d := &PropertyDecl{Pos: pos, Kind: kind, Name: p.name("the name of a property").Name}
		d.Doc = p.doc()
		p.expect("=")
		d.Body = p.expr()
		d.If = p.condition()
		return d
	}
}

func (p *parser) typ() Type {
	p.enter()
	defer p.leave(1)
	pos := p.peek().pos
	switch {
	case p.accept("bool"):
		return &BoolType{pos}
	case p.accept("nat"):
		return &NatType{pos}
	case p.accept("node"):
		return &NodeType{pos}
	case p.accept("dir"):
		return &DirType{pos}
	case p.accept("set"):
		p.expect("of")
		return &SetType{pos, p.typ()}
	case p.accept("array"):
		index := p.typ()
		p.expect("of")
		return &ArrayType{pos, index, p.typ()}
	case p.peek().kind == name && p.peekAt(1).is("|"):
		return &EnumType{pos, p.names("|", "a value")}
	}
	lo := p.sum()
	if n, ok := lo.(*Name); ok && !p.is("..") {
		return &NamedType{n.Pos, n.Name}
	}
	return p.rangeFrom(lo)
}

func (p *parser) rangeType() *RangeType { return p.rangeFrom(p.sum()) }

func (p *parser) rangeFrom(lo Expr) *RangeType {
	p.need("..", `".." and the upper end of a range`, "")
	return &RangeType{lo.ExprPos(), lo, p.sum()}
}
