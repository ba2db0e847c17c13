// Package loadtest loads and checks systems for tests of packages that the library imports, which cannot import it.
package loadtest

import (
	"context"

	"ringcheck/reduce"
	"ringcheck/specs"
	"ringcheck/verify"
)

// Parse returns the spec of a text; file is its name in messages.
func Parse(file string, text []byte) (*reduce.Spec, error) {
	checked, err := specs.Parse(file, text)
	if err != nil {
		return nil, err
	}
	return reduce.NewSpec(checked, text), nil
}

// Open returns a built-in spec, or that in the file at a path.
func Open(nameOrPath string) (*reduce.Spec, error) {
	file, text, err := specs.Read(nameOrPath)
	if err != nil {
		return nil, err
	}
	return Parse(file, text)
}

// Load returns an instance of the spec that Open returns.
func Load(nameOrPath string, set reduce.Set) (*reduce.System, error) {
	spec, err := Open(nameOrPath)
	if err != nil {
		return nil, err
	}
	return spec.System(set)
}

// Check decides some properties of a system by a search of at most maxStates states; nil names all properties.
func Check(ctx context.Context, sys *reduce.System, maxStates uint64, names ...string) (*verify.Result, error) {
	s, err := reduce.NewSubject(sys, reduce.Search{MaxStates: maxStates})
	if err != nil {
		return nil, err
	}
	if err := s.Choose(names, ""); err != nil {
		return nil, err
	}
	if err := s.Prepare(ctx); err != nil {
		return nil, err
	}
	return verify.For(s).Check(ctx, s.ChosenProperties, s.Search.ExploreOptions())
}
