package cluster_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"ringcheck"
	"ringcheck/cmd/ringcheck/command"
	"ringcheck/view"
)

// here resets the flags that earlier tests have set, since Beam's flags are global.
var here = []string{"--runner=prism", "--endpoint=", "--environment_type="}

// TestCheck compares verdicts, counts, the first violating state, its model errors and warnings with a search in
// memory.
func TestCheck(t *testing.T) {
	traps := filepath.Join(t.TempDir(), "traps.ring")
	if err := os.WriteFile(traps, []byte(trapsSpec), 0o666); err != nil {
		t.Fatal(err)
	}
	dirs := make(map[string]string)
	for _, c := range []struct {
		subject string
		status  int
	}{
		{"franklin -n 2 -k 3 --no-bits --property unique --property elected --property electable", 1},
		{"franklin -n 2 -k 3 --no-bits --property elected --symmetry rotation", 1},
		{traps, 0},
		{traps + " --strict", 1},
	} {
		dir, ok := dirs[strings.TrimSuffix(c.subject, " --strict")] // the same search, judged once more
		if !ok {
			dir = t.TempDir()
			dirs[c.subject] = dir
		}
		args := append([]string{"check", "-q"}, strings.Fields(c.subject)...)
		var want, errs bytes.Buffer
		if got := command.Main(append(args, "--json"), &want, &errs); got != c.status {
			t.Fatalf("%s: status %d: %s", c.subject, got, errs.String())
		}
		status, stdout, stderr := beamed(append(append(args, "--json", "--dir", dir, "--shards", "3", "--unroll", "32"),
			here...)...)
		if status != c.status || stderr != errs.String() {
			t.Errorf("%s: status %d: %s", c.subject, status, stderr)
		}
		if got, want := verdicts(t, stdout), verdicts(t, want.String()); !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n%v\nwant\n%v", c.subject, got, want)
		}
	}
}

// verdicts returns a report without its costs.
func verdicts(t *testing.T, text string) map[string]any {
	t.Helper()
	var r map[string]any
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err, text)
	}
	for _, name := range []string{"seconds", "peak_rss_bytes", "transitions_per_second", "workers"} {
		delete(r, name)
	}
	return r
}

// TestCounterexample compares the run with that of a search in memory, in every format that is text, with and without a
// check before.
func TestCounterexample(t *testing.T) {
	for _, symmetry := range ringcheck.Choices("symmetry") {
		dir := t.TempDir()
		args := strings.Fields("franklin -n 2 -k 3 --no-bits -q --property unique --property elected --symmetry " +
			symmetry)
		search := append([]string{"--dir", dir, "--shards", "3", "--unroll", "16"}, here...)
		for _, format := range ringcheck.Choices("format") {
			if f, err := view.Lookup(format); err != nil || f.Binary {
				continue // it is not printed
			}
			find := append([]string{"counterexample", "--format", format}, args...)
			var want, errs bytes.Buffer
			if status := command.Main(find, &want, &errs); status != 1 {
				t.Fatalf("status %d: %s", status, errs.String())
			}
			status, stdout, stderr := beamed(append(find, search...)...)
			if status != 1 || stderr != errs.String() || stdout != want.String() {
				t.Errorf("%s, %s: status %d: %s%s\nwant\n%s", symmetry, format, status, stderr, stdout, want.String())
			}
		}
		if status, _, stderr := beamed(append(append([]string{"check"}, args...), search...)...); status != 1 {
			t.Errorf("check after counterexample: status %d: %s", status, stderr)
		}
	}
}

// TestCheckRefused covers properties that cannot be decided state by state, and missing files for going back.
func TestCheckRefused(t *testing.T) {
	dir := t.TempDir()
	elected := "franklin -n 2 -k 3 --no-bits --property elected --shards 2 --unroll 32 --dir " + dir
	if status, _, stderr := beamed(append(strings.Fields("check -q "+elected), here...)...); status != 1 {
		t.Fatalf("status %d: %s", status, stderr)
	}
	levels, err := filepath.Glob(filepath.Join(dir, "00003", "*.new"))
	if err != nil || len(levels) == 0 {
		t.Fatal("the states of the levels are not kept", err)
	}
	if err := os.Truncate(levels[0], 20); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"check franklin -n 2 -k 3 --shards 2 --dir " + dir, 2,
			"--property election: it is not decided state by state: choose from unique, elected"},
		{"check franklin -n 2 -k 3 --property election --dir " + dir, 2, "check it with ringcheck"},
		{"check franklin -n 2 -k 3 --no-bits --property unique --shards 2 --dir " + dir, 2,
			"has --property elected, not unique"},
		{"explore franklin -n 2 -k 3 --no-bits --shards 2 --dir " + dir, 2, "has --property elected, not none"},
		{"check " + elected + " --symmetry rotation", 2, "has --symmetry none, not rotation"},
		{"counterexample " + elected, 3, "level 3, back: 00003/00000.new: damaged"},
	} {
		status, stdout, stderr := beamed(append(append(strings.Fields(c.args), "-q"), here...)...)
		if status != c.status || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: status %d: %s%s", c.args, status, stdout, stderr)
		}
	}
}

const trapsSpec = `protocol traps
param n: 2..5 = 3
topology complete graph of n
channel unordered
var id, v: 1..n
message Vote(v: 1..n)
event win, lose
process p = if p = 0 then Lead else Start(p)
Start(id) = send (0) Vote(id); Candidate
Candidate = win; Leader
Leader = stop
Lead = recv _ Vote(v); if v = 1 then Won else stop
Won = win; Elected
Elected = stop
invariant unique = forall p in node, q in node: not (p at Leader and q at Leader and p.id != q.id)
invariant agree = forall p in node, q in node: p at Leader and q = 1 => p != 0
invariant never = forall p in node: p at Start and p.id = 3 and p = 1 => p at Leader
invariant rarely = forall p in node: p at Elected and p = 0 => (forall q in node: q != p => q at Leader or q at Candidate or q at Start)
`
