package compile_test

import (
	"fmt"
	"slices"
	"testing"

	"ringcheck/internal/test/spectest"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/step"
)

// TestInitial compares the initial states with those of the semantics, in their order, also where a table of local
// states is full.
func TestInitial(t *testing.T) {
	tests := map[string]string{
		"own values": `param n: 3..3 = 3
topology directed ring of n
register x: -1..2
assign w: bool
process p = if x = 2 then A(w[p]) else stop
var a: bool
A(a) = stop`,
		"values of others, in an order that depends on values": `param n: 3..3 = 3
topology directed ring of n
assign id: permutation of 1..3
assign b: bool
process p = if b[0] and id[(p + 1) mod n] > id[p] then A(id[(p + n - 1) mod n]) else if id[p] = 2 then A(id[p]) else stop
var i: 1..3
A(i) = stop`,
		"messages": `param n: 2..2 = 2
topology directed ring of n
channel fifo
message M(i: 1..2)
assign id: permutation of 1..2
register x: 0..2
initially M(id[p]), M(id[(p + 1) mod n]) in inbox(p, left) for p in node
process p = if id[p] = 1 then stop else A
A = recv left M(_); stop`,
		"a condition": `param n: 3..3 = 3
topology directed ring of n
channel fifo
message M(i: 0..2)
register x: 0..2
assign id: permutation of 1..3
initially M(id[p] - 1) in inbox(p, left) for p in node where p > 0
initially (exists p in node: p.x = 2) and 0.x != 1
initially forall m in inbox(1, left): m.i < 2
process p = if id[p] = 1 then stop else A
A = recv left M(_); stop`,
		"a condition that never holds": `param n: 2..2 = 2
topology directed ring of n
register x: 0..2
initially 0.x + 1.x > 4
process p = stop`,
		"a wide range": `param n: 1..1 = 1
topology directed ring of n
register x: 0..200000
process p = A
A = stop`,
		"more combinations than a table has nodes": `param n: 8..8 = 8
topology directed ring of n
assign id: permutation of 1..8
process p = if forall q in node: id[q] > 0 and (q < 7 => id[q] < id[q + 1]) or id[q] < 9 then A(id[7 - p]) else stop
var i: 1..8
A(i) = stop`,
	}
	for name, src := range tests {
		t.Run(name, func(t *testing.T) { compareInitial(t, "protocol initial\n"+src+"\n") })
	}
	corpus := spectest.NewCorpus()
	products := 0 // specs with several initial states that are a product
	for _, src := range corpus.Specs(randomSpecs(), 5) {
		if compareInitial(t, src) > 1 {
			products++
		}
	}
	if products == 0 {
		t.Error("no random spec has initial states that are a product")
	}
}

// TestInitialCondition compares the initial states of a spec with a condition with those of the spec without it in
// which an invariant with the same expression holds. The assigned values that it reads are part of the state in both.
func TestInitialCondition(t *testing.T) {
	const src = `protocol initial
param n: 2..3 = 3
topology undirected ring of n
channel fifo
message M(b: bool)
register x: 0..2
register s: set of 0..1
assign id: permutation of 1..n
var y: 0..2
initially M(id[p] = 1) in inbox(p, left) for p in node
define ready(p) = p at A and p.x > 0
process p = if x = 1 then skip; stop else if x = 2 then A(id[p] - 1) else stop
A(y) = if y = 0 then stop else recv left M(_); stop
`
	for _, condition := range []string{
		"exists p in node: p.x = 1", "(count p in node: 0 in p.s) = 1", "ready(0)", "not ready(1) or not (1 in 0.s)",
		"forall p in node, m in inbox(p, left) where m.b: p.x > 0", "exists p in node: id[p] = 1 and p.x = 2",
		"exists p in node: p.y = 1", "size(inbox(0, left)) = 2",
	} {
		with := spectest.Instantiate(t, src+"initially "+condition+"\ninvariant i = "+condition+"\n", nil)
		without := spectest.Instantiate(t, src+"invariant i = "+condition+"\n", nil)
		var got, want []string
		gotErr := step.New(with, compile.Options{}).Initial(func(s *step.State) bool {
			got = append(got, s.Key())
			return true
		})
		all := 0
		err := step.New(without, compile.Options{}).Initial(func(s *step.State) bool {
			all++
			if v, err := without.Properties[0].Body.Eval(without.NewEnv(s)); err != nil {
				t.Fatal(err)
			} else if v != 0 {
				want = append(want, s.Key())
			}
			return true
		})
		if err != nil || !slices.Equal(got, want) || (gotErr != nil) != (len(want) == 0) || len(want) == all {
			t.Errorf("%s: %d initial states of %d, want %d; errors %v, %v", condition, len(got), all, len(want), gotErr,
				err)
		}
	}
}

// compareInitial compares the initial states of an instance with those of the semantics. It returns their number if
// they are known to be a product, else 0.
func compareInitial(t *testing.T, src string) int {
	t.Helper()
	p := spectest.Instantiate(t, src, nil)
	reference := step.New(p, compile.Options{})
	sys := spectest.Compile(t, p)
	var want [][]uint32
	werr := reference.Initial(func(s *step.State) bool {
		want = append(want, sys.Encode(nil, s))
		return true
	})
	n := 0
	err := sys.Initial(func(state []uint32) bool {
		if n < len(want) && !slices.Equal(state, want[n]) {
			t.Fatalf("initial state %d is %s, want %s\n%s", n, format(sys, state), format(sys, want[n]), src)
		}
		n++
		clear(state) // must not change the following states
		return true
	})
	if n != len(want) || !sameError(werr, err) {
		t.Errorf("%d initial states, error %v; want %d, error %v\n%s", n, err, len(want), werr, src)
	}
	values := sys.InitialValues()
	if values == nil {
		return 0
	}
	if err != nil {
		t.Errorf("initial values, but error %v\n%s", err, src)
	}
	different := make(map[string]bool)
	for _, state := range want {
		different[fmt.Sprint(state)] = true
		for slot, v := range state {
			if _, ok := slices.BinarySearch(values[slot], v); !ok {
				t.Fatalf("slot %d never holds %d in %v\n%s", slot, v, values, src)
			}
		}
	}
	product := 1
	for _, all := range values {
		product *= len(all)
	}
	if product != len(different) {
		t.Errorf("%d different initial states are the product %v\n%s", len(different), values, src)
	}
	return product
}
