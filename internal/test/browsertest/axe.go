package browsertest

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"
)

// axeVariable is the environment variable with the path of axe.min.js. The folder axe pins its version.
const axeVariable = "RINGCHECK_AXE"

// An Axe is the text of axe-core, a program that looks for what keeps people with a disability from using a page.
type Axe string

// LoadAxe reads axe-core. It skips the test where RINGCHECK_AXE does not say where it is.
func LoadAxe(t *testing.T) Axe {
	t.Helper()
	path := os.Getenv(axeVariable)
	if path == "" {
		t.Skip("no " + axeVariable + ", the path of axe.min.js: pages are not checked by axe-core")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return Axe(text)
}

// A violation is a rule that a page breaks, and where it does.
type violation struct {
	ID, Impact, Help string
	Nodes            []struct{ HTML, FailureSummary string }
}

// axeRun begins all rules of axe-core. What they find is in window.axeFound later, as JSON.
const axeRun = `(window.axeFound = undefined, axe.run(document, { resultTypes: ["violations"] }).then(
	found => window.axeFound = JSON.stringify({ violations: found.violations, passes: found.passes.length }),
	error => window.axeFound = JSON.stringify({ error: String(error) })), "")`

// Check fails the test for each rule that the page breaks now, of whatever impact. Scene says what the page shows.
func (a Axe) Check(t *testing.T, b *Browser, scene string) {
	t.Helper()
	for _, v := range a.violations(t, b) {
		var nodes strings.Builder
		for _, n := range v.Nodes {
			nodes.WriteString("\n" + n.HTML + "\n" + n.FailureSummary)
		}
		t.Errorf("%s: %s (%s): %s%s", scene, v.ID, v.Impact, v.Help, &nodes)
	}
}

func (a Axe) violations(t *testing.T, b *Browser) []violation {
	t.Helper()
	if Eval[bool](t, b, `typeof axe === "undefined"`) {
		Eval[string](t, b, string(a)+`; ""`)
	}
	Eval[string](t, b, axeRun)
	for !Eval[bool](t, b, "window.axeFound !== undefined") {
		time.Sleep(10 * time.Millisecond)
	}
	var found struct {
		Violations []violation
		Passes     int
		Error      string
	}
	if err := json.Unmarshal([]byte(Eval[string](t, b, "window.axeFound")), &found); err != nil {
		t.Fatal(err)
	}
	if found.Error != "" || found.Passes == 0 {
		t.Fatalf("axe-core: %d rules hold; %s", found.Passes, found.Error)
	}
	return found.Violations
}
