package view

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/internal/test/systemtest"
	"ringcheck/model"
	"ringcheck/model/language/compile"
)

// TestIdenticalMessages: the oldest of identical messages is received, and overtakes none of them.
func TestIdenticalMessages(t *testing.T) {
	trace := relayed(t)
	if m := trace.Message(1); m.Received != 9 || len(m.Overtakes) != 0 {
		t.Errorf("the first of two identical messages is received in step %d, overtaking %v", m.Received, m.Overtakes)
	}
	if m := trace.Message(2); m.Received != 0 || m.Sent != 2 {
		t.Errorf("the second message is %+v", m)
	}
	if m := trace.Message(4); !slices.Equal(m.Overtakes, []int{1, 2}) {
		t.Errorf("the third message overtakes %v, want 1 and 2", m.Overtakes)
	}
}

// TestExpired: a message to a process that has stopped is lost with a tick; of two equal ones, the older.
func TestExpired(t *testing.T) {
	sys := fromText(t, `protocol late
topology directed ring of 2
channel unordered, delay 1..1
timer t: 0..1
message A
process p = if p = 0 then Twice else stop
Twice = let t = 1; send right A; Again
Again = when t = 0: send right A; stop`, "")
	trace := newTrace(t, sys, along(t, sys, "send(0,right,A)", "tick", "send(0,right,A)", "tick", "tick"))
	var got [][]int
	for _, s := range trace.Steps {
		got = append(got, slices.Concat(s.Channels...))
	}
	if want := [][]int{nil, {1}, {1}, {1, 2}, {2}, nil}; !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("messages under way: %v, want %v", got, want)
	}
}

// TestAge: of two messages with the same text, the one with the age in the step is received.
func TestAge(t *testing.T) {
	sys := fromText(t, `protocol ages
topology directed ring of 2
channel unordered, delay 0..2
timer t: 0..1
message A
process p = if p = 0 then Twice else Take
Twice = let t = 1; send right A; Again
Again = when t = 0: send right A; stop
Take = recv left A; stop`, "")
	run := along(t, sys, "send(0,right,A)", "tick", "send(0,right,A)")
	var received []int
	for _, m := range systemtest.Moves(t, sys, run[len(run)-1].State) {
		if sys.Label(m.Step.Label).Text == "recv(1,left,A)" {
			trace := newTrace(t, sys, append(slices.Clone(run), m))
			received = append(received, trace.Steps[4].Message)
			if left := slices.Concat(trace.Steps[4].Channels...); len(left) != 1 ||
				left[0] == received[len(received)-1] {
				t.Errorf("left is %v", left)
			}
		}
	}
	if slices.Sort(received); !slices.Equal(received, []int{1, 2}) {
		t.Errorf("received are %v", received)
	}
}

// TestSlowMessage: in both runs of the paper one message is so slow that a later round overtakes it.
func TestSlowMessage(t *testing.T) {
	for name, trace := range map[string]*Trace{"no bits": noBits(t), "modulo 2": modulo2(t)} {
		overtaken := 0
		for _, m := range trace.Messages {
			overtaken += len(m.OvertakenBy)
			if m.Received == 0 {
				t.Errorf("%s: %s is never received", name, m.Text)
			}
		}
		if overtaken == 0 {
			t.Errorf("%s: nothing is overtaken", name)
		}
		last := trace.Steps[trace.Length()]
		for p, s := range last.Processes {
			if s.Name != "P" || s.Role.Name != "passive" {
				t.Errorf("%s: at the end process %d is %s, %s", name, p, s, s.Role)
			}
		}
	}
}

// TestRoles: the elected process has the role of the leader before, at and after the event.
func TestRoles(t *testing.T) {
	trace := won(t)
	var roles []string
	for _, s := range trace.Steps {
		r := s.Processes[0].Role.Name + " " + s.Processes[0].Role.Colour
		if len(roles) == 0 || roles[len(roles)-1] != r {
			roles = append(roles, r)
		}
	}
	if want := []string{"active blue", "leader amber"}; !slices.Equal(roles, want) {
		t.Errorf("the leader's roles are %v, want %v", roles, want)
	}
	if r := trace.Steps[trace.Length()].Processes[1].Role; r.Name != "passive" || r.Colour != "grey" {
		t.Errorf("the loser's role is %v", r)
	}
}

