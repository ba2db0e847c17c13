package compile

import (
	"fmt"
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/step"
)

// A send over a synchronous channel and its receipt are one transition of both processes. The channels have slots, too,
// which stay empty: they tell apart the groups of two processes that send to each other.

// meets adds the groups of the actions of a process that sends to some links, which are synchronous. missing are the
// targets without a link.
func (b *groupBuilder) meets(process int, out []int, missing []int64) {
	r := b.reaches[process]
	if b.reading != nil {
		b.meetsReading(process, out)
		return
	}
	met := slices.DeleteFunc(slices.Clone(out), func(link int) bool {
		l := &b.protocol.Links[link]
		return l.To == process || !b.fills[link] || !b.reaches[l.To].receives.has(l.In)
	})
	b.sends(process, met, missing)
	b.actsAlone(process, len(met) == 0 && !r.draws, missing)
	b.actsByDraw(process, out, missing)
}

// meetsReading adds the group of all actions of a process, where processes read registers of others or use shared
// variables.
func (b *groupBuilder) meetsReading(process int, out []int) {
	if !b.reaches[process].own {
		return
	}
	g := group{Role: Role{Kind: reads, Process: process}, reads: slices.Clone(b.reading.ownOf[process])}
	points := slices.Clone(b.reaches[process].points)
	for _, link := range out {
		to := b.protocol.Links[link].To
		g.reads = append(append(g.reads, to), b.reading.receiptsOf[to]...)
		points = append(points, b.reaches[to].points...)
	}
	slices.Sort(g.reads)
	g.reads = slices.Compact(g.reads)
	g.shared = b.reading.sharedAt(points, b.reading.ownShares, b.reading.receiptShares)
	b.add(fmt.Sprintf("process %d acts", process), g, out...)
}

// A meeting is an outcome with the outcomes of its receipt; none for an outcome that does not send.
type meeting struct {
	own      *Outcome
	partner  int // where in the group's slots the receiver is
	receipts []Outcome
}

// number returns the number of ways in which the outcome can come about.
func (m *meeting) number() int {
	if m.own.Target == NoTarget {
		return 1
	}
	return len(m.receipts)
}

// meet adds the transitions of a process's own actions, whose sends are combined with the receipts; see
// step.Machine.Steps.
func (s *System) meet(g *group, outcomes []Outcome, in []model.Value, out *model.Successors) error {
	choice := uint32(0)
	met := make(map[joint]uint32)
	if !slices.ContainsFunc(outcomes, func(m Outcome) bool { return m.Weight != model.Certain }) {
		met = nil // the transitions are distinct
	}
	var few [4]meeting
	for len(outcomes) > 0 {
		n := 1
		for n < len(outcomes) && outcomes[n].Choice == outcomes[0].Choice {
			n++
		}
		meetings, ways := few[:0], 1
		for i := range outcomes[:n] {
			m := meeting{own: &outcomes[i]}
			if err := s.answerTo(g, &m, in); err != nil {
				return err
			}
			if ways *= m.number(); ways > s.options.MaxOutcomes {
				return step.Blame(g.Process, s.machine.TooMany(s.Local(in[g.Self]).Point))
			}
			meetings = append(meetings, m)
		}
		outcomes = outcomes[n:]
		for way := range ways {
			s.addMeetings(g, meetings, way, choice, met, in, out)
			choice++
		}
	}
	return nil
}

// A joint tells the transitions of a sender and its receiver from each other.
type joint struct {
	transition
	receiverNext model.Value
}

// answerTo sets the receipts of a meeting.
func (s *System) answerTo(g *group, m *meeting, in []model.Value) (err error) {
	if m.own.Target == NoTarget {
		return nil
	}
	m.partner = g.Partner
	if g.partners != nil {
		m.partner = g.partners[m.own.Target]
	}
	switch m.partner {
	case -1:
		return s.NoChannel(g.Process, m.own)
	case g.Self: // a process does not receive while it sends
		return nil
	}
	link := &s.protocol.Links[s.protocol.OutLink(g.Process, m.own.Target)]
	if m.receipts, err = s.ReceiveOutcomes(in[m.partner], link.In, m.own.Message); err != nil {
		return step.Blame(link.To, err)
	}
	return nil
}

// addMeetings adds the transitions of a choice in one of the ways in which its outcomes can come about. Unless it is
// nil, met has the first choice of each transition.
func (s *System) addMeetings(
	g *group, meetings []meeting, way int, choice uint32, met map[joint]uint32, in []model.Value, out *model.Successors,
) {
	for _, m := range meetings {
		own, receiverNext := *m.own, model.Value(0)
		own.Choice, own.Repeated = choice, false
		if own.Target != NoTarget {
			receiverNext = m.receipts[way%len(m.receipts)].Next
			way /= len(m.receipts)
		}
		if met != nil {
			key := joint{own.transition(), receiverNext}
			first, known := met[key]
			if own.Repeated = known && first != choice; !known {
				met[key] = choice
			}
		}
		values := s.add(g, &own, 0, in, out)
		if own.Target != NoTarget {
			values[m.partner] = receiverNext
		}
	}
}

// meetReading adds the transitions of a process as package step lists them.
func (s *System) meetReading(g *group, in []model.Value, out *model.Successors) error {
	alternatives, err := s.machine.Steps(step.Site{Process: g.Process, View: &neighbourhood{s, g, in}})
	if err != nil {
		return err
	}
	outcomes, err := s.outcomesOf(alternatives, s.Local(in[g.Self]).Point)
	if err != nil {
		return step.Blame(g.Process, err)
	}
	next := 0
	for _, d := range alternatives {
		for i := range d {
			values := s.add(g, &outcomes[next], 0, in, out)
			if d[i].ReceiverNext.Point != nil {
				values[g.partners[d[i].Action.Port]] = s.locals.number(d[i].ReceiverNext)
			}
			next++
		}
	}
	return nil
}
