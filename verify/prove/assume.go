package prove

import (
	"slices"

	"ringcheck/model/language/ir"
)

// A value is a symbolic value.
type value struct {
	kind    kind
	n       int64  // if it is finite
	symbol  int    // of a node
	as      string // of a node: what it is of the process, selfNumber or an identity
	right   bool   // of hops: to the right
	more    int64  // of hops: has been added to it
	back    int    // of hops: the symbol of the process where it is n if it is back there
	kept    int    // of sets: the holder whose nodes it has, -1 if none
	symbols []int  // of sets: and others
}

// number returns the value of a known number.
func number(n int64) value { return value{kind: finite, n: n} }

// node returns the identity of a node.
func (x *translation) node(symbol int) value {
	return value{kind: nodes, symbol: symbol, as: x.identity}
}

// assume returns the paths on which a condition is true, or false if want is false: a path for each case. An unknown
// condition may be either.
func (x *translation) assume(p *path, e ir.Expr, want bool) []*path {
	outer := x.condition
	x.condition = e
	defer func() { x.condition = outer }()
	switch e := e.(type) {
	case *ir.Holds:
		return x.assume(p, e.X, want)
	case *ir.Apply:
		if q, _ := x.bind(p, e); q != nil && !e.Define.Large() { // the paths of a large one are too many
			return x.assume(q, e.Define.Body, want)
		}
	case *ir.Cond:
		return append(x.assumeBoth(p, e.If, true, e.Then, want), x.assumeBoth(p, e.If, false, e.Else, want)...)
	case *ir.Quantifier:
		if p.controls != nil && (e.Op == ir.Exists && want || e.Op == ir.ForAll && !want) {
			return x.chooseSeveral(p, e, 1, want)
		}
	case *ir.Unary:
		if e.Op == ir.Not {
			return x.assume(p, e.X, !want)
		}
	case *ir.Binary:
		switch e.Op {
		case ir.And, ir.Or, ir.Implies:
			first := want != (e.Op == ir.Implies)
			if want == (e.Op == ir.And) {
				return x.assumeBoth(p, e.X, first, e.Y, want)
			}
			return append(x.assume(p.clone(), e.X, first), x.assume(p, e.Y, want)...)
		case ir.Eq, ir.Ne, ir.Lt, ir.Le:
			if q, ok := strip(e.X).(*ir.Quantifier); ok && p.controls != nil && !want {
				if count := x.tooMany(q, e.Op, x.eval(p, e.Y)); count > 0 {
					return x.chooseSeveral(p, q, count, true)
				}
			}
			return x.compare(p, e.Op, x.eval(p, e.X), x.eval(p, e.Y), want)
		}
	case *ir.At:
		if symbol := x.process(p, e.Process); symbol > 0 {
			return x.assumeAt(p, symbol, e.Equation, want)
		}
	}
	switch v := x.eval(p, e); v.kind {
	case finite:
		return assumeKnown(p, v.n != 0, want)
	case undefined:
		return assumeKnown(p, false, want)
	}
	return x.assumeUnknown(p)
}

// assumeBoth returns the paths on which one condition has a value, and then another one.
func (x *translation) assumeBoth(p *path, e ir.Expr, is bool, f ir.Expr, want bool) (all []*path) {
	for _, q := range x.assume(p, e, is) {
		all = append(all, x.assume(q, f, want)...)
	}
	return all
}

// assumeKnown returns the path if the known value of a condition is the wanted one.
func assumeKnown(p *path, is, want bool) []*path {
	if is != want {
		return nil
	}
	return []*path{p.clone()}
}

// assumeUnknown returns the path on which an unknown condition has some value.
func (x *translation) assumeUnknown(p *path) []*path {
	q := p.clone()
	q.rule.approximate = true
	if x.condition != nil {
		q.rule.forgotten = append(slices.Clip(p.rule.forgotten), x.condition)
	}
	return []*path{q}
}

// assumeCond returns the path on which a comparison of symbols is true, or false.
func assumeCond(p *path, c cond, want bool) []*path {
	if c.A == c.B {
		return assumeKnown(p, !c.Less, want)
	}
	q := p.clone()
	c.Not = !want
	q.rule.Conds = append(q.rule.Conds, c)
	return []*path{q}
}

// compare returns the paths on which a comparison has the wanted value.
func (x *translation) compare(p *path, op ir.Op, a, b value, want bool) []*path {
	switch {
	case a.kind == undefined || b.kind == undefined:
		return assumeKnown(p, false, want)
	case op == ir.Ne:
		return x.compare(p, ir.Eq, a, b, !want)
	case op == ir.Le:
		return x.compare(p, ir.Lt, b, a, !want)
	}
	equal := op == ir.Eq // else: less
	switch {
	case a.kind == finite && b.kind == finite:
		return assumeKnown(p, equal && a.n == b.n || !equal && a.n < b.n, want)
	case a.kind == hops && a.more == 0 && b.kind == size: // after n hops it is where it came from
		return assumeCond(p, cond{A: a.symbol, B: a.back}, want == equal)
	case a.kind == size && b.kind == hops && b.more == 0:
		if equal {
			return assumeCond(p, cond{A: b.symbol, B: b.back}, want)
		}
		return assumeKnown(p, false, want)
	case a.kind == nodes && b.kind == minimum:
		return x.noGreater(p, a, b, want)
	case a.kind == minimum && b.kind == nodes:
		return x.noGreater(p, b, a, want == equal)
	case a.kind == nodes && b.kind == nodes && a.as == b.as && (a.as == x.identity || equal):
		return assumeCond(p, cond{Less: !equal, A: a.symbol, B: b.symbol}, want)
	}
	return x.assumeUnknown(p)
}

