package verify

import (
	"context"
	"errors"
	"slices"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
	"ringcheck/verify/ltl"
	"ringcheck/verify/product"
)

// What a temporal property that holds does not depend on.

// constants returns the atoms that have the same value all along every run, a bit each, given the letters of the states
// and the kinds of steps that there are.
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

// occurs reports whether an atom occurs in a formula so, negated or not.
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

// Re-checking takes a search of the product for each place in a formula: so many states and acceptance conditions are
// looked at in all.
const maxRechecked = 1 << 22

// superfluous warns of state predicates and events in a formula that holds, without which it would hold, too: they are
// replaced by what is worst for the formula, at one place for all processes that are quantified over, and that is
// searched for a violation (Beer, Ben-David, Eisner and Rodeh, Efficient detection of vacuity in temporal model
// checking, FMSD 18, 2001; Kupferman and Vardi 2003: if atoms occur with one polarity, which they do by place, that is
// to depend on a subformula). Of what is constant other warnings tell. The left side of an implication is not looked
// at: that P leads to Q where Q always comes again is more than was claimed, but no mistake. Nor is what leaves a
// formula that a reduced system does not decide.
func (t *temporal) superfluous(ctx context.Context, s *product.Search, reduced bool) ([]ir.Warning, error) {
	left := t.formula.Given(t.constants(s.Letters, s.System.Kinds())).Atoms()
	conditions := conditions(t.property.Temporal.Formula, false)
	var list []ir.Warning
	work := uint64(0)
	for _, place := range t.spots() {
		f, never := t.worst(place)
		if place.atoms&left == 0 || f == ltl.False || slices.Contains(conditions, place.pos) ||
			reduced && !f.Inert(t.happenings()) {
			continue
		}
		if work += s.System.States(); work > maxRechecked {
			return list, nil
		}
		other := *s
		stronger := *t
		stronger.formula = f
		err := stronger.assume(&other, t.property.Temporal)
		var remains *product.Remains
		if err == nil {
			remains, err = other.Remains(ctx)
		}
		switch {
		case errors.Is(err, ErrTemporal), errors.Is(err, product.ErrTooLarge), unfit(err): // nobody knows
		case err != nil:
			return list, err
		case remains == nil:
			text := "the formula would hold even if this always did"
			if never {
				text = "the formula would hold even if this never did"
			}
			list = append(list, ir.Warning{Pos: place.pos, Text: text})
		}
	}
	return list, nil
}

// A spot is a place in a formula with the atoms that are written there: one, or one for each process.
type spot struct {
	pos   syntax.Pos
	atoms uint64
}

// spots returns those of state predicates and events, in the order of the text.
func (t *temporal) spots() []spot {
	var list []spot
	add := func(pos syntax.Pos, atom int) {
		i := slices.IndexFunc(list, func(s spot) bool { return s.pos == pos })
		if i < 0 {
			i, list = len(list), append(list, spot{pos: pos})
		}
		list[i].atoms |= 1 << atom
	}
	for atom, pos := range t.places {
		if pos.Line > 0 && t.states[atom] != nil {
			add(pos, atom)
		}
	}
	for _, s := range t.steps {
		if s.event != nil {
			add(s.pos, s.atom)
		}
	}
	slices.SortFunc(list, func(a, b spot) int { return byPosition(a.pos, b.pos) })
	return list
}

// worst returns the formula with the worst value of the atoms of a spot: true of none, or of all positions.
func (t *temporal) worst(s spot) (f *ltl.Formula, isNever bool) {
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
