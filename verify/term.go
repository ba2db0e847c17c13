package verify

import (
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
)

// A term is a closed expression of a property: its value depends only on the state. Terms are shared and form a
// directed acyclic graph; as an ir.Expr, a term denotes its value.
type term struct {
	ir.Foreign
	id      int
	expr    ir.Expr
	uses    []*term     // the terms in expr
	span    span        // of the slots that the value depends on
	values  valueRange  // of expr
	root    bool        // whether it is the body of a property
	watched []*instance // the instances that are seen when it is true
}

// Type implements ir.Expr.
func (t *term) Type() *ir.Type { return t.expr.Type() }

// Eval implements ir.Expr. The state is an *evaluation.
func (t *term) Eval(env *ir.Env) (int64, error) {
	e := env.State.(*evaluation)
	return e.table.unpack(e.value(t))
}

// A span is the slots from first to end-1.
type span struct{ first, end int }

// A slotValue is the value of a slot. The outcome of its term is set before an evaluation.
type slotValue struct{ ir.Foreign }

// Type implements ir.Expr.
func (slotValue) Type() *ir.Type { return ir.NatType() }

// Eval implements ir.Expr.
func (slotValue) Eval(*ir.Env) (int64, error) { panic("verify: the value of a slot is not known") }

// An occurrence is whether some processes can do an action next: see temporal.occurrences.
type occurrence struct {
	ir.Foreign
	processes []int
	action    string // as in product.Kind
	letter    uint64 // of this action of these processes
}

// Type implements ir.Expr.
func (*occurrence) Type() *ir.Type { return ir.BoolType() }

// Eval implements ir.Expr.
func (*occurrence) Eval(*ir.Env) (int64, error) { panic("verify: an occurrence has not been expanded") }

// An ownAction is whether a process, whose local state is the value of a slot, can do an action of its own.
type ownAction struct {
	ir.Foreign
	sys     *compile.System
	process int
	action  string
	slot    *term
}

// Type implements ir.Expr.
func (*ownAction) Type() *ir.Type { return ir.BoolType() }

// Eval implements ir.Expr. In a local state with a model error there is no action.
func (a *ownAction) Eval(env *ir.Env) (int64, error) {
	v, err := a.slot.Eval(env)
	if err != nil {
		return 0, err
	}
	outcomes, _ := a.sys.OwnOutcomes(model.Value(v))
	for i := range outcomes {
		if kindOf(a.sys.Label(a.sys.ActionLabel(outcomes[i].Action, a.process))).Action == a.action {
			return 1, nil
		}
	}
	return 0, nil
}

// A strict is the body of a definition with argument arg: it has no value if arg has none.
type strict struct {
	ir.Foreign
	arg, body ir.Expr
}

// Type implements ir.Expr.
func (e *strict) Type() *ir.Type { return e.body.Type() }

// Eval implements ir.Expr.
func (e *strict) Eval(env *ir.Env) (int64, error) {
	if v, err := e.arg.Eval(env); err != nil {
		return v, err
	}
	return e.body.Eval(env)
}

var _ ir.Expr = (*term)(nil)

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
