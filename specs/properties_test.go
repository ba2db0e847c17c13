package specs_test

import (
	"testing"

	"ringcheck/model/language/compile"
)

// TestProperties checks all properties of the catalogue on small instances; the variants that are wrong must
// violate them.
func TestProperties(t *testing.T) {
	tests := []struct {
		spec, settings string
		violated       string
	}{
		{"franklin", "n=2", ""},
		{"franklin", "n=2 k=3", ""},
		{"franklin", "n=3", ""},
		{"franklin", "n=3 order=left", ""},
		{"franklin", "n=3 fresh=clash", ""},
		{"franklin", "n=3 channel=fifo", ""},
		{"franklin", "n=3 channel=fifo bits=false", ""}, // Proposition 1
		{"franklin", "n=2 announce=true", ""},
		{"franklin", "n=3 announce=true order=left", ""},
		{"franklin", "n=3 announce=true order=left channel=fifo", ""},
		{"franklin", "n=2 k=3 bits=false", "elected election"}, // Sect. 3
		{"dkr", "n=2", ""},
		{"dkr", "n=4", ""},
		{"dkr", "n=3 channel=fifo", ""},
		{"dkr", "n=3 modulus=3", ""},
		{"dkr", "n=4 channel=fifo modulus=1", ""},
		{"dkr", "n=4 modulus=1", "elected election"},
		{"dkr", "n=6 ids=distinct", ""},
		{"dkr", "n=6 ids=distinct channel=fifo modulus=1", ""},
		{"dkr", "n=4 ids=any channel=fifo modulus=1", ""},
		{"peterson", "n=2", ""},
		{"peterson", "n=4", ""},
		{"peterson", "n=5 ids=descending", ""},
		{"franklin-unique", "n=3", ""},
		{"franklin-unique", "n=4", ""},
		{"franklin-unique", "n=3 announce=true", ""},
		{"franklin-unique", "n=4 ids=ascending announce=true", ""},
		{"chang-roberts", "n=2", ""},
		{"chang-roberts", "n=4", ""},
		{"chang-roberts", "n=4 channel=fifo", ""},
		{"chang-roberts", "n=5 ids=ascending", ""},
		{"chang-roberts", "n=5 ids=descending", ""},
		{"itai-rodeh", "n=2", ""},
		{"itai-rodeh", "n=3", ""},
		{"itai-rodeh", "n=4 k=3", ""},
		{"itai-rodeh", "n=3 channel=unordered", "elected"},
		{"hirschberg-sinclair", "n=2", ""},
		{"hirschberg-sinclair", "n=3", ""},
		{"hirschberg-sinclair", "n=3 channel=fifo", ""},
		{"hirschberg-sinclair", "n=4 ids=ascending channel=fifo", ""},
	}
	for _, test := range tests {
		t.Run(test.spec+" "+test.settings, func(t *testing.T) {
			g := reachable(t, open(t, test.spec, test.settings, compile.Options{}))
			if got := g.violated(t); got != test.violated {
				t.Errorf("violated properties %q, want %q", got, test.violated)
			}
		})
	}
}
