package verify

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ringcheck/explore"
	"ringcheck/explore/symbolic"
	"ringcheck/internal/test/spectest"
	"ringcheck/internal/test/systemtest"
	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// walkers is a protocol in which tokens with a number and a goal walk around a ring.
const walkers = `
protocol walkers
param n: 2..4 = 3
topology undirected ring of n
channel unordered
type Id = 0..n - 1
var id, goal: Id
var seen: set of 0..2
message Token(id: Id, goal: Id)
message Ping
process p = Begin(p)
Begin(id) = draw goal in {0, n - 1}; send right Token(id, goal); Walk(id, goal, {id})
Walk(id, goal, seen) =
    recv left Token(id, _); send left Ping; Home(id)
  | recv left Token(goal, _); send left Ping; Lost(id, goal)
Home(id) = when id > 0: recv right Ping; Done(id)
Lost(id, goal) = stop
Done(id) = stop
`

// TestFormulas compares verdicts on properties that use every construct of the language.
func TestFormulas(t *testing.T) {
	var properties []string
	for i, body := range []string{
		"true",
		"forall p in node: p at Begin => size(inbox(p, left)) <= 1",
		// variables that are not live
		"forall p in node: p.goal >= 0",
		"forall p in node: not (p.goal >= 0)",
		"exists p in node: p.goal = p.id and p at Walk",
		"(sum p in node: if p.goal > 0 then p.goal else 0) <= 2",
		// messages, compared with variables of processes
		"forall p in node, m in inbox(p, left): m.id = p.id",
		"forall p in node, m in inbox(p, left): m.id = p.id => m.goal = p.goal",
		"forall p in node, d in dir, m in inbox(p, d): m is Token or m is Ping",
		"forall p in node: (count m in inbox(p, left): m.goal > 0) <= (count m in inbox(p, right): m is Ping)",
		"forall p in node, m in inbox(p, left): exists q in node, m2 in inbox(q, left): m.id = m2.goal",
		"forall p in node, m in inbox(p, left): m.goal at Begin or m.id != p", // a process that a message names
		"(exists m in inbox(0, left): m.id = 1) = (1 at Begin)",
		"forall p in node, m in inbox(p, left): far(m.id, 1)",
		// processes named by the state
		"forall p in node: p.goal at Begin or p.goal at Walk",
		"forall p in node: size(inbox(p.goal, left)) < 2",
		"forall p in node: forall e in 0..p.goal: e = 0 or e at Walk or e at Begin",
		"exists p in node: neighbour(p, left).id = p.goal",
		// sets, definitions, undefined arguments
		"forall p in node: 0 in p.seen or p.id > 0",
		"forall p in node: size(p.seen) = 1",
		"forall p in node: near(p, p.goal)",
		"forall p in node: not near(p, p.goal)",
		"exists p in node: pick(p.goal) = 2",
		"exists p in node: twice(p.id = 1) and p at Home",
		// errors where the value does not matter
		"forall p in node: p.goal > 0 => 4 div p.goal >= 2",
		"forall p in node: p.goal = 0 or 4 div p.goal >= 2",
		"0 = 0 or 1 div 0 = 1",
	} {
		for _, kind := range syntax.Words(syntax.PropertyClause) {
			properties = append(properties, fmt.Sprintf("%s %s%d = %s", kind, kind, i, body))
		}
	}
	src := walkers + `
define near(p, q: Id) = q = p or q = (p + 1) mod n or true
define far(a: Id, b: Id) = a + b < n
define pick(i: Id) = max(i, 2)
define twice(b: bool) = b and b
` + strings.Join(properties, "\n")
	p := spectest.Instantiate(t, src, map[string]string{"n": "3"})
	if compared, _ := compare(t, p, 5000); !compared {
		t.Fatal("too many states")
	}
}

// TestEvalError checks that a property without a value where it matters has an error with its place and a run, under
// every engine, and that the others are judged.
func TestEvalError(t *testing.T) {
	for _, property := range []string{
		"invariant bad = forall p in node: 4 div p.id > 0",
		"terminal bad = (sum p in node: 1 div size(inbox(p, right))) > 0",
		"recoverable bad = 1 div (count p in node: p at Lost) > 0",
		"invariant bad = 1 div 0 = 1",
		"reachable bad = 1 div 0 = 1",
		"ltl bad = always forall p in node: 4 div p.id > 0",
	} {
		p := spectest.Instantiate(t, walkers+property+"\nreachable good = true\ninvariant poor = false\n", nil)
		s := Verifier{System: spectest.Compile(t, p)}
		reports := make(map[string]*Result)
		var err error
		if reports["explicit"], err = s.Check(t.Context(), p.Properties, explore.Options{}); err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(p.Properties, func(p *ir.Property) bool { return p.Kind.OfRuns() }) {
			if compared, _ := compare(t, p, 5000); !compared {
				t.Fatal("too many states")
			}
			reports["symbolic"], err = s.CheckSymbolically(t.Context(), p.Properties, symbolic.Options{})
			if err != nil {
				t.Fatal(err)
			}
		}
		for engine, r := range reports {
			verdicts := make(map[string]*Judgment)
			for i := range r.Judgments {
				verdicts[r.Judgments[i].Property.Name] = &r.Judgments[i]
			}
			bad := verdicts["bad"]
			if e := bad.EvalError; e == nil || !strings.Contains(e.Error(), "test.ring:19") ||
				!strings.Contains(e.Error(), "division by zero") || bad.Outcome == Holds {
				t.Errorf("%s, %s: %v, %v", property, engine, bad.Outcome, e)
				continue
			}
			if good, poor := verdicts["good"].Outcome, verdicts["poor"].Outcome; good != Holds || poor != Violated {
				t.Errorf("%s, %s: the others are %v and %v", property, engine, good, poor)
			}
			run, err := s.ErrorRun(t.Context(), bad.EvalError, explore.Options{})
			if err == nil {
				err = Replay(s.System, run)
			}
			if err != nil || len(run.Moves) != bad.EvalError.Level+1 {
				t.Errorf("%s, %s: a run of %d moves, want %d and one; %v", property, engine, len(run.Moves),
					bad.EvalError.Level, err)
			}
		}
	}
}

