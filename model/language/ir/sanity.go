package ir

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
)

// Check verifies that p is well formed: what its documentation promises, that every variable that a control
// point needs is live there, that values fit where they go. It is for tests of whatever makes or changes
// protocols; the error lists all that is wrong.
func Check(p *Protocol) error {
	s := &sanity{Protocol: p}
	s.tables()
	for _, pt := range p.Points {
		s.point(pt)
	}
	for _, prop := range p.Properties {
		s.where = "property " + prop.Name
		s.property(prop.Body)
		if prop.Body.Type().Kind != Bool {
			s.fail("not a boolean")
		}
	}
	return errors.Join(s.errs...)
}

// A sanity collects what is wrong with a protocol.
type sanity struct {
	*Protocol
	where   string
	errs    []error
	defines map[*Define]bool // that have been looked at
}

func (s *sanity) fail(format string, args ...any) {
	s.errs = append(s.errs, fmt.Errorf("%s: %s", s.where, fmt.Sprintf(format, args...)))
}

func (s *sanity) require(ok bool, format string, args ...any) {
	if !ok {
		s.fail(format, args...)
	}
}

// tables checks everything but terms and properties.
func (s *sanity) tables() {
	s.where = "protocol"
	s.require(s.N >= 1, "%d processes", s.N)
	s.require(len(s.Links) == 0 || !s.Topology.Linear() || slices.Equal(s.Links, Links(s.Topology, s.N)), "links do not fit the topology")
	s.require(s.EnvSize >= len(s.Vars), "EnvSize %d for %d variables", s.EnvSize, len(s.Vars))
	s.require(s.Start.Term != nil, "no initial configurations")
	for i, v := range s.Vars {
		s.require(v.ID == i, "variable %s has ID %d, not %d", v.Name, v.ID, i)
	}
	for i, m := range s.Messages {
		s.require(m.ID == i, "message %s has ID %d, not %d", m.Name, m.ID, i)
	}
	for i, e := range s.Events {
		s.require(e.ID == i, "event %s has ID %d, not %d", e.Name, e.ID, i)
	}
	for i, eq := range s.Equations {
		s.equation(i, eq)
	}
}

func (s *sanity) equation(i int, eq *Equation) {
	s.where = "equation " + eq.Name
	s.require(eq.ID == i, "has ID %d, not %d", eq.ID, i)
	s.require(eq.Start.Start && eq.Start.Equation == eq, "its start is not marked as such")
	s.require(slices.Contains(s.Points, eq.Start), "its start is not a control point")
	for _, v := range eq.Start.Live {
		s.require(v.Lasting() || slices.Contains(eq.Params, v), "%s is live at the start, but no parameter", v.Name)
	}
}

// point checks a control point: with its live variables known, every path from there knows what it reads.
func (s *sanity) point(p *Point) {
	s.where = fmt.Sprintf("point %d at %s", p.ID, p.Pos)
	s.require(p.ID >= 0 && p.ID < len(s.Points) && s.Points[p.ID] == p, "has the wrong ID")
	s.require(slices.IsSortedFunc(p.Live, func(a, b *Var) int { return a.ID - b.ID }), "live variables are not in order")
	known := make([]bool, len(s.Vars))
	for _, v := range p.Live {
		s.require(v.Type.Kind != Absent, "%s is live but absent", v.Name)
		known[v.ID] = true
	}
	_, call := p.Term.(*Call)
	s.require(p.Start || !call, "a call is not resolved")
	s.term(p.Term, known)
}

