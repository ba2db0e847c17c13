package regress

import (
	"fmt"

	"ringcheck"
	"ringcheck/results/experiment"
	"ringcheck/results/published"
	"ringcheck/results/table"
	"ringcheck/specs"
)

// long is the number of states from which on an entry of an initial file is full.
const long = 1_000_000

// Initial returns a file to begin with: the published counts, and the other built-in specs in small, of which nothing is
// expected yet. Update says what they are.
func Initial() (*File, error) {
	f := &File{Comment: "Expected counts; see docs/regression.md.", Claims: make(map[string]string)}
	tables, err := published.Tables()
	if err != nil {
		return nil, err
	}
	covered := make(map[string]bool)
	for _, p := range tables {
		t, err := table.New(p)
		if err != nil {
			return nil, err
		}
		claim := fmt.Sprintf("table-%d", t.Number)
		f.Claims[claim] = t.Source
		for _, r := range t.Rows {
			f.Entries = append(f.Entries, expected(claim, r))
			covered[r.Experiment.Spec] = true
		}
	}
	for _, name := range specs.Names() {
		for n := 2; n <= 3 && !covered[name]; n++ {
			e := &Entry{Experiment: experiment.Experiment{Spec: name, Params: ringcheck.Set{"n": n}}}
			f.Entries = append(f.Entries, e)
		}
	}
	for _, e := range f.Entries {
		if err := e.check("."); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// expected returns the entry for a row of a table.
func expected(claim string, r *table.Row) *Entry {
	e := &Entry{Claims: []string{claim}, Experiment: r.Experiment}
	for i := range r.Cells {
		c := &r.Cells[i]
		switch c.Name {
		case "states":
			e.Expect.States = &c.Published
			e.Full = c.Published >= long
		case "internal_states":
			e.Expect.InternalStates = &c.Published
		case "transitions":
			e.Expect.Transitions = &c.Published
		}
	}
	return e
}
