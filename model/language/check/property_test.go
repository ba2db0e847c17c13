package check_test

import (
	"errors"
	"strings"
	"testing"

	"ringcheck/internal/test/spectest"
	"ringcheck/model/language/check"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/property"
	"ringcheck/model/language/step"
	"ringcheck/model/language/syntax"
	"ringcheck/specs"
)

// A view is a global state made up for a test.
type view struct {
	locals   []ir.Local
	channels [][]ir.Content
}

func (v *view) Seen(p int) ir.Local           { return v.locals[p] }
func (*view) SharedValue(int) int64           { return 0 }
func (v *view) Channel(link int) []ir.Content { return v.channels[link] }

// local returns a local state in the text of an equation with the given live variables.
func local(p *ir.Protocol, eq *ir.Equation, values map[string]int64) ir.Local {
	l := ir.Local{Point: &ir.Point{Equation: eq}}
	for _, v := range p.Vars {
		if x, live := values[v.Name]; live {
			l.Point.Live, l.Env = append(l.Point.Live, v), append(l.Env, x)
		}
	}
	return l
}

// Three processes on an undirected ring: 0 at A with x = 1, 1 at B with x = 2 and f = true, 2 at B with
// nothing. Process 1 has two messages from its left, process 0 one from its right.
func TestProperties(t *testing.T) {
	const src = `protocol test
topology undirected ring of 3
channel fifo
type Color = red | green
var x: 0..3
var f: bool
var z: 1..2 if 1 = 2
message M(v: 0..3, c: Color)
message N(v: 1..5, z: 0..1 if 1 = 2)
process p = A(0)
A(x) = send right M(x, red); recv _ N(x, z); B(x, true, z)
B(x, f, z) = when f: send right M(x, green); B(x, f, z)
  | recv _ M(x, _); send left N(x + 1, 0); B(x, f, 1)
define twice(i: 0..3) = 2 * i
define val(p) = p.x
define above(p, i: 0..3) = p.x > i
define box(p) = inbox(p, left)
define constant = 3
`
	for expr, want := range map[string]bool{
		"0 at A":                          true,
		"1 at A":                          false,
		"exists p in node: p at B":        true,
		"forall p in node: p at B":        false,
		"(count p in node: p at B) = 2":   true,
		"(sum p in 0..1: p.x) = 3":        true,
		"(sum p in node: p.x) = 3":        false, // process 2 has no x: the comparison is undefined
		"(sum p in node: p.x) != 3":       false,
		"not (sum p in node: p.x) = 3":    true,
		"2.x = 0":                         false,
		"2.x != 0":                        false,
		"not 2.x = 0":                     true,
		"2.x = 0 or 0.x = 1":              true,
		"2.x = 0 => false":                true,
		"2.f":                             false,
		"not 2.f":                         true,
		"1.f":                             true,
		"2.f = false":                     false,
		"(if 2.f then 1 else 2) = 2":      true,
		"2.x in {0, 1, 2, 3}":             false,
		"0.x in {1}":                      true,
		"{1..3} = {3, 2, 1}":              true,
		"{3..1} = {}":                     true,
		"{0.x..1.x} = {1, 2}":             true,
		"{1..2.x} = {}":                   false, // process 2 has no x
		"size({0..62}) = 63":              true,
		"max({0..0.x}) = min({1..1.x})":   true,
		"above(1, 1)":                     true,
		"above(2, 0)":                     false,
		"not above(2, 0)":                 true,
		"above(0, 2.x)":                   false, // an undefined argument
		"val(1) = 2":                      true,
		"val(2) = 0":                      false,
		"twice(val(0)) = val(1)":          true,
		"twice(twice(1)) = 4":             true,
		"constant = 3":                    true,
		"size(inbox(1, left)) = 2":        true,
		"size(inbox(0, right)) = 1":       true,
		"size(inbox(2, left)) = 0":        true,
		"size(box(1)) = 2":                true,
		"neighbour(0, left) = 2":          true,
		"neighbour(2, right) = 0":         true,
		"neighbour(1, opposite(left)) =2": true,
		"exists m in inbox(1, left): m is N and m.v = 5":                          true,
		"forall m in inbox(1, left): m.v > 1":                                     true,
		"exists m in inbox(1, left): m.c = green":                                 true,
		"forall m in inbox(1, left): m.c = green":                                 false, // N has no c
		"(count m in inbox(1, left): not m.c = green) = 1":                        true,
		"exists m in inbox(1, left): m.z = 0":                                     true, // absent: 0
		"(count p in node, m in inbox(p, left): m.v > 0) = 2":                     true,
		"(count p in node, d in dir: size(inbox(p, d)) > 0) = 2":                  true,
		"(count c in Color, b in bool: b or c = red) = 3":                         true,
		"(count p in node, q in node: p != q) = 6":                                true,
		"(count p in node, q in node where p != q: p at A) = 2":                   true,
		"forall p in node where p at A: p.x = 1":                                  true,
		"exists p in node where p at A: p.x = 2":                                  false,
		"exists p in node where p at A: not p.x = 2":                              true,
		"(sum i in 1..4 where i mod 2 = 0: i) = 6":                                true,
		"(sum p in node where p.x > 0: p.x) = 3":                                  true, // where undefined for 2
		"(count p in node where exists q in node where q > p: q at B: 1 = 1) = 2": true,
		"forall m in inbox(1, left) where m is N: m.v = 5":                        true,
		"(sum m in inbox(1, left) where m is N: m.v) = 5":                         true,
		"forall i in 2..1: false":                                                 true,
		"exists i in 2..1: true":                                                  false,
		"forall p in node, i in 1..p: i <= p":                                     true,
		"(count p in node: exists i in 0..p.x: i = 2) = 1":                        true, // domain undefined for 2
		"1.z = 0": true,
		"forall p in node: p at A => size(inbox(p, left)) + 1 = 1 and not p at B": true,
	} {
		p := spectest.Instantiate(t, src+"invariant i = "+expr+"\n", nil)
		if err := checkSanity(p); err != nil {
			t.Errorf("%s: %v", expr, err)
		}
		a, b := p.Equations[0], p.Equations[1]
		m, n := p.Messages[0], p.Messages[1]
		v := &view{
			locals: []ir.Local{
				local(p, a, map[string]int64{"x": 1}), local(p, b, map[string]int64{"x": 2, "f": 1}), local(p, b, nil),
			},
			channels: make([][]ir.Content, 6),
		}
		v.channels[p.InLink(1, ir.Left)] = []ir.Content{{Message: m, Args: []int64{3, 1}},
			{Message: n, Args: []int64{5, 0}}}
		v.channels[p.InLink(0, ir.Right)] = []ir.Content{{Message: m, Args: []int64{0, 0}}}
		got, err := p.Properties[0].Body.Eval(p.NewEnv(v))
		if err != nil || (got != 0) != want {
			t.Errorf("%s: got %d, %v, want %t", expr, got, err, want)
		}
	}
}

