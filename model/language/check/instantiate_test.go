package check_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ringcheck/internal/test/spectest"
	"ringcheck/model/language/check"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
	"ringcheck/specs"
)

const settable = `protocol test
param n: 2..9 "size"
param k: 1..n = n - 1
option bits: bool = k > 1
option order: any | left = left
option modulus: 1..k = k
topology directed ring of n
channel unordered | fifo = fifo "discipline"
process p = skip; stop
`

func TestSpec(t *testing.T) {
	s, err := check.File(parse(t, settable))
	if err != nil {
		t.Fatal(err)
	}
	params := []check.Setting{
		{Name: "n", Doc: "size", Lo: "2", Hi: "9"},
		{Name: "k", Lo: "1", Hi: "n", Default: "n - 1"},
	}
	options := []check.Setting{
		{Name: "bits", Values: []string{"true", "false"}, Default: "k > 1"},
		{Name: "order", Values: []string{"any", "left"}, Default: "left"},
		{Name: "modulus", Lo: "1", Hi: "k", Default: "k"},
		{Name: "channel", Doc: "discipline", Values: []string{"unordered", "fifo"}, Default: "fifo"},
	}
	if diff := cmp.Diff(params, s.Params); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(options, s.Options); diff != "" {
		t.Error(diff)
	}
}

func TestSettings(t *testing.T) {
	for _, tt := range []struct {
		settings map[string]string
		want     string
	}{
		{map[string]string{"n": "4"}, "n=4 k=3 bits=true order=left modulus=3 channel=fifo"},
		{map[string]string{"n": "2"}, "n=2 k=1 bits=false order=left modulus=1 channel=fifo"},
		{map[string]string{"n": "2", "bits": "true", "order": "any", "channel": "unordered"},
			"n=2 k=1 bits=true order=any modulus=1 channel=unordered"},
	} {
		p := spectest.Instantiate(t, settable, tt.settings)
		var parts []string
		for _, s := range append(p.Params, p.Options...) {
			parts = append(parts, s.Name+"="+s.Type.Format(s.Value))
		}
		if got := strings.Join(parts, " "); got != tt.want {
			t.Errorf("%v: got %s, want %s", tt.settings, got, tt.want)
		}
		if fifo := strings.Contains(tt.want, "fifo"); (p.Channel.Keyword == "fifo") != fifo {
			t.Errorf("%v: channel %s", tt.settings, p.Channel.Keyword)
		}
	}
}

func TestSettingErrors(t *testing.T) {
	s, err := check.File(parse(t, settable))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		settings   map[string]string
		name, want string
	}{
		{nil, "n", `parameter n is missing: an integer in 2..9`},
		{map[string]string{"n": "10"}, "n", `parameter n: 10 is not in 2..9`},
		{map[string]string{"n": "four"}, "n", `parameter n: "four" is not an integer in 2..9`},
		{map[string]string{"n": "99999999999999999999"}, "n",
			`parameter n: "99999999999999999999" is not an integer in 2..9`},
		{map[string]string{"n": "3", "k": "4"}, "k", `parameter k: 4 is not in 1..3`},
		{map[string]string{"n": "3", "m": "4"}, "m",
			`test has no parameter or option "m" (known: n, k, bits, order, modulus, channel)`},
		{map[string]string{"n": "3", "colour": "red"}, "colour",
			`test has no parameter or option "colour" (known: n, k, bits, order, modulus, channel)`},
		{map[string]string{"n": "3", "modulos": "2"}, "modulos",
			`test has no parameter or option "modulos" (did you mean "modulus"?)`},
		{map[string]string{"n": "3", "bits": "yes"}, "bits", `option bits: "yes" is not true or false`},
		{map[string]string{"n": "3", "order": "lft"}, "order",
			`option order: "lft" is not one of any, left (did you mean "left"?)`},
		{map[string]string{"n": "3", "modulus": "3"}, "modulus", `option modulus: 3 is not in 1..2`},
		{map[string]string{"n": "3", "channel": "lossy"}, "channel",
			`option channel: "lossy" is not one of unordered, fifo`},
		{map[string]string{"n": "3", "channel": "lifo"}, "channel",
			`option channel: "lifo" is not one of unordered, fifo (did you mean "fifo"?)`},
		{map[string]string{"n": "2", "modulus": "1", "k": "1", "bits": ""}, "bits",
			`option bits: "" is not true or false`},
	} {
		_, err := s.Instantiate(tt.settings)
		var setting *check.SettingError
		if !errors.As(err, &setting) || setting.Name != tt.name || err.Error() != tt.want {
			t.Errorf("%v: got %v, want %s", tt.settings, err, tt.want)
		}
	}
}

