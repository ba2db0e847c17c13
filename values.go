package ringcheck

import (
	"ringcheck/model"
	"ringcheck/model/language/ir"
)

// A Property claims something of the states of a system of Go values.
type Property[S any] struct {
	// Name is what reports call it, and Doc says it in a sentence.
	Name, Doc string

	kind  ir.PropertyKind
	holds func(S) bool
}

// Invariant claims that holds is true in every reachable state.
func Invariant[S any](name string, holds func(S) bool) Property[S] {
	return Property[S]{Name: name, kind: ir.Invariant, holds: holds}
}

// Terminal claims that holds is true in every reachable state from which nothing can happen. With a function that is
// false everywhere it claims that there is no deadlock.
func Terminal[S any](name string, holds func(S) bool) Property[S] {
	return Property[S]{Name: name, kind: ir.Terminal, holds: holds}
}

// Reachable claims that holds is true in some reachable state.
func Reachable[S any](name string, holds func(S) bool) Property[S] {
	return Property[S]{Name: name, kind: ir.Reachable, holds: holds}
}

// Recoverable claims that from every reachable state one can be reached in which holds is true (AG EF).
func Recoverable[S any](name string, holds func(S) bool) Property[S] {
	return Property[S]{Name: name, kind: ir.Recoverable, holds: holds}
}

// From makes a system of Go values ready to be explored, with what is claimed of it. The functions of the properties
// are called by several goroutines, about once for each state.
func From[S comparable](name string, values *model.Values[S], properties ...Property[S]) *System {
	sys := &System{Name: name, direct: values}
	for _, p := range properties {
		sys.properties = append(sys.properties, &ir.Property{Name: p.Name, Doc: p.Doc, Kind: p.kind})
	}
	sys.holds = func(i int, v model.Value) bool { return properties[i].holds(values.State(v)) }
	return sys
}

// Wrap makes a model.System ready to be explored.
func Wrap(name string, sys model.System) *System { return &System{Name: name, direct: sys} }
