package check

import (
	"cmp"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/property"
	"ringcheck/model/language/syntax"
)

// behaviour lowers roles, rewards, bounds, goals and temporal properties.
func (b *builder) behaviour() {
	for _, d := range syntax.All[*syntax.RoleDecl](b.file) {
		b.role(d)
	}
	rewards := b.rewards()
	for _, d := range syntax.All[*syntax.BoundDecl](b.file) {
		if b.holds(d.If) {
			b.protocol.Bounds = append(b.protocol.Bounds, b.bound(d, rewards))
		}
	}
	for _, goal := range b.file.Goals {
		b.protocol.Goals = append(b.protocol.Goals, b.formula(goal))
	}
	for _, d := range syntax.All[*syntax.TemporalDecl](b.file) {
		if b.holds(d.If) {
			b.collector = warningCollector{}
			temporal := &ir.Temporal{Formula: b.formula(d.Formula), Chance: chances[d.Chance]}
			for _, f := range d.Fair {
				temporal.Fair = append(temporal.Fair, b.fairness(f))
			}
			b.protocol.Properties = append(b.protocol.Properties, &ir.Property{
				Kind: property.LTL, Name: d.Name, Doc: d.Doc, Body: boolean(true), Pos: d.Pos,
				Temporal: temporal, Warnings: b.warnings(d.Pos, d.Formula, false),
			})
		}
	}
}

// chances maps keywords to required probabilities of temporal formulas.
var chances = map[string]ir.Chance{
	"": ir.AllRuns, "probability one": ir.ProbabilityOne, "positive probability": ir.PositiveProbability,
}

