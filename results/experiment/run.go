package experiment

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"ringcheck"
	"ringcheck/internal/printable"
	"ringcheck/verify"
)

// A Question asks for results besides the counts.
type Question struct {
	Properties []string // names of properties to decide
	Quotient   string   // the equivalence to minimize by; "" for none
	// Values are probabilities and expected rewards to compute.
	Values []ringcheck.Quantity
}

// A Result is the result of an experiment. Its counts have the names and meanings that they have in the report of
// ringcheck explore --json. If Complete is false, they are lower bounds.
type Result struct {
	Complete       bool            `json:"complete"`
	Stopped        string          `json:"stopped,omitempty"` // why the search stopped, if it is not complete
	States         ringcheck.Count `json:"states"`
	Transitions    ringcheck.Count `json:"transitions"`
	TerminalStates ringcheck.Count `json:"terminal_states"`
	Levels         ringcheck.Count `json:"levels"`
	StoredStates   ringcheck.Count `json:"stored_states"`
	InternalStates ringcheck.Count `json:"internal_states"`
	// Nodes and PeakNodes are the sizes of the decision diagrams of the symbolic engine, which reports neither levels
	// nor stored states.
	Nodes     ringcheck.Count `json:"nodes,omitempty"`
	PeakNodes ringcheck.Count `json:"peak_nodes,omitempty"`

	Properties map[string]Decision `json:"properties,omitempty"`
	Quotient   *Quotient           `json:"quotient,omitempty"`
	Values     []Value             `json:"values,omitempty"`

	Workers              int     `json:"workers"`
	Seconds              float64 `json:"seconds"` // of the search that counts
	TransitionsPerSecond uint64  `json:"transitions_per_second"`
	Bytes                uint64  `json:"bytes"` // the peak memory of the search
}

// A Decision says whether a property holds.
type Decision struct {
	Holds bool `json:"holds"`
	// TraceLength is the number of steps of a shortest run to a state that violates the property; nil if there is no
	// such run, or if its length is not known or, in an expectation, not given.
	TraceLength *int `json:"trace_length,omitempty"`
}

// Confirms reports whether v agrees with want. TraceLength matters only if want has one.
func (v Decision) Confirms(want Decision) bool {
	return v.Holds == want.Holds && (want.TraceLength == nil || v.TraceLength != nil &&
		*v.TraceLength == *want.TraceLength)
}

func (v Decision) String() string {
	switch {
	case v.Holds:
		return "holds"
	case v.TraceLength == nil:
		return "violated"
	}
	return fmt.Sprintf("violated after %s", printable.Count(*v.TraceLength, "step"))
}

// A Quotient is the size of a minimized system.
type Quotient struct {
	Equivalence string          `json:"equivalence"` // "strong", "branching" or "divergence"
	States      ringcheck.Count `json:"states"`
	Transitions ringcheck.Count `json:"transitions"`
}

func (q Quotient) String() string {
	return fmt.Sprintf("%s and %s modulo %s bisimilarity", printable.Count(q.States, "state"),
		printable.Count(q.Transitions, "transition"), q.Equivalence)
}

// A Value is a quantity with a lower and an upper bound, which are both infinite if it is infinite.
type Value struct {
	ringcheck.Quantity
	Low  ringcheck.Real `json:"low"`
	High ringcheck.Real `json:"high"`
}

func (v Value) String() string {
	if v.Low == v.High {
		return fmt.Sprintf("%v %v", v.Quantity, v.Low)
	}
	return fmt.Sprintf("%v between %v and %v", v.Quantity, v.Low, v.High)
}

// Run explores an instance and answers q. An incomplete outcome is not an error. Under OnTheFly one worker explores,
// because the number of internal states depends on the order.
func (i *Instance) Run(ctx context.Context, search ringcheck.Search, q Question) (*Result, error) {
	o, err := i.run(ctx, search, q)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", i.Name(), err)
	}
	return o, nil
}