func TestInstantiateErrors(t *testing.T) {
	for _, c := range []complaint{
		{"var z: ^3..n\nA = stop", `the range 3..2 is empty`},
		{"var z: ^n + 1..n\nA = stop", `the range 3..2 is empty`},
		{"A = draw ^x in subsets({0}, 1); out(x); stop", `x is an integer, subsets are sets`},
		{"const z = 1 ^div (n - 2)\nA = stop", `division by zero`},
		{"var z: ^set of 0..1048576\nA = stop",
			`a set can have 1048576 possible elements at most, 0..1048576 has 1048577`},
		{"var z: ^array node of 1..2^40\nA = stop",
			`an array of 2 elements with 1099511627776 values each does not fit in 63 bits`},
		{"var z: ^array 1..10 of 0..99\nA = stop",
			`an array of 10 elements with 100 values each does not fit in 63 bits`},
		{"var z: ^array 1..1 of set of 1..100\nA = stop",
			`an array cannot hold sets with more than 63 possible elements`},
		{"A = if 1 in ^{1..2000000} then stop else skip; stop",
			`a set can have 1048576 possible elements at most, 1..2000000 has 2000000`},
		{"A = stop\ninitially Ping in inbox(^n, left)", `process: 2 is not in 0..1`},
		{"A = stop\ninitially M(^3, true) in inbox(0, left)", `argument v of M: 3 is not in 0..2`},
		{"A = stop\ninitially M(3 ^* q, true) in inbox(q, left) for q in 0..1", `argument v of M: 3 is not in 0..2`},
		{"A = stop\ninitially Ping in inbox(0, left) for ^q in 0..2^60",
			`0..1152921504606846976 has too many values to quantify over`},
		{"A = stop\ninitially Ping in inbox(0, left) for q in 0..2 where 1 ^div q = 1", `division by zero`},
		{"A = let a = {^i in 0..2: 0}; skip; stop", `the array has an element for each of 0..1: write {i in 0..1: …}`},
		{"A = draw e in ^subsets({0, 1}, 3); skip; stop", `a set of 2 elements has no subset of 3`},
		{"A = draw e in ^subsets({0, 1}, 1 - n); skip; stop", `a set of 2 elements has no subset of -1`},
		{"A = out(^3); stop", `argument v of out: 3 is not in 0..2`},
		{"A = skip; B(^-1)\nB(x) = out(x); stop", `argument x of B: -1 is not in 0..2`},
		{"A = let x = ^3; out(x); stop", `value of x: 3 is not in 0..2`},
		{"A = draw x in ^0..3; out(x); stop", `value of x: 3 is not in 0..2`},
		{"A = draw x in ^2..1; out(x); stop", `there is nothing to draw from`},
		{"A = draw x in ^{0, 7}; out(x); stop", `value of x: 7 is not in 0..2`},
		{"A = draw x in ^{}; out(x); stop", `there is nothing to draw from`},
		{"var z: 0..99999\nA = ^draw z; skip; stop", `0..99999 has more than 65536 values to draw from`},
		{"A = ^draw x in {0: 1/2, 1: 1/3}; out(x); stop", `the probabilities add up to 5/6, not to 1`},
		{"A = draw x in {0: 1/2, ^0: 1/2}; out(x); stop", `0 is listed twice`},
		{"var z: set of 0..99\nA = ^draw z in {{0}: 1}; out(size(z)); stop",
			`z: a set with more than 63 possible elements cannot have a probability`},
		{"A = draw x in {0: 1/2, ^3: 1/2}; out(x); stop", `value of x: 3 is not in 0..2`},
		{"A = draw f with 1 ^/ 0; skip; stop", `division by zero`},
		{"A = recv left M(x, _); draw u in ^0..x; skip; stop",
			`a range that varies: a set can have 1048576 possible elements at most, nat has more than 2^64`},
		{"A = draw f with 3 ^/ n; skip; stop", `the probability 3/2 is above 1`},
		{"A = draw f with 1 ^/ 2^40; skip; stop",
			`the probability 1/1099511627776 is too precise: numerator and denominator must fit in 32 bits`},
		{"A = recv left M(x, _); B(all(0))\nvar b: array 0..2 of 0..2\nB(b) = skip; C(^b)\nC(a) = out(a[0]); stop",
			`argument a of C: arrays with different indices, 0..2 and 0..1`},
		{"var s: set of 1..3\nmessage S(s: set of 0..2)\nA = recv left S(^s); C(s)\nC(s) = out(size(s)); stop",
			`field s of S is set of 0..2, but s is set of 1..3`},
	} {
		c.check(t, clauses+start, instantiateDefault)
	}
	for _, c := range []complaint{
		{"topology directed ring of n ^- 2\nprocess p = stop", `a topology of size 0: it must be 1 to 131072`},
		{"topology complete graph of n ^* 500000\nprocess p = stop",
			`a topology of size 1000000: it must be 1 to 131072`},
		{"topology directed ring of n\nvar x: 1..3\nassign u: permutation of ^1..3\nprocess p = A(u[p])\nA(x) = when " +
			"x = 1: skip; stop",
			`a permutation of 1..3 for 2 processes: there must be as many values`},
		{"topology directed ring of n\nvar x: 1..2\nassign u: permutation of 1..2 if n = 3\nprocess p = " +
			"A(u^[p])\nA(x) = when x = 1: skip; stop",
			`u is not assigned with these options`},
	} {
		c.check(t, "protocol test\nparam n: 1..9 = 2\n", instantiateDefault)
	}
}

