package verify

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/model"
	"ringcheck/model/language/ir"
)

// randomBody returns a random formula about processes of walkers, a part of which is undefined in some states.
func randomBody(r *rand.Rand, depth int, processes ...string) string {
	if depth == 0 {
		return "(" + fmt.Sprintf([]string{
			"%s at Walk", "not (%s at Begin)", "%s.goal > 0", "4 div %s.id > 1", "size(inbox(%s, left)) = 1",
			"1 div size(inbox(%s, left)) = 1",
			"(count m in inbox(%s, left): m.id > 0) + (count m in inbox(0, left): m.goal = 2) = 1",
		}[r.IntN(7)], processes[r.IntN(len(processes))]) + ")"
	}
	sub := func(more ...string) string {
		return randomBody(r, depth-1, append(processes[:len(processes):len(processes)], more...)...)
	}
	p := fmt.Sprint("p", depth)
	switch r.IntN(7) {
	case 0:
		return "(if " + sub() + " then " + sub() + " else " + sub() + ")"
	case 1:
		return "((forall " + p + " in node: " + sub(p) + ") and " + sub() + ")"
	case 2:
		return "((exists " + p + " in node: " + sub(p) + ") = " + sub() + ")"
	}
	return "(" + sub() + []string{" and ", " or ", " => "}[r.IntN(3)] + sub() + ")"
}

// TestTell checks that the classes of states, whose parts are joined in any order, have the outcomes of the formulas
// evaluated in the states, errors included.
func TestTell(t *testing.T) {
	total := many(4)
	errors, values := 0, map[int64]int{}
	for seed := range uint64(total) {
		r := rand.New(rand.NewPCG(seed, 12))
		src := walkers
		for i := range 3 {
			src += fmt.Sprintf("invariant i%d = forall p in node: %s\n", i, randomBody(r, 1+r.IntN(3), "0", "1", "2",
				"p"))
		}
		p := spectest.Instantiate(t, src, nil)
		sys := spectest.Compile(t, p)
		var bodies []ir.Expr
		for _, q := range p.Properties {
			bodies = append(bodies, q.Body)
		}
		o := newObserver(t.Context(), Verifier{System: sys}, bodies, nil, nil)
		divide := newDivision(r, o, len(sys.Slots()))
		view := sys.NewView()
		env := p.NewEnv(view)
		look := func(_ int, state []model.Value) bool {
			got := o.outcomes(divide.class(state))
			view.Show(state)
			for i, b := range bodies {
				v, err := b.Eval(env)
				if err == nil && got[i].value != v || fmt.Sprint(got[i].err) != fmt.Sprint(err) {
					t.Fatalf("seed %d: in %v %s is %d, %v, want %d, %v\n%s", seed, state, p.Properties[i].Name,
						got[i].value, got[i].err, v, err, src[strings.Index(src, "invariant"):])
				}
				if err != nil {
					errors++
				} else {
					values[v]++
				}
			}
			return false
		}
		if _, err := explore.Run(t.Context(), sys, explore.Options{Workers: 1, MaxStates: 2000,
			Match: look}); err != nil {
			t.Fatal(err)
		}
	}
	if least := 20 * total; errors < least || values[0] < least || values[1] < least {
		t.Errorf("too few cases: %d errors, values %v", errors, values)
	}
}

// A division divides the slots of a system into parts at random.
type division struct {
	left, right *division
	slot        int
	leaf        func(v model.Value) uint32
	join        func(left, right uint32) uint32
}

func newDivision(r *rand.Rand, o *observer, slots int) *division {
	var divide func(first, end int) *division
	divide = func(first, end int) *division {
		if end-first == 1 {
			return &division{slot: first, leaf: o.Leaf(first)}
		}
		mid := first + 1 + r.IntN(end-first-1)
		return &division{left: divide(first, mid), right: divide(mid, end), join: o.Join(first, mid, end)}
	}
	return divide(0, slots)
}

func (d *division) class(state []model.Value) uint32 {
	if d.leaf != nil {
		return d.leaf(state[d.slot])
	}
	return d.join(d.left.class(state), d.right.class(state))
}