// TestAssignedInProperties checks that properties can read assignments.
func TestAssignedInProperties(t *testing.T) {
	p := spectest.Instantiate(t, `protocol test
topology undirected ring of 3
assign uid: permutation of 1..3
assign even: bool
var x: 1..3
process p = A(uid[p])
A(keep x) = stop
define differ(p, q) = uid[p] != uid[q]
invariant right = forall p in node: uid[p] = p.x
invariant different = forall p in node, q in node: p = q or differ(p, q)
`, nil)
	if err := checkSanity(p); err != nil {
		t.Fatal(err)
	}
	seen := 0
	err := p.Initial(func(locals []ir.Local, _ [][]ir.Content, _ []int64) bool {
		seen++
		for _, prop := range p.Properties {
			if v, err := prop.Body.Eval(p.NewEnv(state(locals))); err != nil || v == 0 {
				t.Errorf("%s: %d, %v", prop.Name, v, err)
			}
		}
		return true
	})
	if err != nil || seen != 6 {
		t.Error(seen, err)
	}
}

func TestPropertyEvalErrors(t *testing.T) {
	const src = "protocol test\ntopology directed ring of 2\nchannel fifo\nvar x: 0..3\nprocess p = A(0)\nmessage " +
		"M(v: 0..3)\nA(x) = send right M(x); A(x)\n"
	for expr, want := range map[string]string{
		"exists p in node: (p + 1).x = 0":            "process: 2 is not in 0..1",
		"forall p in node: 1 div p = 1":              "division by zero",
		"exists i in 0..9999999: i < 0":              "0..9999999 has too many values to quantify over",
		"(sum i in 0..9: i * 9000000000000000000)=1": "the result does not fit in 64 bits",
	} {
		p := spectest.Instantiate(t, src+"invariant i = "+expr+"\n", nil)
		at := local(p, p.Points[0].Equation, map[string]int64{"x": 1})
		v := &view{locals: []ir.Local{at, at}, channels: make([][]ir.Content, 2)}
		_, err := p.Properties[0].Body.Eval(p.NewEnv(v))
		var failure *ir.Error
		if !errors.As(err, &failure) || failure.Message != want || failure.Pos.Line != 8 {
			t.Errorf("%s: got %v, want %s", expr, err, want)
		}
	}
}

