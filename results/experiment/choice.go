package experiment

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
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

// Set implements pflag.Value.
func (r *Reduction) Set(text string) error { return choose((*string)(r), text, Reductions()) }

// Type implements pflag.Value.
func (r Reduction) Type() string { return strings.Join(Reductions(), "|") }

// MarshalText implements encoding.TextMarshaler.
func (r Reduction) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (r *Reduction) UnmarshalText(text []byte) error { return r.Set(string(text)) }

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

// Set implements pflag.Value.
func (s *Symmetry) Set(text string) error { return choose((*string)(s), text, Symmetries()) }

// Type implements pflag.Value.
func (s Symmetry) Type() string { return strings.Join(Symmetries(), "|") }

// MarshalText implements encoding.TextMarshaler.
func (s Symmetry) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Symmetry) UnmarshalText(text []byte) error { return s.Set(string(text)) }

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
