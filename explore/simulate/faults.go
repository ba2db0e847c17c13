package simulate

import (
	"cmp"
	"errors"
	"slices"

	"ringcheck/explore/simulate/internal/weighttree"
	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// Besides ticks, the environment lets faults befall messages, and lets processes crash and recover. For a Uniform
// schedule these are choices like all others. In a Timed schedule they have the probability FaultRate:
//
//	duplication  of a message when it has been sent; the copy has its own delay
//	other fault  of a message when it is chosen to be received for the first time
//	crash        of a process when it is chosen to act or to receive
//	recovery     of a process, once before each tick
//
// If nothing else is possible and time cannot advance, a step of the environment is taken, each equally likely.

// DefaultRate is the default of Scheduler.FaultRate.
const DefaultRate = 0.01

// faults is the state of the environment.
type faults struct {
	any    bool
	happen step.Tally
	mortal *weighttree.Tree // the processes that can crash, each with weight 1
	down   *weighttree.Tree // the processes that can recover, each with weight 1

	nextTarget int32 // Timed: the message that nextFault befalls in the next step, or noMessage
	nextFault  ir.FaultKind
	considered int32  // Timed: the last time at which recoveries were drawn
	recovering uint32 // Timed: the number of recoveries to come before the next tick
}

func (f *faults) init(p *ir.Protocol) {
	if f.any = p.Faults.Any(); f.any {
		f.mortal, f.down = weighttree.New(p.N), weighttree.New(p.N)
	}
}

// clear begins another run.
func (f *faults) clear() {
	f.happen, f.nextTarget, f.considered, f.recovering = step.Tally{}, noMessage, -1, 0
}

// mayFail reports whether there can be one more fault of a kind.
func (r *Run) mayFail(k ir.FaultKind) bool { return r.machine.MayFail(k, &r.faults.happen) }

func (r *Run) fail(k ir.FaultKind) { r.machine.CountFault(k, &r.faults.happen) }

// countFaults updates whether process p, which has changed, can crash or recover.
func (r *Run) countFaults(p int) {
	f := &r.protocol.Faults
	crashed := r.locations[r.procs[p].at].Equation == f.Crashed
	r.faults.mortal.Set(p, count(f.Most[ir.CrashFault] != 0 && f.Mortal[p] && !crashed))
	r.faults.down.Set(p, count(f.Recover != nil && crashed))
}

func count(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// faultChoices returns the number of steps that the environment can take besides a tick.
func (r *Run) faultChoices() uint32 {
	if !r.faults.any {
		return 0
	}
	n := r.faults.down.Total()
	if r.mayFail(ir.CrashFault) {
		n += r.faults.mortal.Total()
	}
	for _, kind := range r.mail.faults {
		if r.mayFail(kind) {
			n += r.mail.targets[kind].Total()
		}
	}
	return n
}

// takeFault takes step i of the faultChoices.
func (r *Run) takeFault(i uint32) error {
	if n := r.faults.down.Total(); i < n {
		p, _ := r.faults.down.Find(i)
		return r.recover(p)
	} else {
		i -= n
	}
	if r.mayFail(ir.CrashFault) {
		if n := r.faults.mortal.Total(); i < n {
			p, _ := r.faults.mortal.Find(i)
			return r.crash(p)
		} else {
			i -= n
		}
	}
	for _, kind := range r.mail.faults {
		if !r.mayFail(kind) {
			continue
		}
		if n := r.mail.targets[kind].Total(); i >= n {
			i -= n
			continue
		}
		p, effect := r.mail.targets[kind].Find(i)
		for _, id := range r.mail.inTransit(p, kind) {
			n := r.mail.effectsOf(kind, r.mail.at(id))
			if effect < n {
				return r.befall(kind, id, effect, r.mail.remaining(id))
			}
			effect -= n
		}
	}
	return errors.New("simulate: a fault that was counted is gone")
}

// drawFault draws whether a fault of a kind happens, which has the probability FaultRate.
func (r *Run) drawFault(k ir.FaultKind) bool { return r.mayFail(k) && r.rng.Float64() < r.rate }

// drawEffect draws the effect of a fault on a message.
func (r *Run) drawEffect(k ir.FaultKind, id int32) uint32 {
	n := r.mail.effectsOf(k, r.mail.at(id))
	if n == 1 {
		return 0
	}
	return r.rng.Uint32N(n)
}

// befall lets a fault befall a message that is not ready, with one of its effects. Additional copies can be received
// after the given number of ticks.
func (r *Run) befall(k ir.FaultKind, id int32, effect uint32, after int32) error {
	l := r.mail.at(id)
	c := r.mail.content(l)
	r.age = c.Age
	if r.mail.queues != nil {
		for at := r.mail.queues[r.mail.channel(l)].head; at != id; at = *r.mail.nextInChannel(at) {
			r.position++
		}
	}
	p, port := int(r.layout.to.get(l)), r.layout.port.get(l)
	var place []ir.Content
	r.Process = -1
	for r.Last, place = range r.machine.Befall(k, r.protocol.InLink(p, port), c) {
		if effect == 0 {
			break
		}
		effect--
	}
	r.fail(k)
	if len(place) > 1 && r.mail.overfull(ir.Link{To: p, In: port}) {
		return r.machine.Overflow(k, int(r.Last.Port))
	}
	r.mail.replace(id, place, after)
	if r.schedule == Uniform || len(place) == 1 { // then the receiver may be able to receive the message
		return cmp.Or(r.updateReceipts(p), r.updateSenders())
	}
	return r.updateSenders()
}

func (r *Run) crash(p int) error {
	after, _ := r.machine.Crash(p, r.Local(p))
	r.Last, r.Process = step.Action{Kind: model.CrashAction}, p
	r.fail(ir.CrashFault)
	return r.moveTo(p, after)
}

func (r *Run) recover(p int) error {
	after, _, err := r.machine.Recover(p, r.Local(p))
	if err != nil {
		return err
	}
	r.Last, r.Process = step.Action{Kind: model.RecoverAction}, p
	r.procs[p].ended = false
	r.mail.restartReceiver(p)
	return r.moveTo(p, after)
}

// moveTo gives process p a local state.
func (r *Run) moveTo(p int, l ir.Local) error {
	r.setLocal(p, l)
	if err := r.updateProcess(p); err != nil || !r.protocol.Channel.Sync {
		return err
	}
	return r.updateMeetings(p)
}

// faultOrCrash draws whether a fault befalls a ready message or its receiver crashes, and reports whether one of them
// happened.
func (r *Run) faultOrCrash(i int) (bool, error) {
	id := r.mail.ready[i]
	l := r.mail.at(id)
	p := int(r.layout.to.get(l))
	switch {
	case r.procs[p].ended:
		return false, nil
	case r.mortal(p) && r.drawFault(ir.CrashFault):
		return true, r.crash(p)
	case l.has(faultDecided):
		return false, nil
	}
	l.set(faultDecided)
	for _, kind := range r.mail.faults {
		if kind.Info().Early || r.mail.effectsOf(kind, l) == 0 || !r.drawFault(kind) {
			continue
		}
		r.mail.takeReady(i)
		err := r.befall(kind, id, r.drawEffect(kind, id), 0)
		if r.mail.uses(l) && err == nil {
			r.mail.makeReady(id, l)
		}
		return true, err
	}
	return false, nil
}

// plan draws whether a fault befalls a message that has been sent.
func (r *Run) plan(id int32) {
	for _, kind := range r.mail.faults {
		if kind.Info().Early && r.mail.effectsOf(kind, r.mail.at(id)) > 0 && r.drawFault(kind) {
			r.faults.nextTarget, r.faults.nextFault = id, kind
			return
		}
	}
}

func (r *Run) mortal(p int) bool { return r.faults.any && r.faults.mortal.Weight(p) > 0 }

// stepEnvironment takes a step when no process has a choice: a recovery, a fault or a tick.
func (r *Run) stepEnvironment() (bool, error) {
	f := &r.faults
	if f.any && f.considered != r.mail.now {
		f.considered = r.mail.now
		for range f.down.Total() {
			f.recovering += count(r.rng.Float64() < r.rate)
		}
	}
	if f.recovering > 0 {
		f.recovering--
		p, _ := f.down.Find(r.rng.Uint32N(f.down.Total()))
		return true, r.recover(p)
	}
	if n := r.faultChoices(); n > 0 && !r.canTick() {
		return true, r.takeFault(r.rng.Uint32N(n))
	}
	return r.tick()
}

// countQueued updates mailbox.targets for process p where the contents of channels are sequences.
func (b *mailbox) countQueued(p int) {
	if len(b.faults) == 0 || b.queues == nil {
		return
	}
	for _, kind := range b.faults {
		n := uint32(0)
		for _, id := range b.inTransit(p, kind) {
			n += b.effectsOf(kind, b.at(id))
		}
		b.targets[kind].Set(p, n)
	}
}

// effectsOf returns the number of effects that a fault can have on a message.
func (b *mailbox) effectsOf(k ir.FaultKind, l record) uint32 { return b.effects[k][b.layout.kindOf(l)] }

// uses reports whether a record is a message in transit.
func (b *mailbox) uses(l record) bool { return b.layout.kind.get(l) != 0 }

// replace replaces a message that is not ready by the result of a fault: nothing, copies of it, or another message.
// Additional copies can be received after the given number of ticks.
func (b *mailbox) replace(id int32, place []ir.Content, after int32) {
	switch len(place) {
	case 0:
		b.drop(id)
	case 1:
		b.change(id, place[0])
	default:
		for range place[1:] {
			b.copy(id, after)
		}
	}
}

// change replaces the content of a message. Its place, age and flags stay the same.
func (b *mailbox) change(id int32, c ir.Content) {
	l := b.at(id)
	b.removeFromInbox(id, l)
	flags := l[0] & (1<<flagBits - 1)
	to, port, sent := b.layout.to.get(l), b.layout.port.get(l), b.layout.sentAt.get(l)
	clear(l)
	b.layout.write(l, int(to), port, c.Message.ID, c.Args, sent)
	l[0] |= flags
	b.addToInbox(id, l)
}

// inTransit returns the messages in transit to process p on which a fault has different effects: see
// step.Machine.Targets. The slice is valid until the next call.
func (b *mailbox) inTransit(p int, k ir.FaultKind) []int32 {
	if k.Info().Changes && b.queues != nil {
		return b.inboxes[p]
	}
	all := b.scratch[:0]
	for i, id := range b.inboxes[p] {
		l := b.at(id)
		next := noMessage
		if b.queues != nil {
			next = *b.nextInChannel(id)
		} else if i+1 < len(b.inboxes[p]) {
			next = b.inboxes[p][i+1]
		}
		if next == noMessage || !b.layout.equal(l, b.at(next)) {
			all = append(all, id)
		}
	}
	b.scratch = all
	return all
}

// overfull reports whether a channel holds as many messages as the options permit.
func (b *mailbox) overfull(l ir.Link) bool {
	most := b.run.machine.MaxMessages()
	return len(b.inboxes[l.To]) >= most && b.length(l) >= most
}

// full reports whether a channel has no room for another message.
func (b *mailbox) full(link int) bool {
	p := b.run.protocol
	return p.Capacity.Full(b.length(p.Link(link)))
}

// length returns the number of messages in a channel; there must be inboxes.
func (b *mailbox) length(l ir.Link) (n int) {
	for _, id := range b.inboxes[l.To] {
		n += int(count(b.layout.port.get(b.at(id)) == l.In))
	}
	return n
}

// drop removes a message that is not ready, in any other state, also if it is undeliverable.
func (b *mailbox) drop(id int32) {
	if l := b.at(id); l.has(due) && b.receiver(l).ended {
		if i := slices.Index(b.undeliverable, id); i >= 0 {
			b.undeliverable = slices.Delete(b.undeliverable, i, i+1)
		}
	}
	b.remove(id)
}

// remaining returns the number of ticks after which a copy of a message can be received.
func (b *mailbox) remaining(id int32) int32 {
	if l := b.at(id); !l.has(deliverable) {
		return max(1, b.lo-b.age(l))
	}
	return 0
}

// copy inserts a copy of a message after it.
func (b *mailbox) copy(id, after int32) {
	other := b.number()
	l, duplicate := b.at(id), b.at(other)
	copy(duplicate, l)
	duplicate[0] &^= 1<<flagBits - 1
	duplicate.set(faultDecided)
	if b.queues != nil {
		*b.nextInChannel(other), *b.nextInChannel(id) = *b.nextInChannel(id), other
		if q := b.queues[b.channel(l)]; q.tail == id {
			b.queues[b.channel(l)] = queue{q.head, other}
		}
	}
	if b.delays {
		b.notDue++
	}
	b.insert(other, duplicate, after)
}

// restartReceiver offers its messages again to process p, which had ended and recovers.
func (b *mailbox) restartReceiver(p int) {
	toP := func(id int32) bool { return b.layout.to.get(b.at(id)) == int64(p) }
	b.undeliverable = slices.DeleteFunc(b.undeliverable, toP)
	for _, id := range b.inboxes[p] {
		l := b.at(id)
		if l.has(due) {
			b.run.procs[p].due++
			b.dueTotal++
		}
		if l.has(deliverable) && b.run.schedule == Timed {
			b.makeReady(id, l)
		}
	}
}
