package ringcheck

import (
	"path/filepath"
	"slices"

	"ringcheck/internal/textfile"
	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/property"
	"ringcheck/reduce"
	"ringcheck/specs"
	"ringcheck/verify/prob/exchange"
)

// A System can be explored and checked: an instance of a spec (Load), a model.System such as one of ordinary Go values
// (From), or a transition system or process in a file (Load). It is immutable.
type System = reduce.System

// A Spec is a protocol in ringcheck's language, whose parameters and options have no values yet.
type Spec = reduce.Spec

// A Set gives values to parameters and options of a spec by name: integers, booleans, or strings as on the command
// line, such as "4", "true" and "left".
type Set = reduce.Set

// Settings are the values of parameters or options, in the order of their declarations, and a Setting is one of them.
type (
	Settings = reduce.Settings
	Setting  = reduce.Setting
)

// A Description names the system that a report is about.
type Description = reduce.Description

// Numbers in reports: a Count up to 2^64, a Number of any size, and a Real that may be infinite.
type (
	Count  = model.Count
	Number = model.Number
	Real   = model.Real
)

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
	return reduce.NewSpec(s, text), nil
}

// Load opens a system: an instance of a built-in spec or of the spec in a .ring file, with values for its parameters
// and options; or a file that holds a transition system (.aut, for Minimize and Compare) or a Markov decision process
// (.umb or .tra, for Quantify and Minimize). It returns the errors of Open and Spec.System.
func Load(name string, set ...Set) (*System, error) {
	if filepath.Ext(name) == ".aut" || slices.Contains(exchange.Formats(), filepath.Ext(name)) {
		if len(set) > 0 {
			return nil, model.Refuse("", "", "%s is a transition system: it has no parameters", name)
		}
		file, err := textfile.Open(name)
		if err != nil {
			return nil, err
		}
		file.Close()
		return &System{Name: name, File: name}, nil
	}
	spec, err := Open(name)
	if err != nil {
		return nil, err
	}
	return spec.System(set...)
}

// A Property is a claim about the states of a system of Go values.
type Property[S any] struct {
	// Doc states the property in a sentence.
	Name, Doc string

	kind  *property.Kind
	holds func(S) bool
}

// Invariant claims that holds is true in every reachable state.
func Invariant[S any](name string, holds func(S) bool) Property[S] {
	return Property[S]{Name: name, kind: property.Invariant, holds: holds}
}

// Terminal claims that holds is true in every reachable terminal state. With a function that is always false it claims
// that there is no deadlock.
func Terminal[S any](name string, holds func(S) bool) Property[S] {
	return Property[S]{Name: name, kind: property.Terminal, holds: holds}
}

// Reachable claims that holds is true in some reachable state.
func Reachable[S any](name string, holds func(S) bool) Property[S] {
	return Property[S]{Name: name, kind: property.Reachable, holds: holds}
}

// Recoverable claims that from every reachable state, a state in which holds is true can be reached (AG EF).
func Recoverable[S any](name string, holds func(S) bool) Property[S] {
	return Property[S]{Name: name, kind: property.Recoverable, holds: holds}
}

// From returns a system of Go values with its properties. Their functions are called by several goroutines, about once
// for each state.
func From[S comparable](name string, values *model.Values[S], properties ...Property[S]) *System {
	sys := &System{Name: name, Direct: values}
	for _, p := range properties {
		sys.Claims = append(sys.Claims, &ir.Property{Name: p.Name, Doc: p.Doc, Kind: p.kind})
	}
	sys.Holds = func(i int, v model.Value) bool { return properties[i].holds(values.State(v)) }
	return sys
}

// Wrap returns a system that explores a model.System.
func Wrap(name string, sys model.System) *System { return &System{Name: name, Direct: sys} }
