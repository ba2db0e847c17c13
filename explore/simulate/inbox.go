package simulate

import "slices"

// receivable reports whether a message in an inbox can be received: it is old enough and, in a sequence, the first.
func (b *mailbox) receivable(id int32, l record) bool {
	return l.has(deliverable) && (b.queues == nil || b.queues[b.channel(l)].head == id)
}

// addToInbox puts a message into the inbox of its receiver, which is sorted so that equal messages are adjacent.
func (b *mailbox) addToInbox(id int32, l record) {
	to := int(b.layout.to.get(l))
	i := b.position(to, l)
	if b.queues == nil && len(b.faults) > 0 && !b.holds(to, i, l) {
		for _, kind := range b.faults {
			b.targets[kind].Set(to, b.targets[kind].Weight(to)+b.effectsOf(kind, l))
		}
	}
	b.inboxes[to] = slices.Insert(b.inboxes[to], i, id)
	b.countQueued(to)
}

// removeFromInbox takes a message out of its inbox.
func (b *mailbox) removeFromInbox(id int32, l record) {
	to := int(b.layout.to.get(l))
	first := b.position(to, l)
	i := first + slices.Index(b.inboxes[to][first:], id)
	b.inboxes[to] = slices.Delete(b.inboxes[to], i, i+1)
	if b.queues == nil && len(b.faults) > 0 && !b.holds(to, first, l) {
		for _, kind := range b.faults {
			b.targets[kind].Set(to, b.targets[kind].Weight(to)-b.effectsOf(kind, l))
		}
	}
}

// position returns the index in an inbox of the first message equal to l, or the index at which l would be inserted.
func (b *mailbox) position(p int, l record) int {
	compare := func(id int32, l record) int { return b.layout.compare(b.at(id), l) }
	i, _ := slices.BinarySearchFunc(b.inboxes[p], l, compare)
	return i
}

// holds reports whether the message at index i in the inbox of process p equals l.
func (b *mailbox) holds(p, i int, l record) bool {
	return i < len(b.inboxes[p]) && b.layout.equal(l, b.at(b.inboxes[p][i]))
}

// distinct returns the distinct messages that process p could receive now. The slice is valid until the next call.
func (b *mailbox) distinct(p int) []int32 {
	all := b.scratch[:0]
	for _, id := range b.inboxes[p] {
		l := b.at(id)
		if last := len(all) - 1; b.receivable(id, l) && (last < 0 || !b.layout.equal(l, b.at(all[last]))) {
			all = append(all, id)
		}
	}
	b.scratch = all
	return all
}

// bytes returns the approximate memory of the messages.
func (b *mailbox) bytes() int64 {
	each := 8*b.layout.words + 4
	if b.queues != nil {
		each += 4
	}
	numbers := cap(b.ready) + cap(b.undeliverable)
	for _, list := range b.dueDates {
		numbers += cap(list)
	}
	for _, box := range b.inboxes {
		numbers += cap(box)
	}
	blocks := len(b.spare)
	for i := range b.buckets {
		blocks += len(b.buckets[i].blocks)
	}
	return int64(len(b.chunks)*chunkSize*each + 4*numbers + blocks*blockSize)
}
