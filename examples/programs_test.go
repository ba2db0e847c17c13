package examples_test

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"regexp"
	"testing"
	"testing/synctest"
	"time"

	"ringcheck"
	programs "ringcheck/examples/conform"
	"ringcheck/reduce"
	"ringcheck/verify/conform"
)

// A program is a distributed program with the spec that judges it.
type program struct {
	spec     string
	settings ringcheck.Set
	// processes returns its processes. run is what they are to do: see freely and repeat.
	processes func(n *programs.Network, run []conform.Event, bug programs.Bug) []programs.Process
	port      func(process, other int) any
	crashes   bool // in freely
}

var judged = map[string]program{
	"ring": {spec: "chang-roberts", settings: ringcheck.Set{"n": "4"}, processes: ring,
		port: func(p, other int) any { return map[bool]string{true: "right", false: "left"}[other == (p+1)%4] }},
	"commit": {spec: "two-phase-commit.ring", processes: commit},
	"raft":   {spec: "raft-election.ring", settings: ringcheck.Set{"losses": "0"}, processes: raft, crashes: true},
}

func ring(n *programs.Network, run []conform.Event, bug programs.Bug) (all []programs.Process) {
	identities := map[any]int{0: 3, 1: 1, 2: 4, 3: 2}
	for _, e := range run {
		if e.Assign != nil {
			identities[e.Process] = int(e.Assign["uid"].(int64))
		}
	}
	for p := range 4 {
		all = append(all, &programs.Candidate{
			Network: n, Number: p, Identity: identities[p], Right: (p + 1) % 4, Bug: bug,
		})
	}
	return all
}

func commit(n *programs.Network, run []conform.Event, bug programs.Bug) []programs.Process {
	can := map[any]bool{1: true, 2: true}
	for _, e := range run {
		if e.Do == "send" && e.Message == "Vote" {
			can[e.Process] = e.Args[0].(bool)
		}
	}
	if n.Random != nil {
		can[2] = n.Random.IntN(2) == 0
	}
	return []programs.Process{&programs.Coordinator{Network: n, Participants: 2, Bug: bug},
		&programs.Participant{Network: n, Number: 1, Can: can[1], Bug: bug},
		&programs.Participant{Network: n, Number: 2, Can: can[2], Bug: bug}}
}

func raft(n *programs.Network, _ []conform.Event, bug programs.Bug) (all []programs.Process) {
	for p := range 3 {
		all = append(all, programs.NewServer(n, p, 3, 2, bug))
	}
	return all
}

func (p *program) load(t *testing.T) *ringcheck.System {
	sys, err := ringcheck.Load(p.spec, p.settings)
	if err != nil {
		t.Fatal(err)
	}
	return sys
}

// run starts the program before a monitor, lets drive do what happens to it, and returns what the monitor says.
func (p *program) run(t *testing.T, sys *ringcheck.System, run []conform.Event, bug programs.Bug, random *rand.Rand,
	drive func(n *programs.Network) error) error {
	t.Helper()
	monitor, err := conform.New(sys, "send", "recv", "event", "crash", "recover")
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		n := &programs.Network{Log: slog.New(monitor.Handler(slog.DiscardHandler, nil)), Port: p.port, Random: random}
		n.Start(p.processes(n, run, bug)...)
		synctest.Wait()
		err = drive(n)
		synctest.Wait()
		n.Stop()
	})
	if wrong := monitor.Err(); wrong != nil {
		return wrong
	}
	return err
}

// freely runs the program with random delays.
func (p *program) freely(t *testing.T, sys *ringcheck.System, bug programs.Bug, seed uint64) error {
	random := rand.New(rand.NewPCG(seed, 0))
	pause := func() { time.Sleep(time.Duration(random.IntN(150)) * time.Millisecond) }
	return p.run(t, sys, nil, bug, rand.New(rand.NewPCG(seed, 1)), func(n *programs.Network) error {
		for i := range 4 {
			pause()
			n.Timeout(random.IntN(n.Size()))
			if i == 1 && p.crashes {
				process := random.IntN(n.Size())
				n.Crash(process)
				pause()
				n.Recover(process)
			}
		}
		time.Sleep(time.Second)
		return nil
	})
}

