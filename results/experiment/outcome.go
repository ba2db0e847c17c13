package experiment

import (
	"time"

	"ringcheck/explore"
	"ringcheck/model"
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

	Quotient       *Quotient       `json:"quotient,omitempty"`
	Properties     map[string]bool `json:"properties,omitempty"`
	Counterexample *Counterexample `json:"counterexample,omitempty"`

	Workers              int     `json:"workers"`
	Seconds              float64 `json:"seconds"` // of the search that counts
	TransitionsPerSecond uint64  `json:"transitions_per_second"`
	Bytes                uint64  `json:"bytes"` // the most that the search held
}

// A Quotient is the size of a minimized system.
type Quotient struct {
	Equivalence string `json:"equivalence"`
	States      uint64 `json:"states"`
	Transitions uint64 `json:"transitions"`
}

// A Counterexample is a shortest run that breaks a property.
type Counterexample struct {
	Property string `json:"property"`
	Length   int    `json:"length"` // in steps
}

// newOutcome returns the counts of a search of sys.
func newOutcome(sys model.System, r *explore.Result) *Outcome {
	o := &Outcome{
		Complete:       r.Complete(),
		States:         r.States,
		Transitions:    r.Transitions,
		Deadlocks:      r.Deadlocks,
		Levels:         uint64(len(r.Levels)),
		StoredStates:   r.Stored,
		InternalStates: InternalStates(sys),
		Workers:        r.Workers,
		Seconds:        r.Elapsed.Round(time.Millisecond).Seconds(),
		Bytes:          r.TotalBytes + Bytes(sys),
	}
	if !o.Complete {
		o.Stopped = r.Stop.String()
	}
	if s := r.Elapsed.Seconds(); s > 0 {
		o.TransitionsPerSecond = uint64(float64(r.Transitions) / s)
	}
	return o
}
