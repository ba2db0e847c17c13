package prove

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"regexp"
	"strconv"
	"testing"

	"ringcheck"
)

// TestDamagedProof: a certificate in which a number is another one is refused, or is a proof with other patterns.
func TestDamagedProof(t *testing.T) {
	t.Parallel()
	whole, err := json.Marshal(prove(t, test{"chang-roberts", nil}).proof.record())
	if err != nil {
		t.Fatal(err)
	}
	sys, err := ringcheck.Load("chang-roberts", ringcheck.Set{"n": "3"})
	if err != nil {
		t.Fatal(err)
	}
	numbers, r, refused := regexp.MustCompile(`\d+`).FindAllIndex(whole, -1), rand.New(rand.NewPCG(1, 2)), 0
	for range 200 {
		at := numbers[r.IntN(len(numbers))]
		damaged := append([]byte{}, whole[:at[0]]...)
		damaged = append(strconv.AppendInt(damaged, int64(r.IntN(8)-1), 10), whole[at[1]:]...)
		_, err := CheckPatterns(t.Context(), sys, damaged, ringcheck.Options{})
		switch request := (*ringcheck.RequestError)(nil); {
		case errors.As(err, &request):
			refused++
		case err != nil:
			t.Errorf("%s: %v", damaged, err)
		}
	}
	if refused < 50 {
		t.Errorf("%d of 200 damaged proofs are refused", refused)
	}
}

// TestEmptyPattern: a certificate with a pattern without atoms, which would occur in every state, is refused.
func TestEmptyPattern(t *testing.T) {
	t.Parallel()
	r := prove(t, test{"chang-roberts", nil}).proof.record()
	r.Patterns[0].Atoms = nil
	damaged, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	sys, err := ringcheck.Load("chang-roberts", ringcheck.Set{"n": "3"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = CheckPatterns(t.Context(), sys, damaged, ringcheck.Options{})
	if request := (*ringcheck.RequestError)(nil); !errors.As(err, &request) {
		t.Errorf("got %v, want a *ringcheck.RequestError", err)
	}
}
