package command

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/dustin/go-humanize"

	"ringcheck/explore"
	"ringcheck/model/language/ir"
)

// A report is what explore prints; its JSON form is an interface that programs rely on, the order of the
// fields included.
type report struct {
	Spec                 string   `json:"spec"`
	Params               settings `json:"params"`
	Options              settings `json:"options"`
	Reduction            string   `json:"reduction"`
	Symmetry             string   `json:"symmetry"`
	Assumption           string   `json:"assumption,omitempty"` // none: nothing
	Complete             bool     `json:"complete"`
	Stopped              string   `json:"stopped,omitempty"` // why, if not complete
	States               uint64   `json:"states"`
	Transitions          uint64   `json:"transitions"`
	Deadlocks            uint64   `json:"deadlocks"`
	Levels               int      `json:"levels"`
	StoredStates         uint64   `json:"stored_states"`
	InternalStates       uint64   `json:"internal_states"`
	Visited              visited  `json:"visited"`
	Workers              int      `json:"workers"`
	Seconds              float64  `json:"seconds"`
	TransitionsPerSecond uint64   `json:"transitions_per_second"`
	PeakRSSBytes         uint64   `json:"peak_rss_bytes"`

	diskBytes uint64 // for text
}

// visited describes the set of the states stored.
type visited struct {
	Exact         bool    `json:"exact"`
	Bytes         uint64  `json:"bytes"`
	BytesPerState float64 `json:"bytes_per_state"`
	SpilledStates uint64  `json:"spilled_states"`
}

// newReport reports the exploration of p, made smaller, with a number of internal states.
func newReport(p *ir.Protocol, r *explore.Result, by *reduction, internal uint64) *report {
	return &report{
		Spec: p.Name, Params: p.Params, Options: p.Options,
		Reduction: by.kind, Symmetry: by.symmetry, Assumption: by.assumption(),
		Complete: r.Complete(), Stopped: stopReason(r),
		States: r.States, Transitions: r.Transitions, Deadlocks: r.Deadlocks,
		Levels: len(r.Levels), StoredStates: r.Stored, InternalStates: internal,
		Visited: visited{
			Exact: true, Bytes: r.Bytes,
			BytesPerState: roundTo(float64(r.Bytes)/float64(max(1, r.Stored)), 100),
			SpilledStates: r.Spilled,
		},
		Workers: r.Workers, Seconds: roundTo(r.Elapsed.Seconds(), 1000),
		TransitionsPerSecond: rate(r.Transitions, r.Elapsed),
		PeakRSSBytes:         peakRSS(),
		diskBytes:            r.DiskBytes,
	}
}

// stopReason returns the word for why r ended early, "" if it did not.
func stopReason(r *explore.Result) string {
	switch r.Stop {
	case explore.Exhausted:
		return ""
	case explore.StateLimit:
		return "states"
	case explore.MemoryLimit:
		return "memory"
	case explore.Deadline:
		return "timeout"
	case explore.DiskFailure:
		return "disk"
	case explore.Faulted:
		if r.Fault.Growth {
			return "growth"
		}
		return "fault"
	case explore.Matched: // a state that breaks what is assumed
		return "fault"
	}
	return "interrupt"
}

// text returns the report for people.
func (r *report) text() string {
	var b strings.Builder
	fmt.Fprintln(&b, title(r.Spec, r.Params, r.Options))
	if !r.Complete {
		fmt.Fprintf(&b, "incomplete (%s): the numbers are lower bounds\n", r.Stopped)
	}
	b.WriteByte('\n')
	if r.Reduction == noReduction && r.Assumption != "" && r.Complete {
		fmt.Fprintf(&b, "checked in every state: the assumption %s\n\n", r.Assumption)
	}
	writeReduction(&b, r.Reduction, r.Assumption, r.Symmetry, r.StoredStates)
	rows := []row{{"states", comma(r.States), ""}}
	if r.Reduction == onthefly {
		rows = append(rows, row{"internal states", comma(r.InternalStates), ""})
	}
	rows = append(rows, []row{
		{"transitions", comma(r.Transitions), ""},
		{"deadlocks", comma(r.Deadlocks), ""},
		{"levels", comma(uint64(r.Levels)), ""},
		{"time", fmt.Sprintf("%.3f", r.Seconds), "s"},
		{"rate", comma(r.TransitionsPerSecond), "transitions/s"},
		{"workers", comma(uint64(r.Workers)), ""},
		{"visited set", humanize.Comma(int64(r.Visited.Bytes)), "bytes"},
		{"per state", fmt.Sprintf("%.2f", r.Visited.BytesPerState), "bytes"},
		{"peak memory", comma(r.PeakRSSBytes >> 20), "MiB"},
	}...)
	if r.diskBytes > 0 {
		rows = append(rows, []row{
			{"on disk", comma(r.diskBytes), "bytes"},
			{"per state", fmt.Sprintf("%.2f", float64(r.diskBytes)/float64(max(1, r.StoredStates))), "bytes"},
		}...)
	}
	writeRows(&b, rows)
	return b.String()
}

// writeReduction says of which system the counts are, and how they were found.
func writeReduction(w io.Writer, kind, assumed, symmetry string, stored uint64) {
	of := "full"
	if kind != noReduction {
		of = "reduced"
		fmt.Fprintf(w, "reduced by %s: branching bisimilar to the full system", kind)
		if assumed != "" {
			fmt.Fprintf(w, " if the assumption %s holds there", assumed)
		}
		fmt.Fprint(w, "\n\n")
	}
	if symmetry != noSymmetry {
		by := map[string]string{rotation: "rotation", dihedral: "rotation or reflection"}[symmetry]
		fmt.Fprintf(w, "counts of the %s system, from %s states stored: one of those that differ by %s\n\n", of, comma(stored), by)
	}
}

// title names what was explored.
func title(spec string, params, options settings) string {
	var b strings.Builder
	b.WriteString(spec)
	for _, s := range append(params[:len(params):len(params)], options...) {
		fmt.Fprintf(&b, ", %s = %s", s.Name, s.Type.Format(s.Value))
	}
	return b.String()
}

// A row of a table: a number with its unit.
type row struct{ name, value, unit string }

// writeRows aligns the names on the left and the values on the right.
func writeRows(w io.Writer, rows []row) {
	var name, value int
	for _, r := range rows {
		name, value = max(name, utf8.RuneCountInString(r.name)), max(value, utf8.RuneCountInString(r.value))
	}
	for _, r := range rows {
		line := fmt.Sprintf("  %-*s  %*s %s", name, r.name, value, r.value, r.unit)
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
}

// settings are the values of parameters or options, in the order of their declarations.
type settings []ir.Setting

// MarshalJSON writes an object: integers as numbers, booleans as such, enumerated values by name.
func (s settings) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, setting := range s {
		if i > 0 {
			b = append(b, ',')
		}
		member, err := json.Marshal(map[string]any{setting.Name: plainValue(setting)})
		if err != nil {
			return nil, err
		}
		b = append(b, member[1:len(member)-1]...)
	}
	return append(b, '}'), nil
}

// plainValue returns the value of s as JSON knows it.
func plainValue(s ir.Setting) any {
	switch s.Type.Kind {
	case ir.Bool:
		return s.Value != 0
	case ir.Enum:
		return s.Type.Names[s.Value]
	}
	return s.Value
}

// roundTo keeps 1/unit as the smallest step.
func roundTo(x, unit float64) float64 { return math.Round(x*unit) / unit }
