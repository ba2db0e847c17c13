package export

import (
	"fmt"
	"slices"
	"strconv"

	"ringcheck/model/language/ir"
)

// arrive calls visit with the control points where a process may stay that comes to a point, after calls, loops and
// what a receive sets, each with the variables and the decisions that lead there.
func (s *stepper) arrive(at *ir.Point, e env, on path, visit func(at *ir.Point, e env, on path)) {
	s.model.Check()
	next := func(at *ir.Point, e env, on path) { s.arrive(at, e, on, visit) }
	switch t := at.Term.(type) {
	case *ir.Call:
		next(t.Equation.Start, s.call(t, e), on)
	case *ir.Store:
		next(t.Then, e.bound(t.Var, s.expression(t.Value, e)), on)
	case *ir.For:
		s.rounds(t.Loop, "", e, on, next)
	case *ir.LoopEnd:
		s.rounds(t.Loop, e[t.Var], e, on, next)
	default:
		visit(at, e, on)
	}
}

// rounds writes a loop out: it calls visit with the beginning of the body for each value that can be the next one after
// the last value, which is empty at the beginning of the loop, and with the point after the loop.
func (s *stepper) rounds(l *ir.Loop, last string, e env, on path, visit func(at *ir.Point, e env, on path)) {
	for v := range s.domain(l) {
		if s.tried++; s.tried > maxSteps {
			refuse("there are more than %d rounds of loops: too many to be written down", maxSteps)
		}
		value := s.constant(l.Var.Type, v)
		is, never := s.loopGuards(l, v, last, e)
		if never {
			continue
		}
		some := on
		for _, guard := range is {
			some = some.addGuard(guard)
		}
		if l.Var.Type.Contains(v) { // another one is a model error
			visit(l.Body, e.bound(l.Var, value), some)
		}
		if len(is) == 0 {
			return // it is the next value
		}
		on = on.addGuard(not(conjunctionOf(is)))
	}
	visit(l.Then, e, on)
}

// domain yields the values that may be in the domain of a loop.
func (s *stepper) domain(l *ir.Loop) func(yield func(int64) bool) {
	if l.Set != nil {
		if l.Set.Type().Wide {
			refuse("a loop over a set of so many elements cannot be exported")
		}
		return l.Set.Type().Elem.Values()
	}
	lo, hi := l.Lo.Type().Lo, l.Hi.Type().Hi
	if hi > lo+int64(maxSteps) {
		refuse("a loop over %d..%d cannot be exported", lo, hi)
	}
	return func(yield func(int64) bool) {
		for v := lo; v <= hi && yield(v); v++ {
		}
	}
}

// loopGuards returns the conditions under which a value of a loop is in its domain, satisfies its condition and comes
// after the last value. Conditions that are decided are left out; never says that one is false.
func (s *stepper) loopGuards(l *ir.Loop, v int64, last string, e env) (is []string, never bool) {
	constant := func(x int64) *ir.Const { return &ir.Const{T: ir.IntType(x, x), Value: x} }
	add := func(cond ir.Expr, e env) {
		switch value, ok := s.constantValue(cond, e); {
		case ok && value == 0:
			never = true
		case !ok:
			is = append(is, s.expression(cond, e))
		}
	}
	if last != "" {
		if n, err := strconv.ParseInt(last, 10, 64); err != nil {
			is = append(is, fmt.Sprintf(s.forms().binary[ir.Lt], last, s.constant(l.Var.Type, v)))
		} else if n >= v {
			return nil, true
		}
	}
	if l.Set != nil {
		if set, ok := s.constantValue(l.Set, e); !ok {
			is = append(is, "("+s.contains(s.expression(l.Set, e), l.Set.Type(), v)+")")
		} else if !slices.Contains(slices.Collect(l.Set.Type().Elements(set)), v) {
			return nil, true
		}
	} else {
		add(&ir.Binary{Op: ir.Le, X: l.Lo, Y: constant(v), T: ir.BoolType()}, e)
		add(&ir.Binary{Op: ir.Le, X: constant(v), Y: l.Hi, T: ir.BoolType()}, e)
	}
	if l.Where != nil {
		add(l.Where, e.bound(l.Var, s.constant(l.Var.Type, v)))
	}
	return is, never
}

// constantValue returns the value of an expression if it depends on constants only.
func (s *stepper) constantValue(x ir.Expr, e env) (value int64, ok bool) {
	known := s.model.NewEnv(nil)
	ok = true
	ir.Walk(x, func(x ir.Expr) bool {
		switch x := x.(type) {
		case *ir.VarRef:
			n, err := strconv.ParseInt(e[x.Var], 10, 64)
			if ok = ok && err == nil; ok {
				known.Vars[x.Var.ID] = n
			}
		case *ir.ProcessVar, *ir.SharedVar, *ir.Quantifier, *ir.Apply, *ir.AssignedValue:
			ok = false // the state or a variable of its own matters
		}
		return ok
	})
	if !ok {
		return 0, false
	}
	value, err := x.Eval(known)
	return value, err == nil
}

// conjunctionOf joins conditions.
func conjunctionOf(conditions []string) string {
	text := conditions[0]
	for _, c := range conditions[1:] {
		text = "(" + text + " && " + c + ")"
	}
	return text
}
