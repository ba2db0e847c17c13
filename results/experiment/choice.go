package experiment

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"ringcheck/model/language/compile"
	"ringcheck/reduce"
	"ringcheck/reduce/confluence"
)

// A Reduction is a way to leave out states that do not matter. The zero value is none.
type Reduction string

// The reductions.
const (
	NoReduction Reduction = ""
	Confelm     Reduction = "confelm"
	OnTheFly    Reduction = "onthefly"
)

// Reductions are the names of all reductions.
func Reductions() []string { return []string{none, string(Confelm), string(OnTheFly)} }

func (r Reduction) String() string { return cmp.Or(string(r), none) }

// MarshalText implements encoding.TextMarshaler.
func (r Reduction) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (r *Reduction) UnmarshalText(text []byte) error {
	return choose((*string)(r), string(text), Reductions())
}

// A Symmetry is a way to store one state for all that are alike. The zero value is none.
type Symmetry string

// The symmetries.
const (
	NoSymmetry Symmetry = ""
	Rotation   Symmetry = "rotation"
)

// Symmetries are the names of all symmetries.
func Symmetries() []string { return []string{none, string(Rotation)} }

func (s Symmetry) String() string { return cmp.Or(string(s), none) }

// MarshalText implements encoding.TextMarshaler.
func (s Symmetry) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Symmetry) UnmarshalText(text []byte) error {
	return choose((*string)(s), string(text), Symmetries())
}

// An Assumption is something that is taken for granted about a system, and checked while it is explored. The zero
// value is none.
type Assumption string

// The assumptions.
const (
	NoAssumption Assumption = ""
	NoConflict   Assumption = "no-conflict" // see confluence.Options
)

// Assumptions are the names of all assumptions.
func Assumptions() []string { return []string{none, string(NoConflict)} }

func (a Assumption) String() string { return cmp.Or(string(a), none) }

// MarshalText implements encoding.TextMarshaler.
func (a Assumption) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (a *Assumption) UnmarshalText(text []byte) error {
	return choose((*string)(a), string(text), Assumptions())
}

// apply makes sys smaller.
func (e *Experiment) apply(ctx context.Context, sys *compile.System) (*reduce.Applied, error) {
	levels := map[Reduction]reduce.Level{NoReduction: reduce.None, Confelm: reduce.Confelm, OnTheFly: reduce.OnTheFly}
	opt := reduce.Options{Level: levels[e.Reduction], Rotation: e.Symmetry == Rotation}
	if e.Assume == NoConflict {
		opt.Assume = confluence.NoConflict()
	}
	return reduce.Apply(ctx, sys, opt)
}

// none is how the zero values are called.
const none = "none"

// choose sets a name that must be one of the choices.
func choose(to *string, text string, choices []string) error {
	if !slices.Contains(choices, text) {
		return fmt.Errorf("%q is not one of %s", text, strings.Join(choices, ", "))
	}
	if *to = text; text == none {
		*to = ""
	}
	return nil
}
