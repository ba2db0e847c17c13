package prove

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"regexp"
	"ringcheck/internal/test/loadtest"
	"ringcheck/model"
	"ringcheck/reduce"
	"slices"
	"strconv"
	"testing"
)

// TestDamagedProof: a certificate in which a number is another one is refused, or is a proof with other patterns.
func TestDamagedProof(t *testing.T) {
	t.Parallel()
	whole, err := json.Marshal(prove(t, test{"chang-roberts", nil}).proof.record())
	if err != nil {
		t.Fatal(err)
	}
	sys, err := loadtest.Load("chang-roberts", reduce.Set{"n": "3"})
	if err != nil {
		t.Fatal(err)
	}
	numbers, r, refused := regexp.MustCompile(`\d+`).FindAllIndex(whole, -1), rand.New(rand.NewPCG(1, 2)), 0
	for range 200 {
		at := numbers[r.IntN(len(numbers))]
		damaged := append([]byte{}, whole[:at[0]]...)
		damaged = append(strconv.AppendInt(damaged, int64(r.IntN(8)-1), 10), whole[at[1]:]...)
		_, err := CheckPatterns(t.Context(), sys, damaged, reduce.Search{})
		switch request := (*model.RequestError)(nil); {
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

// TestEmptyPattern: a certificate with a pattern without atoms, which would occur in every state, or of too few rings
// is refused. One of a spec that was in another folder is not.
func TestEmptyPattern(t *testing.T) {
	t.Parallel()
	r := prove(t, test{"chang-roberts", nil}).proof.record()
	r.Rules = slices.Clone(r.Rules)
	r.Rules[0].At.File = "elsewhere/chang-roberts.ring"
	moved, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	r.Rings[1]--
	fewer, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	r.Rings[1]++
	r.Patterns[0].Atoms = nil
	empty, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	sys, err := loadtest.Load("chang-roberts", reduce.Set{"n": "3"})
	if err != nil {
		t.Fatal(err)
	}
	for _, damaged := range [][]byte{fewer, empty} {
		_, err = CheckPatterns(t.Context(), sys, damaged, reduce.Search{})
		if request := (*model.RequestError)(nil); !errors.As(err, &request) {
			t.Errorf("got %v, want a *model.RequestError", err)
		}
	}
	if _, err = CheckPatterns(t.Context(), sys, moved, reduce.Search{}); err != nil {
		t.Errorf("in another folder: %v", err)
	}
	c, err := CheckPatterns(t.Context(), sys, moved, reduce.Search{Memory: 1000})
	if err != nil || c.Stopped != "memory" {
		t.Errorf("with 1,000 bytes: got %+v, %v, want that memory ended it", c, err)
	}
}

// TestNegatedAtom: a process that is not at a control point has no variable there, so that the variable holds nothing.
func TestNegatedAtom(t *testing.T) {
	t.Parallel()
	sys, err := loadtest.Load("../../examples/le-lann.ring", reduce.Set{"n": "2"})
	if err != nil {
		t.Fatal(err)
	}
	task, err := newTask(t.Context(), sys.Spec.Declarations, nil, Options{Property: "least"})
	if err != nil {
		t.Fatal(err)
	}
	x, _, err := task.translate(false)
	if err != nil {
		t.Fatal(err)
	}
	list := slices.IndexFunc(x.holders, func(h holder) bool { return h.Set })
	lacks := newAtom(x.relation(holds, list), 0, 0).not()
	p := &proof{translation: x, property: "least", most: x.rings(), patterns: []pattern{{[]atom{lacks}, 1}}}
	data, err := json.Marshal(p.record())
	if err != nil {
		t.Fatal(err)
	}
	c, err := CheckPatterns(t.Context(), sys, data, reduce.Search{})
	if err != nil || c.Holds == nil || *c.Holds {
		t.Errorf("got %+v, %v, want that the pattern occurs", c, err)
	}
}
