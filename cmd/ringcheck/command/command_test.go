package command

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

type panicking struct{}

func (panicking) Write([]byte) (int, error) { panic("on purpose") }

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("on purpose") }

func TestInternalError(t *testing.T) {
	for _, test := range []struct {
		args  []string
		lines int
	}{
		{[]string{"specs"}, 1},
		{[]string{"specs", "-v"}, 10}, // with the stack
	} {
		var stderr bytes.Buffer
		if got := Main(test.args, panicking{}, &stderr); got != statusInternal {
			t.Errorf("%v: status %d, want %d", test.args, got, statusInternal)
		}
		if !strings.HasPrefix(stderr.String(), "ringcheck: internal error: on purpose\n") {
			t.Errorf("%v: %s", test.args, stderr.String())
		}
		if n := strings.Count(stderr.String(), "\n"); n < test.lines || test.lines == 1 && n > 1 {
			t.Errorf("%v: %d lines", test.args, n)
		}
	}
}

func TestLostOutput(t *testing.T) {
	for _, args := range [][]string{{"specs"}, {"--help"}, {"explore", "--help"}, {"--version"}, {"completion", "bash"},
		{}} {
		var stderr bytes.Buffer
		if got := Main(args, failing{}, &stderr); got != statusStopped {
			t.Errorf("%v: status %d, want %d", args, got, statusStopped)
		}
		if want := "ringcheck: writing the result: on purpose\n"; stderr.String() != want {
			t.Errorf("%v: got %q, want %q", args, stderr.String(), want)
		}
	}
}

func TestWordsBeforeSpec(t *testing.T) {
	for _, line := range []string{
		"explore -q --json --order left -n 2 -k 2 franklin",
		"explore -n 2 --no-bits franklin -q --json",
		"explore --mem 1GiB -q -p n=2 franklin --json",
	} {
		var stdout, stderr bytes.Buffer
		if got := Main(strings.Fields(line), &stdout, &stderr); got != statusDone {
			t.Errorf("%s: status %d: %s", line, got, &stderr)
		}
		if !strings.HasPrefix(stdout.String(), `{"spec":"franklin","params":{"n":2,"k":2}`) {
			t.Errorf("%s: %s", line, &stdout)
		}
	}
}

// TestValueNames: in the help of a flag the name of its value is one word.
func TestValueNames(t *testing.T) {
	named := 0
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			name, _ := pflag.UnquoteUsage(f)
			if strings.Contains(name, " ") {
				t.Errorf("%s --%s: the name of the value is %q", cmd.CommandPath(), f.Name, name)
			}
			if name != "" {
				named++
			}
		})
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(ringcheckProgram().call(io.Discard, io.Discard).root(io.Discard))
	if named < 50 {
		t.Errorf("%d flags have a value", named)
	}
}

// TestHelpPages expects each help text to begin with usage, a summary and an empty line.
func TestHelpPages(t *testing.T) {
	files, err := pages.ReadDir("help")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		data, err := pages.ReadFile("help/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.SplitN(string(data)+"\n\n", "\n", 4)
		if lines[0] == "" || lines[1] == "" || lines[2] != "" {
			t.Errorf("%s begins with %q", f.Name(), lines[:3])
		}
	}
}
