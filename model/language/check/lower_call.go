package check

import (
	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// function lowers the call of a function: a built-in, or a definition.
func (b *builder) function(e *syntax.CallExpr) ir.Expr {
	if sym := symbolOf(e.Binding); sym != nil {
		return b.apply(sym, e.Args, e.Pos)
	}
	switch e.Name {
	case "min", "max":
		return b.extreme(e)
	case "neighbours":
		return b.neighbours(e, ir.NodeType(b.protocol.N), false)
	case "ports":
		return b.neighbours(e, b.portType(), true)
	case "inbox":
		p, side := b.side(e)
		return &ir.Inbox{Protocol: b.protocol, Process: p, Source: side}
	case "neighbour":
		p, side := b.side(e)
		return &ir.Neighbour{Protocol: b.protocol, Process: p, Side: side}
	}
	x := b.expr(e.Args[0], nil)
	switch e.Name {
	case "opposite":
		return fold(&ir.Unary{Op: ir.Opposite, X: x, T: directions(b.file.Topology), Pos: e.Pos})
	case "size":
		if x.Type().Kind == ir.ChannelRef {
			return &ir.Length{Channel: x}
		}
		return fold(&ir.Unary{Op: ir.Card, X: x, T: sizes(x.Type()), Pos: e.Pos})
	}
	return unary(functions[e.Name], x, e.Pos)
}

// functions are the functions of one integer.
var functions = map[string]ir.Op{"abs": ir.Abs, "log2ceil": ir.Log2Ceil, "sqrtceil": ir.SqrtCeil}

// extreme lowers min and max.
func (b *builder) extreme(e *syntax.CallExpr) ir.Expr {
	x := b.expr(e.Args[0], nil)
	if len(e.Args) == 1 {
		op, t := ir.Least, ir.IntType(0, 0)
		if e.Name == "max" {
			op = ir.Greatest
		}
		if x.Type().Kind == ir.Set {
			t = ir.IntType(x.Type().Elem.Lo, x.Type().Elem.Hi)
		}
		return fold(&ir.Unary{Op: op, X: x, T: t, Pos: e.Pos})
	}
	for _, a := range e.Args[1:] {
		x = arithmetic(operators[e.Name], x, b.expr(a, nil), e.Pos)
	}
	return x
}

// side lowers the arguments of inbox and neighbour.
func (b *builder) side(e *syntax.CallExpr) (process, side ir.Expr) {
	b.collector.stateful = true
	return b.process(e.Args[0]), b.expr(e.Args[1], nil)
}

// sizes returns the type of the number of elements of a set.
func sizes(set *ir.Type) *ir.Type {
	if set.Wide {
		n, _ := set.Elem.Size()
		return ir.IntType(0, int64(n))
	}
	return ir.IntType(0, 63)
}

// neighbours lowers the set of the neighbours of a process, or of the ports that lead to them.
func (b *builder) neighbours(e *syntax.CallExpr, elem *ir.Type, ports bool) ir.Expr {
	t, ok := b.setOf(elem, e.Pos)
	if !ok {
		return &ir.Const{T: t}
	}
	return fold(&ir.Neighbours{Protocol: b.protocol, Process: b.process(e.Args[0]), Ports: ports, T: t})
}

// portType returns the type of what processes name their neighbours by.
func (b *builder) portType() *ir.Type {
	if b.protocol.Naming != ir.ByPort {
		return directions(b.file.Topology)
	}
	t := ir.IntType(1, 1)
	for p := range b.protocol.N {
		t.Hi = max(t.Hi, int64(len(b.protocol.Ports(p))))
	}
	return t
}

// apply lowers a call of a definition: to its value, if that is decided.
func (b *builder) apply(sym *symbol, args []syntax.Expr, pos syntax.Pos) ir.Expr {
	def := b.define(sym)
	b.collector.add(b.notices[def])
	a := &ir.Apply{Define: def, Pos: pos}
	for i, arg := range args {
		p := def.Params[i]
		a.Args = append(a.Args, b.argument(arg, p.Type, "argument "+p.Name+" of "+def.Name))
	}
	return b.decidedCall(a)
}
