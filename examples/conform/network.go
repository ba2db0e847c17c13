// Package conform has three small distributed programs that are judged by their specs while they run: an election on a
// ring, a two-phase commit, and Raft's election. Their processes are goroutines, and log what they do by log/slog;
// tests hand the log to a conform.Monitor. Each program can make a mistake on request.
package conform

import (
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// A Bug is a mistake that a program makes on request; "" means no mistake.
type Bug string

// A Process reacts to what happens. Its methods are called one after another, by its own goroutine.
type Process interface {
	Begin()
	// Accepts reports whether the process receives a message in its present state. Others wait until it does.
	Accepts(m Message) bool
	Receive(m Message)
	Timeout()
	Recover() // after a crash
}

// A Message is on its way from one process to another.
type Message struct {
	From, To int
	Name     string
	Args     []any
}

// A Network has processes and the messages that are under way. It logs what happens as events of a spec.
type Network struct {
	Log *slog.Logger
	// Port returns how a process calls another one in the spec; nil if by number.
	Port func(process, other int) any
	// Random makes the network deliver each message after a random time. If it is nil, Deliver does.
	Random *rand.Rand

	processes []Process
	inputs    []chan func()
	crashed   []bool      // by process, whose goroutine alone uses it
	inbox     [][]Message // by process, likewise: what it has not accepted
	mu        sync.Mutex
	waiting   []Message // for Deliver
}

// Start starts processes.
func (n *Network) Start(processes ...Process) {
	n.processes, n.crashed, n.inbox = processes, make([]bool, len(processes)), make([][]Message, len(processes))
	for range processes {
		n.inputs = append(n.inputs, make(chan func(), 100))
	}
	for p, process := range processes {
		go func() {
			for input := range n.inputs[p] {
				input()
				n.receive(p)
			}
		}()
		n.inputs[p] <- process.Begin
	}
}

// Size returns the number of processes.
func (n *Network) Size() int { return len(n.processes) }

// Stop ends the goroutines.
func (n *Network) Stop() {
	for _, in := range n.inputs {
		close(in)
	}
}

// Send sends a message.
func (n *Network) Send(from, to int, name string, args ...any) {
	m := Message{from, to, name, args}
	n.log(from, "send", "to", n.Name(from, to), "message", name, "args", args)
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.Random != nil {
		time.AfterFunc(time.Duration(n.Random.IntN(100))*time.Millisecond, func() { n.deliver(m) })
		return
	}
	n.waiting = append(n.waiting, m)
}

// Deliver delivers a waiting message that wanted accepts, and reports whether it found one.
func (n *Network) Deliver(wanted func(Message) bool) bool {
	n.mu.Lock()
	i := slices.IndexFunc(n.waiting, wanted)
	if i < 0 {
		n.mu.Unlock()
		return false
	}
	m := n.waiting[i]
	n.waiting = slices.Delete(n.waiting, i, i+1)
	n.mu.Unlock()
	n.deliver(m)
	return true
}

func (n *Network) deliver(m Message) {
	n.inputs[m.To] <- func() { n.inbox[m.To] = append(n.inbox[m.To], m) }
}

// receive lets a process receive what has arrived, as far as it accepts that.
func (n *Network) receive(process int) {
	p := n.processes[process]
	for !n.crashed[process] {
		i := slices.IndexFunc(n.inbox[process], p.Accepts)
		if i < 0 {
			return
		}
		m := n.inbox[process][i]
		n.inbox[process] = slices.Delete(n.inbox[process], i, i+1)
		n.log(process, "recv", "from", n.Name(process, m.From), "message", m.Name, "args", m.Args)
		p.Receive(m)
	}
}

// Timeout lets a timer of a process run out.
func (n *Network) Timeout(process int) {
	n.inputs[process] <- func() {
		if !n.crashed[process] {
			n.processes[process].Timeout()
		}
	}
}

// Crash stops a process.
func (n *Network) Crash(process int) {
	n.inputs[process] <- func() {
		n.crashed[process] = true
		n.log(process, "crash")
	}
}

// Recover lets a process go on that has crashed.
func (n *Network) Recover(process int) {
	n.inputs[process] <- func() {
		n.crashed[process] = false
		n.log(process, "recover")
		n.processes[process].Recover()
	}
}

// Event logs an event of the spec.
func (n *Network) Event(process int, name string, args ...any) {
	n.log(process, "event", "name", name, "args", args)
}

func (n *Network) log(process int, do string, attributes ...any) {
	n.Log.Info(do, append([]any{"p", process, "do", do}, attributes...)...)
}

// Name returns how a process calls another one in the spec.
func (n *Network) Name(process, other int) any {
	if n.Port != nil {
		return n.Port(process, other)
	}
	return other
}

// quiet is embedded by processes to which less happens.
type quiet struct{}

func (quiet) Begin()               {}
func (quiet) Accepts(Message) bool { return true }
func (quiet) Timeout()             {}
func (quiet) Recover()             {}
