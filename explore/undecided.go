package explore

import (
	"sync"
	"sync/atomic"

	"ringcheck/explore/internal/tree"
	"ringcheck/internal/largepage"
)

// undecided collects the roots that are new to the cache, from all workers, until it is known which of them are new.
type undecided struct {
	roots  []tree.Root
	asleep []tree.Sleep // at each of them
	unmap  func()
	used   atomic.Int64 // claimed
	mu     sync.Mutex
	// A claim that does not fit goes to over. The first of them begins at end: what is before is in use, without a gap.
	end  int64
	over []tree.Root
}

func newUndecided(n int) *undecided {
	u := &undecided{}
	both, unmap := largepage.Map[uint64](2 * n)
	u.roots, u.asleep, u.unmap = both[:n:n], both[n:], unmap
	u.clear()
	return u
}

// add adds roots, and returns where it is kept what is asleep at each. There is always room, but see full; what there was
// no room for comes without.
func (u *undecided) add(roots []tree.Root) (asleep []tree.Sleep) {
	n := int64(len(roots))
	at := u.used.Add(n) - n
	if at+n <= int64(len(u.roots)) {
		copy(u.roots[at:], roots)
		return u.asleep[at : at+n]
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.end = min(u.end, at)
	u.over = append(u.over, roots...)
	return nil
}

// full reports whether more roots take more memory.
func (u *undecided) full() bool { return u.used.Load() >= int64(len(u.roots)) }

// take takes as many roots out as there is room for; nobody adds any meanwhile, nor before the caller is done with them.
func (u *undecided) take() ([]tree.Root, []tree.Sleep) {
	n := int(min(u.used.Load(), u.end))
	moved := copy(u.roots[n:], u.over)
	clear(u.asleep[n : n+moved])
	rest := u.over[moved:]
	u.clear()
	u.over = rest
	return u.roots[:n+moved], u.asleep[:n+moved]
}

func (u *undecided) clear() {
	u.used.Store(0)
	u.end = int64(len(u.roots))
	u.over = nil
}

func (u *undecided) bytes() int64 { return undecidedBytes * int64(len(u.roots)) }

// undecidedBytes is what an undecided root takes, with what is asleep.
const undecidedBytes = 8 + 8
