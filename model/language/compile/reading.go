package compile

import (
	"slices"

	"ringcheck/internal/intern"
	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// A reading says at which control points a process may read the registers of others, and whose, and which shared
// variables it may read or set. At other points its actions depend on its local state only, and change nothing else.
type reading struct {
	own, receipts     []bool  // by point: whether own actions and receipts there may read or set
	ownOf, receiptsOf [][]int // by process: the others that they may read, ascending
	acts, receives    bool    // whether own actions, or receipts, may read at some point
	sends             bool    // whether a process can send at a point where its own actions may read
	// By point: the shared variables that own actions and receipts may read or set, by Slot.
	ownShares, receiptShares [][]*ir.Var
}

// newReading returns the reading of a protocol, nil if no process reads registers of others or uses shared variables.
func newReading(p *ir.Protocol) *reading {
	r := &reading{own: make([]bool, len(p.Points)), receipts: make([]bool, len(p.Points))}
	var own, receipts ir.Reading
	for i, point := range p.Points {
		o, c := point.Reading()
		r.own[i], r.receipts[i] = o.Reads(), c.Reads()
		r.ownShares, r.receiptShares = append(r.ownShares, o.Shared), append(r.receiptShares, c.Shared)
		own.Merge(o)
		receipts.Merge(c)
		r.sends = r.sends || r.own[i] && maySend(point)
	}
	if !own.Reads() && !receipts.Reads() {
		return nil
	}
	r.acts, r.receives = own.Reads(), receipts.Reads()
	r.ownOf, r.receiptsOf = own.ByProcess(p), receipts.ByProcess(p)
	return r
}

// sharedAt returns the shared variables in some lists by point that processes at some points use, by Slot.
func (r *reading) sharedAt(points []*ir.Point, lists ...[][]*ir.Var) (all []*ir.Var) {
	for _, p := range points {
		for _, list := range lists {
			all = append(all, list[p.ID]...)
		}
	}
	slices.SortFunc(all, func(v, w *ir.Var) int { return v.Slot - w.Slot })
	return slices.Compact(all)
}

// sharedSets returns the different sets of shared variables that own actions use at those of some points where they may
// read or set anything.
func (r *reading) sharedSets(points []*ir.Point) (all [][]*ir.Var) {
	for _, p := range points {
		same := func(set []*ir.Var) bool { return slices.Equal(set, r.ownShares[p.ID]) }
		if r.own[p.ID] && !slices.ContainsFunc(all, same) {
			all = append(all, r.ownShares[p.ID])
		}
	}
	return all
}

// maySend reports whether a process may send at a control point.
func maySend(point *ir.Point) bool {
	for t := range ir.Beginnings(point.Term) {
		if prefix, ok := t.(*ir.Prefix); ok {
			if _, sends := prefix.Action.(*ir.Send); sends {
				return true
			}
		}
	}
	return false
}

// readsOwn reports whether own actions in local state v may read registers of others, or use shared variables.
func (s *System) readsOwn(v model.Value) bool {
	return s.reading != nil && s.reading.own[s.locals.at(v).Point.ID]
}

// actsIn reports whether the own actions in local state v that may read registers of others, or use shared variables,
// belong to a group. There is one for each set of shared variables.
func (s *System) actsIn(g *group, v model.Value) bool {
	return s.machine.TakesFirst() ||
		s.readsOwn(v) && slices.Equal(g.shared, s.reading.ownShares[s.locals.at(v).Point.ID])
}

// A neighbourhood shows the registers of the processes in a group, and the shared variables.
type neighbourhood struct {
	*System
	group *group
	in    []model.Value
}

var _ ir.View = (*neighbourhood)(nil)

// Channel implements ir.View. Processes cannot inspect channels.
func (n *neighbourhood) Channel(int) []ir.Content { return nil }

// SharedValue implements ir.View.
func (n *neighbourhood) SharedValue(slot int) int64 {
	if n.group.Kind == ticks {
		return n.System.SharedValue(n.in[n.layout.shared[slot]])
	}
	return n.System.SharedValue(n.in[n.group.positionOf(n.protocol.Shared[slot])])
}

// Seen implements ir.View.
func (n *neighbourhood) Seen(p int) ir.Local {
	if n.group.Kind == ticks {
		return n.Local(n.in[n.layout.processes[p]])
	}
	if p == n.group.Process {
		return n.Local(n.in[n.group.Self])
	}
	i, _ := slices.BinarySearch(n.group.reads, p) // the group reads only known processes
	return n.Local(n.in[n.group.read[i]])
}

// readAndAct adds the own actions of a process that may read registers of others, or takes due messages first.
func (s *System) readAndAct(g *group, in []model.Value, out *model.Successors) error {
	if s.protocol.Channel.Sync {
		return s.meetReading(g, in, out)
	}
	if !s.actsIn(g, in[g.Self]) {
		return nil // the process acts in other groups
	}
	for _, inlet := range g.inbox {
		for _, r := range s.removals(in[inlet.channel], nil) {
			if !r.due {
				continue
			}
			if outcomes, err := s.receiptOutcomes(g, in, inlet.port, r.message); err != nil || len(outcomes) > 0 {
				return err // its place is the receipt
			}
		}
	}
	outcomes, err := s.situationOutcomes(g, in, s.readsOwn(in[g.Self]), noMessage, nil)
	if err != nil {
		return step.Blame(g.Process, err)
	}
	return s.act(g, outcomes, in, out)
}

// receiptOutcomes returns the outcomes of a process receiving a message. The error is a model error that names no
// process yet.
func (s *System) receiptOutcomes(g *group, in []model.Value, port int64, message uint32) ([]Outcome, error) {
	if s.reading == nil || !s.reading.receipts[s.locals.at(in[g.Self]).Point.ID] {
		return s.ReceiveOutcomes(in[g.Self], port, message)
	}
	number := 1 + s.arrivals.Number(intern.Pair(uint32(port), message))
	return s.situationOutcomes(g, in, true, number, &step.Arrival{Source: port, Message: *s.messages.at(message)})
}
