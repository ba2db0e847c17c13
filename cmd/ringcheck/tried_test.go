package main

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode"

	"ringcheck/cmd/ringcheck/command"
	"ringcheck/internal/test/filetest"
	"ringcheck/internal/test/spectest"
	"ringcheck/specs"
)

var (
	inputs    = flag.Int("inputs", 25, "how many wrong inputs TestInputs tries of each kind")
	signals   = flag.Int("signals", 3, "how many runs TestSignals ends")
	triedPage = flag.String("tried", "", "write the table of what was tried, with all of these tests, into `FILE`")
)

// tried lists what the tests of this package do to the program, in the order of the page.
var tried = []*attempt{
	{name: "kills", what: "`kill -9` at a random moment, resumed by the same command; the counts at the end are " +
		"those published"},
	{name: "damages", what: "a file of a store removed, cut off or changed at random; the run continues to the right " +
		"counts, or is refused in one line"},
	{name: "full disks", what: "the disk fills up during a search; it stops with one line, and continues when there " +
		"is room"},
	{name: "signals", what: "SIGINT, SIGTERM or SIGHUP at a random moment of set-up, search, comparison, simulation " +
		"or export; the exit status is 3"},
	{name: "specs", what: "a spec with bytes changed, taken out or put in at random; it is explored, or refused"},
	{name: "systems", what: "an .aut file, changed likewise"},
	{name: "regression files", what: "a regression file, changed likewise"},
	{name: "processes", what: "a Markov decision process as .umb, .tra, .lab or .trew, changed likewise"},
	{name: "kept sweeps", what: "what a sweep has found, changed likewise; it is resumed, or refused"},
	{name: "command lines", what: "words of the command line mixed at random"},
}

// An attempt counts how often something was tried, and with what results.
type attempt struct {
	name, what               string
	survived, refused, wrong int
}

// count counts an attempt; in a test that has failed, as a wrong one.
func count(t *testing.T, kind string, survived bool) {
	t.Helper()
	a := tried[slices.IndexFunc(tried, func(a *attempt) bool { return a.name == kind })]
	switch {
	case t.Failed():
		a.wrong++
	case survived:
		a.survived++
	default:
		a.refused++
	}
}

// TestSignals sends signals to runs of all kinds at random moments.
func TestSignals(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	rc := newRingcheck(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 3))
	jobs := []string{
		"explore franklin -n 8 -k 8", "explore franklin -n 8 -k 8 --mem 4MiB --store kept", "check franklin -n 7 -k 5",
		"explore chang-roberts -n 11 --symmetry rotation", "minimize franklin -n 5 -k 4",
		"counterexample franklin -n 8 -k 8",
		"compare franklin franklin -n 5 -k 4", "explore franklin -n 6 -k 3 --reduce onthefly",
		"explore franklin -n 7 -k 6 --engine symbolic",
		"prob franklin -n 5 -k 4", "prob franklin -n 300 -k 100 --export x.umb",
		"minimize franklin -n 5 -k 4 --equivalence probabilistic", "export franklin -n 300 -k 100 --format promela",
		"simulate franklin -n 1000 -k 2 --runs 1000000",
		"simulate randomized -n 50000 -c 25000 -p rounds=0 -p quorum=736 -p tau=10 --scheduler time",
		"sweep franklin -n 6..8 -k 6..8", "witness franklin -n 8 -k 8",
		"check franklin -n 6 -k 5 --coverage", "check franklin -n 1000 -k 1000",
	}
	first := r.IntN(len(jobs))
	for i := range *signals {
		job := jobs[(first+i)%len(jobs)]
		cmd := exec.Command(rc.program, append(strings.Fields(job), "-q")...)
		cmd.Dir = t.TempDir()
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		sent := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}[r.IntN(3)]
		if signal.Ignored(sent) { // under nohup
			sent = syscall.SIGTERM
		}
		after := 50*time.Millisecond + time.Duration(r.Int64N(int64(500*time.Millisecond)))
		timer := time.AfterFunc(after, func() { _ = cmd.Process.Signal(sent) })
		stuck := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait() // the status says it
		timer.Stop()
		stuck.Stop()
		status := cmd.ProcessState.ExitCode()
		// A process that is signalled before it handles signals ends like any other.
		if status != 3 && !(status == -1 && stderr.Len() == 0) {
			t.Errorf("%s: %v after %v: status %d: %.300s", job, sent, after, status, &stderr)
		}
		count(t, "signals", status == 3)
	}
}

