package explore

import (
	"sync"
	"sync/atomic"

	"ringcheck/explore/internal/tree"
	"ringcheck/internal/largepage"
)

// undecided collects the roots that are new to the cache, from all workers, until it is known which of them are new.
type undecided struct {
	roots []tree.Root
	unmap func()
	used  atomic.Int64 // claimed
	mu    sync.Mutex
	// A claim that does not fit goes to over. The first of them begins at end: what is before is in use, without a gap.
	end  int64
	over []tree.Root
}

func newUndecided(n int) *undecided {
	u := &undecided{}
	u.roots, u.unmap = largepage.Map[tree.Root](n)
	u.clear()
	return u
}

// add adds roots. There is always room, but see full.
func (u *undecided) add(roots []tree.Root) {
	n := int64(len(roots))
	at := u.used.Add(n) - n
	if at+n <= int64(len(u.roots)) {
		copy(u.roots[at:], roots)
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.end = min(u.end, at)
	u.over = append(u.over, roots...)
}

// full reports whether more roots take more memory.
func (u *undecided) full() bool { return u.used.Load() >= int64(len(u.roots)) }

// take takes as many roots out as there is room for; nobody adds any meanwhile, nor before the caller is done with them.
func (u *undecided) take() []tree.Root {
	n := int(min(u.used.Load(), u.end))
	moved := copy(u.roots[n:], u.over)
	rest := u.over[moved:]
	u.clear()
	u.over = rest
	return u.roots[:n+moved]
}

func (u *undecided) clear() {
	u.used.Store(0)
	u.end = int64(len(u.roots))
	u.over = nil
}

func (u *undecided) bytes() int64 { return 8 * int64(len(u.roots)) }
