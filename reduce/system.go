package reduce

import (
	"fmt"
	"slices"
	"strings"

	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// A System can be explored and checked: an instance of a spec, a model.System such as one of ordinary Go values, or a
// transition system or process in a file. It is immutable.
type System struct {
	Name string
	Spec *Spec // nil unless it is an instance of one

	Given    map[string]string // the values of parameters and options, as a person gives them; nil without a spec
	Protocol *ir.Protocol      // of an instance of a spec; nil otherwise
	Direct   model.System      // a system that was not compiled from a spec; nil for an instance of one
	File     string            // that holds a transition system or a process; "" otherwise
	// Claims and Holds are the properties of Direct, and their values in its states. Protocol declares its own.
	Claims []*ir.Property
	Holds  func(property int, v model.Value) bool
}

// DeclaredProperties returns the properties of the system without bounds.
func (s *System) DeclaredProperties() []*ir.Property {
	if s.Protocol == nil {
		return s.Claims
	}
	return s.Protocol.Properties
}

// Properties returns the names of the properties of the system, and then the names of its bounds on probabilities and
// rewards.
func (s *System) Properties() []string {
	var names []string
	for _, p := range s.DeclaredProperties() {
		names = append(names, p.Name)
	}
	if s.Protocol != nil {
		for _, b := range s.Protocol.Bounds {
			names = append(names, b.Name)
		}
	}
	return names
}

// CheckNames returns a *model.RequestError if there is no property with one of the names, or if there is no property at
// all.
func (s *System) CheckNames(names []string) error {
	all := s.Properties()
	if len(all) == 0 {
		return model.Refuse("", "", "%s declares no property", s.Name)
	}
	for _, name := range names {
		if slices.Contains(all, name) {
			continue
		}
		hint := "there are " + strings.Join(all, ", ")
		if near := syntax.Nearest(name, all); near != "" {
			hint = fmt.Sprintf("did you mean %s?", near)
		}
		return model.Refuse("property", name, "%s states no such property with these options (%s)", s.Name, hint)
	}
	return nil
}

// Explorable returns a *model.RequestError if the system is too large for anything but simulation.
func (s *System) Explorable() error {
	if s.Protocol == nil || len(s.Protocol.Large) == 0 {
		return nil
	}
	why := s.Protocol.Large[0]
	return model.Refuse("", "", "%s: %s: too large to be explored; use simulate", why.Pos, why.Text)
}

// Params returns the values of the parameters.
func (s *System) Params() Settings {
	if s.Protocol == nil {
		return Settings{}
	}
	return newSettings(s.Protocol.Params)
}

// Options returns the values of the options.
func (s *System) Options() Settings {
	if s.Protocol == nil {
		return Settings{}
	}
	return newSettings(s.Protocol.Options)
}

// Description describes the system without reductions.
func (s *System) Description() Description {
	if s.File != "" {
		return Description{File: s.File}
	}
	return Description{Spec: s.Name, Params: s.Params(), Options: s.Options()}
}

// Title is "franklin, n = 4, k = 2, bits = true".
func (s *System) Title() string {
	d := s.Description()
	return d.Title()
}

// WithGoals returns an instance of a spec with goals in its protocol, in the same order: expressions, resolved as those
// in properties of the spec are, or Elected.
func (s *System) WithGoals(goals ...string) (*System, error) {
	if s.Protocol == nil {
		return nil, fmt.Errorf("%s is not an instance of a spec", s.Name)
	}
	if i := slices.Index(goals, Elected); i >= 0 {
		event := s.Election()
		if event == "" {
			return nil, fmt.Errorf("no event of %s declares a leader", s.Name)
		}
		goals = slices.Clone(goals)
		goals[i] = event + " happens"
	}
	p, err := s.Spec.Declarations.Ask(s.Given, goals...)
	if err != nil {
		return nil, err
	}
	return &System{Name: s.Name, Spec: s.Spec, Given: s.Given, Protocol: p}, nil
}

// The predefined goals.
const (
	Elected  = "elected"  // after the event that declares a leader
	Terminal = "terminal" // in a state without transitions
)

// Election returns the event of a spec that declares a leader: the one called leader, or its only one; "" if there is
// none.
func (s *System) Election() string {
	if s.Protocol == nil {
		return ""
	}
	for _, e := range s.Protocol.Events {
		if e.Name == "leader" || len(s.Protocol.Events) == 1 {
			return e.Name
		}
	}
	return ""
}

// HoldsOf returns the function that evaluates the properties with these names; nil if the properties are not Go
// functions.
func (s *System) HoldsOf(names []string) func(int, model.Value) bool {
	if s.Holds == nil || names == nil {
		return s.Holds
	}
	var chosen []int
	for i, p := range s.Claims {
		if slices.Contains(names, p.Name) {
			chosen = append(chosen, i)
		}
	}
	return func(i int, v model.Value) bool { return s.Holds(chosen[i], v) }
}

// A Description names the system that a report is about.
type Description struct {
	File       string   `json:"file,omitempty"` // that holds the system; the other members are then empty
	Spec       string   `json:"spec,omitempty"`
	Params     Settings `json:"params,omitzero"`
	Options    Settings `json:"options,omitzero"`
	Reduction  string   `json:"reduction,omitempty"` // "none", "confelm" or "onthefly"
	Symmetry   string   `json:"symmetry,omitempty"`  // "none", "rotation" or "permutation"
	Assumption string   `json:"assumption,omitempty"`
}

// Title names the instance: "franklin, n = 4, k = 2, bits = true".
func (d *Description) Title() string {
	if d.File != "" {
		return d.File
	}
	parts := []string{d.Spec}
	for _, list := range []Settings{d.Params, d.Options} {
		if len(list) > 0 {
			parts = append(parts, list.String())
		}
	}
	return strings.Join(parts, ", ")
}