func (i *Instance) run(ctx context.Context, search ringcheck.Search, q Question) (*Result, error) {
	if err := i.Validate(q); err != nil {
		return nil, err
	}
	search.Reduction, search.Symmetry, search.Assume = i.Reduction, i.Symmetry, i.Assume
	if i.Reduction == ringcheck.OnTheFly {
		search.Workers = 1
	}
	search.Engine = i.Engine
	r, err := ringcheck.Explore(ctx, i.System, search)
	if err != nil {
		return nil, err
	}
	o := &Result{Complete: r.Complete, Stopped: r.Stopped, Workers: r.Workers, Seconds: r.Seconds, Bytes: r.HeldBytes}
	for to, n := range map[*ringcheck.Count]ringcheck.Number{&o.States: r.States, &o.Transitions: r.Transitions,
		&o.TerminalStates: r.TerminalStates} {
		if !n.IsUint64() {
			return nil, fmt.Errorf("%v is too large for a record, which holds 64 bits", n)
		}
		*to = ringcheck.Count(n.Uint64())
	}
	if d := r.Diagram; d != nil {
		o.Nodes, o.PeakNodes = ringcheck.Count(d.Nodes), ringcheck.Count(d.PeakNodes)
	} else {
		o.Levels, o.StoredStates = ringcheck.Count(r.Enumeration.Levels), r.Enumeration.StoredStates
		o.InternalStates = r.Storage.InternalStates
		o.TransitionsPerSecond = *r.TransitionsPerSecond
	}
	if o.Complete && len(q.Properties) > 0 {
		if err = o.decide(ctx, i, q.Properties, search); err != nil {
			return nil, err
		}
	}
	if o.Complete && q.Quotient != "" {
		if o.Quotient, err = i.minimize(ctx, search, q.Quotient); err != nil {
			return nil, err
		}
	}
	if o.Complete && len(q.Values) > 0 {
		if o.Values, err = i.values(ctx, search, q.Values); err != nil {
			return nil, err
		}
	}
	o.miss(q)
	return o, nil
}

// values computes quantities; it returns none if it stopped early.
func (i *Instance) values(ctx context.Context, search ringcheck.Search, quantities []ringcheck.Quantity) ([]Value,
	error) {
	found, err := ringcheck.Quantify(ctx, i.System, ringcheck.Questions{Quantities: quantities}, search)
	if err != nil || !found.Complete {
		return nil, err
	}
	var list []Value
	for n, a := range found.Results {
		list = append(list, Value{quantities[n], a.Low, a.High})
	}
	return list, nil
}

// decide decides properties. It leaves out those without a verdict because a search stopped early or they have no value
// in some state. A model error makes the outcome incomplete.
func (o *Result) decide(ctx context.Context, i *Instance, properties []string, search ringcheck.Search) error {
	r, err := ringcheck.Check(ctx, i.System, ringcheck.Checks{Claims: ringcheck.Claims{Properties: properties}}, search)
	if err != nil {
		return err
	}
	o.Properties = make(map[string]Decision)
	for _, p := range r.Verdicts.Properties {
		switch p.Outcome() {
		case verify.Holds:
			o.Properties[p.Name] = Decision{Holds: true}
		case verify.Violated:
			o.Properties[p.Name] = Decision{TraceLength: p.TraceLength}
		}
	}
	if err := r.Invalid(); err != nil {
		o.Complete, o.Stopped = false, err.Error()
	}
	return nil
}

// minimize returns the size of the quotient by an equivalence, with everything but events hidden, or nil if the search
// stopped early.
func (i *Instance) minimize(ctx context.Context, search ringcheck.Search, equivalence string) (*Quotient, error) {
	m, err := ringcheck.Minimize(ctx, i.System, ringcheck.Equivalence(equivalence),
		ringcheck.GraphOptions{Search: search})
	if err != nil || !m.Complete {
		return nil, err
	}
	return &Quotient{Equivalence: equivalence, States: m.States, Transitions: m.Transitions}, nil
}

// miss marks the outcome as incomplete if it does not answer all of q.
func (o *Result) miss(q Question) {
	if o.Complete && (len(o.Properties) < len(q.Properties) || q.Quotient != "" && o.Quotient == nil ||
		len(o.Values) < len(q.Values)) {
		o.Complete, o.Stopped = false, "stopped before all questions were answered"
	}
}

// Findings describes in words the results besides the counts.
func (o *Result) Findings() []string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(o.Properties)) {
		all = append(all, fmt.Sprintf("%s %v", name, o.Properties[name]))
	}
	if o.Quotient != nil {
		all = append(all, o.Quotient.String())
	}
	for _, v := range o.Values {
		all = append(all, v.String())
	}
	if o.InternalStates > 0 {
		all = append(all, o.InternalStates.Comma()+" internal states")
	}
	if o.StoredStates != o.States {
		all = append(all, o.StoredStates.Comma()+" states stored")
	}
	return all
}
