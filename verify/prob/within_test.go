package prob

import "testing"

// TestWithinNearlyOne: a probability that cannot be told from 1 is exactly 1 only where it is.
func TestWithinNearlyOne(t *testing.T) {
	const last = 60
	half := NewWeight(1, 2)
	for _, forever := range []bool{false, true} {
		b := NewBuilder() // state s reaches the goal with probability 1/2 or goes on, the last one surely or as often
		for s := range uint32(last) {
			b.Choice(Branch{To: last + 1, Weight: half}, Branch{To: s + 1, Weight: half})
			b.End()
		}
		if forever {
			b.Choice(Branch{To: last + 1, Weight: half}, Branch{To: last - 1, Weight: half})
		} else {
			b.Choice(Branch{To: last + 1, Weight: Certain})
		}
		b.End()
		b.End()
		m, err := b.MDP(0)
		if err != nil {
			t.Fatal(err)
		}
		goal := NewSet(m.States())
		goal.Add(last + 1)
		p, err := Prepare(t.Context(), m, Goal{States: goal})
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range []Scheduler{Uniform, Min, Max} {
			curve, err := p.Within(t.Context(), k, 5*last)
			if err != nil || len(curve) != 5*last+1 {
				t.Fatalf("%v: %d points, %v", k, len(curve), err)
			}
			for steps, i := range curve {
				if certain := !forever && steps > last; certain != (i.Low == 1) || steps > last && i.High != 1 {
					t.Errorf("%v, forever %v: within %d steps %v", k, forever, steps, i)
				}
			}
		}
	}
}
