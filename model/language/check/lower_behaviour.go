package check

import (
	"cmp"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// behaviour resolves roles, rewards, bounds, goals and temporal properties.
func (b *builder) behaviour() {
	for _, d := range b.file.Roles {
		b.role(d)
	}
	rewards := b.rewards()
	for _, d := range b.file.Bounds {
		if b.holds(d.If) {
			b.protocol.Bounds = append(b.protocol.Bounds, b.bound(d, rewards))
		}
	}
	for _, goal := range b.file.Goals {
		b.protocol.Goals = append(b.protocol.Goals, b.formula(goal))
	}
	for _, d := range b.file.Temporal {
		if b.holds(d.If) {
			b.noticed = notice{}
			temporal := &ir.Temporal{Formula: b.formula(d.Formula), Chance: chances[d.Chance]}
			for _, f := range d.Fair {
				temporal.Fair = append(temporal.Fair, b.fairness(f))
			}
			b.protocol.Properties = append(b.protocol.Properties, &ir.Property{
				Kind: ir.LTL, Name: d.Name, Doc: d.Doc, Body: boolean(true), Pos: d.Pos, Temporal: temporal, Warnings: b.noticed.warnings(d.Pos, false),
			})
		}
	}
}

func (b *builder) role(d *syntax.RoleDecl) {
	r := &ir.Role{Name: d.Name, Word: cmp.Or(d.Doc, d.Name)}
	if d.Colour != nil {
		r.Colour = d.Colour.Name
	}
	r.Var = b.binder(b.uses[d], ir.NodeType(b.protocol.N))
	r.Body = b.logical(d.Body)
	b.protocol.Roles = append(b.protocol.Roles, r)
}

// rewards resolves the rewards of the spec and those that every spec has.
func (b *builder) rewards() map[string]*ir.Reward {
	named := map[string]*ir.Reward{}
	add := func(r *ir.Reward) {
		named[r.Name] = r
		b.protocol.Rewards = append(b.protocol.Rewards, r)
	}
	if b.info.rewards["steps"] == nil {
		add(&ir.Reward{Name: "steps", Per: ir.PerStep, Value: integer(1)})
	}
	if b.info.rewards["messages"] == nil {
		add(&ir.Reward{Name: "messages", Per: ir.PerSend, Value: integer(1)})
	}
	for _, d := range b.file.Rewards {
		add(b.reward(d))
	}
	return named
}

func (b *builder) reward(d *syntax.RewardDecl) *ir.Reward {
	r := &ir.Reward{Name: d.Name, Doc: d.Doc, Pos: d.Pos}
	var fields []*syntax.Field
	var types []ir.Field
	switch d.Per {
	case "tick":
		r.Per = ir.PerTick
	case "event":
		r.Per, r.Event = ir.PerEvent, b.events[b.uses[d]]
		fields, types = b.uses[d].fields, r.Event.Fields
	case "send":
		r.Per = ir.PerSend
		if d.Of != nil {
			r.Message = b.messages[b.uses[d]]
			fields, types = b.uses[d].fields, r.Message.Fields
		}
	}
	for i, f := range fields {
		r.Fields = append(r.Fields, b.binder(b.fieldBinders[rewardField{d, f}], types[i].Type))
	}
	value := d.Value
	if q, ok := value.(*syntax.BinaryExpr); ok && q.Op == "/" {
		value = q.X
		if r.Over = b.constant(q.Y, nil).Value; r.Over < 1 {
			b.errs.Add(q.Y.ExprPos(), "a reward is divided by %d: want at least 1", r.Over)
		}
	}
	r.Value = b.expr(value, nil)
	return r
}

func (b *builder) bound(d *syntax.BoundDecl, rewards map[string]*ir.Reward) *ir.Bound {
	relations := map[string]ir.Relation{"<": ir.Less, "<=": ir.AtMost, ">=": ir.AtLeast, ">": ir.Greater}
	bound := &ir.Bound{
		Name: d.Name, Doc: d.Doc, Within: -1, Goal: b.formula(d.Goal),
		Relation: relations[d.Relation], Value: b.rational(d.Bound), Uniform: d.Uniform, Pos: d.Pos,
	}
	if d.Reward != nil {
		bound.Reward = rewards[d.Reward.Name]
	}
	if d.Within != nil {
		if bound.Within = b.constant(d.Within, nil).Value; bound.Within < 0 {
			b.errs.Add(d.Within.ExprPos(), "within %d steps: the number must not be negative", bound.Within)
		}
	}
	return bound
}

// formula resolves a formula; what has no temporal parts is one atom.
func (b *builder) formula(e syntax.Expr) *ir.Formula {
	if !hasTemporal(e) {
		return &ir.Formula{Op: ir.StateAtom, State: b.logical(e), Pos: e.ExprPos()}
	}
	switch e := e.(type) {
	case *syntax.HappensExpr:
		b.noticed.stateful = true
		f := &ir.Formula{Op: ir.EventAtom, Event: b.events[b.uses[e]], Pos: e.Pos}
		if e.At != nil {
			f.Process = b.process(e.At)
		}
		return f
	case *syntax.EndExpr:
		b.noticed.stateful = true
		return &ir.Formula{Op: ir.TerminalAtom, Pos: e.Pos}
	case *syntax.UnaryExpr:
		ops := map[string]ir.Operator{"not": ir.Negation, "always": ir.Always, "eventually": ir.Eventually, "next": ir.Next}
		return &ir.Formula{Op: ops[e.Op], X: b.formula(e.X), Pos: e.Pos}
	}
	if q, ok := e.(*syntax.QuantExpr); ok {
		return b.quantified(q, q.Binders)
	}
	op := e.(*syntax.BinaryExpr) // nothing else has temporal parts
	x, y := b.formula(op.X), b.formula(op.Y)
	if op.Op == "leads to" {
		y = &ir.Formula{Op: ir.Eventually, X: y, Pos: op.Pos}
		return &ir.Formula{Op: ir.Always, X: &ir.Formula{Op: ir.Implication, X: x, Y: y, Pos: op.Pos}, Pos: op.Pos}
	}
	ops := map[string]ir.Operator{
		"and": ir.Conjunction, "or": ir.Disjunction, "=>": ir.Implication,
		"until": ir.Until, "unless": ir.Unless, "releases": ir.Releases,
	}
	return &ir.Formula{Op: ops[op.Op], X: x, Y: y, Pos: op.Pos}
}

// chances are how likely a temporal formula can have to be.
var chances = map[string]ir.Chance{"": ir.AllRuns, "probability one": ir.ProbabilityOne, "positive probability": ir.PositiveProbability}

// quantified writes a quantifier over a temporal formula out for the values of its binders.
func (b *builder) quantified(e *syntax.QuantExpr, binders []*syntax.Binder) *ir.Formula {
	if len(binders) == 0 {
		return b.formula(e.Body)
	}
	q := &ir.Quantifier{}
	set := b.domain(q, binders[0])
	lo, ok := q.Lo.(*ir.Const)
	hi, ok2 := q.Hi.(*ir.Const)
	all := &ir.Formula{Op: ir.StateAtom, State: boolean(e.Op == "forall"), Pos: e.Pos}
	if !ok || !ok2 || set != nil {
		b.errs.Add(e.Pos, "a quantifier over a temporal formula ranges over processes, types and ranges whose ends are constants")
		return all
	}
	if hi.Value-lo.Value >= maxQuantified {
		b.large(e.Pos, "a quantifier over a temporal formula ranges over more than %d values", maxQuantified)
		return all
	}
	op := ir.Conjunction
	if e.Op == "exists" {
		op = ir.Disjunction
	}
	body := b.quantified(e, binders[1:])
	for v := hi.Value; v >= lo.Value; v-- {
		one := body.Substitute(q.Var, &ir.Const{T: q.Var.Type, Value: v})
		if v == hi.Value {
			all = one
		} else {
			all = &ir.Formula{Op: op, X: one, Y: all, Pos: e.Pos}
		}
	}
	return all
}

// maxQuantified is how many values a quantifier over a temporal formula ranges over at most: each has atoms of its own.
const maxQuantified = 64

func (b *builder) fairness(f *syntax.FairClause) ir.FairClause {
	clause := ir.FairClause{Strongly: f.Strongly}
	for _, id := range f.Names {
		clause.Names = append(clause.Names, id.Name)
		switch sym := b.uses[id]; sym.kind {
		case equationSymbol:
			if eq := b.equations[sym]; eq != nil {
				clause.Equations = append(clause.Equations, eq)
			}
		case eventSymbol:
			clause.Events = append(clause.Events, b.events[sym])
		default:
			clause.Messages = append(clause.Messages, b.messages[sym])
		}
	}
	return clause
}

// hasTemporal reports whether e is more than a predicate of states.
func hasTemporal(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.HappensExpr, *syntax.EndExpr:
		return true
	case *syntax.UnaryExpr:
		return temporal(e.Op) || hasTemporal(e.X)
	case *syntax.QuantExpr:
		return connective(e) && hasTemporal(e.Body)
	case *syntax.BinaryExpr:
		return temporal(e.Op) || connective(e) && (hasTemporal(e.X) || hasTemporal(e.Y))
	}
	return false
}

