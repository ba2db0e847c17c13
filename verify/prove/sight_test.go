package prove

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ringcheck/internal/test/filetest"
	"ringcheck/internal/test/loadtest"
	"ringcheck/internal/test/spectest"
	"ringcheck/internal/test/testlevel"
	"ringcheck/reduce"
)

// registerSpecs are specs in which steps read registers of neighbours, on one side or both, and write registers.
var registerSpecs = []string{
	`topology directed ring of n
	register x: 0..2
	process bottom = Bottom
	process other[p in 1..n - 1] = Other
	Bottom = when left.x = x: x := (x + 1) mod 3; Bottom
	Other = when left.x != x: x := left.x; Other`,

	`topology undirected ring of n
	register x: 0..2 = 0
	register up: bool = false
	process bottom = Bottom
	process other[p in 1..n - 1] = Other
	Bottom = when (x + 1) mod 3 = right.x and not right.up: x := (x + 2) mod 3; Bottom
	Other = when x != left.x: x := left.x; Up | when x = right.x and up: up := false; Other
	Up = up := true; Other`,

	`topology undirected ring of n
	channel fifo
	message M(b: bool)
	var b: bool
	register x: 0..1 = 1
	register y: 0..1 = 0
	process p = if p = 0 then First else Other
	First = let x = 0; send right M(left.x = right.y); Wait(true)
	Wait(b) = when b or left.x < right.x: y := (if left.y = 1 then x else right.y); Wait(false)
	  | recv left M(b); Other
	Other = recv _ M(b) where b or right.x = 1; let y = left.x; Wait(b)`,

	`topology directed ring of n
	register x: 0..3 = 2
	event turn
	process p = if p = 0 then A else (let x = 1; B)
	A = when left.x > x: x := left.x - 1; A | turn; B
	B = if left.x = 2 then (x := 3; A) else (turn; A)`,
}

// TestRegisters compares the rules of specs with registers with the semantics: each transition of small rings is a step
// of a rule.
func TestRegisters(t *testing.T) {
	t.Parallel()
	most := 3
	if testlevel.Gate() {
		most = 4
	}
	for i, text := range registerSpecs {
		spec, err := loadtest.Parse(fmt.Sprint("register", i, ".ring"),
			[]byte("protocol p\nparam n: 2..9\n"+text+"\ninvariant claim = forall p in node: true\n"))
		if err != nil {
			t.Fatal(err)
		}
		for n := 2; n <= most; n++ {
			for _, as := range []abstraction{{}, {counts: true}, {coarse: true}} {
				if !transitions(t, spec, nil, n, as, nil) {
					t.Errorf("%s cannot be translated", text)
				}
			}
		}
		task, err := newTask(t.Context(), spec.Declarations, nil, Options{})
		if err != nil {
			t.Fatal(err)
		}
		x, _, err := task.translate(abstraction{})
		if err != nil || x.views() == 0 {
			t.Errorf("no register of a neighbour is read in %s: %v", text, err)
		}
	}
}

// registerInvariants are about the registers of neighbours.
var registerInvariants = []string{
	"(count p in node: neighbour(p, left).x = p.x) <= 1",
	"forall p in node: neighbour(p, left).x <= p.x",
	"forall p in node, q in node: p = q or neighbour(p, left).x = p.x or q.x = 1 or neighbour(q, left).x != 2",
	"not exists p in node: p.x = 2 and neighbour(p, left).x = 2",
}

// TestRegisterInvariants compares the patterns that invariants about the registers of neighbours forbid with the
// semantics: in each state of small rings, one of them occurs if and only if the invariant is violated.
func TestRegisterInvariants(t *testing.T) {
	t.Parallel()
	states, violated := 0, 0
	for _, text := range registerSpecs[:2] {
		for _, claim := range registerInvariants {
			spec, err := loadtest.Parse("register.ring",
				[]byte("protocol p\nparam n: 2..9\n"+text+"\ninvariant claim = "+claim+"\n"))
			if err != nil {
				t.Fatal(err)
			}
			all, bad := compareGoals(t, spec)
			if states, violated = states+all, violated+bad; all == 0 {
				t.Errorf("%s is not translated", claim)
			}
		}
	}
	t.Logf("%d states, violated in %d", states, violated)
	if violated == 0 || violated == states {
		t.Error("the states do not test what they should")
	}
}

