package symmetry_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"ringcheck/bisim"
	"ringcheck/bisim/lts"
	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/internal/test/systemtest"
	"ringcheck/model"
	"ringcheck/reduce/symmetry"
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

// TestPermutationsBisimilar checks that random specs are strongly bisimilar to their quotients by permutations, if the
// labels leave out the numbers of processes.
func TestPermutationsBisimilar(t *testing.T) {
	compared, smaller := 0, 0
	for seed := range permutableSpecs() / 3 {
		source := spectest.Permutable(seed, 4)
		if seed%3 == 2 {
			source = spectest.Directed(seed, 4)
		}
		sys := compiled(t, source, nil)
		q, err := symmetry.Permutation(t.Context(), sys)
		if errors.Is(err, symmetry.ErrAsymmetric) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if r := systemtest.Run(t, sys, explore.Options{MaxStates: 3_000}); !r.Complete() {
			continue
		}
		name := func(info model.LabelInfo) string {
			if !info.Visible {
				return lts.TauName
			}
			return arguments.ReplaceAllString(info.Text, "")
		}
		full, orbits := labelledLTS(t, sys, name), labelledLTS(t, q, name)
		c, err := bisim.Compare(t.Context(), full, orbits, bisim.Strong, bisim.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !c.Equivalent {
			why, _ := c.Explain(t.Context(), true)
			t.Fatalf("seed %d: the quotient is not bisimilar: %v\n%s", seed, why.Formula, source)
		}
		if compared++; orbits.States() < full.States() {
			smaller++
		}
	}
	if total := int(permutableSpecs() / 3); compared < total/4 || smaller < total/5 {
		t.Errorf("only %d of %d compared, %d with fewer orbits than states", compared, total, smaller)
	}
}

// arguments are the values in the text of an event.
var arguments = regexp.MustCompile(`\(.*`)

// actor is the number of the process in the text of an internal action.
var actor = regexp.MustCompile(`\(\d+`)

// anonymousLTS generates sys, with a state before the initial ones.
func anonymousLTS(t *testing.T, sys model.System) *lts.LTS {
	t.Helper()
	return labelledLTS(t, sys, func(info model.LabelInfo) string {
		if info.Visible {
			return info.Text
		}
		return actor.ReplaceAllString(info.Text, "(")
	})
}

// labelledLTS generates sys with names for its labels, with a state before the initial ones.
func labelledLTS(t *testing.T, sys model.System, name func(model.LabelInfo) string) *lts.LTS {
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
				b.Add(uint32(from)+1, lts.Edge{Label: b.Label(name(sys.Label(t.Label))), To: uint32(t.To) + 1})
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
