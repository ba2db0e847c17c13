package simulate

import (
	"slices"

	"ringcheck/explore/simulate/internal/urn"
	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// Besides ticks, the environment loses and duplicates messages, and lets processes crash and recover. For a Uniform
// schedule these are choices like all others. In a Timed schedule they have the probability FaultRate:
//
//	duplication  of a message when it has been sent; the copy has its own delay
//	loss         of a message when it is chosen to be received for the first time
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
	mortal *urn.Urn // the processes that can crash, one ticket each
	down   *urn.Urn // the processes that can recover, one ticket each

	twin       int32  // Timed: the message that is duplicated next, or noMessage
	considered int32  // Timed: the last time at which recoveries were drawn
	recovering uint32 // Timed: the number of recoveries to come before the next tick
}

func (f *faults) init(p *ir.Protocol) {
	if f.any = p.Faults.Any(); f.any {
		f.mortal, f.down = urn.New(p.N), urn.New(p.N)
	}
}

// clear begins another run.
func (f *faults) clear() {
	f.happen, f.twin, f.considered, f.recovering = step.Tally{}, noMessage, -1, 0
}

// mayFail reports whether there can be one more fault of kind b.
func (r *Run) mayFail(b step.Budget) bool { return r.machine.MayFail(b, &r.faults.happen) }

func (r *Run) fail(b step.Budget) { r.machine.CountFault(b, &r.faults.happen) }

// countFaults updates whether process p, which has changed, can crash or recover.
func (r *Run) countFaults(p int) {
	f := &r.protocol.Faults
	crashed := r.locations[r.procs[p].at].Equation == f.Crashed
	r.faults.mortal.Set(p, count(f.Crashes != 0 && f.Mortal[p] && !crashed))
	r.faults.down.Set(p, count(f.Recover != nil && crashed))
}

func count(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// chances returns the number of steps that the environment can take besides a tick.
func (r *Run) chances() uint32 {
	if !r.faults.any {
		return 0
	}
	n := r.faults.down.Total()
	if r.mayFail(step.Crashes) {
		n += r.faults.mortal.Total()
	}
	for _, b := range []step.Budget{step.Losses, step.Duplicates} {
		if r.mayFail(b) {
			n += r.mail.kinds.Total()
		}
	}
	return n
}

// takeFault takes step i of those that chances counts.
func (r *Run) takeFault(i uint32) error {
	if n := r.faults.down.Total(); i < n {
		p, _ := r.faults.down.Find(i)
		return r.recover(p)
	} else {
		i -= n
	}
	if r.mayFail(step.Crashes) {
		if n := r.faults.mortal.Total(); i < n {
			p, _ := r.faults.mortal.Find(i)
			return r.crash(p)
		} else {
			i -= n
		}
	}
	kinds := r.mail.kinds.Total()
	p, k := r.mail.kinds.Find(i % kinds)
	id := r.mail.inTransit(p)[k]
	if i < kinds && r.mayFail(step.Losses) {
		return r.lose(id)
	}
	return r.duplicate(id, r.mail.remaining(id))
}

// drawFault draws whether a fault of kind b happens, which has the probability FaultRate.
func (r *Run) drawFault(b step.Budget) bool { return r.mayFail(b) && r.rng.Float64() < r.rate }

// setMessageFault sets the last step to a fault of a message and returns its receiver.
func (r *Run) setMessageFault(kind model.ActionKind, id int32) (receiver int) {
	l := r.mail.at(id)
	c := r.mail.content(l)
	r.age = c.Age
	if r.mail.queues != nil {
		for at := r.mail.queues[r.mail.channel(l)].head; at != id; at = *r.mail.behind(at) {
			r.position++
		}
	}
	c.Age = 0
	receiver = int(r.layout.to.get(l))
	r.Process = -1
	r.Last = step.Action{Kind: kind, Port: int64(r.protocol.InLink(receiver, r.layout.port.get(l))), Message: c}
	return receiver
}

// lose loses a message that is not ready.
func (r *Run) lose(id int32) error {
	p := r.setMessageFault(model.LossAction, id)
	r.fail(step.Losses)
	r.mail.drop(id)
	if r.schedule == Uniform {
		return r.weigh(p)
	}
	return nil
}

// duplicate puts a copy of a message into its channel, which can be received after the given number of ticks.
func (r *Run) duplicate(id, after int32) error {
	p := r.setMessageFault(model.DuplicateAction, id)
	r.fail(step.Duplicates)
	if l := r.mail.at(id); r.mail.full(int(r.layout.to.get(l)), r.layout.port.get(l)) {
		return r.machine.Overflow(int(r.Last.Port))
	}
	r.mail.copy(id, after)
	if r.schedule == Uniform {
		return r.weigh(p)
	}
	return nil
}

func (r *Run) crash(p int) error {
	after, _ := r.machine.Crash(p, r.Local(p))
	r.Last, r.Process = step.Action{Kind: model.CrashAction}, p
	r.fail(step.Crashes)
	return r.moveTo(p, after)
}

func (r *Run) recover(p int) error {
	after, _, err := r.machine.Recover(p, r.Local(p))
	if err != nil {
		return err
	}
	r.Last, r.Process = step.Action{Kind: model.RecoverAction}, p
	r.procs[p].ended = false
	r.mail.revive(p)
	return r.moveTo(p, after)
}

// moveTo gives process p a local state.
func (r *Run) moveTo(p int, l ir.Local) error {
	r.procs[p].at = int32(l.Point.ID)
	copy(r.vars[p*r.width:], l.Env)
	return r.moved(p)
}

// intercepted draws whether a ready message is lost or its receiver crashes, and reports whether one of them happened.
func (r *Run) intercepted(i int) (bool, error) {
	id := r.mail.ready[i]
	l := r.mail.at(id)
	p := int(r.layout.to.get(l))
	switch {
	case r.procs[p].ended:
		return false, nil
	case r.mortal(p) && r.drawFault(step.Crashes):
		return true, r.crash(p)
	case !l.has(spared) && r.drawFault(step.Losses):
		r.mail.pull(i)
		return true, r.lose(id)
	}
	l.set(spared)
	return false, nil
}

func (r *Run) mortal(p int) bool { return r.faults.any && r.faults.mortal.Tickets(p) > 0 }

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
	if n := r.chances(); n > 0 && !r.canTick() {
		return true, r.takeFault(r.rng.Uint32N(n))
	}
	return r.tick()
}

