package syntax

import (
	"bytes"
	"slices"
	"strings"
)

// Print returns f, which Parse has returned, in canonical layout. It keeps the author's empty lines between
// declarations, and line breaks within them where the layout permits one; other lines are broken only if they are too
// long. Parsing the result gives f again, except for positions, and printing that gives the same text. Comments stay
// where they are if the layout has a line break there; otherwise they are written in front of the declaration.
func Print(f *File) []byte {
	p := &printer{before: map[Decl][]*Comment{}, beside: map[Decl]*Comment{}, author: &lineBreaks{file: f}}
	for _, c := range f.Comments {
		switch {
		case c.Inside:
			p.author.inside = append(p.author.inside, c)
		case c.Beside != nil:
			p.beside[c.Beside] = c
		default:
			p.before[c.Before] = append(p.before[c.Before], c)
		}
	}
	p.file(f)
	return alignComments(p.out.Bytes())
}

// FormatField returns a field of a message or an event as Print writes it.
func FormatField(f *Field) string { return strings.Trim(fields([]*Field{f}), "()") }

// FormatExpr returns e as Print writes it, but on one line.
func FormatExpr(e Expr) string { return exprString(e, 0, true) }

// FormatAction returns an action as Print writes it, but on one line.
func FormatAction(a Action) string { return flat(func(l *layout) { l.action(a) }) }

// A printer collects the text. Comments are grouped by the declaration they belong to; those at the end of the file
// belong to nil.
type printer struct {
	out    bytes.Buffer
	before map[Decl][]*Comment
	beside map[Decl]*Comment
	author *lineBreaks
}

func (p *printer) file(f *File) {
	p.comments(f)
	p.write(p.author.takeComments(f)...)
	p.line(join("protocol", f.Name, doc(f.Doc)), f)
	if f.Source != "" {
		p.line("source "+quote(f.Source), nil)
	}
	for i, d := range f.Order {
		s := formatDecl(d, p.author)
		rest := p.author.takeComments(d)
		if sig, ok := d.(*SignatureDecl); ok && sig.Joined && len(p.before[d])+len(rest) == 0 &&
			p.beside[f.Order[i-1]] == nil {
			_, s, _ = strings.Cut(s, " ")
			p.out.Truncate(p.out.Len() - 1)
			p.line(", "+s, d)
			continue
		}
		if i == 0 || f.Spaced[i] {
			p.out.WriteByte('\n')
		}
		p.comments(d)
		p.write(rest...)
		p.line(s, d)
	}
	if len(p.before[nil]) > 0 {
		p.out.WriteByte('\n')
		p.comments(nil)
	}
}

// line writes the text of d and the comment beside it.
func (p *printer) line(s string, d Decl) {
	p.out.WriteString(s)
	if c := p.beside[d]; c != nil && d != nil {
		p.out.WriteString(trailing(c))
	}
	p.out.WriteByte('\n')
}

func (p *printer) comments(d Decl) {
	for _, c := range p.before[d] {
		p.write(c)
		if c.Apart {
			p.out.WriteByte('\n')
		}
	}
}

// write writes comments on lines of their own.
func (p *printer) write(list ...*Comment) {
	for _, c := range list {
		for _, l := range c.Lines {
			p.out.WriteString(commentLine(l) + "\n")
		}
	}
}

func commentLine(s string) string { return strings.TrimRight("// "+s, " ") }

// FormatDecl returns a declaration as Print writes it, without its comments and the author's line breaks.
func FormatDecl(d Decl) string { return formatDecl(d, nil) }

