package verify

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"ringcheck/internal/effort"
	"ringcheck/internal/memo"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
)

// maxParts is the maximum number of expressions to which a property is expanded.
const maxParts = 1 << 18

// errExpand means that the processes or channels of a property depend on the state, or that there are too many.
var errExpand = errors.New("the property cannot be expanded")

// An expander turns properties into terms: it unrolls quantifiers, replaces definitions by their bodies, and evaluates
// what is then constant.
type expander struct {
	sys     *compile.System
	terms   []*term // in topological order: a term comes after the terms that it uses
	slots   []*term // the values of the slots
	numbers map[expansionKey]part
	ids     map[ir.Expr]uint64      // of values of variables that are neither constants nor variables
	vars    func(ir.Expr) []*ir.Var // the variables in an expression
	parts   int
	bytes   uint64 // the memory of the parts of the current property
	most    uint64 // the maximum memory of one property
	err     error
	bound   effort.Effort
}

// A part is an expanded expression.
type part struct {
	expr ir.Expr
	open []*ir.Var // its free message binders
	uses []*term
}

func (p part) constant() (*ir.Const, bool) {
	c, ok := p.expr.(*ir.Const)
	return c, ok
}

// partBytes is the approximate memory of an expanded expression without the list of the terms that it uses.
const partBytes = 512

var (
	_ ir.Domain[part]   = (*expander)(nil)
	_ ir.Memoizer[part] = (*expander)(nil)
)

// newExpander returns an expander that ends with ctx: see package effort. memory bounds each property; 0 is no bound.
func newExpander(ctx context.Context, sys *compile.System, memory uint64) *expander {
	x := &expander{
		sys: sys, most: cmp.Or(memory, math.MaxUint64), bound: effort.Effort{Context: ctx},
		numbers: make(map[expansionKey]part), ids: make(map[ir.Expr]uint64), vars: memo.Of(freeVars),
	}
	for i := range sys.Slots() {
		t := &term{id: i, expr: slotValue{}, span: span{i, i + 1}}
		x.terms = append(x.terms, t)
	}
	x.slots = slices.Clone(x.terms)
	return x
}

// property returns the term or constant of a property's body. A body that cannot be expanded becomes a term that
// depends on the whole state.
func (x *expander) property(body ir.Expr) ir.Expr {
	var p part
	if o, ok := body.(*occurrence); ok {
		p = x.occurrence(o)
	} else if p, ok = x.expand(body); !ok {
		p = x.close(part{expr: body, uses: slices.Clone(x.slots)})
	}
	if t, ok := p.expr.(*term); ok {
		t.root = true
	}
	return p.expr
}

// occurrence returns the disjunction of the actions of the processes of o.
func (x *expander) occurrence(o *occurrence) part {
	var parts []part
	for _, process := range o.processes {
		slot := x.slots[x.sys.SlotOfProcess(process)]
		act := &ownAction{sys: x.sys, process: process, action: o.action, slot: slot}
		parts = append(parts, x.close(part{expr: act, uses: []*term{slot}}))
	}
	return x.series(&ir.Quantifier{Op: ir.Exists, T: ir.BoolType()}, parts)
}

// watch arranges that an instance is marked as seen where its expression is true, or at once if that cannot be
// expanded.
func (x *expander) watch(i *instance) {
	p, ok := x.expand(i.expr)
	if !ok {
		i.seen.Store(true)
		return
	}
	switch e := p.expr.(type) {
	case *ir.Const:
		i.record(e.Value, nil)
	case *term:
		e.watched = append(e.watched, i)
	}
}

// expand returns e without binders. If it cannot be expanded, no terms of it are left.
func (x *expander) expand(e ir.Expr) (p part, ok bool) {
	before := len(x.terms)
	x.parts, x.bytes, x.err = 0, 0, nil
	p = ir.Abstract(x, e)
	if x.err == nil {
		return p, true
	}
	x.err = nil
	x.forget(before)
	return part{}, false
}

