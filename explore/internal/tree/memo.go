package tree

import (
	"math/bits"
	"slices"
	"unsafe"

	"ringcheck/internal/intern"
)

// A memo is the data of a number of a node, see doc.go. It has an encoding, or is unpacked from a record.
type memo struct {
	number      uint32
	pair        uint64   // of the children's numbers, if the node is an inner node with projections
	moves       []uint32 // the numbers to which the groups within the node lead, once for each transition
	tags        uint64   // of the moves, as in a record
	projections uint64   // for the tabulated spanning groups of the parent, as in a record
	encoding    []uint32 // projections, moves and tags; nil if these are as in a record
}

// projection returns projection i.
func (m *memo) projection(i int) uint32 {
	if m.encoding != nil {
		return m.encoding[i]
	}
	v := uint32(m.projections>>(i%inlineValues*16)) & 0xffff
	if v == packedBarred {
		return barred
	}
	return v
}

// tag returns the tag of move i, which has the given number of bits in a record: see Worker.tagOf.
func (m *memo) tag(i int, bits uint) uint32 {
	if m.encoding != nil {
		return m.encoding[len(m.encoding)-len(m.moves)+i]
	}
	return uint32(m.tags >> (uint(i) * bits & 63) & (1<<bits - 1))
}

// load sets m to the data in an encoding.
func (m *memo) load(encoding []uint32, projections int) {
	moves := (len(encoding) - projections) / 2
	m.encoding, m.moves = encoding, encoding[projections:projections+moves]
}

// loadLong sets m to the data at a Ref in n.longRecords.
func (m *memo) loadLong(n *node, ref intern.Ref) {
	encoding := n.longRecords.At(ref)
	m.load(encoding[1:1+encoding[0]], len(n.projections))
}

// addLong adds an encoding to n.longRecords, after its length.
func (w *Worker) addLong(n *node, encoding []uint32) intern.Ref {
	w.longRecord = append(append(w.longRecord[:0], uint32(len(encoding))), encoding...)
	return w.writer(n).Add(w.longRecord)
}

// memoOf sets m to the memo of a number of n, and computes it the first time. The memo is in the record r of the number
// or, if r is nil, among the members of an overlay or in the worker's cache. The slices are valid until the next call
// for a number of n.
func (w *Worker) memoOf(n *node, number uint32, r *record, m *memo) error {
	m.number = number
	switch {
	case r != nil:
	case n.members != nil && n.hasMemos():
		return w.memberMemo(n, m)
	case n.transient:
		return w.transientMemo(n, m)
	case n.hasMemos():
		return w.cachedMemo(n, m)
	default:
		m.encoding, m.moves = nil, nil
		return nil
	}
	head := r.head.Load()
	if kind := head & 0xff; kind == 0 || kind == busyHead {
		encoding, err := w.computeEncoding(n, number)
		if err != nil {
			return err
		}
		head = w.publish(n, number, r, encoding)
	}
	m.pair = r.pair
	if head&0xff == longHead {
		m.loadLong(n, r.inline[0])
		return nil
	}
	m.tags = uint64(head>>8) | uint64(r.inline[inlineWords-1])<<24
	m.projections = uint64(r.inline[1])<<32 | uint64(r.inline[0])
	first := uint(len(n.projections)+1) / 2
	m.encoding, m.moves = nil, r.inline[first:first+uint(head&0xff)-1]
	return nil
}

// computeEncoding computes the projections and the moves of a number of n with their tags, in this order. The encoding
// is valid until the next one is made.
func (w *Worker) computeEncoding(n *node, number uint32) ([]uint32, error) {
	x := w.acquire()
	defer w.release(x)
	var err error
	if n.leaf() {
		err = w.leafMoves(n, number, x)
	} else {
		n.expansions.Add(1)
		left, right := n.children(number)
		err = w.expand(n, halves{left, right, n.left.record(left), n.right.record(right)}, x)
	}
	if err != nil {
		return nil, err
	}
	return w.encode(n, number, w.numberMoves(n, x), x.tags), nil
}

