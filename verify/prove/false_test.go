package prove

import (
	"strings"
	"testing"

	"ringcheck/internal/test/loadtest"
	"ringcheck/internal/test/testlevel"
	"ringcheck/reduce"
)

// TestFalse proves nothing that is false: for other numbers of processes than those that are looked at first, of fewer
// processes than it seems to speak of, or since values are read that are not there.
func TestFalse(t *testing.T) {
	t.Parallel()
	own := "recv left Token(id); Leader"
	smaller := "recv left Token(i) where i < id; Active(id)"
	other := "Other = if odd then Leader else skip; Other\n"
	keeps, kept := "recv left Token(i) where i < id; Kept(i)", "Kept(keep i) = skip; Kept(i)\n"
	both := "(count p in node: leads(p)) <= 1 and (forall p in node, q in node: p at Kept and q at Kept => "
	for _, test := range []struct {
		name     string
		old, new string // of chang-roberts
		claim    string
		n        int
	}{
		{"nobody leads beside a leader", "", "", "forall p in node: leads(p) => not (exists q in node: leads(q))", 2},
		{"and none are counted", "", "", "forall p in node: leads(p) => (count q in node: leads(q)) <= 0", 2},
		{"fewer than n - 7", "", "", "(count p in node: leads(p)) <= n - 8", 3},
		{"a sum is no count", "", "", "(sum p in node: (if leads(p) then 2 else 0)) <= 1", 2},
		{"who decides to stop has stopped", own,
			"recv left Token(i) where i = id; if i = id then Halt else Leader\nHalt = stop",
			"(count p in node: leads(p)) <= 1 and (count p in node: p at Halt) <= 0", 2},
		{"who has stopped has no variables", own, "recv left Token(i) where i = id; if i = id then stop else Leader",
			"(count p in node: leads(p)) <= 1 and (forall p in node: p.id = p.id or leads(p))", 2},
		{"an argument that is not read is not there", own,
			"recv left Token(i) where i = id; if i = id then stop else Leader",
			"(count p in node: leads(p)) <= 1 and (forall p in node: p at Active => same(p.id, p))\n" +
				"define same(x: 1..n, p) = p at Active", 2},
		{"a definition depends on n", smaller, "recv left Token(i) where i < id; Other",
			"(count p in node: leads(p)) <= 1\n" + other + "define odd = n = 7", 7},
		{"a definition stands for n", smaller, "recv left Token(i) where i < id; Other",
			"(count p in node: leads(p)) <= 1\ndefine most = n\n" + strings.Replace(other, "odd", "most = 7", 1), 7},
		{"where a variable is live depends on n", smaller, "recv left Token(i) where i < id; let x = 1; skip; Holds(x)",
			"(count p in node: leads(p)) <= 1 and (forall p in node: p at Holds => p.x = p.x)\nvar x: 1..13\n" +
				"var y: 1..n\nHolds(x) = skip; Passes(x)\nPasses(y) = skip; Passes(1)", 13},
		{"an option depends on n", smaller, "recv left Token(i) where i < id; Other",
			"(count p in node: leads(p)) <= 1\n" + other + "option odd: bool = n = 7", 7},
		{"a variable is not always there", smaller, "recv left Token(i) where i < id; let odd = true; Other(odd)",
			"(count p in node: leads(p)) <= 1\nvar odd: bool if n != 7\n" +
				"Other(odd) = if odd then skip; Other(odd) else Leader", 7},
		{"messages to begin with depend on n", "event leader", "initially Token(1) in inbox(0, left) if n = 7\n" +
			"initially Token(2) in inbox(1, left) if n = 7\nevent leader", "(count p in node: leads(p)) <= 1", 7},
		{"a process asks which processes there are", smaller, "recv left Token(i) where i < id; Other",
			"(count p in node: leads(p)) <= 1\n" + other +
				"define odd = (exists q in node: q = 5) and not (exists q in node: q = 6)", 6},
		{"so does the claim", "", "", "(count p in node: leads(p)) <= 1 and not (count q in node: q < 7) = 6", 6},
		{"an assigned number depends on n", "event leader", "assign c: 1..n\nevent leader",
			"(count p in node: leads(p)) <= 1 and (forall p in node: c[p] <= 9 or leads(p))", 10},
		{"a definition with an argument that is not there is false", "", "", "(count p in node: leads(p)) <= 1 and " +
			"(forall p in node: p at Start => other(p.i))\ndefine other(x: 1..n) = not x = 1", 2},
		{"what a definition reads differs among processes", smaller, keeps,
			both + "read(p) = read(q))\n" + kept + "define read(p) = p.i", 3},
		{"so does its argument", smaller, keeps,
			both + "same(p.i, q))\n" + kept + "define same(x: 1..n, q) = x = q.i", 3},
		{"how many are not where nobody goes depends on n", "", "", "(count p in node: leads(p)) <= 1 and " +
			"not (exists p in node: (count q in node: q != p and not p at Nowhere) <= 1)\nNowhere = stop", 2},
		{"a ghost has another value first", "= send right Token(id); Active(id)",
			"= let g = id; send right Token(id); Active(id)",
			"(count p in node: leads(p)) <= 1 and (forall p in node: p at Start => p.g = p.id)\nghost g: 1..n = 1", 2},
		{"no five are active", "", "", "(count p in node: leads(p)) <= 1 and " +
			"(forall p in node, q in node, r in node, s in node, t in node: p = q or p = r or p = s or p = t or " +
			"q = r or q = s or q = t or r = s or r = t or s = t or " +
			"not (p at Active and q at Active and r at Active and s at Active and t at Active))", 5},
		{"no two see each other", "", "", "(count p in node: leads(p)) <= 1 and " +
			"(forall r in node, s in node: (count p in node: (p = r or p = s) and p at Start and " +
			"(exists q in node: (q = r or q = s) and p != q)) <= 1)", 2},
		{"an identity is not the number of a process", "", "",
			"forall p in node, q in node: p at Leader and q.id at Leader => p = q", 3},
		{"a variable may be absent", "", "", "(count p in node: leads(p)) <= 1 and (forall p in node: p.x + n < 10)\n" +
			"option o: bool = false\nvar x: 0..3 if o", 10},
		{"no process may get to an equation", "", "", "(count p in node: leads(p)) <= 1 and " +
			"(forall p in node: (if p at Nowhere then 1 else 0) + n < 10)\nNowhere = stop", 10},
		{"nor how often a quantifier is evaluated", "", "", "(count p in node: leads(p)) <= 1 and " +
			"(count i in 1..1, q in node: not q at Nowhere) <= 9\nNowhere = stop", 10},
		{"what may be chosen leads nowhere", own, "recv left Token(id); Stuck",
			"true\nvar x: 1..2\nStuck = choose x in 1..1; when x = 2: skip; Leader\n" +
				"terminal last = forall p in node: not p at Stuck", 2},
		{"so do the kinds of process", "process p =\n", "process late[p in 9..n - 1] = Leader\n" +
			"process early[p in 0..min(8, n - 1)] =\n", "(count p in node: leads(p)) <= 1", 11},
	} {
		base, err := loadtest.Open("chang-roberts")
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Replace(string(base.Text), test.old, test.new, 1) + "\ninvariant claim = " + test.claim + "\n"
		spec, err := loadtest.Parse("false.ring", []byte(text))
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		claim := "claim"
		if strings.Contains(text, "terminal last") {
			claim = "last"
		}
		if provable(t, spec, Options{Property: claim, Width: 2}, map[string]string{"ids": "ascending"}) {
			t.Errorf("%s: proved", test.name)
		}
		sys, err := spec.System(reduce.Set{"ids": "ascending", "n": test.n})
		if err != nil {
			t.Fatal(err)
		}
		c, err := loadtest.Check(t.Context(), sys, 20_000, claim)
		if err != nil || !c.Violated() {
			t.Errorf("%s: check does not find it violated: %v", test.name, err)
		}
	}
}

