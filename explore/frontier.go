package explore

import (
	"sync"
	"sync/atomic"

	"ringcheck/explore/internal/tree"
)

// batch is the number of states that a worker takes from the frontier at a time.
const batch = 1 << 10

// A frontier is the states of one BFS level, in batches. One level is read while the next is written; the
// batches that have been read are written again.
type frontier struct {
	current [][]tree.Root
	taken   atomic.Int64
	mu      sync.Mutex
	next    [][]tree.Root
	spare   [][]tree.Root
	made    atomic.Int64 // batches in existence
	keep    bool         // keep the levels that have been read
	kept    [][][]tree.Root
}

// take implements source.
func (f *frontier) take(*worker) []tree.Root {
	i := f.taken.Add(1) - 1
	if i >= int64(len(f.current)) {
		return nil
	}
	return f.current[i]
}

// add appends a batch to the next level.
func (f *frontier) add(b []tree.Root) {
	if len(b) == 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.next = append(f.next, b)
}

// empty returns a batch to be filled.
func (f *frontier) empty() []tree.Root {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := len(f.spare); n > 0 {
		b := f.spare[n-1]
		f.spare = f.spare[:n-1]
		return b
	}
	f.made.Add(1)
	return make([]tree.Root, 0, batch)
}

// done implements source: the batch can be written again.
func (f *frontier) done(b []tree.Root) {
	if f.keep {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.spare = append(f.spare, b[:0])
}

// advance makes the next level the current one and returns the number of its states.
func (f *frontier) advance() uint64 {
	f.finish()
	f.current, f.next = f.next, f.current[:0]
	f.taken.Store(0)
	n := uint64(0)
	for _, b := range f.current {
		n += uint64(len(b))
	}
	return n
}

// finish keeps the level that was read, in full or until the search ended.
func (f *frontier) finish() {
	if f.keep && len(f.current) > 0 {
		f.kept = append(f.kept, f.current)
		f.current = nil
	}
}

// release forgets all states but those of the current level, drop these as well.
func (f *frontier) release() {
	f.next, f.spare, f.kept = nil, nil, nil
	f.made.Store(int64(len(f.current)))
}

func (f *frontier) drop() {
	f.current = nil
	f.release()
}

func (f *frontier) bytes() int64 { return f.made.Load() * batch * 8 }
