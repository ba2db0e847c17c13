package step

import (
	"fmt"

	"ringcheck/model"
	"ringcheck/model/language/ir"
)

// Reward returns the reward r of an action times r.Over; see r.Earned. It fails if that is negative or cannot be
// evaluated.
func (m *Machine) Reward(r *ir.Reward, a *Action) (int64, error) {
	fields := a.Args
	switch {
	case r.Per == ir.PerEvent && (a.Event == nil || r.Event != a.Event):
		return 0, nil
	case r.Per == ir.PerTick && a.Kind != model.TickAction:
		return 0, nil
	case r.Per == ir.PerSend:
		if a.Kind != model.SendAction || r.Message != nil && r.Message != a.Message.Message {
			return 0, nil
		}
		fields = a.Message.Args
	}
	env := m.protocol.NewEnv(nil)
	for i, f := range r.Fields {
		if f != nil {
			env.Vars[f.ID] = fields[i]
		}
	}
	value, err := r.Value.Eval(env)
	if err == nil && value < 0 {
		err = &ir.Error{Pos: r.Pos, Message: fmt.Sprintf("%d is negative", value)}
	}
	if err != nil {
		return 0, fmt.Errorf("%s: reward %s: %w", r.Pos, r.Name, err)
	}
	return value, nil
}
