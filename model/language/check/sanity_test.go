package check_test

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"ringcheck/internal/test/spectest"
	"ringcheck/internal/test/testlevel"
	"ringcheck/model/language/ir"
)

// checkSanity checks that p is as its documentation says, that the variables that a control point needs are live
// there, and that values are within their types. The error lists all problems.
func checkSanity(p *ir.Protocol) error {
	s := &sanity{Protocol: p}
	s.tables()
	for _, pt := range p.Points {
		s.point(pt)
	}
	for _, prop := range p.Properties {
		s.where = "property " + prop.Name
		s.property(prop.Body)
		if prop.Body.Type().Kind != ir.Bool {
			s.fail("not a boolean")
		}
	}
	return errors.Join(s.errs...)
}

// A sanity collects the problems of a protocol.
type sanity struct {
	*ir.Protocol
	where   string
	errs    []error
	defines map[*ir.Define]bool // that have been checked
}

func (s *sanity) fail(format string, args ...any) {
	s.errs = append(s.errs, fmt.Errorf("%s: %s", s.where, fmt.Sprintf(format, args...)))
}

func (s *sanity) require(ok bool, format string, args ...any) {
	if !ok {
		s.fail(format, args...)
	}
}

// linksOf returns the channels of a ring, a line or a complete graph, in the order of ir.GraphLinks.
func linksOf(kind string, n int) []ir.Link {
	var links []ir.Link
	for p := range n {
		prev, next := (p+n-1)%n, (p+1)%n
		fromLeft := ir.Link{From: prev, To: p, Out: ir.Right, In: ir.Left}
		fromRight := ir.Link{From: next, To: p, Out: ir.Left, In: ir.Right}
		switch kind {
		case "directed ring":
			links = append(links, fromLeft)
		case "undirected ring":
			links = append(links, fromLeft, fromRight)
		case "line":
			if p > 0 {
				links = append(links, fromLeft)
			}
			if p < n-1 {
				links = append(links, fromRight)
			}
		case "complete graph":
			for q := range n {
				if q != p {
					links = append(links, ir.Link{From: q, To: p, Out: int64(p), In: int64(q)})
				}
			}
		}
	}
	return links
}

