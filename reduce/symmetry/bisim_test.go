package symmetry_test

import (
	"regexp"
	"strings"
	"testing"

	"ringcheck/bisim"
	"ringcheck/bisim/lts"
	"ringcheck/explore"
	"ringcheck/model"
)

// TestBisimilar checks that a system and its quotient are strongly bisimilar if internal actions do not name the
// process.
func TestBisimilar(t *testing.T) {
	for _, tt := range []struct{ spec, settings string }{
		{"franklin", "n=2 k=2"},
		{"franklin", "n=3 k=2"},
		{"franklin", "n=3 k=2 bits=false channel=fifo"},
		{"franklin", "n=3 k=2 announce=true order=left"},
		{"dkr", "n=3 k=2"},
		{"itai-rodeh", "n=4 k=2"},
		{"chang-roberts", "n=4"},
		{"hirschberg-sinclair", "n=2"},
	} {
		t.Run(tt.spec+","+strings.ReplaceAll(tt.settings, " ", ","), func(t *testing.T) {
			sys := open(t, tt.spec, tt.settings)
			skipLarge(t, sys)
			q := rotation(t, sys)
			full, orbits := anonymousLTS(t, sys), anonymousLTS(t, q)
			if orbits.States() >= full.States() {
				t.Errorf("%d states, %d orbits", full.States(), orbits.States())
			}
			c, err := bisim.Compare(t.Context(), full, orbits, bisim.Strong, bisim.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if !c.Equivalent {
				why, _ := c.Explain(t.Context(), true)
				t.Errorf("the quotient is not bisimilar: %v", why.Formula)
			}
		})
	}
}

// actor is the number of the process in the text of an internal action.
var actor = regexp.MustCompile(`\(\d+`)

// anonymousLTS generates sys, with a state before the initial ones.
func anonymousLTS(t *testing.T, sys model.System) *lts.LTS {
	t.Helper()
	b := lts.NewBuilder()
	states := 1
	_, err := explore.Walk(t.Context(), sys, explore.Options{}, explore.Visitor{
		State: func(id uint64, level int, _ []model.Value) error {
			states++
			if level == 0 {
				b.Add(0, lts.Edge{Label: b.Label("begin"), To: uint32(id) + 1})
			}
			return nil
		},
		Transitions: func(from uint64, all []explore.Transition) error {
			for _, t := range all {
				info := sys.Label(t.Label)
				text := info.Text
				if !info.Visible {
					text = actor.ReplaceAllString(text, "(")
				}
				b.Add(uint32(from)+1, lts.Edge{Label: b.Label(text), To: uint32(t.To) + 1})
			}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	l, err := b.Build(t.Context(), 0, states)
	if err != nil {
		t.Fatal(err)
	}
	return l
}