func instantiateDefault(f *syntax.File) error {
	s, err := check.File(f)
	if err == nil {
		_, err = s.Instantiate(nil)
	}
	return err
}

// terms describes the term of each control point, for tests of folding.
func terms(p *ir.Protocol) string {
	var lines []string
	for _, pt := range p.Points {
		lines = append(lines, describe(pt.Term))
	}
	return strings.Join(lines, "\n")
}

func describe(t ir.Term) string {
	switch t := t.(type) {
	case *ir.Stop:
		return "stop"
	case *ir.Call:
		args := []string{}
		for _, a := range t.Args {
			args = append(args, describeExpr(a))
		}
		return t.Equation.Name + "(" + strings.Join(args, ",") + ")"
	case *ir.Prefix:
		next := "#"
		if t.Next.ID < 0 {
			next = describe(t.Next.Term)
		}
		return "act;" + next
	case *ir.Draw:
		return fmt.Sprintf("draw %s%v%v;%s", t.Var.Name, t.Values, t.Weights, describe(t.Then))
	case *ir.Let:
		return "let " + t.Var.Name + "=" + describeExpr(t.Value) + ";" + describe(t.Then)
	case *ir.If:
		return "if(" + describe(t.Then) + "," + describe(t.Else) + ")"
	case *ir.Choice:
		parts := []string{}
		for _, s := range t.Terms {
			parts = append(parts, describe(s))
		}
		return "(" + strings.Join(parts, "|") + ")"
	}
	return "?"
}

func describeExpr(e ir.Expr) string {
	switch e := e.(type) {
	case *ir.Const:
		return e.T.Format(e.Value)
	case *ir.VarRef:
		return e.Var.Name
	case *ir.Convert:
		return "convert " + describeExpr(e.X)
	}
	return "…"
}

