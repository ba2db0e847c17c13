package sparse

import (
	"slices"

	"ringcheck/model/language/ir"
)

// A mailbox holds the messages under way. They have numbers, which are used again.
type mailbox struct {
	run    *Run
	chunks []*chunk // of the messages
	count  int32    // numbers that were ever used
	free   []int32
	ready  []int32 // Timed: the messages that can be taken now, as far as is known

	now      int32
	lo, hi   int32
	dueTotal int
	young    int       // messages whose time is not up
	mature   []int32   // by time, modulo: the first of a list of those that are old enough then to be received
	late     [][]int32 // and of those whose time is up then, if it takes more than their maturity to know it
	doomed   []int32   // those whose time is up, to processes that have ended: they are lost with the next tick
	queues   map[uint64]queue
	scratch  []int32
}

// A chunk holds some messages with their fields, so that more of them need not be moved.
type chunk struct {
	messages [chunkSize]message
	args     []int64
}

const chunkSize = 1 << 12

// A queue is a channel that is FIFO, not empty.
type queue struct{ head, tail int32 }

// A message is what is known of one but for its fields.
type message struct {
	to    int32
	port  int32 // how the receiver addresses the channel
	sent  int32 // when
	box   int32 // where it is in the box of its receiver, noMessage if it is not old enough
	ready int32 // where it is in ready, noMessage if it is not there
	next  int32 // in a queue
	later int32 // in a list of mature
	kind  uint16
	state uint8
}

const (
	isAlive  uint8 = 1 << iota // under way
	isMature                   // old enough to be received
	isDue                      // its time is up
	isLate                     // in late
	isParked                   // Timed: the receiver, as it is, does not take it
)

// noMessage is the number of none.
const noMessage int32 = -1

func (b *mailbox) init(r *Run) {
	p := r.protocol
	b.run = r
	if p.Time.Delay {
		b.lo, b.hi = int32(p.Time.Lo), int32(p.Time.Hi)
		b.mature, b.late = make([]int32, b.hi+1), make([][]int32, b.hi+1)
	}
	if p.Channel == ir.FIFO {
		b.queues = make(map[uint64]queue)
	}
}

func (b *mailbox) clear() {
	b.count, b.free, b.ready = 0, b.free[:0], b.ready[:0]
	b.now, b.dueTotal, b.young, b.doomed = 0, 0, 0, b.doomed[:0]
	for i := range b.mature {
		b.mature[i], b.late[i] = noMessage, b.late[i][:0]
	}
	clear(b.queues)
}

// at returns a message.
func (b *mailbox) at(id int32) *message { return &b.chunks[id/chunkSize].messages[id%chunkSize] }

// args returns the fields of a message.
func (b *mailbox) args(id int32) []int64 {
	f := int32(b.run.fields)
	return b.chunks[id/chunkSize].args[id%chunkSize*f:][:f]
}

// content returns a message as the semantics knows it. It shares memory with b.
func (b *mailbox) content(id int32) ir.Content {
	m := b.at(id)
	kind := b.run.protocol.Messages[m.kind]
	c := ir.Content{Message: kind, Args: b.args(id)[:len(kind.Fields)]}
	if b.run.protocol.Time.Delay {
		c.Age = int64(min(b.now-m.sent, b.hi))
	}
	return c
}

// number returns a number that no message under way has.
func (b *mailbox) number() int32 {
	if last := len(b.free) - 1; last >= 0 {
		id := b.free[last]
		b.free = b.free[:last]
		return id
	}
	if int(b.count) == len(b.chunks)*chunkSize {
		b.chunks = append(b.chunks, &chunk{args: make([]int64, chunkSize*b.run.fields)})
	}
	b.count++
	return b.count - 1
}

// post sends a message.
func (b *mailbox) post(to int, port int64, kind int, args []int64) {
	id := b.number()
	m := b.at(id)
	*m = message{
		to: int32(to), port: int32(port), sent: b.now, kind: uint16(kind), state: isAlive,
		box: noMessage, ready: noMessage, next: noMessage, later: noMessage,
	}
	copy(b.args(id), args)
	if b.queues != nil {
		q, ok := b.queues[m.channel()]
		if ok {
			b.at(q.tail).next = id
		} else {
			q.head = id
		}
		q.tail = id
		b.queues[m.channel()] = q
	}
	b.schedule(id, m)
}

// channel tells the channels apart.
func (m *message) channel() uint64 { return uint64(uint32(m.to))<<32 | uint64(uint32(m.port)) }

// schedule notes when a message that has just been sent can and must be received.
func (b *mailbox) schedule(id int32, m *message) {
	if b.mature == nil {
		b.ripen(id, m)
		return
	}
	b.young++
	after := b.lo
	if b.run.schedule == Timed && b.hi > b.lo {
		after += int32(b.run.rng.Uint32N(uint32(b.hi - b.lo + 1)))
	}
	if after == 0 {
		b.ripen(id, m)
		return
	}
	turn := (b.now + after) % (b.hi + 1)
	m.later = b.mature[turn]
	b.mature[turn] = id
}

// ripen marks a message as old enough to be received.
func (b *mailbox) ripen(id int32, m *message) {
	m.state |= isMature
	p := &b.run.procs[m.to]
	m.box = int32(len(p.box))
	p.box = append(p.box, id)
	switch {
	case b.mature == nil:
	case b.now-m.sent >= b.hi:
		b.expire(id, m)
	case b.run.schedule == Uniform || !b.receivable(id, m):
		b.wait(id, m)
	}
	b.offer(id, m)
}

