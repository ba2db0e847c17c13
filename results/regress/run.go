package regress

import (
	"context"
	"fmt"

	"ringcheck/explore"
	"ringcheck/results/experiment"
)

// A Status says what became of an entry.
type Status string

// What becomes of an entry.
const (
	Same       Status = "ok"
	Differs    Status = "differs"
	Incomplete Status = "incomplete" // it stopped before its end, so nothing can be said
	NotRun     Status = "not run"
)

// A Result is what became of an entry.
type Result struct {
	Name        string              `json:"name"`
	Claim       string              `json:"claim,omitempty"`
	Status      Status              `json:"status"`
	Differences []Difference        `json:"differences,omitempty"`
	Outcome     *experiment.Outcome `json:"outcome,omitempty"` // nil if the entry was not run
}

// A Difference is a member of an expectation that is not what was found.
type Difference struct {
	Member   string `json:"member"`
	Expected any    `json:"expected"` // a count, a truth value or a name
	Found    any    `json:"found"`
}

// Options say how to run a file.
type Options struct {
	Search explore.Options
	Full   bool // run the entries that take long, too
	// Started, if not nil, is called before an entry is run.
	Started func(*Entry)
}

// Run runs the entries of f one after the other. Once ctx is done, the rest is not run.
func (f *File) Run(ctx context.Context, opt Options) (*Report, error) {
	r := new(Report)
	for _, e := range f.Entries {
		result := &Result{Name: e.Name(), Claim: e.Claim, Status: NotRun}
		r.Results = append(r.Results, result)
		if e.Full && !opt.Full {
			continue
		}
		if ctx.Err() != nil {
			r.Interrupted = true
			continue
		}
		if opt.Started != nil {
			opt.Started(e)
		}
		o, err := e.instance.Run(ctx, opt.Search, e.Expect.question())
		if err != nil {
			return nil, fmt.Errorf("regression: %w", err)
		}
		result.judge(&e.Expect, o)
	}
	return r, nil
}

// judge compares an outcome with what was expected.
func (r *Result) judge(x *Expectation, o *experiment.Outcome) {
	r.Outcome = o
	if !o.Complete {
		r.Status = Incomplete
		return
	}
	if r.Differences = x.differences(o); len(r.Differences) > 0 {
		r.Status = Differs
	} else {
		r.Status = Same
	}
}

func (x *Expectation) differences(o *experiment.Outcome) []Difference {
	var all []Difference
	for _, c := range x.counts(o) {
		if *c.want != nil && **c.want != c.got {
			all = append(all, Difference{c.name, **c.want, c.got})
		}
	}
	if want, got := x.Quotient, o.Quotient; want != nil {
		if want.States != got.States {
			all = append(all, Difference{"quotient.states", want.States, got.States})
		}
		if want.Transitions != got.Transitions {
			all = append(all, Difference{"quotient.transitions", want.Transitions, got.Transitions})
		}
	}
	return all
}

// Update replaces what f expects by what was found, where a result is complete. An entry that expects nothing yet
// gets all counts.
func (f *File) Update(r *Report) {
	for i, e := range f.Entries {
		if o := r.Results[i].Outcome; o != nil && o.Complete {
			e.Expect.update(o)
		}
	}
}

func (x *Expectation) update(o *experiment.Outcome) {
	fresh := x.empty()
	for _, c := range x.counts(o) {
		known := *c.want != nil
		if known || fresh && c.worthwhile(o) {
			*c.want = &c.got
		}
	}
	if x.Quotient != nil {
		x.Quotient = o.Quotient
	}
}

// worthwhile reports whether the count says more than the others do.
func (c *count) worthwhile(o *experiment.Outcome) bool {
	switch c.name {
	case "stored_states":
		return o.StoredStates != o.States
	case "internal_states":
		return o.InternalStates != 0
	}
	return true
}
