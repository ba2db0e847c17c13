package prove

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ringcheck/internal/test/filetest"
	"ringcheck/internal/test/loadtest"
	"ringcheck/internal/test/testlevel"
	"ringcheck/reduce"
)

// A claim is an invariant of a spec in which process 0 is distinguished. Late are texts that may stand in place of
// others, so that the invariant is violated, but only in rings of at least some size.
type claim struct {
	spec, property string
	late           []lateMutant
	invariant      string // named claim, if it is not in the spec
}

type lateMutant struct {
	old, new string
	least    int // the size of the smallest ring in which the invariant is violated
}

// again returns equations that pass the token twice if a condition on its counter holds.
func again(condition string) string {
	return "Pass(c) = if " + condition + " then Again(c) else Once(c)\n" +
		"Again(c) = send right Token(c); Once(c)\nOnce(c) ="
}

// claims are invariants that are proved for every n.
var claims = []claim{
	{"../../examples/token-ring.ring", "exclusive", []lateMutant{
		{"process p = Idle", "process p = if p = 5 then Critical else Idle", 6},
		{"process p = Idle", "process p = if p mod 6 = 5 then Critical else Idle", 6},
		{"inbox(0, left)", "inbox(p, left) for p in node where p mod 5 = 0", 6},
		{"initially Token", "initially Token in inbox(5, left) if n > 5\ninitially Token", 6},
		{"initially Token", "initially Token in inbox(1, left) if n = 7\ninitially Token", 7},
		{"process p = Idle", "process late[p in 6..n - 1] = Critical\nprocess early[p in 0..min(5, n - 1)] = Idle", 7},
		{"process p = Idle", "process p = if p > 5 then Critical else Idle", 7},
	}, ""},
	{"testdata/ring-echo.ring", "informed", []lateMutant{
		{"] = Asleep", "] = if p = 2 or p = 5 then Wall else Asleep\nWall = recv from Wave; send from Wave; Wall", 6},
		{"] = Asleep", "] = if p mod 4 = 2 then Wall else Asleep\nWall = recv from Wave; send from Wave; Wall", 7},
	}, ""},
	{"testdata/ring-echo.ring", "complete", nil, ""},
	{"../../examples/token-ring.ring", "claim", []lateMutant{
		{"inbox(0, left)", "inbox(p, left) for p in node where p mod 6 = 0", 7},
	}, "(count p in node: p at Critical) + (count p in node, m in inbox(p, left): m is Token) <= 1"},
	{"testdata/token-laps.ring", "claim", []lateMutant{
		{"Pass(c) =", again("c = 6"), 7},
	}, "forall p in node: size(inbox(p, left)) <= 1"},
	{"testdata/token-both-ways.ring", "claim", nil,
		"forall p in node, q in node, d in dir, m in inbox(p, d): not q at Critical"},
	{"testdata/token-both-ways.ring", "exclusive", []lateMutant{
		{"process other[p in 1..n - 1] = Idle", "process other[p in 1..n - 1] = if p = 5 then Critical else Idle", 6},
		{"other[p in 1..n - 1] = Idle", "other[p in 1..5] = Idle\nprocess more[p in 6..n - 1] = Critical", 7},
	}, ""},
	{"testdata/k-state.ring", "privileges", []lateMutant{
		{"1..n - 1] = Other", "1..n - 1] = if p = 5 then Second else Other", 6},
		{"1..n - 1] = Other", "1..n - 1] = if p mod 5 = 0 then Second else Other", 6},
		{"1..n - 1] = Other", "1..5] = Other\nprocess more[p in 6..n - 1] = Second", 7},
		{"1..n - 1] = Other", "1..n - 1] = if p = 5 then (let x = 1; Other) else Other", 6},
	}, ""},
	{"testdata/token-laps.ring", "exclusive", []lateMutant{
		{"Pass(c) =", again("c = 5"), 6},
		{"Pass(c) =", again("c = 6"), 7},
		{"Critical(c) = leave", "Critical(c) = if c > 4 then (send right Token(c); Critical(c)) else leave", 6},
		{"Critical(c) = leave", "Critical(c) = if c > 5 then (send right Token(c); Critical(c)) else leave", 7},
	}, ""},
}

