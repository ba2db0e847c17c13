package step

import (
	"errors"
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/ir"
)

// A State is a global state.
type State struct {
	Processes []ir.Local
	Channels  [][]ir.Content // by link: in queue order for FIFO, else ascending
	Faults    Tally

	protocol *ir.Protocol // nil: of a state that is made up
}

var _ ir.View = (*State)(nil)

// At implements ir.View.
func (s *State) At(p int) *ir.Point { return s.seen(p).Point }

// Var implements ir.View.
func (s *State) Var(p int, v *ir.Var) (int64, bool) { return s.seen(p).Var(v) }

// seen returns the local state of process p as properties see it.
func (s *State) seen(p int) ir.Local {
	if s.protocol == nil {
		return s.Processes[p]
	}
	at, _ := s.protocol.Ended(s.Processes[p], nil)
	return at
}

// Channel implements ir.View.
func (s *State) Channel(link int) []ir.Content { return s.Channels[link] }

// Initial calls yield with the initial states until it returns false. An error is a *model.Fault.
func (m *Machine) Initial(yield func(*State) bool) error {
	err := m.protocol.Initial(func(locals []ir.Local, channels [][]ir.Content) bool {
		s := &State{protocol: m.protocol, Channels: channels}
		for _, l := range locals {
			s.Processes = append(s.Processes, ir.Local{Point: l.Point, Env: slices.Clone(l.Env)})
		}
		return yield(s)
	})
	if e, ok := errors.AsType[*ir.Error](err); ok {
		return &model.Fault{Place: e.Pos.String(), Process: -1, Message: e.Message}
	}
	return err
}

// Key returns a text that is equal for two states exactly if the states are.
func (s *State) Key() string {
	var key []byte
	for _, l := range s.Processes {
		key = AppendLocal(key, l)
	}
	for _, channel := range s.Channels {
		key = AppendContents(key, channel)
	}
	return string(AppendKey(key, s.Faults[:]...))
}