// formatDecl returns a declaration in the lines of its author.
func formatDecl(d Decl, author *lineBreaks) string {
	doc := doc(d.header().Doc)
	switch d := d.(type) {
	case *SettingDecl:
		return join(d.Kind, d.Name+":", typeString(d.Type), withWord("=", d.Default), doc)
	case *ConstDecl:
		return join("const", d.Name, withWord("=", d.Value))
	case *TypeDecl:
		return join("type", d.Name, "=", typeString(d.Type))
	case *TopologyDecl:
		return topologyString(d)
	case *ChannelDecl:
		return channelString(d)
	case *CheckDecl:
		return "check " + strings.Join(givenStrings(d), ", ")
	case *CrashDecl:
		return crashString(d)
	case *VarDecl:
		return join(d.Kind, idents(d.Names, ", ")+":", typeString(d.Type), given(d.Of != nil, "of"), identString(d.Of),
			withWord("=", d.Init), withWord("if", d.If))
	case *SignatureDecl:
		return join(d.Kind, d.Name+fields(d.Fields), doc)
	case *AssignDecl:
		return join("assign", d.Name+":", given(d.Permutation, "permutation of"), typeString(d.Type),
			withWord("if", d.If))
	case *InitiallyDecl:
		return initiallyString(d)
	case *InitialDecl:
		return clauseString("initially", d.Condition, withWord("if", d.If), d.If, author)
	case *ProcessDecl:
		index := ""
		if d.Index != nil {
			index = "[" + d.Index.Name + " in " + typeString(d.Range) + "]"
		}
		return bodyString("process "+d.Name+index+" =", d.Body, author)
	case *EquationDecl:
		return bodyString(d.Name+params(d)+" =", d.Body, author)
	case *DefineDecl:
		return clauseString(join("define", d.Name+fields(d.Params), "="), d.Body, "", nil, author)
	case *PropertyDecl:
		return clauseString(join(d.Kind, d.Name, doc, "="), d.Body, withWord("if", d.If), d.If, author)
	case *TemporalDecl:
		return clauseString(join("ltl", d.Name, doc, "="), d.Formula, join(assumptions(d), withWord("if", d.If)),
			nil, author)
	case *BoundDecl:
		return boundString(d)
	case *RewardDecl:
		return join("reward", d.Name, doc, "=", exprString(d.Value, 0, false), "per", d.Per, identString(d.Of))
	case *RoleDecl:
		return clauseString(join("role", d.Name, "="), d.Body, join(doc, identString(d.Colour)), nil, author)
	}
	return ""
}

func topologyString(d *TopologyDecl) string {
	s := join("topology", given(d.Anonymous, "anonymous"), d.Kind, "of", exprString(d.Size, sumLevel, false))
	if d.By != nil {
		s = join(s, "by", exprString(d.By, sumLevel, false))
	}
	if d.From != nil {
		s = join(s, "with", d.From.Name, "->", d.To.Name, withWord("if", d.If))
	}
	return s
}

func channelString(d *ChannelDecl) string {
	s := join("channel", idents(d.Kinds, " | "), given(d.Default != nil, "="), identString(d.Default))
	if d.Capacity != nil {
		s = join(s, "of", exprString(d.Capacity, sumLevel, false))
	}
	for _, c := range d.Clauses {
		s += ", " + c.Word
		switch {
		case c.Most != nil:
			s += " at most " + exprString(c.Most, sumLevel, false)
		case c.Delay != nil:
			s += " " + typeString(c.Delay)
		case c.If != nil:
			s += " " + withWord("if", c.If)
		}
	}
	return join(s, doc(d.Doc))
}

// givenStrings returns the values of a check declaration.
func givenStrings(d *CheckDecl) []string {
	var list []string
	for _, g := range d.Given {
		value := exprString(g.Value, sumLevel, true)
		if g.Last != nil {
			value = typeString(&RangeType{Lo: g.Value, Hi: g.Last})
		}
		list = append(list, join(g.Name.Name, "=", value))
	}
	return list
}

func crashString(d *CrashDecl) string {
	s := "crash at most " + exprString(d.Most, sumLevel, false)
	if d.Name != nil {
		s = join(s, "of", d.Name.Name, withWord("where", d.Where))
	}
	if d.Recover != nil {
		s = join(s, "recover", flat(func(l *layout) { l.step(d.Recover) }))
	}
	return s
}

