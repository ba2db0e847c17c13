package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ringcheck"
	"ringcheck/internal/test/filetest"
	"ringcheck/results/experiment"
	"ringcheck/results/regress"
)

// ours is the directory of our own results.
const ours = ".."

func parse(t *testing.T, path string) *regress.File {
	t.Helper()
	text := filetest.Read(t, path)
	f, err := regress.Parse(path, text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestOurPage checks that results/README.md and its pictures are those that Page makes of our records.
func TestOurPage(t *testing.T) {
	path := filepath.Join(ours, "regression.json")
	a, err := Open(ours)
	if err != nil {
		t.Fatal(err)
	}
	files, err := a.Page(parse(t, path), path)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		compare(t, name, want)
	}
}

func compare(t *testing.T, name string, want []byte) {
	t.Helper()
	got := filetest.Read(t, filepath.Join(ours, filepath.FromSlash(name)))
	if !bytes.Equal(got, want) {
		t.Errorf("results/%s does not agree with the records; write it with\ngo run ./results/make results\n%s", name,
			firstDifference(string(want), string(got)))
	}
}

// firstDifference shows the first line in which two texts differ. (A whole diff of two pictures takes too much memory.)
func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			return fmt.Sprintf("line %d: got %.200q, want %.200q", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("got %d lines, want %d", len(g), len(w))
}

// TestOurRecords: every record belongs to an entry of our regression file, has its name, and is complete.
func TestOurRecords(t *testing.T) {
	a, err := Open(ours)
	if err != nil {
		t.Fatal(err)
	}
	wanted := make(map[string]bool)
	for _, e := range parse(t, filepath.Join(ours, "regression.json")).Entries {
		wanted[e.Name()] = true
	}
	for name, r := range a.records {
		i, err := r.Instantiate()
		if err != nil {
			t.Error(err)
			continue
		}
		if i.Name() != name || !wanted[name] || !r.Complete {
			t.Errorf("record of %q: the experiment is %q, in regression.json %v, complete %v", name, i.Name(),
				wanted[name], r.Complete)
		}
	}
}

const file = `{
	"claims": {"table-1": "the first table", "a": "first claim", "b": "second claim", "c": "third claim"},
	"entries": [
		{"claims": ["a"], "spec": "franklin", "params": {"n": 2}, "expect": {"states": 657, "properties": {"elected": {"holds": true}}}},
		{"claims": ["a", "b"], "spec": "franklin", "params": {"n": 3}, "expect": {"states": 15445}},
		{"claims": ["c"], "spec": "franklin", "params": {"n": 4}, "expect": {"states": 380608}}
	]}`

func TestPage(t *testing.T) {
	dir := t.TempDir()
	filetest.Write(t, filepath.Join(dir, "f.json"), file)
	a, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	keep(t, a, "franklin n=2 k=2", "2", experiment.Result{
		Complete: true, States: 657, Transitions: 1368, StoredStates: 657,
		Properties: map[string]experiment.Decision{"elected": {Holds: true}},
	})
	keep(t, a, "franklin n=4 k=2", "4", experiment.Result{Complete: true, States: 380609, Transitions: 1396512,
		StoredStates: 100})
	if a, err = Open(dir); err != nil { // reads the records back
		t.Fatal(err)
	}
	files, err := a.Page(parse(t, filepath.Join(dir, "f.json")), filepath.Join(dir, "f.json"))
	if err != nil {
		t.Fatal(err)
	}
	page := files["README.md"]
	for _, want := range []string{
		"- 2 runs: 2026-01-02, ringcheck v1, on quick, 2 cores, 1.0 KiB, linux/amd64\n",
		"| 2 | 2 | normal | 657 | 657 | = | 1,368 | 1,368 | = |",
		"| 3 | 2 | normal | not run | 15,445 |  |",
		"| a | first claim | 2 | confirmed in 1 of them |\n",
		"| b | second claim | 1 | not run |\n",
		"| c | third claim | 1 | **differs** |\n",
		"| `franklin n=2 k=2` | a | 657 | 1,368 | elected holds | ok |\n",
		"| `franklin n=3 k=2` | a, b |  |  |  | not run |\n",
		"| `franklin n=4 k=2` | c | 380,609 | 1,396,512 | 100 states stored | differs; states: expected 380,608, " +
			"found 380,609 (+1) |\n",
		"![franklin](growth/franklin.svg)\n",
	} {
		if !strings.Contains(string(page), want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	if svg := files["growth/franklin.svg"]; !bytes.Contains(svg, []byte("<svg")) {
		t.Errorf("growth/franklin.svg is %.40q", svg)
	}
}

// TestOrigin: the word "run" is singular for one run.
func TestOrigin(t *testing.T) {
	a, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	keep(t, a, "franklin n=2 k=2", "2", experiment.Result{})
	var b bytes.Buffer
	a.writeOrigin(&b)
	if want := "- 1 run: 2026-01-02, ringcheck v1, on quick, "; !strings.HasPrefix(b.String(), want) {
		t.Errorf("%q does not begin with %q", b.String(), want)
	}
}

func keep(t *testing.T, a *Archive, name, n string, o experiment.Result) {
	t.Helper()
	err := a.Keep(&Record{
		Name: name, Version: "v1", Date: "2026-01-02",
		Machine:    Machine{CPU: "quick", Cores: 2, Memory: 1024, OS: "linux", Arch: "amd64"},
		Experiment: experiment.Experiment{Spec: "franklin", Params: ringcheck.Set{"n": n}},
		Result:     o,
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestOpenErrors(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"a.json", `{`, "a.json: unexpected EOF"},
		{"a.json", `{"moons": 2}`, `a.json: json: unknown field "moons"`},
		{"a.json", `{"name": "dkr n=2"}`, `a.json: the record of "dkr n=2" belongs in dkr_n=2.json`},
	} {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, runs), 0o777); err != nil {
			t.Fatal(err)
		}
		filetest.Write(t, filepath.Join(dir, runs, test.name), test.text)
		if _, err := Open(dir); err == nil || !strings.HasPrefix(err.Error(), "reading the records: ") ||
			!strings.HasSuffix(err.Error(), test.want) {
			t.Errorf("%s: got error %v, want %s", test.text, err, test.want)
		}
	}
}

func TestRecordJSON(t *testing.T) {
	text, err := json.Marshal(Record{Name: "x", Machine: ThisMachine(1), Experiment: experiment.Experiment{Spec: "dkr"},
		Result: experiment.Result{States: 3}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"spec":"dkr"`, `"states":3`, `"machine":{"cpu":"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
}