// TestInputs gives the program invalid input, which it must use or refuse, and which must not control a terminal.
func TestInputs(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 4))
	dir := t.TempDir()
	written := writtenFiles(t, dir)
	for i := range *inputs {
		name := specs.Names()[i%len(specs.Names())]
		text := spectest.Source(t, name)
		call(t, "specs", "check", mutated(t, r, dir, "x.ring", []byte(text)), "-n", "2", "--max-states", "300")
		call(t, "systems", "minimize", mutated(t, r, dir, "x.aut",
			[]byte("des (0,4,3)\n(0,\"a\",1)\n(0,tau,2)\n(1,\"b(1)\",2)\n(2,\"a\",0)\n")))
		call(t, "regression files", "regress", mutated(t, r, dir, "x.json",
			[]byte(`{"claims": {"c": "d"}, "entries": [{"claims": ["c"], "spec": "dkr", "params": {"n": 2}, "expect": {"states": 179, "properties": {"unique": {"holds": true}}}}]}`)))
		ending := []string{".umb", ".tra", ".lab", ".trew"}[i%4]
		path := mutated(t, r, dir, "y"+ending, written["y"+ending])
		if ending == ".lab" || ending == ".trew" {
			path = filepath.Join(dir, "y.tra")
		}
		call(t, "processes", "prob", path)
		call(t, "processes", "minimize", path)
		restore(t, dir, "y"+ending, written)
		call(t, "kept sweeps", "sweep", "dkr", "-n", "2..3", "--out", mutated(t, r, dir, "sweep.json",
			written["sweep.json"]))
		words := strings.Fields("explore check minimize compare counterexample store info specs table franklin dkr " +
			"-n 2 -k 2 --json --no-bits --order left --reduce " +
			"confelm --symmetry rotation --property unique --explain --hide leader --max-states 300 -- -p n=3 " +
			"\x1b[31m --assume none --equivalence strong")
		var args []string
		for range 1 + r.IntN(7) {
			args = append(args, words[r.IntN(len(words))])
		}
		if slices.Contains(args, "table") {
			args = append(args, "--max-states", "300")
		}
		call(t, "command lines", append(args, "--timeout", "5s")...)
	}
}

// writtenFiles has the program write files of the kinds that it reads to a folder, and returns their contents.
func writtenFiles(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	join := func(name string) string { return filepath.Join(dir, name) }
	for _, args := range [][]string{
		{"prob", "franklin", "-n", "2", "--export", join("y.umb")},
		{"prob", "franklin", "-n", "2", "--reward", "steps", "--export", join("y.tra")},
		{"sweep", "dkr", "-n", "2..3", "--out", join("sweep.json")},
	} {
		var stdout, stderr bytes.Buffer
		if status := command.Main(append(args, "-q"), &stdout, &stderr); status > 1 {
			t.Fatalf("%q: status %d: %s", args, status, &stderr)
		}
	}
	files := make(map[string][]byte)
	for _, name := range []string{"y.umb", "y.tra", "y.lab", "y.trew", "sweep.json"} {
		data := filetest.Read(t, join(name))
		files[name] = data
	}
	return files
}

func restore(t *testing.T, dir, name string, files map[string][]byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), files[name], 0o666); err != nil {
		t.Fatal(err)
	}
}

