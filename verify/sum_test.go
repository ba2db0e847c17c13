package verify

import (
	"errors"
	"strings"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/model/language/ir"
	"ringcheck/reduce/symmetry"
)

// TestOrderOfSums decides a property whose sum overflows in some orders of its terms only. Terms are added in the order
// of the processes: -5, 5 and the greatest number have a sum. So permutations do not preserve whether there is one.
func TestOrderOfSums(t *testing.T) {
	const src = `protocol summation
topology complete graph of 3
channel fifo
var x: -5..LARGEST
process p = A
A = skip; B(-5) | skip; B(5) | skip; B(LARGEST)
B(keep x) = skip; B(x)
// The terms in one order, and in all orders.
invariant one = 0 at B and 0.x = -5 and 1 at B and 1.x = 5 and 2 at B => (sum p in node: p.x) >= -5
invariant total = (forall p in node: p at B) => (sum p in node: p.x) >= -15
`
	for largest, asymmetric := range map[string]bool{"9223372036854775807": true, "8796093022207": false} {
		p := spectest.Instantiate(t, strings.ReplaceAll(src, "LARGEST", largest), nil)
		sys := spectest.Compile(t, p)
		r, err := Verifier{System: sys}.Check(t.Context(), p.Properties[:1], explore.Options{})
		if err != nil || r.Judgments[0].Outcome != Holds {
			t.Errorf("up to %s: %v, %v", largest, r.Judgments[0].Outcome, err)
		}
		total := p.Properties[1]
		q, err := symmetry.Find(t.Context(), sys, symmetry.Options{})
		if err != nil {
			t.Fatal(err)
		}
		err = Verifier{System: sys, Searched: q}.permits([]*ir.Property{total})
		if errors.Is(err, ErrAsymmetric) != asymmetric {
			t.Errorf("up to %s: %v", largest, err)
		}
	}
}
