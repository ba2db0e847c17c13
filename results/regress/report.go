package regress

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"ringcheck"
	"ringcheck/internal/document"
	"ringcheck/internal/printable"
)

// A Report has the results of the entries of a file, in their order.
type Report struct {
	Results     []*Result `json:"results"`
	Interrupted bool      `json:"interrupted,omitempty"` // some selected entries were not run
}

// Count returns the number of entries with a status.
func (r *Report) Count(s Status) int {
	n := 0
	for _, result := range r.Results {
		if result.Status == s {
			n++
		}
	}
	return n
}

// ForClaim returns the part of the report that concerns a claim.
func (r *Report) ForClaim(claim string) *Report {
	part := &Report{Interrupted: r.Interrupted}
	for _, result := range r.Results {
		if slices.Contains(result.Claims, claim) {
			part.Results = append(part.Results, result)
		}
	}
	return part
}

// Document returns the report on a file as a document. Its text has a line for each entry that was run, followed by its
// differences.
func (r *Report) Document(file string) *document.Document {
	d := &document.Document{Data: r, Other: map[string]func(io.Writer) error{".xml": r.suite(file).Write}}
	width := 0
	for _, result := range r.Results {
		if result.Outcome != nil {
			width = max(width, len(printable.Text(result.Name)))
		}
	}
	for _, result := range r.Results {
		if o := result.Outcome; o != nil {
			d.Line("%-*s  %-*s  %8.2f s", len(Incomplete), result.Status, width, printable.Text(result.Name), o.Seconds)
		}
		for _, difference := range result.Differences {
			d.Line("%-*s  %v", len(Incomplete)+2, "", difference)
		}
	}
	d.Gap()
	d.Line("%s", r.Summary())
	return d
}

// Summary returns the number of entries by status, in one line.
func (r *Report) Summary() string {
	var parts []string
	for _, s := range []Status{Same, Differs, Incomplete, NotRun} {
		if n := r.Count(s); n > 0 || s == Same {
			parts = append(parts, fmt.Sprintf("%d %s", n, s))
		}
	}
	return fmt.Sprintf("%s: %s", printable.Count(len(r.Results), "entry"), strings.Join(parts, ", "))
}

// String returns "states: expected 15,446, found 15,445 (-1)".
func (d Difference) String() string {
	text := fmt.Sprintf("%s: expected %s, found %s", d.Member, show(d.Expected), show(d.Actual))
	want, isCount := d.Expected.(ringcheck.Count)
	got, _ := d.Actual.(ringcheck.Count)
	if isCount {
		sign, by := "+", got-want
		if got < want {
			sign, by = "-", want-got
		}
		text += " (" + sign + show(by) + ")"
	}
	return text
}

func show(value any) string {
	if n, ok := value.(ringcheck.Count); ok {
		return n.Comma()
	}
	return fmt.Sprint(value)
}

// suite returns the report for CI systems: a difference is a failure, an incomplete run an error.
func (r *Report) suite(name string) *document.Suite {
	suite := &document.Suite{Name: name}
	for _, result := range r.Results {
		c := document.Case{Name: result.Name, Class: name}
		if result.Outcome != nil {
			c.Time = document.Seconds(result.Outcome.Seconds)
		}
		suite.Time += c.Time
		switch result.Status {
		case Differs:
			var lines []string
			for _, d := range result.Differences {
				lines = append(lines, d.String())
			}
			c.Failure = &document.Message{Summary: lines[0], Text: strings.Join(lines, "\n")}
		case Incomplete:
			c.Error = &document.Message{Summary: "incomplete: " + result.Outcome.Stopped}
		case NotRun:
			c.Skipped = &document.Message{Summary: string(NotRun)}
		}
		suite.Cases = append(suite.Cases, c)
	}
	return suite
}
