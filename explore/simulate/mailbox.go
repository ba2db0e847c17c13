package simulate

import (
	"slices"

	"ringcheck/explore/simulate/internal/weighttree"
	"ringcheck/model/language/channel"
	"ringcheck/model/language/ir"
)

// A mailbox holds the messages in transit. The package documentation draws their states. Messages that are not
// compressed have numbers, which are reused.
type mailbox struct {
	run     *Run
	layout  *layout
	chunks  []*chunk
	count   int32   // the number of numbers used so far
	free    int32   // the first in the list of unused numbers
	ready   []int32 // in no order
	inboxes [][]int32
	packs   bool           // whether messages in the calendar are compressed
	faults  []ir.FaultKind // that can befall messages
	// targets has, by kind of fault, the number of effects that the fault can have on the messages in transit to each
	// process, equal messages counted once. effects has the number for one message, by its kind.
	targets [ir.FaultKinds]*weighttree.Tree
	effects [ir.FaultKinds][]uint32

	now      int32
	delays   bool
	lo, hi   int32
	dueTotal int      // the number of due messages to processes that have not ended
	notDue   int      // the number of messages that are not due
	buckets  []bucket // the calendar, by time modulo hi + 1: the messages that are old enough from then on
	spare    [][]byte // blocks of buckets
	arrivals []int32  // the calendar of messages that are not compressed: the first in a list
	// by time modulo hi + 1: the messages that become due then; some of these numbers are stale
	dueDates      [][]int32
	undeliverable []int32 // due messages to processes that have ended: they are lost with the next tick
	queues        map[uint64]queue
	senders       []int32 // those that may wait for the room that a message has left
	scratch       []int32
	scratchRecord record
}

// A queue is a channel with a sequence of messages that is not empty.
type queue struct{ head, tail int32 }

const noMessage int32 = -1

func (b *mailbox) init(r *Run) {
	p := r.protocol
	b.run, b.layout = r, r.layout
	b.delays, b.lo, b.hi = p.Time.Delay, int32(p.Time.Lo), int32(p.Time.Hi)
	if b.delays {
		b.buckets, b.arrivals, b.dueDates = make([]bucket, b.hi+1), make([]int32, b.hi+1), make([][]int32, b.hi+1)
	}
	b.scratchRecord = make(record, b.layout.words)
	if p.Channel.Ordered() {
		b.queues = make(map[uint64]queue)
	}
	b.packs = b.queues == nil && !p.Faults.Any() && !r.bounded && p.Capacity.Most == 0
	if r.schedule == Uniform || p.Faults.Any() || p.Capacity.Most > 0 {
		b.inboxes = make([][]int32, p.N)
	}
	b.faults = p.Faults.InChannels()
	for _, kind := range b.faults {
		b.targets[kind] = weighttree.New(p.N)
		for _, m := range p.Messages {
			b.effects[kind] = append(b.effects[kind], kind.Count(m))
		}
	}
}

func (b *mailbox) clear() {
	b.count, b.free, b.ready = 0, noMessage, b.ready[:0]
	b.now, b.dueTotal, b.notDue, b.undeliverable, b.senders = 0, 0, 0, b.undeliverable[:0], b.senders[:0]
	for i := range b.buckets {
		b.buckets[i].clear(&b.spare)
		b.arrivals[i], b.dueDates[i] = noMessage, b.dueDates[i][:0]
	}
	for p := range b.inboxes {
		b.inboxes[p] = b.inboxes[p][:0]
		for _, kind := range b.faults {
			b.targets[kind].Set(p, 0)
		}
	}
	clear(b.queues)
}

// push inserts a message at the front of a list.
func (b *mailbox) push(list *int32, id int32) { *b.next(id), *list = *list, id }

// pushListed inserts a message at the front of a list in which it may be lost: see popListed.
func (b *mailbox) pushListed(list *int32, id int32) {
	b.at(id).set(listed)
	b.push(list, id)
}

