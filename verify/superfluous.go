package verify

import (
	"context"
	"errors"
	"slices"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
	"ringcheck/model/ltl"
	"ringcheck/verify/product"
)

// Vacuity of temporal properties that hold.

// constants returns the atoms that are always true, and the atoms that are never true, as bits, given the letters of
// the states and the kinds of steps.
func (t *temporal) constants(letters []uint64, kinds []product.Kind) (always, never uint64) {
	always, never = ^uint64(0), ^uint64(0)
	for _, letter := range letters {
		always &= letter
		never &^= letter
	}
	for _, kind := range kinds {
		never &^= t.events(kind)
	}
	return always, never
}

// occurs reports whether an atom occurs in a formula positively (yes) or negated (not yes).
func occurs(f *ltl.Formula, atom int, yes bool) bool {
	if a, y, ok := f.Literal(); ok {
		return a == atom && y == yes
	}
	return slices.ContainsFunc(f.Parts(), func(p *ltl.Formula) bool { return occurs(p, atom, yes) })
}

// conditions returns the places of atoms in the left sides of implications of f.
func conditions(f *ir.Formula, inside bool) []syntax.Pos {
	if f == nil {
		return nil
	}
	if inside && f.X == nil {
		return []syntax.Pos{f.Pos}
	}
	return slices.Concat(conditions(f.X, inside || f.Op == ir.Implication), conditions(f.Y, inside))
}

// maxRechecked is the limit on states times acceptance conditions of all searches for vacuity, one for each place in a
// formula.
const maxRechecked = 1 << 22

// superfluous warns of state predicates and events that a formula that holds does not need: each is replaced by the
// value that is worst for the formula, at one place for all processes of a quantifier, and the result is searched for a
// violation (Beer, Ben-David, Eisner and Rodeh, Efficient detection of vacuity in temporal model checking, FMSD 18,
// 2001; Kupferman and Vardi 2003: this decides whether the formula depends on atoms of one polarity, and the atoms of
// one place have one). Other warnings are about constants. The left side of an implication is not replaced: if P leads
// to Q where Q always recurs, the claim is weak but not a mistake. Nor is an atom whose replacement leaves a formula
// that a reduced system does not decide.
func (c *checker) superfluous(ctx context.Context, t *temporal, s *product.Search) ([]ir.Warning, error) {
	left := t.formula.Given(t.constants(s.Letters, s.System.Kinds())).Atoms()
	conditions := conditions(t.property.Temporal.Formula, false)
	var list []ir.Warning
	work := uint64(0)
	for _, place := range t.formulaPlaces() {
		f, never := t.worst(place)
		if place.atoms&left == 0 || f == ltl.False || slices.Contains(conditions, place.pos) ||
			c.verifier.Unreduce != nil && !f.Inert(t.stepAtoms()) {
			continue
		}
		stronger := *t
		stronger.formula, stronger.always = f, nil
		if t.always != nil {
			stronger.always = f.Invariant()
		}
		if stronger.always == nil {
			work += s.System.States()
		}
		if work > maxRechecked {
			return list, nil
		}
		found, err := c.violates(ctx, &stronger, *s)
		switch {
		case undecided(err):
		case err != nil:
			return list, err
		case !found:
			text := "the formula would hold even if this were always true"
			if never {
				text = "the formula would hold even if this were never true"
			}
			list = append(list, ir.Warning{Pos: place.pos, Text: text})
		}
	}
	return list, nil
}

// violates reports whether a run of a complete search violates a property that is stronger than one that holds.
func (c *checker) violates(ctx context.Context, t *temporal, s product.Search) (bool, error) {
	if t.always != nil {
		for class := range c.observer.classes() {
			if state, step := t.refuted(c.observer.outcomes(uint32(class))); state || step {
				return true, nil
			}
		}
		return false, nil
	}
	if !s.Surely && t.formula.Safety().String() == t.formula.String() {
		if p, err := s.Prefix(ctx, t.formula); !errors.Is(err, product.ErrNoMonitor) {
			return p != nil, err
		}
	}
	if err := t.assume(&s, t.property.Temporal); err != nil {
		return false, err
	}
	return s.Exists(ctx)
}

// A place is a position in a formula with its atoms: one, or one for each process.
type place struct {
	pos   syntax.Pos
	atoms uint64
}

// formulaPlaces returns the places of state predicates and events, in the order of the text.
func (t *temporal) formulaPlaces() []place {
	var list []place
	add := func(pos syntax.Pos, atom int) {
		i := slices.IndexFunc(list, func(s place) bool { return s.pos == pos })
		if i < 0 {
			i, list = len(list), append(list, place{pos: pos})
		}
		list[i].atoms |= 1 << atom
	}
	for atom, pos := range t.positions {
		if pos.Line > 0 && t.states[atom] != nil {
			add(pos, atom)
		}
	}
	for _, s := range t.steps {
		if s.event != nil {
			add(s.pos, s.atom)
		}
	}
	slices.SortFunc(list, func(a, b place) int { return byPosition(a.pos, b.pos) })
	return list
}

// worst returns the formula with the worst value of the atoms of a place: never true, or always.
func (t *temporal) worst(s place) (f *ltl.Formula, isNever bool) {
	always, never := uint64(0), uint64(0)
	for atom := range ltl.MaxAtoms {
		switch {
		case s.atoms>>atom&1 == 0:
		case occurs(t.formula, atom, true):
			never |= 1 << atom
		default:
			always |= 1 << atom
		}
	}
	return t.formula.Given(always, never), never != 0
}
