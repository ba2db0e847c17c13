package simulate

import (
	"fmt"
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
	"ringcheck/model/language/syntax"
)

// A walk goes through the term of a control point. It first counts the alternatives; if there is exactly one it then takes it,
// with the variables in the environment of the run as they come.
type walk struct {
	process int
	taking  bool
	found   int
	vague   bool // whether it takes package step to tell how many there are
	saved   []int64

	arrival int32 // the message that is offered, noMessage if the process acts on its own; and what it says
	kind    int
	port    int64
	fields  []int64
	age     int64

	sent struct { // what the action that was taken sends
		to   int
		port int64
		kind *ir.Message
		any  bool
	}
	args     []int64
	received []int64
}

// open makes a message the one that is offered, or says that the process acts on its own.
func (r *Run) open(id int32) {
	w := &r.walk
	if w.arrival = id; id != noMessage {
		l := r.mail.at(id)
		w.age = int64(r.mail.age(l))
		w.kind, w.port, w.fields = r.layout.kindOf(l), r.layout.port.get(l), r.layout.read(l, w.fields[:0])
	}
}

// alternatives returns how many distinct ones process p has: on its own, or with the message that is offered.
func (r *Run) alternatives(p int) (int, error) {
	at := &r.places[r.procs[p].at]
	switch {
	case r.walk.arrival == noMessage && at.own != depends:
		return int(at.own), nil // never and always
	case r.walk.arrival != noMessage && at.takes[r.walk.kind] == 0:
		return 0, nil
	}
	if err := r.count(p); err != nil {
		return 0, err
	}
	if r.walk.vague || r.walk.found > 1 {
		all, err := r.distributions(p)
		return len(all), err
	}
	return r.walk.found, nil
}

// count walks without taking anything.
func (r *Run) count(p int) error {
	r.enter(p)
	_, err := r.visit(r.term(p))
	return failed(p, err)
}

// term returns what matters of the term of process p.
func (r *Run) term(p int) ir.Term {
	at := &r.places[r.procs[p].at]
	if r.walk.arrival == noMessage {
		return at.alone
	}
	return at.with[r.walk.kind]
}

// enter begins a walk.
func (r *Run) enter(p int) {
	w := &r.walk
	w.process, w.taking, w.found, w.vague, w.sent.any = p, false, 0, false, false
	base := p * r.width
	for i, v := range r.places[r.procs[p].at].Live {
		r.env.Vars[v.ID] = r.vars[base+i]
	}
	r.env.Self = p
}

// act lets process p do what it can on its own, a choice of that.
func (r *Run) act(p, choice int) error {
	r.open(noMessage)
	return r.do(p, choice)
}

// do lets process p act on its own or take the message that is offered, in one of the ways that are possible.
func (r *Run) do(p, choice int) error {
	if at := &r.places[r.procs[p].at]; r.walk.arrival != noMessage || at.own != always {
		if err := r.count(p); err != nil {
			return err
		}
		if r.walk.vague || r.walk.found > 1 {
			return r.doListed(p, choice)
		}
	}
	taken, err := r.try(p)
	if !taken && err == nil {
		err = fmt.Errorf("sparse: process %d cannot do what was counted", p)
	}
	return err
}

// try takes the alternative, of which there is one at most, and reports whether there is one.
func (r *Run) try(p int) (bool, error) {
	r.enter(p)
	r.Process = p
	r.walk.taking = true
	if taken, err := r.visit(r.term(p)); !taken || err != nil {
		return false, failed(p, err)
	}
	return true, r.settle(p)
}

// settle brings messages up to date after process p has acted.
func (r *Run) settle(p int) error {
	if r.walk.arrival != noMessage {
		r.age = r.walk.age
		r.mail.remove(r.walk.arrival)
	}
	receiver, id := -1, noMessage
	if s := &r.walk.sent; s.any {
		receiver = s.to
		id = r.mail.post(s.to, s.port, s.kind.ID, r.walk.args)
		if r.faults.any && r.schedule == Timed && r.struck(step.Duplicates) {
			r.faults.twin = id
		}
	}
	if err := r.moved(p); err != nil {
		return err
	}
	if receiver >= 0 && receiver != p && r.schedule == Uniform {
		return r.weighMore(receiver, id)
	}
	return nil
}