// numberMoves returns the numbers of n to which the moves in x lead. The slice is valid until the next call.
func (w *Worker) numberMoves(n *node, x *successors) []uint32 {
	if !n.leaf() {
		w.numberMissing(n, x)
	}
	w.numbers = slices.Grow(w.numbers[:0], len(x.to))[:len(x.to)]
	if !n.leaf() {
		w.number(n, x.to, w.numbers)
		return w.numbers
	}
	for i, to := range x.to {
		w.numbers[i] = uint32(to)
	}
	return w.numbers
}

// encode returns the encoding for a number of n.
func (w *Worker) encode(n *node, number uint32, moves, tags []uint32) []uint32 {
	encoding := w.project(n, number, w.encoding[:0])
	w.encoding = append(append(encoding, moves...), tags...)
	return w.encoding
}

// project appends the projections of a number of n. Many of one slot each take less time from its values.
func (w *Worker) project(n *node, number uint32, projections []uint32) []uint32 {
	decoded := len(n.projections)*bits.Len(uint(n.end-n.first)) > 4*(n.end-n.first)
	if decoded {
		n.decode(number, w.values)
	}
	for i, v := range n.projections {
		slot := n.projectionSlots[i]
		if w.isBarred(&n.guards[i], number, decoded) {
			projections = append(projections, barred)
		} else if decoded && slot >= 0 {
			projections = append(projections, w.values[slot])
		} else {
			projections = append(projections, v.project(number))
		}
	}
	return projections
}

// isBarred reports whether a guard tells that its group has no transitions from parts with a number, whose values are
// in w.values if it is decoded.
func (w *Worker) isBarred(g *guard, number uint32, decoded bool) bool {
	if g.value == nil {
		return false
	}
	v := w.values[g.slot]
	if !decoded {
		v = g.value.project(number)
	}
	return w.source.guarder.Bars(g.group, v)
}

// An entry of a worker's cache for one node holds the encoding of the last number without a record that mapped to it.
type entry struct {
	number   uint32 // plus one; 0 for none
	encoding []uint32
}

// The sizes in bytes of a record, of an entry without its encoding, and of an entry with an encoding of usual length.
const (
	recordBytes    = int64(unsafe.Sizeof(record{}))
	bareEntryBytes = int64(unsafe.Sizeof(entry{}))
	entryBytes     = 4 * bareEntryBytes
)

// writer returns the worker's writer to n.longRecords.
func (w *Worker) writer(n *node) *intern.Writer {
	if n.longRecords == &w.Store.arena {
		return w.arena
	}
	if w.longWriters[n.id] == nil {
		w.longWriters[n.id] = n.longRecords.Writer()
	}
	return w.longWriters[n.id]
}

// entry returns the entry for a number in the worker's cache.
func (w *Worker) entry(n *node, number uint32) *entry {
	if w.caches[n.id] == nil {
		w.caches[n.id] = make([]entry, w.cacheSize)
		w.cacheBytes.Add(bareEntryBytes * int64(w.cacheSize))
	}
	return &w.caches[n.id][int(number)&(w.cacheSize-1)]
}

// transientMemo is memoOf for a number that is not asked about again. The other half has no memos, which would take the
// place of the encoding.
func (w *Worker) transientMemo(n *node, m *memo) error {
	if !n.leaf() {
		m.pair = n.pair(m.number)
	}
	encoding, err := w.computeEncoding(n, m.number)
	if err != nil {
		return err
	}
	m.load(encoding, len(n.projections))
	return nil
}

// cachedMemo is memoOf for a number without a record.
func (w *Worker) cachedMemo(n *node, m *memo) error {
	e := w.entry(n, m.number)
	m.pair = n.pair(m.number)
	if e.number != m.number+1 {
		e.number = 0
		encoding, err := w.computeEncoding(n, m.number)
		if err != nil {
			return err
		}
		before := cap(e.encoding)
		e.number, e.encoding = m.number+1, append(e.encoding[:0], encoding...)
		w.cacheBytes.Add(4 * int64(cap(e.encoding)-before))
	}
	m.load(e.encoding, len(n.projections))
	return nil
}
