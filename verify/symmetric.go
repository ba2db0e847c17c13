package verify

import (
	"cmp"
	"errors"
	"fmt"

	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
	"ringcheck/reduce/symmetry"
)

// ErrAsymmetric means that a property need not have the same value in all states of an orbit.
var ErrAsymmetric = errors.New("the property distinguishes processes by their numbers")

// symmetricIn returns an error that wraps ErrAsymmetric unless an expression of properties provably has the same value,
// or none, in all states that a state of a searched system represents. Name and pos say what it is.
func symmetricIn(searched model.System, body ir.Expr, name string, pos syntax.Pos) error {
	if q, ok := model.As[symmetry.Invariance](searched); ok && body != nil {
		if b := q.Variance(body, pos); b != nil {
			return fmt.Errorf("%s: %s: %w: %s", pos, name, ErrAsymmetric, b)
		}
	}
	return nil
}

// SymmetricGoal returns an error that wraps ErrAsymmetric unless the goal provably has the same value in all states
// that a state of a searched system represents.
func SymmetricGoal(searched model.System, goal *ir.Formula) error {
	switch {
	case goal == nil:
		return nil
	case goal.Op == ir.StateAtom:
		return symmetricIn(searched, goal.State, "goal", goal.Pos)
	}
	return cmp.Or(SymmetricGoal(searched, goal.X), SymmetricGoal(searched, goal.Y))
}

// SymmetricReward returns an error that wraps ErrAsymmetric unless the steps of a run have the same reward in all runs
// that a run of a searched system represents.
func SymmetricReward(searched model.System, r *ir.Reward) error {
	if r == nil {
		return nil
	}
	return symmetricIn(searched, r.Value, "reward "+r.Name, r.Pos)
}
