package compile

import (
	"math"
	"slices"
	"sync/atomic"

	"ringcheck/internal/intern"
	"ringcheck/model"
	"ringcheck/model/language/channel"
	"ringcheck/model/language/ir"
)

// contentsTable numbers the contents of channels: sequences of the numbers of messages, in the order of entry. It
// numbers pairs: a sequence without its last message, and the last message. So sending to a queue or a stack takes one
// look-up, and receiving from it mostly one, too. The empty sequence is 0.
type contentsTable struct {
	reversed bool // whether the order of entry is the reverse of the order of ir.View
	numbers  intern.Numbering
	entries  intern.Array[sequence]
	cache    cache[contents]
}

// A sequence is the entry of contents with messages.
type sequence struct {
	before, last uint32
	first        uint32
	length       uint32
	rest         atomic.Uint32 // the sequence without its first message, plus one; 0 as long as it is not known
}

// contents are the messages in a channel.
type contents struct {
	list     []ir.Content // in the order of ir.View
	due      *ir.Content  // the first message that has reached its maximal delay, nil if none has
	removals atomic.Pointer[[]removal]
}

func (t *contentsTable) init(d channel.Discipline, fill func(number uint32, c *contents)) {
	t.reversed = d.Entry == channel.Front
	t.cache.init(fill)
	if !d.First {
		t.cache.most.Store(math.MaxUint32) // what can be received is expensive to find
	}
}

// len returns the number of sequences.
func (t *contentsTable) len() uint32 { return uint32(t.numbers.Len()) + 1 }

func (t *contentsTable) bytes() int64 {
	return t.numbers.Bytes() + t.entries.Bytes() + t.cache.bytes(func(c *contents) int64 {
		return 64 * int64(len(c.list))
	})
}

// append returns a sequence with one more message.
func (t *contentsTable) append(v, message uint32) uint32 {
	pair := intern.Pair(v, message)
	if n, ok := t.numbers.Load(pair); ok {
		return n + 1
	}
	return 1 + t.numbers.LoadOrCreate(pair, func(n uint32) {
		e := t.entries.At(n + 1)
		e.before, e.last, e.first, e.length = v, message, message, 1
		if v != Empty {
			before := t.entries.At(v)
			e.first, e.length = before.first, before.length+1
		}
	})
}

// length returns the number of messages.
func (t *contentsTable) length(v uint32) int {
	if v == Empty {
		return 0
	}
	return int(t.entries.At(v).length)
}

// insert returns a sequence with a message inserted at an index.
func (t *contentsTable) insert(v uint32, i int, message uint32) uint32 {
	if i == t.length(v) {
		return t.append(v, message)
	}
	e := t.entries.At(v)
	return t.append(t.insert(e.before, i, message), e.last)
}

// remove returns a sequence without message i.
func (t *contentsTable) remove(v uint32, i int) uint32 {
	e := t.entries.At(v)
	switch rest := e.rest.Load(); {
	case i+1 == int(e.length):
		return e.before
	case i > 0:
		return t.append(t.remove(e.before, i), e.last)
	case rest > 0:
		return rest - 1
	}
	rest := t.append(t.remove(e.before, 0), e.last)
	e.rest.Store(rest + 1)
	return rest
}

// messages appends the messages of a sequence to list, in the order of ir.View.
func (t *contentsTable) messages(v uint32, list []uint32) []uint32 {
	first := len(list)
	for ; v != Empty; v = t.entries.At(v).before {
		list = append(list, t.entries.At(v).last)
	}
	if !t.reversed {
		slices.Reverse(list[first:])
	}
	return list
}

// index returns the index in the order of entry of the message with an index in the order of ir.View, given the number
// of messages.
func (t *contentsTable) index(i, length int) int {
	if t.reversed {
		return length - 1 - i
	}
	return i
}

