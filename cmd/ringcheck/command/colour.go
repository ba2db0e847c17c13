package command

import (
	"io"
	"os"
	"regexp"

	"golang.org/x/term"
)

// verdictWord finds the verdict of a property in a row of the table of check: after its kind and its name.
var verdictWord = regexp.MustCompile(`(?m)^(  [a-z]+ +[\w-]+ +)(holds|violated|unknown|no value)\b`)

// Colours of verdicts on a terminal, as escape sequences.
const (
	green  = "\x1b[32m"
	red    = "\x1b[1;31m"
	yellow = "\x1b[33m"
	plain  = "\x1b[0m"
)

// withColours returns a text of check with its verdicts in colour.
func withColours(text string) string {
	return verdictWord.ReplaceAllStringFunc(text, func(row string) string {
		parts := verdictWord.FindStringSubmatch(row)
		colour := yellow
		switch parts[2] {
		case "holds":
			colour = green
		case "violated":
			colour = red
		}
		return parts[1] + colour + parts[2] + plain
	})
}

// hasColours reports whether what is written to w is seen in colour: on a terminal, unless NO_COLOR has a value
// (https://no-color.org) or the terminal is a dumb one.
func hasColours(w io.Writer, getenv func(string) string) bool {
	f, ok := w.(*os.File)
	return ok && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd()))
}
