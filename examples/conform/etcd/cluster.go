package main

import (
	"errors"
	"math/rand/v2"

	"go.etcd.io/raft/v3/raftpb"
)

// Options say what a cluster does.
type Options struct {
	Servers int
	Terms   int // no election begins for a later one
	Entries int // the greatest number in a log
	Events  int // the number of lines
	Seed    uint64
	Bug     Bug
}

// A cluster has servers and the messages in flight between them.
type cluster struct {
	Options
	random   *rand.Rand
	servers  []*server
	crashed  []bool
	inFlight []*raftpb.Message
	lines    int
	guilty   int // the line with the first effect of the bug, 0 if there is none
	log      func(Line)
}

// newCluster returns a cluster that calls log with the lines of its log.
func newCluster(o Options, log func(Line)) (*cluster, error) {
	if o.Servers < 1 || o.Terms < 0 || o.Entries < 1 {
		return nil, errors.New("there must be at least 1 server, 0 terms and 1 entry")
	}
	c := &cluster{Options: o, random: rand.New(rand.NewPCG(o.Seed, 0)), crashed: make([]bool, o.Servers)}
	c.log = func(l Line) { c.lines++; log(l) }
	blame := func() {
		if c.guilty == 0 {
			c.guilty = c.lines + 1
		}
	}
	for number := range o.Servers {
		s, err := newServer(o, number, c.log, blame)
		if err != nil {
			return nil, err
		}
		c.servers = append(c.servers, s)
	}
	return c, nil
}

// Run runs a cluster and calls log with the lines of its log. It returns the number of the line in which the bug has
// its first effect, 0 if it has none.
func Run(o Options, log func(Line)) (guilty int, err error) {
	c, err := newCluster(o, log)
	if err != nil {
		return 0, err
	}
	if o.Bug != None { // the library may notice the mistake later, and panic
		defer func() {
			if recover() != nil {
				guilty = c.guilty
			}
		}()
	}
	for c.lines < o.Events {
		if err := c.step(); err != nil {
			return 0, err
		}
	}
	return c.guilty, nil
}

// step lets one thing happen.
func (c *cluster) step() error {
	number := c.random.IntN(c.Servers)
	s := c.servers[number]
	crashes := c.random.IntN(200) == 0 // before it has sent anything
	var sent []*raftpb.Message
	var err error
	switch chance := c.random.IntN(100); {
	case c.crashed[number]:
		if chance < 10 {
			c.crashed[number], err = false, s.recover()
			return err
		}
		return c.deliver(crashes)
	case chance == 0:
		c.crash(number)
		return nil
	case chance < 5 && !s.leads() && c.due(s.state().Vars.Term, c.Terms):
		sent, err = s.campaign(crashes)
	case chance < 10 && s.leads() && s.hasRoom() && c.due(uint64(s.last()), c.Entries):
		sent, err = s.propose(crashes)
	case chance < 20 && s.leads():
		crashes = false
		sent, err = s.beat()
	default:
		return c.deliver(crashes)
	}
	return c.finish(number, sent, crashes, err)
}

// due reports whether it is time for the next fault: most faults are spread over a run, and some have happened.
func (c *cluster) due(happened uint64, most int) bool {
	return int(happened) < most && int(happened)*c.Events < (c.lines+c.Events/10)*most
}

// deliver delivers, loses or duplicates a message.
func (c *cluster) deliver(crashes bool) error {
	if len(c.inFlight) == 0 {
		return nil
	}
	i := c.random.IntN(len(c.inFlight))
	to := int(c.inFlight[i].GetTo() - 1)
	chance := c.random.IntN(100)
	switch {
	case chance < 5 || len(c.inFlight) > 8*c.Servers || c.crashed[to] && chance < 50:
		c.handle("lose", i, false)
	case c.crashed[to]:
	case chance < 7:
		c.handle("duplicate", i, false)
	default:
		return c.handle("recv", i, crashes)
	}
	return nil
}

// handle lets a message in flight be received, lost or duplicated.
func (c *cluster) handle(do string, i int, crashes bool) error {
	m := c.inFlight[i]
	if do == "duplicate" {
		c.inFlight = append(c.inFlight, m)
	} else {
		last := len(c.inFlight) - 1
		c.inFlight[i] = c.inFlight[last]
		c.inFlight = c.inFlight[:last]
	}
	s := c.servers[m.GetTo()-1]
	if do != "recv" {
		c.log(s.messageLine(do, m))
		return nil
	}
	sent, err := s.receive(m, crashes)
	return c.finish(s.number, sent, crashes, err)
}

// finish puts messages in flight, and lets their sender crash.
func (c *cluster) finish(number int, sent []*raftpb.Message, crashes bool, err error) error {
	c.inFlight = append(c.inFlight, sent...)
	if err == nil && crashes {
		c.crash(number)
	}
	return err
}

func (c *cluster) crash(number int) {
	c.crashed[number] = true
	c.log(Line{Process: &number, Do: "crash"})
}