// read returns the text of the spec of a claim.
func (c claim) read(t *testing.T) string {
	text := string(filetest.Read(t, filepath.FromSlash(c.spec)))
	if c.invariant != "" {
		text += "invariant claim = " + c.invariant + "\n"
	}
	return text
}

// TestClaims proves the claims. The transitions of small rings are steps of the rules.
func TestClaims(t *testing.T) {
	t.Parallel()
	for i, c := range claims {
		if i > 1 && !testlevel.Gate() {
			break
		}
		spec, err := loadtest.Parse(filepath.Base(c.spec), []byte(c.read(t)))
		if err != nil {
			t.Fatal(err)
		}
		r, err := Prove(t.Context(), spec, nil, Options{Property: c.property})
		if err != nil || !r.Proved || !r.proof.hasZero || !r.proof.counts {
			t.Errorf("%s of %s is not proved: %+v, %v", c.property, c.spec, r, err)
			continue
		}
		most := 3
		if testlevel.Gate() {
			most = 4
		}
		for n := 2; n <= most; n++ {
			for _, as := range []abstraction{r.proof.abstraction, {}} {
				if !transitions(t, spec, nil, n, as, r.proof) {
					t.Errorf("%s cannot be translated", c.spec)
				}
			}
		}
	}
}

// TestLateMutants proves no invariant that is violated only in rings that are larger than those that are looked at.
func TestLateMutants(t *testing.T) {
	t.Parallel()
	width := 2
	if testlevel.Long() {
		width = 3
	}
	sizes := make(map[int]int)
	for _, c := range claims {
		text := c.read(t)
		for _, m := range c.late {
			sizes[m.least]++
			mutant := strings.Replace(text, m.old, m.new, 1)
			if mutant == text {
				t.Fatalf("%s does not have %q", c.spec, m.old)
			}
			spec, err := loadtest.Parse("late.ring", []byte(mutant))
			if err != nil {
				t.Errorf("%v in\n%s", err, mutant)
				continue
			}
			if least := smallestViolated(t, spec, c.property, 7); least != m.least {
				t.Errorf("%s: with %s, %s is violated first for n = %d, want %d", c.spec, m.new, c.property, least,
					m.least)
			}
			if provable(t, spec, Options{Property: c.property, Width: width}, nil) {
				t.Errorf("%s: with %s, %s is proved", c.spec, m.new, c.property)
			}
		}
	}
	if sizes[6] < 5 || sizes[7] < 5 {
		t.Errorf("too few mutants are violated first in rings of six or seven: %v", sizes)
	}
}

// smallestViolated returns the size of the smallest ring of up to most processes in which a property is violated; 0 if
// there is none.
func smallestViolated(t *testing.T, spec *reduce.Spec, property string, most int) int {
	for n := 2; n <= most; n++ {
		sys, err := spec.System(reduce.Set{"n": n})
		if err != nil {
			continue // the spec has no ring of this size
		}
		r, err := loadtest.Check(t.Context(), sys, 10_000, property)
		switch {
		case err != nil, !r.Search.Complete() && !r.Violated():
			return 0 // larger rings have even more states
		case r.Violated():
			return n
		}
	}
	return 0
}

