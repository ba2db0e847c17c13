package syntax

import (
	"io"
	"strings"
)

// Print writes f, which Parse has read, in canonical layout, but for the author's empty lines between declarations.
// Parsing the result gives f again, but for positions; printing that gives the same text. A comment inside a
// declaration is written in front of it.
func Print(w io.Writer, f *File) error {
	p := &printer{before: map[Decl][]*Comment{}, beside: map[Decl]*Comment{}}
	for _, c := range f.Comments {
		if c.Beside != nil {
			p.beside[c.Beside] = c
		} else {
			p.before[c.Before] = append(p.before[c.Before], c)
		}
	}
	p.file(f)
	_, err := io.WriteString(w, p.out.String())
	return err
}

// FormatExpr returns e as Print writes it, on one line.
func FormatExpr(e Expr) string { return exprString(e, 0, true) }

// A printer collects the text. It knows which comments belong to a declaration; those at the end of the file
// belong to nil.
type printer struct {
	out    strings.Builder
	before map[Decl][]*Comment
	beside map[Decl]*Comment
}

func (p *printer) file(f *File) {
	p.comments(f)
	p.line(join("protocol", f.Name, doc(f.Doc)), f)
	if f.Source != "" {
		p.line("source "+quote(f.Source), nil)
	}
	for i, d := range f.Order {
		s := d.text()
		if joined(d) && len(p.before[d]) == 0 && p.beside[f.Order[i-1]] == nil {
			p.join(d, s)
			continue
		}
		if i == 0 || f.Spaced[i] {
			p.out.WriteByte('\n')
		}
		p.comments(d)
		p.line(s, d)
	}
	if len(p.before[nil]) > 0 {
		p.out.WriteByte('\n')
		p.comments(nil)
	}
}

// joined reports whether d was written behind the declaration before, with a comma between.
func joined(d Decl) bool {
	s, ok := d.(signed)
	return ok && s.signature().Joined
}

// join writes s, the text of d, behind the declaration before, or below it if there are comments or strings between.
func (p *printer) join(d Decl, s string) {
	written := strings.TrimSuffix(p.out.String(), "\n")
	p.out.Reset()
	p.out.WriteString(written + ", ")
	_, s, _ = strings.Cut(s, " ")
	p.line(s, d)
}

// line writes the text of d and the comment beside it.
func (p *printer) line(s string, d Decl) {
	p.out.WriteString(s)
	if c := p.beside[d]; c != nil && d != nil {
		p.out.WriteString(" ")
		p.out.WriteString(commentLine(c.Lines[0]))
	}
	p.out.WriteByte('\n')
}

func (p *printer) comments(d Decl) {
	for _, c := range p.before[d] {
		for _, l := range c.Lines {
			p.out.WriteString(commentLine(l) + "\n")
		}
		if c.Apart {
			p.out.WriteByte('\n')
		}
	}
}

func commentLine(s string) string { return strings.TrimRight("// "+s, " ") }

// The texts of declarations.

func (*File) text() string { return "" }

func (d *ParamDecl) text() string {
	return join("param", d.Name+":", typeString(d.Range), after("=", d.Default), doc(d.Doc))
}

func (d *OptionDecl) text() string {
	return join("option", d.Name+":", typeString(d.Type), after("=", d.Default), doc(d.Doc))
}

func (d *ConstDecl) text() string {
	return join("const", d.Name, after("=", d.Value))
}

func (d *TypeDecl) text() string {
	return join("type", d.Name, "=", typeString(d.Type))
}

func (d *TopologyDecl) text() string {
	kind := d.Kind
	if d.Anonymous {
		kind = "anonymous " + kind
	}
	s := join("topology", kind, "of", exprString(d.Size, sumLevel, false))
	if d.By != nil {
		s = join(s, "by", exprString(d.By, sumLevel, false))
	}
	if d.From != nil {
		s = join(s, "with", d.From.Name, "->", d.To.Name, after("if", d.If))
	}
	return s
}

func (d *CrashDecl) text() string {
	s := "crash at most " + exprString(d.Most, sumLevel, false)
	if d.Name != nil {
		s = join(s, "of", d.Name.Name, after("where", d.Where))
	}
	if d.Recover != nil {
		l := &line{}
		l.term(d.Recover)
		s = join(s, "recover", l.String())
	}
	return s
}

func (d *VarDecl) text() string {
	return join(d.Kind, idents(d.Names, ", ")+":", typeString(d.Type), after("=", d.Init), after("if", d.If))
}

func (d *MessageDecl) text() string {
	return join("message", d.Name+fields(d.Fields), doc(d.Doc))
}

func (d *EventDecl) text() string {
	return join("event", d.Name+fields(d.Fields), doc(d.Doc))
}

func (d *AssignDecl) text() string {
	of := ""
	if d.Permutation {
		of = "permutation of"
	}
	return join("assign", d.Name+":", of, typeString(d.Type), after("if", d.If))
}

func (d *ProcessDecl) text() string {
	index := ""
	if d.Index != nil {
		index = "[" + d.Index.Name + " in " + typeString(d.Range) + "]"
	}
	return bodyString("process "+d.Name+index+" =", d.Body)
}

func (d *EquationDecl) text() string {
	head := d.Name
	if len(d.Params) > 0 {
		names := make([]string, len(d.Params))
		for i, id := range d.Params {
			names[i] = id.Name
			if d.Kept[i] {
				names[i] = "keep " + id.Name
			}
		}
		head += "(" + strings.Join(names, ", ") + ")"
	}
	return bodyString(head+" =", d.Body)
}