// repeat drives the program through a generated run: it delivers the messages that are received there, in that order.
func (p *program) repeat(t *testing.T, sys *ringcheck.System, run []conform.Event, bug programs.Bug) error {
	return p.run(t, sys, run, bug, nil, func(n *programs.Network) error {
		for _, e := range run {
			process, _ := e.Process.(int)
			switch {
			case e.Do == "crash":
				n.Crash(process)
			case e.Do == "recover":
				n.Recover(process)
			case e.Do == "event" && e.Name == "timeout":
				n.Timeout(process)
			case e.Do == "recv":
				if !n.Deliver(func(m programs.Message) bool {
					return m.To == process && m.Name == e.Message && fmt.Sprint(m.Args) == fmt.Sprint(e.Args) &&
						fmt.Sprint(n.Name(m.To, m.From)) == fmt.Sprint(e.From)
				}) {
					return fmt.Errorf("it has not sent what is to be received: %s", e)
				}
			}
			synctest.Wait()
		}
		return nil
	})
}

// tests returns runs that cover the actions of the spec.
func (p *program) tests(t *testing.T, sys *ringcheck.System) [][]conform.Event {
	opt := conform.TestOptions{Cover: conform.Actions, Undetermined: true}
	tests, err := conform.NewTests(t.Context(), sys, opt, reduce.Search{})
	if err != nil || tests.Err() != nil {
		t.Fatal(err, tests.Err())
	}
	var runs [][]conform.Event
	if err := tests.Generate(t.Context(), func(run []conform.Event) error {
		runs = append(runs, run)
		return nil
	}); err != nil || tests.Err() != nil {
		t.Fatal(err, tests.Err())
	}
	return runs
}

// TestPrograms runs programs, freely and through generated tests: first without mistakes, then with them. The first
// wrong action is blamed.
func TestPrograms(t *testing.T) {
	for name, p := range judged {
		t.Run(name, func(t *testing.T) {
			sys := p.load(t)
			tests := p.tests(t, sys)
			if err := p.noticed(t, sys, tests, ""); err != nil {
				t.Fatal(err)
			}
			p.blame(t, name, sys, tests)
		})
	}
}

// blame checks what is said of each bug.
func (p program) blame(t *testing.T, name string, sys *ringcheck.System, tests [][]conform.Event) {
	for _, test := range []struct {
		program string
		bug     programs.Bug
		blamed  string // what matches the event
	}{
		{"ring", programs.PassesAll, `"do":"send"`},
		{"ring", programs.SendsOwn, `"do":"send"`},
		{"ring", programs.LeadsEarly, `"name":"leader"`},
		{"ring", programs.PassesOwn, `"do":"send"`},
		{"commit", programs.CommitsEarly, `"p":0,"do":"send".*"Commit"`},
		{"commit", programs.IgnoresNo, `"p":[12],"do":"recv".*"Abort"`},
		{"commit", programs.TellsOne, `"p":2,"do":"recv".*"Commit"`},
		{"commit", programs.VotesLate, `"name":"aborted"`},
		{"commit", programs.Disobeys, `"name":"committed"`},
		{"raft", programs.VotesAgain, `"do":"recv".*"RequestVote"`},
		{"raft", programs.ForgetsVote, `"do":"recv".*"RequestVote"`},
		{"raft", programs.CountsOld, `"do":"recv".*"Vote"`},
		{"raft", programs.NeedsHalf, `"name":"leader"`},
		{"raft", programs.KeepsTerm, `"do":"send".*"Vote"`},
		{"raft", programs.IgnoresLater, `"do":"send".*"Heartbeat"`},
	} {
		if test.program != name {
			continue
		}
		err := p.noticed(t, sys, tests, test.bug)
		first := regexp.MustCompile(`^(event [0-9]+(,| is not explained:)|it has not sent what is to be received:) {.*` +
			test.blamed)
		switch {
		case err == nil:
			t.Errorf("nothing shows that a process %s", test.bug)
		case !first.MatchString(err.Error()):
			t.Errorf("a process %s: %v\nwant %s", test.bug, err, test.blamed)
		}
	}
}

// noticed returns what shows first that the program has a bug.
func (p program) noticed(t *testing.T, sys *ringcheck.System, tests [][]conform.Event, bug programs.Bug) error {
	for _, run := range tests {
		if err := p.repeat(t, sys, run, bug); err != nil {
			return err
		}
	}
	for seed := range uint64(20) {
		if err := p.freely(t, sys, bug, seed); err != nil {
			return err
		}
	}
	return nil
}
