package channel_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ringcheck/internal/test/filetest"
	"ringcheck/model/language/channel"
)

// A message is its value and the number of messages that were sent before it.
type message struct{ value, sent int }

// send returns the contents of a channel after a message is sent.
func send(d channel.Discipline, contents []message, m message) []message {
	i := d.Insert(len(contents), func(i int) bool { return contents[i].value >= m.value })
	return slices.Insert(slices.Clone(contents), i, m)
}

// values returns the values of messages.
func values(contents []message) []int {
	var all []int
	for _, m := range contents {
		all = append(all, m.value)
	}
	return all
}

// each calls do with the values of up to length messages, in all ways.
func each(length int, do func(sent []int)) {
	var extend func(sent []int)
	extend = func(sent []int) {
		do(sent)
		for v := 0; v < 3 && len(sent) < length; v++ {
			extend(append(slices.Clone(sent), v))
		}
	}
	extend(nil)
}

// TestFacts derives what a discipline says about itself from all contents of a few messages.
func TestFacts(t *testing.T) {
	for _, d := range channel.Disciplines {
		ordered, inOrder, disables := false, true, false
		each(5, func(sent []int) {
			var contents []message
			for i, v := range sent {
				before := contents
				contents = send(d, contents, message{v, i})
				for _, m := range before[:d.Receivable(len(before))] {
					disables = disables || !slices.Contains(contents[:d.Receivable(len(contents))], m)
				}
			}
			ordered = ordered || !slices.IsSorted(values(contents))
			for _, m := range contents[:d.Receivable(len(contents))] {
				inOrder = inOrder && m.sent == 0
			}
			for i, m := range contents {
				if at := d.Index(m.sent, len(contents)); d.Ordered() && at != i {
					t.Errorf("%s: message %d of %v has index %d, want %d", d.Keyword, m.sent, sent, at, i)
				}
			}
		})
		if d.Ordered() != ordered || d.InOrder() != inOrder || d.SendDisables() != disables {
			t.Errorf("%s: ordered %t, in order %t, disables %t; want %t, %t, %t", d.Keyword, d.Ordered(), d.InOrder(),
				d.SendDisables(), ordered, inOrder, disables)
		}
	}
}

// TestDocs checks that the documentation says what each discipline is.
func TestDocs(t *testing.T) {
	text := strings.Join(strings.Fields(string(filetest.Read(t, filepath.Join("../../..", "docs/language.md")))), " ")
	for _, d := range channel.Disciplines {
		if !strings.Contains(text, d.Doc) {
			t.Errorf("docs/language.md lacks %q", d.Doc)
		}
		if !strings.Contains(text, `"`+d.Keyword+`"`) {
			t.Errorf("the grammar in docs/language.md lacks %q", d.Keyword)
		}
	}
}
