package simulate

import (
	"cmp"
	"fmt"
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
	"ringcheck/model/language/syntax"
)

// An offer is a message that a process may receive or, without one, an opportunity to act without a message.
type offer struct {
	id      int32 // the number of the message, or noMessage
	kind    int
	arrival *step.Arrival // nil, or points to message
	message step.Arrival
	unclear bool // whether package step has to list the alternatives that were counted last
}

// setOffer sets the offer to a message, or to none for noMessage.
func (r *Run) setOffer(id int32) {
	o := &r.offer
	o.id, o.arrival, o.unclear = id, nil, false
	if id == noMessage {
		return
	}
	l := r.mail.at(id)
	o.kind, o.arrival = r.layout.kindOf(l), &o.message
	c := &o.message.Message
	o.message.Source, c.Message = r.layout.port.get(l), r.protocol.Messages[o.kind]
	c.Args, c.Age = r.layout.read(l, c.Args[:0]), int64(r.mail.age(l))
}

// alternatives returns the number of distinct alternatives of process p for the offer.
func (r *Run) alternatives(p int) (int, error) {
	at := &r.locations[r.procs[p].at]
	switch {
	case r.offer.arrival == nil && at.own == depends && (r.protocol.Capacity.Blocks() || r.protocol.Channel.Sync):
		r.offer.unclear = true // the channels or the receivers matter, too
		all, err := r.distributions(p)
		return len(all), err
	case r.offer.arrival == nil && at.own != depends:
		return int(at.own), nil // never: 0, always: 1
	case r.offer.arrival != nil && at.takes[r.offer.kind] == 0:
		return 0, nil
	}
	n, err := r.count(p)
	if r.offer.unclear && err == nil {
		all, err := r.distributions(p)
		return len(all), err
	}
	return n, err
}

func (r *Run) count(p int) (n int, err error) {
	r.enter(p)
	n, r.offer.unclear, err = r.walker.Count(r.term(p), r.offer.arrival)
	return n, asModelError(p, err)
}

// term returns the alternatives of the term of process p that are relevant for the offer.
func (r *Run) term(p int) ir.Term {
	at := &r.locations[r.procs[p].at]
	if r.offer.arrival == nil {
		return at.alone
	}
	return at.with[r.offer.kind]
}

// enter loads the variables of process p into the environment.
func (r *Run) enter(p int) {
	r.Local(p).Load(r.env)
	r.env.Self = p
	if len(r.shared) == 0 {
		return
	}
	r.walker.Hold(r.locations[r.procs[p].at].Point, view{r}, r.offer.arrival != nil)
}

// act lets process p take one of its choices without a message.
func (r *Run) act(p, choice int) error {
	r.setOffer(noMessage)
	r.offer.unclear = r.procs[p].unclear
	return r.takeCounted(p, choice)
}

// takeCounted lets process p take one of the alternatives that were counted last.
func (r *Run) takeCounted(p, choice int) error {
	if r.offer.unclear {
		return r.doListed(p, choice)
	}
	taken, err := r.takeOnly(p)
	if !taken && err == nil {
		err = fmt.Errorf("simulate: process %d cannot do what was counted", p)
	}
	return err
}

// takeOnly takes the only alternative, if there is one, and reports whether it did.
func (r *Run) takeOnly(p int) (bool, error) {
	r.enter(p)
	taken, err := r.walker.Take(r.term(p), r.offer.arrival)
	if !taken || err != nil {
		return false, asModelError(p, err)
	}
	action, place, next := r.walker.Result()
	r.Last, r.writes = *action, r.walker.AppendWritten(r.writes[:0])
	if next == nil {
		r.Local(p).Set(r.env)
	} else {
		r.procs[p].at = int32(next.ID)
		for i, v := range next.Live {
			r.vars[p*r.width+i] = r.env.Vars[v.ID]
		}
	}
	return true, r.finishStep(p, place)
}

