package export

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/filetest"
	"ringcheck/internal/test/spectest"
	"ringcheck/internal/test/testlevel"
	"ringcheck/model/language/channel"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/property"
	"ringcheck/verify"
)

func instantiate(t *testing.T, name string, settings map[string]string) *ir.Protocol {
	t.Helper()
	return spectest.Instantiate(t, spectest.Source(t, name), settings)
}

// SPIN compiles a program for each model, which takes seconds.

type setting struct {
	spec     string
	settings map[string]string
}

var small = []setting{
	{"franklin", map[string]string{"n": "2"}},
	{"chang-roberts", map[string]string{"n": "4", "ids": "ascending"}},
	{"franklin", map[string]string{"n": "3"}},
	{"franklin", map[string]string{"n": "3", "order": "left", "channel": "fifo"}},
	{"franklin", map[string]string{"n": "2", "bits": "false", "k": "3"}},
	{"franklin", map[string]string{"n": "3", "announce": "true", "fresh": "clash"}},
	{"dkr", map[string]string{"n": "3"}},
	{"itai-rodeh", map[string]string{"n": "3"}},
	{"hirschberg-sinclair", map[string]string{"n": "3", "ids": "ascending"}},
}

// SPIN, if installed, must count the same states and transitions.
func TestSPIN(t *testing.T) {
	spin, err := exec.LookPath("spin")
	if err != nil {
		t.Skip("SPIN is not installed")
	}
	if testing.Short() {
		t.Skip("compiling what SPIN generates takes seconds each time")
	}
	settings, examples, channels := small[:1], shared[:0], []string{}
	if testlevel.Gate() {
		settings, examples, channels = small, shared[:3], channel.Buffers()
	}
	for _, test := range settings {
		compare(t, spin, fmt.Sprint(test.spec, test.settings), instantiate(t, test.spec, test.settings))
	}
	for c := range spectest.FaultyChannels() {
		if p := spectest.Instantiate(t, c.Text, nil); c.Fault == "" && (p.Channel.Ordered() || testlevel.Gate()) {
			compare(t, spin, c.String(), p)
		}
	}
	for _, word := range channels {
		compare(t, spin, "variety "+word, varied(t, word))
		compare(t, spin, "mailboxes "+word, mailboxesOf(t, word))
	}
	for i, word := range channel.Buffers() {
		for j, drops := range []string{"", ", dropping"} {
			if testlevel.Gate() || i+j == 1 {
				p := spectest.Instantiate(t, fmt.Sprintf(capacious, word, drops), nil)
				compare(t, spin, "capacity "+word+drops, p)
			}
		}
	}
	for _, name := range examples {
		compare(t, spin, name, example(t, name, "n=3"))
	}
	if testlevel.Gate() {
		compare(t, spin, "unread", spectest.Instantiate(t, unread, nil))
		compare(t, spin, "16,807 initial states", example(t, "dijkstra", "n=5 k=7"))
	}
	compare(t, spin, "combinations", spectest.Instantiate(t, combinations, nil))
	compare(t, spin, "conditional", spectest.Instantiate(t, conditional, nil))
	compare(t, spin, "sizes", spectest.Instantiate(t, sizes, nil))
	compare(t, spin, "mailboxes", mailboxesOf(t, "unordered"))
	compare(t, spin, "loops", spectest.Instantiate(t, loops, nil))
	compare(t, spin, "arrays", spectest.Instantiate(t, arrays, nil))
	if testlevel.Gate() {
		compare(t, spin, "loops of three", spectest.Instantiate(t, loops, map[string]string{"n": "3"}))
		compare(t, spin, "echo", example(t, "echo", ""))
		compare(t, spin, "buffer", example(t, "buffer", ""))
	}
}

