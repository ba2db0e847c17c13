package intern

import (
	"math"
	"math/bits"
	"sync"
	"sync/atomic"

	"ringcheck/internal/largepage"
)

// A Numbering numbers pairs of small numbers from 0 on, in the order of their first occurrence. A slot takes 8 bytes,
// because its position determines most bits of the pair. The zero Numbering is ready for concurrent use; Load takes no
// lock.
type Numbering struct {
	table atomic.Pointer[numbers]
	mu    sync.Mutex
	count atomic.Uint32
	wide  atomic.Bool // a pair with too many bits for the table was added
	rest  Map         // that pair and all later ones
	small *index      // replaces table and rest in a compact Numbering
}

// Compact reduces the memory of n from 9 to 18 bytes per pair to about 5 and makes it grow in small steps. Lookups
// become slower, since they call pair, possibly concurrently; the create of LoadOrCreate must record the pair for it. n
// must not be used concurrently with Compact.
func (n *Numbering) Compact(pair func(number uint32) uint64) {
	if n.small == nil {
		n.small = newIndex(n.count.Load(), pair)
		n.table.Store(nil)
		n.rest = Map{}
	}
}

// Load returns the number of a pair, and whether it has one.
func (n *Numbering) Load(pair uint64) (uint32, bool) {
	if n.small != nil {
		return n.small.find(pair, indexHash(pair))
	}
	v := n.View()
	if number, ok := v.Find(v.Probe(pair)); ok {
		return number, true
	}
	if n.wide.Load() {
		return n.rest.Load(pair)
	}
	return 0, false
}

// A NumberingView is a snapshot of a Numbering, possibly incomplete. For many pairs it is faster than Load: make a
// Probe for each and Touch it, so that the cache misses overlap, then Find them.
type NumberingView struct{ t *numbers }

// View returns the current view.
func (n *Numbering) View() NumberingView { return NumberingView{n.table.Load()} }

// A Probe is a pair prepared for a lookup in a view.
type Probe uint64

// nowhere is the Probe of a pair that a view cannot contain.
const nowhere Probe = math.MaxUint64

// Probe prepares the lookup of a pair.
func (v NumberingView) Probe(pair uint64) Probe {
	if v.t == nil || isWide(pair) {
		return nowhere
	}
	return Probe(hash(pair))
}

// Touch reads the first slot of the lookup. The caller must use the result, so that the compiler keeps the read.
func (v NumberingView) Touch(p Probe) uint64 {
	if p == nowhere {
		return 0
	}
	return v.t.slots[v.t.homeSlot(uint64(p))].Load()
}

// Find returns the number of the pair. If it is not ok, Numbering.Load may still know the pair.
func (v NumberingView) Find(p Probe) (number uint32, ok bool) {
	if p == nowhere {
		return 0, false
	}
	return v.t.find(uint64(p))
}

// A Lookup looks up many pairs at a time, for one goroutine, so that their memory reads overlap.
type Lookup struct {
	probes []Probe
	touch  uint64
}

// Find sets out[i] to the number of pairs[i] in n. It calls add for pairs that are not in the current view.
func (l *Lookup) Find(n *Numbering, pairs []uint64, out []uint32, add func(pair uint64) uint32) {
	if n.small != nil {
		l.findSmall(n.small, pairs, out, add)
		return
	}
	view := n.View()
	l.probes = l.probes[:0]
	touch := uint64(0)
	for _, pair := range pairs {
		p := view.Probe(pair)
		l.probes = append(l.probes, p)
		touch ^= view.Touch(p)
	}
	l.touch = touch
	for i, pair := range pairs {
		k, ok := view.Find(l.probes[i])
		if !ok {
			k = add(pair)
		}
		out[i] = k
	}
}

