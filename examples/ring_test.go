// Package examples holds specs of well-known protocols, and programs that use the checker as a library.
package examples

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/spectest"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
	"ringcheck/verify"
)

// A machine is a protocol once more, written down by hand without looking at the specs or the language: what it begins
// with, and what can happen in a state, by what it is called. What is called the same and leads to the same state is one.
type machine[S comparable] struct {
	initial []S
	next    func(s S, to func(label string, target S))
}

// A count is how many states, transitions and terminal states there are.
type count struct{ states, transitions, terminal int }

func (c count) String() string {
	return fmt.Sprintf("%d states, %d transitions, %d terminal", c.states, c.transitions, c.terminal)
}

// count searches in the dumbest possible way.
func (m machine[S]) count() count {
	type edge struct {
		label  string
		target S
	}
	known := map[S]bool{}
	todo := slices.Clone(m.initial)
	var c count
	for len(todo) > 0 {
		s := todo[0]
		todo = todo[1:]
		if known[s] {
			continue
		}
		known[s] = true
		edges := map[edge]bool{}
		m.next(s, func(label string, target S) { edges[edge{label, target}] = true })
		c.transitions += len(edges)
		if len(edges) == 0 {
			c.terminal++
		}
		for e := range maps.Keys(edges) {
			todo = append(todo, e.target)
		}
	}
	c.states = len(known)
	return c
}

// counted is a machine of any kind.
type counted interface{ count() count }

func instance(t *testing.T, name, settings string) *ir.Protocol {
	t.Helper()
	src, err := os.ReadFile(name + ".ring")
	if err != nil {
		t.Fatal(err)
	}
	p := spectest.Instantiate(t, string(src), spectest.Settings(settings))
	if err := ir.Check(p); err != nil {
		t.Fatal(err)
	}
	return p
}

// searched counts a spec as the checker does.
func searched(t *testing.T, name, settings string) count {
	t.Helper()
	sys, err := compile.New(t.Context(), instance(t, name, settings), compile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := explore.Run(t.Context(), sys, explore.Options{})
	if err != nil || !r.Complete() {
		t.Fatalf("%s %s: %v, fault %v, error %v", name, settings, r.Stop, r.Fault, err)
	}
	return count{int(r.States), int(r.Transitions), int(r.Deadlocks)}
}

// TestCounts compares the specs with machines that were written by hand.
func TestCounts(t *testing.T) {
	for _, tt := range []struct {
		spec, settings string
		machine        counted
	}{
		{"dijkstra", "n=3 k=2", dijkstra(3, 2)},
		{"dijkstra", "n=4 k=3", dijkstra(4, 3)},
	} {
		t.Run(tt.spec+" "+tt.settings, func(t *testing.T) {
			if got, want := searched(t, tt.spec, tt.settings), tt.machine.count(); got != want {
				t.Errorf("%v, by hand %v", got, want)
			}
		})
	}
}

// TestUntabulated compares the counts of specs with those of a search that uses neither tables nor the tree, and decides
// their properties.
func TestUntabulated(t *testing.T) {
	for _, tt := range []struct{ spec, settings string }{
		{"alternating-bit", ""},
		{"alternating-bit", "losses=2 duplicates=0"},
		{"echo", "w=2 h=2"},
		{"echo", "w=3 h=2"},
		{"two-phase-commit", ""},
		{"two-phase-commit", "crashes=0 n=4"},
		{"ricart-agrawala", "rounds=2"},
		{"ricart-agrawala", "n=3"},
		{"randomized-second", ""},
		{"randomized-second", "c=3"},
		{"randomized-second", "start=free"},
	} {
		t.Run(tt.spec+" "+tt.settings, func(t *testing.T) {
			m := step.New(instance(t, tt.spec, tt.settings), step.Options{})
			g, err := spectest.Explore(m, 100_000)
			if err != nil {
				t.Fatal(err)
			}
			want := count{len(g.States), g.Transitions, g.Deadlocks}
			if got := searched(t, tt.spec, tt.settings); got != want {
				t.Errorf("%v, without tables %v", got, want)
			}
			holds(t, tt.spec, tt.settings)
		})
	}
}

// holds decides all properties of a spec that are about states.
func holds(t *testing.T, name, settings string) {
	t.Helper()
	p := instance(t, name, settings)
	sys, err := compile.New(t.Context(), p, compile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := verify.Check(t.Context(), sys, p.Properties, explore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range r.Verdicts {
		if v.Outcome != verify.Holds {
			t.Errorf("%s: %v", v.Property.Name, v.Outcome)
		}
	}
}

// TestRandomizedSecond: under the readings of the paper that docs/randomized.md lists, Theorems 8 and 10 hold or fail.
func TestRandomizedSecond(t *testing.T) {
	for _, tt := range []struct{ settings, violated string }{
		{"", ""},
		{"m=2", ""},
		{"m=3 sets=shifted", ""},
		{"c=3", ""},
		{"start=free", ""},
		{"c=3 m=2 sets=shifted", "one elected"},
		{"m=2 race=true", "soon elected"},
	} {
		sys, err := compile.New(t.Context(), instance(t, "randomized-second", tt.settings), compile.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := verify.Check(t.Context(), sys, sys.Protocol().Properties, explore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var violated []string
		for _, v := range r.Verdicts {
			if v.Outcome == verify.Violated {
				violated = append(violated, v.Property.Name)
			}
		}
		if got := strings.Join(violated, " "); got != tt.violated {
			t.Errorf("%s: violated: %s; want %s", tt.settings, got, tt.violated)
		}
	}
}

// TestAllAreCounted: there is no spec that nobody looks at.
func TestAllAreCounted(t *testing.T) {
	test, err := os.ReadFile("ring_test.go")
	if err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob("*.ring")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if name := strings.TrimSuffix(path, ".ring"); !strings.Contains(string(test), `"`+name+`"`) {
			t.Errorf("%s is in no test", path)
		}
	}
}

// dijkstra is the ring with k values of a register.
func dijkstra(n, k int) counted {
	type ring [8]int
	m := machine[ring]{initial: []ring{{}}}
	for p := range n {
		for _, s := range slices.Clone(m.initial) {
			for x := 1; x < k; x++ {
				s[p] = x
				m.initial = append(m.initial, s)
			}
		}
	}
	m.next = func(s ring, to func(string, ring)) {
		for p := range n {
			left := s[(p+n-1)%n]
			label := fmt.Sprint(p)
			switch {
			case p == 0 && s[p] == left:
				s := s
				s[p] = (s[p] + 1) % k
				to(label, s)
			case p > 0 && s[p] != left:
				s := s
				s[p] = left
				to(label, s)
			}
		}
	}
	return m
}
