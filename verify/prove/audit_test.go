package prove

import (
	"slices"
	"strings"
	"testing"

	"ringcheck/internal/test/loadtest"
)

// TestAudit finds patterns that occur and a property that is violated after all, also if only in large rings.
func TestAudit(t *testing.T) {
	t.Parallel()
	text := chang(t, "", "") + "\ninvariant small = not (exists p in node: p = 6)\n"
	spec, err := loadtest.Parse("audit.ring", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	k, err := newTask(t.Context(), spec.Declarations, nil, Options{Property: "unique"})
	if err == nil {
		err = k.tryAll(t.Context())
	}
	if err != nil || !k.report.Proved {
		t.Fatalf("not proved: %v", err)
	}
	expect := func(what string) {
		t.Helper()
		err := k.audit(t.Context())
		if (err == nil) != (what == "") || err != nil && !strings.Contains(err.Error(), what) {
			t.Errorf("got %v, want %q", err, what)
		}
	}
	expect("")
	k.Property = "small"
	expect("violated in a ring of 7")
	k.Property = "unique"
	p := k.report.proof
	patterns := p.patterns
	for i := range p.controls {
		p.patterns = append(slices.Clip(patterns), pattern{[]atom{newAtom(p.relation(atControl, i), 0)}, 1})
		expect("occurs")
	}
	p.patterns = patterns
	forbids := p.goals
	p.goals = nil
	expect("has none of the patterns that it forbids")
	p.goals = forbids
	rules := p.rules
	for i := range rules {
		p.rules = slices.Delete(slices.Clone(rules), i, i+1)
		expect("no rule leads from")
	}
	p.rules = rules
	initial := p.initial
	p.initial = initialStates{}
	expect("an initial state has")
	p.initial = initial
	p.controlIndex = map[string]int{}
	expect("no rule leads there")
}

// TestSizes uses each size that a spec has once.
func TestSizes(t *testing.T) {
	t.Parallel()
	for sizes, want := range map[string][]int{"1..100": {2, 3, 4, 5}, "2..3": {2, 3}, "4..100": {4, 5, 6, 7}} {
		spec, err := loadtest.Parse("sizes.ring", []byte(chang(t, "n: 2..1000", "n: "+sizes)))
		if err != nil {
			t.Fatal(err)
		}
		k, err := newTask(t.Context(), spec.Declarations, nil, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := k.sizes(smallRings...); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", sizes, got, want)
		}
	}
}

// TestDirections counts the hops of a message only where a state says which way it moves: what the audit sees of such a
// state is what the rules say.
func TestDirections(t *testing.T) {
	t.Parallel()
	const text = `protocol directions
		param n: 2..100
		topology undirected ring of n
		channel unordered
		var d: dir
		var h: 1..n
		message M(hop: 1..n)
		process p = A
		A = send right M(1); send left M(1); B
		B = recv FROM M(h); C
		C = skip; if h = n then skip; Bad else B
		Bad = skip; Bad
		invariant claim = forall p in node: not p at Bad
		`
	for from, want := range map[string]bool{"left": true, "d": true, "_": false} {
		text := strings.Replace(text, "FROM", from, 1)
		if from == "d" {
			text = strings.ReplaceAll(strings.Replace(text, "C = ", "C(h, keep d) = ", 1), "M(h); C", "M(h); C(h, d)")
		} else {
			text = strings.ReplaceAll(strings.Replace(text, "C = ", "C(h) = ", 1), "M(h); C", "M(h); C(h)")
		}
		spec, err := loadtest.Parse("directions.ring", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		r, err := Prove(t.Context(), spec, nil, Options{Width: 2})
		if err != nil || r.Proved != want {
			t.Errorf("from %s: got %v, %v, want %v", from, r.Proved, err, want)
		}
	}
}

// TestStops proves properties about processes that have decided to stop, if what they decide by is in the abstraction.
func TestStops(t *testing.T) {
	t.Parallel()
	const text = `protocol stops
		param n: 2..100
		param k: 2..100 = 2
		topology undirected ring of n
		channel unordered
		var id, i: 1..k
		var h: 1..n
		message M(id: 1..k, hop: 1..n)
		process p = A
		A = draw id; send right M(id, 1); send left M(id, 1); B(id)
		B(id) = recv left M(i, h); if h = n then Leader else C(id, i)
		C(id, i) = recv right M(i, h); D(id, i, h)
		D(id, i, h) = if h = n then Leader else let h = h; if i > id then P else A
		P = recv left M(i, h); send right M(i, h + 1); P | recv right M(i, h); send left M(i, h + 1); P
		Leader = stop
		Lost = stop
		`
	for _, test := range []struct {
		name, old, new, claim string
		proved                bool
		refused               string
	}{
		{"one leads", "", "", "(count p in node: p at Leader) <= 1", true, ""},
		{"nobody leads", "", "", "forall p in node: not p at Leader", false, ""},
		{"who leads decides no more", "", "", "(count p in node: p at Leader) <= 1 and " +
			"(forall p in node: p at D => p.h < n)", true, ""},
		{"who leads has no variables", "", "", "forall p in node: p at Leader => p.h = n", false, ""},
		{"a message is not back while others begin", "", "",
			"forall p in node, q in node: not (p at P and p.h = n and q at A)", true, ""},
		{"no message comes back", "", "", "forall p in node: p at P => p.h < n", false, ""},
		{"who loses is forgotten", "i > id then P", "i > id then Lost", "forall p in node: not p at Lost", false,
			"stops.ring:13:3: whether a process stops here depends on values that are not tracked"},
		{"an argument is out of range", "left M(id, 1)", "left M(0, 1)", "forall p in node: not p at Lost", false,
			"stops.ring:10:49: argument id of M: 0 is not in"},
		{"so is one at the start", "process p = A", "process p = if p < 2 then A else B(p + 1)",
			"(count p in node: p at Leader) <= 1", false, "stops.ring:9:40: argument id of B: 4 is not in 1..3"},
	} {
		text := strings.Replace(text, test.old, test.new, 1) + "invariant claim = " + test.claim + "\n"
		spec, err := loadtest.Parse("stops.ring", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		r, err := Prove(t.Context(), spec, nil, Options{Width: 2})
		if r == nil {
			r = &Report{}
		}
		if r.Proved != test.proved || (err == nil) != (test.refused == "") ||
			err != nil && !strings.Contains(err.Error(), test.refused) {
			t.Errorf("%s: got %v, %v", test.name, r.Proved, err)
		}
	}
}
