package compile

import (
	"encoding/binary"
	"slices"
	"sync/atomic"

	"ringcheck/internal/intern"
	"ringcheck/model"
	"ringcheck/model/language/ir"
)

// contents are the messages in a channel.
type contents struct {
	messages []uint32     // in queue order for FIFO, else ascending by meaning
	list     []ir.Content // the same
	removals atomic.Pointer[[]removal]
}

// A removal is a message that can be received, and what is left then.
type removal struct {
	message uint32 // its age does not matter any more
	rest    model.Value
	due     bool // its time is up
}

// without returns the contents c less message i.
func (s *System) without(c *contents, i int) model.Value {
	return s.internContents(slices.Delete(slices.Clone(c.messages), i, i+1))
}

// ageless returns the number of a message without its age.
func (s *System) ageless(m uint32) uint32 {
	c := *s.messages.at(m)
	if c.Age == 0 {
		return m
	}
	c.Age = 0
	return s.internMessage(c)
}

func contentsKey(messages []uint32) []byte {
	var key []byte
	for _, m := range messages {
		key = binary.AppendUvarint(key, uint64(m))
	}
	return key
}

func (s *System) internContents(messages []uint32) model.Value {
	return s.contents.number(contentsKey(messages), func(c *contents) {
		c.messages = messages
		for _, m := range messages {
			c.list = append(c.list, *s.messages.at(m))
		}
	})
}

// insert returns the contents v with message m sent, and whether they are within the bound.
func (s *System) insert(v model.Value, m uint32) (model.Value, bool) {
	key := intern.Pair(v, m)
	if n, ok := s.inserts.Load(key); ok {
		return n, true
	}
	old := s.contents.at(v).messages
	if len(old) >= s.options.MaxMessages {
		return 0, false
	}
	i := len(old)
	if s.protocol.Channel == ir.Unordered {
		i, _ = slices.BinarySearchFunc(old, m, s.compareMessages)
	}
	n := s.internContents(slices.Insert(slices.Clone(old), i, m))
	return s.inserts.LoadOrStore(key, n), true
}

func (s *System) compareMessages(a, b uint32) int {
	return s.messages.at(a).Compare(*s.messages.at(b))
}

// removals returns the messages that can be received from contents v, in ascending order.
func (s *System) removals(v model.Value) []removal {
	c := s.contents.at(v)
	if r := c.removals.Load(); r != nil {
		return *r
	}
	var all []removal
	for _, i := range s.machine.Receivable(c.list) {
		all = append(all, removal{s.ageless(c.messages[i]), s.without(c, i), s.machine.Due(c.list[i])})
	}
	c.removals.Store(&all)
	return all
}
