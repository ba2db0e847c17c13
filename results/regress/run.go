package regress

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"ringcheck"
	"ringcheck/results/experiment"
)

// A Status is the status of an entry.
type Status string

// The statuses of entries.
const (
	Same       Status = "ok"
	Differs    Status = "differs"
	Incomplete Status = "incomplete" // it stopped early, so the comparison is undecided
	NotRun     Status = "not run"
)

// A Result is the result of an entry.
type Result struct {
	Name        string             `json:"name"`
	Claims      []string           `json:"claims,omitempty"`
	Status      Status             `json:"status"`
	Differences []Difference       `json:"differences,omitempty"`
	Outcome     *experiment.Result `json:"outcome,omitempty"` // nil if the entry was not run
}

// A Difference is a member of an expectation that differs from the result.
type Difference struct {
	Member   string `json:"member"`
	Expected any    `json:"expected"` // a count or a verdict
	Actual   any    `json:"found"`
}

// Options say how to run a file.
type Options struct {
	Search ringcheck.Search
	// Select, if not nil, selects the entries to run.
	Select func(*Entry) bool
	// OnStart, if not nil, is called before an entry is run.
	OnStart func(*Entry)
	// OnFinish, if not nil, is called after an entry was run. An error ends the run.
	OnFinish func(*Entry, *experiment.Result) error
	// Update allows entries without expectations, because the file will be updated.
	Update bool
	// None permits a run of no entries.
	None bool
}

// errNothing means that a run would check nothing.
var errNothing = errors.New("no entry is to be run")

// validate returns an error if a run would check nothing: it has no entries, or an entry that expects nothing.
func (f *File) validate(opt *Options) error {
	wanted := 0
	for _, e := range f.Entries {
		if opt.Select != nil && !opt.Select(e) {
			continue
		}
		if wanted++; e.Expect.empty() && !opt.Update {
			return fmt.Errorf("%s%s expects nothing: add expected results, or use --update", e.place, e.Name())
		}
	}
	if wanted == 0 && !opt.None {
		return errNothing
	}
	return nil
}

// Run runs the entries of f one after the other. It is an error if there is nothing to run or to compare. Once ctx is
// done, the rest is not run.
func (f *File) Run(ctx context.Context, opt Options) (*Report, error) {
	if err := f.validate(&opt); err != nil {
		return nil, err
	}
	r := new(Report)
	for _, e := range f.Entries {
		var o *experiment.Result
		switch {
		case opt.Select != nil && !opt.Select(e):
		case ctx.Err() != nil:
			r.Interrupted = true
		default:
			var err error
			if o, err = e.run(ctx, opt); err != nil {
				return nil, fmt.Errorf("regression: %w", err)
			}
		}
		r.Results = append(r.Results, e.Judge(o))
	}
	return r, nil
}

func (e *Entry) run(ctx context.Context, opt Options) (*experiment.Result, error) {
	if opt.OnStart != nil {
		opt.OnStart(e)
	}
	o, err := e.instance.Run(ctx, opt.Search, e.Expect.question())
	if err == nil && opt.OnFinish != nil {
		err = opt.OnFinish(e, o)
	}
	return o, err
}

// Judge compares an outcome, nil if the entry was not run, with the expectation.
func (e *Entry) Judge(o *experiment.Result) *Result {
	r := &Result{Name: e.Name(), Claims: e.Claims, Outcome: o}
	switch {
	case o == nil:
		r.Status = NotRun
	case !o.Complete:
		r.Status = Incomplete
	default:
		r.Status, r.Differences = Same, e.Expect.differences(o)
		if len(r.Differences) > 0 {
			r.Status = Differs
		}
	}
	return r
}

func (x *Expectation) differences(o *experiment.Result) []Difference {
	var all []Difference
	for _, c := range x.Counts(o) {
		if c.Expected != nil && *c.Expected != *c.Actual {
			all = append(all, Difference{c.Name, *c.Expected, *c.Actual})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(x.Properties)) {
		if want, got := x.Properties[name], o.Properties[name]; !got.Confirms(want) {
			all = append(all, Difference{"properties." + name, want, got})
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
	for i, want := range x.Values {
		var got experiment.Value // the record may be older than the question
		if i < len(o.Values) {
			got = o.Values[i]
		}
		if got.Low < want.Low || got.High > want.High || got.Quantity.String() != want.Quantity.String() {
			all = append(all, Difference{fmt.Sprintf("values[%d]", i), want, got})
		}
	}
	return all
}

// Update replaces expectations by the results that are complete. An entry without expectations gets all counts.
func (f *File) Update(r *Report) {
	for i, e := range f.Entries {
		if o := r.Results[i].Outcome; o != nil && o.Complete {
			e.Expect.update(o)
		}
	}
}

func (x *Expectation) update(o *experiment.Result) {
	fresh := x.empty()
	for _, c := range x.Counts(o) {
		if c.Expected != nil || fresh && c.worthwhile(o) {
			*c.field = c.Actual
		}
	}
	for name := range x.Properties {
		x.Properties[name] = o.Properties[name]
	}
	if x.Quotient != nil {
		x.Quotient = o.Quotient
	}
	for i, want := range x.Values {
		if got := o.Values[i]; got.Low < want.Low || got.High > want.High {
			x.Values[i] = got
		}
	}
}

// worthwhile reports whether the count is known, as levels and stored states are not to the symbolic engine, and not
// implied by the others.
func (c *Count) worthwhile(o *experiment.Result) bool {
	switch c.Name {
	case "stored_states":
		return o.StoredStates != 0 && o.StoredStates != o.States
	case "levels", "internal_states":
		return *c.Actual != 0
	}
	return true
}
