package experiment

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/dustin/go-humanize"

	"ringcheck/explore"
	"ringcheck/reduce"
)

// An Outcome is what an experiment found. Its counts are those of the report of ringcheck explore --json, and
// have the same names. Where Complete is false, they are lower bounds.
type Outcome struct {
	Complete       bool   `json:"complete"`
	Stopped        string `json:"stopped,omitempty"` // why, if not complete
	States         uint64 `json:"states"`
	Transitions    uint64 `json:"transitions"`
	Deadlocks      uint64 `json:"deadlocks"`
	Levels         uint64 `json:"levels"`
	StoredStates   uint64 `json:"stored_states"`
	InternalStates uint64 `json:"internal_states"`

	Properties map[string]Verdict `json:"properties,omitempty"`
	Quotient   *Quotient          `json:"quotient,omitempty"`

	Workers              int     `json:"workers"`
	Seconds              float64 `json:"seconds"` // of the search that counts
	TransitionsPerSecond uint64  `json:"transitions_per_second"`
	Bytes                uint64  `json:"bytes"` // the most that the search held
}

// newOutcome returns the counts of a search of sys.
func newOutcome(sys *reduce.Applied, r *explore.Result) *Outcome {
	o := &Outcome{
		Complete:       r.Complete(),
		States:         r.States,
		Transitions:    r.Transitions,
		Deadlocks:      r.Deadlocks,
		Levels:         uint64(len(r.Levels)),
		StoredStates:   r.Stored,
		InternalStates: sys.InternalStates(),
		Workers:        r.Workers,
		Seconds:        r.Elapsed.Round(time.Millisecond).Seconds(),
		Bytes:          r.TotalBytes,
	}
	if !o.Complete {
		o.Stopped = r.Stop.String()
	}
	if s := r.Elapsed.Seconds(); s > 0 {
		o.TransitionsPerSecond = uint64(float64(r.Transitions) / s)
	}
	return o
}

// Findings says in words what was found beside the counts.
func (o *Outcome) Findings() []string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(o.Properties)) {
		all = append(all, fmt.Sprintf("%s %v", name, o.Properties[name]))
	}
	if o.Quotient != nil {
		all = append(all, o.Quotient.String())
	}
	if o.InternalStates > 0 {
		all = append(all, fmt.Sprintf("%s internal states", humanize.Comma(int64(o.InternalStates))))
	}
	if o.StoredStates != o.States {
		all = append(all, fmt.Sprintf("%s states stored", humanize.Comma(int64(o.StoredStates))))
	}
	return all
}
