package explore

import (
	"sync"
	"sync/atomic"
)

// A safepoint lets the goroutines inside it agree on a moment when only one of them runs.
type safepoint struct {
	wanted  atomic.Bool // a goroutine waits for the others to pause
	mu      sync.Mutex
	again   *sync.Cond
	inside  int
	paused  int
	turn    uint64 // counts the actions
	onPause func()
}

func newSafepoint(onPause func()) *safepoint {
	g := &safepoint{onPause: onPause}
	g.again = sync.NewCond(&g.mu)
	return g
}

// enter is called by each goroutine before it may pause.
func (g *safepoint) enter() {
	g.mu.Lock()
	g.inside++
	g.mu.Unlock()
}

// leave is called by a goroutine that will not pause any more.
func (g *safepoint) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inside--
	if g.paused > 0 && g.paused == g.inside {
		g.act()
	}
}

// pause waits until everybody inside has paused or left. The last to arrive runs onPause; then all go on.
func (g *safepoint) pause() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.wanted.Store(true)
	g.paused++
	if g.paused == g.inside {
		g.act()
		return
	}
	for turn := g.turn; turn == g.turn; {
		g.again.Wait()
	}
}

// act runs onPause for those who wait, and lets them go on even if it panics. The caller holds the mutex.
func (g *safepoint) act() {
	defer func() {
		g.paused = 0
		g.turn++
		g.wanted.Store(false)
		g.again.Broadcast()
	}()
	g.onPause()
}
