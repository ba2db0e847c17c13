package intern

import (
	"math"
	"math/bits"
	"sync"
	"sync/atomic"

	"ringcheck/internal/largepage"
)

// A Numbering gives numbers to pairs of small numbers, from 0 on in the order in which they are first met. It
// takes 8 bytes a slot: a pair is known from its slot but for a few bits. The zero Numbering is ready for use by
// many goroutines; Load takes no lock.
type Numbering struct {
	table atomic.Pointer[numbers]
	mu    sync.Mutex
	count atomic.Uint32
	wide  atomic.Bool // a pair was met that has too many bits for a table
	rest  Map         // of the pairs met since
	small *index      // of a compact Numbering; in place of table and rest
}

// Compact makes n take about 5 bytes a pair, where it took 9 to 18, and grow in small steps. Look-ups are slower, since
// pair is asked for the pairs of numbers, by many goroutines; LoadOrCreate's create notes what it returns. n must not
// be used concurrently.
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

// A NumberingView is what a Numbering holds at a moment, or some of it. It finds many pairs faster than Load: first
// make a Probe for each and Touch it, so that the cache misses overlap, then Find it.
type NumberingView struct{ t *numbers }

// View returns the current view.
func (n *Numbering) View() NumberingView { return NumberingView{n.table.Load()} }

// A Probe is a pair on its way to be found in a view.
type Probe uint64

// nowhere is the Probe of a pair that a view cannot contain.
const nowhere Probe = math.MaxUint64

// Probe begins the search for a pair.
func (v NumberingView) Probe(pair uint64) Probe {
	if v.t == nil || isWide(pair) {
		return nowhere
	}
	return Probe(hash(pair))
}

// Touch reads the place where the search begins and returns something that depends on it.
func (v NumberingView) Touch(p Probe) uint64 {
	if p == nowhere {
		return 0
	}
	return v.t.slots[v.t.home(uint64(p))].Load()
}

// Find returns the number of the pair. If it is not ok, Numbering.Load may still know the pair.
func (v NumberingView) Find(p Probe) (number uint32, ok bool) {
	if p == nowhere {
		return 0, false
	}
	return v.t.find(uint64(p))
}

// A Lookup looks many pairs up at a time, for one goroutine, so that the memory reads overlap.
type Lookup struct {
	probes []Probe
	touch  uint64
}

// Find makes out[i] the number of pairs[i] in n. Those that are not in its current view it asks add for.
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

// findSmall is Find in a compact Numbering, where two reads follow one another.
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

// LoadOrCreate returns the number of a pair. If it has none it gets the next one, and create is called with that
// before it can be seen, by one goroutine at a time.
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
	for t == nil || t.crowded(number) || !t.put(hash(pair), number) {
		t = t.enlarged()
		n.table.Store(t)
	}
}

// Len returns how many pairs have a number.
func (n *Numbering) Len() int { return int(n.count.Load()) }

// Bytes returns the memory that n holds, with the table that it had before, which is garbage, and with the next one
// when that is near: until the pairs are copied there are two.
func (n *Numbering) Bytes() int64 {
	if n.small != nil {
		return n.small.bytes()
	}
	b := n.rest.Bytes()
	if t := n.table.Load(); t != nil {
		b += 8 * int64(len(t.slots)) * 3 / 2
		if t.crowded(n.count.Load() + n.count.Load()/8) {
			b += 8 * int64(len(t.slots)) * 3 / 2
		}
	}
	return b
}

// The halves of a pair that fits a table have halfBits; its hash, a bijection, has hashBits.
const (
	halfBits = 26
	hashBits = 2 * halfBits
	halfMask = 1<<halfBits - 1
	hashMask = 1<<hashBits - 1
)

func isWide(pair uint64) bool { return pair&^(halfMask<<32|halfMask) != 0 }

// multiplier is odd, and so has an inverse modulo any power of two.
const multiplier = 0x9e3779b97f4a7c15

// hash maps pairs one to one to numbers whose top bits look random: a shift by half the bits, exclusive-ored to a
// number, undoes itself, and so does a multiplication by an odd number.
func hash(pair uint64) uint64 {
	x := pair>>32<<halfBits | pair&halfMask
	return (x ^ x>>halfBits) * multiplier & hashMask
}

