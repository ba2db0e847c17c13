package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
)

// status runs a command and checks its exit status: status 2 ringcheck explore …
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N command args...")
	}
	checkStatus(ts, args[0], ts.Exec(args[1], args[2:]...))
}

func checkStatus(ts *testscript.TestScript, want string, err error) {
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(got) != want {
		ts.Fatalf("exit status %d, want %s", got, want)
	}
}

// reportKeys are the members of the report of explore --json in order. stopped is absent if the search is complete,
// assumption without an assumption, and error without a model error.
var reportKeys = []string{
	"spec", "params", "options", "reduction", "symmetry", "assumption", "complete", "stopped", "fault", "states",
	"transitions", "terminal_states", "environment_only_states", "levels", "stored_states", "internal_states",
	"visited", "workers", "seconds", "transitions_per_second", "peak_rss_bytes",
}

// report checks that a file (or stdout) holds one report with all members, some with given values: report stdout
// states=3 complete=true
func report(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: report file member=value...")
	}
	text := ts.ReadFile(args[0])
	if strings.Count(text, "\n") != 1 || !strings.HasSuffix(text, "\n") {
		ts.Fatalf("not one line: %q", text)
	}
	keys, members := parseObject(ts, text)
	want := slices.DeleteFunc(slices.Clone(reportKeys), func(k string) bool {
		return k == "stopped" && members["complete"] == "true" || (k == "assumption" || k == "fault") &&
			members[k] == ""
	})
	if !slices.Equal(keys, want) {
		ts.Fatalf("members %v, want %v", keys, want)
	}
	for _, arg := range args[1:] {
		name, value, _ := strings.Cut(arg, "=")
		if members[name] != value {
			ts.Fatalf("%s is %s, want %s", name, members[name], value)
		}
	}
}

// parseObject returns the names of an object's members in their order, and the text of their values.
func parseObject(ts *testscript.TestScript, text string) (keys []string, members map[string]string) {
	d := json.NewDecoder(strings.NewReader(text))
	_, err := d.Token()
	ts.Check(err)
	members = make(map[string]string)
	for d.More() {
		key, err := d.Token()
		ts.Check(err)
		var value json.RawMessage
		ts.Check(d.Decode(&value))
		keys = append(keys, key.(string))
		members[key.(string)] = string(value)
	}
	_, err = d.Token()
	ts.Check(err)
	return keys, members
}

// interrupt runs a command until its first line on standard error, sends it a signal and checks its exit
// status; what it writes goes to the files out and err: interrupt INT 3 ringcheck explore …
func interrupt(ts *testscript.TestScript, neg bool, args []string) {
	signals := map[string]os.Signal{"INT": os.Interrupt, "TERM": syscall.SIGTERM}
	if neg || len(args) < 3 || signals[args[0]] == nil {
		ts.Fatalf("usage: interrupt INT|TERM N command args...")
	}
	program := filepath.Join(filepath.SplitList(ts.Getenv("PATH"))[0], args[2])
	cmd := exec.Command(program, args[3:]...)
	cmd.Dir = ts.MkAbs(".")
	var out, log bytes.Buffer
	cmd.Stdout = &out
	stderr, err := cmd.StderrPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	lines := bufio.NewReader(io.TeeReader(stderr, &log))
	_, err = lines.ReadString('\n')
	ts.Check(err)
	ts.Check(cmd.Process.Signal(signals[args[0]]))
	_, err = io.Copy(io.Discard, lines)
	ts.Check(err)
	err = cmd.Wait()
	ts.Check(os.WriteFile(ts.MkAbs("out"), out.Bytes(), 0o666))
	ts.Check(os.WriteFile(ts.MkAbs("err"), log.Bytes(), 0o666))
	checkStatus(ts, args[1], err)
}