func initiallyString(d *InitiallyDecl) string {
	s := flat(func(l *layout) {
		for i, c := range d.Messages {
			l.write(given(i > 0, ", "), c.Message.Name)
			l.arguments(c.Args)
		}
		l.write(" in inbox(", d.Process, ", ", d.Source, ")")
	})
	if len(d.Binders) > 0 {
		s = join(s, "for", bindersString(d.Binders))
	}
	return join("initially", s, withWord("where", d.Where), withWord("if", d.If))
}

// params returns the parameters of an equation in parentheses.
func params(d *EquationDecl) string {
	if len(d.Params) == 0 {
		return ""
	}
	names := make([]string, len(d.Params))
	for i, id := range d.Params {
		names[i] = join(given(d.Kept[i], "keep"), id.Name)
	}
	return "(" + strings.Join(names, ", ") + ")"
}

// assumptions returns the clause "under …" of a temporal property.
func assumptions(d *TemporalDecl) string {
	var parts []string
	for _, f := range d.Fair {
		names := join(given(len(f.Names) > 0, "of"), idents(f.Names, ", "))
		parts = append(parts, join(given(f.Strongly, "strongly"), "fair", names))
	}
	if d.Chance != "" {
		parts = append(parts, d.Chance)
	}
	return join(given(len(parts) > 0, "under"), strings.Join(parts, " and "))
}

func boundString(d *BoundDecl) string {
	head, of := "probability", "P("
	if d.Within != nil {
		of = join("P(within", exprString(d.Within, sumLevel, false))
		if d.Unit != nil {
			of = join(of, d.Unit.Name)
		}
		of += ": "
	}
	if d.Reward != nil {
		head, of = "expected", "E("+d.Reward.Name+" until "
	}
	l := &layout{}
	l.write(join(head, d.Name, doc(d.Doc), "="))
	l.group(len(l.text), func() {
		l.newline(indent, Pos{})
		l.write(join(of+exprString(d.Goal, 0, true)+")", d.Relation, exprString(d.Bound, sumLevel, false),
			given(d.Uniform, "under uniform"), withWord("if", d.If)))
	})
	return string(l.text)
}

// bodyString returns an equation: a choice has a line for each alternative.
func bodyString(head string, body Term, author *lineBreaks) string {
	l := &layout{author: author}
	l.write(head)
	if c, ok := body.(*ChoiceTerm); ok {
		l.newline(indent, c.Terms[0].TermPos())
		l.alternatives(c, indent)
		return string(l.text)
	}
	l.group(len(head), func() {
		l.fill(indent, body.TermPos(), func() { l.term(body, indent) })
	})
	return string(l.text)
}

// clauseString returns a definition or a property: its head, its body and the words after that, which end with a
// condition unless that is nil.
func clauseString(head string, body Expr, words string, condition Expr, author *lineBreaks) string {
	l := &layout{author: author}
	l.write(head)
	l.group(len(head), func() {
		l.fill(indent, Begin(body), func() { l.block(body, 0, true, indent) })
		if words != "" {
			at := Pos{}
			if condition != nil {
				at = author.wordBefore(Begin(condition))
			}
			l.fill(indent, at, func() { l.write(words) })
		}
	})
	return string(l.text)
}

func typeString(t Type) string {
	switch t := t.(type) {
	case *WordType:
		return t.Word
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
			parts[i] = join(f.Name+":", typeString(f.Type), withWord("if", f.If))
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

// withWord returns word and e, "" if e is nil.
func withWord(word string, e Expr) string {
	if e == nil {
		return ""
	}
	return join(word, exprString(e, 0, true))
}

// join puts spaces between the parts that are not empty.
func join(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " ")
}

// given returns s if it applies, otherwise "".
func given(applies bool, s string) string {
	if applies {
		return s
	}
	return ""
}

func identString(id *Ident) string {
	if id == nil {
		return ""
	}
	return id.Name
}

func doc(s string) string { return given(s != "", quote(s)) }

var quoter = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

func quote(s string) string { return `"` + quoter.Replace(s) + `"` }
