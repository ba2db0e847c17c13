package cluster_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"ringcheck/cmd/ringcheck-beam/cluster"
	"ringcheck/cmd/ringcheck/command"
)

func TestMain(m *testing.M) {
	beam.Init()
	if cluster.IsWorker(os.Args[1:]) {
		if err := cluster.Work(context.Background(), os.Args[1:]); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	if os.Getenv(asProgram) != "" {
		os.Exit(command.ClusterMain("ringcheck-beam", new(cluster.Engine), os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// beamed runs ringcheck-beam.
func beamed(args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	status = command.ClusterMain("ringcheck-beam", new(cluster.Engine), args, &out, &errs)
	return status, out.String(), errs.String()
}

type report struct {
	Complete       bool
	States         int
	Transitions    int
	TerminalStates int `json:"terminal_states"`
	Levels         int
}

func explore(t *testing.T, args ...string) report {
	t.Helper()
	return exploreBy(t, "", args...)
}

// exploreBy explores with workers of an environment. Beam's flags are global, so flags a test omits keep their last
// values.
func exploreBy(t *testing.T, environment string, args ...string) report {
	t.Helper()
	status, stdout, stderr := beamed(append([]string{"explore", "--json", "-q", "--runner=prism", "--endpoint=",
		"--environment_type=" + environment}, args...)...)
	if status != 0 || stderr != "" {
		t.Fatalf("%v: status %d: %s", args, status, stderr)
	}
	var r report
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// A level takes a runner a third of a second, so tests of anything but counts use a small system.
var (
	small      = []string{"itai-rodeh", "-n", "2", "-k", "2"}
	ofSmall    = report{true, 51, 78, 2, 9}
	franklin22 = report{true, 657, 1368, 16, 25}
)

// with returns the arguments for small and more.
func with(more ...string) []string { return append(slices.Clone(small), more...) }

// TestPrism checks the published counts in this process, and that the temporary folder is left empty.
func TestPrism(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	defer func() {
		if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
			t.Errorf("files remain in the temporary folder: %v, %v", left, err)
		}
	}()
	if got := explore(t, with("--dir", t.TempDir(), "--shards", "3", "--unroll", "1")...); got != ofSmall {
		t.Errorf("%+v, want %+v", got, ofSmall)
	}
	args := []string{"franklin", "-n", "2", "-k", "2", "--dir", t.TempDir(), "--shards", "4", "--unroll", "16"}
	if got := explore(t, args...); got != franklin22 {
		t.Errorf("%+v, want %+v", got, franklin22)
	}
}

// TestProcess does the same with a worker that the runner starts.
func TestProcess(t *testing.T) {
	config := fmt.Sprintf(`{"command":%q}`, os.Args[0])
	got := exploreBy(t, "PROCESS", with("--dir", t.TempDir(), "--shards", "2", "--unroll", "16",
		"--environment_config="+config)...)
	if got != ofSmall {
		t.Errorf("%+v, want %+v", got, ofSmall)
	}
}

// TestResume checks that a stopped search resumes and writes the same files.
func TestResume(t *testing.T) {
	whole, parts := t.TempDir(), t.TempDir()
	explore(t, with("--dir", whole, "--shards", "3", "--unroll", "16")...)
	for _, limit := range []string{"10", "30"} {
		status, stdout, stderr := beamed(append([]string{"explore", "--shards", "3", "--unroll", "2", "--json", "-q"},
			with("--dir", parts, "--max-states", limit)...)...)
		if status != 3 || !strings.Contains(stdout, `"complete":false,"stopped":"states"`) {
			t.Fatalf("status %d: %s%s", status, stdout, stderr)
		}
	}
	if got := explore(t, with("--dir", parts, "--shards", "3")...); got != ofSmall {
		t.Errorf("%+v, want %+v", got, ofSmall)
	}
	sameFiles(t, whole, parts)
}

// sameFiles compares two folders.
func sameFiles(t *testing.T, a, b string) {
	t.Helper()
	x, y := contents(t, a), contents(t, b)
	for name, data := range x {
		if other, ok := y[name]; !ok || other != data {
			t.Errorf("%s: exists in the other folder: %v; contents differ", name, ok)
		}
	}
	if len(x) != len(y) {
		t.Errorf("%d files, and %d", len(x), len(y))
	}
}

func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	for _, pattern := range []string{"*", "*/*"} {
		names, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if data, err := os.ReadFile(name); err == nil {
				files[strings.TrimPrefix(name, dir)] = string(data)
			}
		}
	}
	return files
}

// TestWrongRequests checks that wrong requests give one line and their exit status.
func TestWrongRequests(t *testing.T) {
	dir := t.TempDir()
	explore(t, "franklin", "-n", "2", "-k", "2", "--dir", dir, "--shards", "3", "--unroll", "32")
	// changed returns a copy of dir in which a file is something else.
	changed := func(pattern string, change func([]byte) []byte) string {
		to := t.TempDir()
		if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		names, err := filepath.Glob(filepath.Join(to, pattern))
		if err != nil || len(names) == 0 {
			t.Fatal("no such file", err)
		}
		data, err := os.ReadFile(names[0])
		if err == nil {
			err = os.WriteFile(names[0], change(data), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
		return to
	}
	replace := func(old, new string) func([]byte) []byte {
		return func(data []byte) []byte { return bytes.Replace(data, []byte(old), []byte(new), 1) }
	}
	cut := changed("*/*.run", func(data []byte) []byte { return data[:20] })
	version := changed("job.json", replace(`"version": "`, `"version": "v0.0.1, not `))
	text := changed("job.json", replace(`"text": "`, `"text": " `))
	torn := changed("job.json", func(data []byte) []byte { return data[:len(data)/2] })
	format := changed("job.json", replace(`"format": 7`, `"format": 2`))
	gone := changed("job.json", replace("x", "x"))
	for _, pattern := range []string{"*/*.run", "*/*.new"} {
		names, _ := filepath.Glob(filepath.Join(gone, pattern))
		for _, name := range names {
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	silent, err := net.Listen("tcp", "localhost:0") // takes connections and says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	for _, c := range []struct {
		args string
		want string
	}{
		{"-n 2 -k 2", "--dir"},
		{"-n 2 -k 2 --dir " + dir + " --shards 4", "has 3 shards, not 4"},
		{"-n 2 -k 3 --dir " + dir + " --shards 3", "has k = 2, not 3"},
		{"-n 2 -k 2 --no-bits --dir " + dir + " --shards 3", "has bits = true, not false"},
		{"-n 2 -k 2 --max-nat 7 --dir " + dir + " --shards 3", "--max-nat 1000, not 7"},
		{"-n 2 -k 2 --symmetry rotation --dir " + dir + " --shards 3", "--symmetry none, not rotation"},
		{"-n 2 -k 2 --dir " + cut + " --shards 3", "damaged: it has 20 bytes"},
		{"-n 2 -k 2 --dir " + gone + " --shards 3", "damaged: the file is missing"},
		{"-n 2 -k 2 --dir " + version + " --shards 3", "another search, which is one of ringcheck v0.0.1"},
		{"-n 2 -k 2 --dir " + text + " --shards 3", "another search, which is of another text of franklin"},
		{"-n 2 -k 2 --dir " + torn + " --shards 3", "job.json: damaged"},
		{"-n 2 -k 2 --dir " + format + " --shards 3", "of format 2, and this program writes format 7"},
		{"-n 2 -k 2 --dir x://y", "expected a folder, gs://"},
		{"-n 2 -k 2 --dir " + dir + " --shards 0", "must be from 1 to"},
		{"-n 2 -k 2 --dir " + dir + " --unroll 0", "must be from 1 to"},
		{"-n 2 -k 2 --dir " + dir + " --shards 3 --runner abacus", "expected prism, flink"},
		{"-n 2 -k 2 --dir " + dir + " --shards 3 --runner flink --endpoint=", "--endpoint"},
		{"-n 2 -k 2 --dir " + dir + " --shards 3 --runner universal --endpoint localhost:1", "does not answer"},
		{"-n 2 -k 2 --dir " + dir + " --shards 3 --runner universal --endpoint " + silent.Addr().String(),
			"does not answer"},
	} {
		status, stdout, stderr := beamed(append([]string{"explore", "franklin", "-q"}, strings.Fields(c.args)...)...)
		if status != 2 || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: status %d, %s%s, want %q", c.args, status, stdout, stderr, c.want)
		}
	}
	if status, _, stderr := beamed("explore", "dkr", "-n", "2", "-k", "2", "-q", "--dir", dir, "--shards", "3",
		"--runner=prism", "--endpoint="); status != 2 ||
		!strings.Contains(stderr, "another search, which is of franklin, not dkr") {
		t.Errorf("another spec: status %d, %s", status, stderr)
	}
}

// TestDamaged checks that a file with wrong contents of the right size stops the search, which names the file.
func TestDamaged(t *testing.T) {
	dir := t.TempDir()
	args := append(append([]string{"explore"}, with("--dir", dir, "--shards", "1", "--unroll", "2", "-q")...), here...)
	if status, _, stderr := beamed(append(args, "--max-states", "10")...); status != 3 {
		t.Fatalf("status %d: %s", status, stderr)
	}
	names, err := filepath.Glob(filepath.Join(dir, "*", "*.new"))
	if err != nil || len(names) == 0 {
		t.Fatal("no states", err)
	}
	last := names[len(names)-1]
	data, err := os.ReadFile(last)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)-4] ^= 1
	if err := os.WriteFile(last, data, 0o666); err != nil {
		t.Fatal(err)
	}
	status, stdout, stderr := beamed(args...)
	if status != 3 || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, ".new: damaged: ") {
		t.Errorf("status %d: %s%s", status, stdout, stderr)
	}
}