// TestRandomMutants proves no claim about a spec in which something is replaced, left out or repeated, if the claim is
// violated in a ring of up to seven.
func TestRandomMutants(t *testing.T) {
	t.Parallel()
	wanted := 1 // mutants of each claim in which it is violated
	switch {
	case testlevel.Long():
		wanted = 45
	case testlevel.Gate():
		wanted = 15
	}
	sizes, searched := make(map[int]int), 0
	// After few and short runs there are more candidates for patterns.
	mineLess := func(k *task, ctx context.Context, m *miner) error {
		searched++
		return k.mineRuns(ctx, m, 20, 60)
	}
	for i, c := range claims {
		text := c.read(t)
		if i == 0 || testlevel.Gate() {
			spec, err := loadtest.Parse(filepath.Base(c.spec), []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			if !provableAfter(t, spec, Options{Property: c.property}, nil, mineLess) {
				t.Errorf("%s of %s is not proved itself", c.property, c.spec)
			}
			searched--
		}
		random := rand.New(rand.NewPCG(1, 2))
		tried := make(map[string]bool)
		for found := 0; found < wanted && len(tried) < 100*wanted; {
			mutant := mutateTerms(text, random)
			if tried[mutant] {
				continue
			}
			tried[mutant] = true
			spec, err := loadtest.Parse("mutant.ring", []byte(mutant))
			if err != nil {
				continue
			}
			least := smallestViolated(t, spec, c.property, 7)
			if least == 0 {
				continue
			}
			found++
			sizes[least]++
			width := 2
			if found%15 == 0 {
				width = 3 // which takes longer
			}
			if provableAfter(t, spec, Options{Property: c.property, Width: width}, nil, mineLess) {
				t.Errorf("%s is proved, and violated for n = %d:\n%s", c.property, least, mutant)
			}
		}
	}
	total := 0
	for _, count := range sizes {
		total += count
	}
	t.Logf("%d mutants are violated, the search refutes %d; smallest violated ring: %v", total, searched, sizes)
	if total < wanted*len(claims)*3/4 || testlevel.Gate() && total < 100 {
		t.Error("too few mutants are violated")
	}
	if searched < total*3/4 || testlevel.Gate() && (sizes[3] == 0 || sizes[4] == 0) {
		t.Error("too few mutants are translated, or are violated only in rings of more than two")
	}
}

// mutateTerms returns a spec in which one or two words of a process, an equation or an initial message are others, or
// an action is left out or repeated.
func mutateTerms(text string, random *rand.Rand) string {
	begin := strings.Index(text, "event")
	begin += strings.Index(text[begin:], "\n")
	end := begin + regexp.MustCompile(`\n(define|role|invariant) `).FindStringIndex(text[begin:])[0]
	body := text[begin:end]
	var names []string
	for _, m := range regexp.MustCompile(`(?m)^([A-Z]\w*)(\(\w*\))? =`).FindAllStringSubmatch(body, -1) {
		names = append(names, m[1])
	}
	swaps := map[string][]string{"left": {"right", "_"}, "right": {"left"}, "_": {"left", "right"}, "!=": {"="},
		"=": {"!=", "<="}, "0": {"1", "2"}, "1": {"0", "2", "3"}, "7": {"3", "5", "6"}, "+": {"-"}, "c": {"0", "1"},
		"from": {"left", "right", "opposite(from)"}, "opposite": {""}, "d": {"from"}}
	pick := func(list []string) string { return list[random.IntN(len(list))] }
	for range 1 + random.IntN(2) {
		if random.IntN(3) == 0 { // an action
			actions := regexp.MustCompile(`(send|recv|skip|enter|leave)[^;|=\n]*; `).FindAllStringIndex(body, -1)
			if len(actions) == 0 {
				continue
			}
			at := actions[random.IntN(len(actions))]
			with := strings.Repeat(body[at[0]:at[1]], 2*random.IntN(2))
			body = body[:at[0]] + with + body[at[1]:]
			continue
		}
		places := regexp.MustCompile(`\w+|!=|=|\+`).FindAllStringIndex(body, -1)
		places = slices.DeleteFunc(places, func(at []int) bool {
			old := body[at[0]:at[1]]
			return swaps[old] == nil && !slices.Contains(names, old)
		})
		at := places[random.IntN(len(places))]
		with := swaps[body[at[0]:at[1]]]
		if with == nil {
			with = names
		}
		body = fmt.Sprint(body[:at[0]], pick(with), body[at[1]:])
	}
	return text[:begin] + body + text[end:]
}
