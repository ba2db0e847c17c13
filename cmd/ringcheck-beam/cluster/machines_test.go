package cluster_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ringcheck/internal/test/testlevel"
)

// A network is a group of machines, each a network namespace with an address of its own: a runner, two workers, and
// one for the driver. The script machines makes it.
type network struct {
	t   *testing.T
	env []string
}

// needNetwork skips a test where a network is impossible.
func needNetwork(t *testing.T) {
	t.Helper()
	if !testlevel.Long() {
		t.Skip("this takes many minutes: set RINGCHECK_TEST=long")
	}
	if os.Getuid() != 0 {
		t.Skip("network namespaces need root")
	}
	python := os.Getenv("RINGCHECK_PYTHON")
	if python == "" {
		python = "python3"
	}
	if err := exec.Command(python, "-c", "import apache_beam.runners.portability.local_job_service").Run(); err != nil {
		t.Skipf("%s has no package apache-beam (%v): set RINGCHECK_PYTHON to one that has", python, err)
	}
	if err := exec.Command("ip", "netns", "list").Run(); err != nil {
		t.Skipf("network namespaces: ip netns list: %v", err)
	}
}

// newNetwork starts a network that ends with the test.
func newNetwork(t *testing.T) *network {
	t.Helper()
	needNetwork(t)
	group := fmt.Sprintf("t%d", os.Getpid()%100000)
	n := &network{t: t, env: append(os.Environ(), "MACHINES="+group,
		"MACHINES_DIR="+filepath.Join(t.TempDir(), "state"), "RINGCHECK_BEAM="+os.Args[0], asProgram+"=1")}
	t.Cleanup(func() { n.do("stop") })
	n.do("start", "2")
	return n
}

// command returns a call of the script.
func (n *network) command(args ...string) *exec.Cmd {
	cmd := exec.Command("../machines", args...)
	cmd.Env = n.env
	return cmd
}

// do calls the script, which has to succeed, and returns what it prints.
func (n *network) do(args ...string) string {
	n.t.Helper()
	cmd := n.command(args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		n.t.Fatalf("machines %s: %v: %s", strings.Join(args, " "), err, errs.String())
	}
	return out.String()
}

// signal sends a signal to the process of a machine.
func (n *network) signal(name string, s syscall.Signal) {
	n.t.Helper()
	pid, err := strconv.Atoi(strings.TrimSpace(n.do("pid", name)))
	if err == nil {
		err = syscall.Kill(pid, s)
	}
	if err != nil {
		n.t.Fatal(name, err)
	}
}

// A drive is a search on a network: its driver is started again whenever it ends without success.
type drive struct {
	*network
	args   []string
	cmd    *exec.Cmd
	ended  chan error
	stdout bytes.Buffer
	stderr bytes.Buffer
	starts int
	done   bool
}

// drive starts a search with its states in a folder.
func (n *network) drive(dir string, args ...string) *drive {
	d := &drive{network: n, args: append(slices.Clone(args), "-q", "--json", "--dir", dir)}
	d.start()
	return d
}

func (d *drive) start() {
	d.t.Helper()
	d.stdout.Reset()
	d.stderr.Reset()
	d.cmd = d.command(d.args...)
	d.cmd.Stdout, d.cmd.Stderr = &d.stdout, &d.stderr
	if err := d.cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	d.starts++
	d.ended = make(chan error, 1)
	go func(cmd *exec.Cmd, ended chan error) { ended <- cmd.Wait() }(d.cmd, d.ended)
}

// maxStarts is the number of times that a driver is started before the test fails.
const maxStarts = 100

// until waits until the search has ended or some time has passed, and reports whether it has ended.
func (d *drive) until(wait time.Duration) bool {
	d.t.Helper()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for !d.done {
		select {
		case err := <-d.ended:
			if d.done = err == nil; d.done {
				break
			}
			if status := d.cmd.ProcessState.ExitCode(); status != 2 && status != 3 && status != -1 {
				d.t.Fatalf("the driver ended with status %d: %s", status, d.stderr.String())
			}
			if d.starts > maxStarts {
				d.t.Fatalf("the driver was started %d times: %s", d.starts, d.stderr.String())
			}
			time.Sleep(time.Second)
			d.start()
		case <-timer.C:
			return false
		}
	}
	return true
}

// forever is more than any of these searches takes.
const forever = 2 * time.Hour

var seconds = regexp.MustCompile(`,"seconds":.*`)

// undisturbed runs a search with Prism in this process.
func undisturbed(t *testing.T, dir string, args ...string) (report string) {
	t.Helper()
	status, stdout, stderr := beamed(append(append(slices.Clone(args), "-q", "--json", "--dir", dir, "--unroll", "64"),
		here...)...)
	if status != 0 {
		t.Fatalf("%v: status %d: %s%s", args, status, stdout, stderr)
	}
	return seconds.ReplaceAllString(stdout, "")
}

