package verify

import (
	"cmp"
	"errors"
	"fmt"

	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/property"
)

// ErrAsymmetric means that a property need not have the same value in a state and in its rotations.
var ErrAsymmetric = errors.New("the property distinguishes processes by their numbers")

// Symmetric returns an error that wraps ErrAsymmetric unless the form of a property of sys shows that it has the same
// value in a state of a ring and in all rotations of it, or that it has none in any of them, since evaluating it fails.
// This is so if it refers to processes only by quantifiers over all of them and by their distances, as in (p + d) mod
// n. The order in which a quantifier evaluates does not matter: a deciding value decides even if others fail, and sums
// are refused whose parts can overflow 64 bits while the whole does not.
func Symmetric(property *ir.Property, sys *compile.System) error {
	p := sys.Protocol()
	if p.N == 1 {
		return nil
	}
	if ir.Abstract[rotationEffect](&equivariance{n: int64(p.N)}, property.Body) != invariant {
		return fmt.Errorf("%s: property %s: %w", property.Pos, property.Name, ErrAsymmetric)
	}
	return nil
}

// symmetricIn returns an error that wraps ErrAsymmetric unless a property of sys provably has the same value in all
// states that a state of a quotient of sys represents.
func symmetricIn(searched model.System, property *ir.Property, sys *compile.System) error {
	q := permutationsOf(searched)
	if q == nil {
		return Symmetric(property, sys)
	}
	if b := q.Variance(property.Body, property.Pos); b != nil {
		return fmt.Errorf("%s: property %s: %w: %s", property.Pos, property.Name, ErrAsymmetric, b)
	}
	return nil
}

// SymmetricGoal returns an error that wraps ErrAsymmetric unless the goal provably has the same value in all states
// that a state of searched, a quotient of sys, represents.
func SymmetricGoal(searched model.System, sys *compile.System, goal *ir.Formula) error {
	switch {
	case goal == nil:
		return nil
	case goal.Op == ir.StateAtom:
		return symmetricIn(searched,
			&ir.Property{Kind: property.Reachable, Name: "goal", Body: goal.State, Pos: goal.Pos}, sys)
	}
	return cmp.Or(SymmetricGoal(searched, sys, goal.X), SymmetricGoal(searched, sys, goal.Y))
}

// SymmetricReward returns an error that wraps ErrAsymmetric unless the steps of a run have the same reward in all runs
// that a run of searched, a quotient, represents.
func SymmetricReward(searched model.System, r *ir.Reward) error {
	if q := permutationsOf(searched); q != nil && r != nil {
		if b := q.Variance(r.Value, r.Pos); b != nil {
			return fmt.Errorf("%s: reward %s: %w: %s", r.Pos, r.Name, ErrAsymmetric, b)
		}
	}
	return nil
}

// rotationEffect is the effect on the value of an expression of rotating the state by one place.
type rotationEffect struct {
	kind effectKind
	by   int64 // below the number of processes
}

// An effectKind is a kind of rotationEffect.
type effectKind int

// The kinds.
const (
	// The value after the rotation is unknown.
	unknown effectKind = iota
	// A process number v becomes (v + by) mod n, and a channel or message the corresponding one. With by = 0, a value
	// of any type remains the same.
	shifted
	// A number v becomes a number that is congruent to v + by modulo n.
	congruent
)

var (
	invariant     = rotationEffect{kind: shifted}
	shiftedByOne  = rotationEffect{kind: shifted, by: 1}
	unknownEffect = rotationEffect{}
)

// equivariance is the abstract domain of the effects on values of rotating the n processes of a ring.
type equivariance struct {
	n       int64
	applied ir.Applications[rotationEffect, rotationEffect]
}

// Node implements ir.Domain.
func (d *equivariance) Node(e ir.Expr, of ir.Parts[rotationEffect]) rotationEffect {
	parts := of.All()
	switch e := e.(type) {
	case *ir.At, *ir.BoundFor, *ir.ProcessVar, *ir.MessageIs, *ir.MessageField, *ir.Length:
		if parts[0] == shiftedByOne {
			return invariant
		}
		return unknownEffect
	case *ir.Inbox, *ir.Neighbour:
		if parts[0] == shiftedByOne && parts[1] == invariant {
			return shiftedByOne
		}
		return unknownEffect
	case *ir.Holds:
		return parts[0]
	case *ir.Convert:
		return d.convert(e, parts[0])
	case *ir.Binary:
		return d.binary(e, parts[0], parts[1])
	case *ir.Cond:
		if parts[0] != invariant || parts[1] != parts[2] {
			return unknownEffect
		}
		return parts[1]
	}
	for _, p := range parts {
		if p != invariant {
			return unknownEffect
		}
	}
	return invariant
}

// Quantifier implements ir.Domain.
func (d *equivariance) Quantifier(
	q *ir.Quantifier, domain []rotationEffect, body func(rotationEffect) rotationEffect,
) rotationEffect {
	binder := invariant
	switch {
	case q.Over != nil && domain[0] == shiftedByOne, everyone(q, d.n):
		binder = shiftedByOne
	case q.Over != nil || domain[0] != invariant || domain[1] != invariant:
		return unknownEffect
	}
	if sum := q.Body.Type(); q.Op == ir.Sum && binder == shiftedByOne && sum.Lo < -large && sum.Hi > 0 {
		return unknownEffect
	}
	if body(binder) != invariant {
		return unknownEffect
	}
	return invariant
}

// large bounds the terms of sums so that these do not overflow 64 bits: a quantifier has no more than 2^20 values.
const large = 1 << 42

// everyone reports whether q ranges over all of n processes.
func everyone(q *ir.Quantifier, n int64) bool {
	lo, ok := q.Lo.(*ir.Const)
	hi, ok2 := q.Hi.(*ir.Const)
	return ok && ok2 && q.Var.Type.Kind == ir.Node && lo.Value == 0 && hi.Value == n-1
}

// Apply implements ir.Domain.
func (d *equivariance) Apply(
	e *ir.Apply, args []rotationEffect, body func([]rotationEffect) rotationEffect,
) rotationEffect {
	return d.applied.Of(e.Define, args, func() rotationEffect { return body(args) })
}

// convert keeps the effect if the value is in the type after every rotation.
func (d *equivariance) convert(e *ir.Convert, x rotationEffect) rotationEffect {
	if x == invariant || x.kind == shifted && e.To.Lo <= 0 && e.To.Hi >= d.n-1 {
		return x
	}
	return unknownEffect
}

func (d *equivariance) binary(e *ir.Binary, x, y rotationEffect) rotationEffect {
	if x.kind == unknown || y.kind == unknown {
		return unknownEffect
	}
	if x == invariant && y == invariant {
		return invariant
	}
	switch e.Op {
	case ir.Add:
		return rotationEffect{congruent, (x.by + y.by) % d.n}
	case ir.Sub:
		return rotationEffect{congruent, (x.by - y.by + d.n) % d.n}
	case ir.Mod:
		if c, ok := e.Y.(*ir.Const); ok && c.Value == d.n {
			return rotationEffect{shifted, x.by}
		}
	case ir.Eq, ir.Ne:
		if x == y && x.kind == shifted {
			return invariant
		}
	}
	return unknownEffect
}
