package compile

import (
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// The actions of a process that reads other processes' registers depend on more than its local state, so they are
// computed on every call.

// A neighbourhood shows the registers of the processes in a group.
type neighbourhood struct {
	*System
	group *group
	in    []model.Value
}

var _ ir.View = (*neighbourhood)(nil)

// At implements ir.View.
func (n *neighbourhood) At(p int) *ir.Point { return n.local(p).Point }

// Var implements ir.View.
func (n *neighbourhood) Var(p int, v *ir.Var) (int64, bool) { return n.local(p).Var(v) }

// Channel implements ir.View. Processes cannot inspect channels.
func (n *neighbourhood) Channel(int) []ir.Content { return nil }

func (n *neighbourhood) local(p int) ir.Local {
	if n.group.Kind == ticks {
		return n.Local(n.in[n.layout.processes[p]])
	}
	if p == n.group.Process {
		return n.Local(n.in[n.group.Self])
	}
	i, _ := slices.BinarySearch(n.group.reads, p) // those that are read are known
	return n.Local(n.in[n.group.read[i]])
}

// readAndAct adds the own actions of a process that reads other processes' registers.
func (s *System) readAndAct(g *group, in []model.Value, out *model.Successors) error {
	for _, inlet := range g.inbox {
		for _, r := range s.removals(in[inlet.channel]) {
			if !r.due {
				continue
			}
			if outcomes, err := s.received(g, in, inlet.port, r.message); err != nil || len(outcomes) > 0 {
				return err // whose place is where it is received
			}
		}
	}
	l := s.Local(in[g.Self])
	alternatives, err := s.machine.Own(l, step.Site{Process: g.Process, View: &neighbourhood{s, g, in}})
	if err != nil {
		return step.Blame(g.Process, err)
	}
	outcomes, err := s.all(alternatives, l.Point)
	if err != nil {
		return step.Blame(g.Process, err)
	}
	return s.act(g, outcomes, in, out)
}

// received returns the outcomes of a process receiving a message. The error is a fault that names no process yet.
func (s *System) received(g *group, in []model.Value, port int64, message uint32) ([]Outcome, error) {
	if g.reads == nil {
		return s.ReceiveOutcomes(in[g.Self], port, message)
	}
	l := s.Local(in[g.Self])
	site := step.Site{Process: g.Process, View: &neighbourhood{s, g, in}}
	alternatives, err := s.machine.Receive(l, site, port, *s.messages.at(message))
	if err != nil {
		return nil, err
	}
	return s.all(alternatives, l.Point)
}

// all returns alternatives as one list of outcomes.
func (s *System) all(alternatives []step.Distribution, point *ir.Point) (list []Outcome, err error) {
	for _, d := range alternatives {
		if list, err = s.outcomes(list, d, point); err != nil {
			return nil, err
		}
	}
	return list, nil
}