// distributions returns the alternatives of process p as package step tells them apart.
func (r *Run) distributions(p int) ([]step.Distribution, error) {
	site := step.Site{Process: p, View: registers{r}, Sets: r.env.Sets}
	l := r.Local(p)
	var all []step.Distribution
	var err error
	if r.walk.arrival == noMessage {
		all, err = r.machine.Own(l, site)
	} else {
		all, err = r.machine.Receive(l, site, r.walk.port, r.mail.content(r.mail.at(r.walk.arrival)))
	}
	return all, failed(p, err)
}

// doListed takes one of several alternatives.
func (r *Run) doListed(p, choice int) error {
	all, err := r.distributions(p)
	if err != nil {
		return err
	}
	outcome := r.pick(all[choice])
	r.Process = p
	r.Last = outcome.Action
	r.walk.sent.any = false
	if outcome.Action.Kind == model.SendAction {
		m := outcome.Action.Message
		r.walk.args = append(r.walk.args[:0], m.Args...)
		if err := r.address(outcome.Action.Port, m.Message, placed(outcome.Place)); err != nil {
			return failed(p, err)
		}
	}
	r.procs[p].at = int32(outcome.Next.Point.ID)
	copy(r.vars[p*r.width:], outcome.Next.Env)
	return r.settle(p)
}

// pick draws an outcome.
func (r *Run) pick(d step.Distribution) *step.Outcome {
	u := r.rng.Float64()
	for i := range d[:len(d)-1] {
		weight, _ := d[i].Probability.Float64()
		if u -= weight; u < 0 {
			return &d[i]
		}
	}
	return &d[len(d)-1]
}

// visit goes through a term. In counting it goes through all of it and leaves the environment as it was; else it ends, true,
// where it has taken an alternative.
func (r *Run) visit(t ir.Term) (taken bool, err error) {
	env := r.env
	switch t := t.(type) {
	case *ir.Prefix:
		return r.prefix(t)
	case *ir.Choice:
		for _, u := range t.Terms {
			if taken, err := r.visit(u); taken || err != nil {
				return taken, err
			}
		}
	case *ir.If:
		c, err := t.Cond.Eval(env)
		switch {
		case err != nil:
			return false, err
		case c != 0:
			return r.visit(t.Then)
		}
		return r.visit(t.Else)
	case *ir.Let:
		v, err := t.Value.Eval(env)
		if err != nil {
			return false, err
		}
		return r.with(t.Var, v, t.Pos, t.Then)
	case *ir.Draw:
		return r.draw(t)
	case *ir.Call:
		depth := len(r.walk.saved)
		r.walk.saved = append(r.walk.saved, env.Vars...)
		if err := r.bindAll(t); err != nil {
			return false, err
		}
		taken, err := r.visit(t.Equation.Start.Term)
		r.restore(depth, taken)
		return taken, err
	case *ir.For:
		old := env.Vars[t.Var.ID]
		point, err := t.Next(env, false)
		if err != nil {
			return false, err
		}
		if taken, err = r.visit(point.Term); !taken {
			env.Vars[t.Var.ID] = old
		}
		return taken, err
	}
	return false, nil
}

// restore undoes what has changed since the variables were saved.
func (r *Run) restore(depth int, taken bool) {
	if !taken {
		copy(r.env.Vars, r.walk.saved[depth:])
	}
	r.walk.saved = r.walk.saved[:depth]
}

// with visits a term where a variable has a value.
func (r *Run) with(v *ir.Var, value int64, pos syntax.Pos, then ir.Term) (taken bool, err error) {
	old := r.env.Vars[v.ID]
	if err := r.bind(v, value, pos); err != nil {
		return false, err
	}
	if taken, err = r.visit(then); !taken {
		r.env.Vars[v.ID] = old
	}
	return taken, err
}