// at returns message i in the order of ir.View.
func (t *contentsTable) at(v uint32, i int) uint32 {
	e := t.entries.At(v)
	at := t.index(i, int(e.length))
	if at == 0 {
		return e.first
	}
	for range int(e.length) - 1 - at {
		e = t.entries.At(e.before)
	}
	return e.last
}

// A removal is a message that can be received, and what is left then.
type removal struct {
	message uint32 // without its age
	rest    model.Value
	due     bool // the message has reached its maximal delay
}

// fillContents decodes contents.
func (s *System) fillContents(number uint32, c *contents) {
	messages := s.contents.messages(number, nil)
	c.list = make([]ir.Content, len(messages))
	for i, m := range messages {
		c.list[i] = *s.messages.at(m)
		if c.due == nil && s.machine.Due(c.list[i]) {
			c.due = &c.list[i]
		}
	}
}

// replace returns the contents v with other messages in the place of message i.
func (s *System) replace(v model.Value, i int, place []ir.Content) model.Value {
	messages := s.contents.messages(v, nil)
	var numbers []uint32
	for _, m := range place {
		numbers = append(numbers, s.NumberOf(m))
	}
	after := slices.Replace(messages, i, i+1, numbers...)
	if !s.protocol.Channel.Ordered() {
		slices.SortFunc(after, func(a, b uint32) int { return s.messages.at(a).Compare(*s.messages.at(b)) })
	}
	return s.internContents(after)
}

// ageless returns the number of a message without its age.
func (s *System) ageless(m uint32) uint32 {
	c := *s.messages.at(m)
	if c.Age == 0 {
		return m
	}
	c.Age = 0
	return s.NumberOf(c)
}

// internContents returns the contents with messages in the order of ir.View.
func (s *System) internContents(messages []uint32) model.Value {
	v := Empty
	for i := range messages {
		v = s.contents.append(v, messages[s.contents.index(i, len(messages))])
	}
	return v
}

// EncodeContents returns the value of the slot of a channel with the given messages, in the order of Contents.
func (s *System) EncodeContents(list []ir.Content) model.Value {
	var messages []uint32
	for _, c := range list {
		messages = append(messages, s.NumberOf(c))
	}
	return s.internContents(messages)
}

// insert returns the contents v with message m sent, and whether they are within the bound. A full channel drops it.
func (s *System) insert(v model.Value, m uint32) (model.Value, bool) {
	if s.protocol.Capacity.Drops && s.full(v) {
		return v, true
	}
	if s.contents.length(v) >= s.options.MaxMessages {
		return 0, false
	}
	if s.protocol.Channel.Ordered() {
		return s.contents.append(v, m), true
	}
	key := intern.Pair(v, m)
	if n, ok := s.inserts.Load(key); ok {
		return n, true
	}
	var few [16]uint32
	old, sent := s.contents.messages(v, few[:0]), *s.messages.at(m)
	i := s.protocol.Channel.Insert(len(old), func(i int) bool { return s.messages.at(old[i]).Compare(sent) >= 0 })
	return s.inserts.LoadOrStore(key, s.contents.insert(v, i, m)), true
}

// removals returns the messages that can be received from contents v, in ascending order; few may hold them.
func (s *System) removals(v model.Value, few []removal) []removal {
	if s.protocol.Channel.First {
		if v != Empty && !s.machine.IsEarly(*s.messages.at(s.contents.at(v, 0))) {
			few = append(few, s.removal(v, 0))
		}
		return few
	}
	c := s.contents.cache.at(v)
	if r := c.removals.Load(); r != nil {
		return *r
	}
	var all []removal
	for _, i := range s.machine.Receivable(c.list) {
		all = append(all, s.removal(v, i))
	}
	c.removals.Store(&all)
	return all
}

// removal returns the removal of message i of contents v.
func (s *System) removal(v model.Value, i int) removal {
	m := s.contents.at(v, i)
	rest := s.contents.remove(v, s.contents.index(i, s.contents.length(v)))
	return removal{s.ageless(m), rest, s.machine.Due(*s.messages.at(m))}
}