// countQueued updates mailbox.kinds for process p where the contents of channels are sequences.
func (b *mailbox) countQueued(p int) {
	if b.kinds != nil && b.queues != nil {
		b.kinds.Set(p, uint32(len(b.inTransit(p))))
	}
}

// inTransit returns the distinct messages in transit to process p: those whose loss leads to different states. Adjacent
// equal messages in a queue are not distinct. The slice is valid until the next call.
func (b *mailbox) inTransit(p int) []int32 {
	all := b.scratch[:0]
	for i, id := range b.boxes[p] {
		l := b.at(id)
		next := noMessage
		if b.queues != nil {
			next = *b.behind(id)
		} else if i+1 < len(b.boxes[p]) {
			next = b.boxes[p][i+1]
		}
		if next == noMessage || !b.layout.same(l, b.at(next)) {
			all = append(all, id)
		}
	}
	b.scratch = all
	return all
}

// full reports whether a channel holds the maximum number of messages.
func (b *mailbox) full(to int, port int64) bool {
	most, n := b.run.machine.MaxMessages(), 0
	if len(b.boxes[to]) < most {
		return false
	}
	for _, id := range b.boxes[to] {
		n += int(count(b.layout.port.get(b.at(id)) == port))
	}
	return n >= most
}

// drop removes a message that is not ready, wherever it waits, also from the doomed ones.
func (b *mailbox) drop(id int32) {
	if l := b.at(id); l.has(due) && b.to(l).ended {
		b.doomed = slices.DeleteFunc(b.doomed, func(other int32) bool { return other == id })
	}
	b.remove(id)
}

// remaining returns the number of ticks after which a copy of a message can be received.
func (b *mailbox) remaining(id int32) int32 {
	if l := b.at(id); !l.has(mature) {
		return max(1, b.lo-b.age(l))
	}
	return 0
}

// copy inserts a copy of a message after it.
func (b *mailbox) copy(id, after int32) {
	other := b.number()
	l, twin := b.at(id), b.at(other)
	copy(twin, l)
	twin[0] &^= 1<<marks - 1
	twin.set(spared)
	if b.queues != nil {
		*b.behind(other), *b.behind(id) = *b.behind(id), other
		if q := b.queues[b.channel(l)]; q.tail == id {
			b.queues[b.channel(l)] = queue{q.head, other}
		}
	}
	if b.delays {
		b.young++
	}
	b.begin(other, twin, after)
}

// revive offers messages to process p again, which had ended and recovers.
func (b *mailbox) revive(p int) {
	b.doomed = slices.DeleteFunc(b.doomed, func(id int32) bool { return b.layout.to.get(b.at(id)) == int64(p) })
	for _, id := range b.boxes[p] {
		l := b.at(id)
		if l.has(due) {
			b.run.procs[p].due++
			b.dueTotal++
		}
		if l.has(mature) && b.run.schedule == Timed {
			b.offer(id, l)
		}
	}
}