// mutated writes a text with some changes to a file, and returns its path.
func mutated(t *testing.T, r *rand.Rand, dir, name string, text []byte) string {
	t.Helper()
	text = slices.Clone(text)
	for range 1 + r.IntN(4) {
		at := r.IntN(len(text))
		switch r.IntN(4) {
		case 0:
			text[at] = byte(r.IntN(256))
		case 1:
			text = slices.Delete(text, at, min(len(text)-1, at+1+r.IntN(20)))
		case 2:
			text = slices.Insert(text, at,
				[]byte([]string{"\x00", "\x1b[2J", "\u202e", "(((((", "999999999999999999999", "\xff", "null", "if",
					"\n"}[r.IntN(9)])...)
		case 3:
			from := r.IntN(len(text))
			text = slices.Insert(text, at, text[from:min(len(text), from+r.IntN(60))]...)
		}
	}
	path := filepath.Join(dir, name)
	filetest.Write(t, path, text)
	return path
}

// call runs the program with possibly invalid input.
func call(t *testing.T, kind string, args ...string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status := command.Main(args, &stdout, &stderr)
	if status < 0 || status > 3 {
		t.Errorf("%q: status %d: %.500s", args, status, &stderr)
	}
	for _, out := range []string{stdout.String(), stderr.String()} {
		if i := strings.IndexFunc(out, func(c rune) bool {
			return c != '\n' && c != '\t' &&
				!unicode.IsPrint(c)
		}); i >= 0 {
			t.Errorf("%q: the output has %q", args, out[i:min(len(out), i+20)])
		}
	}
	if t.Failed() {
		t.Logf("%.2000s", stderr.String())
	}
	count(t, kind, status != 2)
}

// TestTriedPage writes the page of what was tried if a flag asks for it, and checks that the page lists nothing wrong.
func TestTriedPage(t *testing.T) {
	const page = "../../docs/tried.md"
	if *triedPage != "" {
		filetest.Write(t, *triedPage, triedText())
	}
	text := filetest.Read(t, page)
	for _, a := range tried {
		if !strings.Contains(string(text), "\n| "+a.name+" | "+a.what+" | ") {
			t.Errorf("%s does not say what was tried of %s; write it with -tried %s", page, a.name, page)
		}
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, "| what") && !strings.HasSuffix(line, " | 0 |\n") {
			t.Errorf("an attempt had a wrong result: %s", line)
		}
	}
}

func triedText() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# What was tried\n\nAttacks and accidents. The tests of the command line repeat all of this "+
		"with new random numbers each time; this page is written by\n\n"+
		"    go test ./cmd/ringcheck -kills %d -damages %d -disks %d -inputs %d -signals %d -tried "+
		"../../docs/tried.md\n\n"+
		"*Survived* means that the right result came out, or a clean stop with what is known so far; *refused* means "+
		"that one line says what is wrong (exit status 2 or 3). A wrong\n"+
		"count, a vacuous verdict, a stack trace, an undocumented exit status or an output that controls a terminal "+
		"would be *wrong*.\n\n"+
		"| what | how | tried | survived | refused | wrong |\n|---|---|--:|--:|--:|--:|\n", *kills, *damages, *disks,
		*inputs, *signals)
	for _, a := range tried {
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %d | %d |\n", a.name, a.what, a.survived+a.refused+a.wrong, a.survived,
			a.refused, a.wrong)
	}
	b.WriteString("\nIn addition, every fast algorithm is compared with a slow and obvious one on random systems, " +
		"and the parsers of specs, .aut files, regression files and stores are fuzzed:\n" +
		"`go test ./...`, and `go test -fuzz FuzzParse ./model/language/syntax` and its counterparts.\n" +
		"Checks before a change reduce 10,000 random specs, and compare those that can be explored and reduced with " +
		"plain exploration modulo branching bisimilarity: `go test ./reduce -run '^TestRandom$' -specs 10000`.\n")
	return b.String()
}
