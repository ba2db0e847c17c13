package command

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"ringcheck/internal/printable"
)

// visibility is which labels are not τ: of a protocol the events, of a file all labels; or those that --visible
// names; but for those that --hide names.
type visibility struct {
	show, hide patterns
}

func (v *visibility) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.Func("visible", "make `LABELS` visible and all others τ: names or patterns, such as leader or 'recv(0,*)' "+
		"(default: the events of a spec, all labels of a file)", v.show.set)
	flags.Func("hide", "hide `LABELS`, names or patterns as well: make them τ", v.hide.set)
}

// given reports whether a flag says what is visible.
func (v *visibility) given() bool { return v.show.list != nil || v.hide.list != nil }

// shows reports whether a label is visible. It is called by several goroutines.
func (v *visibility) shows(label string, byDefault bool) bool {
	if v.show.list != nil {
		byDefault = v.show.match(label)
	}
	return !v.hide.match(label) && byDefault
}

// unused returns the patterns that no label has matched.
func (v *visibility) unused() []string {
	var list []string
	for i, flag := range []string{"--visible ", "--hide "} {
		for _, p := range [...][]*pattern{v.show.list, v.hide.list}[i] {
			if !p.used.Load() {
				list = append(list, flag+p.text)
			}
		}
	}
	return list
}

// patterns is the value of a flag: patterns separated by commas, but for commas in brackets.
type patterns struct{ list []*pattern }

// A pattern matches a label if it is the label's text or name, which is what stands before the first bracket;
// "*" is any text in it.
type pattern struct {
	text  string
	exact *regexp.Regexp
	used  atomic.Bool
}

func (p *patterns) set(text string) error {
	for _, part := range splitOutside(text) {
		if part = strings.TrimSpace(part); part == "" {
			return errors.New("want labels separated by commas")
		}
		exact := regexp.MustCompile(`(?s)^` + strings.ReplaceAll(regexp.QuoteMeta(part), `\*`, `.*`) + `$`)
		p.list = append(p.list, &pattern{text: part, exact: exact})
	}
	return nil
}

func (p *patterns) match(label string) bool {
	name, _, _ := strings.Cut(label, "(")
	matched := false
	for _, x := range p.list {
		if x.exact.MatchString(label) || x.exact.MatchString(name) {
			x.used.Store(true)
			matched = true
		}
	}
	return matched
}

// splitOutside splits at the commas that are not in brackets.
func splitOutside(text string) []string {
	var parts []string
	depth, begin := 0, 0
	for i, c := range text {
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ',':
			if depth <= 0 {
				parts = append(parts, text[begin:i])
				begin = i + 1
			}
		}
	}
	return append(parts, text[begin:])
}

// warnUnused warns of patterns that no label has matched.
func (a *app) warnUnused(v *visibility) {
	if a.quiet {
		return
	}
	for _, p := range v.unused() {
		fmt.Fprintf(a.stderr, "warning: %s: there is no such label\n", printable.Text(p))
	}
}