// wait notes when the time of a message will be up that may not be taken at once.
func (b *mailbox) wait(id int32, m *message) {
	if b.mature == nil || m.state&(isDue|isLate) != 0 {
		return
	}
	m.state |= isLate
	turn := (m.sent + b.hi) % (b.hi + 1)
	b.late[turn] = append(b.late[turn], id)
}

// offer puts a message among the ready ones, if it can be received.
func (b *mailbox) offer(id int32, m *message) {
	if b.run.schedule == Timed && m.ready == noMessage && m.state&isParked == 0 && b.receivable(id, m) {
		m.ready = int32(len(b.ready))
		b.ready = append(b.ready, id)
	}
}

// receivable reports whether a message is old enough and the first of its channel, if that matters.
func (b *mailbox) receivable(id int32, m *message) bool {
	return m.state&isMature != 0 && (b.queues == nil || b.queues[m.channel()].head == id)
}

// expire marks a message as one whose time is up.
func (b *mailbox) expire(id int32, m *message) {
	m.state |= isDue
	b.young--
	p := &b.run.procs[m.to]
	if p.ended {
		b.doomed = append(b.doomed, id)
		return
	}
	p.due++
	b.dueTotal++
}

// abandon notes that process p never takes another message.
func (b *mailbox) abandon(p int) {
	b.dueTotal -= int(b.run.procs[p].due)
	b.run.procs[p].due = 0
	for _, id := range b.run.procs[p].box {
		if b.at(id).state&isDue != 0 {
			b.doomed = append(b.doomed, id)
		}
	}
}

// lose takes the doomed messages out. In a queue they are the first, but need not have been noted in its order.
func (b *mailbox) lose() {
	for _, id := range b.doomed {
		if b.queues != nil {
			id = b.queues[b.at(id).channel()].head
		}
		b.remove(id)
	}
	b.doomed = b.doomed[:0]
}

// tick lets time go on, and returns the receivers of messages for which that makes a difference.
func (b *mailbox) tick() (receivers []int32) {
	b.now++
	if b.mature == nil {
		return nil
	}
	b.lose()
	turn := b.now % (b.hi + 1)
	for id := b.mature[turn]; id != noMessage; {
		m := b.at(id)
		b.ripen(id, m)
		receivers = b.noted(receivers, m.to)
		id = m.later
	}
	b.mature[turn] = noMessage
	for _, id := range b.late[turn] {
		// The message may have been taken, and its number used for another one.
		if m := b.at(id); m.state&(isAlive|isLate|isDue) == isAlive|isLate && m.sent+b.hi == b.now {
			b.expire(id, m)
			receivers = b.noted(receivers, m.to)
		}
	}
	b.late[turn] = b.late[turn][:0]
	return receivers
}

// noted appends a receiver for a Uniform schedule, which counts what each can take.
func (b *mailbox) noted(receivers []int32, p int32) []int32 {
	if b.run.schedule == Uniform {
		return append(receivers, p)
	}
	return receivers
}

// remove takes a message out that is old enough.
func (b *mailbox) remove(id int32) {
	m := b.at(id)
	p := &b.run.procs[m.to]
	last := p.box[len(p.box)-1]
	p.box[m.box] = last
	b.at(last).box = m.box
	p.box = p.box[:len(p.box)-1]
	b.unready(m)
	switch {
	case b.mature == nil:
	case m.state&isDue == 0:
		b.young--
	case !p.ended:
		p.due--
		b.dueTotal--
	}
	m.state = 0
	b.free = append(b.free, id)
	if b.queues == nil {
		return
	}
	if m.next == noMessage {
		delete(b.queues, m.channel())
		return
	}
	b.queues[m.channel()] = queue{m.next, b.queues[m.channel()].tail}
	b.offer(m.next, b.at(m.next))
}

// unready takes a message out of the ready ones.
func (b *mailbox) unready(m *message) {
	if m.ready == noMessage {
		return
	}
	last := b.ready[len(b.ready)-1]
	b.ready[m.ready] = last
	b.at(last).ready = m.ready
	b.ready = b.ready[:len(b.ready)-1]
	m.ready = noMessage
}

// park puts a message aside that its receiver, as it is, does not take.
func (b *mailbox) park(id int32) {
	m := b.at(id)
	b.unready(m)
	m.state |= isParked
	b.wait(id, m)
	b.run.procs[m.to].parked = true
}

// unpark offers the messages to a process again.
func (b *mailbox) unpark(p *process) {
	if !p.parked {
		return
	}
	p.parked = false
	for _, id := range p.box {
		if m := b.at(id); m.state&isParked != 0 {
			m.state &^= isParked
			b.offer(id, m)
		}
	}
}

// distinct returns the different messages that process p could receive now. The slice is valid until the next call.
func (b *mailbox) distinct(p int) []int32 {
	all := b.scratch[:0]
	for _, id := range b.run.procs[p].box {
		if b.receivable(id, b.at(id)) && !slices.ContainsFunc(all, func(other int32) bool { return b.same(id, other) }) {
			all = append(all, id)
		}
	}
	b.scratch = all
	return all
}

// same reports whether two messages to one process are equal and in one channel.
func (b *mailbox) same(i, j int32) bool {
	return b.at(i).port == b.at(j).port && b.content(i).Compare(b.content(j)) == 0
}