// TestUndeclaredRoles: no process has a role that the spec does not declare, whatever events there are.
func TestUndeclaredRoles(t *testing.T) {
	const behaviour = `protocol p
topology directed ring of 3
channel fifo
message M
event leader
process p = if p = 0 then Wins else if p = 1 then Loses else Waits
Wins = leader; Reigns
Reigns = stop
Loses = stop
Waits = recv left M; Wins
`
	for text, want := range map[string][]Role{
		"": {noRole, noRole, noRole},
		"role boss = p at Wins \"the boss\" green\nrole poor = p at Loses\n": {{"boss", "the boss", "green"},
			{"poor", "poor", "blue"}, noRole},
	} {
		sys := spectest.Compile(t, spectest.Instantiate(t, behaviour+text, nil))
		d := NewDescriber(sys)
		sys.Initial(func(state []model.Value) bool {
			for p, local := range d.Processes(state) {
				if local.Role != want[p] {
					t.Errorf("%s: process %d, at %s, is %v, want %v", text, p, local, local.Role, want[p])
				}
			}
			return false
		})
	}
}

// TestChanges: a step lists values that are new, different and gone.
func TestChanges(t *testing.T) {
	before := []Process{{Name: "A", Vars: []Var{{Name: "x", Text: "1"}, {Name: "y", Text: "2"}}}, {Name: "B"}}
	after := []Process{{Name: "C", Vars: []Var{{Name: "y", Text: "3"}, {Name: "z", Text: "4"}}}, {Name: "B"}}
	want := []Change{{0, "", "A", "C"}, {0, "y", "2", "3"}, {0, "z", "", "4"}, {0, "x", "1", ""}}
	if got := changes(before, after); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestNotARun: sequences that are not runs are refused.
func TestNotARun(t *testing.T) {
	sys := compiled(t, "franklin", "n=2 k=2")
	run := along(t, sys, "send(0,right,M(1,1,true))", "send(0,left,M(1,1,true))",
		"send(1,right,M(2,1,true))", "send(1,left,M(2,1,true))", "recv(1,left,M(1,1,true))")
	for name, c := range map[string]struct {
		run  []explore.Move
		want string
	}{
		"empty":         {nil, "no state"},
		"short state":   {[]explore.Move{{State: run[0].State[1:]}}, "a state has 6 slots, this one has 5"},
		"missing step":  {[]explore.Move{run[0], run[2]}, "step 1: there is no step send(0,left,M(1,1,true))"},
		"wrong receive": {[]explore.Move{run[0], run[5]}, "step 1: there is no step recv(1,left,M(1,1,true))"},
	} {
		if _, err := New(sys, c.run); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

// TestQueue: in a queue the head is received, and nothing overtakes.
func TestQueue(t *testing.T) {
	sys := fromText(t, relay, "n=3 channel=fifo")
	trace := newTrace(t, sys, along(t, sys, "send(0,2,M({0}))", "send(0,2,M({0}))", "skip(0)", "send(0,1,M({}))",
		"send(0,2,M({0,1}))", "recv(2,0,M({0}))", "done({0})", "recv(2,0,M({0}))"))
	for serial, received := range []int{6, 8, 0, 0} {
		if m := trace.Message(serial + 1); m.Received != received || m.Overtakes != nil {
			t.Errorf("message %d is received in step %d, want %d; overtakes %v", m.Serial, m.Received, received,
				m.Overtakes)
		}
	}
}

// randomTraces yields traces of random runs of several protocols.
func randomTraces(t *testing.T, visit func(t *testing.T, sys *compile.System, trace *Trace)) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, spec := range []struct{ name, settings string }{
		{"franklin", "n=2 k=2 bits=false"},
		{"franklin", "n=4 k=3 announce=true"},
		{"franklin", "n=3 k=3 channel=fifo"},
		{"dkr", "n=5 k=3"},
		{"chang-roberts", "n=6"},
		{"itai-rodeh", "n=4"},
		{"hirschberg-sinclair", "n=5"},
	} {
		t.Run(spec.name+" "+spec.settings, func(t *testing.T) {
			sys := compiled(t, spec.name, spec.settings)
			for range 10 {
				visit(t, sys, newTrace(t, sys, randomRun(t, sys, rng)))
			}
		})
	}
}

// TestOvertaking compares the messages overtaken with the definition: sent earlier on the same link, and
// received later or not at all.
func TestOvertaking(t *testing.T) {
	randomTraces(t, func(t *testing.T, _ *compile.System, trace *Trace) {
		for i := range trace.Messages {
			m := &trace.Messages[i]
			var want []int
			for j := range i {
				if o := &trace.Messages[j]; o.Link == m.Link && later(o, m) {
					want = append(want, o.Serial)
				}
			}
			if !slices.Equal(m.Overtakes, want) {
				t.Fatalf("%s overtakes %v, want %v", trace.story(m), m.Overtakes, want)
			}
		}
	})
}

// later reports whether m is received while o is in transit.
func later(o, m *Message) bool {
	return m.Received > 0 && (o.Received == 0 || o.Received > m.Received)
}

// TestFormatsTakeAnyRun: every format writes every run, and the same each time.
func TestFormatsTakeAnyRun(t *testing.T) {
	randomTraces(t, func(t *testing.T, _ *compile.System, trace *Trace) {
		for _, f := range Formats() {
			if a, b := written(t, trace, f.Name), written(t, trace, f.Name); len(a) == 0 || string(a) != string(b) {
				t.Fatalf("%s: %d bytes, then %d", f.Name, len(a), len(b))
			}
		}
	})
}

func TestLookup(t *testing.T) {
	if _, err := Lookup("png"); err == nil ||
		err.Error() != `there is no format "png"; there are text, msc, mermaid, plantuml, svg, pdf, html, json` {
		t.Errorf("got %v", err)
	}
}

// TestEndings checks that each format has endings of its own.
func TestEndings(t *testing.T) {
	owners := make(map[string]string)
	for _, f := range Formats() {
		if len(f.Endings) == 0 {
			t.Errorf("%s has no ending", f.Name)
		}
		for _, e := range f.Endings {
			if owners[e] != "" || !strings.HasPrefix(e, ".") || ByEnding(e) != f.Name {
				t.Errorf("%s: ending %q, of %q, found %q", f.Name, e, owners[e], ByEnding(e))
			}
			owners[e] = f.Name
		}
	}
	if got := ByEnding(".png"); got != "" {
		t.Errorf(".png is of %s", got)
	}
}

// TestWriteErrors: every format returns the errors of its writer.
func TestWriteErrors(t *testing.T) {
	trace := relayed(t)
	for _, f := range Formats() {
		if err := f.Write(trace, fullDisk{}); !errors.Is(err, errFull) {
			t.Errorf("%s: got %v", f.Name, err)
		}
	}
}

type fullDisk struct{}

var errFull = errors.New("no space left")

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

// TestKinds: processes of several kinds are named by their kind.
func TestKinds(t *testing.T) {
	sys := fromText(t, `protocol votes
topology star of 3
channel fifo
message Ask, Vote
process coordinator = send 2 Ask; recv 2 Vote; stop
process worker[p in 1..2] = recv coordinator Ask; send coordinator Vote; stop
`, "")
	trace := newTrace(t, sys, along(t, sys, "send(0,2,Ask)", "recv(2,0,Ask)"))
	if got, want := trace.Steps[2].Text, "worker 2 receives Ask from coordinator"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	got, want := trace.sentence(&Step{Kind: "loss", Message: 1}), "Ask on its way from coordinator to worker 2 is lost"
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for format, want := range map[string]string{"svg": ">coordinator</text>", "mermaid": "participant p2 as worker 2",
		"json": `"names":["coordinator","worker 1","worker 2"]`} {
		if got := string(written(t, trace, format)); !strings.Contains(got, want) {
			t.Errorf("%s: no %q", format, want)
		}
	}
}