// term checks t where the values of some variables are known.
func (s *sanity) term(t Term, known []bool) {
	switch t := t.(type) {
	case *Stop:
	case *Call:
		s.call(t, known)
	case *Prefix:
		known = s.action(t.Action, known)
		s.next(t.Next, known)
	case *Draw:
		s.draw(t, known)
		s.term(t.Then, with(known, t.Var))
	case *Let:
		s.value(t.Value, t.Var.Type, known)
		s.term(t.Then, with(known, t.Var))
	case *If:
		s.expr(t.Cond, known)
		s.term(t.Then, known)
		s.term(t.Else, known)
	case *For:
		s.loop(t.Loop, known)
	case *Again: // its loop has been checked where it begins
		s.require(known[t.Var.ID], "the end of a loop over %s, which is not bound", t.Var.Name)
	case *Choice:
		s.require(len(t.Terms) >= 2, "a choice of %d", len(t.Terms))
		for _, summand := range t.Terms {
			s.term(summand, known)
		}
	default:
		s.fail("unknown term %T", t)
	}
}

// loop checks a loop that begins where the values of some variables are known.
func (s *sanity) loop(l *Loop, known []bool) {
	for _, e := range []Expr{l.Lo, l.Hi, l.Set} {
		if e != nil {
			s.expr(e, known)
		}
	}
	s.require((l.Set == nil) != (l.Lo == nil), "a loop over %s has no domain, or two", l.Var.Name)
	inside := with(known, l.Var)
	if l.Where != nil {
		s.expr(l.Where, inside)
	}
	s.next(l.Body, inside)
	s.next(l.Then, inside)
}

// with returns known with one more variable.
func with(known []bool, v *Var) []bool {
	known = slices.Clone(known)
	known[v.ID] = true
	return known
}

func (s *sanity) call(t *Call, known []bool) {
	s.require(slices.Contains(s.Equations, t.Equation), "call of %s, which is not listed", t.Equation.Name)
	if len(t.Args) != len(t.Equation.Params) {
		s.fail("call of %s with %d arguments", t.Equation.Name, len(t.Args))
		return
	}
	for i, v := range t.Equation.Params {
		s.value(t.Args[i], v.Type, known)
		_, same := t.Args[i].(*VarRef)
		s.require(!same || slices.Contains(t.Equation.Start.Live, v), "a variable is handed on to %s, which is not live", v.Name)
	}
}

// next checks the place behind an action.
func (s *sanity) next(p *Point, known []bool) {
	if Passing(p.Term) {
		s.require(p.ID == -1, "a place that is passed through has the control point %d", p.ID)
		s.term(p.Term, known)
		return
	}
	s.require(p.ID >= 0 && p.ID < len(s.Points) && s.Points[p.ID] == p, "a place is not listed")
	for _, v := range p.Live {
		s.require(known[v.ID], "%s is live at %s but not bound", v.Name, p.Pos)
	}
}

func (s *sanity) draw(d *Draw, known []bool) {
	ways := 0
	if d.Values != nil {
		ways++
		for _, v := range d.Values {
			s.require(d.Var.Type.Contains(v), "draw of %s: %d", d.Var.Name, v)
		}
	}
	if d.Among != nil {
		ways++
		s.expr(d.Among, known)
		s.require(d.Among.Type().Kind == Set, "draw of %s among no set", d.Var.Name)
		s.require(!d.Permuted || d.Var.Type.Kind == Array && d.Among.Type().Elem.Within(d.Var.Type.Elem), "permutations of %s for %s", d.Among.Type(), d.Var.Type)
	}
	if d.Weights != nil {
		ways++
		sum := new(big.Rat)
		for _, w := range d.Weights {
			s.require(d.Var.Type.Contains(w.Value), "draw of %s: %d", d.Var.Name, w.Value)
			sum.Add(sum, big.NewRat(int64(w.Num), int64(w.Den)))
		}
		s.require(sum.IsInt() && sum.Num().IsInt64() && sum.Num().Int64() == 1, "probabilities add up to %s", sum)
	}
	s.require(ways == 1, "draw of %s in %d ways", d.Var.Name, ways)
}