// Arrays of numbers that do not begin with 0, of booleans and of sets.
const arrays = `protocol arrays
topology directed ring of 2
channel fifo of 1
message M(v: -1..2, w: bool)
var i, j: 3..5
var v: -1..2
var w: bool
register a: array 3..5 of -1..2 = all(0)
register b: array 0..1 of bool = all(false)
register c: array 0..1 of set of 0..1 = all({})
process p = A(3)
A(i) =
    a := a with [i] = (a[i] + 1) mod 4 - 1; (if i < 5 then A(i + 1) else send right M(a[5], b[0]); B)
  | send right M(a[3], b[1]); B
B = recv left M(v, w); b := (b with [0] = w) with [1] = (not b[1]); C(v)
C(v) = c := c with [if v = 2 then 1 else 0] = c[0] union {1}; if 1 in c[1] or b[1] then D(v) else A(4)
D(v) = when left.a[4] > 0: a := all(v mod 3); stop
`

// Loops over processes, a set and ranges, one within another, at the beginning and after a receive.
const loops = `protocol loops
param n: 2..3 = 2
topology complete graph of n
channel fifo of 1
message M(v: 0..2)
var i, j: 0..2
var q: node
var s: set of 0..2
register r: 0..2 = 0
process p = A({0, 2} union {p}, p)
A(s, j) = for q in node where q != self: send q M(j); B(s)
B(s) =
    for i in s where i != 1 or r > 0: (r := i | recv _ M(j); skip);
    for i in 0..1: (for j in i..r where j > i: r := j);
    recv q M(j) then r := j; for i in r..2: r := 2 - i; stop
`

// Examples with registers, with a message that is in a channel from the start, and with the least element of a set.
var shared = []string{"dijkstra", "dining-philosophers", "token-ring", "le-lann"}

// example returns an instance of one of the examples.
func example(t *testing.T, name, settings string) *ir.Protocol {
	t.Helper()
	text := filetest.Read(t, filepath.Join("..", "..", "..", "examples", name+".ring"))
	return withoutGhosts(t, string(text), spectest.Settings(settings))
}

// Messages in channels from the start, a register that is named by an expression, and a definition.
const mailboxes = `protocol mailboxes
param n: 2..3 = 3
topology complete graph of n
channel %s
register turn: 0..n-1
var q, x: 0..n-1
message Hello(x: 0..n-1)
initially Hello(1), Hello(1), Hello(2) in inbox(0, 1)
initially Hello(0) in inbox(1, 2)
define after(y: 0..2 * n) = (y + 1) mod n
process p = Wait
Wait = recv q Hello(x); if q.turn = x then Take(q, x) else Wait
Take(q, x) = turn := after(q.turn + x); if max({x, turn}) > 1 then send q Hello(turn); stop else Wait
`

// Initial states that are a product, with several values of an assignment for a local state, and with messages.
const combinations = `protocol combinations
topology undirected ring of 3
channel fifo
message M(x: 0..2)
register x: 0..2
var a: 0..1
assign b: 0..3
initially M(1), M(2) in inbox(p, left) for p in node where p > 0
process p = if b[p] = 0 then stop else A(b[p] mod 2)
A(a) = when left.x != x or a = 1: x := left.x; recv left M(right.x); stop
`

// A conditional expression in a message that is put before others.
const conditional = `protocol conditional
topology undirected ring of 2
channel lifo
message M(a: 0..2)
register x: 0..2
var a: 0..2
process p = if p = 0 then A else B
A = send right M(if right.x = 1 then x else 0); send right M(if right.x > x then 1 else right.x); stop
B = recv left M(a); x := a; B
`

// Sizes of sets whose elements do not begin at 0.
const sizes = `protocol sizes
topology line of 2
channel fifo of 1
type Item = -1..2
message M(s: set of Item)
var s, t: set of Item
var i: Item
process p = if p = 0 then Pick({}) else Count({})
Pick(s) = when size(s) < 3: choose i; when not i in s: skip; Pick(s union {i})
        | when size(s) >= 2: send right M(s); Pick({})
Count(s) = recv left M(t) where size(t minus s) + size(s) < 4; Count(s union t)
         | when size(s) > 2: skip; Count({2})
`

