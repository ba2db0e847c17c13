package check

import (
	"slices"
	"strings"

	"ringcheck/model/language/syntax"
)

// builtins lists the functions of the language.
func builtins() []string {
	return []string{"min", "max", "abs", "size", "opposite", "log2ceil", "sqrtceil", "inbox", "neighbour", "neighbours", "ports"}
}

// call checks the call of a function: a built-in, or a definition in a property.
func (c *checker) call(s scope, e *syntax.CallExpr) *shape {
	if sym := c.lookup(s, e.Name); sym != nil && sym.kind == defineSymbol {
		return c.apply(s, e)
	}
	integer, dir := &shape{kind: intShape}, c.dir()
	switch e.Name {
	case "min", "max":
		if len(e.Args) == 1 {
			x := c.expr(s, e.Args[0], nil)
			if !isBad(x) && (x.kind != setShape || x.elem.kind != intShape) {
				c.errs.Add(e.Pos, "%s takes integers or a set of them, found %s", e.Name, x)
			}
			return integer
		}
		if len(e.Args) < 2 {
			c.errs.Add(e.Pos, "%s takes two or more arguments, found %d", e.Name, len(e.Args))
		}
		return c.arguments(s, e, slices.Repeat([]*shape{integer}, len(e.Args)), integer)
	case "abs", "log2ceil", "sqrtceil":
		return c.arguments(s, e, []*shape{integer}, integer)
	case "opposite":
		return c.arguments(s, e, []*shape{dir}, dir)
	case "size":
		return c.size(s, e)
	case "neighbours":
		c.needNetwork(s, e)
		return c.arguments(s, e, []*shape{integer}, &shape{kind: setShape, elem: integer})
	case "ports":
		if c.numbered() {
			c.errs.Add(e.Pos, "ports is for networks in which processes have no numbers").Hint = "neighbours(p) is the set of the numbers of the neighbours"
		}
		c.needNetwork(s, e)
		return c.arguments(s, e, []*shape{integer}, &shape{kind: setShape, elem: c.linkShape()})
	case "inbox":
		return c.stateFunction(s, e, []*shape{integer, c.linkShape()}, &shape{kind: channelShape})
	case "neighbour":
		if c.numbered() {
			c.errs.Add(e.Pos, "neighbour is for networks in which processes have no numbers")
		}
		return c.stateFunction(s, e, []*shape{integer, c.linkShape()}, integer)
	}
	c.unknownFunction(s, e)
	return nil
}

// needNetwork reports a function that is used where the network is not known yet.
func (c *checker) needNetwork(s scope, e *syntax.CallExpr) {
	if s.unlinked {
		c.errs.Add(e.Pos, "%s: the network is not known here", e.Name)
	}
}

func (c *checker) unknownFunction(s scope, e *syntax.CallExpr) {
	for _, a := range e.Args {
		c.expr(s, a, nil)
	}
	if sym := c.lookup(s, e.Name); sym != nil {
		c.errs.Add(e.Pos, "%s is %s, not a function", e.Name, sym.kind.a())
		return
	}
	names := append(builtins(), c.values.names(func(sym *symbol) bool { return sym.kind == defineSymbol })...)
	slices.Sort(names)
	c.errs.Add(e.Pos, "unknown function %s", e.Name).Hint = syntax.DidYouMean(e.Name, names)
}

// arguments checks the arguments of a function with the given parameters.
func (c *checker) arguments(s scope, e *syntax.CallExpr, params []*shape, result *shape) *shape {
	if len(e.Args) != len(params) {
		c.errs.Add(e.Pos, "%s takes %s, found %d", e.Name, plural(len(params), "argument"), len(e.Args))
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

func (c *checker) stateFunction(s scope, e *syntax.CallExpr, params []*shape, result *shape) *shape {
	if s.place != propertyPlace {
		c.errs.Add(e.Pos, "%s can stand only in properties", e.Name)
	}
	c.stateful = true
	return c.arguments(s, e, params, result)
}

// size checks the size of a set or a channel.
func (c *checker) size(s scope, e *syntax.CallExpr) *shape {
	if len(e.Args) == 1 {
		x := c.expr(s, e.Args[0], nil)
		if !isBad(x) && x.kind != setShape && x.kind != channelShape {
			c.errs.Add(e.Args[0].ExprPos(), "argument of size: expected a set or a channel, found %s", x)
		}
		return &shape{kind: intShape}
	}
	return c.arguments(s, e, []*shape{{}}, &shape{kind: intShape})
}

// apply checks the call of a definition.
func (c *checker) apply(s scope, e *syntax.CallExpr) *shape {
	sym := c.value(s, e.Pos, e.Name)
	if sym == nil {
		for _, a := range e.Args {
			c.expr(s, a, nil)
		}
		return nil
	}
	c.uses[e] = sym
	c.look(sym)
	params := sym.decl.(*syntax.DefineDecl).Params
	c.arity(e.Pos, sym, e.Args, fieldNames(params))
	for i, a := range e.Args {
		if i < len(params) {
			c.expect(s, a, c.uses[params[i]].shape, "argument "+params[i].Name+" of "+e.Name)
		} else {
			c.expr(s, a, nil)
		}
	}
	return sym.shape
}

// arity checks the number of arguments.
func (c *checker) arity(pos syntax.Pos, sym *symbol, args []syntax.Expr, params []string) {
	if len(args) == len(params) {
		return
	}
	list := ""
	if len(params) > 0 {
		list = " (" + strings.Join(params, ", ") + ")"
	}
	c.errs.Add(pos, "%s takes %s%s, found %d", sym.name, plural(len(params), "argument"), list, len(args))
}

func fieldNames(fields []*syntax.Field) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	return names
}
