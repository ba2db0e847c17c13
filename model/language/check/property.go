package check

import (
	"fmt"
	"slices"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/property"
	"ringcheck/model/language/syntax"
)

// property checks an expression that can stand only in properties, except registers of neighbours.
func (c *checker) property(s scope, e syntax.Expr) *shape {
	if f, ok := e.(*syntax.FieldExpr); ok && s.context == codeContext {
		return c.neighbourRegister(s, f)
	}
	if s.context != propertyContext {
		c.errs.Add(e.ExprPos(), "%s can stand only in properties", describe(e))
		return nil
	}
	c.stateful = true
	return c.ofState(s, e)
}

// ofState checks an expression that looks at a state.
func (c *checker) ofState(s scope, e syntax.Expr) *shape {
	switch e := e.(type) {
	case *syntax.AtExpr:
		c.expect(s, e.X, anInteger, "process")
		sym := c.resolve(c.equations, e.Equation.Pos, equationSymbol, e.Equation.Name)
		if e.Equation.Binding = sym; sym != nil {
			sym.asked = true
		}
		return aBoolean
	case *syntax.CrashedExpr:
		c.expect(s, e.X, anInteger, "process")
		return aBoolean
	case *syntax.IsExpr:
		c.expect(s, e.X, &shape{kind: messageShape}, "left operand of is")
		e.Message.Binding = c.resolve(c.messages, e.Message.Pos, messageSymbol, e.Message.Name)
		return aBoolean
	case *syntax.FieldExpr:
		return c.field(s, e)
	}
	c.errs.Add(e.ExprPos(), "unknown expression")
	return nil
}

// ofState lowers an expression that can stand only in properties, except a field.
func (b *builder) ofState(e syntax.Expr) ir.Expr {
	b.collector.stateful = true
	switch e := e.(type) {
	case *syntax.AtExpr:
		return b.at(e)
	case *syntax.CrashedExpr:
		p := b.process(e.X)
		if crashed := b.protocol.Faults.Crashed; crashed != nil {
			return &ir.At{Process: p, Equation: crashed, Pos: e.Pos}
		}
		return boolean(false)
	}
	is := e.(*syntax.IsExpr)
	return &ir.MessageIs{Of: b.expr(is.X, nil), Message: b.messages[symbolOf(is.Message.Binding)], Pos: is.Pos}
}

func describe(e syntax.Expr) string {
	switch e.(type) {
	case *syntax.AtExpr:
		return "at"
	case *syntax.CrashedExpr:
		return "crashed"
	case *syntax.IsExpr:
		return "is"
	}
	return "a field"
}

// at lowers p at A.
func (b *builder) at(e *syntax.AtExpr) ir.Expr {
	sym := symbolOf(e.Equation.Binding)
	p, eq := b.process(e.X), b.equations[sym]
	never := ""
	switch {
	case eq != nil && !b.occupies(eq):
		never = "no process stays in the text of %s; " +
			"where an if decides to go there, it is still in the text of the if"
	case !sym.used: // whatever the options are
		never = "%s is unreachable"
	}
	if never != "" {
		b.collector.warn(e.Pos, "it is never true: "+never, e.Equation.Name)
	}
	if eq == nil {
		return boolean(false)
	}
	return &ir.At{Process: p, Equation: eq, Pos: e.Pos}
}

// process resolves an expression that denotes a process.
func (b *builder) process(e syntax.Expr) ir.Expr {
	return b.toProcess(b.expr(e, nil), e.ExprPos())
}

func (b *builder) toProcess(x ir.Expr, pos syntax.Pos) ir.Expr {
	node := ir.NodeType(b.protocol.N)
	if c, ok := b.convert(x, node, "process", pos).(*ir.Const); ok {
		return &ir.Const{T: node, Value: c.Value}
	}
	return &ir.Convert{X: x, To: node, What: "process", Pos: pos}
}

// neighbourRegister checks left.x and q.x in a process: a register of a neighbour or, in what is assigned to a ghost,
// also a ghost.
func (c *checker) neighbourRegister(s scope, e *syntax.FieldExpr) *shape {
	c.expect(s, e.X, c.linkShape(), "neighbour whose register is read")
	what := "register"
	if s.ghost {
		what = "register or ghost"
	}
	sym := c.variableOf(e, func(sym *symbol) bool {
		return sym.register() || s.ghost && sym.varKind() == "ghost"
	}, what)
	if sym == nil {
		return nil
	}
	return sym.shape
}

// variableOf resolves the name in p.x, which must be a suitable variable.
func (c *checker) variableOf(e *syntax.FieldExpr, fit func(*symbol) bool, what string) *symbol {
	sym := c.values[e.Name.Name]
	if sym == nil || !fit(sym) {
		c.unknown(e.Name.Pos, syntax.Suggest(e.Name.Name, c.values.names(fit)), "no %s %s", what, e.Name.Name)
		return nil
	}
	sym.used, e.Name.Binding = true, sym
	c.refer(e.Name.Pos, sym)
	return sym
}