func (b *builder) action(a syntax.Action) ir.Action {
	switch a := a.(type) {
	case *syntax.Send:
		m := b.messages[b.uses[a]]
		return &ir.Send{
			Target:  b.expr(a.Target, nil),
			Message: m,
			Args:    b.arguments(a.Args, m.Fields, m.Name),
			Pos:     a.Pos,
		}
	case *syntax.Receive:
		return b.receive(a)
	case *syntax.Assign:
		v := b.vars[b.uses[a.Name]]
		if v.Type.Kind == ir.Absent {
			return &ir.Skip{Pos: a.Pos}
		}
		return &ir.Assign{Var: v, Value: b.argument(a.Value, v.Type, "value of "+v.Name), Pos: a.Pos}
	case *syntax.EventAction:
		e := b.events[b.uses[a]]
		return &ir.Emit{Event: e, Args: b.arguments(a.Args, e.Fields, e.Name), Pos: a.Pos}
	}
	return &ir.Skip{Pos: a.ActionPos()}
}

func (b *builder) arguments(args []syntax.Expr, fields []ir.Field, of string) []ir.Expr {
	var out []ir.Expr
	for i, a := range args {
		f := fields[i]
		out = append(out, b.argument(a, f.Type, "argument "+f.Name+" of "+of))
	}
	return out
}

