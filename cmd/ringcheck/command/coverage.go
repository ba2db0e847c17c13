package command

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"ringcheck"
	"ringcheck/internal/tabular"
	"ringcheck/view"
)

// saveCoverage writes the page of --coverage, if there is to be one and the spec was covered.
func (v *verification) saveCoverage(r *ringcheck.Report) error {
	if v.page.path == "" || r.Coverage == nil {
		return nil
	}
	lines := strings.Split(string(v.protocol.spec.Text), "\n")
	l := &view.Listing{Title: "Coverage of " + r.Spec, Settings: r.Title(), Finding: coverageFinding(r.Coverage),
		Text: v.protocol.spec.Text}
	for i := range r.Coverage {
		c := &r.Coverage[i]
		tone := view.Full
		switch never := c.Never(); {
		case never == "never":
			tone = view.None
		case never != "":
			tone = view.Half
		}
		count := c.States
		if c.False != nil {
			count = max(count, *c.False)
		}
		what, text := coveredText(c)
		if c.Kind == "equation" {
			what += " " + c.Equation
		}
		column := c.Column
		if c.Kind == "condition" {
			column = conditionColumn(lines, c.Line, column)
		}
		l.Marks = append(l.Marks, view.Mark{Line: c.Line, Column: column, Tone: tone, Count: uint64(count),
			Note: what + ": " + text})
	}
	return v.page.save(l.HTML)
}

// conditionColumn returns where the "if" or "when" of a condition stands on its line, or else its place.
func conditionColumn(lines []string, line, column int) int {
	if line > len(lines) {
		return column
	}
	before := []rune(lines[line-1])
	before = before[:min(column-1, len(before))]
	if i := max(strings.LastIndex(string(before), "if "), strings.LastIndex(string(before), "when ")); i >= 0 {
		return 1 + utf8.RuneCountInString(string(before)[:i])
	}
	return column
}

// coverageText says what never takes part, then in how many states everything else does.
func coverageText(list []ringcheck.Covered) string {
	if list == nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\ncoverage: %s\n", coverageFinding(list))
	var t tabular.Table
	for i := range list {
		what, text := coveredText(&list[i])
		t.Add(list[i].Place, list[i].Equation, what, text)
	}
	return b.String() + t.Text(2, 2)
}

// coverageFinding counts what is not covered.
func coverageFinding(list []ringcheck.Covered) string {
	never := 0
	for i := range list {
		if list[i].Never() != "" {
			never++
		}
	}
	return fmt.Sprintf("of %d equations, actions and conditions %d never take part, or go one way only", len(list),
		never)
}

// coveredText says what something is, and in how many states it takes part.
func coveredText(c *ringcheck.Covered) (what, text string) {
	states := countOf(c.States, "state")
	never := c.Never()
	switch {
	case c.Kind == "equation" && never == "":
		return "equation", "taken in " + states
	case c.Kind == "equation":
		return "equation", "NEVER taken"
	case c.Kind == "action" && never == "":
		return c.Action, "possible in " + states
	case c.Kind == "action":
		return c.Action, "NEVER possible"
	case never == "":
		return "condition", fmt.Sprintf("true in %s, false in %s", states, comma(*c.False))
	case never == "never false":
		return "condition", "NEVER false, true in " + states
	case never == "never true":
		return "condition", "NEVER true, false in " + countOf(*c.False, "state")
	}
	return "condition", "NEVER decided"
}