// TestFalseLeLann proves no variant of Le Lann's algorithm in which a step is left out or taken too early.
func TestFalseLeLann(t *testing.T) {
	t.Parallel()
	collect := "recv left Token(q) where q != id; send right Token(q); Collect(id, list union {q})"
	begin, asleep, lost := "Start(id) =", "Asleep\n\nLeader", "id > min(list); Lost"
	base, err := loadtest.Open("../../examples/le-lann.ring")
	if err != nil {
		t.Fatal(err)
	}
	try := func(name, text string, given map[string]string) (violated bool) {
		set := make(reduce.Set)
		for option, value := range given {
			set[option] = value
		}
		spec, err := loadtest.Parse("false.ring", []byte(text))
		if err != nil || !breaks(t, spec, "least", set) {
			return false
		}
		if provable(t, spec, Options{Property: "least"}, given) {
			t.Errorf("%s is proved:\n%s", name, text)
		}
		return true
	}
	tests := []struct{ name, old, new string }{
		{"to collect its own identity only", "list union {q}", "list union {id}"},
		{"to collect nothing", "list union {q}", "list"},
		{"to forget what it collected before", "list union {q}", "{id, q}"},
		{"to take out what it gets", "list union {q}", "list minus {q}"},
		{"to collect no smaller ones", "list union {q}", "if q < id then list else list union {q}"},
		{"to collect only greater ones", collect, strings.Replace(collect, "q != id", "q > id", 1) +
			"\n  | recv left Token(q) where q < id; send right Token(q); Collect(id, list)"},
		{"to lead with the greatest", "id = min(list)", "id = max(list)"},
		{"to lead with another one", "id = min(list)", "id != min(list)"},
		{"to lead if it is not the least", lost, "id > min(list); Leader"},
		{"to lead with any", "id = min(list)", "id >= min(list)"},
		{"to decide at any identity", "Token(id) where id = min(list)", "Token(q) where id = min(list)"},
		{"to decide without its own", lost, lost + "\n  | skip; if id = min(list) then Leader else Lost"},
		{"to decide when nothing has come", "Collect(id, {id})", "(Collect(id, {id}) | leader; Leader)"},
		{"to begin behind the first that comes", begin, begin +
			" recv left Token(q); send right Token(q); Start(id)\n  |"},
		{"to begin behind it and collect that", begin, begin +
			" recv left Token(q); send right Token(q); send right Token(id); Collect(id, {id, q})\n  |"},
		{"to be asleep and then lead", asleep, "Asleep | recv left Token(q); Leader\n\nLeader"},
	}
	if !testlevel.Long() && mutants() < 20 {
		tests = tests[:1]
	}
	if !testlevel.Long() && mutants() < 10 {
		t.Log("whether the algorithm itself is proved is left out")
	} else if spec, err := loadtest.Parse("le-lann.ring", base.Text); err != nil {
		t.Error(err)
	} else if !provable(t, spec, Options{}, nil) {
		t.Error("the algorithm itself is not proved")
	}
	for _, test := range tests {
		text := strings.Replace(string(base.Text), test.old, test.new, 1)
		if text == string(base.Text) || !try(test.name, text, nil) {
			t.Errorf("%s: nothing is violated", test.name)
		}
	}
	if !try("channels that are no queues", string(base.Text), map[string]string{"channel": "unordered"}) {
		t.Error("le-lann is not violated if channels are not queues")
	}
}
