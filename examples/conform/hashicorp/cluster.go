package main

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strconv"
	"sync"

	"github.com/hashicorp/raft"
)

// Options say what a cluster does.
type Options struct {
	Servers int
	Terms   int // a run ends when this term begins
	Lines   int // or the log has so many lines
	Bug     Bug
}

// A Line is a line of the log: an event of package conform.
type Line struct {
	Process int    `json:"p"`
	Do      string `json:"do"`
	To      *int   `json:"to,omitempty"`
	From    *int   `json:"from,omitempty"`
	Message string `json:"message,omitempty"`
	Name    string `json:"name,omitempty"`
	Args    []any  `json:"args,omitempty"`
}

func (l Line) String() string {
	text, err := json.Marshal(l)
	if err != nil {
		panic(err) // it has only numbers and texts
	}
	return string(text)
}

// A cluster has servers and their log.
type cluster struct {
	Options
	stores []*raft.InmemStore // by server: what survives a crash

	mu      sync.Mutex
	growth  *sync.Cond // when the log grows, or is complete
	servers []*server  // nil while a server is down
	lines   int
	guilty  int // the line with the first effect of the bug, 0 if there is none
	done    bool
	log     func(Line)
}

// crashEvery is the number of lines between crashes, and downFor how many later the server restarts.
const crashEvery, downFor = 150, 40

// Run runs a cluster and calls log with the lines of its log. It returns the number of the line in which the bug has
// its first effect, 0 if it has none.
func Run(o Options, log func(Line)) (guilty int, err error) {
	if o.Servers < 1 || o.Lines < 1 {
		return 0, errors.New("there must be at least 1 server and 1 line")
	}
	c := &cluster{Options: o, log: log, servers: make([]*server, o.Servers)}
	c.growth = sync.NewCond(&c.mu)
	var all raft.Configuration
	for p := range o.Servers {
		name := strconv.Itoa(p)
		all.Servers = append(all.Servers, raft.Server{ID: raft.ServerID(name), Address: raft.ServerAddress(name)})
		c.stores = append(c.stores, raft.NewInmemStore())
	}
	for p := range o.Servers {
		s := &server{cluster: c, number: p}
		if err := raft.BootstrapCluster(s.config(), c.stores[p], c.stores[p], raft.NewDiscardSnapshotStore(),
			&transport{s}, all); err != nil {
			return 0, err
		}
	}
	for p := range o.Servers {
		if err := c.start(p); err != nil {
			return 0, err
		}
	}
	for c.wait(crashEvery) {
		p := rand.IntN(o.Servers)
		c.stop(p, true)
		c.wait(downFor)
		c.add(nil, Line{Process: p, Do: "recover"})
		if err := c.start(p); err != nil {
			return 0, err
		}
	}
	for p := range o.Servers {
		c.stop(p, false)
	}
	return c.guilty, nil
}

// wait waits until the log has some more lines, and reports whether it is still not complete.
func (c *cluster) wait(lines int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for end := c.lines + lines; c.lines < end && !c.done; {
		c.growth.Wait()
	}
	return !c.done
}

// add adds a line, unless the log is complete, or the line is about a server that has crashed. Then it does not do what
// goes with the line, and returns false.
func (c *cluster) add(s *server, line Line, with ...func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s != nil && s.crashed || c.done {
		return false
	}
	for _, do := range with {
		do()
	}
	c.lines++
	c.log(line)
	c.done = c.lines == c.Lines || line.Name == newTerm && line.Args[0] == uint64(c.Terms) ||
		c.guilty > 0 && c.lines > c.guilty+20
	c.growth.Broadcast()
	return true
}

// blame records that the line that is added has the first effect of the bug.
func (c *cluster) blame() {
	if c.guilty == 0 {
		c.guilty = c.lines + 1
	}
}

// stop ends a server. What it does after the line about its crash has no effect.
func (c *cluster) stop(p int, crash bool) {
	s := c.server(p)
	if crash {
		c.add(nil, Line{Process: p, Do: "crash"}, func() { s.crashed, c.servers[p] = true, nil })
	}
	close(s.quit)
	s.raft.Shutdown().Error()
}

// server returns a server, nil if it is down.
func (c *cluster) server(p int) *server {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.servers[p]
}
