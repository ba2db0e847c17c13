package prove

import (
	"slices"

	"ringcheck/model/language/ir"
)

// A way is a path on which a condition is known.
type way struct {
	*path
	true bool
}

// both returns two ways: the condition may be true or not.
func both(p *path) []way {
	yes, no := p.clone(), p.clone()
	yes.vague, no.vague = true, true
	return []way{{yes, true}, {no, false}}
}

// truth returns the ways in which a condition can be decided.
func (x *translation) truth(p *path, e ir.Expr) []way {
	switch e := e.(type) {
	case *ir.Unary:
		if e.Op == ir.Not {
			ways := x.truth(p, e.X)
			for i := range ways {
				ways[i].true = !ways[i].true
			}
			return ways
		}
	case *ir.Binary:
		switch e.Op {
		case ir.And, ir.Or, ir.Implies:
			return x.connect(p, e)
		case ir.Eq, ir.Ne, ir.Lt, ir.Le:
			return x.compare(p, e.Op, x.eval(p, e.X), x.eval(p, e.Y))
		}
	case *ir.Holds:
		return x.truth(p, e.X)
	case *ir.Apply:
		return x.truth(x.bind(p, e), e.Define.Body)
	case *ir.At:
		if at := x.controlOf(p, e.Process); at != nil && !x.mayStop(at, true) {
			return []way{{p, at.point.Equation != nil && at.point.Equation.Name == e.Equation.Name}}
		}
	case *ir.Cond:
		var all []way
		for _, w := range x.truth(p, e.If) {
			next := e.Else
			if w.true {
				next = e.Then
			}
			all = append(all, x.truth(w.path, next)...)
		}
		return all
	}
	switch v := x.eval(p, e); v.kind {
	case finite:
		return []way{{p, v.n != 0}}
	case undefined:
		return []way{{p, false}}
	}
	return both(p)
}

// connect evaluates the second operand where the first does not decide.
func (x *translation) connect(p *path, e *ir.Binary) (all []way) {
	for _, w := range x.truth(p, e.X) {
		switch decided := w.true == (e.Op == ir.Or); {
		case e.Op == ir.Implies && !w.true:
			all = append(all, way{w.path, true})
		case e.Op != ir.Implies && decided:
			all = append(all, w)
		default:
			all = append(all, x.truth(w.path, e.Y)...)
		}
	}
	return all
}

// compare returns the ways in which a comparison can turn out.
func (x *translation) compare(p *path, op ir.Op, a, b value) []way {
	switch {
	case a.kind == finite && b.kind == finite && !a.size && !b.size:
		return []way{{p, map[ir.Op]bool{ir.Eq: a.n == b.n, ir.Ne: a.n != b.n, ir.Lt: a.n < b.n, ir.Le: a.n <= b.n}[op]}}
	case a.kind == nodes && a.hops && a.more == 0 && b.size: // after n hops it is where it came from
		switch op {
		case ir.Eq:
			return x.split(p, cond{A: a.symbol}, false)
		case ir.Ne, ir.Lt:
			return x.split(p, cond{A: a.symbol}, true)
		}
		return []way{{p, true}}
	case b.kind == nodes && b.hops && b.more == 0 && a.size:
		switch op {
		case ir.Eq, ir.Le:
			return x.split(p, cond{A: b.symbol}, false)
		case ir.Ne:
			return x.split(p, cond{A: b.symbol}, true)
		}
		return []way{{p, false}}
	case a.kind == undefined || b.kind == undefined:
		return []way{{p, false}}
	case a.kind == nodes && b.least:
		return x.noGreater(p, a, b, op != ir.Ne)
	case a.least && b.kind == nodes:
		return x.noGreater(p, b, a, op == ir.Eq)
	case a.kind == nodes && b.kind == nodes && !a.hops && !b.hops && a.more == 0 && b.more == 0 &&
		a.number == b.number &&
		(!a.number || op == ir.Eq || op == ir.Ne):
		switch op {
		case ir.Eq:
			return x.split(p, cond{A: a.symbol, B: b.symbol}, false)
		case ir.Ne:
			return x.split(p, cond{A: a.symbol, B: b.symbol}, true)
		case ir.Lt:
			return x.split(p, cond{Less: true, A: a.symbol, B: b.symbol}, false)
		}
		return x.split(p, cond{Less: true, A: b.symbol, B: a.symbol}, true)
	}
	return both(p)
}

