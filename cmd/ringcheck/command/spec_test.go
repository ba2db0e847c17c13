package command

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

func TestWords(t *testing.T) {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.BoolP("quiet", "q", false, "")
	flags.StringP("param", "p", "", "")
	flags.String("mem", "", "")
	for _, test := range []struct{ args, want string }{
		{"", ""},
		{"franklin", "franklin"},
		{"franklin -n 4 --json", "franklin"},
		{"-n 4 franklin", "franklin"},
		{"-n4 franklin", "franklin"},
		{"-qn 4 franklin", "franklin"},
		{"-q franklin", "franklin"},
		{"-p n=4 franklin -pk=2", "franklin"},
		{"--mem 4GiB franklin", "franklin"},
		{"--mem=4GiB franklin", "franklin"},
		{"--no-bits franklin", "franklin"},
		{"--order left franklin", "left franklin"}, // which of them is the SPEC is not decided here
		{"--order=left franklin", "franklin"},
		{"--quiet franklin", "franklin"},
		{"-- -odd.ring", "-odd.ring"},
		{"-", "-"},
		{"franklin -n", "franklin"},
		{"--mem", ""},
	} {
		if got := strings.Join(words(strings.Fields(test.args), flags), " "); got != test.want {
			t.Errorf("words(%q) = %q, want %q", test.args, got, test.want)
		}
	}
}

func FuzzWords(f *testing.F) {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.BoolP("quiet", "q", false, "")
	flags.StringP("param", "p", "", "")
	f.Add("-qp x --param y z")
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Fields(line)
		if n := len(words(args, flags)); n > len(args) {
			t.Errorf("%d operands among %d arguments", n, len(args))
		}
	})
}
