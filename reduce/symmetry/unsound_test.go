package symmetry_test

import (
	"errors"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/internal/test/systemtest"
	"ringcheck/reduce/symmetry"
)

// unsoundHead begins a protocol whose processes differ by their numbers only, unless what follows uses these.
const unsoundHead = `protocol unsound
topology complete graph of 3
channel unordered
var me, q, least: node
var x: 0..9
var s: set of node
register r: 0..9 = 0
message M(x: 0..9), W(q: node)
process p = A(p)
B(me) = recv q M(x); r := x; stop
`

// TestUnsoundUses checks the uses of process numbers that make symmetry reduction unsound where a model checker
// believes a declaration of symmetry: symmetric sets whose elements are ordered, enter data by arithmetic, are visited
// in order or chosen by CHOOSE. Each is refused, or the counts are those of the full system.
func TestUnsoundUses(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		refused    bool
	}{
		{"the number is data", "A(me) = choose q in neighbours(me); send q M(me); B(me)", true},
		{"the number is data, by arithmetic", "A(me) = choose q in neighbours(me); send q M(2 * me); B(me)", true},
		{"the parity of the number", "A(me) = choose q in neighbours(me); send q M(me mod 2); B(me)", true},
		{"an order", "A(me) = choose q in neighbours(me); send q M(if q < me then 1 else 0); B(me)", true},
		{"the least of a set", "A(me) = let least = min(neighbours(me)); send least W(me); stop", true},
		{"a loop in order", "A(me) = for q in neighbours(me): send q M(1); B(me)", true},
		{"the next number", "A(me) = let q = (me + 1) mod 2; send q M(1); B(me)", true},
		{"a distance as data", "A(me) = choose q in neighbours(me); send q M(q - me); B(me)", true},
		{"the parity of a distance", "A(me) = choose q in neighbours(me); send q M((q - me) mod 2); B(me)", true},
		{"the next process", "A(me) = let q = (me + 1) mod 3; send q M(1); B(me)", false},
		{"a distance", "A(me) = choose q in neighbours(me); send q M((q - me) mod 3); B(me)", false},
		{"a set by name", "A(me) = choose q in neighbours(me); send q M(if me in {0,1} then 1 else 0); B(me)", false},
		{"one process by name", "A(me) = choose q in neighbours(me); send q M(if me = 2 then 1 else 0); B(me)", false},
		{"any of a set", "A(me) = choose q in neighbours(me); send q W(me); recv q W(me); stop", false},
		{"a number of processes", "A(me) = choose q in neighbours(me); send q M(size({me,q})); B(me)", false},
		{"an equal number", "A(me) = choose q in neighbours(me); send q W(q); recv q W(me); stop", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sys := compiled(t, unsoundHead+tt.text+"\n", nil)
			q, err := symmetry.Permutation(t.Context(), sys)
			if refused := errors.Is(err, symmetry.ErrAsymmetric); refused != tt.refused || err != nil && !refused {
				t.Fatalf("error %v", err)
			}
			if err != nil {
				return
			}
			full, orbits := systemtest.Run(t, sys, explore.Options{}), systemtest.Run(t, q, explore.Options{})
			if orbits.Stored >= full.Stored || orbits.States != full.States ||
				orbits.Transitions != full.Transitions || orbits.TerminalStates != full.TerminalStates {
				t.Errorf("by orbits %v, want %v", orbits, full)
			}
		})
	}
}

// TestArraysOverProcesses checks that arrays by process and of processes are permuted with the processes.
func TestArraysOverProcesses(t *testing.T) {
	sys := spectest.Compile(t, spectest.Open(t, "../../examples/suzuki-kasami.ring", "n=3"))
	q, err := symmetry.Permutation(t.Context(), sys)
	if err != nil {
		t.Fatal(err)
	}
	full, orbits := systemtest.Run(t, sys, explore.Options{}), systemtest.Run(t, q, explore.Options{})
	if q.Order() != 6 || orbits.States != full.States || orbits.Transitions != full.Transitions {
		t.Errorf("%d permutations, %d states, %d transitions, want 6, %d, %d", q.Order(), orbits.States,
			orbits.Transitions, full.States, full.Transitions)
	}
}
