package textfile_test

import (
	"bufio"
	"io"
	"strings"
	"testing"

	"ringcheck/internal/textfile"
)

// TestMark: one byte order mark at the beginning of a text is no part of it, however the text is read.
func TestMark(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "\ufeff": "", "\ufeffab": "ab", "a\ufeff": "a\ufeff", "\ufeff\ufeffa": "\ufeffa",
		"\xef\xbb": "\xef\xbb", "ab": "ab",
	} {
		if got := string(textfile.TrimMark([]byte(in))); got != want {
			t.Errorf("TrimMark(%q) = %q, want %q", in, got, want)
		}
		if got, err := textfile.ReadFrom(strings.NewReader(in), "text"); err != nil || string(got) != want {
			t.Errorf("ReadFrom(%q) = %q, %v; want %q", in, got, err, want)
		}
		r := bufio.NewReader(strings.NewReader(in))
		textfile.SkipMark(r)
		if got, err := io.ReadAll(r); err != nil || string(got) != want {
			t.Errorf("after SkipMark of %q: %q, %v; want %q", in, got, err, want)
		}
	}
}
