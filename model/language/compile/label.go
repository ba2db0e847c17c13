package compile

import (
	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// An action is a label without the process.
type action struct {
	step.Action
	message uint32 // of a send or receive
}

func (s *System) internAction(a step.Action, message uint32) uint32 {
	return s.actions.number(a.Key(nil), func(e *action) { *e = action{a, message} })
}

// label returns the label of an action done by a process: actions are shared, labels are not.
func (s *System) label(action uint32, process int) model.Label {
	return model.Label(action*uint32(s.protocol.N) + uint32(process))
}

// Label implements model.System.
func (s *System) Label(l model.Label) model.LabelInfo {
	n := model.Label(s.protocol.N)
	return s.labelInfo(s.actions.at(uint32(l/n)), int(l%n))
}

func (s *System) labelInfo(a *action, process int) model.LabelInfo {
	info := s.machine.Label(a.Action, process)
	switch a.Kind {
	case model.SendAction:
		info.Slot = s.layout.channels[s.protocol.OutLink(process, a.Port)]
	case model.LossAction, model.DuplicateAction:
		info.Slot = s.layout.channels[a.Port]
	case model.ReceiveAction:
		info.Slot = s.layout.channels[s.protocol.InLink(process, a.Port)]
	}
	return info
}

// Reward returns the reward r of a transition with label l, see step.Machine.Reward.
func (s *System) Reward(r *ir.Reward, l model.Label) (int64, error) {
	return s.machine.Reward(r, &s.actions.at(uint32(l)/uint32(s.protocol.N)).Action)
}

// AnyProcess returns a representative of the labels that differ from l only in the process. They have equal rewards.
func (s *System) AnyProcess(l model.Label) model.Label { return l - l%model.Label(s.protocol.N) }

// Action returns the action of a label, without the age of its message, and the process that acts, -1 if none does.
func (s *System) Action(l model.Label) (a step.Action, process int) {
	n := uint32(s.protocol.N)
	a, process = s.actions.at(uint32(l)/n).Action, int(uint32(l)%n)
	switch a.Kind {
	case model.LossAction, model.DuplicateAction, model.TickAction:
		process = -1
	}
	return a, process
}
