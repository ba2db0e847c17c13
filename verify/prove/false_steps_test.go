package prove

import (
	"strings"
	"testing"

	"ringcheck/internal/test/loadtest"
	"ringcheck/reduce"
)

// TestFalseSteps proves nothing that is false because a step or a value is not in the abstraction, and no process of a
// small ring takes it.
func TestFalseSteps(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, step, more, ids string // in chang-roberts: what follows a smaller identity
		n                     int
	}{
		{"a set has another number in another variable", "if id = 6 then draw t; skip; B(t) else Active(id)",
			"var t: set of 1..2\nvar u: set of 0..2\nB(u) = if 2 in u then skip; Bad else stop\n", "ascending", 6},
		{"a range is empty in small rings", "if (exists q in 10..n: q = id) then skip; Bad else Active(id)", "",
			"ascending", 10},
		{"nothing is chosen in small rings", "choose i in 10..n; skip; Bad", "", "ascending", 10},
		{"a variable may be absent", "let x = 1; if x + n < 10 then Active(id) else skip; Bad",
			"option o: bool = false\nvar x: 0..3 if o\n", "ascending", 10},
		{"so may one that is counted", "let x = true; if (count q in node: not x) <= 9 then Active(id) else skip; Bad",
			"option o: bool = false\nvar x: bool if o\n", "ascending", 10},
		{"a ghost begins with the identity", "let g = i; Active(id)", "ghost g: 1..n = uid[p]\n", "any", 3},
	} {
		text := chang(t, "where i < id; Active(id)", "where i < id; "+test.step) + "\n" + test.more + "Bad = stop\n" +
			"invariant claim = (count p in node: leads(p)) <= 1 and (forall p in node: not p at Bad)"
		if strings.Contains(test.more, "ghost") {
			text += " and (forall p in node: p at Active => p.g = p.id)"
		}
		notProved(t, test.name, text, map[string]string{"ids": test.ids}, test.n)
	}
	const elect = `protocol p
		param n: 2..100
		topology directed ring of n
		channel unordered
		var id, i: 0..1000
		message Token(id: 0..1000)
		Start(id) = send right Token(id); Active(id)
		Active(id) = recv left Token(i) where i > id; send right Token(i); Passive(id)
		  | recv left Token(i) where i < id; Active(id)
		  | recv left Token(id); Leader
		Passive(id) = recv left Token(i) where i > id; send right Token(i); Passive(id)
		  | recv left Token(i) where i < id; Passive(id)
		Leader = stop
		invariant claim = (count r in node: r at Leader) <= 1
		`
	notProved(t, "two parameters may differ by one", elect+"param k: 1..100 = 4\nparam m: 1..100 = 3\n"+
		"process x = if x = 0 then Start(k + x) else Start(m + x)", nil, 2)
	notProved(t, "an assignment that is called p is not the number of a process", elect+
		"assign p: permutation of 0..n - 1\nprocess x = if x = 0 then Start(x) else Start(p[x])", nil, 2)
	for _, name := range []string{"p", "q"} { // which are no names of ours
		text := elect + "assign ID: permutation of 1..n\nprocess x = Start(ID[x])\n"
		spec, err := loadtest.Parse("names.ring", []byte(strings.ReplaceAll(text, "ID", name)))
		if err != nil || !provable(t, spec, Options{Width: 2}, nil) {
			t.Errorf("an assignment %s: not proved: %v", name, err)
		}
	}
	wider := chang(t, "where i < id; Active(id)", "where i < id; Weighs(id, i)") +
		"\nvar most: 0..n\nWeighs(id, most) = skip; Active(id)\n"
	spec, err := loadtest.Parse("wider.ring", []byte(wider))
	if err != nil || !provable(t, spec, Options{Width: 2}, nil) {
		t.Errorf("0..n has all values of 1..n, whatever n is: not proved: %v", err)
	}
	notProved(t, "a counter goes up to n in some rings only", `protocol p
		param n: 2..100
		topology directed ring of n
		channel fifo
		var h: 1..(if n = 8 or n = 9 then n else 2 * n)
		message M(hop: 1..(if n = 8 or n = 9 then n else 2 * n))
		process p = if p = 5 then send right M(1); A else B
		A = recv left M(h); if h > n then stop else send right M(h + 1); A
		B = recv left M(h); if h < n then send right M(h + 1); B else if h = n then stop else skip; Bad
		Bad = stop
		invariant claim = forall p in node: not p at Bad`, nil, 6)
}

// chang returns chang-roberts with another text in place of one.
func chang(t *testing.T, old, text string) string {
	base, err := loadtest.Open("chang-roberts")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Replace(string(base.Text), old, text, 1)
}

// notProved tests that the claim of a spec is not proved, and violated in a ring of n.
func notProved(t *testing.T, name, text string, given map[string]string, n int) {
	spec, err := loadtest.Parse("false.ring", []byte(text+"\n"))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if provable(t, spec, Options{Property: "claim", Width: 2}, given) {
		t.Errorf("%s: proved", name)
	}
	set := reduce.Set{"n": n}
	for option, value := range given {
		set[option] = value
	}
	sys, err := spec.System(set)
	if err != nil {
		t.Fatal(err)
	}
	c, err := loadtest.Check(t.Context(), sys, 100_000, "claim")
	if err != nil || !c.Violated() {
		t.Errorf("%s: check does not find it violated: %v", name, err)
	}
}
