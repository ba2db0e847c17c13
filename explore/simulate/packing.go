package simulate

import (
	"cmp"
	"math/bits"
	"slices"

	"ringcheck/model/language/ir"
)

// A record is a message in transit, packed into as few words as possible: its receiver, channel, kind, fields and time
// of sending, and flags. In an election among 50,000 processes that is one word.
type record []uint64

// A flag is a property of a message that a record includes.
type flag uint64

const (
	deliverable  flag = 1 << iota // old enough to be received
	due                           // has reached the maximum delay
	hasDueDate                    // in mailbox.dueDates
	listed                        // in a linked list, see mailbox.popListed
	faultDecided                  // Timed: the environment has decided what befalls it
	flagBits     = iota
)

func (l record) has(m flag) bool { return l[0]&uint64(m) != 0 }

func (l record) set(m flag) { l[0] |= uint64(m) }

func (l record) unset(m flag) { l[0] &^= uint64(m) }

// A span is a bit field of a record.
type span struct {
	word  int
	shift int
	mask  uint64
	least int64 // the value that is stored as 0
}

func (s *span) get(l record) int64 { return s.least + int64(l[s.word]>>s.shift&s.mask) }

// put sets a number that was 0 before.
func (s *span) put(l record, v int64) { l[s.word] |= uint64(v-s.least) << s.shift }

// A layout is the assignment of bit fields to the parts of a record.
type layout struct {
	words  int
	to     span     // the receiver, after the flags
	head   int      // the number of bits up to the end of to
	kind   span     // counted from 1, in the first word; 0 in a record that is not in use
	port   span     // the value by which the receiver addresses the channel
	sentAt span     // the time of sending, modulo the maximum delay plus one
	fields [][]span // by kind
}

// newLayout returns the layout of the messages of a protocol.
func newLayout(p *ir.Protocol) *layout {
	l, end := &layout{}, flagBits
	next := func(least, most int64) span {
		width := bits.Len64(uint64(most) - uint64(least))
		if width == 0 {
			return span{least: least}
		}
		if end%64+width > 64 {
			end += 64 - end%64
		}
		s := span{end / 64, end % 64, 1<<width - 1, least}
		end += width
		l.words = max(l.words, (end+63)/64)
		return s
	}
	first, last := int64(0), int64(p.N-1)
	for _, link := range p.Links {
		first, last = min(first, link.In), max(last, link.In)
	}
	l.to = next(0, int64(p.N-1))
	l.head = end
	l.kind = next(0, int64(len(p.Messages)))
	l.port = next(first, last)
	l.sentAt = next(0, p.Time.Hi)
	header := end
	for _, m := range p.Messages {
		var spans []span
		end = header
		for _, f := range m.Fields {
			if f.Type.Kind == ir.Nat {
				spans = append(spans, next(0, -1)) // a word
			} else {
				spans = append(spans, next(f.Type.Lo, f.Type.Hi))
			}
		}
		l.fields = append(l.fields, spans)
	}
	return l
}

// write sets the fields of a record that is all zeros.
func (l *layout) write(into record, to int, port int64, kind int, args []int64, sent int64) {
	l.kind.put(into, int64(kind)+1)
	l.to.put(into, int64(to))
	l.port.put(into, port)
	l.sentAt.put(into, sent)
	for i := range l.fields[kind] {
		l.fields[kind][i].put(into, args[i])
	}
}

// kindOf returns the kind of a record that is in use.
func (l *layout) kindOf(from record) int { return int(l.kind.get(from)) - 1 }

// read appends the fields of a record to args.
func (l *layout) read(from record, args []int64) []int64 {
	spans := l.fields[l.kindOf(from)]
	for i := range spans {
		args = append(args, spans[i].get(from))
	}
	return args
}

// contentWord returns word i of a record, the first one without the flags and the receiver.
func (l *layout) contentWord(from record, i int) uint64 {
	if i == 0 {
		return from[0] >> l.head
	}
	return from[i]
}

// equal reports whether two records to the same process are in the same channel and equal, apart from their flags.
func (l *layout) equal(a, b record) bool {
	const content = ^uint64(1<<flagBits - 1)
	different := (a[0] ^ b[0]) & content
	for i := 1; i < l.words; i++ {
		different |= a[i] ^ b[i]
	}
	return different == 0
}

// compare orders records to the same process. It returns 0 where equal is true.
func (l *layout) compare(a, b record) int {
	return cmp.Or(cmp.Compare(a[0]>>flagBits, b[0]>>flagBits), slices.Compare(a[1:], b[1:]))
}

// A chunk holds chunkSize messages. Chunks are only added, so that no message is ever moved.
type chunk struct {
	words         []uint64
	next          [chunkSize]int32 // the successor of a message in its list
	nextInChannel []int32          // the successor of a message in its channel, if its contents are a sequence
}

const chunkSize = 1 << 12

// at returns a message.
func (b *mailbox) at(id int32) record {
	i := int(id%chunkSize) * b.layout.words
	return b.chunks[id/chunkSize].words[i : i+b.layout.words]
}

// next points to the successor of a message in its list.
func (b *mailbox) next(id int32) *int32 { return &b.chunks[id/chunkSize].next[id%chunkSize] }

// nextInChannel points to the successor of a message in its channel.
func (b *mailbox) nextInChannel(id int32) *int32 {
	return &b.chunks[id/chunkSize].nextInChannel[id%chunkSize]
}

// number returns an unused number for a message.
func (b *mailbox) number() int32 {
	if id := b.free; id != noMessage {
		return b.pop(&b.free)
	}
	if int(b.count) == len(b.chunks)*chunkSize {
		c := &chunk{words: make([]uint64, chunkSize*b.layout.words)}
		if b.queues != nil {
			c.nextInChannel = make([]int32, chunkSize)
		}
		b.chunks = append(b.chunks, c)
	}
	b.count++
	return b.count - 1
}

// eachNumbered calls do for each message that has a number.
func (b *mailbox) eachNumbered(do func(id int32, l record)) {
	for id := range b.count {
		if l := b.at(id); b.layout.kind.get(l) != 0 {
			do(id, l)
		}
	}
}

// eachInTransit calls do for each message in transit.
func (b *mailbox) eachInTransit(do func(l record)) {
	b.eachNumbered(func(_ int32, l record) { do(l) })
	for i := range b.buckets {
		b.buckets[i].read(b.layout, do)
	}
}
