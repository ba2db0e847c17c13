package level

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"ringcheck/explore"
	"ringcheck/model"
)

// A worker translates, with caches in both directions, between process-independent keys and the numbers that this
// process's Expander gives to halves of states.
type worker[H half] struct {
	*System
	of     *space
	halves *explore.ExpanderWorker // of it
	next   explore.Expansion
	known  *knownLevel

	values  [][]valueOf // by slot and number of the word
	numbers [][]wordOf  // by slot and value

	left, right side[H]
	state       []model.Value
	key         []uint32
	hashes      []uint64
	buf         []byte
	fresh       map[Word]bool // words that are new at the level
	classes     []class       // by number
}

// valueOf is the value of a word in this process.
type valueOf struct {
	value model.Value
	known bool
}

// wordOf is the word of a value.
type wordOf struct {
	hash   uint64
	number uint32
	known  bool // the number is
}

// keyOf is the key of a half and, for a left half, the shard.
type keyOf[H half] struct {
	key   H
	shard int32
	known bool
}

// A side translates the left or the right halves of states.
type side[H half] struct {
	first, end int        // its slots
	keys       []keyOf[H] // by number
	numbers    map[H]uint32
	number     func(state []model.Value) uint32
	set        func(number uint32, state []model.Value)
}

func newWorker[H half](s *System, x *space, k *knownLevel) *worker[H] {
	halves := x.Worker()
	w := &worker[H]{
		System: s, halves: halves, of: x,
		values: make([][]valueOf, s.slots), numbers: make([][]wordOf, s.slots),
		state: make([]model.Value, s.slots), key: make([]uint32, s.slots), hashes: make([]uint64, s.slots),
		left:  side[H]{first: 0, end: x.Split(), number: halves.Left, set: halves.SetLeft},
		right: side[H]{first: x.Split(), end: s.slots, number: halves.Right, set: halves.SetRight},
	}
	w.learn(k)
	return w
}

// learn switches to the words and key layout of a level, which may be an earlier one if work is repeated. Words of
// later levels are then new again: what is emitted and written must not depend on what this process already knows.
func (w *worker[H]) learn(k *knownLevel) {
	back := w.known != nil && k.Level < w.known.Level
	if back {
		w.numbers = make([][]wordOf, w.slots)
	}
	if w.known == nil || back || !w.known.layout.equal(k.layout) {
		for _, s := range []*side[H]{&w.left, &w.right} {
			s.keys, s.numbers = nil, make(map[H]uint32)
		}
	}
	w.known = k
	w.fresh = make(map[Word]bool)
}

// extend grows list so that index i exists.
func extend[T any](list []T, i int) []T {
	if n := i + 1 - len(list); n > 0 {
		list = append(list, make([]T, n)...)
	}
	return list
}

// maxListed bounds the values for which words are cached: a system may number slot contents without end.
const maxListed = 1 << 22

// word returns the word of a value. Its number is unknown if the word is new.
func (w *worker[H]) word(slot int, v model.Value) wordOf {
	if int(v) < len(w.numbers[slot]) && w.numbers[slot][v].known {
		return w.numbers[slot][v]
	}
	w.buf = w.codec.AppendSlot(w.buf[:0], slot, v)
	number, ok := w.known.words.Number(slot, w.buf)
	word := wordOf{hash: hashWord(w.buf), number: number, known: ok}
	if v < maxListed {
		w.numbers[slot] = extend(w.numbers[slot], int(v))
		w.numbers[slot][v] = word
	}
	return word
}

// numberOf returns the number of the half with a key.
func (w *worker[H]) numberOf(s *side[H], key H) (uint32, error) {
	if n, ok := s.numbers[key]; ok {
		return n, nil
	}
	if err := w.decode(s, key); err != nil {
		return 0, err
	}
	n := s.number(w.state)
	s.numbers[key] = n
	return n, nil
}

// decode sets the slots of a half in w.state.
func (w *worker[H]) decode(s *side[H], key H) (err error) {
	unpack(key, w.known.layout.widths[s.first:s.end], w.key[s.first:s.end])
	for slot := s.first; slot < s.end && err == nil; slot++ {
		w.state[slot], err = w.valueOf(slot, w.key[slot])
	}
	return err
}

// keyOf returns the key of a half, unknown if the half has a new word, and for a left half the shard.
func (w *worker[H]) keyOf(s *side[H], number uint32) keyOf[H] {
	if int(number) < len(s.keys) && s.keys[number].known {
		return s.keys[number]
	}
	s.set(number, w.state)
	k := keyOf[H]{known: true}
	for slot := s.first; slot < s.end; slot++ {
		word := w.word(slot, w.state[slot])
		w.key[slot] = word.number
		w.hashes[slot] = word.hash
		k.known = k.known && word.known
	}
	if k.known {
		k.key = pack[H](w.key[s.first:s.end], w.known.layout.widths[s.first:s.end])
	}
	if s.first == 0 {
		k.shard = int32(shardOf(w.hashes[:s.end], w.shards))
	}
	s.keys = extend(s.keys, int(number))
	s.keys[number] = k
	return k
}

// freshWords returns the words that were new since the last call of learn, sorted.
func (w *worker[H]) freshWords() []Word {
	return slices.SortedFunc(maps.Keys(w.fresh), compareWords)
}

// appendFresh appends the bytes of a state with new words, and notes these.
func (w *worker[H]) appendFresh(buf []byte, to explore.Halves) []byte {
	w.show(to)
	for slot, v := range w.state {
		at := len(buf)
		buf = w.codec.AppendSlot(buf, slot, v)
		if _, known := w.known.words.Number(slot, buf[at:]); !known {
			w.fresh[Word{slot, string(buf[at:])}] = true
		}
	}
	return buf
}

// valueOf returns the value of a word in this process.
func (w *worker[H]) valueOf(slot int, number uint32) (model.Value, error) {
	list, values := w.known.words.list[slot], w.values[slot]
	if int(number) >= len(list) {
		return 0, fmt.Errorf("%w: a state has an unknown word", ErrDamaged)
	}
	if int(number) < len(values) && values[number].known {
		return values[number].value, nil
	}
	v, rest, err := w.codec.DecodeSlot(slot, []byte(list[number]))
	if err != nil || len(rest) > 0 {
		return 0, fmt.Errorf("%w: a word does not belong to this system", ErrDamaged)
	}
	w.values[slot] = extend(values, int(number))
	w.values[slot][number] = valueOf{v, true}
	return v, nil
}

// orbit returns the number of states of the full system that x represents.
func (w *worker[H]) orbit(x *item[H]) (uint64, error) {
	if w.quotient == nil {
		return 1, nil
	}
	if err := cmp.Or(w.decode(&w.left, x.left), w.decode(&w.right, x.right)); err != nil {
		return 0, err
	}
	return w.quotient.OrbitSize(w.state), nil
}
