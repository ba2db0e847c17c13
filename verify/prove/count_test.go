package prove

import (
	"strings"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/loadtest"
	"ringcheck/internal/test/spectest"
	"ringcheck/internal/test/testlevel"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/reduce"
)

// messageInvariants are about messages in transit.
var messageInvariants = []string{
	"forall p in node: size(inbox(p, left)) = 0",
	"forall p in node: size(inbox(p, left)) <= 1",
	"forall p in node, d in dir: size(inbox(p, d)) < 2",
	"forall p in node: size(inbox(p, left)) + size(inbox(p, right)) <= 1",
	"(sum p in node, d in dir: size(inbox(p, d))) <= 1",
	"(count p in node, m in inbox(p, left): m is M0) <= 1",
	"(count p in node, d in dir, m in inbox(p, d): m is M0 and p at E0) <= 1",
	"(count p in node: p at E0) + (count p in node, m in inbox(p, left): m is M0) <= 1",
	"forall p in node, q in node, m in inbox(q, left): not (m is M0 and p at E0)",
	"forall p in node where size(inbox(p, left)) > 0: not p at E1",
	"forall p in node: 1 <= size(inbox(p, left)) => p at E0",
	"not exists p in node, m in inbox(p, left), o in inbox(p, right): m is M0 and o is M0",
	"forall p in node, m in inbox(p, left), o in inbox(p, left): m is M0 => o is M0",
	"size(inbox(0, left)) = 0",
	"forall m in inbox(0, left): m is M0 and not 0 at E1",
}

// TestMessageInvariants compares the patterns that invariants about messages forbid with the semantics: in each state
// of small rings, one of them occurs if and only if the invariant is violated.
func TestMessageInvariants(t *testing.T) {
	t.Parallel()
	states, violated, translated := 0, 0, make(map[string]bool)
	corpus := spectest.NewCorpus(unsupported...)
	for seed, source := range corpus.Specs(testlevel.Cases(40, 5)(), 3) {
		text := strings.Replace(source, "param n: 2..3", "param n: 2..9", 1)
		for i := range messageInvariants {
			if i%8 != int(seed%8) && !testlevel.Long() {
				continue
			}
			spec, err := loadtest.Parse("random.ring", []byte(text+"\ninvariant claim = "+messageInvariants[i]+"\n"))
			if err != nil {
				continue // it has other messages or equations
			}
			all, bad := compareGoals(t, spec)
			states, violated = states+all, violated+bad
			if all > 0 {
				translated[messageInvariants[i]] = true
			}
		}
	}
	t.Logf("%d invariants in %d states, violated in %d", len(translated), states, violated)
	if len(translated) < len(messageInvariants)/2 || violated == 0 || violated == states {
		t.Errorf("only %d of %d invariants are tested", len(translated), len(messageInvariants))
	}
}

// mostCases bounds the combinations of controls and kinds of message: each pair of them is a path through an invariant.
const mostCases = 60

// compareGoals returns the number of states of rings of 2, 3 and perhaps 4 in which an invariant, which is named claim,
// has been compared with the patterns that it forbids, and of those in which it is violated.
func compareGoals(t *testing.T, spec *reduce.Spec) (states, bad int) {
	task, err := newTask(t.Context(), spec.Declarations, nil, Options{Property: "claim"})
	if err != nil {
		return 0, 0
	}
	x, protocol, err := task.translate(abstraction{counts: true})
	if err != nil || len(x.controls)*len(x.messageKinds) > mostCases {
		return 0, 0
	}
	goals, _, err := task.goalsAndHints(x, protocol)
	if err != nil {
		return 0, 0
	}
	sizes := []string{"2", "3"}
	if testlevel.Gate() {
		sizes = append(sizes, "4")
	}
	for _, n := range sizes {
		protocol, err := task.protocol(map[string]string{"n": n})
		if err != nil {
			t.Fatal(err)
		}
		sys, err := compile.New(t.Context(), protocol, compile.Options{MaxMessages: 64, MaxNat: 1000})
		if err != nil {
			t.Fatal(err)
		}
		property, err := task.property(protocol)
		if err != nil {
			t.Fatal(err)
		}
		w := newAbstractor(x, sys)
		occurring := x.patternFinder(goals, protocol.N)
		wrong := false
		opt := explore.Options{Workers: 1, MaxStates: 100, Match: func(_ int, state []model.Value) bool {
			if wrong {
				return true
			}
			atoms, err := w.atoms(state)
			violated, undefined := w.violates(state, property)
			switch {
			case err != nil:
				t.Error(err)
			case undefined == nil && violated != (occurring(atoms) != ""):
				t.Errorf("violated: %v, but %q occurs in %v\n%s", violated, occurring(atoms), atoms, spec.Text)
			default:
				states++
				if violated {
					bad++
				}
				return false
			}
			wrong = true
			return true
		}}
		_, _ = explore.Run(t.Context(), w.system(), opt) // a random spec may have model errors
	}
	return states, bad
}
