package simulate

import (
	"cmp"
	"math/bits"
	"slices"

	"ringcheck/model/language/ir"
)

// A letter is a message in transit, packed into as few words as possible: its receiver, channel, kind, fields and time
// of sending, and a few flags. In an election among 50,000 processes that is one word.
type letter []uint64

// A mark is a flag of a letter.
type mark uint64

const (
	mature mark = 1 << iota // old enough to be received
	due                     // has reached the maximum delay
	late                    // in mailbox.late
	listed                  // in a linked list, see mailbox.living
	spared                  // Timed: the environment has decided what befalls it
	marks  = iota
)

func (l letter) has(m mark) bool { return l[0]&uint64(m) != 0 }

func (l letter) set(m mark) { l[0] |= uint64(m) }

func (l letter) unset(m mark) { l[0] &^= uint64(m) }

// A span is a bit field of a letter.
type span struct {
	word  int
	shift int
	mask  uint64
	least int64 // the value that is stored as 0
}

func (s *span) get(l letter) int64 { return s.least + int64(l[s.word]>>s.shift&s.mask) }

// put sets a number that was 0 before.
func (s *span) put(l letter, v int64) { l[s.word] |= uint64(v-s.least) << s.shift }

// A layout is the assignment of bit fields to the parts of a letter.
type layout struct {
	words  int
	to     span     // the receiver, after the marks
	head   int      // the number of bits up to the end of to
	kind   span     // counted from 1, in the first word; 0 in a letter that is not in use
	port   span     // the value by which the receiver addresses the channel
	sent   span     // the time of sending, modulo the maximum delay plus one
	fields [][]span // by kind
}

// newLayout returns the layout of the messages of a protocol.
func newLayout(p *ir.Protocol) *layout {
	l, end := &layout{}, marks
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
	l.sent = next(0, p.Time.Hi)
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

// write sets the fields of a letter that is all zeros.
func (l *layout) write(into letter, to int, port int64, kind int, args []int64, sent int64) {
	l.kind.put(into, int64(kind)+1)
	l.to.put(into, int64(to))
	l.port.put(into, port)
	l.sent.put(into, sent)
	for i := range l.fields[kind] {
		l.fields[kind][i].put(into, args[i])
	}
}

// kindOf returns the kind of a letter that is in use.
func (l *layout) kindOf(from letter) int { return int(l.kind.get(from)) - 1 }

// read appends the fields of a letter to args.
func (l *layout) read(from letter, args []int64) []int64 {
	spans := l.fields[l.kindOf(from)]
	for i := range spans {
		args = append(args, spans[i].get(from))
	}
	return args
}

// rest returns word i of a letter, the first one without the marks and the receiver.
func (l *layout) rest(from letter, i int) uint64 {
	if i == 0 {
		return from[0] >> l.head
	}
	return from[i]
}

// same reports whether two letters to the same process are in the same channel and equal, apart from their flags.
func (l *layout) same(a, b letter) bool {
	const content = ^uint64(1<<marks - 1)
	different := (a[0] ^ b[0]) & content
	for i := 1; i < l.words; i++ {
		different |= a[i] ^ b[i]
	}
	return different == 0
}

// compare orders letters to the same process. It returns 0 where same is true.
func (l *layout) compare(a, b letter) int {
	return cmp.Or(cmp.Compare(a[0]>>marks, b[0]>>marks), slices.Compare(a[1:], b[1:]))
}

// A chunk holds chunkSize messages. Chunks are only added, so that no message is ever moved.
type chunk struct {
	words  []uint64
	next   [chunkSize]int32 // the successor of a message in its list
	behind []int32          // the successor of a message in its channel, if its contents are a sequence
}

const chunkSize = 1 << 12

// at returns a message.
func (b *mailbox) at(id int32) letter {
	i := int(id%chunkSize) * b.layout.words
	return b.chunks[id/chunkSize].words[i : i+b.layout.words]
}

// next points to the successor of a message in its list.
func (b *mailbox) next(id int32) *int32 { return &b.chunks[id/chunkSize].next[id%chunkSize] }

// behind points to the successor of a message in its channel.
func (b *mailbox) behind(id int32) *int32 { return &b.chunks[id/chunkSize].behind[id%chunkSize] }

// number returns an unused number for a message.
func (b *mailbox) number() int32 {
	if id := b.free; id != noMessage {
		return b.pop(&b.free)
	}
	if int(b.count) == len(b.chunks)*chunkSize {
		c := &chunk{words: make([]uint64, chunkSize*b.layout.words)}
		if b.queues != nil {
			c.behind = make([]int32, chunkSize)
		}
		b.chunks = append(b.chunks, c)
	}
	b.count++
	return b.count - 1
}

// alive calls do for each message that has a number.
func (b *mailbox) alive(do func(id int32, l letter)) {
	for id := range b.count {
		if l := b.at(id); b.layout.kind.get(l) != 0 {
			do(id, l)
		}
	}
}

// each calls do for each message in transit.
func (b *mailbox) each(do func(l letter)) {
	b.alive(func(_ int32, l letter) { do(l) })
	for i := range b.buckets {
		b.buckets[i].read(b.layout, do)
	}
}
