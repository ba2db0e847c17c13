// Package regress re-runs experiments and compares what they find with what is expected.
//
//	Parse     a regression file, with every entry checked; docs/regression.md describes the format
//	File.Run  runs the entries: a Report with a Result for each
//	Report    as text, for programs, or as JUnit XML
//	Update    replaces expectations by what was found
//	Initial   a file to begin with
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
	// Claims are what the entries are to confirm, by a short name: who says what, and where.
	Claims  map[string]string `json:"claims,omitempty"`
	Entries []*Entry          `json:"entries"`
}

// An Entry is an experiment and what it is expected to find.
type Entry struct {
	Claims []string `json:"claims,omitempty"` // what it is about, of File.Claims
	Full   bool     `json:"full,omitempty"`   // takes long, and is only run if that is asked for
	experiment.Experiment
	Expect Expectation `json:"expect"`

	offset   int64  // where it begins in the file
	place    string // the same as file:line:column and a colon; "" if it is of no file
	instance *experiment.Instance
}

// An Expectation holds what must be found. What is absent may be anything.
type Expectation struct {
	States         *ringcheck.Count `json:"states,omitempty"`
	Transitions    *ringcheck.Count `json:"transitions,omitempty"`
	Deadlocks      *ringcheck.Count `json:"deadlocks,omitempty"`
	TerminalStates *ringcheck.Count `json:"terminal_states,omitempty"` // the same
	Levels         *ringcheck.Count `json:"levels,omitempty"`
	StoredStates   *ringcheck.Count `json:"stored_states,omitempty"`
	InternalStates *ringcheck.Count `json:"internal_states,omitempty"`

	Properties map[string]experiment.Verdict `json:"properties,omitempty"`
	Quotient   *experiment.Quotient          `json:"quotient,omitempty"`
	// Values are certain if what is found lies between the bounds.
	Values []experiment.Value `json:"values,omitempty"`
}

// Name returns what tells the entry from the others.
func (e *Entry) Name() string { return e.instance.Name() }

// question returns what has to be found out to check the expectation.
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

// count is one of the counts of an expectation, and where an outcome has it.
type count struct {
	name string
	want **ringcheck.Count
	got  ringcheck.Count
}

// counts returns the counts of x beside those of o, in the order of the file.
func (x *Expectation) counts(o *experiment.Outcome) []count {
	return []count{
		{"states", &x.States, o.States},
		{"transitions", &x.Transitions, o.Transitions},
		{"deadlocks", &x.Deadlocks, o.Deadlocks},
		{"terminal_states", &x.TerminalStates, o.Deadlocks},
		{"levels", &x.Levels, o.Levels},
		{"stored_states", &x.StoredStates, o.StoredStates},
		{"internal_states", &x.InternalStates, o.InternalStates},
	}
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