// finishStep updates messages and counts after process p has acted; place is the position of the action in the spec.
func (r *Run) finishStep(p int, place *syntax.Pos) error {
	r.Process = p
	r.write()
	if r.offer.arrival != nil {
		r.age = r.offer.message.Message.Age
		r.mail.remove(r.offer.id)
	}
	receiver, id := -1, noMessage
	if a := &r.Last; a.Kind == model.SendAction {
		link, err := r.address(p, a.Port, place)
		if err != nil {
			return asModelError(p, err)
		}
		if !r.protocol.Capacity.Drops || !r.mail.full(r.protocol.OutLink(p, a.Port)) {
			receiver = link.To
			id = r.mail.post(link.To, link.In, a.Message.Message.ID, a.Message.Args)
			if r.faults.any && r.schedule == Timed {
				r.plan(id)
			}
		}
	}
	if r.receiver >= 0 {
		if err := r.updateProcess(r.receiver); err != nil {
			return err
		}
	}
	if err := cmp.Or(r.updateProcess(p), r.updateSenders(), r.updateSharers(p)); err != nil {
		return err
	}
	if r.protocol.Channel.Sync {
		return r.updateMeetings(p, r.receiver)
	}
	if receiver >= 0 && receiver != p && r.schedule == Uniform {
		return r.addChoicesWith(receiver, id)
	}
	return nil
}

// address returns the channel that process p addresses by target.
func (r *Run) address(p int, target int64, place *syntax.Pos) (link ir.Link, err error) {
	number := r.protocol.OutLink(p, target)
	if number < 0 {
		return link, r.machine.NoChannel(target, place)
	}
	link = r.protocol.Link(number)
	if r.bounded && !(r.protocol.Capacity.Drops && r.mail.full(number)) && r.mail.overfull(link) {
		err = r.machine.Overfull(p, target, place)
	}
	return link, err
}

// updateSenders updates the processes that send to the channels whose number of messages has changed, if they may wait
// for room.
func (r *Run) updateSenders() error {
	all := r.mail.senders
	r.mail.senders = all[:0]
	for _, p := range all {
		if err := cmp.Or(r.countOwn(int(p)), r.updateReceipts(int(p))); err != nil {
			return err
		}
	}
	return nil
}

// distributions returns the distinct alternatives of process p, as package step lists them.
func (r *Run) distributions(p int) ([]step.Distribution, error) {
	site := step.Site{Process: p, View: registers{view{r}}, Sets: r.env.Sets, Full: r.mail.full}
	var all []step.Distribution
	var err error
	if a := r.offer.arrival; a == nil {
		return r.machine.Steps(site)
	} else {
		message := a.Message
		message.Args = slices.Clone(message.Args) // the outcomes share it, and the offer is reused
		all, err = r.machine.Receive(r.Local(p), site, a.Source, message)
	}
	return all, asModelError(p, err)
}

// doListed takes one of several alternatives.
func (r *Run) doListed(p, choice int) error {
	all, err := r.distributions(p)
	if err != nil {
		return err
	}
	outcome := r.pick(all[choice])
	r.Last, r.writes = outcome.Action, append(r.writes[:0], outcome.Writes...)
	r.setLocal(p, outcome.Next)
	if r.receiver = -1; outcome.ReceiverNext.Point != nil {
		r.receiver = outcome.Receiver
		r.setLocal(r.receiver, outcome.ReceiverNext)
	}
	return r.finishStep(p, outcome.Place)
}

// setLocal sets the local state of process p; the caller updates what depends on it.
func (r *Run) setLocal(p int, l ir.Local) {
	r.procs[p].at = int32(l.Point.ID)
	copy(r.vars[p*r.width:], l.Env)
}

// updateMeetings counts again the choices of all processes that may depend on what some processes can receive over
// synchronous channels, or on what they have set. Negative processes are left out.
func (r *Run) updateMeetings(changed ...int) error {
	var again []int
	for _, p := range changed {
		if p < 0 {
			continue
		}
		lo, hi := r.protocol.InLinks(p)
		for link := lo; link < hi; link++ {
			again = append(again, r.protocol.Link(link).From)
		}
	}
	if r.machine.Reads() {
		again = again[:0]
		for p := range r.procs {
			again = append(again, p)
		}
	}
	slices.Sort(again)
	for _, p := range slices.Compact(again) {
		if err := cmp.Or(r.countOwn(p), r.updateReceipts(p)); err != nil {
			return err
		}
	}
	return nil
}

// pick draws an outcome.
func (r *Run) pick(d step.Distribution) *step.Outcome {
	u := r.rng.Float64()
	for i := range d[:len(d)-1] {
		weight, _ := d[i].Probability.Float64()
		if u -= weight; u < 0 {
			return &d[i]
		}
	}
	return &d[len(d)-1]
}