// TestOddities checks that errors with the same text, and large values, are kept apart.
func TestOddities(t *testing.T) {
	var odd outcomeTable
	at := func(line int) error { return &ir.Error{Pos: syntax.Pos{Line: line}, Message: "division by zero"} }
	outcomes := []outcome{{0, nil}, {special - 1, nil}, {special, nil}, {-special, nil}, {-special - 1, nil},
		{math.MaxInt64, nil},
		{math.MinInt64, nil}, {0, at(13)}, {0, at(14)}, {0, errors.New("no value")}}
	for range 2 {
		for _, want := range outcomes {
			value, err := odd.unpack(odd.pack(want.value, want.err))
			if value != want.value || !reflect.DeepEqual(err, want.err) {
				t.Errorf("%v came back as %d, %v", want, value, err)
			}
		}
	}
	if len(odd.numbers) != 7 {
		t.Errorf("%d outcomes are kept, want 7", len(odd.numbers))
	}
}

// TestClasses checks that there are far fewer classes than states: otherwise classes would save nothing.
func TestClasses(t *testing.T) {
	p, err := open(t, "franklin").Instantiate(map[string]string{"n": "3"})
	if err != nil {
		t.Fatal(err)
	}
	sys := spectest.Compile(t, p)
	c, err := newChecker(t.Context(), Verifier{System: sys}, p.Properties)
	if err != nil {
		t.Fatal(err)
	}
	o := c.observer.(*observer)
	r := systemtest.Run(t, sys, explore.Options{Observer: o})
	largest := 0
	for _, s := range o.numberings {
		largest = max(largest, len(s.numbers))
	}
	if uint64(largest)*10 > r.States {
		t.Errorf("%d states, and %d classes of a part of them", r.States, largest)
	}
}

// TestExpand checks that a formula that names its processes itself is split into terms for parts of the state.
func TestExpand(t *testing.T) {
	for body, split := range map[string]bool{
		"forall p in node: p at Begin":                      true,
		"forall p in node, m in inbox(p, left): m is Token": true,
		"forall p in node: p.goal at Begin":                 false,
		"forall e in 0..100000000: e >= 0 or 0 at Begin":    false,
	} {
		p := spectest.Instantiate(t, walkers+"invariant it = "+body, nil)
		sys := spectest.Compile(t, p)
		x := newExpander(t.Context(), sys, 0)
		root := x.property(p.Properties[0].Body).(*term)
		if got := root.expr != p.Properties[0].Body; got != split {
			t.Errorf("%s: split up: %v, want %v", body, got, split)
		}
	}
}

// TestExplain checks the explanation of formulas that are false in the initial state: the operand or the value of a
// binder that decides, and every sum in a comparison.
func TestExplain(t *testing.T) {
	for body, want := range map[string]string{
		"forall p in node: not p at Begin":                         "[{p 0}] [] [0] []",
		"forall p in node: p at Begin and (p.id = 2 => p at Done)": "[{p 2}] [] [2] []",
		"0 at Begin and (1 at Done or 2 at Done)":                  "[] [] [1 2] []",
		"(count p in node: p at Begin) = 2": "[] [{3 true [{p 0} {p 1} " +
			"{p 2}] [0 1 2]}] [0 1 2] []",
		"(count p in node: p at Begin) + (count p in node: p at Done) = 2": "[] [{3 true [{p 0} {p 1} " +
			"{p 2}] [0 1 2]} {0 true [] []}] [0 1 2] []",
		"if 0 at Begin then size(inbox(1, left)) > 0 else 2 at Done":                      "[] [] [] [2]",
		"exists p in node, m in inbox(p, left): m is Token":                               "[] [] [] [0 2 4]",
		"not (exists p in node, q in node: p != q and p.id + q.id = 3 and not q at Walk)": "[{p 1} {q 2}] [] [1 2] []",
		"(sum p in node: p.id) = 4": "[] [{3 false [] []}] [0 " +
			"1 2] []",
	} {
		p := spectest.Instantiate(t, walkers+"invariant it = "+body, nil)
		sys := spectest.Compile(t, p)
		var state []model.Value
		if err := sys.Initial(func(s []model.Value) bool { state = slices.Clone(s); return false }); err != nil {
			t.Fatal(err)
		}
		w, err := Explain(sys, p.Properties[0], state)
		if err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		if got := fmt.Sprint(w.Bindings, w.Sums, w.Processes, w.Links); got != want {
			t.Errorf("%s: the witness is %s, want %s", body, got, want)
		}
	}
}
