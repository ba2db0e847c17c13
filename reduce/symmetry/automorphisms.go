package symmetry

import (
	"errors"
	"fmt"
	"slices"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// ErrAsymmetric reports that a system does not have a symmetry. The error that wraps it says why.
var ErrAsymmetric = errors.New("not a symmetry")

// asymmetric returns an error for a system that is not symmetric under a kind, "rotation" or "permutation".
func asymmetric(kind, format string, args ...any) error {
	return fmt.Errorf("%s is %w: %s", kind, ErrAsymmetric, fmt.Sprintf(format, args...))
}

// Automorphisms are a group of permutations of the processes of a system that are automorphisms of it.
type Automorphisms struct {
	*group
	protocol *ir.Protocol // of the system; nil if it is not an instance of a spec
	breaks   []Break
	formulas map[*ir.Formula]*ir.Formula // see Formula
}

// RotationsOf returns the rotations of all processes of a protocol that do not change the numbers of processes in
// variables and messages. They need not be automorphisms.
func RotationsOf(p *ir.Protocol) *Automorphisms {
	return &Automorphisms{group: allRotations(p.N), protocol: p}
}

// An Invariance knows which expressions have the same value in all states that a state of a quotient represents.
type Invariance interface {
	// Variance returns a place that shows that the form of an expression of properties at a position does not have the
	// same value in all states of an orbit; nil if it has.
	Variance(body ir.Expr, pos syntax.Pos) *Break
}

// Order returns the number of permutations.
func (a *Automorphisms) Order() int { return a.order() }

// Rotations reports whether all permutations are rotations.
func (a *Automorphisms) Rotations() bool { return a.rotations() }

// Exchanges returns the number of permutations that exchange directions.
func (a *Automorphisms) Exchanges() (n int) {
	for _, p := range a.elements {
		if p.directions != "" {
			n++
		}
	}
	return n
}

// Orbits returns the sets of more than one process that permutations exchange.
func (a *Automorphisms) Orbits() (orbits [][]int) {
	for p, first := range a.orbits {
		if int(first) == p {
			orbits = append(orbits, []int{p})
			continue
		}
		i := slices.IndexFunc(orbits, func(o []int) bool { return o[0] == int(first) })
		orbits[i] = append(orbits[i], p)
	}
	return slices.DeleteFunc(orbits, func(o []int) bool { return len(o) == 1 })
}

// Breaks returns the reasons for which some automorphisms of the network are not in the group.
func (a *Automorphisms) Breaks() []Break { return a.breaks }

// Moves reports whether some permutation moves a process.
func (a *Automorphisms) Moves(process int) bool { return a.moves(int64(process)) }

// Variance implements Invariance.
func (a *Automorphisms) Variance(body ir.Expr, pos syntax.Pos) *Break {
	switch {
	case a.order() == 1:
		return nil
	case a.protocol == nil:
		return &Break{pos, unclear}
	}
	d := &effects{protocol: a.protocol, group: a.group}
	d.value(body, pos)
	if len(d.requirements) == 0 {
		return nil
	}
	return &d.requirements[0].Break
}

// EquationVariance returns nil if permutations map processes in an equation to processes in this equation, else a place
// that shows why they need not.
func (a *Automorphisms) EquationVariance(eq *ir.Equation, pos syntax.Pos) *Break {
	return a.Variance(everywhere(a.protocol, eq), pos)
}

// Formula returns a formula that has in the quotient the verdict of one of the given formulas: a quantifier over
// processes that permutations exchange becomes the formula for one of them.
func (a *Automorphisms) Formula(f *ir.Formula) *ir.Formula {
	if one := a.formulas[f]; one != nil {
		return one
	}
	return f
}