// forget forgets expanded expressions, and the terms from number first on.
func (x *expander) forget(first int) {
	clear(x.numbers)
	clear(x.ids)
	x.terms = x.terms[:first]
}

// graph returns the slots and the terms on which properties depend, renumbered.
func (x *expander) graph() []*term {
	needed := make([]bool, len(x.terms))
	var list []*term
	for i := len(x.terms) - 1; i >= 0; i-- {
		t := x.terms[i]
		if !t.root && t.watched == nil && !needed[i] && i >= len(x.slots) {
			continue
		}
		list = append(list, t)
		for _, u := range t.uses {
			needed[u.id] = true
		}
	}
	for i, t := range list {
		t.id = i
	}
	return list
}

// Memoize implements ir.Memoizer: an expression is expanded once for each binding of its variables.
func (x *expander) Memoize(e ir.Expr, bound func(*ir.Var) (part, bool), expand func() part) part {
	switch e.(type) {
	case *ir.Const, *ir.VarRef:
		return expand()
	}
	x.bound.Tick()
	key := x.key(e, bound)
	if p, ok := x.numbers[key]; ok {
		return p
	}
	if x.parts++; x.parts > maxParts {
		x.fail()
	}
	if x.err != nil {
		return part{expr: e}
	}
	p := x.close(expand())
	if x.bytes += partBytes + 8*uint64(len(p.uses)); x.bytes > x.most {
		x.fail()
	}
	x.numbers[key] = p
	return p
}

func (x *expander) fail() { x.err = errExpand }

// freeVars returns the variables that an expression refers to.
func freeVars(e ir.Expr) (vars []*ir.Var) {
	for v := range ir.FreeVars(e) {
		if !slices.Contains(vars, v) {
			vars = append(vars, v)
		}
	}
	return vars
}

// An expansionKey identifies an expression with the values of its variables.
type expansionKey struct {
	expr   ir.Expr
	values string
}

// key returns the key of an expression.
func (x *expander) key(e ir.Expr, bound func(*ir.Var) (part, bool)) expansionKey {
	var values [64]byte
	list := values[:0]
	for _, v := range x.vars(e) {
		p, ok := bound(v)
		if !ok {
			continue // bound within e
		}
		switch to := p.expr.(type) {
		case *ir.Const:
			list = binary.AppendVarint(append(list, 'c'), to.Value)
		case *ir.VarRef:
			list = binary.AppendVarint(append(list, 'v'), int64(to.Var.ID))
		default:
			id, ok := x.ids[to]
			if !ok {
				id = uint64(len(x.ids))
				x.ids[to] = id
			}
			list = binary.AppendUvarint(append(list, 'e'), id)
		}
	}
	return expansionKey{e, string(list)}
}

// close makes a term of a part that is a closed expression.
func (x *expander) close(p part) part {
	if _, ok := p.constant(); ok || len(p.open) > 0 || x.err != nil {
		return p
	}
	if _, ok := p.expr.(*term); ok {
		return p
	}
	t := &term{id: len(x.terms), expr: p.expr, uses: p.uses, values: rangeOf(p.expr)}
	for _, u := range p.uses {
		t.span = t.span.union(u.span)
	}
	x.terms = append(x.terms, t)
	return part{expr: t, uses: []*term{t}}
}

// Node implements ir.Domain. If a constant operand decides the result, it does not expand the others.
func (x *expander) Node(e ir.Expr, parts ir.Parts[part]) part {
	switch e := e.(type) {
	case *ir.Const:
		return part{expr: e}
	case *ir.VarRef: // a free variable
		x.fail()
		return part{expr: e}
	case *ir.SharedVar:
		return part{expr: e, uses: []*term{x.slots[x.sys.SlotOfShared(e.Var.Slot)]}}
	case *ir.Binary:
		return x.binary(e, parts)
	case *ir.Cond:
		condition := parts.At(0)
		if c, ok := condition.constant(); ok {
			return parts.At(2 - int(c.Value))
		}
		return x.rebuild(e, []part{condition, parts.At(1), parts.At(2)})
	}
	return x.rebuild(e, parts.All())
}

