package verify

import (
	"slices"
	"strings"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/filetest"
	"ringcheck/internal/test/spectest"
	"ringcheck/model/language/ir"
)

// decide returns the verdicts on the LTL properties of a spec. Runs that violate one are replayed.
func decide(t *testing.T, src, settings string) map[string]Judgment {
	t.Helper()
	p := spectest.Instantiate(t, src, spectest.Settings(settings))
	sys := spectest.Compile(t, p)
	verdicts := make(map[string]Judgment)
	for _, q := range p.Properties {
		if !q.Kind.OfRuns() {
			continue
		}
		run, r, err := Verifier{System: sys}.Counterexample(t.Context(), []*ir.Property{q}, explore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if run != nil {
			if err := Replay(sys, run); err != nil {
				t.Fatal(err)
			}
		}
		verdicts[q.Name] = r.Judgments[0]
	}
	return verdicts
}

func source(t *testing.T, path string) string {
	t.Helper()
	return string(filetest.Read(t, path))
}

// TestStabilization checks Dijkstra's ring: it stabilizes with n - 1 values (he proves it for n, and leaves n - 1 to
// the reader); with fewer it can cycle with several privileges for ever.
func TestStabilization(t *testing.T) {
	src := strings.ReplaceAll(source(t, "../examples/dijkstra.ring"), " if k >= n - 1", "")
	for n, least := range map[string]string{"3": "2", "4": "3", "5": "4"} {
		for _, k := range []string{"2", "3", "4", "5"} {
			want := Violated
			if k >= least {
				want = Holds
			}
			got := decide(t, src, "n="+n+" k="+k)
			if got["stable"].Outcome != want || got["fair"].Outcome != Holds {
				t.Errorf("n = %s, k = %s: %v, %v; want %v, %v", n, k, got["stable"].Outcome, got["fair"].Outcome, want,
					Holds)
			}
			if l := got["stable"].Lasso; l != nil &&
				(l.Stem != 0 || l.Why[0] != "it is violated even if runs are strongly fair") {
				t.Errorf("n = %s, k = %s: %+v", n, k, l)
			}
		}
	}
}

// TestAlternatingBit checks that the protocol delivers if what can get through again and again does.
func TestAlternatingBit(t *testing.T) {
	got := decide(t, source(t, "testdata/alternating-bit.ring"), "")
	if got["delivered"].Outcome != Violated || got["fairly"].Outcome != Holds {
		t.Errorf("%v, %v", got["delivered"].Outcome, got["fairly"].Outcome)
	}
	const budgets = "fifo, lossy at most losses, duplicating at most duplicates, delay 1..2"
	src := source(t, "../examples/alternating-bit.ring")
	const fair = "\nltl fair = always eventually deliver happens under strongly fair of Data, Ack\n"
	for channel, want := range map[string]Outcome{
		"fifo, lossy, delay 0..2": Holds,
		"fifo, lossy, delay 1..2": Violated, // a message is lost before it can be received
	} {
		got := decide(t, strings.Replace(src, budgets, channel, 1)+fair, "")
		l := got["delivered"].Lasso
		if got["fair"].Outcome != want || l == nil ||
			l.Why[len(l.Why)-1] != "it is violated even if runs are strongly fair" {
			t.Errorf("%s: %v, want %v; %+v", channel, got["fair"].Outcome, want, l)
		}
	}
}

// TestStarvation checks that fairness to processes does not stop one from using the token for ever, and that fairness
// to the actions of the token does.
func TestStarvation(t *testing.T) {
	got := decide(t, source(t, "testdata/token.ring"), "")
	if got["used"].Outcome != Violated || got["often"].Outcome != Violated || got["fairly"].Outcome != Holds {
		t.Errorf("%v, %v, %v", got["used"].Outcome, got["often"].Outcome, got["fairly"].Outcome)
	}
	l := got["used"].Lasso
	if l == nil || !slices.Contains(l.Why, "it is violated even if runs are strongly fair") {
		t.Errorf("unexpected explanation of the lasso: %+v", l)
	}
}

// TestOwnCrash checks that a crash in the text of a process is an action of the process, which runs can be fair to, and
// that a crash by the environment is not.
func TestOwnCrash(t *testing.T) {
	const text = `protocol crashes
topology directed ring of 2
process p = if p = 0 then Loop else Die
Loop = skip; Loop
Die = skip; crash
ltl weakly = eventually 1 crashed under fair
ltl strongly = eventually 1 crashed under strongly fair
ltl named = eventually 1 crashed under fair of Die
ltl alone = eventually 1 crashed under fair of Loop
`
	const faults = `crash at most 1 of p where p = 0 recover Loop
ltl environment = eventually 0 crashed under strongly fair
ltl again = always eventually not 1 crashed under fair
`
	want := map[string]Outcome{"weakly": Holds, "strongly": Holds, "named": Holds, "alone": Violated}
	check := func(src string) {
		t.Helper()
		for name, v := range decide(t, src, "") {
			if v.Outcome != want[name] {
				t.Errorf("%s: %v, want %v", name, v.Outcome, want[name])
			}
		}
	}
	check(text)
	want["environment"], want["again"] = Violated, Violated
	check(text + faults)
	// A process that crashes and recovers again and again is fair by crashing.
	want = map[string]Outcome{"rest": Violated}
	check(`protocol phoenix
topology directed ring of 2
crash at most 0 of p where p = 1 recover Die
process p = if p = 0 then stop else Die
Die = crash
ltl rest = eventually always 1 crashed under strongly fair
`)
}

// TestAnnouncement checks that with probability one every process of Franklin's ring learns that there is a leader,
// whatever the scheduler does, although the processes may draw the same identities for ever.
func TestAnnouncement(t *testing.T) {
	src := spectest.Source(t, "franklin")
	const told = "ltl %s = forall p in node: eventually (leads(p) or p at Nonleader)"
	text := string(src)
	for name, under := range map[string]string{"unfair": "", "fair": " under fair", "strong": " under strongly fair",
		"sure": " under probability one"} {
		text += strings.Replace(told, "%s", name, 1) + under + "\n"
	}
	for _, settings := range []string{"n=2 announce=true", "n=3 announce=true channel=fifo"} {
		got := decide(t, text, settings)
		for name, want := range map[string]Outcome{"unfair": Violated, "fair": Violated, "strong": Violated,
			"sure": Holds} {
			if got[name].Outcome != want {
				t.Errorf("%s: %s: %v, want %v", settings, name, got[name].Outcome, want)
			}
			if l := got[name].Lasso; l != nil && l.Why[len(l.Why)-1] != map[string]string{
				"unfair": "it holds with probability one",
				"fair":   "it holds if runs are fair, with probability one",
				"strong": "it holds if runs are strongly fair, with probability one",
			}[name] {
				t.Errorf("%s: %s: unexpected message %q", settings, name, l.Why)
			}
		}
	}
}

// TestPublishedFormulas checks our protocols for the formulas that others check of the same problems: those of SPIN's
// leader election (leader.pml: Dolev, Klawe and Rodeh) and of the mutual exclusion models of BEEM, with which LTSmin is
// measured.
func TestPublishedFormulas(t *testing.T) {
	const leaders = "(count p in node: p at Leader or p at Reign)"
	election := spectest.Source(t, "chang-roberts")
	for _, c := range []struct {
		name, src, settings, formula string
		want                         Outcome
	}{
		{"<> elected", string(election), "n=3", "eventually leader happens", Holds},
		{"<>[] oneLeader", string(election), "n=3", "eventually always " + leaders + " = 1", Holds},
		{"[] (noLeader U oneLeader)", string(election), "n=3", "always (" + leaders + " = 0 until " + leaders + " = 1)",
			Holds},
		{"! <> moreLeaders", string(election), "n=3", "not eventually " + leaders + " > 1", Holds},
		{"[] noLeader", string(election), "n=3", "always " + leaders + " = 0", Violated},
		{"[] (elected -> []oneLeader)", string(election), "n=3", "always (" + leaders + " > 0 => always " + leaders +
			" = 1)", Holds},
		{"each elected once", string(election), "n=3",
			"forall p in node: always (leader happens at p => next always not leader happens)", Holds},
		{"G !(cs0 && cs1)", source(t, "../examples/ricart-agrawala.ring"), "n=2",
			"always not (0 at Critical and 1 at Critical)", Holds},
		{"G (wait0 -> F cs0)", source(t, "../examples/ricart-agrawala.ring"), "n=2", "0 at Ask leads to 0 at Critical",
			Holds},
		{"GF someone in cs", source(t, "../examples/ricart-agrawala.ring"), "n=2",
			"always eventually (exists p in node: p at Critical)", Violated},
		{"cs0 after cs1", source(t, "../examples/ricart-agrawala.ring"), "n=2",
			"(not enter happens at 0) until enter happens at 1", Violated},
		{"GF token", source(t, "testdata/token.ring"), "", "always eventually (exists p in node: p at Have)", Holds},
		{"GF cs0", source(t, "testdata/token.ring"), "", "always eventually 0 at Busy", Violated},
	} {
		got := decide(t, c.src+"\nltl published = "+c.formula+"\n", c.settings)["published"]
		if got.Outcome != c.want {
			t.Errorf("%s (%s): %v, want %v", c.name, c.formula, got.Outcome, c.want)
		}
	}
}

// TestTooManyActions checks that fairness is not said to be useless where there are too many processes to tell.
func TestTooManyActions(t *testing.T) {
	const src = `protocol spin
param n: 2..100 = 3
topology directed ring of n
process p = if p = 0 then Turn else if p = 1 then Go else stop
Turn = skip; Turn
Go = skip; Done
Done = stop
ltl goes = eventually 1 at Done
`
	for n, want := range map[string][]string{
		"3":  {"process 1 could act all the time and never does", "it holds if runs are fair"},
		"41": {"process 1 could act all the time and never does"},
	} {
		got := decide(t, src, "n="+n)["goes"]
		if got.Outcome != Violated || !slices.Equal(got.Lasso.Why, want) {
			t.Errorf("n = %s: %v, %q", n, got.Outcome, got.Lasso.Why)
		}
	}
}

// TestTogether checks that the verdict on a property does not depend on the others that are checked with it.
func TestTogether(t *testing.T) {
	const src = `protocol together
param n: 1..3 = 3
topology directed ring of n
assign flag: bool
var c: bool
event go(value: bool)
event wait(value: bool)
process p = if flag[p] then Go else Stay
Go = draw c; go(c); stop
Stay = draw c; wait(c); Stay
ltl first = eventually go happens
ltl second = exists p in node: p at Stay
ltl third = eventually go happens under positive probability
`
	p := spectest.Instantiate(t, src, nil)
	together, err := Verifier{System: spectest.Compile(t, p)}.Check(t.Context(), p.Properties, explore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	alone := decide(t, src, "")
	for _, v := range together.Judgments {
		if v.Outcome != alone[v.Property.Name].Outcome || v.Outcome != Violated {
			t.Errorf("%s: %v together with others, %v alone", v.Property.Name, v.Outcome,
				alone[v.Property.Name].Outcome)
		}
	}
}

// TestTick checks formulas about ticks: each of two clocks rings every second tick, together or one after the other.
func TestTick(t *testing.T) {
	const src = `protocol clock
topology directed ring of 2
timer t: 0..2
event ring
process p = Wait
Wait = when t = 0: let t = 2; ring; Wait
ltl goes = always eventually tick happens
ltl pauses = always (tick happens => next not tick happens)
ltl second = always (tick happens => next (tick happens => next not tick happens))
ltl both = (not tick happens) until ring happens at 1
ltl waits = next next tick happens
ltl never = always not tick happens
ltl asleep = always (0.t = 1 => not tick happens)
ltl rings = always (0.t = 0 => not tick happens)
`
	want := map[string]Outcome{"goes": Holds, "pauses": Violated, "second": Holds, "both": Holds, "waits": Holds,
		"never": Violated, "asleep": Violated, "rings": Holds}
	for name, v := range decide(t, src, "") {
		if v.Outcome != want[name] {
			t.Errorf("%s: %v, want %v", name, v.Outcome, want[name])
		}
	}
}

// TestBoundFor checks where processes are bound for: decisions on their own variables and registers count, and loops,
// but not what they read of others, and no choice.
func TestBoundFor(t *testing.T) {
	const src = `protocol bound
param n: 2..5 = 3
topology directed ring of n
channel fifo
message M(h: 1..3)
var h: 1..3
var i: 1..3
register done: bool = false
event go
process p = send right M(1); Wait
Wait = recv left M(h); if h = n then Leader else if done then Other else Pass(h)
Pass(h) = let done = true; send right M(h + 1); Loop
Loop = for i in 1..3 where i > 3: skip; if left.done then Read else Wait
Read = go; Wait
Other = skip; stop | go; stop
Leader = go; stop
Never = skip; Never
reachable leader = exists p in node: p bound for Leader
reachable waiting = exists p in node: p bound for Leader and p.h = 3 and p at Wait
reachable pass = exists p in node: p bound for Pass and p.h = 1
reachable other = exists p in node: p bound for Other
reachable read = exists p in node: p bound for Read and not p at Read
reachable never = exists p in node: p bound for Never
invariant stays = forall p in node: p at Other => p bound for Other
invariant loop = forall p in node: p bound for Loop => p at Loop
`
	want := map[string]Outcome{"leader": Holds, "waiting": Holds, "pass": Holds, "other": Holds, "read": Violated,
		"never": Violated, "stays": Holds, "loop": Holds}
	for name, v := range decide(t, src, "") {
		if v.Outcome != want[name] {
			t.Errorf("%s: %v, want %v", name, v.Outcome, want[name])
		}
	}
}

// TestGreatestInteger checks a property with a domain that ends with the greatest integer.
func TestGreatestInteger(t *testing.T) {
	got := decide(t, `protocol greatest
topology directed ring of 2
var u: nat
event e
process p = A(p)
A(u) = e; A(u)
ltl l = always (forall x in 9223372036854775806..9223372036854775807, p in node: p.u != x or p at A)
ltl k = eventually (exists x in 9223372036854775806..9223372036854775807, p in node: p.u = x)
`, "")
	if got["l"].Outcome != Holds || got["k"].Outcome != Violated {
		t.Errorf("%v, %v", got["l"].Outcome, got["k"].Outcome)
	}
}
