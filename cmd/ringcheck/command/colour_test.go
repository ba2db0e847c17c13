package command

import (
	"bytes"
	"os"
	"testing"
)

// TestColours colours verdicts, and nothing else that has such a word.
func TestColours(t *testing.T) {
	const text = "franklin, n = 3\n\n  invariant  unique     holds     15,445 states\n" +
		"  terminal   elected    violated  24 states\n" +
		"  ltl        sure       unknown\n  invariant  odd        no value\n" +
		"                        it holds here\nholds\n"
	const want = "franklin, n = 3\n\n  invariant  unique     \x1b[32mholds\x1b[0m     15,445 states\n" +
		"  terminal   elected    \x1b[1;31mviolated\x1b[0m  24 states\n" +
		"  ltl        sure       \x1b[33munknown\x1b[0m\n" +
		"  invariant  odd        \x1b[33mno value\x1b[0m\n                        it holds here\nholds\n"
	if got := withColours(text); got != want {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
	none := func(string) string { return "" }
	file, err := os.Create(t.TempDir() + "/file")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if hasColours(file, none) || hasColours(new(bytes.Buffer), none) {
		t.Error("what is not a terminal has colours")
	}
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	defer terminal.Close()
	for _, env := range []struct {
		name, value string
		want        bool
	}{{"TERM", "xterm", true}, {"NO_COLOR", "1", false}, {"TERM", "dumb", false}} {
		get := func(name string) string { return map[string]string{env.name: env.value}[name] }
		if got := hasColours(terminal, get); got != env.want {
			t.Errorf("%s=%s: %t", env.name, env.value, got)
		}
	}
}
