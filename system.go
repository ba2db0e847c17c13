package ringcheck

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"ringcheck/explore"
	"ringcheck/internal/inside"
	"ringcheck/internal/machine"
	"ringcheck/internal/textfile"
	"ringcheck/model"
	"ringcheck/model/language/check"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/prob/exchange"
	"ringcheck/specs"
)

// A Spec is a protocol in ringcheck's language, whose parameters and options have no values yet.
type Spec struct {
	Name, Doc string
	File      string // where the text is from, as in messages
	Text      []byte

	checked *check.Spec
}

func init() {
	inside.Spec = func(spec any) *check.Spec { return spec.(*Spec).checked }
	inside.Given = func(system any) map[string]string { return system.(*System).given }
}

// Open reads a built-in spec, or the .ring file at a path. Errors in its text are a syntax.ErrorList.
func Open(nameOrPath string) (*Spec, error) {
	file, text, err := specs.Read(nameOrPath)
	if err != nil {
		return nil, err
	}
	return Parse(file, text)
}

// Parse reads a spec from its text; file is its name in messages.
func Parse(file string, text []byte) (*Spec, error) {
	s, err := specs.Parse(file, text)
	if err != nil {
		return nil, err
	}
	return &Spec{Name: s.Name, Doc: s.Doc, File: s.File, Text: text, checked: s}, nil
}

// System returns an instance of the spec; values of later sets replace those of earlier ones. The error is a
// *RequestError for an invalid setting, or a syntax.ErrorList if the spec is invalid for these settings.
func (s *Spec) System(set ...Set) (*System, error) {
	given := make(map[string]string)
	for _, values := range set {
		maps.Copy(given, values.texts())
	}
	p, err := s.checked.Instantiate(given)
	if setting := (*check.SettingError)(nil); errors.As(err, &setting) {
		return nil, &RequestError{Err: err}
	} else if err != nil {
		return nil, err
	}
	return &System{Name: p.Name, Spec: s, given: given, protocol: p}, nil
}

// A Subject describes the system that a report is about.
type Subject struct {
	File       string   `json:"file,omitempty"` // that holds the system; the other members are then empty
	Spec       string   `json:"spec,omitempty"`
	Params     Settings `json:"params,omitzero"`
	Options    Settings `json:"options,omitzero"`
	Reduction  string   `json:"reduction,omitempty"` // "none", "confelm" or "onthefly"
	Symmetry   string   `json:"symmetry,omitempty"`  // "none" or "rotation"
	Assumption string   `json:"assumption,omitempty"`
}

// Title names the instance: "franklin, n = 4, k = 2, bits = true".
func (s *Subject) Title() string {
	if s.File != "" {
		return s.File
	}
	parts := []string{s.Spec}
	for _, list := range []Settings{s.Params, s.Options} {
		if len(list) > 0 {
			parts = append(parts, list.String())
		}
	}
	return strings.Join(parts, ", ")
}

// A System can be explored and checked: an instance of a spec (Load), a model.System such as one of ordinary Go values
// (From), or a transition system or process in a file (Load). It is immutable.
type System struct {
	Name string
	Spec *Spec // nil unless it is an instance of one

	given      map[string]string // the values of parameters and options
	protocol   *ir.Protocol
	direct     model.System // of From and Wrap
	properties []*ir.Property
	holds      func(property int, v model.Value) bool // of properties, in states of direct
	file       string                                 // that holds a transition system or a process
}

// Load opens a system: an instance of a built-in spec or of the spec in a .ring file, with values for its parameters
// and options; or a file that holds a transition system (.aut, for Minimize and Compare) or a Markov decision process
// (.umb or .tra, for Quantify and Minimize). Errors are those of Open and Spec.System.
func Load(name string, set ...Set) (*System, error) {
	if filepath.Ext(name) == ".aut" || slices.Contains(exchange.Formats(), filepath.Ext(name)) {
		if len(set) > 0 {
			return nil, refuse("", "", "%s is a transition system: it has no parameters", name)
		}
		file, err := textfile.Open(name)
		if err != nil {
			return nil, err
		}
		file.Close()
		return &System{Name: name, file: name}, nil
	}
	spec, err := Open(name)
	if err != nil {
		return nil, err
	}
	return spec.System(set...)
}