// findSmall is Find for a compact Numbering, where a lookup takes two dependent reads.
func (l *Lookup) findSmall(x *index, pairs []uint64, out []uint32, add func(pair uint64) uint32) {
	l.probes = l.probes[:0]
	touch := uint64(0)
	for _, pair := range pairs {
		hash := indexHash(pair)
		l.probes = append(l.probes, Probe(hash))
		touch ^= x.touch(hash)
	}
	for _, p := range l.probes {
		touch ^= x.touchPair(uint64(p))
	}
	l.touch = touch
	for i, pair := range pairs {
		k, ok := x.find(pair, uint64(l.probes[i]))
		if !ok {
			k = add(pair)
		}
		out[i] = k
	}
}

// LoadOrCreate returns the number of a pair. A new pair gets the next number; create is called with it before others
// can see it, by one goroutine at a time.
func (n *Numbering) LoadOrCreate(pair uint64, create func(number uint32)) uint32 {
	n.mu.Lock()
	defer n.mu.Unlock()
	if old, ok := n.Load(pair); ok {
		return old
	}
	number := n.count.Load()
	if number == math.MaxUint32 {
		panic(ErrFull)
	}
	create(number)
	if isWide(pair) {
		n.wide.Store(true)
	}
	switch {
	case n.small != nil:
		n.small.put(indexHash(pair), number)
	case n.wide.Load():
		n.rest.LoadOrStore(pair, number)
	default:
		n.put(pair, number)
	}
	n.count.Store(number + 1)
	return number
}

// put stores a new pair. The caller holds the mutex.
func (n *Numbering) put(pair uint64, number uint32) {
	t := n.table.Load()
	for t == nil || t.isFull(number) || !t.put(hash(pair), number) {
		t = t.grow()
		n.table.Store(t)
	}
}

// Len returns the number of pairs.
func (n *Numbering) Len() int { return int(n.count.Load()) }

// Bytes returns the memory that n holds in bytes, with Copies.
func (n *Numbering) Bytes() int64 {
	if n.small != nil {
		return n.small.bytes()
	}
	return n.rest.Bytes() + n.tableBytes() + n.Copies()
}

// Copies returns the bytes of the previous table, which is garbage, and of the next one when growth is near, since both
// exist while pairs are copied.
func (n *Numbering) Copies() int64 {
	b := n.tableBytes() / 2
	if t := n.table.Load(); t != nil && t.isFull(n.count.Load()+n.count.Load()/8) {
		b += n.tableBytes() + n.tableBytes()/2
	}
	return b
}

func (n *Numbering) tableBytes() int64 {
	if t := n.table.Load(); t != nil {
		return 8 * int64(len(t.slots))
	}
	return 0
}

// Each half of a pair that fits a table has halfBits bits, and its hash has hashBits.
const (
	halfBits = 26
	hashBits = 2 * halfBits
	halfMask = 1<<halfBits - 1
	hashMask = 1<<hashBits - 1
)

func isWide(pair uint64) bool { return pair&^(halfMask<<32|halfMask) != 0 }

// multiplier is odd and therefore invertible modulo any power of two.
const multiplier = 0x9e3779b97f4a7c15

// hash is a bijection from pairs to numbers whose top bits look random: XORing a number with itself shifted by half its
// bits is its own inverse, and a multiplication by an odd number is invertible.
func hash(pair uint64) uint64 {
	x := pair>>32<<halfBits | pair&halfMask
	return (x ^ x>>halfBits) * multiplier & hashMask
}

// numbers is a hash table with linear probing. The top bits of a hash give the home slot of the pair. A filled slot
// holds, from the top,
//
//	the distance from the home slot, plus one: the other 12 of the 64 bits
//	the rest of the hash
//	the number
//
// and an empty one is 0. Slots are filled by the holder of the mutex and never emptied. A reader that misses a slot
// being filled takes the slow path, which looks again under the mutex.
type numbers struct {
	slotBits uint8
	slots    []atomic.Uint64
}

func newNumbers(slotBits uint8) *numbers {
	return &numbers{slotBits, largepage.Make[atomic.Uint64](1 << slotBits)}
}

// isFull reports whether the table is too full for a pair with the given number.
func (t *numbers) isFull(number uint32) bool { return uint64(number) >= uint64(len(t.slots))/8*7 }

