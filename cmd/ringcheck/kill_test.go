package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ringcheck/internal/test/filetest"
	"ringcheck/internal/test/testlevel"
	"ringcheck/results/published"
)

// A ringcheck runs the program in separate processes, which can be killed.
type ringcheck struct {
	t       *testing.T
	program string
	dir     string // for stores
}

func newRingcheck(t *testing.T) *ringcheck {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "ringcheck")
	if err := os.Symlink(self, program); err != nil {
		t.Skip(err)
	}
	return &ringcheck{t, program, t.TempDir()}
}

// An ending is how a process ended.
type ending struct {
	status int // -1 if it was killed
	report struct {
		Complete       bool
		States         uint64
		Transitions    uint64
		TerminalStates uint64 `json:"terminal_states"`
		Levels         int
	}
	stderr string
}

// run runs the program, and kills it after some time unless the time is 0.
func (r *ringcheck) run(kill time.Duration, args ...string) *ending {
	r.t.Helper()
	cmd := exec.Command(r.program, append(args, "-q", "--json")...)
	cmd.Dir = r.dir
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	if kill != 0 {
		timer := time.AfterFunc(kill, func() { cmd.Process.Kill() })
		defer timer.Stop()
	}
	_ = cmd.Wait() // the status says it
	e := parseEnding(r.t, cmd.ProcessState.ExitCode(), out.Bytes())
	e.stderr = stderr.String()
	return e
}

func parseEnding(t *testing.T, status int, report []byte) *ending {
	t.Helper()
	e := &ending{status: status}
	if err := json.Unmarshal(report, &e.report); err != nil && len(report) > 0 {
		t.Fatalf("%v: %s", err, report)
	}
	return e
}

// means returns random flags for workers and memory.
func means(r *rand.Rand) []string {
	flags := []string{"--workers", fmt.Sprint(1 + r.IntN(3))}
	if budget := []string{"", "2MiB", "8MiB"}[r.IntN(3)]; budget != "" {
		flags = append(flags, "--mem", budget)
	}
	return flags
}

var (
	kills   = testlevel.Cases(2, 8)  // how often TestKill kills a run
	damages = testlevel.Cases(4, 16) // how many stores TestDamage damages
	signals = testlevel.Cases(3, 6)  // how many runs TestSignals ends
)

// TestKill kills a search at random moments and resumes it as a script does, with the same command. The search ends
// with the published counts.
func TestKill(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	rc := newRingcheck(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	killed, finished := 0, 0
	for open := true; killed < kills() || open; {
		args := []string{"explore", "franklin", "-n", "4", "-k", "3", "--store", fmt.Sprint("run", finished)}
		var after time.Duration
		if killed < kills() {
			after = time.Duration(1 + r.Int64N(int64(500*time.Millisecond)))
		}
		switch e := rc.run(after, append(args, means(r)...)...); e.status {
		case -1:
			killed++
			open = true
		case 0:
			finished++
			open = false
			checkPublished(t, e)
		default:
			t.Fatalf("status %d: %s", e.status, e.stderr)
		}
	}
	t.Logf("%d kills, %d runs were finished", killed, finished)
}

// checkPublished compares the counts with the paper, and others with known values.
func checkPublished(t *testing.T, e *ending) {
	t.Helper()
	tables, err := published.Tables()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range tables[0].Rows {
		if row.N != 4 || row.K != 3 {
			continue
		}
		if !e.report.Complete || e.report.States != *row.States || e.report.Transitions != *row.Transitions {
			t.Errorf("%+v, published are %d states and %d transitions", e.report, *row.States, *row.Transitions)
		}
		return
	}
	t.Fatal("these counts are not published")
}

// oneLine fails unless a process that did not succeed says why in one line.
func oneLine(t *testing.T, what string, e *ending) {
	t.Helper()
	line, rest, _ := strings.Cut(e.stderr, "\n")
	if e.status != 2 && e.status != 3 || !strings.HasPrefix(line, "ringcheck: ") || rest != "" {
		t.Errorf("%s: status %d: %.500s", what, e.status, e.stderr)
	}
}

// TestDamage damages the files of a store in many ways. A run then ends with the right counts or refuses to resume, and
// says why.
func TestDamage(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	rc := newRingcheck(t)
	spec := []string{"explore", "franklin", "-n", "3", "-k", "3"}
	want := rc.run(0, spec...)
	rc.run(0, append(spec, "--store", "closed", "--max-states", "30000")...)
	killed := []string{"explore", "franklin", "-n", "4", "-k", "2"}
	for patience := 250 * time.Millisecond; ; patience *= 2 { // a busy machine may not have begun by then
		rc.run(patience, append(killed, "--store", "killed", "--mem", "2MiB")...)
		if files, _ := filepath.Glob(filepath.Join(rc.dir, "killed", "*")); len(files) > 0 {
			break
		}
	}
	large := rc.run(0, killed...)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	refused := 0
	for i := range damages() {
		from, right := "closed", want
		if i%4 == 0 {
			from, right = "killed", large
		}
		dir := filepath.Join(rc.dir, "damaged")
		if err := os.CopyFS(dir, os.DirFS(filepath.Join(rc.dir, from))); err != nil {
			t.Fatal(err)
		}
		what := from + " store, " + damage(t, r, dir)
		e := rc.run(0, append([]string{"explore", "--store", "damaged"}, means(r)...)...)
		if e.status != 0 {
			refused++
			oneLine(t, what, e)
		} else if e.report != right.report {
			t.Errorf("%s: %+v, want %+v", what, e.report, right.report)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d runs were refused", refused)
}

// damage damages a file of a store and describes how.
func damage(t *testing.T, r *rand.Rand, dir string) string {
	t.Helper()
	var files []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	name := files[r.IntN(len(files))]
	path := filepath.Join(dir, name)
	data := filetest.Read(t, path)
	at := 0
	if len(data) > 0 {
		at = r.IntN(min(len(data), 1<<uint(1+r.IntN(24))))
	}
	what := ""
	switch r.IntN(4) {
	case 0:
		what, err = "removed "+name, os.Remove(path)
	case 1:
		what, err = fmt.Sprintf("cut %s off at %d of %d", name, at, len(data)), os.Truncate(path, int64(at))
	default:
		for i := at; i < min(at+1<<r.IntN(10), len(data)); i++ {
			data[i] ^= byte(1 + r.IntN(255))
		}
		what, err = fmt.Sprintf("changed %s from %d of %d on", name, at, len(data)), os.WriteFile(path, data, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	return what
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
	for i := range signals() {
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
	}
}
