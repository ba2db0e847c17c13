package verify

import (
	"ringcheck/model/language/ir"
)

// A term is a closed expression of a property: it has no binder in it whose value is not known, so that its
// value depends on the state only. Terms are shared and make up a directed acyclic graph; as an ir.Expr a
// term stands for its value.
type term struct {
	ir.Foreign
	id      int
	expr    ir.Expr
	uses    []*term     // the terms that stand in expr
	span    span        // of the slots that the value depends on
	promise promise     // of expr
	root    bool        // a whole property
	watched []*instance // that are seen when it is true
}

var _ ir.Expr = (*term)(nil)

// Type implements ir.Expr.
func (t *term) Type() *ir.Type { return t.expr.Type() }

// Eval implements ir.Expr. The state is an *evaluation.
func (t *term) Eval(env *ir.Env) (int64, error) {
	e := env.State.(*evaluation)
	return e.odd.unpack(e.value(t))
}

// A span is the slots from first to end-1.
type span struct{ first, end int }

func (s span) empty() bool          { return s.first >= s.end }
func (s span) contains(t span) bool { return t.empty() || s.first <= t.first && t.end <= s.end }
func (s span) meets(t span) bool    { return s.first < t.end && t.first < s.end }
func (s span) union(t span) span {
	switch {
	case s.empty():
		return t
	case t.empty():
		return s
	}
	return span{min(s.first, t.first), max(s.end, t.end)}
}

// A slotValue is what a slot holds. Its term has the value from the start.
type slotValue struct{ ir.Foreign }

// Type implements ir.Expr.
func (slotValue) Type() *ir.Type { return ir.NatType() }

// Eval implements ir.Expr.
func (slotValue) Eval(*ir.Env) (int64, error) { panic("verify: the value of a slot is not known") }
