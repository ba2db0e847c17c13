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