// homeSlot returns the home slot of a hash.
func (t *numbers) homeSlot(hash uint64) uint64 { return hash >> ((hashBits - t.slotBits) & 63) }

// entry returns the bits above the number in the home slot of a hash, and their increment for each further slot.
func (t *numbers) entry(hash uint64) (entry, step uint64) {
	step = 1 << ((hashBits - t.slotBits) & 63)
	return hash&(step-1) | step, step
}

func (t *numbers) number(slot uint64) uint32 { return uint32(slot & (1<<(t.slotBits&63) - 1)) }

// find returns the number of the pair with a hash. The table always has empty slots.
func (t *numbers) find(hash uint64) (uint32, bool) {
	want, step := t.entry(hash)
	for i := t.homeSlot(hash); ; i++ {
		v := t.slots[i&uint64(len(t.slots)-1)].Load()
		if v>>(t.slotBits&63) == want {
			return t.number(v), true
		}
		if v == 0 {
			return 0, false
		}
		want += step
	}
}

// put stores a new pair and reports whether there was room near enough to its home slot.
func (t *numbers) put(hash uint64, number uint32) bool {
	entry, step := t.entry(hash)
	i := t.homeSlot(hash)
	for ; t.slots[i&uint64(len(t.slots)-1)].Load() != 0; i++ {
		entry += step
	}
	if bits.Len64(entry) > int(64-t.slotBits) {
		return false
	}
	t.slots[i&uint64(len(t.slots)-1)].Store(entry<<t.slotBits | uint64(number))
	return true
}

// hashAt returns the hash of the pair in slot i, whose content is v.
func (t *numbers) hashAt(i int, v uint64) uint64 {
	rest := hashBits - t.slotBits
	entry := v >> t.slotBits
	home := (uint64(i) - entry>>rest + 1) & uint64(len(t.slots)-1)
	return home<<rest | entry&(1<<rest-1)
}

// firstSlots is the number of slots of a first table.
const firstSlots = 16

// grow returns a larger copy of t, which may be nil. Readers of t see a subset, which is all that Load promises.
func (t *numbers) grow() *numbers {
	if t == nil {
		return newNumbers(uint8(bits.Len(firstSlots - 1)))
	}
	for slotBits := t.slotBits + 1; ; slotBits++ {
		if larger := newNumbers(slotBits); t.copyTo(larger) {
			return larger
		}
	}
}

// copyTo copies the pairs of t into another table and reports whether there was room for all.
func (t *numbers) copyTo(to *numbers) bool {
	for i := range t.slots {
		if v := t.slots[i].Load(); v != 0 && !to.put(t.hashAt(i, v), t.number(v)) {
			return false
		}
	}
	return true
}

// Pairs assigns dense numbers to pairs of 32-bit numbers and maps numbers back to pairs. The zero value is ready for
// concurrent use.
type Pairs struct {
	numbers Numbering
	pairs   Array[uint64]
}

// Pair packs two numbers into a key.
func Pair(left, right uint32) uint64 { return uint64(left)<<32 | uint64(right) }

// Split unpacks a key.
func Split(pair uint64) (left, right uint32) { return uint32(pair >> 32), uint32(pair) }

// Load returns the number of a pair, and whether it has one.
func (p *Pairs) Load(pair uint64) (uint32, bool) { return p.numbers.Load(pair) }

// Number returns the number of a pair, assigning one if it has none.
func (p *Pairs) Number(pair uint64) uint32 {
	if n, ok := p.numbers.Load(pair); ok {
		return n
	}
	return p.add(pair)
}

func (p *Pairs) add(pair uint64) uint32 {
	return p.numbers.LoadOrCreate(pair, func(n uint32) { *p.pairs.At(n) = pair })
}

// At returns the pair with number n, which Number has returned before.
func (p *Pairs) At(n uint32) uint64 { return *p.pairs.At(n) }

// Len returns the number of pairs.
func (p *Pairs) Len() int { return p.numbers.Len() }

// Bytes returns the memory that p holds.
func (p *Pairs) Bytes() int64 { return p.numbers.Bytes() + p.pairs.Bytes() }
