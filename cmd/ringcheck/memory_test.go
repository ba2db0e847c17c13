package main

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/dustin/go-humanize"

	"ringcheck/internal/test/testlevel"
)

const (
	// small is what a search may hold however small its budget is (docs/storage.md).
	small = 32 << 20
	// fixed is what a process may hold beyond its budget and the memory of an idle process: the database, its mapped
	// files, and the data of the garbage collector.
	fixed = 40 << 20
)

// TestMemory: the peak memory of a process, as the operating system reports it, is at most --mem plus what every
// process holds, for all kinds of work, complete or not.
func TestMemory(t *testing.T) {
	rc := newRingcheck(t)
	base, _ := rc.held("explore franklin -n 2 -k 2 --json -q")
	t.Logf("%s at least", humanize.IBytes(base))
	commands := []string{
		"explore franklin -n 4 -k 3 --mem 8MiB",
		"check franklin -n 3 -k 2 --mem 24MiB --engine symbolic",
		"prob franklin -n 4 -k 3 --mem 64MiB",
	}
	if testlevel.Gate() {
		commands = append(commands,
			"check franklin -n 4 -k 2 --mem 8MiB", "explore franklin -n 4 -k 3 --mem 1MiB",
			"explore franklin -n 4 -k 4 --symmetry rotation --mem 32MiB",
			"minimize franklin -n 4 -k 3 --mem 128MiB",
			"check franklin -n 4 -k 3 --mem 24MiB --engine symbolic")
		rc.held("explore franklin -n 5 -k 4 --symmetry rotation --max-states 6000000 --store run --json -q")
		commands = append(commands, "explore --store run --mem 48MiB")
		commands = append(commands,
			"explore franklin -n 5 -k 2 --mem 64MiB", "check franklin -n 5 -k 2 --mem 16MiB",
			"explore franklin -n 5 -k 3 --max-states 6000000 --mem 16MiB",
			"compare franklin franklin -n 4 -k 3 --refines --visible * --mem 200MiB",
			"prob franklin -n 5 -k 2 --mem 16MiB", "minimize franklin -n 5 -k 2 --mem 64MiB")
	}
	if testlevel.Long() {
		commands = append(commands,
			"explore franklin -n 4 -k 5 --symmetry rotation --mem 160MiB", "check franklin -n 4 -k 3 --mem 48MiB",
			"explore franklin -n 5 -k 3 --symmetry rotation --mem 64MiB")
	}
	for _, command := range commands {
		_, text, _ := strings.Cut(command, "--mem ")
		budget, err := humanize.ParseBytes(strings.Fields(text)[0])
		if err != nil {
			t.Fatal(err)
		}
		held, stderr := rc.held(command + " --json -q")
		t.Logf("%s: %s over: %s", command, humanize.IBytes(held-min(held, budget)), stderr)
		if limit := max(budget, small) + base + fixed; held > limit {
			t.Errorf("%s: %s held, %s above the limit", command, humanize.IBytes(held), humanize.IBytes(held-limit))
		}
	}
}

// held runs a command and returns the peak memory of the process.
func (r *ringcheck) held(command string) (bytes uint64, stderr string) {
	r.t.Helper()
	cmd := exec.Command(r.program, strings.Fields(command)...)
	cmd.Dir = r.dir
	var words strings.Builder
	cmd.Stderr = &words
	out, err := cmd.Output()
	if status := cmd.ProcessState.ExitCode(); err != nil && status != 1 && status != 3 {
		r.t.Fatalf("%s: %v: %s", command, err, words.String())
	}
	var report struct {
		Peak uint64 `json:"peak_rss_bytes"`
	}
	if err := json.Unmarshal(out, &report); err != nil || report.Peak == 0 {
		r.t.Fatalf("%s: %v: no peak in %q", command, err, out)
	}
	return report.Peak, words.String()
}
