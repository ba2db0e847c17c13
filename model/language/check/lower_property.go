package check

import (
	"ringcheck/model/language/ir"
	"ringcheck/model/language/property"
	"ringcheck/model/language/syntax"
)

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

// at lowers p at A.
func (b *builder) at(e *syntax.AtExpr) ir.Expr {
	sym := symbolOf(e.Equation.Binding)
	p, eq := b.process(e.X), b.equations[sym]
	never := ""
	switch {
	case e.Bound: // a process need not stay there
	case eq != nil && !b.occupies(eq):
		never = "no process stays in the text of %[1]s; where an if decides to go there, it is still in the text of " +
			"the if, and bound for %[1]s"
	case !sym.used: // whatever the options are
		never = "%s is unreachable"
	}
	if never != "" {
		b.collector.warn(e.Pos, "it is never true: "+never, e.Equation.Name)
	}
	if eq == nil {
		return boolean(false)
	}
	if e.Bound {
		return &ir.BoundFor{Protocol: b.protocol, Process: p, Equation: eq, Pos: e.Pos}
	}
	return &ir.At{Process: p, Equation: eq, Pos: e.Pos}
}

// process lowers an expression that denotes a process.
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
	if c, ok := p.(*ir.Const); ok && !v.BelongsTo(int(c.Value)) {
		b.errs.Add(e.Name.Pos, "%s has no %s, which only %s has", b.protocol.ProcessName(int(c.Value)), v.Name,
			v.Of.Name)
	}
	return &ir.ProcessVar{Process: p, Var: v, Pos: e.Pos, Required: v.Of != nil && !b.ofProperties}
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

// define lowers a definition when it is first used.
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

// properties lowers the properties that the spec has with these settings.
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
