package drafts_test

import (
	"encoding/json"
	"strings"
	"testing"

	"ringcheck/cmd/internal/drafts"
	"ringcheck/view/explorer"
)

const spec = `protocol coin
param n: 2..3 = 2
topology directed ring of n
channel unordered
var x: 0..1
event heads
event tails
process p = draw x; if x = 0 then heads; stop else tails; stop
invariant bounded = n <= 3
reachable never = n > 3
probability rare = P(heads happens) >= 9/10
`

// TestCounterexample asks for runs where no single run shows what is violated, or nothing is.
func TestCounterexample(t *testing.T) {
	session := explorer.NewSession(nil)
	session.Add((&drafts.Editor{Session: session}).Actions())
	for _, test := range []struct{ without, property, want string }{
		{"", "bounded", "bounded holds."},
		{"", "never", "never is violated: no reachable state satisfies it"},
		{"reachable never = n > 3\n", "", "rare is violated, but not by a single run; check shows the value"},
		{"probability rare = P(heads happens) >= 9/10\n", "", "never is violated: no reachable state satisfies it"},
	} {
		text := strings.Replace(spec, test.without, "", 1)
		request, _ := json.Marshal(map[string]any{"text": text, "property": test.property})
		data, err := session.Answer(t.Context(), "counterexample", request)
		if err != nil {
			t.Errorf("%s: %v", test.property, err)
			continue
		}
		var answer struct {
			Finding string
			Run     json.RawMessage
		}
		if err := json.Unmarshal(data, &answer); err != nil || answer.Finding != test.want || answer.Run != nil {
			t.Errorf("%s: %s, want %q and no run", test.property, data, test.want)
		}
	}
}

// TestRequestsNameTheirDraft asks about a system after another window has opened another one.
func TestRequestsNameTheirDraft(t *testing.T) {
	session := explorer.NewSession(nil)
	editor := &drafts.Editor{Session: session}
	session.Add(editor.Actions())
	session.Find = editor.Find
	ask := func(action string, question any) string {
		t.Helper()
		request, _ := json.Marshal(question)
		answer, err := session.Answer(t.Context(), action, request)
		if err != nil {
			return err.Error()
		}
		return string(answer)
	}
	two := map[string]any{"text": spec, "settings": map[string]any{"n": "2"}}
	three := map[string]any{"text": spec, "settings": map[string]any{"n": "3"}}
	ask("open", two)
	ask("open", three)
	if got := ask("search", map[string]any{"draft": two}); !strings.Contains(got, `"states":9,`) {
		t.Errorf("the system of two processes has %s", got)
	}
	if got := ask("search", map[string]any{}); !strings.Contains(got, `"states":27,`) {
		t.Errorf("the system opened last has %s", got)
	}
	wrong := map[string]any{"text": "protocol"}
	if got := ask("search", map[string]any{"draft": wrong}); !strings.Contains(got, "spec.ring:1:") {
		t.Errorf("a wrong text: %s", got)
	}
}