// popListed removes and returns the first message of a list that has not been lost, or noMessage, and frees the numbers
// of the lost ones before it.
func (b *mailbox) popListed(list *int32) int32 {
	for *list != noMessage {
		id := b.pop(list)
		l := b.at(id)
		if b.layout.kind.get(l) != 0 {
			l.unset(listed)
			return id
		}
		b.push(&b.free, id)
	}
	return noMessage
}

// pop removes the first message from a list, which is not empty.
func (b *mailbox) pop(list *int32) int32 {
	id := *list
	*list = *b.next(id)
	return id
}

// receiver returns the receiver of a message.
func (b *mailbox) receiver(l record) *process { return &b.run.procs[b.layout.to.get(l)] }

// age returns the age of a message in ticks, which is at most the maximum delay.
func (b *mailbox) age(l record) int32 {
	if !b.delays {
		return 0
	}
	return int32((int64(b.now) - b.layout.sentAt.get(l)) % (int64(b.hi) + 1))
}

// content unpacks a message.
func (b *mailbox) content(l record) ir.Content {
	kind := b.run.protocol.Messages[b.layout.kindOf(l)]
	return ir.Content{Message: kind, Args: b.layout.read(l, nil), Age: int64(b.age(l))}
}

// post sends a message and returns its number, noMessage if it is compressed.
func (b *mailbox) post(to int, port int64, kind int, args []int64) int32 {
	sent, after := int64(0), int32(0)
	if b.delays {
		sent, after = int64(b.now%(b.hi+1)), b.delay()
		b.notDue++
	}
	if after > 0 && b.packs {
		clear(b.scratchRecord)
		b.layout.write(b.scratchRecord, to, port, kind, args, sent)
		b.buckets[(b.now+after)%(b.hi+1)].write(b.layout, b.scratchRecord, &b.spare)
		return noMessage
	}
	id := b.number()
	l := b.at(id)
	clear(l)
	b.layout.write(l, to, port, kind, args, sent)
	if b.queues != nil {
		b.enqueue(id, l)
	}
	b.insert(id, l, after)
	return id
}

// insert stores a message that can be received after the given number of ticks.
func (b *mailbox) insert(id int32, l record, after int32) {
	if b.inboxes != nil && !b.packs {
		b.addToInbox(id, l)
	}
	after = b.limitDelay(l, after)
	if after == 0 {
		b.markDeliverable(id, l)
		return
	}
	b.pushListed(&b.arrivals[(b.now+after)%(b.hi+1)], id)
}

// unpack decompresses the messages of a bucket and returns a list of them, the last one first.
func (b *mailbox) unpack(bk *bucket) int32 {
	list := noMessage
	bk.read(b.layout, func(l record) {
		id := b.number()
		copy(b.at(id), l)
		b.push(&list, id)
	})
	bk.clear(&b.spare)
	return list
}

// delay returns the number of ticks after which a message can be received.
func (b *mailbox) delay() int32 {
	if b.run.schedule == Uniform || b.hi == b.lo {
		return b.lo
	}
	return b.lo + int32(b.run.rng.Uint32N(uint32(b.hi-b.lo+1)))
}

// markDeliverable marks a message as old enough to be received.
func (b *mailbox) markDeliverable(id int32, l record) {
	l.set(deliverable)
	if b.delays && b.age(l) == b.hi {
		b.markDue(id, l)
	}
	if b.run.schedule == Timed {
		b.makeReady(id, l)
		return
	}
	if b.packs {
		b.addToInbox(id, l)
	}
	b.setDueDate(id, l)
}

// makeReady makes a message that is old enough ready, unless another one of its channel comes first or the receiver has
// ended. The receiver need not take it.
func (b *mailbox) makeReady(id int32, l record) {
	p := b.receiver(l)
	if p.ended || b.queues != nil && b.queues[b.channel(l)].head != id {
		b.setDueDate(id, l)
		return
	}
	b.ready = append(b.ready, id)
	if l.has(due) {
		p.urgent++
	}
}

// takeReady removes a message from the ready ones.
func (b *mailbox) takeReady(i int) int32 {
	id, last := b.ready[i], len(b.ready)-1
	b.ready[i] = b.ready[last]
	b.ready = b.ready[:last]
	if l := b.at(id); l.has(due) {
		b.receiver(l).urgent--
	}
	return id
}

