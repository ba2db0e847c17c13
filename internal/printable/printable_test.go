package printable_test

import (
	"encoding/json"
	"testing"

	"ringcheck/internal/printable"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"":                         "",
		"recv(0,left,M(1,2))":      "recv(0,left,M(1,2))",
		`back\slash "quote" 'x'`:   `back\slash "quote" 'x'`,
		"größer → τ 漢字":            "größer → τ 漢字",
		"\x1b[31mred\x07":          `\u001b[31mred\u0007`,
		"a\nb\r\tc\x00\x7f":        `a\u000ab\u000d\u0009c\u0000\u007f`,
		"\u202eright\u2066 \u200b": `\u202eright\u2066 \u200b`,
		"\u009b csi":               `\u009b csi`,
		"bad \xff utf":             `bad \xff utf`,
		"no-break\u00a0space":      `no-break\u00a0space`,
	} {
		if got := printable.Text(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestLines(t *testing.T) {
	if got, want := printable.Lines("a\n\tb\r\x1b"), "a\n\tb\\u000d\\u001b"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestJSONStaysTheSame(t *testing.T) {
	const in = "\x7f \u202e \u009b \U000e0001 \ufffd"
	data, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	var out string
	if err := json.Unmarshal([]byte(printable.Text(string(data))), &out); err != nil || out != in {
		t.Errorf("%q, %v; want %q", out, err, in)
	}
}

func TestCount(t *testing.T) {
	for _, c := range []struct {
		n          int
		noun, want string
	}{{0, "step", "0 steps"}, {1, "step", "1 step"}, {2, "entry", "2 entries"}, {1, "entry", "1 entry"},
		{3, "loss", "3 losses"}, {0, "crash", "0 crashes"}} {
		if got := printable.Count(c.n, c.noun); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
