// Package examples holds programs that check systems written in Go: go run ./examples/peterson.
package examples

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"ringcheck/internal/test/filetest"
	"ringcheck/internal/test/testlevel"
)

func programs(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*/main.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	return files
}

// TestOutput runs the examples and compares what they print with output.txt beside them.
func TestOutput(t *testing.T) {
	if !testlevel.Gate() {
		t.Skip("only with RINGCHECK_TEST: it links a program for each example")
	}
	for _, file := range programs(t) {
		folder := filepath.Dir(file)
		out, err := exec.Command("go", "run", "./"+folder).Output()
		want := filetest.Read(t, filepath.Join(folder, "output.txt"))
		if err != nil || !bytes.Equal(out, want) {
			t.Errorf("%s prints (error %v)\n%s\nwant\n%s", folder, err, out, want)
		}
	}
}

// TestShort checks that an example fits on a page.
func TestShort(t *testing.T) {
	for _, file := range programs(t) {
		text := filetest.Read(t, file)
		if n := bytes.Count(text, []byte("\n")); n >= 80 {
			t.Errorf("%s has %d lines", file, n)
		}
	}
}

// TestOutside compiles the examples in a module of their own that replaces ringcheck by this checkout, so that they
// cannot import internal packages. The module has the requirements and the go.sum of the repository, so that the build
// looks up nothing more.
func TestOutside(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name string, text []byte) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		filetest.Write(t, path, text)
	}
	requirements, ok := bytes.CutPrefix(filetest.Read(t, filepath.Join(root, "go.mod")), []byte("module ringcheck\n"))
	if !ok {
		t.Fatal("go.mod does not begin with the name of the module")
	}
	outside := "module outside\n\nrequire ringcheck v0.0.0\n\nreplace ringcheck => " + root + "\n"
	write("go.mod", append([]byte(outside), requirements...))
	write("go.sum", filetest.Read(t, filepath.Join(root, "go.sum")))
	for _, file := range programs(t) {
		write(file, filetest.Read(t, file))
	}
	cmd := exec.Command("go", "list", "-deps", "./...")
	if testlevel.Gate() {
		cmd = exec.Command("go", "build", "-o", os.DevNull, "./...")
	}
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=readonly", "GOPROXY=off", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
