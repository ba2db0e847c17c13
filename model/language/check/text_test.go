package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ringcheck/internal/test/spectest"
	"ringcheck/model/language/check"
	"ringcheck/model/language/syntax"
	"ringcheck/specs"
)

// checkReading checks the ranges of errors, and that every name stands where it is said to stand.
func checkReading(r *check.Reading) error {
	for _, e := range slices.Concat(r.Errors, r.Warnings) {
		if e.Code == "" || e.End.Line != e.Pos.Line || e.End.Column <= e.Pos.Column {
			return fmt.Errorf("%w: code %q, end %v", e, e.Code, e.End)
		}
	}
	_, names := r.Names()
	for pos, n := range names {
		if t := r.File.Token(r.File.TokenAt(pos)); t.Pos != pos || t.Text != n.Text && n.Kind != "option" {
			return fmt.Errorf("%v: %s %s is said to stand where %q does at %v", pos, n.Kind, n.Text, t.Text, t.Pos)
		}
		if !slices.Contains(n.At, pos) || !slices.IsSortedFunc(n.At, syntax.ComparePos) {
			return fmt.Errorf("%v: %s %s stands at %v", pos, n.Kind, n.Text, n.At)
		}
	}
	return nil
}

// TestText checks what is found in a text whose syntax is wrong somewhere.
func TestText(t *testing.T) {
	const head = "protocol test\ntopology undirected ring of 2\nchannel fifo\nvar x: 0..2\nmessage M(v: 0..2)\n" +
		"process p = A\n"
	tests := []struct {
		name, src string
		want      []string // line:column-end: code: message
	}{
		{"an alternative is wrong, others have their names",
			head + "A =\n    recv left M(x; B\n  | recv left N(x); C\n  | send left M(1); A\nB = stop",
			[]string{`8:18-19 syntax: expected "," or ")", found ";"`, "9:15-16 unknown-name: unknown message N",
				"9:21-22 unknown-name: unknown equation C"}},
		{"what comes before the error has its names",
			head + "A = send left N(1); send left M(y); if x then", []string{
				"7:15-16 unknown-name: unknown message N", "7:33-34 unknown-name: unknown name y",
				"7:40-41 invalid: x has no value here: neither a parameter of the equation nor bound before",
				"7:46-47 syntax: expected an action, a call, if, when, draw, choose, let, stop or (, found the end"}},
		{"in parentheses",
			head + "A = recv left M(x); (send | if x then stop else D | E); F",
			[]string{"7:27-28 syntax: expected a direction or a process, found \"|\"",
				"7:32-33 type: condition: expected a boolean, found an integer",
				"7:49-50 unknown-name: unknown equation D", "7:53-54 unknown-name: unknown equation E",
				"7:55-56 syntax: a choice in parentheses ends a sequence, nothing can follow it"}},
		{"what cannot be read may declare the name",
			head + "var y, z: 0..\nA = let y = 1; send left M(y); skip; w := 1; B",
			[]string{`8:3-4 syntax: a var has no initial value`}},
		{"a definition without a value", head + "define d(p) = \ninvariant i = d(0) and e\nA = stop", []string{
			"7:14-15 syntax: expected an expression, found the end of the line",
			"8:24-25 unknown-name: unknown name e"}},
		{"the channel cannot be read", strings.Replace(head, "fifo", "fofi", 1) + "A = send left M(1); B",
			[]string{`3:9-13 syntax: expected one of unordered, fifo, lifo, sync, found "fofi"`,
				"7:21-22 unknown-name: unknown equation B"}},
		{"neither can a property about channels", strings.Replace(head, "fifo", "fofi", 1) +
			"A = stop\ninvariant i = forall m in inbox(0, left): m is N", []string{
			`3:9-13 syntax: expected one of unordered, fifo, lifo, sync, found "fofi"`,
			"8:48-49 unknown-name: unknown message N"}},
		{"the topology cannot be read", strings.Replace(head, "undirected", "undirectd", 1) + "A = send 1 M(1); B",
			[]string{"2:10-19 syntax: expected one of", "7:18-19 unknown-name: unknown equation B"}},
		{"only syntax", "A = (", []string{"1:1-2 syntax: expected \"protocol\", found \"A\"",
			"1:6-7 syntax: expected an action, a call, if, when, draw, choose, let, stop or (, found the end"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := check.Text("", []byte(tt.src))
			var got []string
			for _, e := range r.Errors {
				got = append(got, fmt.Sprintf("%v-%d %s: %s", e.Pos, e.End.Column, e.Code, e.Message))
			}
			if !slices.EqualFunc(got, tt.want, strings.HasPrefix) {
				t.Errorf("errors\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

// TestNames checks that names have their places: all those of a word, where it stands for one thing.
func TestNames(t *testing.T) {
	r := check.Text("franklin.ring", []byte(spectest.Source(t, "franklin")))
	found := map[string]bool{}
	names, _ := r.Names()
	for _, n := range names {
		found[fmt.Sprintf("%s %s: %d, declared %d", n.Kind, n.Text, len(n.At), len(n.Declarations))] = true
	}
	for _, want := range []string{
		"parameter k: 4, declared 1", "equation A2: 3, declared 1", "equation Herald: 4, declared 1",
		"field hop: 2, declared 1", "value clash: 2, declared 1", "event leader: 2, declared 1",
		"message Elected: 5, declared 1", "definition leads: 10, declared 1", "property unique: 1, declared 1",
		"role active: 1, declared 1", "process number p: 4, declared 1", "value right: 8, declared 0",
	} {
		if !found[want] {
			t.Errorf("%s is not among %v", want, found)
		}
	}
	for _, name := range specs.Names() {
		if err := checkReading(check.Text(name, []byte(spectest.Source(t, name)))); err != nil {
			t.Error(err)
		}
	}
}
