// Package experiment runs one experiment: it explores an instance of a spec, reduced by a reduction and a symmetry, and
// answers the questions about it.
//
//	Experiment              what to explore, as regression files and records store it
//	Experiment.Instantiate  an Instance: the spec opened, its settings checked
//	Instance.Run            a Result: counts, verdicts on the properties, the size of the quotient
package experiment

import (
	"fmt"
	"strings"

	"ringcheck"
)

// An Experiment is the system to explore: an instance of a spec, with its reduction, symmetry and engine.
type Experiment struct {
	Spec      string              `json:"spec"` // the name of a built-in spec or the path of a file
	Params    ringcheck.Set       `json:"params,omitempty"`
	Options   ringcheck.Set       `json:"options,omitempty"`
	Reduction ringcheck.Reduction `json:"reduction,omitzero"`
	Assume    string              `json:"assume,omitempty"` // see ringcheck.Search
	Symmetry  ringcheck.Symmetry  `json:"symmetry,omitzero"`
	// Engine is "" for ringcheck.Explicit, or ringcheck.Symbolic, which counts states, transitions and terminal states
	// and answers no Question.
	Engine ringcheck.Engine `json:"engine,omitempty"`
}

// An Instance is an experiment with its spec opened and its settings checked.
type Instance struct {
	Experiment
	System *ringcheck.System
}

// Instantiate opens the spec and sets its parameters and options. The error describes what is wrong with the spec or
// its settings.
func (e Experiment) Instantiate() (*Instance, error) {
	spec, err := ringcheck.Open(e.Spec)
	if err != nil {
		return nil, fmt.Errorf("spec %s: %w", e.Spec, err)
	}
	return e.InstantiateSpec(spec)
}

// InstantiateSpec is Instantiate for an opened spec.
func (e Experiment) InstantiateSpec(spec *ringcheck.Spec) (*Instance, error) {
	for name := range e.Options {
		if _, twice := e.Params[name]; twice {
			return nil, fmt.Errorf("spec %s: %s is among the parameters and the options", e.Spec, name)
		}
	}
	sys, err := spec.System(e.Params, e.Options)
	if err != nil {
		return nil, fmt.Errorf("spec %s: %w", e.Spec, err)
	}
	if e.Assume == ringcheck.Choices("assume")[0] {
		e.Assume = ""
	}
	i := &Instance{e, sys}
	return i, i.Validate(Question{})
}

// Validate returns an error if a question cannot be asked of the instance.
func (i *Instance) Validate(q Question) error {
	switch asked := len(q.Properties) > 0 || q.Quotient != "" || len(q.Values) > 0; {
	case i.Engine != "" && i.Engine != ringcheck.Symbolic:
		return fmt.Errorf("engine %s: expected %s, or none", i.Engine, ringcheck.Symbolic)
	case i.Engine != "" && (asked || i.Symmetry != ringcheck.NoSymmetry || i.Reduction == ringcheck.OnTheFly):
		return fmt.Errorf("engine %s: it counts states, transitions and terminal states, and cannot be combined with "+
			"%s or symmetry here", i.Engine, ringcheck.OnTheFly)
	}
	return ringcheck.Validate(i.System, q.Properties,
		ringcheck.Search{Reduction: i.Reduction, Symmetry: i.Symmetry, Assume: i.Assume})
}

// Name identifies the instance: "franklin n=4 k=2 order=left reduce=confelm". It leaves out options with their default
// value.
func (i *Instance) Name() string {
	var b strings.Builder
	b.WriteString(i.Spec)
	for _, s := range i.System.Params() {
		fmt.Fprintf(&b, " %s=%v", s.Name, s.Value)
	}
	for _, o := range i.nonDefaults() {
		fmt.Fprintf(&b, " %s=%v", o.Name, o.Value)
	}
	if i.Reduction != ringcheck.NoReduction {
		fmt.Fprintf(&b, " reduce=%s", i.Reduction)
	}
	if i.Assume != "" {
		fmt.Fprintf(&b, " assume=%s", i.Assume)
	}
	if i.Symmetry != ringcheck.NoSymmetry {
		fmt.Fprintf(&b, " symmetry=%s", i.Symmetry)
	}
	if i.Engine != "" {
		fmt.Fprintf(&b, " engine=%s", i.Engine)
	}
	return b.String()
}

// Family returns the name without the parameter n: instances of a family differ only in size.
func (i *Instance) Family() string {
	var words []string
	for _, word := range strings.Fields(i.Name()) {
		if !strings.HasPrefix(word, sizeParam+"=") {
			words = append(words, word)
		}
	}
	return strings.Join(words, " ")
}

// Series returns the family without the name of the spec, or that name if nothing else is left.
func (i *Instance) Series() string { return strings.TrimPrefix(i.Family(), i.Spec+" ") }

// sizeParam is the name of the number of processes in specs.
const sizeParam = "n"

// Size returns the parameter n, or 0 if the spec has none.
func (i *Instance) Size() int64 {
	for _, s := range i.System.Params() {
		if s.Name == sizeParam {
			return s.Value.(int64)
		}
	}
	return 0
}

// nonDefaults returns the options that differ from their defaults.
func (i *Instance) nonDefaults() []ringcheck.Setting {
	defaults := make(map[string]string)
	for _, o := range i.System.Spec.Declarations.Options {
		defaults[o.Name] = o.Default
	}
	var chosen []ringcheck.Setting
	for _, o := range i.System.Options() {
		if fmt.Sprint(o.Value) != defaults[o.Name] {
			chosen = append(chosen, o)
		}
	}
	return chosen
}
