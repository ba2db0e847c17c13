package compile

import (
	"errors"
	"fmt"
	"iter"

	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
	"ringcheck/model/language/syntax"
)

// ActionLabel returns the label of an action done by a process: actions are shared, labels are not.
func (s *System) ActionLabel(action uint32, process int) model.Label {
	return model.Label(action*uint32(s.protocol.N) + uint32(process))
}

// Label implements model.System.
func (s *System) Label(l model.Label) model.LabelInfo {
	n := model.Label(s.protocol.N)
	a, process := s.actions.at(uint32(l/n)), int(l%n)
	info := s.machine.Label(a.Action, process)
	switch a.Kind {
	case model.SendAction, model.SyncAction:
		info.Slot = s.layout.channels[s.protocol.OutLink(process, a.Port)]
	case model.FaultAction:
		info.Slot = s.layout.channels[a.Port]
	case model.ReceiveAction:
		info.Slot = s.layout.channels[s.protocol.InLink(process, a.Port)]
	case model.Internal, model.EventAction, model.CrashAction, model.RecoverAction, model.TickAction: // of no channel
	}
	return info
}

// Reward returns the reward r of a transition with label l, see step.Machine.Reward.
func (s *System) Reward(r *ir.Reward, l model.Label) (int64, error) {
	return s.machine.Reward(r, &s.actions.at(uint32(l)/uint32(s.protocol.N)).Action)
}

// Action returns the action of a label, without the age of its message, and the process that acts, -1 if none does.
func (s *System) Action(l model.Label) (a step.Action, process int) {
	n := uint32(s.protocol.N)
	a, process = s.actions.at(uint32(l)/n).Action, int(uint32(l)%n)
	switch a.Kind {
	case model.FaultAction, model.TickAction:
		process = -1
	case model.Internal, model.SendAction, model.ReceiveAction, model.SyncAction, model.EventAction,
		model.CrashAction, model.RecoverAction: // of the process of the label
	}
	return a, process
}

// An Outcome is a possible result of an action in a local state; reductions use it to find transitions that commute. It
// is the same for all processes, which differ only in their channels.
type Outcome struct {
	Action  uint32 // the label without the process
	Visible bool
	Next    model.Value // the local state afterwards
	Choice  uint32      // as in model.Step
	Weight  model.Weight
	// Repeated is as in model.Step.
	Repeated bool
	Target   int64       // of a send, else NoTarget
	Message  uint32      // of a send
	Writes   uint32      // the number of what is written to shared variables, 0 for nothing
	Place    *syntax.Pos // of a send, for model errors
}

// NoTarget is the target of an outcome that does not send.
const NoTarget int64 = -1

// OwnOutcomes returns the outcomes of a process's own actions in local state v: sends by target, then events and skips,
// then draws that decide between them. The error is a *model.Error that names no process.
func (s *System) OwnOutcomes(v model.Value) ([]Outcome, error) {
	own, err := s.localOutcomes(v)
	if err != nil {
		return nil, err
	}
	var all []Outcome
	first := uint32(0)
	for list := range own.lists() {
		for _, m := range list {
			m.Choice += first
			all = append(all, m)
		}
		first = choices(all)
	}
	return all, nil
}

// ActsAlone reports whether OwnOutcomes has all own actions that a process can take in a state: whether none depends on
// other processes, on due messages or on the room in a channel.
func (s *System) ActsAlone() bool {
	return s.reading == nil && !s.machine.TakesFirst() && !s.blocks && !s.protocol.Channel.Sync
}

// lists yields the lists of own outcomes, the choices of each numbered from 0.
func (own *ownOutcomes) lists() iter.Seq[[]Outcome] {
	return func(yield func([]Outcome) bool) {
		for _, list := range own.sends {
			if !yield(list) {
				return
			}
		}
		_ = yield(own.events) && yield(own.mixedOutcomes)
	}
}

// ErrCoupled means that an action may involve other processes or channels than its own, so that outcomes of one process
// do not tell which transitions commute. The wrapping error says how.
var ErrCoupled = errors.New("not every process acts on its own")

// CheckUncoupled returns an error that wraps ErrCoupled unless OwnOutcomes and ReceiveOutcomes cover all transitions.
func (s *System) CheckUncoupled() error {
	if err := s.protocol.Refusal(ir.InReductions); err != nil {
		return fmt.Errorf("%w: %w", ErrCoupled, err)
	}
	return nil
}

// ReceiveLabel returns the source and the message of the label of a receive.
func (s *System) ReceiveLabel(l model.Label) (source int64, message uint32, ok bool) {
	a := s.actions.at(uint32(l) / uint32(s.protocol.N))
	return a.Port, a.message, a.Kind == model.ReceiveAction
}

// Receptions returns the receives enabled in local state v, see step.Machine.Receptions.
func (s *System) Receptions(v model.Value) ([]step.Reception, error) {
	return s.machine.Receptions(s.Local(v))
}

// Head returns a local state with the same behaviour as v, see step.Machine.Head.
func (s *System) Head(v model.Value) model.Value { return s.locals.number(s.machine.Head(s.Local(v))) }

// Ports returns an upper bound of all targets and sources.
func (s *System) Ports() int { return s.layout.ports }

// Message returns a message by its number.
func (s *System) Message(m uint32) ir.Content { return *s.messages.at(m) }

// Messages yields the numbers of the distinct messages receivable from contents v, in ascending order of meaning.
func (s *System) Messages(v model.Value) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for _, r := range s.removals(v, nil) {
			if !yield(r.message) {
				return
			}
		}
	}
}

// Empty is the value of an empty channel's slot.
const Empty model.Value = 0

// Put returns the contents of a channel with contents v after process has sent the message of m there, or a
// *model.Error. It does not ask whether the channel has room, as far as processes wait for that.
func (s *System) Put(process int, v model.Value, m *Outcome) (model.Value, error) {
	after, ok := s.insert(v, m.Message)
	if !ok {
		return 0, step.Blame(process, s.machine.Overfull(process, m.Target, m.Place))
	}
	return after, nil
}

// NoChannel returns the error of process sending m to a target without a channel.
func (s *System) NoChannel(process int, m *Outcome) error {
	return step.Blame(process, s.machine.NoChannel(m.Target, m.Place))
}

// mixes reports whether the actions right after d may involve different channels, or a channel and none. A false
// positive only costs groups without transitions.
func mixes(d *ir.Draw) bool {
	targets := make(map[int64]bool)
	for t := range ir.Beginnings(d.Then) {
		prefix, ok := t.(*ir.Prefix)
		if !ok {
			continue
		}
		switch a := prefix.Action.(type) {
		case *ir.Send:
			target, ok := a.Target.(*ir.Const)
			if !ok {
				return true // it depends on variables
			}
			targets[target.Value] = true
		case *ir.Emit, *ir.Skip, *ir.Assign, *ir.Crash:
			targets[NoTarget] = true
		case *ir.Receive: // not what the process does on its own
		}
	}
	return len(targets) > 1
}
