package verify

import (
	"cmp"
	"fmt"

	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/reduce"
	"ringcheck/reduce/confluence"
)

// For returns the verifier of a prepared v.
func For(s *reduce.Subject) Verifier {
	v := Verifier{System: s.Full, Searched: s.SearchSystem, Holds: s.ChosenHolds(), Memory: s.Search.Memory / 4}
	if s.Search.Reduction != reduce.NoReduction {
		v.Unreduce = s.Reduced.Lift
	}
	if s.Full != nil && s.SearchSystem == model.System(s.Full) && s.Full.CheckUncoupled() == nil {
		v.Prioritize = func(seen func(before, after model.Value, moved bool) bool) Prioritized {
			return confluence.Prioritize(s.Full, confluence.Options{Observes: seen})
		}
	}
	return v
}

// Decides returns an error unless the searched system of a prepared subject decides its chosen properties and bounds.
func Decides(s *reduce.Subject) error {
	err := For(s).permits(s.ChosenProperties)
	for _, b := range s.Bounds {
		err = cmp.Or(err, symmetricBound(s, b))
	}
	return err
}

// symmetricBound returns an error that wraps ErrAsymmetric unless a bound is about all states of an orbit alike.
func symmetricBound(s *reduce.Subject, b *ir.Bound) error {
	if s.Search.Symmetry == reduce.NoSymmetry {
		return nil
	}
	err := cmp.Or(SymmetricGoal(s.SearchSystem, b.Goal), SymmetricReward(s.SearchSystem, b.Reward),
		SymmetricReward(s.SearchSystem, b.Unit))
	if err != nil {
		return fmt.Errorf("%s: %w", b.Name, err)
	}
	return nil
}