func TestFolding(t *testing.T) {
	for _, tt := range []struct{ name, src, want string }{
		{"a conditional that is decided is a call right behind the action", "A = done; if not o then stop else A",
			"act;A()"},
		{"one that is not decided is a control point", "A = recv left M(x, f); if f then A else A",
			"act;#\nif(A(),A())"},
		{"guards", "A = skip; (when o: A | when not o: done; stop)", "act;A()"},
		{"conditions of receives", "A = skip; (recv left M(x, _) where not o; out(x); A | when o: A)", "act;A()"},
		{"no receive left", "A = skip; recv left M(x, _) where n = 3; out(x); A", "act;#\nstop"},
		{"conditions of loops", "A = skip; for x in 0..2 where not o: out(x); A", "act;A()"},
		{"no summand left", "A = skip; (when not o: A | when n = 3: done; stop)", "act;#\nstop"},
		{"two summands left", "A = skip; (done; A | when not o: A | skip; A)", "act;#\n(act;A()|act;A())"},
		{"a written stop stays", "A = skip; (done; A | stop)", "act;#\n(act;A()|stop)"},
		{"conjunction", "A = recv left M(_, f); if f and not o then A else done; A", "act;#\nact;A()"},
		{"disjunction", "A = recv left M(_, f); if f or o then A else done; A", "act;A()"},
		{"implication", "A = recv left M(_, f); if f => o then A else done; A", "act;A()"},
		{"neutral operands", "A = recv left M(_, f); if f and o or n = 1 then A else done; A",
			"act;#\nif(A(),act;A())"},
		{"the channel", "A = when channel = fifo: done; A", "act;A()"},
		{"arithmetic", "A = done; B((n + 1) mod 2, size({1, 2} minus {2}))\nB(x, y) = when x < y: out(x); B(x, y)",
			"act;B(1,1)\nif(act;B(x,y),())"},
		{"arguments for dead parameters", "A = done; B(2)\nB(x) = done; B(x)", "act;B(0)\nact;B(0)"},
		{"an argument that may leave its range", "A = done; B(2)\nB(x) = out(x); B(x + 1)",
			"act;B(2)\nact;B(convert …)"},
		{"one that cannot", "A = done; B(2)\nB(x) = out(x); B(min(x + 1, 2))", "act;B(2)\nact;B(…)"},
		{"draw from a type", "A = draw x; out(x); A", "draw x[0 1 2][];act;A()"},
		{"draw from a range", "A = draw x in n - 1..n; out(x); A", "draw x[1 2][];act;A()"},
		{"draw from a set", "A = draw c in {green}; skip; B(c)\nB(c) = when c = red: skip; stop",
			"draw c[1][];act;B(c)\nif(act;#,())\nstop"},
		{"weights", "A = draw x in {2: 1/4, 0: 1/2 + 1/4, 1: 0}; out(x); A", "draw x[][{0 3 4} {2 1 4}];act;A()"},
		{"a coin", "A = draw f with 1 - 2 * (1/n) * (1/4); skip; B(f)\nB(f) = when f: done; B(f)",
			"draw f[][{0 1 4} {1 3 4}];act;B(f)\nif(act;B(f),())"},
		{"a range that varies", "A = recv left M(x, _); draw y in 0..x; out(y); A", "act;#\ndraw y[][];act;A()"},
		{"a set that varies", "A = recv left M(x, _); draw y in {0, x}; out(y); A", "act;#\ndraw y[][];act;A()"},
		{"sets of one kind", "A = done; B({2})\nB(e) = when e = {n + 1} union {0} minus {0}: done; B({0, 2} minus e)",
			"act;B({2})\nif(act;B(…),())"},
		{"nothing to choose", "A = skip; choose x in 2..1; out(7); A", "act;#\nstop"},
		{"nothing to choose from a set", "A = skip; choose x in {1} minus {1}; out(7); A", "act;#\nstop"},
		{"an alternative with nothing to choose", "A = skip; (choose x in 2..1; out(7); A | A)", "act;A()"},
		{"a loop over no value", "A = skip; for x in 2..1: out(7); A", "act;A()"},
		{"a loop over an empty set", "A = skip; for x in {n..1}: out(7); A", "act;A()"},
		{"a loop in a loop over no value", "A = skip; for x in 2..1: (for y in 0..1: out(7)); A", "act;A()"},
		{"a set of no value", "define holds(x: 0..2) = x = n\n" +
			"A = skip; if size({y in 2..1 where holds(7)}) > 0 then out(7); A else A", "act;A()"},
		{"a range that may have no value", "A = recv left M(x, _); if x in {y in 2..x where y < x} then A else A",
			"act;#\nif(A(),A())"},
		{"a quantifier over an empty set", "define holds(x: 0..2) = x = n\n" +
			"A = recv left M(x, _); if exists y in {2..1}: holds(7) then out(7); A else A", "act;A()"},
		{"a definition of constants", "define holds(x: 0..2) = x = n\nA = skip; if holds(1) then done; A else A",
			"act;A()"},
		{"one of a definition", "define holds(x: 0..2) = x = n\ndefine fails(x: 0..2) = not holds(x)\n" +
			"A = skip; (recv left M(_, _) where fails(1); A | when fails(n): A | done; A)",
			"act;#\n(act;A()|act;A())"},
		{"one in a quantifier", "define holds(x: 0..2) = x = n\n" +
			"A = skip; if exists i in {1}: holds(i) then done; A else A", "act;A()"},
		{"one with a quantifier", "define holds(x: 0..2) = forall i in 1..x: i < n\n" +
			"A = skip; if holds(1) and holds(2) then A else done; stop", "act;#\nact;#\nstop"},
		{"a definition that one argument decides", "define holds(x: 0..2, y: 0..2) = x = 1 and y > 0\n" +
			"A = recv left M(x, _); if holds(0, x) then done; A else A", "act;A()"},
		{"one that no argument decides", "define holds(x: 0..2, y: 0..2) = o or y > x\n" +
			"A = recv left M(x, _); if holds(x, x + 1) then A else done; stop", "act;A()"},
		{"one that another argument may decide", "define holds(x: 0..2, y: 0..2) = x = 1 or y > 0\n" +
			"A = recv left M(x, _); if holds(0, x) then A else A", "act;#\nif(A(),A())"},
		{"one that fails", "define holds(x: 0..2) = 1 div x = 1\nA = skip; if holds(0) then A else A",
			"act;#\nif(A(),A())"},
		{"what an excluded alternative says", "define holds(x: 0..2) = x = n\n" +
			"A = skip; if holds(0) then out(7); A else A", "act;A()"},
		{"unreachable equations", "A = done; A\nB = out(7); B", "act;A()"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := spectest.Instantiate(t, clauses+start+tt.src, nil)
			if err := checkSanity(p); err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(tt.want, terms(p)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.src, diff)
			}
		})
	}
}

