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
