package view

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Difference compares two runs step by step.
type Difference struct {
	Same bool `json:"same"`
	// First is the first step that differs, in its action or in the state after it, or that only one run has; 0 is the
	// initial state. It is nil if the runs are the same.
	First *int           `json:"first"`
	Runs  [2]recordedRun `json:"runs"`
}

// A recordedRun is one of two runs in a Difference.
type recordedRun struct {
	Title  string   `json:"title"`
	Length int      `json:"length"`
	Action *string  `json:"action"` // of the first different step; null if the run has no such step, or of the state 0
	State  []string `json:"state"`  // the exact local states after it; empty if the run has no such step

	texts  []string
	states [][]string
	action []string
}

// Compare compares two runs in the JSON form of a trace.
func Compare(left, right []byte) (*Difference, error) {
	d := &Difference{}
	for i, data := range [][]byte{left, right} {
		if _, err := ReadRecording(data); err != nil {
			return nil, err
		}
		var t jsonTrace
		if err := json.Unmarshal(data, &t); err != nil {
			return nil, err
		}
		r := &d.Runs[i]
		*r = recordedRun{Title: t.Title, Length: len(t.Steps), State: []string{}, texts: []string{"initial state"},
			states: [][]string{t.Initial.exact()}, action: []string{""}}
		for _, s := range t.Steps {
			action, text := "", ""
			if s.Step != nil {
				action, text = s.Action, s.Text
			}
			r.action, r.texts = append(r.action, action), append(r.texts, cmp.Or(text, action))
			r.states = append(r.states, s.State.exact())
		}
	}
	a, b := &d.Runs[0], &d.Runs[1]
	for step := range max(len(a.texts), len(b.texts)) {
		if a.has(step) && b.has(step) && a.action[step] == b.action[step] &&
			slices.Equal(a.states[step], b.states[step]) {
			continue
		}
		d.First = &step
		a.describe(step)
		b.describe(step)
		return d, nil
	}
	d.Same = true
	return d, nil
}

func (r *recordedRun) has(step int) bool { return step < len(r.texts) }

// describe sets what is said of the first different step.
func (r *recordedRun) describe(step int) {
	if !r.has(step) {
		return
	}
	r.State = append(r.State, r.states[step]...)
	if step > 0 {
		r.Action = &r.action[step]
	}
}

// Text writes the runs side by side, in width columns. A sign marks the first different step, below which are the local
// states that differ. An error comes from w.
func (d *Difference) Text(w io.Writer, width int) error {
	const numberWidth, least = 8, 20
	column := max((width-numberWidth-3)/2, least)
	var out strings.Builder
	line := func(mark, left, right string) {
		lefts, rights := wrap(left, column), wrap(right, column)
		for i := range max(len(lefts), len(rights)) {
			a, b := "", ""
			if i < len(lefts) {
				a = lefts[i]
			}
			if i < len(rights) {
				b = rights[i]
			}
			pad := strings.Repeat(" ", max(0, column-utf8.RuneCountInString(a)))
			fmt.Fprintln(&out, strings.TrimRight(fmt.Sprintf("%-*s%s%s │ %s", numberWidth, mark, a, pad, b), " "))
			mark = ""
		}
	}
	a, b := &d.Runs[0], &d.Runs[1]
	line("", a.Title, b.Title)
	fmt.Fprintln(&out)
	for step := range max(len(a.texts), len(b.texts)) {
		first := d.First != nil && step == *d.First
		line(fmt.Sprintf("%s %4d", choose(first, "≠", " "), step), a.text(step), b.text(step))
		if !first {
			continue
		}
		for p := range max(len(a.State), len(b.State)) {
			if left, right := local(a.State, p), local(b.State, p); left != right {
				line("", fmt.Sprintf("  %d: %s", p, left), fmt.Sprintf("  %d: %s", p, right))
			}
		}
	}
	fmt.Fprintln(&out)
	if d.Same {
		fmt.Fprintln(&out, "the runs are the same")
	} else {
		fmt.Fprintf(&out, "the runs differ from step %d on\n", *d.First)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func (r *recordedRun) text(step int) string {
	if !r.has(step) {
		return "–"
	}
	return r.texts[step]
}

func local(states []string, process int) string {
	if process >= len(states) {
		return "–"
	}
	return states[process]
}
