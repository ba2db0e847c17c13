package prove

import (
	"maps"
	"slices"

	"ringcheck/model/language/ir"
)

// A path is a path of a symbolic execution, through the term of a process or through a property. Rule has the
// conditions that hold on it.
type path struct {
	env     map[*ir.Var]value
	before  map[*ir.Var]value // the variables before the step
	rule    rule
	atStart bool // in the start of a process

	property *assumption // what a property assumes of the state; nil in a term
}

func (p *path) clone() *path {
	q := *p
	q.env = maps.Clone(p.env)
	q.rule.Conds, q.rule.Symbols = slices.Clone(p.rule.Conds), slices.Clone(p.rule.Symbols)
	q.property = p.property.clone()
	return &q
}

// newSymbol returns a new symbol, for the node that a nodeVar stores, or ofField.
func (p *path) newSymbol(nodeVar int) int {
	p.rule.Symbols = append(p.rule.Symbols, nodeVar)
	return len(p.rule.Symbols)
}

// assume returns the paths on which a condition is true, or false if want is false: a path for each case. An unknown
// condition may have either value.
func (x *translation) assume(p *path, e ir.Expr, want bool) (all []*path) {
	if isLeaf(e) && x.readsProcessZero(p, e) {
		for _, q := range x.chooseZero(p) {
			all = append(all, x.assume(q, e, want)...)
		}
		return all
	}
	if isLeaf(e) {
		if of, v := x.unknownSight(p, e); v != nil {
			for _, q := range x.splitByRegister(p, of, v) {
				all = append(all, x.assume(q, e, want)...)
			}
			return all
		}
	}
	switch e := e.(type) {
	case *ir.Holds:
		return x.assume(p, e.X, want)
	case *ir.Apply:
		if q := x.bindArguments(p, e); q != nil && !e.Define.Large() { // a large one has too many paths
			return x.assume(q, e.Define.Body, want)
		}
	case *ir.Cond:
		return append(x.assumeBoth(p, e.If, true, e.Then, want), x.assumeBoth(p, e.If, false, e.Else, want)...)
	case *ir.Quantifier:
		if p.property != nil && (e.Op == ir.Exists && want || e.Op == ir.ForAll && !want) {
			return x.chooseSeveral(p, e, 1, want)
		}
	case *ir.Unary:
		if e.Op == ir.Not {
			return x.assume(p, e.X, !want)
		}
	case *ir.Binary:
		if all, ok := x.assumeBinary(p, e, want); ok {
			return all
		}
	case *ir.At:
		if node := x.processNode(p, x.eval(p, e.Process)); node > 0 {
			return x.assumeAt(p, node, e.Equation, want)
		}
	}
	switch v := x.eval(p, e).(type) {
	case number:
		return assumeKnown(p, v != 0, want)
	case undefinedValue:
		return assumeKnown(p, false, want)
	}
	return assumeUnknown(p, e)
}

// isLeaf reports whether a condition is neither a connective of conditions nor a quantifier.
func isLeaf(e ir.Expr) bool {
	switch e := e.(type) {
	case *ir.Holds, *ir.Apply, *ir.Cond, *ir.Quantifier:
		return false
	case *ir.Unary:
		return e.Op != ir.Not
	case *ir.Binary:
		return e.Op != ir.And && e.Op != ir.Or && e.Op != ir.Implies
	}
	return true
}

// assumeBinary is assume for a connective or a comparison. ok is false if the operator is another one.
func (x *translation) assumeBinary(p *path, e *ir.Binary, want bool) (all []*path, ok bool) {
	switch e.Op {
	case ir.And, ir.Or, ir.Implies:
		first := want != (e.Op == ir.Implies)
		if want == (e.Op == ir.And) {
			return x.assumeBoth(p, e.X, first, e.Y, want), true
		}
		return append(x.assume(p.clone(), e.X, first), x.assume(p, e.Y, want)...), true
	case ir.Eq, ir.Ne, ir.Lt, ir.Le:
		if all, ok = x.assumeCount(p, e, want); ok {
			return all, true
		}
		return x.compare(p, e, e.Op, x.eval(p, e.X), x.eval(p, e.Y), want), true
	}
	return nil, false
}