// field lowers a field of a message, a variable of a process or, in a process, a register or ghost of a neighbour.
func (b *builder) field(e *syntax.FieldExpr) ir.Expr {
	b.collector.stateful = b.collector.stateful || b.ofProperties
	sym := symbolOf(e.Name.Binding)
	if sym.kind == fieldSymbol {
		return b.messageField(e, sym.shape, symbolOf(e.Of))
	}
	v, p := b.vars[sym], ir.Expr(nil)
	if b.ofProperties || b.protocol.Numbered() {
		p = b.process(e.X)
	} else {
		p = &ir.Peer{Protocol: b.protocol, Port: b.expr(e.X, nil), Pos: e.Pos}
	}
	if v.Type.Kind == ir.Absent {
		return b.zero(sym)
	}
	return &ir.ProcessVar{Process: p, Var: v, Pos: e.Pos}
}

// field checks p.id for a process p and m.hop for a message m.
func (c *checker) field(s scope, e *syntax.FieldExpr) *shape {
	x := c.expr(s, e.X, nil)
	switch {
	case isBad(x):
		return nil
	case x.kind == messageShape:
		return c.messageField(s, e)
	case x.kind != intShape:
		c.errs.Add(e.Pos, "only processes and messages have fields, this is %s", x)
		return nil
	}
	if sym := c.variableOf(e, (*symbol).variable, "variable"); sym != nil {
		return sym.shape
	}
	return nil
}

// given returns s where a checked expression is true, or false: it can determine the kinds of messages.
func (c *checker) given(s scope, e syntax.Expr, holds bool) scope {
	switch e := e.(type) {
	case *syntax.IsExpr:
		if m, ok := e.X.(*syntax.Name); ok && holds {
			if bound, kind := symbolOf(m.Binding), symbolOf(e.Message.Binding); bound != nil && kind != nil {
				s.kinds = &messageKind{bound, kind, s.kinds}
			}
		}
	case *syntax.UnaryExpr:
		if e.Op == "not" {
			s = c.given(s, e.X, !holds)
		}
	case *syntax.BinaryExpr:
		if e.Op == "and" && holds || e.Op == "or" && !holds {
			s = c.given(c.given(s, e.X, holds), e.Y, holds)
		}
	}
	return s
}

// messageField finds the shape that a field has in all messages that have it, or in the messages of a known kind.
func (c *checker) messageField(s scope, e *syntax.FieldExpr) *shape {
	var of *symbol
	if m, ok := e.X.(*syntax.Name); ok {
		of = s.kinds.of(symbolOf(m.Binding))
		if of != nil && !slices.ContainsFunc(of.fields, func(f *syntax.Field) bool { return f.Name == e.Name.Name }) {
			of = nil
		}
	}
	e.Of, e.Name.Binding = of, nil
	var found *shape
	var names []string
	for _, m := range c.signatures("message") {
		for _, f := range m.Fields {
			if of != nil && of != c.messages[m.Name] {
				continue
			}
			names = append(names, f.Name)
			if f.Name != e.Name.Name {
				continue
			}
			sym := symbolOf(f.Binding)
			c.refer(e.Name.Pos, sym)
			if !sameShape(found, sym.shape) {
				c.errs.Add(e.Name.Pos, "the field %s has several types: %s and %s", f.Name, found, sym.shape)
				return nil
			}
			found, e.Name.Binding = sym.shape, sym
		}
	}
	if found == nil {
		c.unknown(e.Name.Pos, syntax.Suggest(e.Name.Name, names), "no message has a field %s", e.Name.Name)
	}
	return found
}

// messageField lowers a field of a message, of the given kind unless that is nil.
func (b *builder) messageField(e *syntax.FieldExpr, sh *shape, of *symbol) ir.Expr {
	f := &ir.MessageField{Of: b.expr(e.X, nil), T: b.shapeType(sh)}
	first := true
	for _, m := range b.protocol.Messages {
		at := -1
		for i, field := range m.Fields {
			if field.Name != e.Name.Name || of != nil && of.name != m.Name {
				continue
			}
			at = i
			if t := field.Type; first {
				f.T, first = t, false
			} else if u, err := hull(f.T, t); err == nil {
				f.T = u
			}
			if k := f.T.Kind; (k == ir.Set || k == ir.Array) && !field.Type.SubtypeOf(f.T) {
				b.errs.Add(e.Name.Pos, "the field %s has several types: %s and %s", field.Name, f.T, field.Type)
			}
		}
		f.Fields = append(f.Fields, at)
	}
	if f.T.Kind == ir.Absent {
		return &ir.Const{T: b.shapeType(sh)}
	}
	return f
}