// Properties returns the names of the properties of the system, those of bounds on probabilities and rewards last.
func (s *System) Properties() []string {
	var names []string
	for _, p := range s.claims() {
		names = append(names, p.Name)
	}
	if s.protocol != nil {
		for _, b := range s.protocol.Bounds {
			names = append(names, b.Name)
		}
	}
	return names
}

// claims returns the properties of the system.
func (s *System) claims() []*ir.Property {
	if s.protocol == nil {
		return s.properties
	}
	return s.protocol.Properties
}

// Explorable returns a *RequestError if the system is too large for anything but Simulate.
func (s *System) Explorable() error {
	if s.protocol == nil || len(s.protocol.Large) == 0 {
		return nil
	}
	why := s.protocol.Large[0]
	return refuse("", "", "%s: %s: too large to be explored; use simulate", why.Pos, why.Text)
}

// compile returns the transition system of an instance of a spec.
func (s *System) compile(ctx context.Context, o *Options) (*compile.System, error) {
	if err := s.Explorable(); err != nil {
		return nil, err
	}
	if need := compile.Need(s.protocol); o.Memory != 0 && need > max(o.Memory, 1<<20) || need > machine.Memory() {
		return nil, fmt.Errorf("%w: a system of %d processes and %d channels takes at least %d bytes",
			explore.ErrBudget, s.protocol.N, len(s.protocol.Links), need)
	}
	return compile.New(ctx, s.protocol, o.bounds())
}

// Params returns the values of the parameters.
func (s *System) Params() Settings {
	if s.protocol == nil {
		return Settings{}
	}
	return newSettings(s.protocol.Params)
}

// Options returns the values of the options.
func (s *System) Options() Settings {
	if s.protocol == nil {
		return Settings{}
	}
	return newSettings(s.protocol.Options)
}

// Title is "franklin, n = 4, k = 2, bits = true".
func (s *System) Title() string {
	return (&Subject{Spec: s.Name, Params: s.Params(), Options: s.Options()}).Title()
}

// chosenHolds returns the function that evaluates the properties with these names; nil if the properties are not Go
// functions.
func (s *System) chosenHolds(names []string) func(int, model.Value) bool {
	if s.holds == nil || names == nil {
		return s.holds
	}
	var chosen []int
	for i, p := range s.properties {
		if slices.Contains(names, p.Name) {
			chosen = append(chosen, i)
		}
	}
	return func(i int, v model.Value) bool { return s.holds(chosen[i], v) }
}

// A Property is a claim about the states of a system of Go values.
type Property[S any] struct {
	// Doc states the property in a sentence.
	Name, Doc string

	kind  ir.PropertyKind
	holds func(S) bool
}

// Invariant claims that holds is true in every reachable state.
func Invariant[S any](name string, holds func(S) bool) Property[S] {
	return Property[S]{Name: name, kind: ir.Invariant, holds: holds}
}

// Terminal claims that holds is true in every reachable terminal state. With a function that is always false it claims
// that there is no deadlock.
func Terminal[S any](name string, holds func(S) bool) Property[S] {
	return Property[S]{Name: name, kind: ir.Terminal, holds: holds}
}

// Reachable claims that holds is true in some reachable state.
func Reachable[S any](name string, holds func(S) bool) Property[S] {
	return Property[S]{Name: name, kind: ir.Reachable, holds: holds}
}

// Recoverable claims that from every reachable state, a state in which holds is true can be reached (AG EF).
func Recoverable[S any](name string, holds func(S) bool) Property[S] {
	return Property[S]{Name: name, kind: ir.Recoverable, holds: holds}
}

// From returns a system of Go values with its properties. Their functions are called by several goroutines, about once
// for each state.
func From[S comparable](name string, values *model.Values[S], properties ...Property[S]) *System {
	sys := &System{Name: name, direct: values}
	for _, p := range properties {
		sys.properties = append(sys.properties, &ir.Property{Name: p.Name, Doc: p.Doc, Kind: p.kind})
	}
	sys.holds = func(i int, v model.Value) bool { return properties[i].holds(values.State(v)) }
	return sys
}

// Wrap returns a system that explores a model.System.
func Wrap(name string, sys model.System) *System { return &System{Name: name, direct: sys} }