// bind gives a variable a value.
func (r *Run) bind(v *ir.Var, value int64, pos syntax.Pos) error {
	if err := v.Check(value, pos); err != nil {
		return err
	}
	r.env.Vars[v.ID] = value
	return r.machine.Bounded(v.Type, value, pos, "variable", v.Name)
}

// bindAll gives the parameters of a called equation their values, all evaluated before any is bound.
func (r *Run) bindAll(t *ir.Call) error {
	var few [8]int64
	values := few[:0]
	for _, a := range t.Args {
		v, err := a.Eval(r.env)
		if err != nil {
			return err
		}
		values = append(values, v)
	}
	for i, v := range t.Equation.Params {
		if err := r.bind(v, values[i], t.Pos); err != nil {
			return err
		}
	}
	return nil
}

// draw visits what follows a draw. In counting, it is one alternative: it leads to one definite action.
func (r *Run) draw(t *ir.Draw) (bool, error) {
	switch {
	case t.Choose:
		r.walk.vague = true
		return false, nil
	case r.walk.arrival != noMessage:
		return false, nil
	case !r.walk.taking:
		r.walk.found++
		return false, nil
	}
	value, err := r.sample(t)
	if err != nil {
		return false, err
	}
	r.drawn = append(r.drawn, step.Drawn{Var: t.Var, Value: value})
	return r.with(t.Var, value, t.Pos, t.Then)
}

// prefix counts or takes an action, if it is possible.
func (r *Run) prefix(t *ir.Prefix) (bool, error) {
	receive, receives := t.Action.(*ir.Receive)
	if receives != (r.walk.arrival != noMessage) {
		return false, nil
	}
	if receives {
		depth := len(r.walk.saved)
		fits, err := r.match(receive)
		if err != nil {
			return false, err
		}
		if !fits || !r.walk.taking {
			r.unbind(receive, depth)
			if fits {
				r.walk.found++
			}
			return false, nil
		}
		w := &r.walk
		w.saved = w.saved[:depth]
		w.received = append(w.received[:0], w.fields...)
		r.Last = step.Action{Kind: model.ReceiveAction, Port: w.port, Message: ir.Content{Message: r.protocol.Messages[w.kind], Args: w.received}}
		return true, r.arrive(t.Next)
	}
	if !r.walk.taking {
		r.walk.found++
		return false, nil
	}
	if err := r.action(t.Action); err != nil {
		return false, err
	}
	return true, r.arrive(t.Next)
}

// match binds what a receive binds, and reports whether the message fits. The old values are saved, for unbind.
func (r *Run) match(a *ir.Receive) (bool, error) {
	port, args := r.walk.port, r.walk.fields
	if a.Message != nil && a.Message.ID != r.walk.kind {
		return false, nil
	}
	if fits, err := r.equal(a.Source, port); !fits {
		return false, err
	}
	for i := range a.Patterns {
		if fits, err := r.equal(a.Patterns[i], args[i]); !fits {
			return false, err
		}
	}
	r.save(a.Source)
	for _, p := range a.Patterns {
		r.save(p)
	}
	if a.Source.Bind != nil {
		if err := r.bind(a.Source.Bind, port, a.Pos); err != nil {
			return false, err
		}
	}
	for i, p := range a.Patterns {
		if p.Bind == nil {
			continue
		}
		if err := r.bind(p.Bind, args[i], a.Pos); err != nil {
			return false, err
		}
	}
	if a.Where == nil {
		return true, nil
	}
	c, err := a.Where.Eval(r.env)
	return c != 0, err
}

func (r *Run) equal(p ir.Pattern, value int64) (bool, error) {
	if p.Equal == nil {
		return true, nil
	}
	want, err := p.Equal.Eval(r.env)
	return want == value && err == nil, err
}

func (r *Run) save(p ir.Pattern) {
	if p.Bind != nil {
		r.walk.saved = append(r.walk.saved, r.env.Vars[p.Bind.ID])
	}
}

