package view

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/filetest"
	"ringcheck/internal/test/spectest"
	"ringcheck/internal/test/systemtest"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/property"
)

// compiled returns a built-in protocol with settings such as "n=3 bits=false".
func compiled(t testing.TB, name, settings string) *compile.System {
	t.Helper()
	return spectest.Compile(t, spectest.Open(t, name, settings))
}

// fromText returns the protocol of a spec.
func fromText(t testing.TB, text, settings string) *compile.System {
	t.Helper()
	return spectest.Compile(t, spectest.Instantiate(t, text, spectest.Settings(settings)))
}

// deadlock returns a shortest run to a state without transitions in which a terminal property is false, or,
// if holds is set, in which it is true.
func deadlock(t testing.TB, sys *compile.System, holds bool) []explore.Move {
	t.Helper()
	i := slices.IndexFunc(sys.Protocol().Properties, func(p *ir.Property) bool { return p.Kind == property.Terminal })
	body := sys.Protocol().Properties[i].Body
	seen := sys.NewView()
	env := sys.Protocol().NewEnv(seen)
	run, err := explore.Path(context.Background(), sys, explore.Options{Workers: 1}, func(_ int, s []model.Value) bool {
		seen.Show(s)
		v, err := body.Eval(env)
		return err == nil && (v != 0) == holds && len(systemtest.Moves(t, sys, s)) == 0
	})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// along returns the run with these labels.
func along(t testing.TB, sys *compile.System, labels ...string) []explore.Move {
	t.Helper()
	run := []explore.Move{{State: initial(t, sys)}}
	for _, l := range labels {
		run = append(run, follow(t, sys, run[len(run)-1].State, l))
	}
	return run
}

// labels returns the labels in a file, one on each line.
func labels(t testing.TB, file string) []string {
	t.Helper()
	text := filetest.Read(t, file)
	var all []string
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") {
			all = append(all, strings.TrimSpace(line))
		}
	}
	return all
}

// follow returns the first move from a state that has a label.
func follow(t testing.TB, sys *compile.System, state []model.Value, label string) explore.Move {
	t.Helper()
	for _, m := range systemtest.Moves(t, sys, state) {
		if sys.Label(m.Step.Label).Text == label {
			return m
		}
	}
	t.Fatalf("%s cannot happen", label)
	return explore.Move{}
}

// initial returns the first initial state.
func initial(t testing.TB, sys *compile.System) []model.Value {
	t.Helper()
	var state []model.Value
	err := sys.Initial(func(s []model.Value) bool {
		state = slices.Clone(s)
		return false
	})
	if err != nil {
		t.Fatal(err)
	}
	return state
}

