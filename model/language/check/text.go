package check

import (
	"cmp"
	"slices"

	"ringcheck/model/language/syntax"
)

// A Reading is the result of checking a text: its errors, and the resolved names of the part that could be parsed.
type Reading struct {
	File     *syntax.File
	Spec     *Spec            // nil if there are errors
	Errors   syntax.ErrorList // of syntax, names and types together, as syntax.ErrorList.Err returns them
	Warnings syntax.ErrorList // in the order of the text

	info *info
}

// Text reads a spec and checks what can be checked without values for its parameters; file is its name in positions.
// Where the syntax is wrong, the rest is checked. An unknown name is not an error if a part that cannot be read may
// declare it.
func Text(file string, src []byte) *Reading {
	f, err := syntax.Parse(file, src)
	c := newChecker(f)
	c.run()
	f.Locate(c.errs, "invalid")
	f.Locate(c.warnings, "warning")
	r := &Reading{File: f, Warnings: c.warnings, info: c.info}
	wrong, _ := err.(syntax.ErrorList)
	if r.Errors, _ = append(wrong, c.errs...).Err().(syntax.ErrorList); r.Errors == nil {
		r.Spec = c.spec()
	}
	if err != nil { // what is not used may be used in what cannot be read
		r.Warnings = slices.DeleteFunc(r.Warnings, func(w *syntax.Error) bool { return w.Code == "unused" })
	}
	return r
}

// unknown reports a name without a known declaration.
func (c *checker) unknown(pos syntax.Pos, hint, format string, args ...any) {
	if !c.file.Unread[c.file.Token(c.file.TokenAt(pos)).Text] {
		e := c.errs.Add(pos, format, args...)
		e.Hint, e.Code = hint, "unknown-name"
	}
}

// missing reports that a clause that begins with a word is needed, once: one clause mends all places that need it.
func (c *checker) missing(pos syntax.Pos, word, message, hint string) {
	if !c.file.Unread[word] && !c.missed[word] {
		c.missed[word] = true
		e := c.errs.Add(pos, "%s", message)
		e.Hint, e.Code = hint, "missing-clause"
	}
}

// warnUnneeded warns of a declaration that could be left out.
func (c *checker) warnUnneeded(pos syntax.Pos, format string, args ...any) {
	c.warnings.Add(pos, format, args...).Code = "unused"
}

// visible returns the names that have a value of a shape in a scope, in order; of any shape if it is nil.
func (c *checker) visible(s scope, want *shape) []string {
	fits := func(sh *shape) bool { return isBad(want) || sameShape(sh, want) }
	names := c.values.names(func(sym *symbol) bool { return c.problem(s, sym) == "" && fits(sym.shape) })
	for b := s.bound; b != nil; b = b.outer {
		if fits(b.symbol.shape) {
			names = append(names, b.symbol.name)
		}
	}
	for _, e := range c.enums {
		if fits(e) {
			names = append(names, e.names...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// An occurrence is a place with a name, and the symbol that the name denotes there. A name can denote several things,
// such as the fields of several messages.
type occurrence struct {
	pos    syntax.Pos
	symbol *symbol
}

// refer records that a name denotes sym.
func (c *checker) refer(pos syntax.Pos, sym *symbol) {
	if pos.Line > 0 && sym != nil {
		c.places = append(c.places, occurrence{pos, sym})
	}
}

// referValue records that a name denotes a value of an enumeration, and returns the symbol of the value.
func (c *checker) referValue(pos syntax.Pos, enum *shape, name string) *symbol {
	if enum.values == nil {
		enum.values = map[string]*symbol{}
	}
	if enum.values[name] == nil {
		enum.values[name] = &symbol{kind: valueSymbol, name: name, shape: enum}
	}
	c.refer(pos, enum.values[name])
	return enum.values[name]
}

// A Name is a name with all declarations that share it, which can only be renamed together.
type Name struct {
	Text         string
	Kind         string       // "parameter", "field", …
	Type         string       // of its values: "an integer"; "" if it has none
	Decl         any          // what declares it, such as a *syntax.ConstDecl; nil if nothing does
	Declarations []syntax.Pos // where it is declared; none if it is built in
	At           []syntax.Pos // where it stands, in the order of the text
}

// Names returns the names in the text in their order, and the name at each place where one stands.
func (r *Reading) Names() (list []*Name, at map[syntax.Pos]*Name) {
	at = map[syntax.Pos]*Name{}
	first, same, names := map[syntax.Pos]*symbol{}, map[*symbol]*symbol{}, map[*symbol]*Name{}
	root := func(s *symbol) *symbol {
		for same[s] != nil {
			s = same[s]
		}
		return s
	}
	for _, o := range r.info.places {
		if first[o.pos] == nil {
			first[o.pos] = o.symbol
		} else if a, b := root(first[o.pos]), root(o.symbol); a != b {
			same[b] = a
		}
	}
	for _, o := range r.info.places {
		n := names[root(o.symbol)]
		if n == nil {
			n = &Name{}
			names[root(o.symbol)], list = n, append(list, n)
		}
		n.note(o)
		at[o.pos] = n
	}
	for _, n := range list {
		slices.SortFunc(n.At, syntax.ComparePos)
		slices.SortFunc(n.Declarations, syntax.ComparePos)
		n.At, n.Declarations = slices.Compact(n.At), slices.Compact(n.Declarations)
	}
	slices.SortFunc(list, func(a, b *Name) int { return syntax.ComparePos(a.At[0], b.At[0]) })
	return list, at
}

// note adds an occurrence.
func (n *Name) note(o occurrence) {
	s := o.symbol
	n.At = append(n.At, o.pos)
	if s.at == o.pos {
		n.Declarations = append(n.Declarations, o.pos)
	}
	if n.Decl == nil || s.kind == processSymbol { // a process, which other symbols denote as well
		n.Text, n.Kind, n.Decl = s.name, s.kind.String(), cmp.Or(s.decl, n.Decl)
		if !isBad(s.shape) {
			n.Type = s.shape.String()
		}
	}
}