// unbind puts the values back that match has saved, if it came to that.
func (r *Run) unbind(a *ir.Receive, depth int) {
	saved := r.walk.saved[depth:]
	if len(saved) > 0 {
		for _, p := range slices.Backward(a.Patterns) {
			saved = r.undo(p, saved)
		}
		r.undo(a.Source, saved)
	}
	r.walk.saved = r.walk.saved[:depth]
}

func (r *Run) undo(p ir.Pattern, saved []int64) []int64 {
	if p.Bind == nil {
		return saved
	}
	last := len(saved) - 1
	r.env.Vars[p.Bind.ID] = saved[last]
	return saved[:last]
}

// action does what an action does besides a receive.
func (r *Run) action(a ir.Action) error {
	switch a := a.(type) {
	case *ir.Send:
		target, err := a.Target.Eval(r.env)
		if err != nil {
			return err
		}
		if err := r.evaluate(a.Args, a.Message.Fields, a.Pos); err != nil {
			return err
		}
		r.Last = step.Action{Kind: model.SendAction, Port: target, Message: ir.Content{Message: a.Message, Args: r.walk.args}}
		return r.address(target, a.Message, &a.Pos)
	case *ir.Emit:
		r.Last = step.Action{Kind: model.EventAction, Event: a.Event}
		err := r.evaluate(a.Args, a.Event.Fields, a.Pos)
		r.Last.Args = r.walk.args
		return err
	case *ir.Assign:
		value, err := a.Value.Eval(r.env)
		if err != nil {
			return err
		}
		r.walk.args = append(r.walk.args[:0], value)
		r.Last = step.Action{Kind: model.Internal, Set: a.Var, Args: r.walk.args}
		return r.bind(a.Var, value, a.Pos)
	case *ir.Crash:
		r.Last = step.Action{Kind: model.CrashAction}
		for _, v := range r.protocol.Vars {
			if v.Kind == ir.Timer {
				r.env.Vars[v.ID] = 0
			}
		}
		return nil
	}
	r.Last = step.Action{Kind: model.Internal}
	return nil
}

// evaluate sets the arguments of a message or an event.
func (r *Run) evaluate(exprs []ir.Expr, fields []ir.Field, pos syntax.Pos) error {
	r.walk.args = r.walk.args[:0]
	for i, e := range exprs {
		v, err := e.Eval(r.env)
		if err != nil {
			return err
		}
		if err := r.machine.Bounded(fields[i].Type, v, pos, "field", fields[i].Name); err != nil {
			return err
		}
		r.walk.args = append(r.walk.args, v)
	}
	return nil
}

// address finds out who receives what process walk.process sends to a target.
func (r *Run) address(target int64, kind *ir.Message, place fmt.Stringer) error {
	link := r.protocol.OutLink(r.walk.process, target)
	if link < 0 {
		return r.machine.NoChannel(target, place.String())
	}
	l := r.protocol.Link(link)
	if r.bounded && r.mail.full(l.To, l.In) {
		return r.machine.Overfull(r.walk.process, target, place.String())
	}
	s := &r.walk.sent
	s.to, s.port, s.kind, s.any = l.To, l.In, kind, true
	return nil
}

// arrive brings the process to the control point behind an action. A call there is resolved at once, and so is what is next
// in a loop.
func (r *Run) arrive(point *ir.Point) error {
	p := r.walk.process
	base := p * r.width
	if point == nil {
		r.Local(p).Set(r.env)
		return nil
	}
	for ir.Passing(point.Term) {
		var err error
		switch t := point.Term.(type) {
		case *ir.Call:
			err = r.bindAll(t)
			point = t.Equation.Start
		case *ir.For:
			point, err = t.Next(r.env, false)
		case *ir.Again:
			point, err = t.Next(r.env, true)
		case *ir.Store:
			var value int64
			if value, err = t.Value.Eval(r.env); err == nil {
				err = r.bind(t.Var, value, t.Pos)
				point = t.Then
			}
		}
		if err != nil {
			return err
		}
	}
	r.procs[p].at = int32(point.ID)
	for i, v := range point.Live {
		r.vars[base+i] = r.env.Vars[v.ID]
	}
	return nil
}

// placed is a place in a spec that is text already.
type placed string

func (p placed) String() string { return string(p) }
