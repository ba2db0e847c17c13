package ir_test

import (
	"strings"
	"testing"

	"ringcheck/internal/spectest"
	"ringcheck/model/language/ir"
)

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

// Check finds what is broken on purpose.
func TestCheck(t *testing.T) {
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
		{func(p *ir.Protocol) { send(p).Args[0] = &ir.Const{T: ir.IntType(4, 4), Value: 4} }, "a value in 4..4 for 0..3"},
		{func(p *ir.Protocol) { send(p).Args[0] = &ir.Holds{X: one} }, "a process contains *ir.Holds"},
		{func(p *ir.Protocol) { recv(p).Patterns = nil }, "receive of M with 0 patterns"},
		{func(p *ir.Protocol) { recv(p).Patterns[0].Equal = one }, "a pattern both binds and compares"},
		{func(p *ir.Protocol) { recv(p).Patterns[0].Bind = nil }, "y is read but neither live nor bound"},
		{func(p *ir.Protocol) { p.Points[0].Term = &ir.Choice{} }, "a choice of 0"},
		{func(p *ir.Protocol) { p.Properties[0].Body = one }, "not a boolean"},
		{func(p *ir.Protocol) { p.Properties[0].Body = &ir.Holds{X: &ir.VarRef{Var: p.Vars[0]}} }, "x is not a binder"},
	} {
		p := spectest.Instantiate(t, relay, nil)
		tt.damage(p)
		err := ir.Check(p)
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
