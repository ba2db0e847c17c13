package sparse

import (
	"slices"

	"ringcheck/model/language/ir"
)

// A mailbox holds the messages under way. They have numbers, which are used again.
type mailbox struct {
	run      *Run
	messages []message
	args     []int64 // of message id from id*fields on
	free     []int32
	ready    []int32 // Timed: those that can be taken now, as far as is known

	now      int32
	lo, hi   int32
	dueTotal int
	young    int       // messages that time makes older
	mature   [][]int32 // by time, modulo: what is old enough then to be received
	late     [][]int32 // and what has to be taken then
	queues   map[uint64]queue
	scratch  []int32
}

// A queue is a channel that is FIFO, not empty.
type queue struct{ head, tail int32 }

// A message is what is known of one but for its fields.
type message struct {
	from, to int32
	port     int32 // how the receiver addresses the channel
	sent     int32 // when
	box      int32 // where it is in the box of its receiver
	ready    int32 // where it is in ready, nobody if it is not there
	next     int32 // in a queue
	kind     uint16
	state    uint8
}

const (
	isMature uint8 = 1 << iota // old enough to be received
	isDue                      // its time is up
	isParked                   // Timed: the receiver, as it is, does not take it
)

// nobody is no message.
const nobody int32 = -1

func (b *mailbox) init(r *Run) {
	p := r.protocol
	b.run = r
	if p.Time.Delay {
		b.lo, b.hi = int32(p.Time.Lo), int32(p.Time.Hi)
		b.mature, b.late = make([][]int32, b.hi+1), make([][]int32, b.hi+1)
	}
	if p.Channel == ir.FIFO {
		b.queues = make(map[uint64]queue)
	}
}

func (b *mailbox) clear() {
	b.messages, b.args, b.free, b.ready = b.messages[:0], b.args[:0], b.free[:0], b.ready[:0]
	b.now, b.dueTotal, b.young = 0, 0, 0
	for i := range b.mature {
		b.mature[i], b.late[i] = b.mature[i][:0], b.late[i][:0]
	}
	clear(b.queues)
}

// content returns a message as the semantics knows it. It shares memory with b.
func (b *mailbox) content(id int32) ir.Content {
	m := &b.messages[id]
	kind := b.run.protocol.Messages[m.kind]
	f := b.run.fields
	c := ir.Content{Message: kind, Args: b.args[int(id)*f:][:len(kind.Fields)]}
	if b.run.protocol.Time.Delay {
		c.Age = int64(min(b.now-m.sent, b.hi))
	}
	return c
}

// post sends a message.
func (b *mailbox) post(from, to int, port int64, kind int, args []int64) {
	var id int32
	if last := len(b.free) - 1; last >= 0 {
		id, b.free = b.free[last], b.free[:last]
	} else {
		id = int32(len(b.messages))
		b.messages = append(b.messages, message{})
		for range b.run.fields {
			b.args = append(b.args, 0)
		}
	}
	copy(b.args[int(id)*b.run.fields:], args)
	b.messages[id] = message{
		from: int32(from), to: int32(to), port: int32(port), sent: b.now, kind: uint16(kind),
		box: int32(len(b.run.procs[to].box)), ready: nobody, next: nobody,
	}
	b.run.procs[to].box = append(b.run.procs[to].box, id)
	if b.queues != nil {
		key := b.messages[id].channel()
		q, ok := b.queues[key]
		if ok {
			b.messages[q.tail].next = id
		} else {
			q.head = id
		}
		q.tail = id
		b.queues[key] = q
	}
	b.schedule(id)
}

// channel tells the channels apart.
func (m *message) channel() uint64 { return uint64(uint32(m.to))<<32 | uint64(uint32(m.port)) }

// schedule notes when a message that has just been sent can and must be received.
func (b *mailbox) schedule(id int32) {
	if b.mature == nil {
		b.ripen(id)
		return
	}
	at := b.lo
	if b.run.schedule == Timed && b.hi > b.lo {
		at += int32(b.run.rng.Uint32N(uint32(b.hi - b.lo + 1)))
	}
	if b.hi == 0 {
		b.ripen(id)
		b.expire(id)
		return
	}
	b.young++
	turn := (b.now + b.hi) % (b.hi + 1)
	b.late[turn] = append(b.late[turn], id)
	if at == 0 {
		b.ripen(id)
	} else {
		turn = (b.now + at) % (b.hi + 1)
		b.mature[turn] = append(b.mature[turn], id)
	}
}

