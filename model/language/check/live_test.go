package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ringcheck/internal/test/spectest"
	"ringcheck/model/language/ir"
	"ringcheck/specs"
)

// points lists the control points as EQUATION LINE:COLUMN LIVE…; the equation of a process declaration is "process".
func points(p *ir.Protocol, lines bool) string {
	var b strings.Builder
	for _, pt := range p.Points {
		name := "process"
		if pt.Equation != nil {
			name = pt.Equation.Name
		}
		switch {
		case lines && !pt.Start:
			name += fmt.Sprintf(" %d:%d", pt.Pos.Line, pt.Pos.Column)
		case !pt.Start:
			name += fmt.Sprintf(" %d", pt.Pos.Column)
		}
		b.WriteString(name + ":")
		for _, v := range pt.Live {
			b.WriteString(" " + v.Name)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestLiveness(t *testing.T) {
	for _, tt := range []struct{ name, src, want string }{
		{"nothing", "A = skip; stop", "A:\nA 11:\n"},
		{"used at once", "A = recv left M(x, _); out(x); stop", "A:\nA 24: x\nA 32:\n"},
		{"used later", "A = recv left M(x, _); done; out(x); stop", "A:\nA 24: x\nA 30: x\nA 38:\n"},
		{"never used", "A = recv left M(x, _); done; stop", "A:\nA 24:\nA 30:\n"},
		{"matched in one branch", "A = recv left M(x, f); if f then recv left M(x, _); stop else out(x); stop",
			"A:\nA 24: x f\nA 53:\nA 71:\n"},
		{"matched", "A = recv left M(x, _); recv left M(x, _); stop", "A:\nA 24: x\nA 43:\n"},
		{"source", "A = recv d Ping; recv d Ping; stop", "A:\nA 18: d\nA 31:\n"},
		{"target", "A = recv d Ping; send opposite(d) Ping; stop", "A:\nA 18: d\nA 41:\n"},
		{"guard", "A = recv left M(x, f); (when f: done; stop | when x > 0: done; stop)",
			"A:\nA 25: x f\nA 39:\nA 64:\n"},
		{"drawn from a set", "A = recv left M(x, _); draw y in {0} union {x}; out(y); stop", "A:\nA 24: x\nA 57:\n"},
		{"drawn again", "A = recv left M(x, _); draw x; out(x); stop", "A:\nA 24:\nA 40:\n"},
		{"let", "A = recv left M(x, _); let y = x; let x = y; out(x); stop", "A:\nA 24: x\nA 54:\n"},
		{"resolved call", "A = recv left M(x, _); B(x, 1)\nB(x, y) = out(y); stop", "A:\nB: y\nB 19:\n"},
		{"pending call", "A = recv left M(x, f); if f then B(x, 1) else B(0, x)\nB(x, y) = out(y); stop",
			"A:\nA 24: x f\nB: y\nB 19:\n"},
		{"recursion", "A = skip; B(1, 2)\nB(x, y) = done; B(y, x)\nC = stop", "A:\nB:\n"},
		{"recursion with a use", "A = skip; B(1, 2)\nB(x, y) = (done; B(y, x) | out(x); stop)", "A:\nB: x y\nB 36:\n"},
		{"only one way", "A = skip; B(1, 2)\nB(x, y) = (done; B(x, x) | out(x); stop)", "A:\nB: x\nB 36:\n"},
		{"folded away", "A = recv left M(x, f); if o then out(x); stop else (when f: skip; stop)",
			"A:\nA 24: x\nA 42:\n"},
		{"in dead operands", "A = recv left M(x, f); if f or (x = 0 and not o) then done; stop else stop",
			"A:\nA 24: f\nA 61:\n"},
		{"choices at different places", "A = (skip; (done; stop | skip; A) | skip; (done; stop | skip; A))",
			"A:\nA 13:\nA 19:\nA 44:\nA 50:\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := spectest.Instantiate(t, clauses+start+tt.src, nil)
			if diff := cmp.Diff(tt.want, points(p, false)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.src, diff)
			}
		})
	}
}

// The control points of the example as the paper has them: the variables that a pending conditional and the terms
// behind it need are live there, and a call right behind an action is no point.
func TestLivenessOfSpec(t *testing.T) {
	src := spectest.Source(t, "franklin")
	full := spectest.Instantiate(t, src, map[string]string{"n": "3"})
	left := spectest.Instantiate(t, src, map[string]string{"n": "3", "order": "left", "bits": "false"})
	want := []string{"A2 id bit", "A2+ id i h bit", "A2+ id j h bit", "A3 id i bit", "A3+ id i j h bit", "P",
		"P+ i h b", "P+ j h b"}
	checkPoints(t, full, want)
	checkPoints(t, left, []string{"A1", "Round id", "Round+ id", "A2 id", "A2+ id i h", "A3 id i", "A3+ id i j h", "P",
		"P+ i h", "P+ j h"})
	for _, eq := range left.Equations {
		if eq.Name == "A4" {
			t.Error("A4 is reached though the left neighbour is read first")
		}
	}
}

// checkPoints compares the points of the equations in want; + stands for a position within the equation.
func checkPoints(t *testing.T, p *ir.Protocol, want []string) {
	t.Helper()
	equations := map[string]bool{}
	for _, w := range want {
		equations[strings.TrimRight(strings.Fields(w)[0], "+")] = true
	}
	var got []string
	for _, pt := range p.Points {
		if pt.Equation == nil || !equations[pt.Equation.Name] {
			continue
		}
		s := pt.Equation.Name
		if !pt.Start {
			s += "+"
		}
		for _, v := range pt.Live {
			s += " " + v.Name
		}
		got = append(got, s)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The analysis must agree with a search for a path to a use, for each variable.
func TestLivenessAgainstPaths(t *testing.T) {
	protocols := []*ir.Protocol{}
	for _, name := range specs.Names() {
		protocols = append(protocols, spectest.Instantiate(t, spectest.Source(t, name), map[string]string{"n": "3"}))
	}
	corpus := spectest.NewCorpus()
	for _, src := range corpus.Specs(200, 3) {
		protocols = append(protocols, spectest.Instantiate(t, src, nil))
		corpus.Use(t, src)
	}
	corpus.Check(t)
	for _, p := range protocols {
		for _, pt := range p.Points {
			var want []*ir.Var
			for _, v := range p.Vars {
				kept := pt.Equation != nil && slices.Contains(pt.Equation.LiveParams, v)
				always := v.Lasting() && v.Kind != ir.Shared
				if kept || always || (&path{seen: map[place]bool{}}).leadsToUse(pt.Term, v) {
					want = append(want, v)
				}
			}
			if fmt.Sprint(names(want)) != fmt.Sprint(names(pt.Live)) {
				t.Errorf("%s %s: live %v, want %v", p.Name, pt.Pos, names(pt.Live), names(want))
			}
		}
	}
}

func names(vars []*ir.Var) []string {
	var names []string
	for _, v := range vars {
		names = append(names, v.Name)
	}
	return names
}

// A path is a depth-first search for a use of a variable. One that a call passes on is used if the parameter is;
// computing with it is a use.
type path struct{ seen map[place]bool }

type place struct {
	point *ir.Point
	v     *ir.Var
}

// from visits a point once.
func (p *path) from(pt *ir.Point, v *ir.Var) bool {
	at := place{pt, v}
	if p.seen[at] {
		return false
	}
	p.seen[at] = true
	return p.leadsToUse(pt.Term, v)
}

// loop searches from where the next value of a loop is determined.
func (p *path) loop(l *ir.Loop, v *ir.Var) bool {
	return reads(l.Lo, v) || reads(l.Hi, v) || reads(l.Set, v) || v != l.Var &&
		(reads(l.Where, v) || p.from(l.Body, v)) || p.from(l.Then, v)
}

func (p *path) leadsToUse(t ir.Term, v *ir.Var) bool {
	switch t := t.(type) {
	case *ir.Call:
		for i, a := range t.Args {
			if _, same := a.(*ir.VarRef); reads(a, v) && !same {
				return true
			}
			if reads(a, v) && p.from(t.Equation.Start, t.Equation.Params[i]) {
				return true
			}
		}
	case *ir.Prefix:
		use, bound := act(t.Action, v)
		return use || !bound && t.Next != nil && p.from(t.Next, v)
	case *ir.Store:
		return reads(t.Value, v) || p.from(t.Then, v)
	case *ir.For:
		return p.loop(t.Loop, v)
	case *ir.LoopEnd:
		return v == t.Var || p.loop(t.Loop, v)
	case *ir.Draw:
		return reads(t.Among, v) || reads(t.Size, v) || t.Var != v && p.leadsToUse(t.Then, v)
	case *ir.Let:
		return reads(t.Value, v) || t.Var != v && p.leadsToUse(t.Then, v)
	case *ir.If:
		return reads(t.Cond, v) || p.leadsToUse(t.Then, v) || p.leadsToUse(t.Else, v)
	case *ir.Choice:
		for _, summand := range t.Terms {
			if p.leadsToUse(summand, v) {
				return true
			}
		}
	}
	return false
}

// act reports whether an action reads v and whether it binds it.
func act(a ir.Action, v *ir.Var) (use, bound bool) {
	switch a := a.(type) {
	case *ir.Send:
		return anyReads(append(a.Args, a.Target), v), false
	case *ir.Emit:
		return anyReads(a.Args, v), false
	case *ir.Assign:
		return reads(a.Value, v), false
	case *ir.Receive:
		for _, p := range append([]ir.Pattern{a.Source}, a.Patterns...) {
			use = use || reads(p.Equal, v)
			bound = bound || p.Bind == v
		}
		return use || !bound && reads(a.Where, v), bound
	case *ir.Skip, *ir.Crash: // they read nothing
	}
	return false, false
}

func anyReads(exprs []ir.Expr, v *ir.Var) bool {
	for _, e := range exprs {
		if reads(e, v) {
			return true
		}
	}
	return false
}

func reads(e ir.Expr, v *ir.Var) bool {
	for w := range ir.FreeVars(e) {
		if w == v {
			return true
		}
	}
	return false
}