// tables checks everything but terms and properties.
func (s *sanity) tables() {
	s.where = "protocol"
	s.require(s.N >= 1, "%d processes", s.N)
	known := s.Topology.Linear() || s.Topology.Complete && s.Numbered()
	s.require(len(s.Links) == 0 || !known || slices.Equal(s.Links, linksOf(s.Topology.Keyword, s.N)),
		"links do not fit the topology")
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

func (s *sanity) equation(i int, eq *ir.Equation) {
	s.where = "equation " + eq.Name
	s.require(eq.ID == i, "has ID %d, not %d", eq.ID, i)
	s.require(eq.Start.Start && eq.Start.Equation == eq, "its start is not marked as such")
	s.require(slices.Contains(s.Points, eq.Start), "its start is not a control point")
	for _, v := range eq.Start.Live {
		s.require(v.Lasting() || slices.Contains(eq.Params, v), "%s is live at the start, but no parameter", v.Name)
	}
}

// point checks that every path from a control point reads only live variables and those bound on the way.
func (s *sanity) point(p *ir.Point) {
	s.where = fmt.Sprintf("point %d at %s", p.ID, p.Pos)
	s.require(p.ID >= 0 && p.ID < len(s.Points) && s.Points[p.ID] == p, "has the wrong ID")
	s.require(slices.IsSortedFunc(p.Live, func(a, b *ir.Var) int { return a.ID - b.ID }),
		"live variables are not in order")
	known := make([]bool, len(s.Vars))
	for _, v := range p.Live {
		s.require(v.Type.Kind != ir.Absent, "%s is live but absent", v.Name)
		known[v.ID] = true
	}
	_, call := p.Term.(*ir.Call)
	s.require(p.Start || !call, "a call is not resolved")
	s.term(p.Term, known)
}

// term checks t where some variables have values.
func (s *sanity) term(t ir.Term, known []bool) {
	switch t := t.(type) {
	case *ir.Stop:
		s.require(t.Point.Term == t && len(t.Point.Live) <= len(s.Vars), "a stop is at a place of something else")
	case *ir.Call:
		s.call(t, known)
	case *ir.Prefix:
		known = s.action(t.Action, known)
		if _, receives := t.Action.(*ir.Receive); t.Next != nil || !receives {
			s.next(t.Next, known)
		}
	case *ir.Draw:
		s.draw(t, known)
		s.term(t.Then, with(known, t.Var))
	case *ir.Let:
		s.value(t.Value, t.Var.Type, known)
		s.term(t.Then, with(known, t.Var))
	case *ir.If:
		s.expr(t.Cond, known)
		s.term(t.Then, known)
		s.term(t.Else, known)
	case *ir.Store:
		s.value(t.Value, t.Var.Type, known)
		s.next(t.Then, known)
	case *ir.For:
		s.loop(t.Loop, known)
	case *ir.LoopEnd: // its loop was checked at its For
		s.require(known[t.Var.ID], "the end of a loop over %s, which is not bound", t.Var.Name)
	case *ir.Choice:
		if len(t.Terms) == 1 {
			s.fail("a choice of one")
			return
		}
		for _, summand := range t.Terms {
			s.term(summand, known)
		}
	default:
		s.fail("unknown term %T", t)
	}
}

// loop checks a loop where some variables have values.
func (s *sanity) loop(l *ir.Loop, known []bool) {
	for _, e := range []ir.Expr{l.Lo, l.Hi, l.Set} {
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

// with returns a copy of known with one more variable.
func with(known []bool, v *ir.Var) []bool {
	known = slices.Clone(known)
	known[v.ID] = true
	return known
}

func (s *sanity) call(t *ir.Call, known []bool) {
	s.require(slices.Contains(s.Equations, t.Equation), "call of %s, which is not listed", t.Equation.Name)
	if len(t.Args) != len(t.Equation.Params) {
		s.fail("call of %s with %d arguments", t.Equation.Name, len(t.Args))
		return
	}
	for i, v := range t.Equation.Params {
		s.value(t.Args[i], v.Type, known)
		_, same := t.Args[i].(*ir.VarRef)
		s.require(!same || slices.Contains(t.Equation.Start.Live, v),
			"a variable is handed on to %s, which is not live", v.Name)
	}
}

// next checks the point behind an action.
func (s *sanity) next(p *ir.Point, known []bool) {
	if ir.Passing(p.Term) {
		s.require(p.ID == -1, "a place that is passed through has the control point %d", p.ID)
		s.term(p.Term, known)
		return
	}
	s.require(p.ID >= 0 && p.ID < len(s.Points) && s.Points[p.ID] == p, "a place is not listed")
	for _, v := range p.Live {
		s.require(known[v.ID], "%s is live at %s but not bound", v.Name, p.Pos)
	}
}

func (s *sanity) draw(d *ir.Draw, known []bool) {
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
		s.require(d.Among.Type().Kind == ir.Set, "draw of %s among no set", d.Var.Name)
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

// action checks an action and returns the variables with values behind it.
func (s *sanity) action(a ir.Action, known []bool) []bool {
	switch a := a.(type) {
	case *ir.Skip:
	case *ir.Crash:
		s.require(s.Faults.Crashed != nil, "a crash leads nowhere")
	case *ir.Send:
		s.expr(a.Target, known)
		s.values("send of "+a.Message.Name, a.Args, a.Message.Fields, known)
	case *ir.Emit:
		s.values("event "+a.Event.Name, a.Args, a.Event.Fields, known)
	case *ir.Assign:
		s.require(a.Var.Lasting(), "%s is set, but does not last", a.Var.Name)
		s.value(a.Value, a.Var.Type, known)
	case *ir.Receive:
		return s.receive(a, known)
	default:
		s.fail("unknown action %T", a)
	}
	return known
}

func (s *sanity) receive(a *ir.Receive, known []bool) []bool {
	s.require(a.Message == nil && len(a.Patterns) == 0 || a.Message != nil && len(a.Patterns) == len(a.Message.Fields),
		"receive of %s with %d patterns", a.Name(), len(a.Patterns))
	after := known
	for _, p := range append([]ir.Pattern{a.Source}, a.Patterns...) {
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

func (s *sanity) values(what string, args []ir.Expr, fields []ir.Field, known []bool) {
	if len(args) != len(fields) {
		s.fail("%s with %d arguments", what, len(args))
		return
	}
	for i, f := range fields {
		s.value(args[i], f.Type, known)
	}
}

// value checks an expression whose value must always be in t.
func (s *sanity) value(e ir.Expr, t *ir.Type, known []bool) {
	s.expr(e, known)
	s.require(e.Type().SubtypeOf(t), "a value in %s for %s", e.Type(), t)
}

// expr checks an expression of a process.
func (s *sanity) expr(e ir.Expr, known []bool) {
	ir.Walk(e, func(e ir.Expr) bool {
		s.require(e != nil && e.Type() != nil, "an expression is nil or has no type")
		switch e := e.(type) {
		case *ir.VarRef:
			if e.Var.ID >= len(s.Vars) && e.Var.ID < s.EnvSize {
				return true // a binder
			}
			s.require(e.Var.ID < len(known) && s.Vars[e.Var.ID] == e.Var, "%s is not a variable", e.Var.Name)
			s.require(e.Var.ID < len(known) && known[e.Var.ID], "%s is read but neither live nor bound", e.Var.Name)
		case *ir.ProcessVar:
			s.require(e.Var.Kind == ir.Register, "a process reads %s of another one", e.Var.Name)
		case *ir.At, *ir.MessageIs, *ir.MessageField, *ir.Inbox, *ir.Neighbour, *ir.Length, *ir.Holds:
			s.fail("a process contains %T", e)
		}
		return true
	})
}

// property checks an expression of a property.
func (s *sanity) property(e ir.Expr) {
	ir.Walk(e, func(e ir.Expr) bool {
		s.require(e != nil && e.Type() != nil, "an expression is nil or has no type")
		switch e := e.(type) {
		case *ir.VarRef:
			s.require(e.Var.ID >= len(s.Vars) && e.Var.ID < s.EnvSize, "%s is not a binder", e.Var.Name)
		case *ir.ProcessVar:
			s.require(e.Process.Type().Kind == ir.Node, "a process in %s", e.Process.Type())
		case *ir.At:
			s.require(slices.Contains(s.Equations, e.Equation), "%s is not listed", e.Equation.Name)
		case *ir.MessageField:
			s.require(len(e.Fields) == len(s.Messages), "a field of %d messages", len(e.Fields))
		case *ir.Apply:
			s.define(e)
		}
		return true
	})
}

func (s *sanity) define(e *ir.Apply) {
	s.require(len(e.Args) == len(e.Define.Params), "%s with %d arguments", e.Define.Name, len(e.Args))
	if s.defines[e.Define] {
		return
	}
	if s.defines == nil {
		s.defines = map[*ir.Define]bool{}
	}
	s.defines[e.Define] = true
	s.property(e.Define.Body)
}

const relay = `protocol relay
topology undirected ring of 3
channel fifo
var x, y: 0..3
var s: set of 0..2
message M(v: 0..3)
event out(v: 0..3)
process p = A(0)
A(x) = draw y in {0: 1/2, 1: 1/2}; send right M(y); B(x)
B(x) = recv left M(y) where y < 3; if x = y then out(y); A(y) else (choose y in s0; skip; A(y) | draw y; skip; stop)
const s0 = {1, 2}
define size2(p) = size(inbox(p, left))
invariant i = forall p in node, m in inbox(p, left): p.x = 1 and m.v > size2(p)
`

// checkSanity must find deliberate damage.
func TestSanity(t *testing.T) {
	a := func(p *ir.Protocol) *ir.Draw { return p.Equations[0].Start.Term.(*ir.Draw) }
	send := func(p *ir.Protocol) *ir.Send { return a(p).Then.(*ir.Prefix).Action.(*ir.Send) }
	after := func(p *ir.Protocol) *ir.Point { return p.Equations[1].Start.Term.(*ir.Prefix).Next }
	recv := func(p *ir.Protocol) *ir.Receive { return p.Equations[1].Start.Term.(*ir.Prefix).Action.(*ir.Receive) }
	var one ir.Expr = &ir.Const{T: ir.IntType(1, 1), Value: 1}
	for _, tt := range []struct {
		damage func(*ir.Protocol)
		want   string
	}{
		{func(*ir.Protocol) {}, ""},
		{func(p *ir.Protocol) { p.Links = p.Links[1:] }, "links do not fit the topology"},
		{func(p *ir.Protocol) { p.EnvSize = 1 }, "EnvSize 1"},
		{func(p *ir.Protocol) { p.Start.Term = nil }, "no initial configurations"},
		{func(p *ir.Protocol) { p.Vars[0].ID = 1 }, "variable x has ID 1, not 0"},
		{func(p *ir.Protocol) { p.Messages[0].ID = 1 }, "message M has ID 1"},
		{func(p *ir.Protocol) { p.Events[0].ID = 1 }, "event out has ID 1"},
		{func(p *ir.Protocol) { p.Equations[0].ID = 1 }, "has ID 1, not 0"},
		{func(p *ir.Protocol) { p.Points[1].ID = 0 }, "has the wrong ID"},
		{func(p *ir.Protocol) { p.Equations[0].Start.Start = false }, "its start is not marked"},
		{func(p *ir.Protocol) { p.Equations[0].Start.Live = p.Vars[1:2] }, "y is live at the start, but no parameter"},
		{func(p *ir.Protocol) { p.Equations[1].Start.Live = nil }, "x is live at test.ring:10:36 but not bound"},
		{func(p *ir.Protocol) { after(p).Live = nil }, "y is read but neither live nor bound"},
		{func(p *ir.Protocol) { l := after(p).Live; l[0], l[1] = l[1], l[0] }, "live variables are not in order"},
		{func(p *ir.Protocol) { a(p).Weights[0].Num = 3 }, "probabilities add up to 2"},
		{func(p *ir.Protocol) { a(p).Weights[0].Value = 4 }, "draw of y: 4"},
		{func(p *ir.Protocol) { a(p).Values = []int64{1} }, "draw of y in 2 ways"},
		{func(p *ir.Protocol) { a(p).Weights = nil }, "draw of y in 0 ways"},
		{func(p *ir.Protocol) { a(p).Weights, a(p).Among = nil, one }, "draw of y among no set"},
		{func(p *ir.Protocol) { send(p).Args = nil }, "send of M with 0 arguments"},
		{func(p *ir.Protocol) { send(p).Args[0] = &ir.Const{T: ir.IntType(4, 4), Value: 4} },
			"a value in 4..4 for 0..3"},
		{func(p *ir.Protocol) { send(p).Args[0] = &ir.Holds{X: one} }, "a process contains *ir.Holds"},
		{func(p *ir.Protocol) { recv(p).Patterns = nil }, "receive of M with 0 patterns"},
		{func(p *ir.Protocol) { recv(p).Patterns[0].Equal = one }, "a pattern both binds and compares"},
		{func(p *ir.Protocol) { recv(p).Patterns[0].Bind = nil }, "y is read but neither live nor bound"},
		{func(p *ir.Protocol) { p.Points[0].Term = &ir.Choice{Terms: make([]ir.Term, 1)} }, "a choice of one"},
		{func(p *ir.Protocol) { p.Properties[0].Body = one }, "not a boolean"},
		{func(p *ir.Protocol) { p.Properties[0].Body = &ir.Holds{X: &ir.VarRef{Var: p.Vars[0]}} }, "x is not a binder"},
	} {
		p := spectest.Instantiate(t, relay, nil)
		tt.damage(p)
		err := checkSanity(p)
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("got %v", err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
}

// Expressions are evaluated once for each local state when protocols are compiled, and once for each state
// in properties.
func BenchmarkEval(b *testing.B) {
	p := spectest.Instantiate(b, relay, nil)
	where := p.Equations[1].Start.Term.(*ir.Prefix).Action.(*ir.Receive).Where
	env := p.NewEnv(nil)
	for b.Loop() {
		if _, err := where.Eval(env); err != nil {
			b.Fatal(err)
		}
	}
}

// Random specs are well formed under all settings.
func TestRandomIsWellFormed(t *testing.T) {
	for seed := range uint64(100) {
		src := spectest.Random(seed, 1)
		for _, n := range []string{"2", "3"} {
			for _, flag := range []string{"true", "false"} {
				p := spectest.Instantiate(t, src, map[string]string{"n": n, "flag": flag})
				if err := checkSanity(p); err != nil {
					t.Fatalf("seed %d, n=%s, flag=%s: %v\n%s", seed, n, flag, err, src)
				}
			}
		}
	}
}

var varied = testlevel.Cases[uint64](300, 500) // how many random specs TestVariedIsWellFormed looks at

// So are varied ones, and together they have every feature.
func TestVariedIsWellFormed(t *testing.T) {
	corpus := spectest.NewCorpus()
	for seed := range varied() {
		src := corpus.Varied(seed, 1)
		corpus.Use(t, src)
		for _, text := range []string{src, spectest.Anonymous(src)} {
			for _, n := range []string{"2", "3"} {
				p := spectest.Instantiate(t, text, map[string]string{"n": n})
				if err := checkSanity(p); err != nil {
					t.Fatalf("seed %d, n=%s: %v\n%s", seed, n, err, text)
				}
			}
		}
	}
	corpus.Check(t)
}