// ripen marks a message as old enough to be received.
func (b *mailbox) ripen(id int32) {
	b.messages[id].state |= isMature
	b.offer(id)
}

// offer puts a message among the ready ones, if it can be received.
func (b *mailbox) offer(id int32) {
	m := &b.messages[id]
	if b.run.schedule == Timed && m.ready == nobody && m.state&isParked == 0 && b.receivable(id) {
		m.ready = int32(len(b.ready))
		b.ready = append(b.ready, id)
	}
}

// receivable reports whether a message is old enough and the first of its channel, if that matters.
func (b *mailbox) receivable(id int32) bool {
	m := &b.messages[id]
	return m.state&isMature != 0 && (b.queues == nil || b.queues[m.channel()].head == id)
}

// expire marks a message as one whose time is up.
func (b *mailbox) expire(id int32) {
	m := &b.messages[id]
	m.state |= isDue
	if !b.run.procs[m.to].ended {
		b.run.procs[m.to].due++
		b.dueTotal++
	}
}

// abandon notes that process p never takes another message.
func (b *mailbox) abandon(p int) {
	b.dueTotal -= int(b.run.procs[p].due)
	b.run.procs[p].due = 0
}

// tick lets time go on, and returns the receivers of messages for which that makes a difference.
func (b *mailbox) tick() (receivers []int32) {
	b.now++
	if b.mature == nil {
		return nil
	}
	turn := b.now % (b.hi + 1)
	for _, id := range b.mature[turn] {
		if m := &b.messages[id]; m.state&isMature == 0 && b.here(id) {
			b.ripen(id)
			receivers = b.noted(receivers, m.to)
		}
	}
	b.mature[turn] = b.mature[turn][:0]
	for _, id := range b.late[turn] {
		// The message may have been taken, and its number used for another one.
		if m := &b.messages[id]; m.state&isDue == 0 && m.sent+b.hi == b.now && b.here(id) {
			b.young--
			b.expire(id)
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

// here reports whether a message is under way: its number is in the box where it would be.
func (b *mailbox) here(id int32) bool {
	m := &b.messages[id]
	box := b.run.procs[m.to].box
	return int(m.box) < len(box) && box[m.box] == id
}

// remove takes a message out.
func (b *mailbox) remove(id int32) {
	m := &b.messages[id]
	box := b.run.procs[m.to].box
	last := box[len(box)-1]
	box[m.box] = last
	b.messages[last].box = m.box
	b.run.procs[m.to].box = box[:len(box)-1]
	b.unready(id)
	switch {
	case m.state&isDue == 0 && b.mature != nil:
		b.young--
	case m.state&isDue != 0 && !b.run.procs[m.to].ended:
		b.run.procs[m.to].due--
		b.dueTotal--
	}
	b.free = append(b.free, id)
	if b.queues == nil {
		return
	}
	if m.next == nobody {
		delete(b.queues, m.channel())
		return
	}
	b.queues[m.channel()] = queue{m.next, b.queues[m.channel()].tail}
	b.offer(m.next)
}

// unready takes a message out of the ready ones.
func (b *mailbox) unready(id int32) {
	at := b.messages[id].ready
	if at == nobody {
		return
	}
	last := b.ready[len(b.ready)-1]
	b.ready[at] = last
	b.messages[last].ready = at
	b.ready = b.ready[:len(b.ready)-1]
	b.messages[id].ready = nobody
}

// park puts a message aside that its receiver, as it is, does not take.
func (b *mailbox) park(id int32) {
	b.unready(id)
	b.messages[id].state |= isParked
	b.run.procs[b.messages[id].to].parked = true
}

// unpark offers the messages to process p again.
func (b *mailbox) unpark(p int) {
	if !b.run.procs[p].parked {
		return
	}
	b.run.procs[p].parked = false
	for _, id := range b.run.procs[p].box {
		if b.messages[id].state&isParked != 0 {
			b.messages[id].state &^= isParked
			b.offer(id)
		}
	}
}

// distinct returns the different messages that process p could receive now. The slice is valid until the next call.
func (b *mailbox) distinct(p int) []int32 {
	all := b.scratch[:0]
	for _, id := range b.run.procs[p].box {
		if b.receivable(id) && !slices.ContainsFunc(all, func(other int32) bool { return b.same(id, other) }) {
			all = append(all, id)
		}
	}
	b.scratch = all
	return all
}

// same reports whether two messages to one process are equal and in one channel.
func (b *mailbox) same(i, j int32) bool {
	return b.messages[i].port == b.messages[j].port && b.content(i).Compare(b.content(j)) == 0
}