// defineDecl checks a definition of the property section.
func (c *checker) defineDecl(d *syntax.DefineDecl, order int) {
	s := scope{context: propertyContext, order: order}
	for _, f := range d.Params {
		sh := anInteger
		if f.Type != nil {
			sh = c.typ(c.constants(), f.Type)
		}
		sym := c.bind(s, f.Pos, f.Name, sh, f)
		f.Binding = sym
		s = s.bind(sym)
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
	var params []*ir.Var
	for _, f := range d.Params {
		t := ir.NodeType(b.protocol.N)
		if f.Type != nil {
			t = b.typ(f.Type)
		}
		params = append(params, b.binder(symbolOf(f.Binding), t))
	}
	before := b.collector
	b.collector = warningCollector{}
	lower := b.logical
	if sym.shape.kind != boolShape {
		lower = func(e syntax.Expr) ir.Expr { return b.expr(e, nil) }
	}
	def := ir.NewDefine(d.Name, params, lower(d.Body))
	b.defines[sym] = def
	b.notices[def], b.collector = b.collector, before
	b.undefined[def] = b.mayBeUndefined(def.Body)
	return def
}

// look records what a definition that is used reads.
func (c *checker) look(sym *symbol) {
	c.stateful, c.reads = c.stateful || sym.stateful, append(c.reads, sym.reads...)
}

// body checks a property, goal or role, and records the assignments that it reads where cond holds.
func (c *checker) body(s scope, e, cond syntax.Expr, what string) {
	c.reads = nil
	c.expect(s, e, aBoolean, what)
	for _, sym := range c.reads {
		sym.conditions = append(sym.conditions, cond)
	}
	c.condition(c.constants(), cond)
}

// propertyDecl checks a property.
func (c *checker) propertyDecl(d *syntax.PropertyDecl) {
	c.body(scope{context: propertyContext, order: len(c.file.Order)}, d.Body, d.If, "property")
}

// properties resolves the properties that the spec has with these settings.
func (b *builder) properties() {
	for _, d := range syntax.All[*syntax.PropertyDecl](b.file) {
		if !b.holds(d.If) {
			continue
		}
		b.collector = warningCollector{}
		p := &ir.Property{Kind: property.Find(d.Kind), Name: d.Name, Doc: d.Doc, Body: b.logical(d.Body), Pos: d.Pos}
		if p.Kind.Negated {
			p.Body = not(p.Body)
		}
		p.Warnings = b.warnings(p.Pos, d.Body, true)
		b.protocol.Properties = append(b.protocol.Properties, p)
	}
}

// condition checks a condition, which may be nil.
func (c *checker) condition(s scope, e syntax.Expr) {
	if e != nil {
		c.expect(s, e, aBoolean, "condition")
	}
}

// occupies reports whether the control point of a process can be in the text of an equation, once calls are resolved.
func (b *builder) occupies(eq *ir.Equation) bool {
	if b.occupied != nil {
		return b.occupied[eq]
	}
	b.occupied = make(map[*ir.Equation]bool)
	for _, t := range b.protocol.Terms() {
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

// stay marks the equations in which a process may be that arrives at pt.
func (b *builder) stay(pt *ir.Point) {
	for at := range ir.Arrivals(pt) {
		if !ir.Passing(at.Term) {
			b.occupied[at.Equation] = true
		}
	}
}

// A warningCollector collects the warnings about a property or a definition while it is lowered.
type warningCollector struct {
	stateful bool // it depends on the state, at least with other parameters or options
	list     []ir.Warning
}

func (n *warningCollector) warn(pos syntax.Pos, text string, args ...any) {
	if w := (ir.Warning{Pos: pos, Text: fmt.Sprintf(text, args...)}); !slices.Contains(n.list, w) {
		n.list = append(n.list, w)
	}
}

// add adds the notice of a definition that is used.
func (n *warningCollector) add(other warningCollector) {
	n.stateful = n.stateful || other.stateful
	for _, w := range other.list {
		n.warn(w.Pos, "%s", w.Text)
	}
}

// warnings returns the warnings about a lowered property at pos. A property of states that is false has no warning: a
// terminal one claims that there is no terminal state. If a part has a warning, the whole has none.
func (b *builder) warnings(pos syntax.Pos, e syntax.Expr, ofStates bool) []ir.Warning {
	if b.errs == nil && len(b.collector.list) == 0 {
		if value, ok := b.tautology(e); ok && (value || !ofStates) {
			of := "state"
			if hasTemporal(e) {
				of = "run"
			}
			b.collector.warn(pos, "this has the same value in every %s", of)
		}
	}
	return b.collector.list
}

// emptyRange records a quantifier with an empty range, and warns if the range is literal: parameters may make one empty
// on purpose.
func (n *warningCollector) emptyRange(pos syntax.Pos, d *syntax.Binder) {
	n.stateful = true
	if r, ok := d.Type.(*syntax.RangeType); ok {
		_, lo := r.Lo.(*syntax.IntLit)
		_, hi := r.Hi.(*syntax.IntLit)
		if lo && hi {
			n.warn(pos, "this range is empty")
		}
	}
}

// warnComparison warns of a comparison that the ranges of both sides decide, except if it claims that a side is
// defined.
func (n *warningCollector) warnComparison(op ir.Op, l, r *ir.Type, pos syntax.Pos, stateful, undefined bool) {
	if !stateful || !l.Scalar() || !r.Scalar() {
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