func (x *expander) binary(e *ir.Binary, parts ir.Parts[part]) part {
	left := parts.At(0)
	if c, ok := left.constant(); ok {
		if v, ok := e.DecideLeft(c.Value); ok {
			return part{expr: truth(v != 0)}
		}
		if e.Op == ir.And || e.Op == ir.Or || e.Op == ir.Implies {
			return parts.At(1)
		}
	}
	right := parts.At(1)
	if c, ok := right.constant(); ok && alwaysDefined(left.expr) &&
		(e.Op == ir.And && c.Value == 0 || (e.Op == ir.Or || e.Op == ir.Implies) && c.Value != 0) {
		return right
	}
	return x.rebuild(e, []part{left, right})
}

func (x *expander) rebuild(e ir.Expr, parts []part) part {
	p := join(parts)
	exprs := make([]ir.Expr, len(parts))
	constant := true
	for i := range parts {
		exprs[i] = parts[i].expr
		_, ok := parts[i].constant()
		constant = constant && ok
	}
	p.expr = ir.WithChildren(e, exprs)
	switch e.(type) {
	case *ir.At, *ir.BoundFor, *ir.ProcessVar, *ir.Length:
		return x.look(p, exprs[0])
	}
	if constant {
		// An error is reported only if the value is needed.
		if v, err := p.expr.Eval(&ir.Env{Tick: x.bound.Tick}); err == nil {
			p.expr = &ir.Const{T: e.Type(), Value: v}
		}
	}
	return p
}

// join returns a part with the binders and terms of all parts.
func join(parts []part) part {
	var p part
	for _, q := range parts {
		p.open = union(p.open, q.open)
		p.uses = union(p.uses, q.uses)
	}
	return p
}

func union[T comparable](a, b []T) []T {
	a = slices.Clip(a)
	for _, x := range b {
		if !slices.Contains(a, x) {
			a = append(a, x)
		}
	}
	return a
}

// look adds to p the slot of the process or channel that it reads, which the expression of denotes.
func (x *expander) look(p part, of ir.Expr) part {
	c, ok := of.(*ir.Const)
	if !ok {
		x.fail()
		return p
	}
	slot := 0
	switch p.expr.(type) {
	case *ir.Length:
		if c.Value < 0 {
			return part{expr: &ir.Const{T: p.expr.Type()}}
		}
		slot = x.sys.SlotOfLink(int(c.Value))
	default:
		slot = x.sys.SlotOfProcess(int(c.Value))
	}
	p.uses = []*term{x.slots[slot]}
	return p
}

// Quantifier implements ir.Domain.
func (x *expander) Quantifier(q *ir.Quantifier, domain []part, body func(part) part) part {
	if q.Over != nil {
		return x.overMessages(q, domain[0], body)
	}
	lo, ok := domain[0].constant()
	hi, ok2 := domain[1].constant()
	if !ok || !ok2 || q.Ordered() || hi.Value >= lo.Value && uint64(hi.Value)-uint64(lo.Value) >= maxParts {
		x.fail()
		return part{expr: q}
	}
	var parts []part
	for v := lo.Value; v <= hi.Value && v >= lo.Value && x.err == nil; v++ { // v may wrap around
		p := body(constant(q.Var.Type, v))
		c, ok := p.constant()
		if !ok || q.Op == ir.Sum || q.Op == ir.Unite {
			parts = append(parts, p)
			continue
		}
		if (c.Value != 0) != (q.Op == ir.ForAll) {
			return p // it decides the quantifier
		}
	}
	return x.series(q, parts)
}

