// Package sweep explores, checks or simulates an instance of a spec for each combination of settings, smallest first,
// and fits the growth of the numbers.
//
//	Grid          the combinations of settings of "n=2..6 k=2,3"
//	New           a Sweep with a row for each
//	Sweep.Resume  takes rows from an earlier sweep
//	Sweep.Run     runs the other rows
//	Fit           growth with the number of processes: states ≈ c·bⁿ
//	Trend         growth of expected costs: messages ≈ c·nᵖ
package sweep

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ringcheck"
	"ringcheck/model/language/check"
	"ringcheck/results/experiment"
	"ringcheck/results/figure"
)

// maxRows is the maximum number of combinations.
const maxRows = 10_000

// Grid returns the combinations of settings of a spec. A value is a list for Expand: "2..6", "2,3", "any,left". The
// last setting changes fastest.
func Grid(spec *ringcheck.Spec, values ringcheck.Set) ([]ringcheck.Set, error) {
	grid := []ringcheck.Set{{}}
	for _, s := range spec.Declarations.Settings() {
		name := s.Name
		value, given := values[name]
		if !given {
			continue
		}
		text := fmt.Sprint(value)
		list, err := Expand(text)
		if err == nil {
			err = checkRange(list, s)
		}
		if err != nil {
			return nil, fmt.Errorf("%s = %s: %w", name, text, err)
		}
		if len(grid)*len(list) > maxRows {
			return nil, fmt.Errorf("there are more than %d combinations", maxRows)
		}
		var more []ringcheck.Set
		for _, set := range grid {
			for _, value := range list {
				next := maps.Clone(set)
				next[name] = value
				more = append(more, next)
			}
		}
		grid = more
	}
	for name := range values {
		if !slices.ContainsFunc(spec.Declarations.Settings(), func(s check.Setting) bool { return s.Name == name }) {
			return nil, fmt.Errorf("%s has no parameter or option %s", spec.Name, name)
		}
	}
	return grid, nil
}

// checkRange returns an error if an integer among the values is outside the range of a parameter whose ends are
// constants.
func checkRange(list []string, s check.Setting) error {
	lo, err1 := strconv.Atoi(s.Lo)
	hi, err2 := strconv.Atoi(s.Hi)
	for _, text := range list {
		v, err := strconv.Atoi(text)
		if err == nil && (err1 == nil && v < lo || err2 == nil && v > hi) {
			return fmt.Errorf("%s is not in %s..%s", text, s.Lo, s.Hi)
		}
	}
	return nil
}

// Expand returns the values of a list of values and ranges: 2, 4, 5 and 6 for "2,4..6".
func Expand(text string) ([]string, error) {
	var list []string
	for word := range strings.SplitSeq(text, ",") {
		low, high, isRange := strings.Cut(word, "..")
		if !isRange {
			list = append(list, strings.TrimSpace(word))
			continue
		}
		first, err1 := strconv.Atoi(strings.TrimSpace(low))
		last, err2 := strconv.Atoi(strings.TrimSpace(high))
		switch {
		case err1 != nil || err2 != nil:
			return nil, fmt.Errorf("%s is not a range of integers", word)
		case last < first:
			return nil, fmt.Errorf("%s is an empty range", word)
		case uint(last)-uint(first) >= maxRows: // which the difference of two integers need not show
			return nil, fmt.Errorf("%s has more than %d values", word, maxRows)
		}
		for v := first; v <= last; v++ {
			list = append(list, strconv.Itoa(v))
		}
	}
	return list, nil
}

// A Sweep is a grid of experiments with one spec.
type Sweep struct {
	Spec   string `json:"spec"`
	SHA256 string `json:"sha256"` // of its text
	Rows   []*Row `json:"rows"`
	// Refused has an error for each combination of settings that the spec refuses; it has no row.
	Refused []string `json:"refused,omitempty"`
	Growth  []*Fit   `json:"growth"` // of each series of rows that differ only in n
	// Trends are the growth of the estimated costs, if the rows were simulated.
	Trends []*Trend `json:"trends,omitempty"`
}

// A Row is one instance.
type Row struct {
	Name     string `json:"name"` // unique in the sweep
	instance *experiment.Instance
	experiment.Experiment
	// Outcome is nil if the row was not run, because the sweep was stopped or a smaller row of its series was
	// incomplete.
	Outcome *experiment.Result `json:"outcome,omitempty"`
	// Sample takes the place of Outcome if the row was simulated.
	Sample *Sample `json:"sample,omitempty"`
}

// done reports whether the row is complete.
func (r *Row) done() bool {
	return r.Outcome != nil && r.Outcome.Complete || r.Sample != nil && r.Sample.Complete
}

// plausible reports whether a row of a file can be genuine: a complete search has found states and held memory, and
// times are in a sensible range.
func (r *Row) plausible() bool {
	const long = 1e9 // seconds
	switch {
	case r == nil || r.Outcome != nil && r.Sample != nil:
		return false
	case r.Outcome != nil:
		o := r.Outcome
		return !o.Complete || o.States > 0 && o.Bytes > 0 && o.Seconds >= 0 && o.Seconds < long
	case r.Sample != nil:
		return r.Sample.Seconds >= 0 && r.Sample.Seconds < long
	}
	return true
}

// A Task describes the work on each instance, besides or instead of exploring it.
type Task struct {
	Check    bool                  // decide its properties
	Simulate *ringcheck.Simulation // if not nil, take random runs instead of exploring
}

// answeredBy reports whether a complete row has everything that the task asks for.
func (t Task) answeredBy(r *Row, properties []string) bool {
	if t.Simulate != nil {
		return r.Sample != nil && r.Sample.Seed == t.Simulate.Seed && r.Sample.Runs == t.Simulate.Runs
	}
	return r.Outcome != nil && (!t.Check || len(r.Outcome.Properties) == len(properties))
}