func (d *DefineDecl) text() string {
	return clauseString(join("define", d.Name+fields(d.Params), "="), d.Body, "", nil)
}

func (d *PropertyDecl) text() string {
	return clauseString(join(d.Kind, d.Name, doc(d.Doc), "="), d.Body, "", d.If)
}

func (d *TemporalDecl) text() string {
	return clauseString(join("ltl", d.Name, doc(d.Doc), "="), d.Formula, d.under(), d.If)
}

func (d *RewardDecl) text() string {
	of := ""
	if d.Of != nil {
		of = d.Of.Name
	}
	return join("reward", d.Name, doc(d.Doc), "=", exprString(d.Value, 0, false), "per", d.Per, of)
}

func (d *RoleDecl) text() string {
	colour := ""
	if d.Colour != nil {
		colour = d.Colour.Name
	}
	return clauseString(join("role", d.Name, "="), d.Body, join(doc(d.Doc), colour), nil)
}

func (d *InitiallyDecl) text() string {
	var l line
	for i, c := range d.Messages {
		if i > 0 {
			l.write(", ")
		}
		l.write(c.Message.Name)
		l.arguments(c.Args)
	}
	l.write(" in inbox(", d.Process, ", ", d.Source, ")")
	for i, b := range d.Binders {
		l.write([]string{" for ", ", "}[min(i, 1)], binderString(b))
	}
	return join("initially", l.String(), after("where", d.Where), after("if", d.If))
}

func (d *ChannelDecl) text() string {
	def := ""
	if d.Default != nil {
		def = "= " + d.Default.Name
	}
	s := join("channel", idents(d.Kinds, " | "), def)
	for _, c := range d.Clauses {
		s += ", " + c.Word
		switch {
		case c.Most != nil:
			s += " at most " + exprString(c.Most, sumLevel, false)
		case c.Delay != nil:
			s += " " + typeString(c.Delay)
		case c.If != nil:
			s += " " + after("if", c.If)
		}
	}
	return join(s, doc(d.Doc))
}

// bodyString returns an equation: a choice has a line for each alternative.
func bodyString(head string, body Term) string {
	l := &layout{}
	c, isChoice := body.(*ChoiceTerm)
	if !isChoice {
		if s, ok := fit(len(head)+1, func(f *line) { f.sequence(body) }); ok {
			return head + " " + s
		}
	}
	l.text(head)
	l.newline(indent)
	if isChoice {
		l.alternatives(c, indent)
	} else {
		l.term(body, indent)
	}
	return l.String()
}

func (d *BoundDecl) text() string {
	head, within, under := "probability", "", ""
	if d.Within != nil {
		within = "within " + exprString(d.Within, sumLevel, false) + ": "
	}
	of := "P(" + within
	if d.Reward != nil {
		head, of = "expected", "E("+d.Reward.Name+" until "
	}
	if d.Uniform {
		under = "under uniform"
	}
	return join(head, d.Name, doc(d.Doc), "=", of+exprString(d.Goal, 0, true)+")", d.Relation,
		exprString(d.Bound, sumLevel, false), under, after("if", d.If))
}

// clauseString returns a definition or a property, with words behind the body and a condition behind these.
func clauseString(head string, body Expr, words string, cond Expr) string {
	condition := join(words, after("if", cond))
	if s, ok := fit(len(head)+1, func(f *line) { f.write(body, " ", condition) }); ok {
		return join(head, strings.TrimRight(s, " "))
	}
	l := &layout{}
	l.text(head)
	l.newline(indent)
	l.expr(body, 0, true, indent)
	if condition != "" {
		l.newline(indent)
		l.text(condition)
	}
	return l.String()
}

func typeString(t Type) string {
	switch t := t.(type) {
	case *BoolType:
		return "bool"
	case *NatType:
		return "nat"
	case *NodeType:
		return "node"
	case *DirType:
		return "dir"
	case *RangeType:
		return exprString(t.Lo, sumLevel, false) + ".." + exprString(t.Hi, sumLevel, false)
	case *EnumType:
		return idents(t.Names, " | ")
	case *NamedType:
		return t.Name
	case *SetType:
		return "set of " + typeString(t.Elem)
	case *ArrayType:
		return "array " + typeString(t.Index) + " of " + typeString(t.Elem)
	}
	return ""
}

// fields returns the fields of a message, an event or a definition in parentheses.
func fields(list []*Field) string {
	if len(list) == 0 {
		return ""
	}
	parts := make([]string, len(list))
	for i, f := range list {
		parts[i] = f.Name
		if f.Type != nil {
			parts[i] = join(f.Name+":", typeString(f.Type), after("if", f.If))
		}
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

func idents(list []*Ident, sep string) string {
	names := make([]string, len(list))
	for i, id := range list {
		names[i] = id.Name
	}
	return strings.Join(names, sep)
}

// after returns e behind a word, nothing if e is nil.
func after(word string, e Expr) string {
	if e == nil {
		return ""
	}
	return join(word, exprString(e, 0, true))
}

// join puts spaces between the parts that are not empty.
func join(parts ...string) string {
	var full []string
	for _, s := range parts {
		if s != "" {
			full = append(full, s)
		}
	}
	return strings.Join(full, " ")
}

func doc(s string) string {
	if s == "" {
		return ""
	}
	return quote(s)
}

var quoter = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

func quote(s string) string { return `"` + quoter.Replace(s) + `"` }
