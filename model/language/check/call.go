package check

import (
	"slices"
	"strings"

	"ringcheck/internal/printable"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// call checks the call of a function: a built-in, or a definition.
func (c *checker) call(s scope, e *syntax.CallExpr) *shape {
	if sym := c.lookup(s, e.Name); sym != nil && sym.kind == defineSymbol {
		return c.apply(s, e)
	}
	switch e.Name {
	case "min", "max":
		return c.extreme(s, e)
	case "abs", "log2ceil", "sqrtceil":
		return c.builtin(s, e, anInteger, anInteger)
	case "opposite":
		return c.builtin(s, e, c.dir(), c.dir())
	case "size":
		return c.size(s, e)
	case "neighbours":
		c.needNetwork(s, e)
		return c.builtin(s, e, &shape{kind: setShape, elem: anInteger}, anInteger)
	case "ports":
		if c.numbered() {
			c.errs.Add(e.Pos, "ports is for networks in which processes have no numbers").
				Hint = "neighbours(p) is the set of the numbers of the neighbours"
		}
		c.needNetwork(s, e)
		return c.builtin(s, e, &shape{kind: setShape, elem: c.linkShape()}, anInteger)
	case "inbox":
		return c.stateFunction(s, e, &shape{kind: channelShape})
	case "neighbour":
		if c.numbered() {
			c.errs.Add(e.Pos, "neighbour is for networks in which processes have no numbers")
		}
		return c.stateFunction(s, e, anInteger)
	}
	c.unknownFunction(s, e)
	return nil
}

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

// extreme checks min and max, of integers or of a set of them.
func (c *checker) extreme(s scope, e *syntax.CallExpr) *shape {
	if len(e.Args) == 1 {
		x := c.expr(s, e.Args[0], nil)
		if !isBad(x) && (x.kind != setShape || x.elem.kind != intShape) {
			c.errs.Add(e.Pos, "%s takes integers or a set of them, found %s", e.Name, x)
		}
		return anInteger
	}
	if len(e.Args) < 2 {
		c.errs.Add(e.Pos, "%s takes two or more arguments, found %d", e.Name, len(e.Args))
	}
	return c.builtin(s, e, anInteger, slices.Repeat([]*shape{anInteger}, len(e.Args))...)
}

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

// needNetwork reports a function that is used where the network is not known yet.
func (c *checker) needNetwork(s scope, e *syntax.CallExpr) {
	if s.unlinked {
		c.errs.Add(e.Pos, "%s: the network is not known here", e.Name)
	}
}

func (c *checker) unknownFunction(s scope, e *syntax.CallExpr) {
	c.arguments(s, e.Pos, nil, e.Args)
	if sym := c.lookup(s, e.Name); sym != nil {
		c.errs.Add(e.Pos, "%s is %s, not a function", e.Name, sym.kind.a())
		return
	}
	defined := c.values.names(func(sym *symbol) bool { return sym.kind == defineSymbol })
	names := append(syntax.Words(syntax.FunctionClause), defined...)
	slices.Sort(names)
	c.unknown(e.Pos, syntax.DidYouMean(e.Name, names), "unknown function %s", e.Name)
}

// builtin checks the arguments of a function with the given parameters, and returns the shape of its result.
func (c *checker) builtin(s scope, e *syntax.CallExpr, result *shape, params ...*shape) *shape {
	if len(e.Args) != len(params) {
		wanted := printable.Count(len(params), "argument")
		c.errs.Add(e.Pos, "%s takes %s, found %d", e.Name, wanted, len(e.Args)).Code = "arity"
	}
	for i, a := range e.Args {
		if i < len(params) {
			c.expect(s, a, params[i], "argument of "+e.Name)
		} else {
			c.expr(s, a, nil)
		}
	}
	return result
}

// stateFunction checks inbox and neighbour.
func (c *checker) stateFunction(s scope, e *syntax.CallExpr, result *shape) *shape {
	if s.context != propertyContext {
		c.errs.Add(e.Pos, "%s can stand only in properties", e.Name)
	}
	c.stateful = true
	return c.builtin(s, e, result, anInteger, c.linkShape())
}

// side resolves the arguments of inbox and neighbour.
func (b *builder) side(e *syntax.CallExpr) (process, side ir.Expr) {
	b.collector.stateful = true
	return b.process(e.Args[0]), b.expr(e.Args[1], nil)
}

// size checks the size of a set or a channel.
func (c *checker) size(s scope, e *syntax.CallExpr) *shape {
	if len(e.Args) == 1 {
		x := c.expr(s, e.Args[0], nil)
		if !isBad(x) && x.kind != setShape && x.kind != channelShape {
			c.errs.Add(e.Args[0].ExprPos(), "argument of size: expected a set or a channel, found %s", x)
		}
		return anInteger
	}
	return c.builtin(s, e, anInteger, &shape{})
}

// sizes returns the type of the number of elements of a set.
func sizes(set *ir.Type) *ir.Type {
	if set.Wide {
		n, _ := set.Elem.Size()
		return ir.IntType(0, int64(n))
	}
	return ir.IntType(0, 63)
}

// neighbours resolves the set of the neighbours of a process, or of the ports that lead to them.
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

// A parameter describes the arguments that it accepts.
type parameter struct {
	name  string
	shape *shape
}

// params returns the parameters of an equation or a definition, the fields of a message or an event.
func (c *checker) params(sym *symbol) []parameter {
	var list []parameter
	switch d := sym.decl.(type) {
	case *syntax.EquationDecl:
		for _, id := range d.Params {
			list = append(list, parameter{id.Name, c.varShape(id.Name)})
		}
	case *syntax.DefineDecl:
		for _, f := range d.Params {
			list = append(list, parameter{f.Name, symbolOf(f.Binding).shape})
		}
	default:
		for _, f := range sym.fields {
			list = append(list, parameter{f.Name, symbolOf(f.Binding).shape})
		}
	}
	return list
}

// arguments checks the arguments for sym; if that is nil, only each by itself.
func (c *checker) arguments(s scope, pos syntax.Pos, sym *symbol, args []syntax.Expr) {
	var params []parameter
	if sym != nil {
		params = c.params(sym)
		c.arity(pos, sym, len(args), params)
	}
	for i, a := range args {
		if i < len(params) {
			c.expect(s, a, params[i].shape, "argument "+params[i].name+" of "+sym.name)
		} else {
			c.expr(s, a, nil)
		}
	}
}

// arity checks the number of arguments.
func (c *checker) arity(pos syntax.Pos, sym *symbol, args int, params []parameter) {
	if args == len(params) {
		return
	}
	list := ""
	if len(params) > 0 {
		names := make([]string, len(params))
		for i, p := range params {
			names[i] = p.name
		}
		list = " (" + strings.Join(names, ", ") + ")"
	}
	wanted := printable.Count(len(params), "argument") + list
	c.errs.Add(pos, "%s takes %s, found %d", sym.name, wanted, args).Code = "arity"
}
