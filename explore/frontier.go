package explore

import (
	"sync"
	"sync/atomic"

	"ringcheck/explore/internal/tree"
)

// batchStates is the number of states that a worker takes from the frontier at a time.
const batchStates = 1 << 10

// A batch is some states of a level and, in a search with sleep sets, what is asleep at each.
type batch struct {
	states []tree.StateID
	asleep []tree.Sleep // empty, or one for each state
}

// split divides a batch after n states.
func (b batch) split(n int) (head, tail batch) {
	n = min(n, len(b.states))
	head.states, tail.states = b.states[:n], b.states[n:]
	if len(b.asleep) > 0 {
		head.asleep, tail.asleep = b.asleep[:n], b.asleep[n:]
	}
	return head, tail
}

// A frontier is the states of one BFS level, in batches. One level is read while the next is written; the
// batches that have been read are written again.
type frontier struct {
	current []batch
	taken   atomic.Int64
	mu      sync.Mutex
	next    []batch
	spare   []batch
	made    atomic.Int64 // slices of batches in existence
	sleeps  bool         // keep what is asleep
	keep    bool         // keep the levels that have been read
	kept    [][][]tree.StateID
}

// take implements source.
func (f *frontier) take(*worker) batch {
	i := f.taken.Add(1) - 1
	if i >= int64(len(f.current)) {
		return batch{}
	}
	return f.current[i]
}

// add appends a batch to the next level.
func (f *frontier) add(b batch) {
	if len(b.states) == 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.next = append(f.next, b)
}

// empty returns a batch to be filled.
func (f *frontier) empty() batch {
	f.mu.Lock()
	defer f.mu.Unlock()
	var b batch
	if n := len(f.spare); n > 0 {
		b = batch{f.spare[n-1].states[:0], f.spare[n-1].asleep[:0]}
		f.spare = f.spare[:n-1]
	}
	if b.states == nil {
		f.made.Add(1)
		b.states = make([]tree.StateID, 0, batchStates)
	}
	if b.asleep == nil && f.sleeps {
		f.made.Add(1)
		b.asleep = make([]tree.Sleep, 0, batchStates)
	}
	return b
}

// done implements source: the batch can be written again.
func (f *frontier) done(b batch) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.keep {
		b.states = nil
	}
	f.spare = append(f.spare, b)
}

// advance makes the next level the current one and returns the number of its states.
func (f *frontier) advance() uint64 {
	f.finish()
	f.current, f.next = f.next, f.current[:0]
	f.taken.Store(0)
	n := uint64(0)
	for _, b := range f.current {
		n += uint64(len(b.states))
	}
	return n
}

// finish keeps the level that was read, in full or until the search ended.
func (f *frontier) finish() {
	if f.keep && len(f.current) > 0 {
		level := make([][]tree.StateID, len(f.current))
		for i, b := range f.current {
			level[i] = b.states
		}
		f.kept = append(f.kept, level)
		f.current = nil
	}
}

// release forgets all states but those of the current level, drop these as well.
func (f *frontier) release() {
	f.next, f.spare, f.kept = nil, nil, nil
	f.made.Store(2 * int64(len(f.current)))
}

func (f *frontier) drop() {
	f.current = nil
	f.release()
}

func (f *frontier) bytes() int64 { return f.made.Load() * batchStates * 8 }