// deferReceipt keeps a message, which its receiver cannot receive now, until the receiver changes.
func (b *mailbox) deferReceipt(id int32) {
	l := b.at(id)
	p := b.receiver(l)
	switch {
	case !p.ended:
		b.pushListed(&p.deferred, id)
	case l.has(due):
		b.undeliverable = append(b.undeliverable, id)
	}
	b.setDueDate(id, l)
}

// offerDeferred makes the deferred messages to a process ready again.
func (b *mailbox) offerDeferred(p *process) {
	for list := p.deferred; list != noMessage; {
		p.deferred = noMessage
		if id := b.popListed(&list); id != noMessage {
			b.makeReady(id, b.at(id))
		}
	}
}

// setDueDate schedules the time at which a message becomes due.
func (b *mailbox) setDueDate(id int32, l record) {
	if !b.delays || l.has(due) || l.has(hasDueDate) {
		return
	}
	l.set(hasDueDate)
	turn := (b.now + b.hi - b.age(l)) % (b.hi + 1)
	b.dueDates[turn] = append(b.dueDates[turn], id)
}

// markDue marks a message as due.
func (b *mailbox) markDue(id int32, l record) {
	l.set(due)
	b.notDue--
	p := b.receiver(l)
	if p.ended {
		b.undeliverable = append(b.undeliverable, id)
		return
	}
	b.dueTotal++
	p.due++
}

// endReceiver records that process p has ended and never receives another message.
func (b *mailbox) endReceiver(p int) {
	proc := &b.run.procs[p]
	b.dueTotal -= int(proc.due)
	proc.due = 0
	collect := func(id int32) {
		if b.at(id).has(due) {
			b.undeliverable = append(b.undeliverable, id)
		}
	}
	if b.run.schedule == Uniform {
		for _, id := range b.inboxes[p] {
			collect(id)
		}
	}
	if b.run.schedule == Timed && b.run.protocol.Channel.SendDisables() {
		b.eachCoveredOldest(p, collect)
	}
	for proc.deferred != noMessage {
		if id := b.popListed(&proc.deferred); id != noMessage {
			collect(id)
		}
	}
}

// eachCoveredOldest calls do with the oldest message of each channel to process p if others cover it and it is not
// deferred.
func (b *mailbox) eachCoveredOldest(p int, do func(id int32)) {
	lo, hi := b.run.protocol.InLinks(p)
	for link := lo; link < hi; link++ {
		q, ok := b.queues[channelOf(int64(p), b.run.protocol.Link(link).In)]
		if ok && q.head != q.tail && !b.at(q.tail).has(listed) {
			do(q.tail)
		}
	}
}

// loseUndeliverable removes the undeliverable messages. In a sequence, others may also be due without being listed.
func (b *mailbox) loseUndeliverable() {
	var channels []uint64
	for _, id := range b.undeliverable {
		if b.queues == nil {
			b.remove(id)
		} else {
			channels = append(channels, b.channel(b.at(id)))
		}
	}
	for _, c := range channels {
		q, ok := b.queues[c]
		for id := q.head; ok && id != noMessage; {
			next := *b.nextInChannel(id)
			if b.at(id).has(due) {
				b.remove(id)
			}
			id = next
		}
	}
	b.undeliverable = b.undeliverable[:0]
}

// tick advances time and returns, for a Uniform schedule, the receivers whose messages are affected.
func (b *mailbox) tick() (receivers []int32) {
	b.loseUndeliverable()
	b.now++
	if !b.delays {
		return nil
	}
	turn := b.now % (b.hi + 1)
	list := b.arrivals[turn]
	b.arrivals[turn] = noMessage
	if b.packs {
		list = b.unpack(&b.buckets[turn])
	}
	for list != noMessage {
		id := b.popListed(&list)
		if id == noMessage {
			break
		}
		l := b.at(id)
		b.markDeliverable(id, l)
		receivers = b.appendReceiver(receivers, l)
	}
	stale := b.dueDates[turn]
	b.dueDates[turn] = b.dueDates[turn][:0]
	for _, id := range stale {
		// The message may have been taken, and its number used for another one.
		if l := b.at(id); b.layout.kind.get(l) != 0 && l.has(hasDueDate) && !l.has(due) && b.age(l) == b.hi {
			b.markDue(id, l)
			receivers = b.appendReceiver(receivers, l)
		}
	}
	return receivers
}

