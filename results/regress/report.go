package regress

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
)

// A Report is what became of the entries of a file, in their order.
type Report struct {
	Results     []*Result `json:"results"`
	Interrupted bool      `json:"interrupted,omitempty"` // some entries were not run that should have been
}

// Count returns how many entries have a status.
func (r *Report) Count(s Status) int {
	n := 0
	for _, result := range r.Results {
		if result.Status == s {
			n++
		}
	}
	return n
}

// About returns the part of the report that is about a claim.
func (r *Report) About(claim string) *Report {
	part := &Report{Interrupted: r.Interrupted}
	for _, result := range r.Results {
		if slices.Contains(result.Claims, claim) {
			part.Results = append(part.Results, result)
		}
	}
	return part
}

// WriteText writes the report for people: a line for each entry that was run, with its differences below.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	width := 0
	for _, result := range r.Results {
		if result.Outcome != nil {
			width = max(width, len(result.Name))
		}
	}
	for _, result := range r.Results {
		if o := result.Outcome; o != nil {
			fmt.Fprintf(&b, "%-*s  %-*s  %8.2f s\n", len(Incomplete), result.Status, width, result.Name, o.Seconds)
		}
		for _, d := range result.Differences {
			fmt.Fprintf(&b, "%-*s  %v\n", len(Incomplete)+2, "", d)
		}
	}
	fmt.Fprintf(&b, "\n%s\n", r.Summary())
	_, err := io.WriteString(w, b.String())
	return err
}

// Summary says in one line how many entries are how.
func (r *Report) Summary() string {
	var parts []string
	for _, s := range []Status{Same, Differs, Incomplete, NotRun} {
		if n := r.Count(s); n > 0 || s == Same {
			parts = append(parts, fmt.Sprintf("%d %s", n, s))
		}
	}
	return fmt.Sprintf("%d entries: %s", len(r.Results), strings.Join(parts, ", "))
}

// String is "states: expected 15,446, found 15,445 (-1)".
func (d Difference) String() string {
	text := fmt.Sprintf("%s: expected %s, found %s", d.Member, show(d.Expected), show(d.Found))
	want, isCount := d.Expected.(uint64)
	got, _ := d.Found.(uint64)
	if isCount {
		sign := ""
		if got > want {
			sign = "+"
		}
		text += fmt.Sprintf(" (%s%s)", sign, humanize.Comma(int64(got-want)))
	}
	return text
}

func show(value any) string {
	if n, ok := value.(uint64); ok {
		return humanize.Comma(int64(n))
	}
	return fmt.Sprint(value)
}
