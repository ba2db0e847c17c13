package simulate

import "slices"

// receivable reports whether a message in a box can be received: it is old enough and, in a sequence, the first.
func (b *mailbox) receivable(id int32, l letter) bool {
	return l.has(mature) && (b.queues == nil || b.queues[b.channel(l)].head == id)
}

// box puts a message into the box of its receiver, which is sorted so that equal messages are adjacent.
func (b *mailbox) box(id int32, l letter) {
	to := int(b.layout.to.get(l))
	i := b.position(to, l)
	if b.queues == nil && len(b.faults) > 0 && !b.holds(to, i, l) {
		for _, kind := range b.faults {
			b.targets[kind].Set(to, b.targets[kind].Tickets(to)+b.effectsOf(kind, l))
		}
	}
	b.boxes[to] = slices.Insert(b.boxes[to], i, id)
	b.countQueued(to)
}

// unbox takes a message out of its box.
func (b *mailbox) unbox(id int32, l letter) {
	to := int(b.layout.to.get(l))
	first := b.position(to, l)
	i := first + slices.Index(b.boxes[to][first:], id)
	b.boxes[to] = slices.Delete(b.boxes[to], i, i+1)
	if b.queues == nil && len(b.faults) > 0 && !b.holds(to, first, l) {
		for _, kind := range b.faults {
			b.targets[kind].Set(to, b.targets[kind].Tickets(to)-b.effectsOf(kind, l))
		}
	}
}

// position returns the index in a box of the first message equal to l, or the index at which l would be inserted.
func (b *mailbox) position(p int, l letter) int {
	compare := func(id int32, l letter) int { return b.layout.compare(b.at(id), l) }
	i, _ := slices.BinarySearchFunc(b.boxes[p], l, compare)
	return i
}

// holds reports whether the message at index i in the box of process p equals l.
func (b *mailbox) holds(p, i int, l letter) bool {
	return i < len(b.boxes[p]) && b.layout.same(l, b.at(b.boxes[p][i]))
}

// distinct returns the distinct messages that process p could receive now. The slice is valid until the next call.
func (b *mailbox) distinct(p int) []int32 {
	all := b.scratch[:0]
	for _, id := range b.boxes[p] {
		l := b.at(id)
		if last := len(all) - 1; b.receivable(id, l) && (last < 0 || !b.layout.same(l, b.at(all[last]))) {
			all = append(all, id)
		}
	}
	b.scratch = all
	return all
}
