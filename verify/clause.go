package verify

import (
	"slices"
	"sync"
	"sync/atomic"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// A clause is a condition in a property: an atom, or a connective, quantifier, definition or temporal operator applied
// to other clauses. A part of a definition that is used several times becomes several clauses with one textPlace.
type clause struct {
	op    ir.Operator
	pos   syntax.Pos
	parts []*clause // operands; of an atom, the conditions of its counts
	// stateful reports whether it contains an atom, so that it depends on the state.
	stateful bool
	// valueWatches[0] and [1] watch whether the textPlace has the value false, or true, in some state; nil if that
	// follows from the operands.
	valueWatches [2]*watch
	ownInstances []*instance // the instances of this clause in valueWatches[1], which other clauses may share
	isNamed      bool        // it is a definition, or an atom of a formula: warnings concern all of it
	// isLiteral reports whether it is the constant true or false in the text, isMembership whether it is the membership
	// test of a quantifier over a set.
	isLiteral, isMembership bool
	// hasVaryingRange reports whether it is a quantifier whose range varies, rangeDependsOnState whether the range
	// depends on the state.
	hasVaryingRange, rangeDependsOnState bool
	event                                string    // the name of an event
	source                               ir.Expr   // in the property, or in expr of the atom around it
	expr                                 ir.Expr   // of an atom, with definitions replaced by their bodies
	counts                               []ir.Expr // in an atom, the quantifier or conditional of each of parts
	// Of an atom that can be undefined: watches of states in which it is relevant, and relevant and defined.
	relevantWatch, definedWatch *watch
}

// choice is the operator of a conditional expression.
const choice ir.Operator = -1

// A watch records whether a textPlace has a value in some state.
type watch struct{ instances []*instance }

func (w *watch) observed() bool {
	return slices.ContainsFunc(w.instances, func(i *instance) bool { return i.seen.Load() })
}

// An instance is an expression. A search looks for a state in which it is true.
type instance struct {
	expr             ir.Expr
	name             string // the name of the outermost binder, if it ranges over processes
	process          int64  // the value of that binder, or -1
	isWholePredicate bool   // expr is the state predicate of a property: a reduction preserves its values
	// impossible, of a clause.ownInstances, reports whether constants decide that expr is false in every state in which
	// its value is relevant.
	impossible func() bool
	watch      *watch
	// isGuard says that it is of the left side of an implication: it matters by itself, even if another one of its
	// watch was seen.
	isGuard bool
	seen    atomic.Bool
}

// matters reports whether it matters if the instance will be seen.
func (i *instance) matters() bool { return !i.seen.Load() && (i.isGuard || !i.watch.observed()) }

// maxInstances is the maximum number of instances of a property, and maxSize its maximum size. There are no warnings
// about a larger one.
const (
	maxInstances = 1 << 14
	maxSize      = 1 << 14
)

// maxConstants is the number of expanded expressions after which a splitter forgets them.
const maxConstants = 1 << 14

// A splitter splits a property into clauses.
type splitter struct {
	places  map[textPlace]*[4]*watch
	all     []*instance
	binders []*ir.Quantifier // the enclosing binders
	happens func(event *ir.Event, process ir.Expr) bool
	ends    bool // there is a terminal state
	// constants expands expressions to decide which of them are constant.
	constants *expander
}

// A textPlace is a position in the text and an operator, because several clauses may begin at one position.
type textPlace struct {
	pos syntax.Pos
	op  ir.Operator
}

// split splits a property.
func (d *splitter) split(p *ir.Property) (root *clause) {
	if p.Temporal != nil {
		root = d.formula(p.Temporal.Formula)
	} else {
		root = d.clause(p.Body, nil)
	}
	root.markGuards()
	return root
}

// markGuards marks the instances of the left sides of implications.
func (p *clause) markGuards() {
	if p.op == ir.Implication {
		for _, i := range p.parts[0].ownInstances {
			i.isGuard = true
		}
	}
	for _, x := range p.parts {
		x.markGuards()
	}
}

func (d *splitter) formula(f *ir.Formula) *clause {
	p := &clause{op: f.Op, pos: f.Pos}
	known := func(shown bool) {
		here, other := &instance{}, &instance{}
		here.seen.Store(shown)
		other.seen.Store(true)
		p.stateful, p.valueWatches = true, [2]*watch{{[]*instance{other}}, {[]*instance{here}}}
	}
	switch f.Op {
	case ir.StateAtom:
		p = d.clause(f.State, nil)
		p.pos = f.Pos
		d.addWatches(p, f.State, nil)
		if p.isNamed = true; p.stateful {
			for _, w := range p.valueWatches {
				w.instances[0].isWholePredicate = true
			}
		}
	case ir.EventAtom:
		p.event = f.Event.Name
		known(d.happens(f.Event, f.Process))
	case ir.TerminalAtom:
		known(d.ends)
	case ir.Negation, ir.Conjunction, ir.Disjunction, ir.Implication, ir.Next, ir.Always, ir.Eventually, ir.Until,
		ir.Unless, ir.Releases: // split below
	}
	for _, x := range []*ir.Formula{f.X, f.Y} {
		if x != nil {
			p.add(d.formula(x))
		}
	}
	return p
}

func (p *clause) add(operands ...*clause) {
	for _, x := range operands {
		if p.pos.Line == 0 {
			p.pos = x.pos
		}
		p.parts, p.stateful = append(p.parts, x), p.stateful || x.stateful
	}
}

// clause splits e, whose value is relevant only where the conditions in when hold: the other operands of each enclosing
// conjunction, and the negations of the other operands of each enclosing disjunction.
func (d *splitter) clause(e ir.Expr, when []ir.Expr) *clause {
	p := &clause{pos: ir.PosOf(e), source: e, expr: e}
	switch e := e.(type) {
	case *ir.Unary:
		p.op = ir.Negation
		p.add(d.clause(e.X, when))
		return p
	case *ir.Binary:
		if d.connective(p, e, when) {
			return p
		}
	case *ir.Cond:
		p.op = choice
		p.add(d.clause(e.If, when), d.clause(e.Then, appendExpr(when, e.If)),
			d.clause(e.Else, appendExpr(when, negation(e.If))))
		d.addWatches(p.parts[0], e.If, when)
		return p
	case *ir.Quantifier:
		switch e.Op {
		case ir.ForAll:
			p.op = ir.Conjunction
		case ir.Exists:
			p.op = ir.Disjunction
		case ir.Sum, ir.Unite: // not a condition
		}
		p.hasVaryingRange, p.rangeDependsOnState = !fixed(e), e.Over != nil || ir.Stateful(e.Lo) || ir.Stateful(e.Hi)
		p.add(d.withinBinder(e, func() *clause { return d.clause(e.Body, when) }))
		return p
	case *ir.Apply:
		p.op, p.isNamed = ir.Conjunction, true
		p.add(d.clause(instantiate(e), when))
		d.addWatches(p, e, when)
		return p
	case *ir.Holds:
		if structural(e.X) {
			return d.clause(e.X, when)
		}
	}
	p.op, p.stateful, p.expr = ir.StateAtom, ir.Stateful(e), inlineDefinitions(e)
	_, p.isLiteral = e.(*ir.Const)
	p.isMembership = isMember(e)
	d.addWatches(p, e, when)
	d.splitCounts(p, p.expr)
	return p
}

// connective splits e, unless it is an atom.
func (d *splitter) connective(p *clause, e *ir.Binary, when []ir.Expr) bool {
	switch e.Op {
	case ir.And:
		p.op = ir.Conjunction
		p.add(d.clause(e.X, appendExpr(when, e.Y)), d.clause(e.Y, appendExpr(when, e.X)))
	case ir.Or:
		p.op = ir.Disjunction
		p.add(d.clause(e.X, appendExpr(when, negation(e.Y))), d.clause(e.Y, appendExpr(when, negation(e.X))))
	case ir.Implies:
		p.op = ir.Implication
		p.add(d.clause(e.X, when), d.clause(e.Y, appendExpr(when, e.X)))
		d.addWatches(p.parts[0], e.X, when)
	default:
		return false
	}
	return true
}

// splitCounts adds the conditions of the counts in an atom.
func (d *splitter) splitCounts(p *clause, e ir.Expr) {
	var body *clause
	parts := ir.Children(e)
	switch e := e.(type) {
	case *ir.Quantifier:
		body, parts = d.countCondition(e), nil
	case *ir.Cond:
		body, parts = d.countCondition(e.If), parts[1:]
	}
	if body != nil {
		p.parts, p.counts = append(p.parts, body), append(p.counts, e)
	}
	for _, x := range parts {
		d.splitCounts(p, x)
	}
}

// countCondition splits the condition of the innermost of nested counts, or of a set comprehension. It returns nil if
// numbers are added.
func (d *splitter) countCondition(e ir.Expr) *clause {
	switch q := e.(type) {
	case *ir.Quantifier:
		if q.Op == ir.Sum || q.Op == ir.Unite {
			return d.withinBinder(q, func() *clause { return d.countCondition(q.Body) })
		}
	case *ir.Cond:
		if q.Then.Type().Kind == ir.Set {
			return d.countCondition(q.If)
		}
	}
	if e.Type().Kind != ir.Bool {
		return nil
	}
	p := d.clause(e, nil)
	d.addWatches(p, e, nil)
	return p
}

// inlineDefinitions returns e with definitions replaced by their bodies, and sizes and sums that count replaced by
// counts.
func inlineDefinitions(e ir.Expr) ir.Expr {
	if a, ok := e.(*ir.Apply); ok {
		return inlineDefinitions(instantiate(a))
	}
	return asCount(ir.Map(e, inlineDefinitions))
}

// asCount returns size({x in D where c}) and sum x in D: if c then 1 else 0 as count x in D: c, or, with any other
// number for 1, as a multiple of that. It returns other expressions unchanged.
func asCount(e ir.Expr) ir.Expr {
	of, op := e, ir.Sum
	if size, ok := e.(*ir.Unary); ok && size.Op == ir.Card {
		of, op = size.X, ir.Unite
	}
	q, ok := of.(*ir.Quantifier)
	if !ok || q.Op != op {
		return e
	}
	body, ok := q.Body.(*ir.Cond)
	if !ok {
		return e
	}
	otherwise, ok := body.Else.(*ir.Const)
	if !ok || otherwise.Value != 0 {
		return e
	}
	count := *q
	count.Op, count.Body, count.T = ir.Sum, body.If, e.Type()
	then, ok := body.Then.(*ir.Const)
	switch {
	case op == ir.Unite || ok && then.Value == 1: // the united sets are {x}
		return &count
	case ok:
		return &ir.Binary{Op: ir.Mul, X: then, Y: &count, T: count.T, Pos: q.Pos}
	}
	return e
}

// withinBinder splits the body of a quantifier.
func (d *splitter) withinBinder(q *ir.Quantifier, divide func() *clause) *clause {
	d.binders = append(d.binders, q)
	defer func() { d.binders = d.binders[:len(d.binders)-1] }()
	return divide()
}

// addWatches adds watches of states in which e is false, true, relevant, and relevant and defined.
func (d *splitter) addWatches(p *clause, e ir.Expr, when []ir.Expr) {
	if !p.stateful || p.valueWatches[1] != nil {
		return
	}
	h, undefined := e.(*ir.Holds)
	if !undefined {
		h = &ir.Holds{X: e} // an argument of a definition may be undefined
	}
	at := d.places[textPlace{p.pos, p.op}]
	if at == nil {
		at = &[4]*watch{{}, {}, {}, {}}
		d.places[textPlace{p.pos, p.op}] = at
	}
	p.valueWatches = [2]*watch{at[0], at[1]}
	d.addInstances(at[0], negation(h))
	before := len(at[1].instances)
	d.addInstances(at[1], h)
	p.ownInstances = slices.Clone(at[1].instances[before:])
	outer, where := d.close(conjunction(when, h))
	for _, i := range p.ownInstances {
		i.impossible = sync.OnceValue(func() bool { return d.excludes(i.of(outer, where)) })
	}
	if undefined && p.op == ir.StateAtom {
		p.relevantWatch, p.definedWatch = at[2], at[3]
		d.addInstances(at[2], conjunction(when, truth(true)))
		either := &ir.Binary{Op: ir.Or, X: h.X, Y: truth(true), T: ir.BoolType()}
		d.addInstances(at[3], conjunction(when, &ir.Holds{X: either}))
	}
}

// addInstances adds instances to w.
func (d *splitter) addInstances(w *watch, e ir.Expr) {
	list := d.instances(e)
	for _, i := range list {
		i.watch = w
	}
	w.instances, d.all = append(w.instances, list...), append(d.all, list...)
}

// instances returns an instance for each process of the outermost binder: e holds for some values of the other binders.
func (d *splitter) instances(e ir.Expr) (list []*instance) {
	outer, e := d.close(e)
	if outer == nil {
		return []*instance{{expr: e, process: -1}}
	}
	for v := outer.Lo.(*ir.Const).Value; v <= outer.Hi.(*ir.Const).Value && len(d.all)+len(list) <= maxInstances; v++ {
		i := &instance{name: outer.Var.Name, process: v}
		i.expr = i.of(outer, e)
		list = append(list, i)
	}
	return list
}

// close returns that e holds for some values of the binders. It leaves out the outermost one if that ranges over
// processes, and returns it.
func (d *splitter) close(e ir.Expr) (outer *ir.Quantifier, closed ir.Expr) {
	for i, q := range slices.Backward(d.binders) {
		if i == 0 && q.Var.Type.Kind == ir.Node && fixed(q) {
			return q, e
		}
		some := *q
		some.Op, some.T, some.Body = ir.Exists, ir.BoolType(), e
		e = &some
	}
	return nil, e
}

// of returns e for the process of the instance, as a quantifier over this process alone, so that the instances of a
// clause share e.
func (i *instance) of(outer *ir.Quantifier, e ir.Expr) ir.Expr {
	if outer == nil {
		return e
	}
	process := &ir.Const{T: outer.Var.Type, Value: i.process}
	return &ir.Quantifier{
		Op: ir.Exists, Var: outer.Var, Lo: process, Hi: process, Body: e, T: ir.BoolType(), Pos: outer.Pos,
	}
}

// excludes reports whether constants decide that e is false in every state.
func (d *splitter) excludes(e ir.Expr) bool {
	p, ok := d.constants.expand(e)
	c, constant := p.constant()
	if len(d.constants.numbers) > maxConstants {
		d.constants.forget(len(d.constants.slots))
	}
	return ok && constant && c.Value == 0
}

// fixed reports whether the range of a quantifier is the same in every state.
func fixed(q *ir.Quantifier) bool {
	if q.Over != nil {
		return false
	}
	_, lo := q.Lo.(*ir.Const)
	_, hi := q.Hi.(*ir.Const)
	return lo && hi
}

// isMember reports whether e tests the membership of a bound value in a set.
func isMember(e ir.Expr) bool {
	if h, ok := e.(*ir.Holds); ok {
		e = h.X
	}
	in, ok := e.(*ir.Binary)
	if !ok || in.Op != ir.In {
		return false
	}
	_, ok = in.X.(*ir.VarRef)
	return ok
}

// instantiate returns the body of a definition for its arguments.
func instantiate(e *ir.Apply) ir.Expr {
	body := e.Define.Body
	for i, p := range e.Define.Params {
		body = ir.Substitute(body, p, e.Args[i])
	}
	return body
}

// structural reports whether an atom is a definition or a count, which has atoms.
func structural(e ir.Expr) bool {
	switch e.(type) {
	case *ir.Apply, *ir.Quantifier, *ir.Cond, *ir.Unary:
		return e.Type().Kind == ir.Bool
	}
	return false
}

func appendExpr(when []ir.Expr, e ir.Expr) []ir.Expr { return append(slices.Clip(when), e) }

func negation(e ir.Expr) ir.Expr { return &ir.Unary{Op: ir.Not, X: e, T: ir.BoolType()} }

func conjunction(list []ir.Expr, e ir.Expr) ir.Expr {
	for _, x := range slices.Backward(list) {
		e = &ir.Binary{Op: ir.And, X: x, Y: e, T: ir.BoolType()}
	}
	return e
}
