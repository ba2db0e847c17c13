package export

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ringcheck/explore"
	"ringcheck/model/language/check"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
	"ringcheck/specs"
)

// parsed returns an instance of the text of a spec.
func parsed(t *testing.T, text string, settings map[string]string) *ir.Protocol {
	t.Helper()
	f, err := syntax.Parse("test.ring", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	spec, err := check.File(f)
	if err != nil {
		t.Fatal(err)
	}
	p, err := spec.Instantiate(settings)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func instantiate(t *testing.T, name string, settings map[string]string) *ir.Protocol {
	t.Helper()
	spec, err := specs.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := spec.Instantiate(settings)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

type setting struct {
	spec     string
	settings map[string]string
}

var small = []setting{
	{"franklin", map[string]string{"n": "2"}},
	{"franklin", map[string]string{"n": "3"}},
	{"franklin", map[string]string{"n": "3", "order": "left", "channel": "fifo"}},
	{"franklin", map[string]string{"n": "2", "bits": "false", "k": "3"}},
	{"franklin", map[string]string{"n": "3", "announce": "true", "fresh": "clash"}},
	{"dkr", map[string]string{"n": "3"}},
	{"itai-rodeh", map[string]string{"n": "3"}},
	{"hirschberg-sinclair", map[string]string{"n": "3", "ids": "ascending"}},
	{"chang-roberts", map[string]string{"n": "4", "ids": "ascending"}},
}

// SPIN, if it is installed, counts the states and transitions that we count.
func TestSPIN(t *testing.T) {
	spin, err := exec.LookPath("spin")
	if err != nil {
		t.Skip("SPIN is not installed")
	}
	if testing.Short() {
		t.Skip("compiling what SPIN generates takes seconds each time")
	}
	for _, test := range small {
		compare(t, spin, fmt.Sprint(test.spec, test.settings), instantiate(t, test.spec, test.settings))
	}
	for _, channel := range []string{"fifo", "unordered"} {
		compare(t, spin, "variety "+channel, parsed(t, variety, map[string]string{"channel": channel}))
	}
	for _, name := range shared[:3] { // compiling takes seconds
		compare(t, spin, name, example(t, name))
	}
	compare(t, spin, "mailboxes", parsed(t, mailboxes, nil))
}

// Examples with registers, with a message that is in a channel from the start, and with the least element of a set.
var shared = []string{"dijkstra", "dining-philosophers", "token-ring", "le-lann"}

// example returns an instance of one of the examples.
func example(t *testing.T, name string) *ir.Protocol {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "examples", name+".ring"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := syntax.Parse(name+".ring", text)
	if err != nil {
		t.Fatal(err)
	}
	spec, err := check.File(f)
	if err != nil {
		t.Fatal(err)
	}
	p, err := spec.WithoutGhosts(map[string]string{"n": "3"})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Messages in unordered channels from the start, and a register that is named by an expression.
const mailboxes = `protocol mailboxes
param n: 2..3 = 3
topology complete graph of n
channel unordered
register turn: 0..n-1
var q, x: 0..n-1
message Hello(x: 0..n-1)
initially Hello(1), Hello(1), Hello(2) in inbox(0, 1)
initially Hello(0) in inbox(1, 2)
process p = Wait
Wait = recv q Hello(x); if q.turn = x then Take(q, x) else Wait
Take(q, x) = turn := (q.turn + x + 1) mod n; if max({x, turn}) > 1 then send q Hello(turn); stop else Wait
`

// expected adds to what we count the state before the initial ones, if the model has one.
func expected(p *ir.Protocol, r *explore.Result) (states, transitions uint64) {
	if initial := r.Levels[0]; initial > 1 || len(p.Start.Contents) > 0 {
		return r.States + 1, r.Transitions + initial
	}
	return r.States, r.Transitions
}

func compare(t *testing.T, spin, name string, p *ir.Protocol) {
	want := count(t, p)
	want.States, want.Transitions = expected(p, want)
	states, transitions := runSPIN(t, spin, p)
	if states != want.States || transitions != want.Transitions {
		t.Errorf("%s: %d states and %d transitions, SPIN has %d and %d", name, want.States, want.Transitions, states, transitions)
	}
}

func count(t *testing.T, p *ir.Protocol) *explore.Result {
	sys, err := compile.New(t.Context(), p, compile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := explore.Run(t.Context(), sys, explore.Options{})
	if err != nil || !r.Complete() {
		t.Fatalf("stopped: %v, error %v", r.Stop, err)
	}
	return r
}

// runSPIN returns what SPIN counts. It adds up states met anew and again to the transitions, with the initial state.
func runSPIN(t *testing.T, spin string, p *ir.Protocol) (states, transitions uint64) {
	dir := t.TempDir()
	var model bytes.Buffer
	if err := Promela(t.Context(), &model, p); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "model.pml"), model.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	var out []byte
	for _, command := range [][]string{
		{spin, "-a", "model.pml"},
		{"cc", "-O0", "-w", "-DNOREDUCE", "-DNOCLAIM", "-DVECTORSZ=8192", "-o", "pan", "pan.c"},
		{"./pan", "-m1000000", "-c0"},
	} {
		cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
		cmd.Dir = dir
		var err error
		if out, err = cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", command, err, out)
		}
	}
	if !regexp.MustCompile(`errors: 0\n`).Match(out) {
		t.Fatalf("SPIN reports an error:\n%s", out)
	}
	number := func(what string) uint64 {
		m := regexp.MustCompile(`(\d+) ` + what).FindSubmatch(out)
		if m == nil {
			t.Fatalf("no number of %s in\n%s", what, out)
		}
		n, _ := strconv.ParseUint(string(m[1]), 10, 64)
		return n
	}
	return number("states, stored"), number(`transitions \(= stored\+matched\)`) - 1
}

// A protocol with all there is to write: events with values, skips, draws from a set, several initial states.
const variety = `protocol variety
param n: 2..3 = 2
topology complete graph of n
channel unordered | fifo = unordered
assign uid: permutation of 1..n
var id, x: 1..n
var s: set of 1..n
var q: 0..n-1
message Hello(id: 1..n)
event done(x: 1..n, large: bool)
process p = Start(p, uid[p], {1, n})
Start(q, id, s) = draw x in s; skip; Chosen(q, id, s minus {x}, x)
Chosen(q, id, s, x) = send ((q + 1) mod n) Hello(x); Wait(id, s)
Wait(id, s) = recv _ Hello(x); if x in s and x != id then done(x, x * 2 > n + 1); stop else stop
`

func TestErrors(t *testing.T) {
	p := parsed(t, "protocol long\nparam n: 2..9 = 2\ntopology directed ring of n\nchannel fifo\n"+
		"var x: nat\nmessage M(x: nat)\nprocess p = A(0)\nA(x) = send right M(x); recv left M(x); A(x + 1)\n", nil)
	for _, f := range Formats() {
		if err := f.Write(t.Context(), &strings.Builder{}, p); err == nil {
			t.Errorf("%s: messages without bound are exported", f.Name)
		}
	}
}

// TestLarge: what a tool could not read is refused, however the steps are spread over processes, and a context ends the work on it.
func TestLarge(t *testing.T) {
	p := instantiate(t, "franklin", map[string]string{"n": "30", "k": "30"})
	var b strings.Builder
	if err := MCRL2(t.Context(), &b, p); err == nil || !strings.Contains(err.Error(), "too many to be written down") || b.Len() > 0 {
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