// series joins parts by the operator of a quantifier, recursively by halves, like the tree of slots.
func (x *expander) series(q *ir.Quantifier, parts []part) part {
	switch len(parts) {
	case 0:
		return part{expr: neutral(q)}
	case 1:
		return parts[0]
	}
	ops := map[ir.Quant]ir.Op{ir.ForAll: ir.Every, ir.Exists: ir.Some, ir.Unite: ir.Union, ir.Sum: ir.Add}
	middle := len(parts) / 2
	left, right := x.series(q, parts[:middle]), x.series(q, parts[middle:])
	return x.close(x.rebuild(&ir.Binary{Op: ops[q.Op], T: q.T, Pos: q.Pos}, []part{left, right}))
}

// neutral returns the value of a quantifier over an empty domain.
func neutral(q *ir.Quantifier) *ir.Const {
	c := truth(q.Op == ir.ForAll)
	c.T = q.T
	return c
}

// overMessages keeps a quantifier over the messages of a channel, which must not depend on the state.
func (x *expander) overMessages(q *ir.Quantifier, over part, expand func(part) part) part {
	link, ok := over.constant()
	if !ok {
		x.fail()
		return part{expr: q}
	}
	if link.Value < 0 {
		return part{expr: neutral(q)}
	}
	body := expand(part{expr: &ir.VarRef{Var: q.Var}, open: []*ir.Var{q.Var}})
	if c, ok := body.constant(); ok && q.Op != ir.Sum && (c.Value != 0) == (q.Op == ir.ForAll) {
		return body
	}
	c := *q
	c.Over, c.Body = link, body.expr
	return part{
		expr: &c,
		open: slices.DeleteFunc(slices.Clone(body.open), func(v *ir.Var) bool { return v == q.Var }),
		uses: union(body.uses, []*term{x.slots[x.sys.SlotOfLink(int(link.Value))]}),
	}
}

// maxCases is the maximum number of values of an argument for which a definition is expanded separately. The bodies
// then depend on fewer slots: if c is a variable of process p, "a message with bit c" depends on p and the channel, "a
// message with bit 0" only on the channel.
const maxCases = 8

// Apply implements ir.Domain: parameters are replaced by arguments. A large definition of a message would be evaluated
// without remembering the values of the definitions that it applies.
func (x *expander) Apply(e *ir.Apply, args []part, body func([]part) part) part {
	if e.Define.Large() && slices.ContainsFunc(args, func(a part) bool { return len(a.open) > 0 }) {
		x.fail()
		return part{expr: e}
	}
	return x.bind(e.Define.Params, args, nil, body)
}

// bind binds the parameters after those already bound.
func (x *expander) bind(params []*ir.Var, args, bound []part, body func([]part) part) part {
	if len(bound) == len(args) {
		return body(bound)
	}
	v, a := params[len(bound)], args[len(bound)]
	with := func(p part) part { return x.bind(params, args, append(slices.Clip(bound), p), body) }
	if c, ok := a.constant(); ok {
		return with(constant(v.Type, c.Value))
	}
	t := a.expr.Type()
	if n, ok := t.Size(); len(a.open) == 0 && ok && 2 <= n && n <= maxCases && t.Kind != ir.Set && t.Kind != ir.Array {
		return x.cases(a, slices.Collect(t.Values()), func(value int64) part { return with(constant(v.Type, value)) })
	}
	p := with(a)
	joined := join([]part{a, p})
	joined.expr = &strict{arg: a.expr, body: p.expr}
	return x.close(joined)
}

// cases returns body with the value of a, as a case distinction over the possible values.
func (x *expander) cases(a part, values []int64, body func(int64) part) part {
	if len(values) == 1 {
		return body(values[0])
	}
	is := x.close(x.rebuild(&ir.Binary{Op: ir.Eq, T: ir.BoolType()}, []part{a, constant(a.expr.Type(), values[0])}))
	here, rest := body(values[0]), x.cases(a, values[1:], body)
	return x.close(x.rebuild(&ir.Cond{T: here.expr.Type()}, []part{is, here, rest}))
}

func constant(t *ir.Type, value int64) part { return part{expr: &ir.Const{T: t, Value: value}} }

func truth(b bool) *ir.Const {
	c := &ir.Const{T: ir.BoolType()}
	if b {
		c.Value = 1
	}
	return c
}