// TestHintOfRegisters proves that who is privileged is alone in the critical section, from an invariant with more atoms
// than the search combines.
func TestHintOfRegisters(t *testing.T) {
	t.Parallel()
	spec, err := loadtest.Open("testdata/k-state.ring")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		hints  []string
		proved bool
	}{{nil, false}, {[]string{"(count p in node: privileged(p)) <= 1"}, true}} {
		r, err := Prove(t.Context(), spec, nil, Options{Property: "exclusive", Hints: test.hints, Width: 2})
		if err != nil || r.Proved != test.proved {
			t.Errorf("with the hints %q: proved %v, %v", test.hints, r.Proved, err)
		}
	}
	violated, err := loadtest.Check(t.Context(), system(t, spec, 5), 100_000, "privileges")
	if err != nil || violated.Violated() {
		t.Errorf("privileges is violated in a ring of 5: %v", err)
	}
}

// TestMirroredRegisters proves the same of a ring in which processes read on the right, and nothing of one in which
// some read on the left.
func TestMirroredRegisters(t *testing.T) {
	t.Parallel()
	text := string(filetest.Read(t, "testdata/k-state.ring"))
	text = strings.NewReplacer("left", "right", "topology directed", "topology undirected").Replace(text)
	for _, test := range []struct {
		old, new string
		proved   bool
		least    int // the smallest ring in which privileges is violated; 0: none up to 5
	}{
		{"", "", true, 0},
		{"x := right.x", "x := left.x", false, 0},
		{"when right.x != x", "when left.x != x", false, 3},
		{"(x + 1) mod 3", "x", true, 0}, // nothing changes any more
		{"x := (x + 1) mod 3", "x := left.x", true, 0},
		{"neighbour(p, right).x != p.x", "neighbour(p, left).x != p.x", false, 3},
	} {
		spec, err := loadtest.Parse("mirrored.ring", []byte(strings.Replace(text, test.old, test.new, 1)))
		if err != nil {
			t.Fatal(err)
		}
		least := smallestViolated(t, spec, "privileges", 5)
		proved := provable(t, spec, Options{Property: "privileges", Width: 2}, nil)
		if proved != test.proved || least != test.least {
			t.Errorf("with %q: proved %v, violated first for n = %d", test.new, proved, least)
		}
	}
}

func system(t *testing.T, spec *reduce.Spec, n int) *reduce.System {
	t.Helper()
	sys, err := spec.System(reduce.Set{"n": n})
	if err != nil {
		t.Fatal(err)
	}
	return sys
}

// TestRandomReaders compares the rules of random specs that read registers of neighbours with the semantics, and proves
// no invariant that is violated.
func TestRandomReaders(t *testing.T) {
	t.Parallel()
	translated, sights, proved := 0, 0, 0
	without := slices.DeleteFunc(slices.Clone(unsupported), func(feature string) bool {
		return feature == "register" || feature == "neighbour"
	})
	corpus := spectest.NewReaders(without...)
	for seed, source := range corpus.Specs(testlevel.Cases(40, 3)(), 3) {
		text := strings.Replace(source, "param n: 2..3", "param n: 2..9", 1)
		for i := range 3 {
			text += fmt.Sprintf("invariant once%d = (count p in node: p at E%d) <= 1\n", i, i)
		}
		spec, err := loadtest.Parse("random.ring", []byte(text))
		if err != nil {
			continue // it has fewer equations
		}
		for n := 2; n <= 3; n++ {
			if transitions(t, spec, nil, n, abstraction{counts: n == 3}, nil) {
				translated++
				if task, err := newTask(t.Context(), spec.Declarations, nil, Options{}); err == nil {
					if x, _, err := task.translate(abstraction{}); err == nil && x.views() > 0 {
						sights++
					}
				}
				corpus.Use(t, source)
			}
		}
		name := fmt.Sprint("once", seed%3)
		r, err := Prove(t.Context(), spec, nil, Options{Property: name, Width: 2})
		if err != nil || !r.Proved {
			continue
		}
		proved++
		if n := smallestViolated(t, spec, name, 4); n > 0 {
			t.Errorf("%s is proved, and violated for n = %d:\n%s", name, n, text)
		}
	}
	t.Logf("%d translations, %d with sights, %d properties proved", translated, sights, proved)
	if sights == 0 || proved == 0 && testlevel.Gate() {
		t.Error("the random specs do not test what they should")
	}
}
