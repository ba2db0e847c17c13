package compile

import (
	"fmt"

	"ringcheck/model"
	"ringcheck/model/language/ir"
)

// Reward returns what a transition with a label earns by r, times r.Over; r.Earned makes the reward of it. It is an error if that is negative or cannot be evaluated.
func (s *System) Reward(r *ir.Reward, l model.Label) (int64, error) {
	event, fields := s.Happened(l)
	switch {
	case r.Per == ir.PerEvent && (event == nil || r.Event != event):
		return 0, nil
	case r.Per == ir.PerSend:
		content, sent := s.Sent(l)
		if !sent || r.Message != nil && r.Message != content.Message {
			return 0, nil
		}
		fields = content.Args
	}
	env := s.protocol.NewEnv(nil)
	for i, f := range r.Fields {
		if f != nil {
			env.Vars[f.ID] = fields[i]
		}
	}
	value, err := r.Value.Eval(env)
	if err == nil && value < 0 {
		err = fmt.Errorf("%s: reward %s: %d is negative", r.Pos, r.Name, value)
	}
	return value, err
}

// AnyProcess returns a label that differs from l in the process at most. What a label earns does not depend on it.
func (s *System) AnyProcess(l model.Label) model.Label { return l - l%model.Label(s.protocol.N) }
