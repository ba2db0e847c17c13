package verify

import (
	"ringcheck/model"
	"ringcheck/reduce"
	"ringcheck/reduce/confluence"
)

// For returns the subject of verification for a prepared subject.
func For(s *reduce.Subject) Subject {
	subject := Subject{System: s.Full, Searched: s.Searched, Holds: s.ChosenHolds(), Memory: s.Search.Memory / 4}
	if s.Search.Reduction != reduce.NoReduction {
		subject.Unreduce = s.Applied.Lift
	}
	if s.Full != nil && s.Searched == model.System(s.Full) && s.Full.Uncoupled() == nil {
		subject.Prioritize = func(seen func(before, after model.Value, moved bool) bool) Prioritized {
			return confluence.Prioritize(s.Full, confluence.Options{Seen: seen})
		}
	}
	return subject
}