func newTrace(t testing.TB, sys *compile.System, run []explore.Move) *Trace {
	t.Helper()
	trace, err := New(sys, run)
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

// noBits is the run of Bakhshi et al., Sect. 3: without round bits a message of the last round overtakes.
func noBits(t testing.TB) *Trace {
	t.Helper()
	sys := compiled(t, "franklin", "n=3 k=3 bits=false")
	trace := newTrace(t, sys, deadlock(t, sys, false))
	trace.Caption.Property = "elected"
	trace.Caption.Finding = "violated: every process is passive, and no message is left"
	return trace
}

// modulo2 is the run of Sect. 8: Dolev-Klawe-Rodeh with round numbers modulo 2.
func modulo2(t testing.TB) *Trace {
	t.Helper()
	sys := compiled(t, "dkr", "n=5 k=3")
	trace := newTrace(t, sys, along(t, sys, labels(t, "testdata/modulo-2.run")...))
	trace.Caption.Property = "elected"
	trace.Caption.Finding = "violated: every process is passive, and no message is left"
	return trace
}

// won is a run with a leader, whose other message is still in transit at the end.
func won(t testing.TB) *Trace {
	t.Helper()
	sys := compiled(t, "franklin", "n=2 k=2")
	return newTrace(t, sys, deadlock(t, sys, true))
}

// relay is a protocol on a complete graph, with sets, a skip, and messages with equal texts.
const relay = `
protocol relay
param n: 2..9
topology complete graph of n
channel unordered | fifo = unordered
type Seen = set of 0..n - 1
var seen: Seen
message M(seen: Seen)
event done(seen: Seen)
process p = if p = 0 then Begin else Wait
Begin = send (2) M({0}); send (2) M({0}); skip; send (1) M({}); send (2) M({0, 1}); stop
Wait = recv _ M(seen); done(seen); Wait
`

// relayed is a run of relay in which a message overtakes two with equal texts.
func relayed(t testing.TB) *Trace {
	t.Helper()
	sys := fromText(t, relay, "n=4")
	return newTrace(t, sys, along(t, sys, "send(0,2,M({0}))", "send(0,2,M({0}))", "skip(0)", "send(0,1,M({}))",
		"send(0,2,M({0,1}))", "recv(2,0,M({0,1}))", "recv(1,0,M({}))", "done({0,1})", "recv(2,0,M({0}))"))
}

// randomRun is a run of at most 80 steps, in which all transitions of a state are equally likely.
func randomRun(t testing.TB, sys *compile.System, rng *rand.Rand) []explore.Move {
	t.Helper()
	run := []explore.Move{{State: initial(t, sys)}}
	for range 80 {
		next := systemtest.Moves(t, sys, run[len(run)-1].State)
		if len(next) == 0 {
			break
		}
		run = append(run, next[rng.IntN(len(next))])
	}
	return run
}

// crowded is a run with many variables and messages.
func crowded(t testing.TB) *Trace {
	t.Helper()
	sys := compiled(t, "hirschberg-sinclair", "n=4")
	return newTrace(t, sys, randomRun(t, sys, rand.New(rand.NewPCG(1, 3))))
}

// alone is a run of a process that is its own neighbour.
func alone(t testing.TB) *Trace {
	t.Helper()
	sys := fromText(t, `
protocol alone
topology undirected ring of 1
channel fifo
message Ping
process p = send right Ping; send left Ping; recv left Ping; recv right Ping; stop
`, "")
	return newTrace(t, sys, along(t, sys, "send(0,right,Ping)", "send(0,left,Ping)", "recv(0,left,Ping)",
		"recv(0,right,Ping)"))
}

// forEver is a run of a token that goes round for ever.
func forEver(t testing.TB) *Trace {
	t.Helper()
	sys := fromText(t, `protocol token
param n: 2..5 = 2
topology directed ring of n
channel fifo
message Token
process p = if p = 0 then Have else Wait
Have = send right Token; Wait
Wait = recv left Token; Have
`, "")
	states := 0
	run, err := explore.Path(context.Background(), sys, explore.Options{Workers: 1}, func(_ int, s []model.Value) bool {
		states++
		return states == 4 // the last of a circle of four
	})
	if err != nil {
		t.Fatal(err)
	}
	run = append(run, systemtest.Moves(t, sys, run[len(run)-1].State)[0])
	trace, err := New(sys, run)
	if err != nil {
		t.Fatal(err)
	}
	trace.Lasso = &model.Lasso{Stem: 0, Cycle: 4}
	return trace
}

// troubled is a run with every kind of step of the environment.
func troubled(t testing.TB) *Trace {
	t.Helper()
	sys := fromText(t, `protocol troubled
topology undirected ring of 3
channel unordered, lossy at most 2, duplicating at most 1, delay 0..2
crash at most 1 recover Back
message M
event late
timer t: 0..3
process p = if p = 0 then Begin else Wait
Begin = let t = 2; send right M; send left M; Sleep
Sleep = when t = 0: late; stop
Wait = recv left M; Wait | recv right M; Wait
Back = stop
`, "")
	return newTrace(t, sys, along(t, sys, "send(0,right,M)", "send(0,left,M)", "duplicate(0→1 (right),M)",
		"lose(0→2 (left),M)", "tick",
		"recv(1,left,M)", "crash(1)", "tick", "late"))
}
