package check

import (
	"slices"
	"strings"

	"ringcheck/internal/printable"
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

// A parameter describes the arguments that it accepts.
type parameter struct {
	name  string
	shape *shape
}

// params returns the parameters of an equation or a definition, the fields of a message or an event.
func (c *checker) params(sym *symbol) []parameter {
	var list []parameter
	fields := sym.fields
	switch d := sym.decl.(type) {
	case *syntax.EquationDecl:
		for _, id := range d.Params {
			list = append(list, parameter{id.Name, c.varShape(id.Name)})
		}
	case *syntax.DefineDecl:
		fields = d.Params
	}
	for _, f := range fields {
		list = append(list, parameter{f.Name, symbolOf(f.Binding).shape})
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

// apply checks the call of a definition.
func (c *checker) apply(s scope, e *syntax.CallExpr) *shape {
	sym := c.value(s, e.Pos, e.Name, nil)
	c.arguments(s, e.Pos, sym, e.Args)
	if sym == nil {
		return nil
	}
	e.Binding = sym
	c.look(sym)
	return sym.shape
}
