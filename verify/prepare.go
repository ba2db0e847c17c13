package verify

import (
	"ringcheck/model"
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

// Decides returns an error unless the searched system of a prepared subject decides its chosen properties.
func Decides(s *reduce.Subject) error { return For(s).permits(s.ChosenProperties) }