// action checks an action and returns what is known behind it.
func (s *sanity) action(a Action, known []bool) []bool {
	switch a := a.(type) {
	case *Skip:
	case *Crash:
		s.require(s.Faults.Crashed != nil, "a crash leads nowhere")
	case *Send:
		s.expr(a.Target, known)
		s.values("send of "+a.Message.Name, a.Args, a.Message.Fields, known)
	case *Emit:
		s.values("event "+a.Event.Name, a.Args, a.Event.Fields, known)
	case *Assign:
		s.require(a.Var.Lasting(), "%s is set, but does not last", a.Var.Name)
		s.value(a.Value, a.Var.Type, known)
	case *Receive:
		return s.receive(a, known)
	default:
		s.fail("unknown action %T", a)
	}
	return known
}

func (s *sanity) receive(a *Receive, known []bool) []bool {
	s.require(a.Message == nil && len(a.Patterns) == 0 || a.Message != nil && len(a.Patterns) == len(a.Message.Fields), "receive of %s with %d patterns", a.Name(), len(a.Patterns))
	after := known
	for _, p := range append([]Pattern{a.Source}, a.Patterns...) {
		s.require(p.Bind == nil || p.Equal == nil, "a pattern both binds and compares")
		if p.Bind != nil {
			after = with(after, p.Bind)
		}
		if p.Equal != nil {
			s.expr(p.Equal, known)
		}
	}
	if a.Where != nil {
		s.expr(a.Where, after)
	}
	return after
}

func (s *sanity) values(what string, args []Expr, fields []Field, known []bool) {
	if len(args) != len(fields) {
		s.fail("%s with %d arguments", what, len(args))
		return
	}
	for i, f := range fields {
		s.value(args[i], f.Type, known)
	}
}

// value checks an expression that is to be in t whatever happens.
func (s *sanity) value(e Expr, t *Type, known []bool) {
	s.expr(e, known)
	s.require(e.Type().Within(t), "a value in %s for %s", e.Type(), t)
}

// expr checks an expression of a process.
func (s *sanity) expr(e Expr, known []bool) {
	Walk(e, func(e Expr) bool {
		s.require(e != nil && e.Type() != nil, "an expression is nil or has no type")
		switch e := e.(type) {
		case *VarRef:
			if e.Var.ID >= len(s.Vars) && e.Var.ID < s.EnvSize {
				return true // a binder
			}
			s.require(e.Var.ID < len(known) && s.Vars[e.Var.ID] == e.Var, "%s is not a variable", e.Var.Name)
			s.require(e.Var.ID < len(known) && known[e.Var.ID], "%s is read but neither live nor bound", e.Var.Name)
		case *ProcessVar:
			s.require(e.Var.Kind == Register, "a process reads %s of another one", e.Var.Name)
		case *At, *MessageIs, *MessageField, *Inbox, *Neighbour, *Length, *Holds:
			s.fail("a process contains %T", e)
		}
		return true
	})
}

// property checks an expression of a property.
func (s *sanity) property(e Expr) {
	Walk(e, func(e Expr) bool {
		s.require(e != nil && e.Type() != nil, "an expression is nil or has no type")
		switch e := e.(type) {
		case *VarRef:
			s.require(e.Var.ID >= len(s.Vars) && e.Var.ID < s.EnvSize, "%s is not a binder", e.Var.Name)
		case *ProcessVar:
			s.require(e.Process.Type().Kind == Node, "a process in %s", e.Process.Type())
		case *At:
			s.require(slices.Contains(s.Equations, e.Equation), "%s is not listed", e.Equation.Name)
		case *MessageField:
			s.require(len(e.Fields) == len(s.Messages), "a field of %d messages", len(e.Fields))
		case *Apply:
			s.define(e)
		}
		return true
	})
}

func (s *sanity) define(e *Apply) {
	s.require(len(e.Args) == len(e.Define.Params), "%s with %d arguments", e.Define.Name, len(e.Args))
	if s.defines[e.Define] {
		return
	}
	if s.defines == nil {
		s.defines = map[*Define]bool{}
	}
	s.defines[e.Define] = true
	s.property(e.Define.Body)
}
