// Package regress re-runs experiments and compares their results with expected ones.
//
//	Parse     a regression file, with every entry checked; docs/regression.md describes the format
//	File.Run  runs the entries: a Report with a Result for each
//	Report    as text, for programs, or as JUnit XML
//	Update    replaces expectations by what was found
package regress

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"ringcheck"
	"ringcheck/results/experiment"
)

// A File is a regression file.
type File struct {
	Schema  string `json:"$schema,omitempty"`
	Comment string `json:"comment,omitempty"`
	// Claims are the claims that the entries confirm, by a short name: who claims what, and where.
	Claims  map[string]string `json:"claims,omitempty"`
	Entries []*Entry          `json:"entries"`
}

// An Entry is an experiment with its expected results.
type Entry struct {
	Claims []string `json:"claims,omitempty"` // the claims in File.Claims that it confirms
	Full   bool     `json:"full,omitempty"`   // takes long, so it is only run on request
	experiment.Experiment
	Expect Expectation `json:"expect"`

	offset   int64  // the position in the file, in bytes
	place    string // the position as "file:line:column:"; "" if the entry is not from a file
	instance *experiment.Instance
}

// An Expectation has the expected results. Absent members are not compared.
type Expectation struct {
	States         *ringcheck.Count `json:"states,omitempty"`
	Transitions    *ringcheck.Count `json:"transitions,omitempty"`
	TerminalStates *ringcheck.Count `json:"terminal_states,omitempty"`
	Levels         *ringcheck.Count `json:"levels,omitempty"`
	StoredStates   *ringcheck.Count `json:"stored_states,omitempty"`
	InternalStates *ringcheck.Count `json:"internal_states,omitempty"`

	Properties map[string]experiment.Decision `json:"properties,omitempty"`
	Quotient   *experiment.Quotient           `json:"quotient,omitempty"`
	// Values are confirmed if the computed intervals lie between these bounds.
	Values []experiment.Value `json:"values,omitempty"`
}

// NewEntry returns an entry, checked like one of a file.
func NewEntry(e experiment.Experiment, expect Expectation) (*Entry, error) {
	entry := &Entry{Experiment: e, Expect: expect}
	return entry, entry.check(".")
}

// Name identifies the entry.
func (e *Entry) Name() string { return e.instance.Name() }

// question returns the question whose answer decides the expectation.
func (x *Expectation) question() experiment.Question {
	q := experiment.Question{Properties: slices.Sorted(maps.Keys(x.Properties))}
	if x.Quotient != nil {
		q.Quotient = x.Quotient.Equivalence
	}
	for _, v := range x.Values {
		q.Values = append(q.Values, v.Quantity)
	}
	return q
}

// empty reports whether nothing is expected.
func (x *Expectation) empty() bool { return reflect.ValueOf(*x).IsZero() }

// A Count is an expected count and the corresponding actual count.
type Count struct {
	Name     string
	Expected *ringcheck.Count // nil if it is not compared
	Actual   *ringcheck.Count // nil unless the outcome is complete

	field **ringcheck.Count // the member of the expectation
}

// Counts pairs the counts of x with the counts of o, which may be nil, in the order of the file.
func (x *Expectation) Counts(o *experiment.Result) []Count {
	known := o != nil && o.Complete
	if !known {
		o = new(experiment.Result)
	}
	all := []Count{
		{"states", x.States, &o.States, &x.States},
		{"transitions", x.Transitions, &o.Transitions, &x.Transitions},
		{"terminal_states", x.TerminalStates, &o.TerminalStates, &x.TerminalStates},
		{"levels", x.Levels, &o.Levels, &x.Levels},
		{"stored_states", x.StoredStates, &o.StoredStates, &x.StoredStates},
		{"internal_states", x.InternalStates, &o.InternalStates, &x.InternalStates},
	}
	for i := range all {
		if !known {
			all[i].Actual = nil
		}
	}
	return all
}

// Format returns the text of f.
func (f *File) Format() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(f); err != nil {
		return nil, fmt.Errorf("writing the regression file: %w", err)
	}
	return b.Bytes(), nil
}
