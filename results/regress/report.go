package regress

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

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

// WriteText writes the report for people: a line for each entry that was run, with its differences below.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, result := range r.Results {
		if o := result.Outcome; o != nil {
			fmt.Fprintf(table, "%s\t%s\t%.2f s\n", result.Status, result.Name, o.Seconds)
		}
		for _, d := range result.Differences {
			fmt.Fprintf(table, "\t  %v\n", d)
		}
	}
	table.Flush()
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
