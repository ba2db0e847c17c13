package level

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"math/bits"
	"slices"

	"github.com/cespare/xxhash/v2"
)

// A Word is the content of a slot in its process-independent encoding (model.Codec).
type Word struct {
	Slot    int
	Content string
}

func compareWords(a, b Word) int {
	return cmp.Or(cmp.Compare(a.Slot, b.Slot), cmp.Compare(a.Content, b.Content))
}

// Words numbers the contents of the slots of a system, each slot from 0. It is immutable.
type Words struct {
	list    [][]string // by slot and number
	numbers []map[string]uint32
}

// NewWords returns an empty numbering.
func NewWords(slots int) *Words {
	w := &Words{list: make([][]string, slots), numbers: make([]map[string]uint32, slots)}
	for i := range w.numbers {
		w.numbers[i] = make(map[string]uint32)
	}
	return w
}

// Extend returns w with more words. New words are numbered per slot in the order of their contents, so that the numbers
// depend only on the set of words.
func (w *Words) Extend(more []Word) *Words {
	next := &Words{list: slices.Clone(w.list), numbers: slices.Clone(w.numbers)}
	slot := -1
	for _, word := range slices.SortedFunc(slices.Values(more), compareWords) {
		if word.Slot != slot {
			slot = word.Slot
			next.list[slot], next.numbers[slot] = slices.Clone(w.list[slot]), maps.Clone(w.numbers[slot])
		}
		next.add(word)
	}
	return next
}

// add numbers a word and reports whether it is new.
func (w *Words) add(word Word) (isNew bool) {
	if _, known := w.numbers[word.Slot][word.Content]; known {
		return false
	}
	w.numbers[word.Slot][word.Content] = uint32(len(w.list[word.Slot]))
	w.list[word.Slot] = append(w.list[word.Slot], word.Content)
	return true
}

// allWords returns every word, ordered by slot and number.
func (w *Words) allWords() (words []Word) {
	for slot, list := range w.list {
		for _, content := range list {
			words = append(words, Word{slot, content})
		}
	}
	return words
}

// Number returns the number of a word, and whether it has one.
func (w *Words) Number(slot int, content []byte) (uint32, bool) {
	n, ok := w.numbers[slot][string(content)]
	return n, ok
}

// Layout returns the layout of keys of which all words are in w. The left half has the slots before split.
func (w *Words) Layout(split int) Layout {
	l := Layout{widths: make([]uint8, len(w.list)), split: split}
	for slot, list := range w.list {
		l.widths[slot] = uint8(bits.Len(uint(max(1, len(list)) - 1)))
	}
	return l
}

// AppendWords encodes words.
func AppendWords(buf []byte, words []Word) []byte {
	buf = binary.AppendUvarint(buf, uint64(len(words)))
	for _, w := range words {
		buf = binary.AppendUvarint(buf, uint64(w.Slot))
		buf = binary.AppendUvarint(buf, uint64(len(w.Content)))
		buf = append(buf, w.Content...)
	}
	return buf
}

// DecodeWords decodes the output of AppendWords, for a system with the given number of slots.
func DecodeWords(data []byte, slots int) (words []Word, err error) {
	d := decoder{data: data}
	for n := d.count(); n > 0 && !d.bad; n-- {
		slot, content := d.number(), d.bytes(d.count())
		d.bad = d.bad || slot >= uint64(slots)
		words = append(words, Word{int(slot), string(content)})
	}
	if d.bad || len(d.data) > 0 {
		return nil, fmt.Errorf("%w: words", ErrDamaged)
	}
	return words, nil
}

// A Layout has the number of bits of a key for each slot. Keys are ordered like their vectors of numbers in every
// layout.
type Layout struct {
	widths []uint8
	split  int
}

// halfWords returns the number of 64-bit words that the larger half of a key needs.
func (l Layout) halfWords() int {
	left, right := 0, 0
	for slot, w := range l.widths {
		if slot < l.split {
			left += int(w)
		} else {
			right += int(w)
		}
	}
	return max(1, (max(left, right)+63)/64)
}

func (l Layout) left() []uint8  { return l.widths[:l.split] }
func (l Layout) right() []uint8 { return l.widths[l.split:] }

func (l Layout) equal(m Layout) bool { return l.split == m.split && bytes.Equal(l.widths, m.widths) }

// hashWord returns the hash of a word for shardOf.
func hashWord(content []byte) uint64 { return xxhash.Sum64(content) }

// shardOf returns the shard of a state whose left half holds words with the given hashes. It ignores the last third of
// them: states that differ only there are neighbours in key order, and compress better together.
func shardOf(hashes []uint64, shards int) int {
	h := uint64(0x9e3779b97f4a7c15)
	for _, w := range hashes[:len(hashes)-len(hashes)/3] {
		h = (h ^ w) * 0xff51afd7ed558ccd
		h ^= h >> 32
	}
	hi, _ := bits.Mul64(h, uint64(shards))
	return int(hi)
}