// noGreater returns the path on which an identity is not greater than any of a set, or one on which that is unknown.
func (x *translation) noGreater(p *path, a, of value, is bool) []*path {
	ways := x.assumeUnknown(p)
	if is && of.kept >= 0 && a.as == x.identity {
		ways[0].rule.Conds = append(ways[0].rule.Conds, cond{A: a.symbol, Of: of.kept + 1})
	}
	return ways
}

// eval returns the symbolic value of an expression. In a property, it may add symbols to the path.
func (x *translation) eval(p *path, e ir.Expr) value {
	if p.start && x.own(e) != "" {
		return value{kind: nodes, as: x.own(e)}
	}
	switch e := e.(type) {
	case *ir.Assigned:
		return x.assigned(p, e)
	case *ir.SetLit:
		return x.setOf(p, e)
	case *ir.Const:
		if other, ok := x.other[e]; ok && other != e.Value {
			if e.Value == int64(x.N) && other == int64(x.smaller.N) {
				return value{kind: size}
			}
			return value{kind: unknown}
		}
		return number(e.Value)
	case *ir.VarRef:
		if v, ok := p.env[e.Var]; ok {
			return v
		}
		if p.decider > 0 {
			return x.variable(p, p.decider, e.Var)
		}
	case *ir.Convert:
		return x.converted(e, x.eval(p, e.X))
	case *ir.ProcessVar:
		return x.at(p, e)
	case *ir.Apply:
		q, v := x.bind(p, e)
		switch {
		case q == nil:
			return v
		case e.Define.Large():
			return value{kind: unknown}
		}
		v = x.eval(q, e.Define.Body)
		p.rule.Symbols, p.held = q.rule.Symbols, q.held
		return v
	case *ir.Cond:
		switch {
		case len(x.assume(p, e.If, false)) == 0:
			return x.eval(p, e.Then)
		case len(x.assume(p, e.If, true)) == 0:
			return x.eval(p, e.Else)
		}
	case *ir.Unary:
		v := x.eval(p, e.X)
		if v.kind == sets && e.Op == ir.Least {
			v.kind = minimum
			return v
		}
		if v.kind == finite {
			return x.fixed(&ir.Unary{Op: e.Op, X: &ir.Const{T: e.X.Type(), Value: v.n}, T: e.T, Pos: e.Pos})
		}
	case *ir.Binary:
		return x.operate(p, e)
	}
	return value{kind: unknown}
}

// An outcome is a path with the values of the arguments of a message.
type outcome struct {
	*path
	values []value
}

// outcomes returns the outcomes of sending a message whose first arguments have values: one for each value of an
// argument that is a condition, if comparisons of symbols decide it.
func (x *translation) outcomes(p *path, a *ir.Send, values ...value) (all []outcome) {
	i := len(values)
	if i == len(a.Args) {
		return []outcome{{p, values}}
	}
	v, known := x.eval(p, a.Args[i]), false
	if v.kind == unknown && a.Args[i].Type().Kind == ir.Bool && x.tracked(field{a.Message, i}) {
		known = true
		for n := range int64(2) {
			for _, q := range x.assume(p, a.Args[i], n == 1) {
				known = known && q.rule.approximate == p.rule.approximate
				q.rule.either = p.rule.either || len(p.rule.Conds) == 0
				all = append(all, x.outcomes(q, a, append(slices.Clip(values), number(n))...)...)
			}
		}
	}
	if known {
		return all
	}
	return x.outcomes(p, a, append(slices.Clip(values), v)...)
}

// assigned returns the value that is assigned to a process, if a property reads it.
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
		if one.kind != nodes || one.as != x.identity {
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
	case a.kind == finite && b.kind == finite:
		return x.fixed(&ir.Binary{Op: e.Op, X: &ir.Const{T: e.X.Type(), Value: a.n},
			Y: &ir.Const{T: e.Y.Type(), Value: b.n}, T: e.T, Pos: e.Pos})
	case e.Op == ir.Add && a.kind == hops && b.kind == finite:
		a.more += b.n
		return a
	case e.Op == ir.Union && a.kind == sets && b.kind == sets && (a.kept < 0 || b.kept < 0):
		return value{kind: sets, kept: max(a.kept, b.kept), symbols: slices.Concat(a.symbols, b.symbols)}
	}
	return value{kind: unknown}
}

// converted returns a value as one of another type. A set or an array has another number there.
func (x *translation) converted(e *ir.Convert, v value) value {
	from := e.X.Type()
	switch {
	case v.kind != finite || e.To.Kind != ir.Set && e.To.Kind != ir.Array:
		return v
	case e.To.Wide || from.Wide:
		return value{kind: unknown}
	}
	return x.fixed(&ir.Convert{X: &ir.Const{T: from, Value: v.n}, To: e.To, What: e.What, Pos: e.Pos})
}

// fixed evaluates an expression without variables.
func (x *translation) fixed(e ir.Expr) value {
	v, err := e.Eval(x.NewEnv(nil))
	if err != nil {
		return value{kind: unknown}
	}
	return number(v)
}