// Absent variables and fields read as 0, and nothing is evaluated for them.
func TestAbsent(t *testing.T) {
	const src = clauses + `var z: 1..2 if not o
var g: array 1..n - 2 of bool if not o
message N(v: 1..2 if not o, w: 0..2)
`
	for _, tt := range []struct{ name, src, want string }{
		{"parameter", "process p = A(7)\nA(z) = skip; A(z + 5)", "act;A(-)"},
		{"reading", "process p = A(1)\nA(z) = out(z); out(if z = 0 then 1 else x0); A(z)\nconst x0 = 9",
			"act;#\nact;A(-)"},
		{"draw", "process p = A\nA = draw z; skip; A", "act;A()"},
		{"let", "process p = A\nA = let z = 8; skip; A", "act;A()"},
		{"fields", "process p = A\nA = send right N(9, 2); recv left N(z, x); recv left N(5, _); B(x, z)\nB(x, z) = " +
			"when x = z: skip; B(x, z)",
			"act;#\nact;#\nact;B(x,-)\nif(act;B(x,-),())"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := spectest.Instantiate(t, src+tt.src, nil)
			if err := checkSanity(p); err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(tt.want, terms(p)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Other parameters can make a default leave its range.
func TestDefaultOutOfRange(t *testing.T) {
	const src = "protocol p\nparam n: 1..9\nparam k: 1..n = 3\ntopology directed ring of n\nprocess p = stop\n"
	s, err := check.File(parse(t, src))
	if err != nil {
		t.Fatal(err)
	}
	if _, err = s.Instantiate(map[string]string{"n": "3"}); err != nil {
		t.Error(err)
	}
	var setting *check.SettingError
	_, err = s.Instantiate(map[string]string{"n": "2"})
	if !errors.As(err, &setting) || err.Error() != "parameter k: the default 3 is not in 1..2" {
		t.Errorf("got %v", err)
	}
}

// All built-in specs are well formed with all their options.
func TestSpecsAreSane(t *testing.T) {
	for _, name := range specs.Names() {
		s, err := check.File(parse(t, spectest.Source(t, name)))
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Warnings) > 0 {
			t.Errorf("%s: %v", name, s.Warnings)
		}
		for _, settings := range combinations(s.Options) {
			for _, n := range []string{"2", "3", "7"} {
				settings["n"] = n
				p, err := s.Instantiate(settings)
				if err == nil {
					err = checkSanity(p)
				}
				if err != nil {
					t.Errorf("%s with %v: %v", name, settings, err)
				}
			}
		}
	}
}

// combinations returns all combinations of the boolean and enumerated options.
func combinations(options []check.Setting) []map[string]string {
	all := []map[string]string{{}}
	for _, o := range options {
		values := o.Values
		var next []map[string]string
		for _, settings := range all {
			for _, v := range values {
				more := map[string]string{o.Name: v}
				for name, value := range settings {
					more[name] = value
				}
				next = append(next, more)
			}
		}
		if len(values) > 0 {
			all = next
		}
	}
	return all
}

// TestGreatestInteger goes through ranges that end with the greatest integer.
func TestGreatestInteger(t *testing.T) {
	const last = "9223372036854775806..9223372036854775807"
	spec := func(text string) string {
		return "protocol greatest\ntopology directed ring of 2\nchannel fifo\nvar u: nat\nvar b: array " + last +
			" of bool\nmessage M\nevent e\nprocess p = A\n" + text
	}
	p := spectest.Instantiate(t, spec("A = for u in "+last+": e; stop\n"+
		"ltl l = forall x in -9223372036854775807 - 1..-9223372036854775807: eventually (x < 0 and e happens)\n"+
		"initially M in inbox(0, left) for q in "+last), nil)
	if n := len(p.Start.Contents); n != 2 {
		t.Errorf("%d messages to begin with, want 2", n)
	}
	if f := p.Properties[0].Temporal.Formula; f.Op != ir.Conjunction || f.Y.Op != ir.Eventually {
		t.Errorf("not two formulas: %+v", f)
	}
	loop := p.Equations[0].Start.Term.(*ir.For)
	env := p.NewEnv(nil)
	for i, term := range []ir.Term{loop, &ir.LoopEnd{Loop: loop.Loop}, &ir.LoopEnd{Loop: loop.Loop}} {
		_, next, err := ir.Decide(term, env, env)
		if want := map[bool]*ir.Point{true: loop.Body, false: loop.Then}[i < 2]; err != nil || next != want {
			t.Errorf("after %d values: %+v, %v", i, next, err)
		}
	}
	p = spectest.Instantiate(t, spec("A = for u in "+last+" where u = 0: e; B\n"+
		"B = let b = {i in "+last+": i mod 2 = 0}; when b["+last[:19]+"]: e; A"), nil)
	loop = p.Equations[0].Start.Term.(*ir.For)
	env = p.NewEnv(nil)
	if _, next, err := ir.Decide(loop, env, env); next != loop.Then || err != nil {
		t.Errorf("no value fits: %+v, %v", next, err)
	}
}

// TestNothing checks that declarations and properties are not evaluated for values that do not exist.
func TestNothing(t *testing.T) {
	for _, text := range []string{
		"initially M(7, o) in inbox(q, left) for q in 1..0",
		"initially M(7, o) in inbox(q, left) for y in {0..2}, q in {1..0}",
		"initially M(7, o) in inbox(q, left) for q in node where n = 3",
		"crash at most 0 of q recover B(7)",
		"crash at most 1 of q where n = 3 recover B(7)",
		"invariant i = forall q in n..1: 7 at A",
		"invariant i = forall q in {n..1}: 7 at A",
		"define holds(x: 0..2) = x = 1\ninvariant i = o or (exists q in n..1: holds(7))",
	} {
		p := spectest.Instantiate(t, clauses+start+"A = recv left M(x, _); B(x)\nB(x) = out(x); A\n"+text, nil)
		if err := checkSanity(p); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if len(p.Start.Contents) > 0 || p.Faults.Any() || p.Faults.Crashed != nil {
			t.Errorf("%s: %v initially, faults %v", text, p.Start.Contents, p.Faults)
		}
	}
}