func (b *builder) fairness(f *syntax.FairClause) ir.FairClause {
	clause := ir.FairClause{Strongly: f.Strongly}
	for _, id := range f.Names {
		clause.Names = append(clause.Names, id.Name)
		switch sym := symbolOf(id.Binding); sym.kind {
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

func (b *builder) bound(d *syntax.BoundDecl, rewards map[string]*ir.Reward) *ir.Bound {
	relations := map[string]ir.Relation{"<": ir.Less, "<=": ir.AtMost, ">=": ir.AtLeast, ">": ir.Greater}
	b.collector = warningCollector{}
	bound := &ir.Bound{
		Name: d.Name, Doc: d.Doc, Within: -1, Goal: b.formula(d.Goal),
		Relation: relations[d.Relation], Value: b.rational(d.Bound), Uniform: d.Uniform, Pos: d.Pos,
	}
	bound.Warnings = b.warnings(d.Pos, d.Goal, false)
	bound.Reward, bound.Unit = b.rewardNamed(d.Reward, rewards), b.rewardNamed(d.Unit, rewards)
	if d.Within != nil {
		if bound.Within = b.constant(d.Within, nil).Value; bound.Within < 0 || bound.Within > ir.MostSteps {
			b.errs.Add(d.Within.ExprPos(), "within %d: must be from 0 to %d", bound.Within, ir.MostSteps)
		}
	}
	return bound
}

// rewardNamed returns the reward with a name, nil for no name.
func (b *builder) rewardNamed(name *syntax.Ident, rewards map[string]*ir.Reward) *ir.Reward {
	if name == nil {
		return nil
	}
	r := rewards[name.Name]
	if r == nil {
		b.errs.Add(name.Pos, "there are no %s: the spec has no delay and no timer", name.Name)
	}
	return r
}

func (b *builder) role(d *syntax.RoleDecl) {
	r := &ir.Role{Name: d.Name, Word: cmp.Or(d.Doc, d.Name)}
	if d.Colour != nil {
		r.Colour = d.Colour.Name
	}
	r.Var = b.binder(symbolOf(d.Process), ir.NodeType(b.protocol.N))
	r.Body = b.logical(d.Body)
	b.protocol.Roles = append(b.protocol.Roles, r)
}

// rewards lowers the rewards of the spec and the predefined ones.
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
	if b.info.rewards["ticks"] == nil && b.protocol.Time.Ticks {
		add(&ir.Reward{Name: "ticks", Per: ir.PerTick, Value: integer(1)})
	}
	for _, d := range syntax.All[*syntax.RewardDecl](b.file) {
		add(b.reward(d))
	}
	return named
}

// rewardKinds are the kinds of reward by the word after "per".
var rewardKinds = map[string]ir.RewardKind{
	"step": ir.PerStep, "send": ir.PerSend, "event": ir.PerEvent, "tick": ir.PerTick,
}

func (b *builder) reward(d *syntax.RewardDecl) *ir.Reward {
	r := &ir.Reward{Name: d.Name, Doc: d.Doc, Pos: d.Pos, Per: rewardKinds[d.Per]}
	var fields []ir.Field
	if d.Of != nil {
		of := symbolOf(d.Of.Binding)
		if r.Message = b.messages[of]; r.Message != nil {
			fields = r.Message.Fields
		}
		if r.Event = b.events[of]; r.Event != nil {
			fields = r.Event.Fields
		}
	}
	for i, f := range fields {
		r.Fields = append(r.Fields, b.binder(symbolOf(d.Fields[i]), f.Type))
	}
	value := d.Value
	if q, ok := value.(*syntax.BinaryExpr); ok && q.Op == "/" {
		value = q.X
		if r.Over = b.constant(q.Y, nil).Value; r.Over < 1 {
			b.errs.Add(q.Y.ExprPos(), "a reward is divided by %d: must be at least 1", r.Over)
		}
	}
	r.Value = b.expr(value, nil)
	return r
}

// formula lowers a formula; a part without temporal operators is one atom.
func (b *builder) formula(e syntax.Expr) *ir.Formula {
	if !hasTemporal(e) {
		return &ir.Formula{Op: ir.StateAtom, State: b.logical(e), Pos: e.ExprPos()}
	}
	switch e := e.(type) {
	case *syntax.HappensExpr:
		b.collector.stateful = true
		if b.isTick(e) {
			return &ir.Formula{Op: ir.EventAtom, Event: ir.Tick, Pos: e.Pos}
		}
		f := &ir.Formula{Op: ir.EventAtom, Event: b.events[symbolOf(e.Event.Binding)], Pos: e.Pos}
		if e.At != nil {
			f.Process = b.process(e.At)
		}
		return f
	case *syntax.EndExpr:
		b.collector.stateful = true
		return &ir.Formula{Op: ir.TerminalAtom, Pos: e.Pos}
	case *syntax.QuantExpr:
		return b.expandQuantifier(e, e.Binders)
	}
	return joinFormulas(e, b.formula) // nothing else has temporal parts
}

// formulaOperators are the operators of formulas, except "leads to".
var formulaOperators = map[string]ir.Operator{
	"not": ir.Negation, "always": ir.Always, "eventually": ir.Eventually, "next": ir.Next,
	"and": ir.Conjunction, "or": ir.Disjunction, "=>": ir.Implication,
	"until": ir.Until, "unless": ir.Unless, "releases": ir.Releases,
}

// joinFormulas returns the formula that the operator of e makes of the results of part for its operands, nil if e has
// none.
func joinFormulas(e syntax.Expr, part func(syntax.Expr) *ir.Formula) *ir.Formula {
	switch e := e.(type) {
	case *syntax.UnaryExpr:
		if op, ok := formulaOperators[e.Op]; ok {
			return &ir.Formula{Op: op, X: part(e.X), Pos: e.Pos}
		}
	case *syntax.BinaryExpr:
		if op, ok := formulaOperators[e.Op]; ok {
			return &ir.Formula{Op: op, X: part(e.X), Y: part(e.Y), Pos: e.Pos}
		}
		if e.Op == "leads to" {
			implies := &ir.Formula{Op: ir.Implication, X: part(e.X), Pos: e.Pos}
			implies.Y = &ir.Formula{Op: ir.Eventually, X: part(e.Y), Pos: e.Pos}
			return &ir.Formula{Op: ir.Always, X: implies, Pos: e.Pos}
		}
	}
	return nil
}

// expandQuantifier writes a quantifier over a temporal formula out for the values of its binders.
func (b *builder) expandQuantifier(e *syntax.QuantExpr, binders []*syntax.Binder) *ir.Formula {
	if len(binders) == 0 {
		return b.quantifiedFormula(e)
	}
	q := &ir.Quantifier{}
	set := b.domain(q, binders[0])
	lo, hi, ok := fixed(q.Lo, q.Hi)
	all := &ir.Formula{Op: ir.StateAtom, State: boolean(e.Op == "forall"), Pos: e.Pos}
	if !ok || set != nil {
		b.errs.Add(e.Pos, "a quantifier over a temporal formula ranges over processes, types and "+
			"ranges whose ends are constants")
		return all
	}
	if lo > hi {
		return all
	}
	if uint64(hi)-uint64(lo) >= maxQuantified {
		b.large(e.Pos, "a quantifier over a temporal formula ranges over more than %d values", maxQuantified)
		return all
	}
	op := ir.Conjunction
	if e.Op == "exists" {
		op = ir.Disjunction
	}
	of := &ir.TemporalQuantifier{All: op == ir.Conjunction, Var: q.Var, Lo: lo, Hi: hi}
	of.Body = b.expandQuantifier(e, binders[1:])
	for i := range hi - lo + 1 {
		if one := of.For(hi - i); i == 0 {
			all = one
		} else {
			all = &ir.Formula{Op: op, X: one, Y: all, Pos: e.Pos}
		}
	}
	all.Quantifier = of
	return all
}

// quantifiedFormula lowers the body of a quantifier over a temporal formula and its condition.
func (b *builder) quantifiedFormula(e *syntax.QuantExpr) *ir.Formula {
	body := b.formula(e.Body)
	if e.Where == nil {
		return body
	}
	op := ir.Implication
	if e.Op == "exists" {
		op = ir.Conjunction
	}
	where := &ir.Formula{Op: ir.StateAtom, State: b.isDefined(b.logical(e.Where), e.Pos), Pos: e.Where.ExprPos()}
	return &ir.Formula{Op: op, X: where, Y: body, Pos: e.Pos}
}

// maxQuantified bounds the number of values that a quantifier over a temporal formula ranges over: each has atoms of
// its own.
const maxQuantified = 64
