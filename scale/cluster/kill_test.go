package cluster_test

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"testing"
	"time"
)

var kills = flag.Int("kills", 2, "how many processes TestKills kills")

// asProgram is set in the environment of a process that is to be ringcheck-beam.
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

// kill ends the process as a machine that fails does.
func (p *part) kill(t *testing.T) {
	t.Helper()
	if err := p.cmd.Process.Kill(); err != nil {
		t.Log(err) // it has ended just before
	}
	<-p.ended
}

// TestKills: a search whose driver, worker or runner is killed now and then leaves the same files as one that is left alone.
func TestKills(t *testing.T) {
	left, size, unrolls := t.TempDir(), []string{"-n", "2", "-k", "3"}, []string{"4"}
	if *kills > 2 {
		size, unrolls = []string{"-n", "3", "-k", "2"}, []string{"1", "4", "8"}
	}
	size = append(size, "--shards", "3")
	if got := explore(t, append(size, "--dir", left, "--unroll", "8")...); got.States != 1525 && got != franklin32 {
		t.Fatalf("%+v", got)
	}
	for i, unroll := range unrolls {
		r := rand.New(rand.NewPCG(uint64(i), 5))
		dir := t.TempDir()
		runner, pool := freePort(t), freePort(t)
		prism := &part{args: []string{"prism", "--port", runner}}
		worker := &part{args: []string{"worker", "--port", pool}}
		driver := &part{args: []string{"explore", "franklin", "-q", "--dir", dir, "--unroll", unroll, "--stall", "5s",
			"--runner", "universal", "--endpoint", "localhost:" + runner, "--environment_type", "EXTERNAL", "--environment_config", "localhost:" + pool}}
		driver.args = append(driver.args, size...)
		all := []*part{prism, worker, driver}
		prism.start(t)
		worker.start(t)
		time.Sleep(time.Second)
		driver.start(t)
		killed := 0
		for done := false; !done; {
			wait := 300*time.Millisecond + time.Duration(r.IntN(1500))*time.Millisecond
			if killed >= *kills/len(unrolls) {
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
				victim := all[r.IntN(len(all))]
				victim.kill(t)
				killed++
				victim.start(t)
			}
		}
		prism.kill(t)
		worker.kill(t)
		t.Logf("--unroll %s: %d killed", unroll, killed)
		sameFiles(t, left, dir)
	}
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
