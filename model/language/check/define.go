package check

import (
	"fmt"
	"slices"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// defineDecl checks a definition of the property section.
func (c *checker) defineDecl(d *syntax.DefineDecl, order int) {
	s := scope{context: propertyContext, order: order}
	for _, f := range d.Params {
		sh := anInteger
		if f.Type != nil {
			sh = c.typ(c.constants(), f.Type)
		}
		s = s.with(c.bind(s, f.Pos, f.Name, sh, f))
	}
	c.stateful, c.reads = false, nil
	sh := c.expr(s, d.Body, nil)
	if sh.kind == messageShape {
		c.errs.Add(d.Body.ExprPos(), "the value of a definition cannot be a message")
	}
	if sym := c.values[d.Name]; sym != nil && sym.decl == d {
		sym.shape, sym.stateful, sym.reads = sh, c.stateful, c.reads
	}
}

// define resolves a definition when it is first used.
func (b *builder) define(sym *symbol) *ir.Define {
	if def := b.defines[sym]; def != nil {
		return def
	}
	d := sym.decl.(*syntax.DefineDecl)
	def := &ir.Define{Name: d.Name}
	b.defines[sym] = def
	for _, f := range d.Params {
		t := ir.NodeType(b.protocol.N)
		if f.Type != nil {
			t = b.typ(f.Type)
		}
		def.Params = append(def.Params, b.binder(b.uses[f], t))
	}
	before := b.noticed
	b.noticed = notice{}
	if b.exprs[d.Body].shape.kind == boolShape {
		def.Body = b.logical(d.Body)
	} else {
		def.Body = b.expr(d.Body, nil)
	}
	b.notices[def], b.noticed = b.noticed, before
	b.undefined[def] = b.mayBeUndefined(def.Body)
	return def
}

// look records that a definition is used: what it reads is read.
func (c *checker) look(sym *symbol) {
	c.stateful, c.reads = c.stateful || sym.stateful, append(c.reads, sym.reads...)
}

// body checks a property, goal or role, and records the assignments that it reads where cond holds.
func (c *checker) body(s scope, e, cond syntax.Expr, what string) {
	c.reads = nil
	c.expect(s, e, aBoolean, what)
	for _, sym := range c.reads {
		c.observed[sym] = append(c.observed[sym], cond)
	}
	c.condition(cond)
}

// propertyDecl checks a property.
func (c *checker) propertyDecl(d *syntax.PropertyDecl) {
	if d.Kind == "inevitable" {
		c.warnings.Add(d.Pos, "inevitable is now called recoverable: "+
			"from every reachable state, one can be reached where it holds")
	}
	c.body(scope{context: propertyContext, order: len(c.file.Order)}, d.Body, d.If, "property")
}

// properties resolves the properties that the spec has with these settings.
func (b *builder) properties() {
	kinds := map[string]ir.PropertyKind{
		"invariant": ir.Invariant, "terminal": ir.Terminal, "reachable": ir.Reachable,
		"recoverable": ir.Recoverable, "inevitable": ir.Recoverable,
	}
	for _, d := range syntax.All[*syntax.PropertyDecl](b.file) {
		if !b.holds(d.If) {
			continue
		}
		b.noticed = notice{}
		p := &ir.Property{Kind: kinds[d.Kind], Name: d.Name, Doc: d.Doc, Body: b.logical(d.Body), Pos: d.Pos}
		value, constant := decided(p.Body)
		p.Warnings = b.noticed.warnings(p.Pos, constant && !value)
		b.protocol.Properties = append(b.protocol.Properties, p)
	}
}

// condition checks the if clause of a declaration, which may be nil.
func (c *checker) condition(e syntax.Expr) {
	if e != nil {
		c.expect(c.constants(), e, aBoolean, "condition")
	}
}

// occupies reports whether the control point of a process can be in the text of an equation, once calls are resolved.
func (b *builder) occupies(eq *ir.Equation) bool {
	if b.occupied != nil {
		return b.occupied[eq]
	}
	b.occupied = make(map[*ir.Equation]bool)
	for _, pt := range b.protocol.Points {
		for t := range ir.Terms(pt.Term) {
			switch t := t.(type) {
			case *ir.Prefix:
				if t.Next != nil {
					b.stay(t.Next)
				}
			case *ir.For:
				b.stay(t.Then)
			case *ir.Stop: // a process that will decide to stop counts as stopped, see ir.Protocol.Ended
				b.stay(t.Point)
			}
		}
	}
	if again := b.protocol.Faults.Recover; again != nil {
		b.stay(again.Equation.Start)
	}
	for t := range ir.Terms(b.protocol.Start.Term) {
		switch t := t.(type) {
		case *ir.Call:
			b.stay(t.Equation.Start)
		case *ir.Enter:
			b.stay(t.Point)
		}
	}
	return b.occupied[eq]
}

// stay marks the equation that a process is in that arrives at pt. The body of a loop is in the text of the loop.
func (b *builder) stay(pt *ir.Point) {
	switch t := pt.Term.(type) {
	case *ir.Call:
		b.stay(t.Equation.Start)
	case *ir.Store:
		b.stay(t.Then)
	default:
		b.occupied[pt.Equation] = true
	}
}

// A notice collects the warnings about a property or a definition while it is lowered.
type notice struct {
	stateful bool // it depends on the state, at least with other parameters or options
	list     []ir.Warning
}

func (n *notice) warn(pos syntax.Pos, text string, args ...any) {
	if w := (ir.Warning{Pos: pos, Text: fmt.Sprintf(text, args...)}); !slices.Contains(n.list, w) {
		n.list = append(n.list, w)
	}
}

// add adds the notice of a definition that is used.
func (n *notice) add(other notice) {
	n.stateful = n.stateful || other.stateful
	for _, w := range other.list {
		n.warn(w.Pos, "%s", w.Text)
	}
}

// warnings returns the warnings about a property. A property that is false says something: a terminal one, that there
// is no terminal state.
func (n *notice) warnings(pos syntax.Pos, never bool) []ir.Warning {
	if !n.stateful && !never {
		n.warn(pos, "this says nothing of any state")
	}
	return n.list
}

// nothing records a quantifier with an empty range, and warns if the range is literal: parameters may make one empty
// on purpose.
func (n *notice) nothing(pos syntax.Pos, d *syntax.Binder) {
	n.stateful = true
	if r, ok := d.Type.(*syntax.RangeType); ok {
		_, lo := r.Lo.(*syntax.IntLit)
		_, hi := r.Hi.(*syntax.IntLit)
		if lo && hi {
			n.warn(pos, "this ranges over nothing")
		}
	}
}

// compared warns of a comparison that the ranges of both sides decide. One that is always true still says something if
// a side may be undefined: that it is defined.
func (n *notice) compared(op ir.Op, l, r *ir.Type, pos syntax.Pos, stateful, undefined bool) {
	ordered := func(t *ir.Type) bool { return ir.Absent < t.Kind && t.Kind < ir.Set }
	if !stateful || !ordered(l) || !ordered(r) {
		return
	}
	never, always := l.Lo > r.Hi, l.Hi <= r.Lo && !undefined
	switch op {
	case ir.Lt:
		never, always = l.Lo >= r.Hi, l.Hi < r.Lo && !undefined
	case ir.Eq:
		never, always = l.Lo > r.Hi || r.Lo > l.Hi, l.Lo == r.Hi && l.Hi == r.Lo && !undefined
	case ir.Ne:
		never, always = l.Lo == r.Hi && l.Hi == r.Lo, l.Lo > r.Hi || r.Lo > l.Hi
	}
	switch {
	case never:
		n.warn(pos, "this is never true: the values are %s and %s", values(l), values(r))
	case always:
		n.warn(pos, "this is always true: the values are %s and %s", values(l), values(r))
	}
}

func values(t *ir.Type) string {
	if t.Lo == t.Hi {
		return t.Format(t.Lo)
	}
	return t.String()
}
