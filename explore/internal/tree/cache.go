package tree

import (
	"math/bits"
	"unsafe"
)

// An entry of a worker's cache for one node holds the facts about the last number, of those without a record that
// share the place, that was asked for.
type entry struct {
	number uint32 // plus one; 0 is none
	run    []uint32
}

// What a record takes, in bytes, and an entry, but for its run, and with a run of usual length.
const (
	recordBytes    = int64(unsafe.Sizeof(record{}))
	bareEntryBytes = int64(unsafe.Sizeof(entry{}))
	entryBytes     = 4 * bareEntryBytes
)

// Bound limits the memory for what is remembered about parts, which is most of what a store takes: records to a
// quarter of the given bytes for each node, and what the workers' caches hold beyond them to another quarter. Two
// nodes, the halves of the states, have most of the numbers. What is forgotten is worked out again. Bound is called before the
// store is used.
func (s *Store) Bound(bytes int64, workers int) {
	perNode := bytes / 4
	for _, n := range s.nodes {
		if n.recorded() && !n.leaf() {
			n.kept = uint32(min(perNode/recordBytes, all))
		}
	}
	s.cacheSize = 1 << (bits.Len64(uint64(max(1, perNode/entryBytes/int64(workers)))) - 1)
}

// entry returns the place for a number in the worker's cache.
func (w *Worker) entry(n *node, number uint32) *entry {
	if w.caches[n.id] == nil {
		w.caches[n.id] = make([]entry, w.cacheSize)
		w.cacheBytes.Add(bareEntryBytes * int64(w.cacheSize))
	}
	return &w.caches[n.id][int(number)&(w.cacheSize-1)]
}

// recall is know for a number without a record.
func (w *Worker) recall(n *node, f *facts) error {
	e := w.entry(n, f.number)
	f.pair = n.pair(f.number)
	if e.number != f.number+1 {
		e.number = 0
		run, err := w.work(n, f.number, f.pair)
		if err != nil {
			return err
		}
		before := cap(e.run)
		e.number, e.run = f.number+1, append(e.run[:0], run...)
		w.cacheBytes.Add(4 * int64(cap(e.run)-before))
	}
	f.load(e.run, len(n.views))
	return nil
}
