package command

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestReadmePicture: the run in the README is what the program prints.
func TestReadmePicture(t *testing.T) {
	readme, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	if got := Main(strings.Fields("counterexample --no-bits -q --format msc"), &stdout, &stderr); got != statusViolated {
		t.Fatalf("status %d: %s", got, &stderr)
	}
	for line := range strings.Lines(stdout.String()) {
		if line = strings.TrimRight(line, "\n"); line != "" && !strings.Contains(string(readme), "\n    "+line+"\n") {
			t.Errorf("the README lacks %q", line)
		}
	}
}
