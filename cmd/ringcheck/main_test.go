package main

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"ringcheck/internal/test/testlevel"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"ringcheck": main})
}

// TestScripts runs the program as a user does, one script for each topic.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status":    status,
			"report":    report,
			"interrupt": interrupt,
		},
		Condition: condition,
	})
}

// condition defines [namespaces], which holds if a script can mount a file system that only its commands see, [hangup],
// which holds if SIGHUP is not ignored, and [full].
func condition(name string) (bool, error) {
	switch name {
	case "namespaces":
		return exec.Command("unshare", "--map-root-user", "--mount", "mount", "-t", "tmpfs", "none",
			os.TempDir()).Run() == nil, nil
	case "full":
		return testlevel.Gate(), nil
	case "hangup": // SIGHUP is not ignored, as it is under nohup
		return !signal.Ignored(syscall.SIGHUP), nil
	}
	return false, fmt.Errorf("unknown condition %q", name)
}
