package level

import (
	"encoding/binary"
	"slices"

	"ringcheck/explore"
	"ringcheck/model"
)

// A worker translates between keys, which mean the same everywhere, and the numbers that an Expander of this process gives to halves
// of states. Both directions are remembered.
type worker[H half] struct {
	*System
	of     *space
	halves *explore.ExpanderWorker // of it
	split  int
	known  *known

	values  [][]valueOf // by slot and number of the word
	numbers [][]wordOf  // by slot and value

	left, right  []keyOf[H] // by number of the half
	ofLeft       map[H]uint32
	ofRight      map[H]uint32
	state        []model.Value
	key          []uint32
	hashes       []uint64
	buf          []byte
	freshWords   []Word
	freshNumbers map[Word]int
	classes      []class // by number
}

// valueOf is what a word is to this process.
type valueOf struct {
	value model.Value
	known bool
}

// wordOf is what a value is to others.
type wordOf struct {
	hash   uint64
	number uint32
	known  bool // the number is
}

// keyOf is the key of a half, and for a left one the shard.
type keyOf[H half] struct {
	key   H
	shard int32
	known bool
}

func newWorker[H half](s *System, x *space) *worker[H] {
	return &worker[H]{
		System: s, halves: x.Worker(), of: x, split: x.Split(),
		values: make([][]valueOf, s.slots), numbers: make([][]wordOf, s.slots),
		state: make([]model.Value, s.slots), key: make([]uint32, s.slots), hashes: make([]uint64, x.Split()),
	}
}

// learn makes the words and the layout of keys those of a level. That is not always a later one: work can be done again. A word
// that comes up later is then new once more, and what is emitted and written does not depend on what this process knows already.
func (w *worker[H]) learn(k *known) {
	back := w.known != nil && k.Level < w.known.Level
	if back {
		w.numbers = make([][]wordOf, w.slots)
	}
	if w.known == nil || back || !w.known.layout.equal(k.layout) {
		w.left, w.right = nil, nil
		w.ofLeft, w.ofRight = make(map[H]uint32), make(map[H]uint32)
	}
	w.known = k
	w.freshWords, w.freshNumbers = nil, make(map[Word]int)
}

// extend makes list longer, so that it has an element i.
func extend[T any](list []T, i int) []T {
	if n := i + 1 - len(list); n > 0 {
		list = append(list, make([]T, n)...)
	}
	return list
}

// maxListed is the value from on which words are not remembered by value: a system may count slots up without end.
const maxListed = 1 << 22

// word returns what a value is to others. Its number is not known if the word is new.
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

// leftNumber returns the number of a left half with a key.
func (w *worker[H]) leftNumber(key H) (uint32, error) {
	if n, ok := w.ofLeft[key]; ok {
		return n, nil
	}
	unpack(key, w.known.layout.left(), w.key[:w.split])
	if err := w.decode(0, w.split); err != nil {
		return 0, err
	}
	n := w.halves.Left(w.state)
	w.ofLeft[key] = n
	return n, nil
}

// rightNumber does the same for a right half.
func (w *worker[H]) rightNumber(key H) (uint32, error) {
	if n, ok := w.ofRight[key]; ok {
		return n, nil
	}
	unpack(key, w.known.layout.right(), w.key[w.split:])
	if err := w.decode(w.split, w.slots); err != nil {
		return 0, err
	}
	n := w.halves.Right(w.state)
	w.ofRight[key] = n
	return n, nil
}

// decode sets the slots from first up to end of w.state to what w.key says.
func (w *worker[H]) decode(first, end int) (err error) {
	for slot := first; slot < end; slot++ {
		if w.state[slot], err = w.valueOf(w.known.words, w.values, slot, w.key[slot]); err != nil {
			return err
		}
	}
	return nil
}

// leftKey returns the key of a left half, which is not known if there is a new word in it; its shard is.
func (w *worker[H]) leftKey(number uint32) keyOf[H] {
	if int(number) < len(w.left) && w.left[number].known {
		return w.left[number]
	}
	w.halves.SetLeft(number, w.state)
	k := w.keyOf(0, w.split)
	k.shard = int32(shardOf(w.hashes, w.shards))
	w.left = extend(w.left, int(number))
	w.left[number] = k
	return k
}

// rightKey does the same for a right half.
func (w *worker[H]) rightKey(number uint32) keyOf[H] {
	if int(number) < len(w.right) && w.right[number].known {
		return w.right[number]
	}
	w.halves.SetRight(number, w.state)
	k := w.keyOf(w.split, w.slots)
	w.right = extend(w.right, int(number))
	w.right[number] = k
	return k
}

// keyOf returns the key of the slots from first up to end of w.state. The hashes of their words are in w.hashes, as far as they are of
// the left half.
func (w *worker[H]) keyOf(first, end int) (k keyOf[H]) {
	k.known = true
	for slot := first; slot < end; slot++ {
		word := w.word(slot, w.state[slot])
		w.key[slot] = word.number
		k.known = k.known && word.known
		if slot < w.split {
			w.hashes[slot] = word.hash
		}
	}
	if k.known {
		k.key = pack[H](w.key[first:end], w.known.layout.widths[first:end])
	}
	return k
}

// appendFresh encodes a state with new words: for each slot the number of its word, or if that is new, how many words of the slot are
// known plus its place in w.freshWords.
func (w *worker[H]) appendFresh(buf []byte, to explore.Halves) []byte {
	w.show(to)
	for slot, v := range w.state {
		word := w.word(slot, v)
		if !word.known {
			content := Word{slot, string(w.codec.AppendSlot(nil, slot, v))}
			at, ok := w.freshNumbers[content]
			if !ok {
				at = len(w.freshWords)
				w.freshNumbers[content] = at
				w.freshWords = append(w.freshWords, content)
			}
			word.number = uint32(w.known.words.Len(slot) + at)
		}
		buf = binary.AppendUvarint(buf, uint64(word.number))
	}
	return buf
}

// takeFresh returns the key, in another layout, of what appendFresh has encoded with the words of before.
func takeFresh[H half](d *decoder, before *Words, fresh []Word, now *known, numbers []uint32) (x item[H]) {
	for slot := range numbers {
		n := d.number()
		known := uint64(before.Len(slot))
		if n >= known {
			if n-known >= uint64(len(fresh)) || fresh[n-known].Slot != slot {
				d.bad = true
				return x
			}
			number, ok := now.words.Number(slot, []byte(fresh[n-known].Content))
			d.bad = d.bad || !ok
			n = uint64(number)
		}
		numbers[slot] = uint32(n)
	}
	split := now.layout.split
	x.left = pack[H](numbers[:split], now.layout.left())
	x.right = pack[H](numbers[split:], now.layout.right())
	return x
}

// sortedKeys returns the keys of a map in order.
func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