// New returns a sweep with a row for each settings in grid that the spec accepts, and an error if it accepts none;
// template has the reduction, symmetry and engine of all rows; name is the name or path with which the spec was opened.
func New(name string, spec *ringcheck.Spec, grid []ringcheck.Set, template experiment.Experiment) (*Sweep, error) {
	hash := sha256.Sum256(spec.Text)
	s := &Sweep{Spec: name, SHA256: hex.EncodeToString(hash[:])}
	var first error
	for _, set := range grid {
		e := template
		e.Spec, e.Params, e.Options = name, ringcheck.Set{}, ringcheck.Set{}
		for key, value := range set {
			to := e.Options
			if slices.ContainsFunc(spec.Declarations.Params, func(p check.Setting) bool { return p.Name == key }) {
				to = e.Params
			}
			to[key] = value
		}
		i, err := e.InstantiateSpec(spec)
		if err != nil {
			first = cmp.Or(first, err)
			s.Refused = append(s.Refused, fmt.Sprintf("%s: %v", title(spec, set), err))
			continue
		}
		s.Rows = append(s.Rows, &Row{Name: i.Name(), instance: i, Experiment: e})
	}
	if len(s.Rows) == 0 {
		return nil, first
	}
	return s, nil
}

// title names a combination of settings: "n=2 k=3".
func title(spec *ringcheck.Spec, set ringcheck.Set) string {
	var words []string
	for _, s := range spec.Declarations.Settings() {
		if v, ok := set[s.Name]; ok {
			words = append(words, fmt.Sprintf("%s=%v", s.Name, v))
		}
	}
	return strings.Join(words, " ")
}

// Resume takes over the complete rows of an earlier sweep of the same spec, given as JSON, that answer the task.
func (s *Sweep) Resume(text []byte, task Task) error {
	var earlier Sweep
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields() // else a member with a damaged name would count as 0
	if err := d.Decode(&earlier); err != nil {
		return fmt.Errorf("not a sweep: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("not a sweep: it continues after its end")
	}
	switch {
	case earlier.SHA256 == s.SHA256:
	case earlier.Spec != s.Spec:
		return fmt.Errorf("it is a sweep of %s, not of %s", earlier.Spec, s.Spec)
	default:
		return fmt.Errorf("it is a sweep of a different text of %s", s.Spec)
	}
	known := make(map[string]*Row)
	for i, r := range earlier.Rows {
		switch {
		case !r.plausible():
			return fmt.Errorf("it is damaged: row %d is invalid", i+1)
		case r.done():
			known[r.Name] = r
		}
	}
	for _, r := range s.Rows {
		if k := known[r.Name]; k != nil && task.answeredBy(k, r.instance.System.Properties()) {
			r.Outcome, r.Sample = k.Outcome, k.Sample
		}
	}
	return nil
}

// Run runs the rows that are not done, and calls finished for every row. Once ctx is done it runs no more rows. It also
// skips the rows of a series after an incomplete row.
func (s *Sweep) Run(ctx context.Context, search ringcheck.Search, task Task, finished func(*Row)) error {
	states := func(r *Row) bool { return r.instance.System.Properties() != nil }
	if task.Check && !slices.ContainsFunc(s.Rows, states) {
		return &ringcheck.RequestError{Option: "check", Err: fmt.Errorf("%s declares no property", s.Spec)}
	}
	stopped := make(map[string]bool) // series
	for _, r := range s.Rows {
		series := r.instance.Family()
		if !r.done() && ctx.Err() == nil && !stopped[series] {
			if err := r.run(ctx, search, task); err != nil {
				return err
			}
		}
		if !r.done() {
			stopped[series] = true
		}
		finished(r)
	}
	s.fit()
	return nil
}

func (r *Row) run(ctx context.Context, search ringcheck.Search, task Task) (err error) {
	if task.Simulate != nil {
		return r.sample(ctx, *task.Simulate, search)
	}
	var q experiment.Question
	if task.Check {
		q.Properties = r.instance.System.Properties()
	}
	r.Outcome, err = r.instance.Run(ctx, search, q)
	return err
}

// Complete reports whether all rows were run to their end.
func (s *Sweep) Complete() bool {
	return !slices.ContainsFunc(s.Rows, func(r *Row) bool { return !r.done() })
}

// Points returns the panels of a plot, and the complete rows as its points.
func (s *Sweep) Points() (panels []string, points []figure.Instance) {
	panels = figure.CostPanels
	for _, r := range s.Rows {
		if !r.done() || r.instance.Size() == 0 {
			continue
		}
		point := figure.Instance{Series: r.instance.Series(), N: int(r.instance.Size())}
		if o := r.Outcome; o != nil {
			point.Values = figure.CostValues(uint64(o.States), o.Seconds, o.Bytes)
		} else {
			panels, point.Values = r.Sample.means()
		}
		points = append(points, point)
	}
	return panels, points
}

// ViolatingRows returns the rows in which a property is violated.
func (s *Sweep) ViolatingRows() []*Row {
	var rows []*Row
	for _, r := range s.Rows {
		if len(r.Broken()) > 0 {
			rows = append(rows, r)
		}
	}
	return rows
}

// Broken returns the names of the properties that are violated.
func (r *Row) Broken() []string {
	if r.Sample != nil {
		return r.Sample.broken()
	}
	var names []string
	if r.Outcome != nil {
		for _, name := range slices.Sorted(maps.Keys(r.Outcome.Properties)) {
			if !r.Outcome.Properties[name].Holds {
				names = append(names, name)
			}
		}
	}
	return names
}