// bindArguments returns a path on which the parameters of a definition have the values of arguments, nil if one of
// these is bad.
func (x *translation) bindArguments(p *path, e *ir.Apply) *path {
	var args []value
	for _, arg := range e.Args {
		args = append(args, x.eval(p, arg))
	}
	if p.badArgument(args) != nil {
		return nil
	}
	return p.withParams(e.Define.Params, args)
}

// assumeBoth returns the paths on which one condition has a value, and then another one.
func (x *translation) assumeBoth(p *path, e ir.Expr, wantFirst bool, f ir.Expr, want bool) (all []*path) {
	for _, q := range x.assume(p, e, wantFirst) {
		all = append(all, x.assume(q, f, want)...)
	}
	return all
}

// assumeKnown returns the path if the known value of a condition is the wanted one.
func assumeKnown(p *path, holds, want bool) []*path {
	if holds != want {
		return nil
	}
	return []*path{p.clone()}
}

// assumeUnknown returns the path on which an unknown condition has some value. e, if not nil, is recorded as ignored.
func assumeUnknown(p *path, e ir.Expr) []*path {
	q := p.clone()
	q.rule.approximate = true
	if e != nil {
		q.rule.unknownConds = append(slices.Clip(p.rule.unknownConds), e)
	}
	return []*path{q}
}

// assumeCondition returns the path on which a comparison of symbols is true, or false.
func assumeCondition(p *path, c condition, want bool) []*path {
	if c.A == c.B && !c.Zero {
		return assumeKnown(p, !c.Less, want)
	}
	c.Not = !want
	opposite := c
	opposite.Not = want
	if slices.Contains(p.rule.Conds, opposite) {
		return nil
	}
	q := p.clone()
	if !slices.Contains(q.rule.Conds, c) {
		q.rule.Conds = append(q.rule.Conds, c)
	}
	return []*path{q}
}

// assumeZero returns the path on which a node is process 0, or is another one.
func (x *translation) assumeZero(p *path, node int, want bool) []*path {
	x.readsZero = true
	return assumeCondition(p, condition{Zero: true, A: node}, want)
}

// compare returns the paths on which a comparison has the wanted value. e, if not nil, is the condition that compares.
func (x *translation) compare(p *path, e ir.Expr, op ir.Op, a, b value, want bool) []*path {
	switch {
	case anyUndefined(a, b):
		return assumeKnown(p, false, want)
	case op == ir.Ne:
		return x.compare(p, e, ir.Eq, a, b, !want)
	case op == ir.Le:
		return x.compare(p, e, ir.Lt, b, a, !want)
	}
	equal := op == ir.Eq // else: less
	switch a := a.(type) {
	case number:
		switch b := b.(type) {
		case number:
			return assumeKnown(p, equal && a == b || !equal && a < b, want)
		case identity:
			if a == 0 && b.name == selfNumber { // 0 < b if b is not 0
				return x.assumeZero(p, b.node, want == equal)
			}
		}
	case hopCount:
		if _, ok := b.(ringSize); ok && a.added == 0 { // after n hops a message is at its origin
			return assumeCondition(p, condition{A: a.origin, B: a.process}, want == equal)
		}
	case ringSize:
		if b, ok := b.(hopCount); ok && b.added == 0 {
			if equal {
				return assumeCondition(p, condition{A: b.origin, B: b.process}, want)
			}
			return assumeKnown(p, false, want)
		}
	case identity:
		switch b := b.(type) {
		case minimum:
			return x.assumeLowerBound(p, e, a, b, want)
		case number:
			if a.name == selfNumber && (equal && b == 0 || !equal && b == 1) {
				return x.assumeZero(p, a.node, want)
			}
		case identity:
			if a.name == b.name && (a.name == x.identity || equal) {
				return assumeCondition(p, condition{Less: !equal, A: a.node, B: b.node}, want)
			}
		}
	case minimum:
		if b, ok := b.(identity); ok {
			return x.assumeLowerBound(p, e, b, a, want == equal)
		}
	}
	return assumeUnknown(p, e)
}

// assumeLowerBound returns the path on which an identity is at most the least of a set, or on which that is unknown.
func (x *translation) assumeLowerBound(p *path, e ir.Expr, a identity, least minimum, holds bool) []*path {
	all := assumeUnknown(p, e)
	if holds && least.stored >= 0 && a.name == x.identity {
		all[0].rule.Conds = append(all[0].rule.Conds, condition{A: a.node, Of: least.stored + 1})
	}
	return all
}