// In small instances of the built-in specs, invariants hold in every reachable state, terminal properties in those
// without transitions, and reachable ones in some state.
func TestPropertiesOfSpecs(t *testing.T) {
	for _, name := range specs.Names() {
		t.Run(name, func(t *testing.T) {
			p := spectest.Instantiate(t, spectest.Source(t, name), map[string]string{"n": "2"})
			in := step.New(p, step.Options{})
			g, err := spectest.Explore(in, 20000)
			if err != nil {
				t.Fatal(err)
			}
			for _, prop := range p.Properties {
				checkProperty(t, in, g, p, prop)
			}
		})
	}
}

func checkProperty(t *testing.T, in *step.Machine, g *spectest.Graph, p *ir.Protocol, prop *ir.Property) {
	reached := false
	for _, s := range g.States {
		v, err := prop.Body.Eval(p.NewEnv(s))
		if err != nil {
			t.Fatalf("%s: %v", prop.Name, err)
		}
		if v != 0 {
			reached = true
			continue
		}
		must := prop.Kind == property.Invariant
		if prop.Kind == property.Terminal {
			next, err := spectest.Successors(in, s)
			if err != nil {
				t.Fatal(err)
			}
			must = len(next) == 0
		}
		if must {
			t.Fatalf("%s does not hold in %s", prop.Name, spectest.Format(in, s))
		}
	}
	if prop.Kind == property.Reachable && !reached {
		t.Errorf("%s is never reached", prop.Name)
	}
}

const behaviourSpec = `protocol behaviour
param n: 2..9 = 3
topology directed ring of n
channel fifo
var id, w: 1..n
message M(id: 1..n, w: 1..n)
event leader(id: 1..n)
process p = A(p + 1)
A(id) = send right M(id, 1); B(id)
B(id) = recv left M(w, _); leader(w); stop
define on(p) = p at A
`

// TestBehaviour checks temporal properties, bounds, rewards and roles, and the positions of errors in them.
func TestBehaviour(t *testing.T) {
	p := spectest.Instantiate(t, behaviourSpec+`
ltl whole = G (on(0) => F leader happens) and not terminal U 1 at B under strongly fair
ltl answered = on(0) leads to leader happens if n = 3
probability quick = P(within 2 * n: leader happens or terminal) >= 0.95 under uniform
expected cheap = E(weight until terminal) < 3/2
reward weight = id * w per send M
reward wins = 1 per event leader
role there = p at B "there" green
`, nil)
	if len(p.Properties) != 2 || !p.Properties[0].Temporal.Fair[0].Strongly ||
		p.Properties[1].Temporal.Formula.Op != ir.Always {
		t.Errorf("temporal properties: %v", p.Properties)
	}
	f := p.Properties[0].Temporal.Formula
	if f.Op != ir.Conjunction || f.X.Op != ir.Always || f.X.X.Op != ir.Implication || f.Y.Op != ir.Until ||
		f.Y.X.Op != ir.Negation {
		t.Errorf("the formula is %v", f)
	}
	b := p.Bounds
	if len(b) != 2 || b[0].Within != 6 || b[0].Value.RatString() != "19/20" || !b[0].Uniform || b[0].Reward != nil ||
		b[1].Reward.Name != "weight" || b[1].Within != -1 || b[1].Value.RatString() != "3/2" ||
		b[1].Goal.Op != ir.TerminalAtom {
		t.Errorf("bounds: %v", b)
	}
	if len(p.Rewards) != 4 || p.Rewards[2].Message.Name != "M" || p.Rewards[3].Event.Name != "leader" {
		t.Errorf("rewards: %v", p.Rewards)
	}
	env := p.NewEnv(nil)
	for i, v := range p.Rewards[2].Fields {
		env.Vars[v.ID] = int64(i + 2)
	}
	if v, err := p.Rewards[2].Value.Eval(env); v != 6 || err != nil {
		t.Errorf("the reward of M(2, 3) is %d, %v", v, err)
	}
	if len(p.Roles) != 1 || p.Roles[0].Word != "there" || p.Roles[0].Colour != "green" {
		t.Errorf("roles: %v", p.Roles)
	}
}