// noGreater returns two ways of a comparison: if it turns out in one way, an identity is not greater than any of a set.
func (x *translation) noGreater(p *path, a, of value, is bool) []way {
	ways := both(p)
	for _, w := range ways {
		if w.true == is && of.kept >= 0 && !a.hops && !a.number && a.more == 0 {
			w.rule.Conds = append(w.rule.Conds, cond{A: a.symbol, Of: of.kept + 1})
		}
	}
	return ways
}

// split returns the way on which a condition holds, or with not does not hold, as true, and the other one.
func (x *translation) split(p *path, c cond, not bool) []way {
	if c.A == c.B {
		return []way{{p, c.Less == not}}
	}
	yes, no := p.clone(), p.clone()
	c.Not = not
	yes.rule.Conds = append(yes.rule.Conds, c)
	c.Not = !not
	no.rule.Conds = append(no.rule.Conds, c)
	return []way{{yes, true}, {no, false}}
}

// eval returns the symbolic value of an expression.
func (x *translation) eval(p *path, e ir.Expr) value {
	if p.start && x.own(e) != "" {
		return value{kind: nodes, number: x.own(e) != x.identity}
	}
	switch e := e.(type) {
	case *ir.Assigned:
		return x.assigned(p, e)
	case *ir.SetLit:
		return x.setOf(p, e)
	case *ir.Const:
		if other, ok := x.other[e]; ok && other != e.Value {
			if e.Value == int64(x.N) && other == int64(x.smaller.N) {
				return value{size: true}
			}
			return value{kind: unknown}
		}
		return value{n: e.Value}
	case *ir.VarRef:
		if v, ok := p.env[e.Var]; ok {
			return v
		}
	case *ir.Convert:
		return x.eval(p, e.X)
	case *ir.ProcessVar:
		return x.at(p, e)
	case *ir.Apply:
		return x.eval(x.bind(p, e), e.Define.Body)
	case *ir.Cond:
		if ways := x.truth(p, e.If); len(ways) == 1 {
			if ways[0].true {
				return x.eval(p, e.Then)
			}
			return x.eval(p, e.Else)
		}
	case *ir.Unary:
		v := x.eval(p, e.X)
		if v.kind == sets && e.Op == ir.Least {
			v.least = true
			return v
		}
		if v.kind == finite && !v.size {
			return x.fixed(&ir.Unary{Op: e.Op, X: &ir.Const{T: e.X.Type(), Value: v.n}, T: e.T, Pos: e.Pos})
		}
	case *ir.Binary:
		return x.operate(p, e)
	}
	return value{kind: unknown}
}

// assigned returns what is assigned to a process, if a property reads it.
func (x *translation) assigned(p *path, e *ir.Assigned) value {
	if v, ok := strip(e.Process).(*ir.VarRef); ok && v.Var == x.Start.Number {
		for v, val := range p.env {
			if assigned(v) && v.Name == e.Assignment.Name {
				return val
			}
		}
	}
	return value{kind: unknown}
}

// setOf returns a set of identities.
func (x *translation) setOf(p *path, e *ir.SetLit) value {
	v := value{kind: sets, kept: -1}
	for _, elem := range e.Elems {
		one := x.eval(p, elem)
		if one.kind != nodes || one.hops || one.number || one.more != 0 {
			return value{kind: unknown}
		}
		v.symbols = append(v.symbols, one.symbol)
	}
	return v
}

// operate returns the value of an operation on two values.
func (x *translation) operate(p *path, e *ir.Binary) value {
	a, b := x.eval(p, e.X), x.eval(p, e.Y)
	switch {
	case a.kind == undefined || b.kind == undefined:
		return value{kind: undefined}
	case a.kind == finite && b.kind == finite && !a.size && !b.size:
		return x.fixed(&ir.Binary{Op: e.Op, X: &ir.Const{T: e.X.Type(), Value: a.n},
			Y: &ir.Const{T: e.Y.Type(), Value: b.n}, T: e.T, Pos: e.Pos})
	case e.Op == ir.Add && a.kind == nodes && a.hops && b.kind == finite && !b.size:
		a.more += b.n
		return a
	case e.Op == ir.Union && a.kind == sets && b.kind == sets && (a.kept < 0 || b.kept < 0):
		return value{kind: sets, kept: max(a.kept, b.kept), symbols: slices.Concat(a.symbols, b.symbols)}
	}
	return value{kind: unknown}
}

// fixed evaluates an expression without variables.
func (x *translation) fixed(e ir.Expr) value {
	v, err := e.Eval(x.NewEnv(nil))
	if err != nil {
		return value{kind: unknown}
	}
	return value{n: v}
}
