package cluster_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"ringcheck/internal/test/testlevel"
)

var kills = testlevel.Cases(2, 2) // how many processes TestKills kills

// asProgram is set in the environment of a test process that should run as ringcheck-beam.
const asProgram = "RINGCHECK_BEAM_TEST_PROGRAM"

// A part is a process of a search on several machines: Prism, a worker, the driver.
type part struct {
	args   []string
	cmd    *exec.Cmd
	ended  chan error
	output bytes.Buffer
}

func (p *part) start(t *testing.T) {
	t.Helper()
	p.output.Reset()
	p.cmd = exec.Command(os.Args[0], p.args...)
	p.cmd.Env = append(os.Environ(), asProgram+"=1")
	p.cmd.Stdout, p.cmd.Stderr = &p.output, &p.output
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.ended = make(chan error, 1)
	go func(cmd *exec.Cmd, ended chan error) { ended <- cmd.Wait() }(p.cmd, p.ended)
}

// kill kills the process without warning, as a machine failure would.
func (p *part) kill(t *testing.T) {
	t.Helper()
	if err := p.cmd.Process.Kill(); err != nil {
		t.Log(err) // it has ended just before
	}
	<-p.ended
}

// TestKills checks that a search whose driver, worker or runner is killed repeatedly writes the same files as an
// undisturbed one, which has the published counts.
func TestKills(t *testing.T) {
	subjects, unrolls := [][]string{{"explore", "franklin", "-n", "2", "-k", "3", "--shards", "3"}}, []string{"4"}
	if kills() > 2 {
		larger := []string{"franklin", "-n", "3", "-k", "2", "--shards", "3"}
		subjects = [][]string{append([]string{"explore"}, larger...),
			append([]string{"check", "--property", "unique", "--property", "elected"}, larger...)}
		unrolls = []string{"1", "4", "8"}
	}
	var left []string
	for _, args := range subjects {
		dir := t.TempDir()
		status, stdout, stderr := beamed(append(append(slices.Clone(args), "--json", "-q", "--dir", dir, "--unroll",
			"8"), here...)...)
		if status != 0 || !strings.Contains(stdout, `"states":15445,"transitions":43968,"terminal_states":24`) &&
			!strings.Contains(stdout, `"states":1525,"transitions":3564`) {
			t.Fatalf("%v: status %d: %s%s", args, status, stdout, stderr)
		}
		left = append(left, dir)
	}
	r := rand.New(rand.NewPCG(uint64(kills()), 5))
	for u, unroll := range unrolls {
		want, killed, rounds := kills()/len(unrolls), map[string]int{}, 0
		for ; killed["any"] < want; rounds++ {
			i := (u + rounds) % len(subjects)
			dir := t.TempDir()
			attack(t, r, append(slices.Clone(subjects[i]), "-q", "--dir", dir, "--unroll", unroll, "--stall", "10s"),
				want, killed)
			// A worker may have been busy with what a driver had begun that is gone: the next driver removes its files.
			again := append(slices.Clone(subjects[i]), "-q", "--dir", dir)
			if status, _, stderr := beamed(append(again, here...)...); status != 0 {
				t.Errorf("status %d: %s", status, stderr)
			}
			sameFiles(t, left[i], dir)
		}
		t.Logf("--unroll %s: %d searches, %d killed: %d times the driver, %d the worker, %d the runner", unroll, rounds,
			killed["any"],
			killed["driver"], killed["worker"], killed["prism"])
	}
}

// attack runs a search to its end, killing one of its parts now and then while fewer than want kills were made.
func attack(t *testing.T, r *rand.Rand, search []string, want int, killed map[string]int) {
	t.Helper()
	runner, pool := freePort(t), freePort(t)
	parts := map[string]*part{
		"prism":  {args: []string{"prism", "--port", runner}},
		"worker": {args: []string{"worker", "--port", pool}},
		"driver": {args: append(search, "--runner", "universal", "--endpoint", "localhost:"+runner,
			"--environment_type", "EXTERNAL", "--environment_config", "localhost:"+pool)},
	}
	prism, driver := parts["prism"], parts["driver"]
	prism.start(t)
	parts["worker"].start(t)
	time.Sleep(time.Second)
	driver.start(t)
	for done := false; !done; {
		wait := 300*time.Millisecond + time.Duration(r.IntN(1500))*time.Millisecond
		if killed["any"] >= want {
			wait = time.Hour
		}
		select {
		case err := <-driver.ended:
			if err == nil {
				done = true
				break
			}
			time.Sleep(300 * time.Millisecond) // something else has gone
			driver.start(t)
		case <-prism.ended: // it does not survive a worker that is gone
			prism.start(t)
		case <-time.After(wait):
			name := []string{"prism", "worker", "driver"}[r.IntN(3)]
			parts[name].kill(t)
			killed[name]++
			killed["any"]++
			parts[name].start(t)
		}
	}
	prism.kill(t)
	parts["worker"].kill(t)
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return fmt.Sprint(l.Addr().(*net.TCPAddr).Port)
}