func TestBehaviourErrors(t *testing.T) {
	for _, tt := range []struct{ decl, want string }{
		{"ltl x = (forall p in node: eventually p at A) = true", "eventually can stand only in ltl"},
		{"ltl x = forall p in node, m in inbox(p, left): eventually p at A",
			"a quantifier over a temporal formula ranges over processes"},
		{"ltl x = eventually 0 at A under fair of C", "no equation, event or message C"},
		{"probability x = P(forall p in node: F p at A) >= 1", "a goal is reached at one moment"},
		{"ltl x = (count p in node: (F p at A)) = 1", "eventually can stand only in ltl"},
		{"invariant x = leader happens", "expected a declaration"},
		{"ltl x = eventually tick happens", "the protocol has no time, so no tick happens"},
		{"timer t: 0..1\nltl x = eventually tick happens at 0", "a tick is not a step of a process"},
		{"timer t: 0..1\nprobability x = P(tick happens) >= 1", "a tick cannot be a goal"},
		{"probability x = P(F terminal) >= 1", "a goal is reached at one moment"},
		{"probability x = P(within 0 - 1: terminal) >= 1", "within -1: must be from 0 to 1000000"},
		{"probability x = P(within 10 ^ 18: terminal) >= 1", "within 1000000000000000000: must be from 0"},
		{"expected x = E(cost until terminal) >= 1", "unknown reward cost"},
		{"reward x = id per event leader\nreward x = 1 per step", "already declared"},
		{"reward x = id per step", "only parameters, options and constants"},
		{"reward x = 1 / (n - n) per step", "a reward is divided by 0: must be at least 1"},
		{"reward x = 1 / id per send M", "only parameters, options and constants"},
		{"reward x = 1 per tick", "reward x per tick: the protocol has no time (declare a timer, or channels with a " +
			"delay)"},
		{"reward x = 1 + 1 / 2 per step", "a quotient can stand only in a probability, or as a whole reward"},
		{"role x = p at A pink", "expected one of amber"},
		{"ltl x = true\ninvariant x = true", "x is already declared, as a property on line"},
		{"ltl all = true", "found the reserved word"},
		{"const half = 0.5", "0.5 can stand only in a probability"},
	} {
		f, err := syntax.Parse("", []byte(behaviourSpec+tt.decl+"\n"))
		if err == nil {
			var spec *check.Spec
			if spec, err = check.File(f); err == nil {
				_, err = spec.Instantiate(nil)
			}
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.decl, err, tt.want)
		}
	}
}

// TestKeptAndEnded checks that a kept parameter is live everywhere in its equation, and that a process whose pending
// decisions lead to A = stop is at A.
func TestKeptAndEnded(t *testing.T) {
	p := spectest.Instantiate(t, `protocol kept
topology directed ring of 2
channel fifo
var id, v: 0..1
message Vote(v: 0..1)
process p = A(p)
A(id) = send right Vote(id); B(id)
B(id) = recv left Vote(v); if v = 1 then Commit(id) else Abort
Commit(keep id) = stop
Abort = stop
reachable committed = exists p in node: p at Commit and p.id = 0
reachable aborted = exists p in node: p at Abort
invariant apart = not (exists p in node: p at Commit and p at B)
`, nil)
	g := checkProperties(t, p)
	if len(g.States) != 7 { // by who has voted and who has decided, which takes the vote of the other
		t.Errorf("%d states, want 7", len(g.States))
	}
}

// checkProperties compares all properties of a small protocol with what its states show, and returns these.
func checkProperties(t *testing.T, p *ir.Protocol) *spectest.Graph {
	t.Helper()
	in := step.New(p, step.Options{})
	g, err := spectest.Explore(in, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, prop := range p.Properties {
		checkProperty(t, in, g, p, prop)
	}
	return g
}

// TestNothingIsSetByStop checks that a register that is let before a stop, where no action follows, is not set: not in
// the state, and not for properties.
func TestNothingIsSetByStop(t *testing.T) {
	p := spectest.Instantiate(t, `protocol unset
topology line of 2
channel fifo
var x: 0..2
register r: 0..2 = 1
ghost g: 0..2 = 1
process p = A(p)
A(x) = skip; let r = 2; let g = 2; End(x + 1)
End(keep x) = stop
invariant unset = forall p in node: p.r = 1 and p.g = 1
reachable ended = forall p in node: p at End and p.x = p + 1
`, nil)
	checkProperties(t, p)
}

// TestKnownKind checks that the fields of a message of known kind are those of that kind.
func TestKnownKind(t *testing.T) {
	for property, want := range map[string]int{ // in how many of the six states it holds: M is there in two, N in two
		"m is M and m.f = 1":                            2,
		"m is N and m.f":                                2,
		"m is M => m.f = 1":                             3,
		"not (m is M) or m.f = 1":                       3,
		"if m is M then m.f = 2 else m is N":            2,
		"not (m is N or m is O) and m is M and m.f < 2": 2,
	} {
		p := spectest.Instantiate(t, `protocol kinds
topology directed ring of 2
channel fifo
message M(f: 1..2), N(f: bool), O
process p = if p = 0 then Tell else Hear
Tell = send right M(1); send right N(true); stop
Hear = recv left _; Hear
reachable r = exists p in node, m in inbox(p, left): `+property, nil)
		g, err := spectest.Explore(step.New(p, step.Options{}), 100)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, s := range g.States {
			if v, err := p.Properties[0].Body.Eval(p.NewEnv(s)); err == nil && v != 0 {
				n++
			}
		}
		if n != want {
			t.Errorf("%s holds in %d of %d states, want %d", property, n, len(g.States), want)
		}
	}
}