func (b *builder) receive(a *syntax.Receive) ir.Action {
	r := &ir.Receive{Source: b.pattern(a.Source, nil, "source"), Pos: a.Pos}
	m := b.messages[b.uses[a]]
	if a.Message != nil {
		r.Message = m
	}
	for i, p := range a.Patterns {
		f := m.Fields[i]
		r.Patterns = append(r.Patterns, b.pattern(p, f.Type, "field "+f.Name+" of "+m.Name))
	}
	if a.Where != nil {
		r.Where = b.logical(a.Where)
		if v, ok := decided(r.Where); ok && v {
			r.Where = nil
		}
	}
	return r
}

// pattern resolves a pattern for a field of type t; for a source t is nil.
func (b *builder) pattern(p syntax.Expr, t *ir.Type, what string) ir.Pattern {
	if _, ok := p.(*syntax.Wildcard); ok {
		return ir.Pattern{}
	}
	if n, ok := p.(*syntax.Name); ok && b.binds[n] != nil {
		v := b.vars[b.binds[n]]
		if v.Type.Kind == ir.Absent {
			return ir.Pattern{}
		}
		if t != nil && (t.Kind == ir.Set || t.Kind == ir.Array) && !t.Within(v.Type) {
			b.errs.Add(n.Pos, "%s is %s, but %s is %s", what, t, n.Name, v.Type)
		}
		return ir.Pattern{Bind: v}
	}
	if t != nil && t.Kind == ir.Absent {
		return ir.Pattern{}
	}
	x := b.expr(p, t)
	if t != nil && (t.Kind == ir.Set || t.Kind == ir.Array) {
		x = b.convert(x, t, what, p.ExprPos())
	}
	return ir.Pattern{Equal: x}
}
