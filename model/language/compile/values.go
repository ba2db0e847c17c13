package compile

import (
	"encoding/binary"
	"slices"
	"sync"
	"sync/atomic"

	"ringcheck/internal/intern"
	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// A table numbers entries from 0 on. Entries never move, so reading takes no lock.
type table[T any] struct {
	mu      sync.Mutex
	numbers map[string]uint32
	entries intern.Array[T]
	count   atomic.Uint32
	keys    atomic.Int64 // their bytes
}

// An entry with what it refers to takes about spread times as many bytes as its key, which encodes it, and entryCost
// bytes more.
const (
	spread    = 16
	entryCost = 64
)

// bytes returns about how much memory t holds.
func (t *table[T]) bytes() int64 {
	return t.entries.Bytes() + spread*t.keys.Load() + entryCost*int64(t.count.Load())
}

// at returns entry n.
func (t *table[T]) at(n uint32) *T { return t.entries.At(n) }

// len returns the number of entries.
func (t *table[T]) len() uint32 { return t.count.Load() }

// number returns the number of the entry with a key. If no entry has it, fill sets a new one.
func (t *table[T]) number(key []byte, fill func(*T)) uint32 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n, ok := t.numbers[string(key)]; ok {
		return n
	}
	if t.numbers == nil {
		t.numbers = make(map[string]uint32)
	}
	n := t.count.Load()
	fill(t.entries.At(n))
	t.keys.Add(int64(len(key)))
	t.numbers[string(key)] = n
	t.count.Store(n + 1)
	return n
}

// add appends an entry without a key.
func (t *table[T]) add(entry T) uint32 {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.count.Load()
	*t.entries.At(n) = entry
	t.count.Store(n + 1)
	return n
}

// NumberOf returns the number of a message.
func (s *System) NumberOf(c ir.Content) uint32 {
	return s.messages.number(step.AppendMessage(nil, c), func(m *ir.Content) {
		*m = ir.Content{Message: c.Message, Args: slices.Clone(c.Args), Age: c.Age}
	})
}

// A local is a local state, with what the process can do on its own there once that is known.
type local struct {
	ir.Local
	seen  ir.Local // by properties, see ir.Protocol.Ended
	ended bool
	own   atomic.Pointer[ownOutcomes]
}

func (s *System) internLocal(l ir.Local) uint32 {
	var buf [64]byte
	return s.locals.number(step.AppendLocal(buf[:0], l), func(e *local) {
		e.Local = ir.Local{Point: l.Point, Env: slices.Clone(l.Env)}
		e.seen, e.ended = s.protocol.Ended(e.Local, nil)
	})
}

// contents are the messages in a channel.
type contents struct {
	messages []uint32     // in the order of ir.View
	list     []ir.Content // the same
	removals atomic.Pointer[[]removal]
}

// A removal is a message that can be received, and what is left then.
type removal struct {
	message uint32 // without its age
	rest    model.Value
	due     bool // the message has reached its maximal delay
}

// remove returns the contents c less message i.
func (s *System) remove(c *contents, i int) model.Value {
	return s.internContents(slices.Delete(slices.Clone(c.messages), i, i+1))
}

// replace returns the contents c with other messages in the place of message i.
func (s *System) replace(c *contents, i int, place []ir.Content) model.Value {
	var numbers []uint32
	for _, m := range place {
		numbers = append(numbers, s.NumberOf(m))
	}
	after := slices.Concat(c.messages[:i], numbers, c.messages[i+1:])
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

func (s *System) internContents(messages []uint32) model.Value {
	var key []byte
	for _, m := range messages {
		key = binary.AppendUvarint(key, uint64(m))
	}
	return s.contents.number(key, func(c *contents) {
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
	sent := *s.messages.at(m)
	i := s.protocol.Channel.Insert(len(old), func(i int) bool { return s.messages.at(old[i]).Compare(sent) >= 0 })
	n := s.internContents(slices.Insert(slices.Clone(old), i, m))
	return s.inserts.LoadOrStore(key, n), true
}

// removals returns the messages that can be received from contents v, in ascending order.
func (s *System) removals(v model.Value) []removal {
	c := s.contents.at(v)
	if r := c.removals.Load(); r != nil {
		return *r
	}
	var all []removal
	for _, i := range s.machine.Receivable(c.list) {
		all = append(all, removal{s.ageless(c.messages[i]), s.remove(c, i), s.machine.Due(c.list[i])})
	}
	c.removals.Store(&all)
	return all
}

// A View shows state vectors to properties. It implements ir.View without allocating, so that one View can
// look at any number of states, one after the other.
type View struct {
	system *System
	state  []model.Value
}

var _ ir.View = (*View)(nil)

// NewView returns a view that shows nothing yet.
func (s *System) NewView() *View { return &View{system: s} }

// Show makes v show a state, which must not change as long as it does.
func (v *View) Show(state []model.Value) { v.state = state }

// Seen implements ir.View.
func (v *View) Seen(p int) ir.Local { return v.system.Seen(v.state[v.system.layout.processes[p]]) }

// Channel implements ir.View.
func (v *View) Channel(link int) []ir.Content {
	return v.system.Contents(v.state[v.system.layout.channels[link]])
}

var _ model.Codec = (*System)(nil)

// AppendSlot implements model.Codec.
func (s *System) AppendSlot(buf []byte, slot int, v model.Value) []byte {
	if s.layout.slots[slot].Kind == model.OtherSlot {
		return step.AppendKey(buf, int64(v))
	}
	if s.layout.slots[slot].Kind == model.ChannelSlot {
		return step.AppendContents(buf, s.Contents(v))
	}
	return step.AppendLocal(buf, s.Local(v))
}

// DecodeSlot implements model.Codec.
func (s *System) DecodeSlot(slot int, data []byte) (model.Value, []byte, error) {
	if s.layout.slots[slot].Kind == model.OtherSlot {
		n, rest, err := step.DecodeCount(data)
		kind := ir.FaultKind(slices.Index(s.layout.counters[:], slot))
		if limit, _ := s.machine.Limit(kind); err == nil && n > limit {
			err = step.ErrDamaged
		}
		return model.Value(n), rest, err
	}
	if s.layout.slots[slot].Kind == model.ChannelSlot {
		contents, rest, err := s.machine.DecodeContents(data)
		if err != nil {
			return 0, nil, err
		}
		return s.EncodeContents(contents), rest, nil
	}
	local, rest, err := s.machine.DecodeLocal(data)
	if err != nil {
		return 0, nil, err
	}
	return s.internLocal(local), rest, nil
}

// EncodeContents returns the value of the slot of a channel with the given messages, in the order of Contents.
func (s *System) EncodeContents(list []ir.Content) model.Value {
	var messages []uint32
	for _, c := range list {
		messages = append(messages, s.NumberOf(c))
	}
	return s.internContents(messages)
}