// TestMachines checks that searches with two workers on machines of their own give the reports and files of Prism's.
func TestMachines(t *testing.T) {
	n := newNetwork(t)
	for _, args := range [][]string{
		strings.Fields("counterexample franklin -n 2 -k 3 --no-bits --property unique --shards 4"),
		strings.Fields("explore franklin -n 4 -k 3 --shards 8"),
		strings.Fields("check franklin -n 4 -k 3 --property unique --property elected --shards 8"),
		strings.Fields("explore franklin -n 5 -k 2 --shards 8"),
		strings.Fields("check franklin -n 5 -k 2 --property unique --property elected --symmetry rotation --shards 8"),
		strings.Fields("explore franklin -n 6 -k 2 --symmetry rotation --shards 16"),
	} {
		t.Run(args[0]+args[3]+args[5], func(t *testing.T) {
			quiet, there := t.TempDir(), t.TempDir()
			want := undisturbed(t, quiet, args...)
			d := (&network{t, n.env}).drive(there, append(slices.Clone(args), "--unroll", "64")...)
			if !d.until(forever) || d.starts != 1 {
				t.Fatalf("the driver was started %d times: %s", d.starts, d.stderr.String())
			}
			if got := seconds.ReplaceAllString(d.stdout.String(), ""); got != want {
				t.Errorf("got %s\nwant %s", got, want)
			}
			sameFiles(t, quiet, there)
		})
	}
}

// faulty is the search that the tests of faults run.
var faulty = strings.Fields("check franklin -n 4 -k 2 --property unique --property elected --shards 4")

// disturbed runs the search while attack does something to its machines, and checks the result.
func disturbed(t *testing.T, n *network, dir, unroll string, attack func(d *drive)) {
	t.Helper()
	d := n.drive(dir, append(slices.Clone(faulty), "--unroll", unroll, "--stall", "20s")...)
	attack(d)
	if !d.until(forever) {
		t.Fatal("the search does not end")
	}
	quiet := t.TempDir()
	if want, got := undisturbed(t, quiet, faulty...), seconds.ReplaceAllString(d.stdout.String(), ""); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	// A worker may still have been busy with what a driver had begun that is gone: the next driver removes its files.
	for _, name := range []string{"worker1", "worker2"} {
		n.do("kill", name)
		n.do("run", name)
	}
	if !n.drive(dir, faulty...).until(forever) {
		t.Fatal("the search was over")
	}
	sameFiles(t, quiet, dir)
}

// TestMachineKills kills the runner, the workers and the driver 30 times at random.
func TestMachineKills(t *testing.T) {
	const want = 30
	n := newNetwork(t)
	r := rand.New(rand.NewPCG(2, 30))
	killed, all, searches := map[string]int{}, 0, 0
	for ; all < want; searches++ {
		disturbed(t, n, t.TempDir(), []string{"4", "16", "64"}[searches%3], func(d *drive) {
			for all < want && !d.until(time.Second+time.Duration(r.IntN(4000))*time.Millisecond) {
				name := []string{"driver", "runner", "worker1", "worker2"}[r.IntN(4)]
				if name == "driver" {
					_ = d.cmd.Process.Kill() // until starts it again
				} else {
					n.do("kill", name)
					n.do("run", name)
				}
				killed[name]++
				all++
			}
		})
	}
	t.Logf("%d searches, killed: %v", searches, killed)
}

// TestMachineCut takes a worker, and then the runner, off the network for ten seconds.
func TestMachineCut(t *testing.T) {
	n := newNetwork(t)
	for _, name := range []string{"worker1", "runner"} {
		disturbed(t, n, t.TempDir(), "16", func(d *drive) {
			d.until(2 * time.Second)
			n.do("cut", name)
			d.until(10 * time.Second)
			n.do("join", name)
		})
	}
}

// TestMachineSlow stops a worker for nine tenths of the time.
func TestMachineSlow(t *testing.T) {
	n := newNetwork(t)
	disturbed(t, n, t.TempDir(), "16", func(d *drive) {
		for ended := false; !ended; ended = d.until(100 * time.Millisecond) {
			n.signal("worker1", syscall.SIGSTOP)
			d.until(900 * time.Millisecond)
			n.signal("worker1", syscall.SIGCONT)
		}
	})
}

// TestMachineFull has too little space for the states, until the driver has stopped with an error that says so.
func TestMachineFull(t *testing.T) {
	needNetwork(t)
	dir := t.TempDir()
	mount := func(options string) {
		t.Helper()
		if out, err := exec.Command("mount", "-t", "tmpfs", "-o", options, "none", dir).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	mount("size=300k")
	t.Cleanup(func() { _ = syscall.Unmount(dir, 0) })
	n := newNetwork(t) // later mounts would be invisible on its machines
	d := n.drive(dir, append(slices.Clone(faulty), "--unroll", "16")...)
	<-d.ended
	if status := d.cmd.ProcessState.ExitCode(); status != 3 || !strings.Contains(d.stderr.String(), "no space left") ||
		strings.Count(d.stderr.String(), "\n") != 1 {
		t.Errorf("status %d: %s", status, d.stderr.String())
	}
	mount("remount,size=64m")
	disturbed(t, n, dir, "16", func(*drive) {})
}
