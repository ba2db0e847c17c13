package command

import (
	"os"
	"runtime"
	"runtime/debug"
	"sync"
)

// Target percentages of the garbage collector: by how much the heap grows between collections.
const (
	// firstPercent, until the first collection, lets that begin at 16 MiB and not at 4. Most runs are shorter.
	firstPercent = 400
	usualPercent = 100
	// thrifty is for limited memory: most memory is in large blocks without pointers, which are cheap to collect.
	thrifty = 10
)

// A collector sets the target percentage of the garbage collector.
type collector struct {
	mu      sync.Mutex
	percent int // after the first collection
}

var garbage = collector{percent: usualPercent}

// start sets the percentage for the first collection, unless the environment has one.
func (c *collector) start() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(firstPercent)
	runtime.AddCleanup(new([8]*collector), func(c *collector) { c.set(0) }, c) // the first collection finds it
}

// set sets the percentage; 0 leaves it as it is after the first collection.
func (c *collector) set(percent int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if percent != 0 {
		c.percent = percent
	}
	debug.SetGCPercent(c.percent)
}
