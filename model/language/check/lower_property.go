package check

import (
	"math"

	"ringcheck/internal/effort"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// logical resolves a boolean that is an operand of a connective, a condition or a whole property: where it
// can be undefined, it is false then.
func (b *builder) logical(e syntax.Expr) ir.Expr {
	x := b.expr(e, nil)
	if b.mayBeUndefined(x) {
		return &ir.Holds{X: x, Pos: e.ExprPos()}
	}
	return x
}

// mayBeUndefined reports whether the value of e can be undefined in some state.
func (b *builder) mayBeUndefined(e ir.Expr) bool {
	found := false
	ir.Walk(e, func(e ir.Expr) bool {
		switch e := e.(type) {
		case *ir.ProcessVar:
			found = found || !e.Var.Lasting()
		case *ir.MessageField:
			found = true
		case *ir.Neighbour:
			found = found || e.Protocol.Topology != ir.DirectedRing && e.Protocol.Topology != ir.UndirectedRing
		case *ir.Apply:
			found = found || b.undefined[e.Define]
		case *ir.Holds:
			return false
		}
		return !found
	})
	return found
}

// propertyExpr resolves what can stand only in properties.
func (b *builder) propertyExpr(e syntax.Expr) ir.Expr {
	if e, ok := e.(*syntax.QuantExpr); ok {
		return b.quantifier(e, e.Binders)
	}
	b.noticed.stateful = true
	switch e := e.(type) {
	case *syntax.AtExpr:
		p, eq := b.process(e.X), b.equations[b.uses[e]]
		never := ""
		switch {
		case eq != nil && !b.occupies(eq):
			never = "no process stays in the text of %s; where an if decides to go there, it is still in the text of the if"
		case !b.uses[e].used: // whatever the options are
			never = "no process comes to %s"
		}
		if never != "" {
			b.noticed.warn(e.Pos, "it is never true: "+never, e.Equation.Name)
		}
		if eq == nil {
			return boolean(false)
		}
		return &ir.At{Process: p, Equation: eq, Pos: e.Pos}
	case *syntax.CrashedExpr:
		p := b.process(e.X)
		if crashed := b.protocol.Faults.Crashed; crashed != nil {
			return &ir.At{Process: p, Equation: crashed, Pos: e.Pos}
		}
		return boolean(false)
	case *syntax.IsExpr:
		return &ir.MessageIs{Of: b.expr(e.X, nil), Message: b.messages[b.uses[e]], Pos: e.Pos}
	case *syntax.FieldExpr:
		if b.shapes[e.X].kind == messageShape {
			return b.messageField(e)
		}
		v := b.vars[b.uses[e]]
		if b.peers[e] {
			return &ir.ProcessVar{Process: &ir.Peer{Protocol: b.protocol, Port: b.expr(e.X, nil), Pos: e.Pos}, Var: v}
		}
		p := b.process(e.X)
		if v.Type.Kind != ir.Absent {
			return &ir.ProcessVar{Process: p, Var: v, Pos: e.Pos}
		}
		return b.zero(b.uses[e])
	}
	return boolean(false)
}

// process resolves an expression that stands for a process.
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

// quantifier resolves a quantifier with the given binders, each of which quantifies over the rest.
func (b *builder) quantifier(e *syntax.QuantExpr, binders []*syntax.Binder) ir.Expr {
	if len(binders) == 0 {
		if e.Op == "sum" {
			return b.expr(e.Body, nil)
		}
		return b.logical(e.Body)
	}
	if e.Op == "set" {
		return b.comprehension(e)
	}
	ops := map[string]ir.Quant{"forall": ir.ForAll, "exists": ir.Exists, "count": ir.Sum, "sum": ir.Sum}
	q := &ir.Quantifier{Op: ops[e.Op], T: ir.BoolType(), Pos: e.Pos}
	set := b.domain(q, binders[0])
	if lo, ok := q.Lo.(*ir.Const); ok {
		if hi, ok := q.Hi.(*ir.Const); ok && lo.Value > hi.Value {
			b.noticed.nothing(e.Pos, binders[0])
			if q.Op == ir.Sum {
				return integer(0)
			}
			return boolean(q.Op == ir.ForAll)
		}
	}
	q.Body = b.quantifier(e, binders[1:])
	if set != nil {
		q.Body = b.within(q, set, e.Pos)
	}
	if q.Op == ir.Sum {
		q.T = anyInteger()
		if q.Body.Type().Lo >= 0 {
			q.T = ir.IntType(0, math.MaxInt64)
		}
	}
	if q.T.Kind == ir.Bool && b.mayBeUndefined(q.Body) {
		q.Body = &ir.Holds{X: q.Body, Pos: e.Pos}
	}
	return b.decidedQuantifier(q)
}

// decidedQuantifier returns the value of q as a constant if it depends on nothing, and does not fail.
func (b *builder) decidedQuantifier(q *ir.Quantifier) ir.Expr {
	bound := map[*ir.Var]bool{}
	closed := !q.T.Wide
	ir.Walk(q, func(e ir.Expr) bool {
		switch e := e.(type) {
		case *ir.Quantifier:
			bound[e.Var] = true
			closed = closed && e.Over == nil
		case *ir.VarRef:
			closed = closed && bound[e.Var] && !e.Var.Type.Wide
		case *ir.Const, *ir.Unary, *ir.Binary, *ir.Cond, *ir.Convert, *ir.SetLit, *ir.Interval, *ir.Index, *ir.Update, *ir.Fill, *ir.Neighbours:
		default:
			closed = false
		}
		return closed
	})
	if !closed {
		return q
	}
	v, err := b.decide(q)
	if err != nil {
		return q
	}
	return &ir.Const{T: exactly(q.T, v), Value: v}
}

// decidedSteps is how many values quantifiers take at most that are decided before the run: some milliseconds' worth.
const decidedSteps = 1 << 16

// decide evaluates a quantifier that depends on nothing. It is an error that this takes too long.
func (b *builder) decide(q *ir.Quantifier) (v int64, err error) {
	defer effort.Catch(&err)
	env := b.env()
	env.Tick = effort.Steps(decidedSteps)
	return q.Eval(env)
}

// within restricts the body of a quantifier over all values of the elements' type to a set.
func (b *builder) within(q *ir.Quantifier, set ir.Expr, pos syntax.Pos) ir.Expr {
	in := fold(&ir.Binary{Op: ir.In, X: &ir.VarRef{Var: q.Var}, Y: set, T: ir.BoolType(), Pos: pos})
	if b.mayBeUndefined(in) {
		in = &ir.Holds{X: in, Pos: pos}
	}
	switch {
	case q.Op == ir.ForAll:
		return implication(in, q.Body, pos)
	case q.Op == ir.Exists || q.Body.Type().Kind == ir.Bool:
		return conjunction(in, q.Body, pos)
	}
	t, _ := hull(q.Body.Type(), ir.IntType(0, 0))
	return &ir.Cond{If: in, Then: q.Body, Else: integer(0), T: t}
}

// comprehension resolves {x in D where c}: the union of {x} over all x for which c holds.
func (b *builder) comprehension(e *syntax.QuantExpr) ir.Expr {
	q := &ir.Quantifier{Op: ir.Unite, Pos: e.Pos}
	set := b.domain(q, e.Binders[0])
	elem := q.Var.Type
	var ok bool
	if q.T, ok = b.setOf(elem, e.Pos); !ok {
		return &ir.Const{T: q.T}
	}
	cond := b.logical(e.Body)
	if set != nil {
		cond = conjunction(fold(&ir.Binary{Op: ir.In, X: &ir.VarRef{Var: q.Var}, Y: set, T: ir.BoolType(), Pos: e.Pos}), cond, e.Pos)
	}
	if all, ok := decided(cond); ok && all && q.Lo != nil {
		return fold(&ir.Interval{Lo: q.Lo, Hi: q.Hi, T: q.T, Pos: e.Pos})
	}
	one := &ir.SetLit{Elems: []ir.Expr{&ir.VarRef{Var: q.Var}}, T: q.T, Pos: e.Pos}
	q.Body = &ir.Cond{If: cond, Then: one, Else: &ir.Const{T: q.T}, T: q.T}
	return b.decidedQuantifier(q)
}

// domain sets what the quantifier ranges over, and its binder. If that is a set, it ranges over all values of the
// elements' type, and the set is returned.
func (b *builder) domain(q *ir.Quantifier, d *syntax.Binder) (set ir.Expr) {
	lo, hi, over, t := b.extent(d)
	q.Lo, q.Hi, q.Over = lo, hi, over
	if over != nil && over.Type().Kind == ir.Set {
		set, q.Over = over, nil
		q.Lo, q.Hi = all(t)
	}
	q.Var = b.binder(b.uses[d], t)
	return set
}

// extent returns what a binder ranges over, values of type t: those from lo to hi, or what is in over, a set or a channel.
func (b *builder) extent(d *syntax.Binder) (lo, hi, over ir.Expr, t *ir.Type) {
	switch r := d.Type.(type) {
	case nil:
		if kind := b.kindNamed(d.Over); kind != nil {
			lo, hi = b.processesOf(kind)
			return lo, hi, nil, ir.NodeType(b.protocol.N)
		}
		over = b.expr(d.Over, nil)
		if over.Type().Kind == ir.Set {
			return nil, nil, over, over.Type().Elem
		}
		return nil, nil, over, &ir.Type{Kind: ir.MessageRef, Hi: math.MaxInt64}
	case *syntax.RangeType:
		lo, hi = b.expr(r.Lo, nil), b.expr(r.Hi, nil)
		return lo, hi, nil, ir.IntType(lo.Type().Lo, hi.Type().Hi)
	default:
		t = b.typ(r)
		lo, hi = all(t)
		return lo, hi, nil, t
	}
}

// all returns the first and the last value of a type.
func all(t *ir.Type) (lo, hi ir.Expr) {
	return &ir.Const{T: t, Value: t.Lo}, &ir.Const{T: t, Value: t.Hi}
}

// binder makes the variable of a binder.
func (b *builder) binder(sym *symbol, t *ir.Type) *ir.Var {
	v := &ir.Var{ID: b.protocol.EnvSize, Name: sym.name, Type: t}
	b.protocol.EnvSize++
	b.vars[sym] = v
	return v
}

func (b *builder) messageField(e *syntax.FieldExpr) ir.Expr {
	f := &ir.MessageField{Of: b.expr(e.X, nil), T: b.shapeType(b.shapes[e])}
	first := true
	for _, m := range b.protocol.Messages {
		at := -1
		for i, field := range m.Fields {
			if of := b.info.kinds[e]; field.Name != e.Name.Name || of != nil && of.name != m.Name {
				continue
			}
			at = i
			if t := field.Type; first {
				f.T, first = t, false
			} else if u, err := hull(f.T, t); err == nil {
				f.T = u
			}
			if k := f.T.Kind; (k == ir.Set || k == ir.Array) && !field.Type.Within(f.T) {
				b.errs.Add(e.Name.Pos, "the field %s has several types: %s and %s", field.Name, f.T, field.Type)
			}
		}
		f.Fields = append(f.Fields, at)
	}
	if f.T.Kind == ir.Absent {
		return &ir.Const{T: b.shapeType(b.shapes[e])}
	}
	return f
}

// stateFunction resolves inbox and neighbour, the first argument of which is x.
func (b *builder) stateFunction(e *syntax.CallExpr, x ir.Expr) ir.Expr {
	b.noticed.stateful = true
	p, side := b.toProcess(x, e.Args[0].ExprPos()), b.expr(e.Args[1], nil)
	if e.Name == "neighbour" {
		return &ir.Neighbour{Protocol: b.protocol, Process: p, Side: side}
	}
	return &ir.Inbox{Protocol: b.protocol, Process: p, Source: side}
}

// apply resolves a call of a definition.
func (b *builder) apply(sym *symbol, args []syntax.Expr, pos syntax.Pos) ir.Expr {
	def := b.define(sym)
	b.noticed.add(b.notices[def])
	if len(args) == 0 {
		if c, ok := def.Body.(*ir.Const); ok {
			return c
		}
	}
	a := &ir.Apply{Define: def, Pos: pos}
	for i, arg := range args {
		p := def.Params[i]
		what := "argument " + p.Name + " of " + def.Name
		a.Args = append(a.Args, b.convert(b.expr(arg, p.Type), p.Type, what, arg.ExprPos()))
	}
	return a
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
	if b.shapes[d.Body].kind == boolShape {
		def.Body = b.logical(d.Body)
	} else {
		def.Body = b.expr(d.Body, nil)
	}
	b.notices[def], b.noticed = b.noticed, before
	b.undefined[def] = b.mayBeUndefined(def.Body)
	return def
}

// properties resolves the properties that the spec has with these settings.
func (b *builder) properties() {
	kinds := map[string]ir.PropertyKind{
		"invariant": ir.Invariant, "terminal": ir.Terminal, "reachable": ir.Reachable,
		"recoverable": ir.Recoverable, "inevitable": ir.Recoverable,
	}
	for _, d := range b.file.Props {
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

// occupies reports whether the control point of a process can be in the text of an equation: where a process begins, or behind an
// action, when calls are resolved.
func (b *builder) occupies(eq *ir.Equation) bool {
	if b.occupied == nil {
		b.occupied = make(map[*ir.Equation]bool)
		stay := func(pt *ir.Point) {
			for ir.Passing(pt.Term) {
				switch t := pt.Term.(type) {
				case *ir.Call:
					pt = t.Equation.Start
					continue
				case *ir.Store:
					pt = t.Then
					continue
				}
				break // a loop, whose body is in the same text
			}
			b.occupied[pt.Equation] = true
		}
		for _, pt := range b.protocol.Points {
			for t := range ir.Terms(pt.Term) {
				switch t := t.(type) {
				case *ir.Prefix:
					if t.Next != nil {
						stay(t.Next)
					}
				case *ir.For:
					stay(t.Then)
				case *ir.Stop: // who decides to stop has done so already, see ir.Protocol.Ended
					stay(t.Point)
				}
			}
		}
		if again := b.protocol.Faults.Recover; again != nil {
			stay(again.Equation.Start)
		}
		for t := range ir.Terms(b.protocol.Start.Term) {
			switch t := t.(type) {
			case *ir.Call:
				stay(t.Equation.Start)
			case *ir.Enter:
				stay(t.Point)
			}
		}
	}
	return b.occupied[eq]
}
