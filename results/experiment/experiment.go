package experiment

import (
	"fmt"
	"maps"
	"strings"

	"ringcheck/model/language/check"
	"ringcheck/model/language/ir"
	"ringcheck/specs"
)

// An Experiment says which system to explore: an instance of a spec, and how it is made smaller.
type Experiment struct {
	Spec      string     `json:"spec"` // the name of a built-in spec or the path of a file
	Params    Settings   `json:"params,omitempty"`
	Options   Settings   `json:"options,omitempty"`
	Reduction Reduction  `json:"reduction,omitzero"`
	Assume    Assumption `json:"assume,omitzero"`
	Symmetry  Symmetry   `json:"symmetry,omitzero"`
}

// An Instance is an experiment whose spec is known and whose settings fit it.
type Instance struct {
	Experiment
	Protocol *ir.Protocol

	spec *check.Spec
}

// Instantiate opens the spec and gives its parameters and options their values. The error says what is wrong
// with the spec, or with the settings for it.
func (e Experiment) Instantiate() (*Instance, error) {
	spec, err := specs.Open(e.Spec)
	if err != nil {
		return nil, fmt.Errorf("spec %s: %w", e.Spec, err)
	}
	given := maps.Clone(e.Params)
	if given == nil {
		given = Settings{}
	}
	for name, value := range e.Options {
		if _, twice := given[name]; twice {
			return nil, fmt.Errorf("spec %s: %s is among the parameters and the options", e.Spec, name)
		}
		given[name] = value
	}
	p, err := spec.Instantiate(given)
	if err != nil {
		return nil, fmt.Errorf("spec %s: %w", e.Spec, err)
	}
	return &Instance{Experiment: e, Protocol: p, spec: spec}, nil
}

// Name returns what tells an instance from all others: "franklin n=4 k=2 order=left reduce=confelm". Options that
// have their default are left out.
func (i *Instance) Name() string {
	var b strings.Builder
	b.WriteString(i.Spec)
	for _, s := range i.Protocol.Params {
		fmt.Fprintf(&b, " %s=%s", s.Name, s.Type.Format(s.Value))
	}
	for _, o := range i.chosen() {
		fmt.Fprintf(&b, " %s=%s", o.Name, o.Type.Format(o.Value))
	}
	if i.Reduction != NoReduction {
		fmt.Fprintf(&b, " reduce=%s", i.Reduction)
	}
	if i.Assume != NoAssumption {
		fmt.Fprintf(&b, " assume=%s", i.Assume)
	}
	if i.Symmetry != NoSymmetry {
		fmt.Fprintf(&b, " symmetry=%s", i.Symmetry)
	}
	return b.String()
}

// Family returns the name without the parameter n: instances of one family differ in their size.
func (i *Instance) Family() string {
	var words []string
	for _, word := range strings.Fields(i.Name()) {
		if !strings.HasPrefix(word, sizeParam+"=") {
			words = append(words, word)
		}
	}
	return strings.Join(words, " ")
}

// sizeParam is how specs call the number of processes.
const sizeParam = "n"

// Size returns the parameter n, 0 if the spec has none.
func (i *Instance) Size() int64 {
	for _, s := range i.Protocol.Params {
		if s.Name == sizeParam {
			return s.Value
		}
	}
	return 0
}

// chosen returns the options that do not have their default.
func (i *Instance) chosen() []ir.Setting {
	defaults := make(map[string]string)
	for _, o := range i.spec.Options {
		defaults[o.Name] = o.Default
	}
	var chosen []ir.Setting
	for _, o := range i.Protocol.Options {
		if o.Type.Format(o.Value) != defaults[o.Name] {
			chosen = append(chosen, o)
		}
	}
	return chosen
}