// numbers is a hash table with linear probing. The top bits of a hash say where the home slot of the pair is; a slot
// holds, from the top,
//
//	the distance from the home slot, plus one: what is left of 64 bits, 12 bits
//	the rest of the hash
//	the number
//
// and an empty one 0. Slots are only ever filled, by the holder of the mutex; a reader that overlooks a slot being
// filled takes the slow path, which looks again.
type numbers struct {
	slotBits uint8
	slots    []atomic.Uint64
}

func newNumbers(slotBits uint8) *numbers {
	return &numbers{slotBits, largepage.Make[atomic.Uint64](1 << slotBits)}
}

// crowded reports whether the table is too full for a pair that is to get a number.
func (t *numbers) crowded(number uint32) bool { return uint64(number) >= uint64(len(t.slots))/8*7 }

// home returns the home slot of a hash.
func (t *numbers) home(hash uint64) uint64 { return hash >> ((hashBits - t.slotBits) & 63) }

// entry returns what the home slot holds for a hash, above the number, and how much more the next ones do.
func (t *numbers) entry(hash uint64) (entry, step uint64) {
	step = 1 << ((hashBits - t.slotBits) & 63)
	return hash&(step-1) | step, step
}

func (t *numbers) number(slot uint64) uint32 { return uint32(slot & (1<<(t.slotBits&63) - 1)) }

// find returns the number of the pair with a hash. The table always has empty slots.
func (t *numbers) find(hash uint64) (uint32, bool) {
	want, step := t.entry(hash)
	for i := t.home(hash); ; i++ {
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

// put stores a new pair and reports whether there was room near its home slot.
func (t *numbers) put(hash uint64, number uint32) bool {
	entry, step := t.entry(hash)
	i := t.home(hash)
	for ; t.slots[i&uint64(len(t.slots)-1)].Load() != 0; i++ {
		entry += step
	}
	if bits.Len64(entry) > int(64-t.slotBits) {
		return false
	}
	t.slots[i&uint64(len(t.slots)-1)].Store(entry<<t.slotBits | uint64(number))
	return true
}

// hashAt returns the hash of the pair of which slot i holds v.
func (t *numbers) hashAt(i int, v uint64) uint64 {
	rest := hashBits - t.slotBits
	entry := v >> t.slotBits
	home := (uint64(i) - entry>>rest + 1) & uint64(len(t.slots)-1)
	return home<<rest | entry&(1<<rest-1)
}

// firstSlots is the number of slots of a first table.
const firstSlots = 16

// enlarged returns a larger copy of t, which may be nil. Readers of t see a subset, which is all they are promised.
func (t *numbers) enlarged() *numbers {
	if t == nil {
		return newNumbers(uint8(bits.Len(firstSlots - 1)))
	}
	for slotBits := t.slotBits + 1; ; slotBits++ {
		if larger := newNumbers(slotBits); t.copyTo(larger) {
			return larger
		}
	}
}

// copyTo puts the pairs of t into another table, as far as there is room.
func (t *numbers) copyTo(to *numbers) bool {
	for i := range t.slots {
		if v := t.slots[i].Load(); v != 0 && !to.put(t.hashAt(i, v), t.number(v)) {
			return false
		}
	}
	return true
}

// Pairs numbers pairs of 32-bit numbers densely from 0 on, and gives them back. The zero value is ready for use by many
// goroutines.
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

// Number returns the number of a pair, giving it one if it has none.
func (p *Pairs) Number(pair uint64) uint32 {
	if n, ok := p.numbers.Load(pair); ok {
		return n
	}
	return p.add(pair)
}

// NumberAll makes out[i] the number of pairs[i].
func (p *Pairs) NumberAll(l *Lookup, pairs []uint64, out []uint32) {
	l.Find(&p.numbers, pairs, out, p.add)
}

func (p *Pairs) add(pair uint64) uint32 {
	return p.numbers.LoadOrCreate(pair, func(n uint32) { *p.pairs.At(n) = pair })
}

// At returns the pair with number n, which Number has returned before.
func (p *Pairs) At(n uint32) uint64 { return *p.pairs.At(n) }

// Len returns how many pairs have a number.
func (p *Pairs) Len() int { return p.numbers.Len() }

// Bytes returns the memory that p holds.
func (p *Pairs) Bytes() int64 { return p.numbers.Bytes() + p.pairs.Bytes() }
