package check

import (
	"slices"

	"ringcheck/internal/printable"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// assignment returns the assignment of a symbol that is used at pos, which is made when it is first used.
func (b *builder) assignment(sym *symbol, pos syntax.Pos) *ir.Assignment {
	if a := b.assigned[sym]; a != nil {
		return a
	}
	d := sym.decl.(*syntax.AssignDecl)
	a := &ir.Assignment{Name: d.Name, Permutation: d.Permutation, Values: b.shapeType(sym.shape)}
	b.assigned[sym] = a
	if !b.holds(d.If) {
		b.errs.Add(pos, "%s is not assigned with these options", d.Name)
		return a
	}
	a.Values = b.typ(d.Type)
	if n, ok := a.Values.Size(); d.Permutation && (!ok || n != uint64(b.protocol.N)) {
		b.errs.Add(d.Type.TypePos(), "a permutation of %s for %d processes: there must be as many values",
			a.Values, b.protocol.N)
	}
	return a
}

// initialTerm returns t with control points in the place of the terms that a process can begin with, once the
// conditions at the start are decided and the calls are resolved. A register, ghost or timer is set by the first
// action. What follows "when" is a choice, even if it is the only alternative: its condition may become true later.
func (b *builder) initialTerm(t ir.Term, pos syntax.Pos) ir.Term {
	switch t := t.(type) {
	case *ir.If:
		if c, ok := t.Else.(*ir.Choice); ok && len(c.Terms) == 0 {
			break
		}
		return &ir.If{Cond: t.Cond, Then: b.initialTerm(t.Then, pos), Else: b.initialTerm(t.Else, pos), Pos: t.Pos}
	case *ir.Let:
		if !t.Var.Lasting() {
			return &ir.Let{Var: t.Var, Value: t.Value, Then: b.initialTerm(t.Then, pos), Pos: t.Pos}
		}
	case *ir.Call:
		return t
	}
	p := &ir.Point{Kind: b.kind, Term: t, Pos: pos}
	b.protocol.Points = append(b.protocol.Points, p)
	return &ir.Enter{Point: p}
}

// lasting lowers the initial values of registers, ghosts and timers, and of assignments that properties read.
func (b *builder) lasting() {
	number := &ir.VarRef{Var: b.vars[b.self]}
	for _, d := range syntax.All[*syntax.AssignDecl](b.file) {
		if v := b.vars[b.values[d.Name]]; v != nil {
			v.Init = &ir.AssignedValue{Assignment: b.assignment(b.values[d.Name], d.Pos), Process: number}
		}
	}
	for _, d := range syntax.All[*syntax.VarDecl](b.file) {
		for _, id := range d.Names {
			v := b.vars[b.values[id.Name]]
			switch {
			case !v.Lasting():
			case d.Init != nil:
				v.Init = b.argument(d.Init, v.Type, "value of "+v.Name)
			case v.Kind == ir.Timer:
				v.Init = integer(0)
			case v.Type.Wide:
				b.errs.Add(d.Pos, "%s of all values of %s: give it an initial value", lastingKinds[d.Kind], v.Type)
			default:
				a := &ir.Assignment{Name: v.Name, Values: v.Type, Of: v.Of, Shared: v.Kind == ir.Shared}
				b.free = append(b.free, a)
				v.Init = &ir.AssignedValue{Assignment: a, Process: number}
				if a.Shared {
					v.Init = &ir.AssignedValue{Assignment: a, Process: integer(0)}
				}
			}
		}
	}
}

// initial places the values of assignments after the variables and binders of the environment.
func (b *builder) initial() {
	s := &b.protocol.Start
	s.Number = b.vars[b.self]
	add := func(a *ir.Assignment) {
		a.Base = b.protocol.EnvSize + len(s.Assignments)*b.protocol.N
		s.Assignments = append(s.Assignments, a)
	}
	for _, d := range syntax.All[*syntax.AssignDecl](b.file) {
		if a := b.assigned[b.values[d.Name]]; a != nil {
			add(a)
		}
	}
	for _, a := range b.free {
		add(a)
	}
}

// initialConditions lowers the conditions on initial states.
func (b *builder) initialConditions() {
	s := &b.protocol.Start
	for _, d := range syntax.All[*syntax.InitialDecl](b.file) {
		if !b.holds(d.If) {
			continue
		}
		if s.Condition == nil {
			s.Condition, s.ConditionPos = boolean(true), d.Pos
		}
		s.Condition = conjunction(s.Condition, b.logical(d.Condition), d.Pos)
	}
}

// contents lowers the initial contents of channels.
func (b *builder) contents() {
	for _, d := range syntax.All[*syntax.InitiallyDecl](b.file) {
		if b.holds(d.If) {
			b.deposits(d)
		}
	}
	messages := make(map[int]int) // by link
	for _, d := range b.protocol.Start.Contents {
		if b.protocol.Channel.Sync {
			b.errs.Add(d.Pos, "a %s channel holds no messages, so none can be in it initially",
				b.protocol.Channel.Keyword)
			return
		}
		if b.protocol.Capacity.Full(messages[d.Link]) {
			b.errs.Add(d.Pos, "%s has room for %s only", b.protocol.FormatLink(d.Link),
				printable.Count(b.protocol.Capacity.Most, "message"))
			return
		}
		messages[d.Link]++
	}
}

// maxDeposits bounds the number of messages that are in channels initially.
const maxDeposits = 1 << 16

// A depositor writes a declaration out for the values of its binders.
type depositor struct {
	*builder
	decl            *syntax.InitiallyDecl
	binders         []*ir.Quantifier
	within          []ir.Expr // by binder: whether its value is in the set that it ranges over
	where           ir.Expr
	process, source ir.Expr
	deposits        []*ir.Deposit
	env             *ir.Env
}

func (b *builder) deposits(d *syntax.InitiallyDecl) {
	w := &depositor{builder: b, decl: d, where: boolean(true)}
	for _, binder := range d.Binders {
		q := &ir.Quantifier{Pos: binder.Name.Pos}
		in := ir.Expr(boolean(true))
		set := b.domain(q, binder)
		if isEmptyDomain(q.Lo, q.Hi, set) {
			return
		}
		if set != nil {
			in = isIn(q.Var, set, q.Pos)
		}
		w.binders, w.within = append(w.binders, q), append(w.within, in)
	}
	if b.isFalse(d.Where) {
		return
	}
	if d.Where != nil {
		w.where = b.logical(d.Where)
	}
	w.process, w.source = b.process(d.Process), b.expr(d.Source, nil)
	for _, m := range d.Messages {
		kind := b.messages[symbolOf(m.Message.Binding)]
		args := b.arguments(m.Args, kind.Fields, kind.Name)
		w.deposits = append(w.deposits, &ir.Deposit{Message: kind, Args: args, Pos: m.Message.Pos})
	}
	if len(b.errs) == 0 {
		w.env = b.env()
		w.write(0)
	}
}

// write goes through the values of the binders from i on, until something is wrong.
func (w *depositor) write(i int) {
	if i == len(w.binders) {
		w.deposit()
		return
	}
	q := w.binders[i]
	lo, hi, err := q.Domain(w.env)
	if err != nil {
		w.errs.Add(q.Pos, "%s", err)
		return
	}
	for v := range hi - lo + 1 {
		w.env.Vars[q.Var.ID] = lo + v
		if w.value(w.within[i], w.env) != 0 {
			w.write(i + 1)
		}
		if len(w.errs) > 0 {
			return
		}
	}
}

// deposit puts the messages into the channel that is meant for the present values of the binders.
func (w *depositor) deposit() {
	if w.value(w.where, w.env) == 0 {
		return
	}
	process, source := w.value(w.process, w.env), w.value(w.source, w.env)
	if len(w.errs) > 0 {
		return
	}
	p := w.protocol
	link := p.InLink(int(process), source)
	if link < 0 {
		w.errs.Add(w.decl.Process.ExprPos(), "there is no channel inbox(%d, %s)", process, p.FormatPort(source))
		return
	}
	for _, d := range w.deposits {
		made := *d
		made.Link, made.Args = link, nil
		for _, a := range d.Args {
			made.Args = append(made.Args, w.field(a))
		}
		if p.Start.Contents = append(p.Start.Contents, &made); len(p.Start.Contents) > maxDeposits {
			w.errs.Add(w.decl.Pos, "there are more than %d initial messages in the channels", maxDeposits)
		}
	}
}

// field returns an argument for the present values of the binders: a constant unless it depends on an assignment.
func (w *depositor) field(a ir.Expr) ir.Expr {
	for _, q := range w.binders {
		a = ir.Substitute(a, q.Var, &ir.Const{T: q.Var.Type, Value: w.env.Vars[q.Var.ID]})
	}
	if hasAssigned(a) {
		return a
	}
	v := w.value(a, w.env)
	return &ir.Const{T: exactly(a.Type(), v), Value: v}
}

func hasAssigned(e ir.Expr) bool {
	_, is := e.(*ir.AssignedValue)
	return is || slices.ContainsFunc(ir.Children(e), hasAssigned)
}
