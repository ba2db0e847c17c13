package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"ringcheck/internal/test/testlevel"
)

// TestLostFolder removes the folder of a store during a search.
func TestLostFolder(t *testing.T) {
	rc := newRingcheck(t)
	dir := filepath.Join(rc.dir, "lost")
	gone := make(chan error, 1)
	go func() {
		for {
			if _, err := os.Stat(filepath.Join(dir, "RECORD")); err == nil { // of the first level
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		err := os.RemoveAll(dir)
		for range 100 {
			if err == nil {
				break
			}
			err = os.RemoveAll(dir) // files were made meanwhile
		}
		gone <- err
	}()
	e := rc.run(0, "explore", "franklin", "-n", "6", "-k", "2", "--store", "lost", "--mem", "2MiB")
	oneLine(t, "a lost folder", e)
	if err := <-gone; err != nil {
		t.Error(err)
	}
}

// TestLock runs two searches in one folder.
func TestLock(t *testing.T) {
	rc := newRingcheck(t)
	first := exec.Command(rc.program, "explore", "franklin", "-n", "8", "-k", "8", "--store", "run", "-q")
	first.Dir = rc.dir
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	for rc.run(0, "store", "info", "run").status != 0 { // it has not got there
		time.Sleep(10 * time.Millisecond)
	}
	oneLine(t, "a second run", rc.run(0, "explore", "--store", "run"))
	oneLine(t, "a second new run", rc.run(0, "explore", "franklin", "-n", "3", "--store", "run"))
	if e := rc.run(0, "store", "info", "run"); e.status != 0 || e.report.Complete {
		t.Errorf("reading the progress of a run: status %d: %s", e.status, e.stderr)
	}
	_ = first.Process.Kill()
	_ = first.Wait() // it was killed
	if e := rc.run(0, "store", "info", "run"); e.status != 0 {
		t.Errorf("after that: status %d: %s", e.status, e.stderr)
	}
}

var disks = testlevel.Cases(1, 8) // how often TestFullDisk fills a disk

// TestFullDisk fills the disk at random moments of a search with a store or a temporary one. When there is room again,
// the run is resumed.
func TestFullDisk(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	if small, err := condition("namespaces"); err != nil || !small {
		t.Skip("a small file system cannot be mounted")
	}
	rc := newRingcheck(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 2))
	stopped := 0
	for range disks() {
		stopped += rc.fill(r)
	}
	t.Logf("%d runs were stopped", stopped)
}

// fill fills the disk once. It returns 1 if that stopped the run.
func (r *ringcheck) fill(random *rand.Rand) (stopped int) {
	r.t.Helper()
	script := fmt.Sprintf(`
		mkdir -p small
		mount -t tmpfs -o size=%dm none small
		(sleep 0.%03d; dd if=/dev/zero of=small/full bs=64k 2>/dev/null) &
		mkdir small/tmp
		TMPDIR=$PWD/small/tmp "$0" explore franklin -n 4 -k 3 -q --json %s >out 2>err
		echo $? >status
		wait
		rm small/full
		if [ -e small/run ]; then "$0" explore --store small/run -q --json >again 2>againerr; echo $? >>status; fi
	`, 90+random.IntN(30), random.IntN(600), []string{"--store small/run", "--mem 2MiB --store small/run", "--mem 4MiB"}[random.IntN(3)])
	cmd := exec.Command("unshare", "--map-root-user", "--mount", "sh", "-c", script, r.program)
	cmd.Dir = r.t.TempDir()
	if out, err := cmd.CombinedOutput(); err != nil {
		r.t.Fatalf("%v: %s", err, out)
	}
	read := func(name string) []byte {
		data, _ := os.ReadFile(filepath.Join(cmd.Dir, name))
		return data
	}
	outputs := []string{"out", "again"}
	for i, word := range strings.Fields(string(read("status"))) {
		status, _ := strconv.Atoi(word)
		e := parseEnding(r.t, status, read(outputs[i]))
		e.stderr = string(read([]string{"err", "againerr"}[i]))
		switch {
		case e.status == 0:
			checkPublished(r.t, e)
		case i == 0:
			stopped = 1
			oneLine(r.t, script, e)
		case !strings.Contains(e.stderr, "contains no run to resume"): // full before the first checkpoint
			r.t.Errorf("%s: resumed with status %d: %.500s", script, e.status, e.stderr)
		}
	}
	return stopped
}

// TestCutOff truncates files of a store while a search uses them. The search ends with one line, without a hint to
// resume, and keeps the last checkpoint.
func TestCutOff(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	rc := newRingcheck(t)
	for i, pattern := range []string{"*.vlog", "*.mem", "*"} {
		e := rc.cutOff(fmt.Sprint("cut", i), pattern)
		for again := range 4 {
			if !duringWrite(e) {
				break
			}
			t.Logf("%s was cut off during a write", pattern)
			e = rc.cutOff(fmt.Sprint("cut", i, "again", again), pattern)
		}
		oneLine(t, "files cut off", e)
		if e.status != 3 || strings.Contains(e.stderr, "resume with") {
			t.Errorf("%s cut off: status %d: %s", pattern, e.status, e.stderr)
		}
	}
}

// cutOff truncates files during a search with a store, and checks that the checkpoint is kept.
func (r *ringcheck) cutOff(dir, pattern string) *ending {
	r.t.Helper()
	store := filepath.Join(r.dir, dir)
	go func() {
		var files []string
		for len(files) == 0 { // until the first level is recorded, and there is something to cut off
			time.Sleep(10 * time.Millisecond)
			if _, err := os.Stat(filepath.Join(store, "RECORD")); err == nil {
				files, _ = filepath.Glob(filepath.Join(store, "states", pattern))
			}
		}
		for _, f := range files {
			_ = os.Truncate(f, 0)
		}
	}()
	e := r.run(0, "explore", "franklin", "-n", "6", "-k", "2", "--store", dir, "--mem", "8MiB")
	if info := r.run(0, "store", "info", dir); info.status != 0 {
		r.t.Errorf("the checkpoint: status %d: %s", info.status, info.stderr)
	}
	return e
}

// duringWrite reports whether a process ended as if killed because badger was writing to a file when it was truncated:
// badger does so in a goroutine of its own, where nobody can recover. The store checks files before a write only.
func duringWrite(e *ending) bool {
	return strings.HasPrefix(e.stderr, "unexpected fault address") &&
		strings.Contains(e.stderr, "badger/v4.(*DB).writeRequests(")
}
