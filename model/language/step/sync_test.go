package step_test

import (
	"slices"
	"testing"

	"ringcheck/internal/test/spectest"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// labelled has the labels of the transitions of the initial state of a spec, with their choices and probabilities.
func labelled(t *testing.T, text string) (all []string) {
	t.Helper()
	m := step.New(spectest.Instantiate(t, text, nil), step.Options{})
	_ = m.Initial(func(s *step.State) bool {
		alternatives, err := m.Steps(step.Site{Process: 0, View: seen{s}})
		if err != nil {
			t.Fatal(err)
		}
		for i, d := range alternatives {
			for _, o := range d {
				text := string(rune('A'+i)) + " " + m.Label(o.Action, 0).Text + " " + o.Probability.RatString()
				if o.ReceiverNext.Point != nil {
					text += " " + o.ReceiverNext.Point.Equation.Name
				}
				for _, w := range o.Writes {
					text += " " + w.Var.Name + "=" + w.Var.Type.Format(w.Value)
				}
				all = append(all, text)
			}
		}
		return false
	})
	return all
}

// seen shows a state to processes.
type seen struct{ *step.State }

// Seen implements ir.View.
func (s seen) Seen(p int) ir.Local { return s.Processes[p] }

// TestSteps compares sends over synchronous channels with what docs/language.md says of them, worked out by hand.
func TestSteps(t *testing.T) {
	const draw = "draw x in {1: 1/3, 2: 2/3}; let s = 1; send right M(x); End"
	for _, test := range []struct {
		name, send, take string
		want             []string
	}{
		{"nobody receives", "send right M(1); End", "stop", nil},
		{"another message is received", "send right M(1); End", "recv left M(2); One", nil},
		{"one way", "send right M(1); End", "recv left M(1); One", []string{"A sync(0→1 (right),M(1)) 1 One"}},
		{"two ways", "send right M(1); End", "recv left M(_); One | recv left M(1); Two",
			[]string{"A sync(0→1 (right),M(1)) 1 One", "B sync(0→1 (right),M(1)) 1 Two"}},
		{"equal ways", "send right M(1); End | send right M(1); End", "recv left M(_); One | recv left M(1); One",
			[]string{"A sync(0→1 (right),M(1)) 1 One"}},
		{"a draw of which one message is not received", draw, "recv left M(1); One", nil},
		{"a draw", draw, "recv left M(1); One | recv left M(2); Two", []string{
			"A sync(0→1 (right),M(1)) 1/3 One s=1", "A sync(0→1 (right),M(2)) 2/3 Two s=1"}},
		{"a draw, one of whose messages is received in two ways", draw, "recv left M(_); One | recv left M(2); Two",
			[]string{
				"A sync(0→1 (right),M(1)) 1/3 One s=1", "A sync(0→1 (right),M(2)) 2/3 One s=1",
				"B sync(0→1 (right),M(1)) 1/3 One s=1", "B sync(0→1 (right),M(2)) 2/3 Two s=1"}},
		{"the receiver reads what the sender sets", "let s = 1; send right M(1); End",
			"recv left M(_) where s = 1 then s := s + 1; One", []string{"A sync(0→1 (right),M(1)) 1 One s=2"}},
		{"the receiver takes back what the sender sets", "let s = 1; send right M(1); End",
			"recv left M(_) then s := 0; One", []string{"A sync(0→1 (right),M(1)) 1 One"}},
		{"what is sent to somebody who waits does not hinder the rest", "send right M(1); End | e; End", "stop",
			[]string{"A e 1"}},
	} {
		text := "protocol meeting\ntopology line of 2\nchannel sync\nshared s: 0..9 = 0\nvar x: 1..2\n" +
			"message M(x: 1..2)\nevent e\nprocess a = Send\nprocess b = Take\nSend = " + test.send +
			"\nTake = " + test.take + "\nEnd = stop\nOne = stop\nTwo = stop\n"
		if got := labelled(t, text); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