// Channels with a capacity that are full in some states.
const capacious = `protocol capacious
topology directed ring of 3
channel %s of 2%s
message M(v: 1..2)
var v: 1..2
initially M(1) in inbox(p, left) for p in node
process p = Send
Send = draw v; send right M(v); Send | recv left M(v) where v < 2 or self = 1; Hold(v)
Hold(v) = send right M(v); Send | send right M(1); send right M(2); stop
`

// TestRefusedCapacity: what SPIN and mCRL2 cannot express of capacities is refused, with the place.
func TestRefusedCapacity(t *testing.T) {
	const mixed = "protocol mixed\ntopology line of 2\nchannel fifo of 1\nvar b: bool\nmessage M\nevent e\n" +
		"process p = if p = 0 then A else stop\nA = draw b; if b then send right M; A else e; A\n"
	for _, test := range []struct {
		write func(context.Context, io.Writer, *ir.Protocol) error
		spec  string
		want  string
	}{
		{MCRL2, mixed, "test.ring:3:17: channels with a capacity are not supported in mCRL2"},
		{Promela, mixed, "promela: test.ring:8:1: a draw that decides whether to send, or where to, cannot " +
			"be exported with a capacity of channels"},
		{Promela, strings.Replace(mixed, "of 1", "of 256", 1),
			"promela: test.ring:3:17: there is no Promela for channels with room for more than 255 messages"},
		{Promela, strings.Replace(mixed, "of 1", "of 1, dropping", 1), ""},
	} {
		err := test.write(t.Context(), io.Discard, spectest.Instantiate(t, test.spec, nil))
		if err == nil && test.want != "" || err != nil && err.Error() != test.want {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
}

// mailboxesOf returns an instance of mailboxes with channels of a discipline.
func mailboxesOf(t *testing.T, word string) *ir.Protocol {
	return spectest.Instantiate(t, fmt.Sprintf(mailboxes, word), nil)
}

// varied returns an instance of variety with channels of a discipline.
func varied(t *testing.T, word string) *ir.Protocol {
	return spectest.Instantiate(t, fmt.Sprintf(variety, strings.Join(channel.Buffers(), " | ")),
		map[string]string{"channel": word})
}

// expected adds the state before the initial ones to the counts, if the model has one.
func expected(p *ir.Protocol, r *explore.Result) (states, transitions uint64) {
	if initial := r.Levels[0]; initial > 1 || len(p.Start.Contents) > 0 {
		return r.States + 1, r.Transitions + initial
	}
	return r.States, r.Transitions
}

func compare(t *testing.T, spin, name string, p *ir.Protocol) {
	want := count(t, p)
	want.States, want.Transitions = expected(p, want)
	want.Transitions += want.TerminalStates // in which the idle process takes a step
	states, transitions := runSPIN(t, spin, p)
	if states != want.States || transitions != want.Transitions {
		t.Errorf("%s: %d states and %d transitions, SPIN has %d and %d", name, want.States, want.Transitions, states,
			transitions)
	}
}

func count(t *testing.T, p *ir.Protocol) *explore.Result {
	sys := spectest.Compile(t, p)
	r, err := explore.Run(t.Context(), sys, explore.Options{})
	if err != nil || !r.Complete() {
		t.Fatalf("stopped: %v, error %v", r.Stop, err)
	}
	return r
}

// A pan is a verifier that SPIN generates, in a folder.
type pan struct {
	t   *testing.T
	dir string
}

func (v *pan) run(command ...string) []byte {
	cmd := exec.CommandContext(v.t.Context(), command[0], command[1:]...)
	cmd.Dir = v.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		v.t.Fatalf("%v: %v\n%s", command, err, out)
	}
	return out
}

// make generates and compiles the verifier of a protocol with some claims.
func (v *pan) make(spin string, p *ir.Protocol, claims string, options ...string) {
	var model bytes.Buffer
	if err := Promela(v.t.Context(), &model, p); err != nil {
		v.t.Fatal(err)
	}
	v.compile(spin, model.String()+claims, options...)
}

// compile generates and compiles the verifier of a model.
func (v *pan) compile(spin, model string, options ...string) {
	if err := os.WriteFile(filepath.Join(v.dir, "model.pml"), []byte(model), 0o600); err != nil {
		v.t.Fatal(err)
	}
	v.run(append(strings.Fields(spin), "-o2", "-a", "model.pml")...)
	v.run(append([]string{"cc", "-O0", "-w", "-DNOREDUCE", "-DVECTORSZ=8192", "-o", "pan", "pan.c"}, options...)...)
}

// holds reports whether the verifier finds no error.
func (v *pan) holds(options ...string) bool {
	m := regexp.MustCompile(`errors: (\d+)\n`).FindSubmatch(v.run(append([]string{"./pan"}, options...)...))
	if m == nil {
		v.t.Fatal("SPIN does not say how many errors there are")
	}
	return string(m[1]) == "0"
}

// runSPIN returns the counts of SPIN. The stored and the matched states are the transitions and the initial state.
func runSPIN(t *testing.T, spin string, p *ir.Protocol) (states, transitions uint64) {
	v := pan{t: t, dir: t.TempDir()}
	v.make(spin, p, "", "-DNOCLAIM")
	return v.count()
}

// count runs the verifier and returns its counts.
func (v *pan) count() (states, transitions uint64) {
	out := v.run("./pan", "-m1000000", "-c0")
	if !regexp.MustCompile(`errors: 0\n`).Match(out) {
		v.t.Fatalf("SPIN reports an error:\n%s", out)
	}
	number := func(what string) uint64 {
		m := regexp.MustCompile(`(\d+) ` + what).FindSubmatch(out)
		if m == nil {
			v.t.Fatalf("no number of %s in\n%s", what, out)
		}
		n, _ := strconv.ParseUint(string(m[1]), 10, 64)
		return n
	}
	return number("states, stored"), number(`transitions \(= stored\+matched\)`) - 1
}

// A protocol with a variable that no condition, message or event reads. SPIN forgets it unless it is told not to (-o2).
const unread = `protocol unread
topology directed ring of 2
channel fifo
var y, z: 0..1
process p = E(0)
E(z) = let y = z; draw z; skip; E(z)
`

// A protocol with events with values, skips, draws from a set, and several initial states.
const variety = `protocol variety
param n: 2..3 = 2
topology complete graph of n
channel %s = unordered
assign uid: permutation of 1..n
var id, x: 1..n
var s: set of 1..n
var q: 0..n-1
var loud: bool
message Hello(id: 1..n, loud: bool if channel = fifo)
event done(x: 1..n, large: bool)
process p = Start(p, uid[p], {1, n})
Start(q, id, s) = draw x in s; skip; Chosen(q, id, s minus {x}, x)
Chosen(q, id, s, x) = send ((q + 1) mod n) Hello(x, x > 1); Wait(id, s)
Wait(id, s) = recv _ Hello(x, loud); if x in s and x != id or loud then done(x, x * 2 > n + 1); stop else stop
`

func TestErrors(t *testing.T) {
	p := spectest.Instantiate(t, "protocol long\nparam n: 2..9 = 2\ntopology directed ring of n\nchannel fifo\n"+
		"var x: nat\nmessage M(x: nat)\nprocess p = A(0)\nA(x) = send right M(x); recv left M(x); A(x + 1)\n", nil)
	for _, f := range Formats() {
		if err := f.Write(t.Context(), &strings.Builder{}, p); err == nil {
			t.Errorf("%s: messages without bound are exported", f.Name)
		}
	}
	p = spectest.Instantiate(t, "protocol part\ntopology directed ring of 2\nchannel fifo\nvar x: 1..3\n"+
		"process p = A(1)\nA(x) = if exists y in 1..3: y = x then skip; A(2) else stop\n", nil)
	for _, f := range Formats() {
		err := f.Write(t.Context(), &strings.Builder{}, p)
		if err == nil || !strings.HasSuffix(err.Error(), " for a quantifier in a process") {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
	p.Channel = channel.Discipline{Keyword: "least", Entry: channel.Sorted, First: true}
	for _, f := range Formats() {
		err := f.Write(t.Context(), &strings.Builder{}, p)
		if err == nil || err.Error() != "channel least cannot be exported" {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
}

// TestFaultyChannels checks that every fault of messages is refused by its name, with every discipline of channels.
func TestFaultyChannels(t *testing.T) {
	for c := range spectest.FaultyChannels() {
		if c.Fault == "" {
			continue
		}
		for _, f := range Formats() {
			err := f.Write(t.Context(), &strings.Builder{}, spectest.Instantiate(t, c.Text, nil))
			want := ": " + c.Kind.String() + " are not supported in "
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, %s: %v, want %s", c, f.Name, err, want)
			}
		}
	}
}

// TestSPINProperties compares the verdicts on exported properties with those of SPIN, if installed.
func TestSPINProperties(t *testing.T) {
	spin, err := exec.LookPath("spin")
	if err != nil {
		t.Skip("SPIN is not installed")
	}
	if !testlevel.Gate() {
		t.Skip("only with RINGCHECK_TEST: compiling what SPIN generates takes seconds each time")
	}
	written := make(map[*property.Kind]map[verify.Outcome]int)
	for _, p := range []*ir.Protocol{spectest.Instantiate(t, decided[1].spec+claims, nil),
		instantiate(t, "franklin", map[string]string{"n": "2"}),
		instantiate(t, "franklin", map[string]string{"n": "2", "bits": "false", "k": "3"}),
		instantiate(t, "franklin", map[string]string{"n": "2", "channel": "fifo"}),
		instantiate(t, "itai-rodeh", map[string]string{"n": "2"}),
		instantiate(t, "chang-roberts", map[string]string{"n": "3"}),
	} {
		for kind, outcomes := range spinAgrees(t, spin, p) {
			for outcome, n := range outcomes {
				if written[kind] == nil {
					written[kind] = map[verify.Outcome]int{}
				}
				written[kind][outcome] += n
			}
		}
	}
	for _, kind := range []*property.Kind{property.Invariant, property.Terminal, property.Reachable, property.LTL} {
		for _, outcome := range []verify.Outcome{verify.Holds, verify.Violated} {
			if written[kind][outcome] == 0 {
				t.Errorf("no property of kind %v that is %v was compared", kind, outcome)
			}
		}
	}
}

// claims are properties of the protocol that ends.
const claims = `
invariant one = (count p in node: p at Have) + (sum p in node: size(inbox(p, left))) + (count p in node: p at Done) = 1
invariant never = not (2 at Idle and 1 at Have)
terminal back = 0 at Done
terminal lost = exists p in node: p != 0 and p at Done
reachable idle = forall p in node: p != 0 => p at Idle
reachable both = 0 at Done and 0 at Sent
recoverable again = 0 at Done
recoverable early = 0 at Have
ltl back_fair = eventually 0 at Done under fair
ltl wanders = always (1 at Idle => eventually not 1 at Idle) under fair
ltl quick = eventually 0 at Done
`

// spinAgrees compares the verdicts on the properties of a protocol, and counts them by kind and verdict.
func spinAgrees(t *testing.T, spin string, p *ir.Protocol) map[*property.Kind]map[verify.Outcome]int {
	t.Helper()
	report, err := verify.Verifier{System: spectest.Compile(t, p)}.Check(t.Context(), p.Properties, explore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	model := pan{t: t, dir: t.TempDir()}
	model.make(spin, p, "", "-DNFAIR=3")
	text := filetest.Read(t, filepath.Join(model.dir, "model.pml"))
	written := make(map[*property.Kind]map[verify.Outcome]int)
	for _, v := range report.Judgments {
		name := v.Property.Name
		var holds bool
		switch {
		case bytes.Contains(text, []byte("#ifdef TERMINAL_"+name+"\n")):
			ends := pan{t: t, dir: t.TempDir()}
			ends.make(spin+" -DTERMINAL_"+name, p, "", "-DNOCLAIM")
			holds = ends.holds("-m1000000")
		case bytes.Contains(text, []byte(" p_"+name+" {")):
			options := []string{"-m1000000", "-N", "p_" + name}
			if v.Property.Kind == property.LTL {
				if options = append(options, "-a"); len(v.Property.Temporal.Fair) > 0 {
					options = append(options, "-f")
				}
			}
			holds = model.holds(options...) != (v.Property.Kind == property.Reachable)
		default:
			continue
		}
		if holds != (v.Outcome == verify.Holds) {
			t.Errorf("%s %v: %s is %v, SPIN says %v", p.Name, p.Params, name, v.Outcome, holds)
		}
		if written[v.Property.Kind] == nil {
			written[v.Property.Kind] = map[verify.Outcome]int{}
		}
		written[v.Property.Kind][v.Outcome]++
	}
	return written
}

// TestSPINCapacity checks that SPIN, if installed, reports an error where a channel exceeds its capacity.
func TestSPINCapacity(t *testing.T) {
	spin, err := exec.LookPath("spin")
	if err != nil {
		t.Skip("SPIN is not installed")
	}
	if !testlevel.Gate() {
		t.Skip("only with RINGCHECK_TEST: compiling what SPIN generates takes seconds each time")
	}
	for channel, capacity := range map[string]int{"fifo": 16, "lifo": 16, "unordered": 255} {
		for _, more := range []int{0, 1} {
			p := spectest.Instantiate(t, fmt.Sprintf("protocol many\ntopology directed ring of 2\nchannel %s\nvar i: "+
				"0..300\nmessage M\n"+
				"process p = if p = 0 then A(%d) else B\nA(i) = if i > 0 then send right M; A(i - 1) else stop\nB = "+
				"stop\n", channel, capacity+more), nil)
			model := pan{t: t, dir: t.TempDir()}
			model.make(spin, p, "", "-DNOCLAIM")
			if fits := model.holds("-m10000"); fits != (more == 0) {
				t.Errorf("%s: %d messages fit: %v", channel, capacity+more, fits)
			}
		}
	}
}

// TestSummands checks that the number of summands does not depend on that of values: mCRL2's parser takes cubic time.
func TestSummands(t *testing.T) {
	summands := func(settings map[string]string) int {
		var b strings.Builder
		if err := MCRL2(t.Context(), &b, instantiate(t, "franklin", settings)); err != nil {
			t.Fatal(err)
		}
		return strings.Count(b.String(), "->")
	}
	small, large := summands(map[string]string{"n": "4", "k": "2"}), summands(map[string]string{"n": "4", "k": "3"})
	if small != large || large > 120 {
		t.Errorf("%d summands of (4,2), %d of (4,3)", small, large)
	}
}

// TestLarge checks that models too large for other tools are refused, however the steps are spread over processes, and
// that a context ends the export.
func TestLarge(t *testing.T) {
	defer func(most int) { maxSteps = most }(maxSteps)
	maxSteps = 2000
	p := instantiate(t, "franklin", map[string]string{"n": "6", "k": "10"})
	var b strings.Builder
	if err := Promela(t.Context(), &b, p); err == nil || !strings.Contains(err.Error(),
		"too many to be written down") || b.Len() > 0 {
		t.Errorf("%v, %d bytes", err, b.Len())
	}
	ended, end := context.WithCancel(t.Context())
	end()
	for _, f := range Formats() {
		if err := f.Write(ended, &b, p); !errors.Is(err, context.Canceled) || b.Len() > 0 {
			t.Errorf("%s: %v, %d bytes", f.Name, err, b.Len())
		}
	}
}

// TestSPINDecides compares verdicts on LTL formulas with those of SPIN, if installed, on all runs and on those that are
// fair to each process.
func TestSPINDecides(t *testing.T) {
	spin, err := exec.LookPath("spin")
	if err != nil {
		t.Skip("SPIN is not installed")
	}
	if !testlevel.Gate() {
		t.Skip("only with RINGCHECK_TEST: compiling what SPIN generates takes seconds each time")
	}
	for _, test := range decided {
		decide(t, spin, test.spec, test.formulas)
	}
}

// A formula is an LTL formula in the language of specs and in that of SPIN.
type formula struct{ ours, theirs string }

// Runs of the first protocol are infinite, those of the second can end.
var decided = []struct {
	spec     string
	formulas []formula
}{
	{`protocol token
topology directed ring of 3
channel fifo
message Token
process p = if p = 0 then Have else Wait
Have = skip; Busy | send right Token; Wait
Busy = send right Token; Wait
Wait = recv left Token; Have | skip; Idle
Idle = skip; Wait
`, []formula{
		{"always eventually 0 at Busy", "[] <> (pc_0 == at_Busy)"},
		{"always eventually (exists p in node: p at Have)",
			"[] <> (pc_0 == at_Have || pc_1 == at_Have || pc_2 == at_Have)"},
		{"1 at Idle leads to 1 at Wait", "[] ((pc_1 == at_Idle) -> <> (pc_1 == at_Wait))"},
		{"eventually 1 at Have", "<> (pc_1 == at_Have)"},
		{"(not 2 at Have) until 1 at Have", "(!(pc_2 == at_Have)) U (pc_1 == at_Have)"},
		{"not 2 at Have unless 1 at Have", "(!(pc_2 == at_Have)) W (pc_1 == at_Have)"},
		{"(1 at Have) releases not (2 at Have)", "(pc_1 == at_Have) V (!(pc_2 == at_Have))"},
		{"eventually always not 0 at Idle", "<> [] (!(pc_0 == at_Idle))"},
		{"always not (0 at Busy and 1 at Busy)", "[] !(pc_0 == at_Busy && pc_1 == at_Busy)"},
	}},
	{`protocol ends
topology directed ring of 3
channel unordered
message Token
process p = if p = 0 then Have else Wait
Have = send right Token; Sent
Sent = recv left Token; Done
Wait = recv left Token; Have | skip; Idle
Idle = skip; Wait
Done = stop
`, []formula{
		{"eventually always 0 at Sent", "<> [] (pc_0 == at_Sent)"}, // violated by runs that end
		{"always eventually 1 at Have", "[] <> (pc_1 == at_Have)"},
		{"eventually 0 at Done", "<> (pc_0 == at_Done)"},
		{"1 at Idle leads to 1 at Wait", "[] ((pc_1 == at_Idle) -> <> (pc_1 == at_Wait))"},
		{"always not 0 at Done", "[] !(pc_0 == at_Done)"},
		{"0 at Done unless 0 at Have", "(pc_0 == at_Done) W (pc_0 == at_Have)"},
	}},
}

// ours writes each formula as two properties: of all runs, and of fair ones.
func ours(formulas []formula) string {
	var b strings.Builder
	for i, f := range formulas {
		fmt.Fprintf(&b, "ltl any%d = %s\nltl fair%d = %s under fair\n", i, f.ours, i, f.ours)
	}
	return b.String()
}

func decide(t *testing.T, spin, src string, formulas []formula) {
	t.Helper()
	var claims strings.Builder
	for i, f := range formulas {
		fmt.Fprintf(&claims, "ltl f%d { %s }\n", i, f.theirs)
	}
	p := spectest.Instantiate(t, src+ours(formulas), nil)
	sys := spectest.Compile(t, p)
	report, err := verify.Verifier{System: sys}.Check(t.Context(), p.Properties, explore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	model := pan{t: t, dir: t.TempDir()}
	model.make(spin, p, claims.String(), "-DNFAIR=3")
	differ := 0
	for i, f := range formulas {
		all := model.holds("-a", "-m100000", "-N", fmt.Sprintf("f%d", i))
		fair := model.holds("-a", "-f", "-m100000", "-N", fmt.Sprintf("f%d", i))
		ours := [2]bool{report.Judgments[2*i].Outcome == verify.Holds, report.Judgments[2*i+1].Outcome == verify.Holds}
		if ours != [2]bool{all, fair} {
			t.Errorf("%s: of all runs and of fair ones %v, SPIN says %v, %v", f.ours, ours, all, fair)
		}
		if all != fair {
			differ++
		}
	}
	if differ == 0 {
		t.Error("fairness changed no verdict, so nothing was tested")
	}
}
