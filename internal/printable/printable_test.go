package printable

import "testing"

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"":                         "",
		"recv(0,left,M(1,2))":      "recv(0,left,M(1,2))",
		`back\slash "quote" 'x'`:   `back\slash "quote" 'x'`,
		"größer → τ 漢字":            "größer → τ 漢字",
		"\x1b[31mred\x07":          `\x1b[31mred\a`,
		"a\nb\r\tc\x00\x7f":        `a\nb\r\tc\x00\x7f`,
		"\u202eright\u2066 \u200b": `\u202eright\u2066 \u200b`,
		"\u009b csi":               `\u009b csi`,
		"bad \xff utf":             `bad \xff utf`,
		"no-break\u00a0space":      `no-break\u00a0space`,
	} {
		if got := Text(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
