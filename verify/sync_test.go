package verify

import (
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
)

// TestSynchronousFairness: a step of two processes is fair to both.
func TestSynchronousFairness(t *testing.T) {
	const text = `protocol fair
topology line of 2
channel sync
message M, N
process a = Always
process b = Take
Always = send right M; Always | skip; Always
Take = recv left M; Got
Got = stop
ltl any = eventually b at Got
ltl weak = eventually b at Got under fair
ltl sent = eventually b at Got under fair of M
ltl other = eventually b at Got under fair of N
ltl place = eventually b at Got under fair of Take
`
	// With another first process, the second one can receive again and again, but not all the time.
	const often = `process a = Often
process b = Take
Often = send right M; Often | skip; Rest
Rest = skip; Often
Take = recv left M; Got
Got = stop
ltl any = eventually b at Got
ltl weak = eventually b at Got under fair
ltl strong = eventually b at Got under strongly fair
ltl sent = eventually b at Got under strongly fair of M
`
	for _, test := range []struct {
		text  string
		holds map[string]bool
	}{
		{text, map[string]bool{"any": false, "weak": true, "sent": true, "other": false, "place": true}},
		{"protocol fair\ntopology line of 2\nchannel sync\nmessage M\n" + often,
			map[string]bool{"any": false, "weak": false, "strong": true, "sent": true}},
	} {
		p := spectest.Instantiate(t, test.text, nil)
		r, err := Verifier{System: spectest.Compile(t, p)}.Check(t.Context(), p.Properties, explore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range r.Judgments {
			if got, want := j.Outcome == Holds, test.holds[j.Property.Name]; got != want {
				t.Errorf("%s: %v, want %t", j.Property.Name, j.Outcome, want)
			}
		}
	}
}
