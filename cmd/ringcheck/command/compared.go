package command

import (
	"fmt"
	"strings"

	"ringcheck/bisim"
)

// A compared is what compare reports.
type compared struct {
	Equivalent   *bool    `json:"equivalent,omitempty"` // unknown if not complete
	Equivalence  string   `json:"equivalence"`
	Algorithm    string   `json:"algorithm"`
	Complete     bool     `json:"complete"`
	Stopped      string   `json:"stopped,omitempty"`
	Formula      string   `json:"formula,omitempty"`  // holds in A and not in B
	Trace        []string `json:"trace,omitempty"`    // of one of them only, if that is enough
	TraceOf      string   `json:"trace_of,omitempty"` // which: a or b
	A            *found   `json:"a,omitempty"`
	B            *found   `json:"b,omitempty"`
	Seconds      float64  `json:"seconds"`
	PeakRSSBytes uint64   `json:"peak_rss_bytes"`

	formula *bisim.Formula
}

// text returns the report for people.
func (r *compared) text() string {
	var b strings.Builder
	for i, f := range []*found{r.A, r.B} {
		if f != nil {
			fmt.Fprintf(&b, "%c: %s\n   states %s, transitions %s\n", "AB"[i], f.title(), comma(f.States), comma(f.Transitions))
		}
	}
	b.WriteByte('\n')
	switch {
	case !r.Complete:
		fmt.Fprintf(&b, "incomplete (%s): it is not known whether they are equivalent\n", r.Stopped)
	case *r.Equivalent:
		fmt.Fprintf(&b, "equivalent modulo %s\n", relationName(r.Equivalence))
	default:
		r.difference(&b)
	}
	fmt.Fprintln(&b)
	writeRows(&b, []row{
		{"time", fmt.Sprintf("%.3f", r.Seconds), "s"},
		{"peak memory", comma(r.PeakRSSBytes >> 20), "MiB"},
	})
	return b.String()
}

// difference says why the systems are not equivalent.
func (r *compared) difference(b *strings.Builder) {
	fmt.Fprintf(b, "not equivalent modulo %s\n", relationName(r.Equivalence))
	if r.Trace != nil {
		which, other := "A", "B"
		if r.TraceOf == "b" {
			which, other = other, which
		}
		fmt.Fprintf(b, "\n%s can do this, %s cannot:\n", which, other)
		for _, label := range r.Trace {
			fmt.Fprintf(b, "  %s\n", labelName(label))
		}
	}
	fmt.Fprintf(b, "\nThis holds in A and not in B:\n  %s\n", r.Formula)
	if words := inWords(r.formula); words != nil {
		b.WriteString("In words:\n")
		for _, line := range words {
			fmt.Fprintf(b, "  %s\n", line)
		}
	}
}
