package verify

import (
	"slices"
	"sync/atomic"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// A clause is a condition in a property: an atom, or a connective, quantifier, definition or temporal operator applied
// to other clauses. A part of a definition that is used several times becomes several clauses at the same place in the
// text.
type clause struct {
	op    ir.Operator
	pos   syntax.Pos
	parts []*clause // operands; of an atom, the conditions of its counts
	// stateful: it contains an atom, so it depends on the state.
	stateful bool
	// observed[0] and observed[1] watch whether the place has the value false, or true, in some state; nil if that
	// follows from the operands.
	observed [2]*watch
	own      []*instance // the instances in observed[1] of this clause, without instances of other clauses at its place
	named    bool        // a definition, or an atom of a formula: warnings concern it as a whole
	// literal: it is the constant true or false in the text; member: it is the membership test of a quantifier over a
	// set.
	literal, member bool
	// ranges: a quantifier whose range varies; stated: the range depends on the state.
	ranges, stated bool
	event          string    // the name of an event
	expr           ir.Expr   // of an atom, with definitions replaced by their bodies
	counts         []ir.Expr // in an atom, the quantifier or conditional of each of parts
	// For an atom that can be undefined: whether it is relevant in some state, and whether it is also defined in one.
	relevant, defined *watch
}

// choice is the operator of a conditional expression.
const choice ir.Operator = -1

// A watch records whether a place has some value in any state.
type watch struct{ instances []*instance }

func (w *watch) any() bool {
	return slices.ContainsFunc(w.instances, func(i *instance) bool { return i.seen.Load() })
}

// An instance is an expression whose truth in some state is looked for.
type instance struct {
	expr    ir.Expr
	name    string  // the name of the outermost binder, if it ranges over processes
	process int64   // the value of that binder, -1 without a binder
	whole   bool    // whether expr is the whole state predicate of a property, whose values a reduction preserves
	where   ir.Expr // of an instance in clause.own: expr, and the conditions where its value is relevant
	seen    atomic.Bool
}

// maxWatched is the maximum number of instances of a property that are watched, and maxDivided the maximum size of a
// property that is divided; there are no warnings about a larger one.
const (
	maxWatched = 1 << 14
	maxDivided = 1 << 14
)

// A divider divides a property into parts.
type divider struct {
	places  map[place]*[4]*watch
	all     []*instance
	binders []*ir.Quantifier // the enclosing binders
	happens func(event *ir.Event, process ir.Expr) bool
	ends    bool // whether there is a terminal state
}

// A place is a position in the text and an operator, since several clauses may begin at one place.
type place struct {
	pos syntax.Pos
	op  ir.Operator
}

// divide divides a property.
func (d *divider) divide(p *ir.Property) *clause {
	if p.Temporal != nil {
		return d.formula(p.Temporal.Formula)
	}
	return d.clause(p.Body, nil)
}

func (d *divider) formula(f *ir.Formula) *clause {
	p := &clause{op: f.Op, pos: f.Pos}
	known := func(shown bool) {
		here, other := &instance{}, &instance{}
		here.seen.Store(shown)
		other.seen.Store(true)
		p.stateful, p.observed = true, [2]*watch{{[]*instance{other}}, {[]*instance{here}}}
	}
	switch f.Op {
	case ir.StateAtom:
		p = d.clause(f.State, nil)
		p.pos = f.Pos
		d.watch(p, f.State, nil)
		if p.named = true; p.stateful {
			p.observed[0].instances[0].whole, p.observed[1].instances[0].whole = true, true
		}
	case ir.EventAtom:
		p.event = f.Event.Name
		known(d.happens(f.Event, f.Process))
	case ir.TerminalAtom:
		known(d.ends)
	case ir.Negation, ir.Conjunction, ir.Disjunction, ir.Implication, ir.Next, ir.Always, ir.Eventually, ir.Until,
		ir.Unless, ir.Releases: // divided below
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

// clause divides e, whose value is relevant only where the conditions in when hold: the other operands of each
// enclosing conjunction, and the negations of the other operands of each enclosing disjunction.
func (d *divider) clause(e ir.Expr, when []ir.Expr) *clause {
	p := &clause{pos: ir.PosOf(e), expr: e}
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
		p.add(d.clause(e.If, when), d.clause(e.Then, with(when, e.If)), d.clause(e.Else, with(when, negation(e.If))))
		d.watch(p.parts[0], e.If, when)
		return p
	case *ir.Quantifier:
		switch e.Op {
		case ir.ForAll:
			p.op = ir.Conjunction
		case ir.Exists:
			p.op = ir.Disjunction
		case ir.Sum, ir.Unite: // not a condition
		}
		p.ranges, p.stated = !fixed(e), e.Over != nil || ir.Stateful(e.Lo) || ir.Stateful(e.Hi)
		p.add(d.bound(e, func() *clause { return d.clause(e.Body, when) }))
		return p
	case *ir.Apply:
		p.op, p.named = ir.Conjunction, true
		p.add(d.clause(applied(e), when))
		d.watch(p, e, when)
		return p
	case *ir.Holds:
		if structural(e.X) {
			return d.clause(e.X, when)
		}
	}
	p.op, p.stateful, p.expr = ir.StateAtom, ir.Stateful(e), inlined(e)
	_, p.literal = e.(*ir.Const)
	p.member = isMember(e)
	d.watch(p, e, when)
	d.counted(p, p.expr)
	return p
}

// connective divides e, unless it is an atom.
func (d *divider) connective(p *clause, e *ir.Binary, when []ir.Expr) bool {
	switch e.Op {
	case ir.And:
		p.op = ir.Conjunction
		p.add(d.clause(e.X, with(when, e.Y)), d.clause(e.Y, with(when, e.X)))
	case ir.Or:
		p.op = ir.Disjunction
		p.add(d.clause(e.X, with(when, negation(e.Y))), d.clause(e.Y, with(when, negation(e.X))))
	case ir.Implies:
		p.op = ir.Implication
		p.add(d.clause(e.X, when), d.clause(e.Y, with(when, e.X)))
		d.watch(p.parts[0], e.X, when)
	default:
		return false
	}
	return true
}

// counted adds the conditions of the counts in an atom.
func (d *divider) counted(p *clause, e ir.Expr) {
	var body *clause
	parts := ir.Children(e)
	switch e := e.(type) {
	case *ir.Quantifier:
		body, parts = d.condition(e), nil
	case *ir.Cond:
		body, parts = d.condition(e.If), parts[1:]
	}
	if body != nil {
		p.parts, p.counts = append(p.parts, body), append(p.counts, e)
	}
	for _, x := range parts {
		d.counted(p, x)
	}
}

// condition divides the condition of the innermost of nested counts, or of a set comprehension; nil if numbers are
// added.
func (d *divider) condition(e ir.Expr) *clause {
	switch q := e.(type) {
	case *ir.Quantifier:
		if q.Op == ir.Sum || q.Op == ir.Unite {
			return d.bound(q, func() *clause { return d.condition(q.Body) })
		}
	case *ir.Cond:
		if q.Then.Type().Kind == ir.Set {
			return d.condition(q.If)
		}
	}
	if e.Type().Kind != ir.Bool {
		return nil
	}
	p := d.clause(e, nil)
	d.watch(p, e, nil)
	return p
}

// inlined returns e with definitions replaced by their bodies, and with sizes and sums that count replaced by counts.
func inlined(e ir.Expr) ir.Expr {
	if a, ok := e.(*ir.Apply); ok {
		return inlined(applied(a))
	}
	parts := ir.Children(e)
	for i, p := range parts {
		parts[i] = inlined(p)
	}
	return asCount(ir.WithChildren(e, parts))
}

// asCount returns size({x in D where c}) and sum x in D: if c then 1 else 0 as count x in D: c, with any other number
// for 1 as a multiple of that; other expressions as they are.
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

// bound divides the body of a quantifier.
func (d *divider) bound(q *ir.Quantifier, divide func() *clause) *clause {
	d.binders = append(d.binders, q)
	defer func() { d.binders = d.binders[:len(d.binders)-1] }()
	return divide()
}

// watch adds watches for e being false, being true, and being relevant and defined.
func (d *divider) watch(p *clause, e ir.Expr, when []ir.Expr) {
	if !p.stateful || p.observed[1] != nil {
		return
	}
	h, undefined := e.(*ir.Holds)
	if !undefined {
		h = &ir.Holds{X: e} // an argument of a definition may be undefined
	}
	at := d.places[place{p.pos, p.op}]
	if at == nil {
		at = &[4]*watch{{}, {}, {}, {}}
		d.places[place{p.pos, p.op}] = at
	}
	p.observed = [2]*watch{at[0], at[1]}
	d.addInstances(at[0], negation(h))
	before := len(at[1].instances)
	d.addInstances(at[1], h)
	p.own = slices.Clone(at[1].instances[before:])
	for i, where := range d.instances(conjunction(when, h)) {
		p.own[i].where = where.expr
	}
	if undefined && p.op == ir.StateAtom {
		p.relevant, p.defined = at[2], at[3]
		d.addInstances(at[2], conjunction(when, truth(true)))
		either := &ir.Binary{Op: ir.Or, X: h.X, Y: truth(true), T: ir.BoolType()}
		d.addInstances(at[3], conjunction(when, &ir.Holds{X: either}))
	}
}

// addInstances adds instances to w.
func (d *divider) addInstances(w *watch, e ir.Expr) {
	list := d.instances(e)
	w.instances, d.all = append(w.instances, list...), append(d.all, list...)
}

// instances returns an instance for each process of the outermost binder: e holds for some values of the other binders.
func (d *divider) instances(e ir.Expr) (list []*instance) {
	for i, q := range slices.Backward(d.binders) {
		if i == 0 && q.Var.Type.Kind == ir.Node && fixed(q) {
			for v := q.Lo.(*ir.Const).Value; v <= q.Hi.(*ir.Const).Value && len(d.all)+len(list) <= maxWatched; v++ {
				one := ir.Substitute(e, q.Var, &ir.Const{T: q.Var.Type, Value: v})
				list = append(list, &instance{expr: one, name: q.Var.Name, process: v})
			}
			return list
		}
		some := *q
		some.Op, some.T, some.Body = ir.Exists, ir.BoolType(), e
		e = &some
	}
	return []*instance{{expr: e, process: -1}}
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

// applied returns the body of a definition for its arguments.
func applied(e *ir.Apply) ir.Expr {
	body := e.Define.Body
	for i, p := range e.Define.Params {
		body = ir.Substitute(body, p, e.Args[i])
	}
	return body
}

// structural reports whether an atom is a definition or a count, whose own atoms are examined.
func structural(e ir.Expr) bool {
	switch e.(type) {
	case *ir.Apply, *ir.Quantifier, *ir.Cond, *ir.Unary:
		return e.Type().Kind == ir.Bool
	}
	return false
}

func with(when []ir.Expr, e ir.Expr) []ir.Expr { return append(slices.Clip(when), e) }

func negation(e ir.Expr) ir.Expr { return &ir.Unary{Op: ir.Not, X: e, T: ir.BoolType()} }

func conjunction(list []ir.Expr, e ir.Expr) ir.Expr {
	for _, x := range slices.Backward(list) {
		e = &ir.Binary{Op: ir.And, X: x, Y: e, T: ir.BoolType()}
	}
	return e
}