func (b *mailbox) appendReceiver(receivers []int32, l record) []int32 {
	if b.run.schedule == Uniform {
		return append(receivers, int32(b.layout.to.get(l)))
	}
	return receivers
}

// remove removes a message that is not ready. If it is in a list, its number stays in use until it leaves that list.
func (b *mailbox) remove(id int32) {
	l := b.at(id)
	to := int(b.layout.to.get(l))
	p := &b.run.procs[to]
	if b.inboxes != nil {
		b.removeFromInbox(id, l)
	}
	if protocol := b.run.protocol; protocol.Capacity.Blocks() {
		b.senders = append(b.senders, int32(protocol.Link(protocol.InLink(to, b.layout.port.get(l))).From))
	}
	switch {
	case !b.delays:
	case !l.has(due):
		b.notDue--
	case !p.ended:
		b.dueTotal--
		p.due--
	}
	if b.queues != nil {
		b.dequeue(id, l)
	}
	free := !l.has(listed)
	clear(l)
	if free {
		b.push(&b.free, id)
	}
	b.countQueued(to)
}

// channel returns a number that identifies the channel of a message.
func (b *mailbox) channel(l record) uint64 {
	return channelOf(b.layout.to.get(l), b.layout.port.get(l))
}

func channelOf(to, port int64) uint64 { return uint64(to)<<32 | uint64(uint32(port)) }

// enqueue puts a message into its channel.
func (b *mailbox) enqueue(id int32, l record) {
	*b.nextInChannel(id) = noMessage
	q, ok := b.queues[b.channel(l)]
	if !ok {
		b.queues[b.channel(l)] = queue{id, id}
		return
	}
	switch b.run.protocol.Channel.Entry {
	case channel.Back:
		*b.nextInChannel(q.tail), q.tail = id, id
	case channel.Front:
		b.cover(q.head)
		*b.nextInChannel(id), q.head = q.head, id
	case channel.Sorted: // a multiset, which has no queue
	}
	b.queues[b.channel(l)] = q
}

// cover makes the first message of a channel not ready, because another one is put before it.
func (b *mailbox) cover(id int32) {
	i := slices.Index(b.ready, id)
	if i < 0 {
		return
	}
	l := b.at(b.takeReady(i))
	if l.has(due) && b.receiver(l).ended {
		b.undeliverable = append(b.undeliverable, id)
	}
	b.setDueDate(id, l)
}

// limitDelay returns the number of ticks after which a message can be received, at most the given one: if it covers an
// older message, both must be received before that one is overdue.
func (b *mailbox) limitDelay(l record, after int32) int32 {
	if !b.delays || !b.run.protocol.Channel.SendDisables() {
		return after
	}
	oldest := b.at(b.queues[b.channel(l)].tail)
	return min(after, max(b.lo-b.age(l), b.hi-b.age(oldest)))
}

// dequeue takes a message out of its channel.
func (b *mailbox) dequeue(id int32, l record) {
	head := *b.nextInChannel(id)
	if q := b.queues[b.channel(l)]; q.head != id { // it is not the first: it is being lost
		before := q.head
		for *b.nextInChannel(before) != id {
			before = *b.nextInChannel(before)
		}
		*b.nextInChannel(before) = head
		if q.tail == id {
			b.queues[b.channel(l)] = queue{q.head, before}
		}
		return
	}
	if head == noMessage {
		delete(b.queues, b.channel(l))
		return
	}
	b.queues[b.channel(l)] = queue{head, b.queues[b.channel(l)].tail}
	if first := b.at(head); b.run.schedule == Timed && first.has(deliverable) && !first.has(listed) {
		b.makeReady(head, first)
	}
}
