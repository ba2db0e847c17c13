package regress_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ringcheck"
	"ringcheck/internal/test/filetest"
	"ringcheck/results/experiment"
	"ringcheck/results/regress"
)

// parse reads a file with the given entries.
func parse(t *testing.T, entries string) *regress.File {
	t.Helper()
	f, err := regress.Parse("test.json", []byte(`{"entries": [`+entries+`]}`))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func run(t *testing.T, f *regress.File, opt regress.Options) *regress.Report {
	t.Helper()
	r, err := f.Run(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const (
	right = `{"spec": "franklin", "params": {"n": 2}, "expect": {"states": 657, "transitions": 1368, "quotient": {"equivalence": "branching", "states": 2, "transitions": 1}}}`
	wrong = `{"spec": "franklin", "params": {"n": 3}, "expect": {"states": 15446, "transitions": 43968}}`
	large = `{"spec": "franklin", "params": {"n": 6}, "full": true, "expect": {"states": 260753105}}`
)

func TestRun(t *testing.T) {
	quick := func(e *regress.Entry) bool { return !e.Full }
	r := run(t, parse(t, right+","+wrong+","+large), regress.Options{Select: quick})
	for i, want := range []regress.Status{regress.Same, regress.Differs, regress.NotRun} {
		if got := r.Results[i]; got.Status != want {
			t.Errorf("%s is %s, want %s", got.Name, got.Status, want)
		}
	}
	want := []regress.Difference{{"states", ringcheck.Count(15446), ringcheck.Count(15445)}}
	if diff := cmp.Diff(want, r.Results[1].Differences); diff != "" {
		t.Error(diff)
	}
	text := r.Document("f.json").Text()
	for _, want := range []string{"differs     franklin n=3 k=2  ",
		"\n              states: expected 15,446, found 15,445 (-1)\n", "\n3 entries: 1 ok, 1 differs, 1 not run\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestEveryMemberIsCompared(t *testing.T) {
	f := parse(t, `{"spec": "franklin", "params": {"n": 2}, "expect": {"states": 1, "transitions": 1, "terminal_states": 1, "levels": 1,
		"stored_states": 1, "internal_states": 1, "properties": {"elected": {"holds": false, "trace_length": 7}}, "quotient": {"equivalence": "strong", "states": 3, "transitions": 4}}}`)
	var members []string
	for _, d := range run(t, f, regress.Options{}).Results[0].Differences {
		members = append(members, d.Member)
	}
	want := []string{"states", "transitions", "terminal_states", "levels", "stored_states", "internal_states",
		"properties.elected", "quotient.states", "quotient.transitions"}
	if diff := cmp.Diff(want, members); diff != "" {
		t.Error(diff)
	}
}

// TestUnknownLength: an expected violation need not give the length of the run.
func TestUnknownLength(t *testing.T) {
	for expected, same := range map[string]bool{`"holds": false`: true, `"holds": false, "trace_length": 24`: true,
		`"holds": false, "trace_length": 0`: false} {
		f := parse(t, `{"spec": "franklin", "params": {"n": 3}, "options": {"bits": false}, "expect": {"properties": {"elected": {`+expected+`}}}}`)
		if got := run(t, f, regress.Options{}).Results[0].Differences; (len(got) == 0) != same {
			t.Errorf("%s: %v", expected, got)
		}
	}
}

func TestIncomplete(t *testing.T) {
	f := parse(t, right+","+wrong)
	r := run(t, f, regress.Options{Search: ringcheck.Search{MaxStates: 1000}})
	if r.Results[0].Status != regress.Same || r.Results[1].Status != regress.Incomplete {
		t.Errorf("%s, %s; want ok, incomplete", r.Results[0].Status, r.Results[1].Status)
	}
	f.Update(r)
	if got := *f.Entries[1].Expect.States; got != 15446 {
		t.Errorf("a run that is not complete changed the expected states to %d", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r, err := f.Run(ctx, regress.Options{OnStart: func(*regress.Entry) { cancel() }})
	if err != nil || !r.Interrupted || r.Results[1].Status != regress.NotRun {
		t.Errorf("after an interrupt: error %v, interrupted %v, %s", err, r.Interrupted, r.Results[1].Status)
	}
}

// TestUpdate: an updated file expects what was found, and an entry without expectations gets all counts.
func TestUpdate(t *testing.T) {
	f := parse(t, wrong+`, {"spec": "dkr", "params": {"n": 2}}, {"spec": "dkr", "params": {"n": 2}, "engine": "symbolic"}`)
	f.Update(run(t, f, regress.Options{Update: true}))
	text, err := f.Format()
	if err != nil {
		t.Fatal(err)
	}
	again, err := regress.Parse("test.json", text)
	if err != nil {
		t.Fatal(err)
	}
	if r := run(t, again, regress.Options{}); r.Count(regress.Same) != 3 {
		t.Errorf("after an update: %s", r.Summary())
	}
	if x := again.Entries[0].Expect; x.TerminalStates != nil || *x.States != 15445 {
		t.Errorf("updated to %+v", x)
	}
	if x := again.Entries[1].Expect; x.TerminalStates == nil || x.Levels == nil || x.StoredStates != nil {
		t.Errorf("filled in %+v", x)
	}
	if x := again.Entries[2].Expect; x.TerminalStates == nil || x.Levels != nil || x.StoredStates != nil {
		t.Errorf("filled in %+v for the symbolic engine", x)
	}
}

func TestParseErrors(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{``, `f.json:1:1: not JSON: unexpected EOF`},
		{`[]`, `f.json:1:1: the file: a [ is not allowed here`},
		{`{}`, `f.json:1:1: no "entries"`},
		{"{\n \"entrys\": []}", `f.json:2:2: unknown member "entrys"`},
		{"{\"entries\": [\n  {\"spec\": \"dkr\", \"full\": 1}]}",
			`f.json:2:27: full: a number is not allowed here`},
		{"{\"entries\": [\n  {\"spec\": \"dkr\", \"expect\": {\"statez\": 1}}]}",
			`f.json:2:30: unknown member "statez"`},
		{"{\"entries\": [\n  {\"spec\": \"dkr\", \"expect\": {\"states\": 2, \"deadlocks\": 1}}]}",
			`f.json:2:43: unknown member "deadlocks": its name is "terminal_states"`},
		{"{\"entries\": [\n  {\"spec\": \"dkr\", \"expect\": {\"states\": -1}}]}",
			`f.json:2:40: states: -1 is not a count`},
		{"{\"entries\": [\n  {\"expect\": {}}]}", `f.json:2:3: the entry has no "spec"`},
		{"{\"entries\": [\n  {\"spec\": \"dkr\", \"params\": {\"n\": 1}}]}",
			`f.json:2:3: spec dkr: parameter n: 1 is not in 2..1000`},
		{"{\"entries\": [\n  {\"spec\": \"dkr\", \"params\": {\"n\": [1]}}]}",
			`f.json:2:29: params: the value of "n" is not a number, a boolean or a string`},
		{"{\"entries\": [\n  {\"spec\": \"dkr\", \"reduction\": \"much\"}]}",
			`f.json:2:32: reduction: expected none, confelm or onthefly`},
		{"{\"entries\": [\n  {\"spec\": \"drk\", \"params\": {\"n\": 2}}]}", `f.json:2:3: spec drk: no spec "drk"`},
		{"{\"entries\": [\n  {\"spec\": \"no.ring\", \"params\": {\"n\": 2}}]}", `f.json:2:3: spec dir/no.ring: `},
		{"{\"entries\": [{\"spec\": \"dkr\", \"params\": {\"n\": 2}},\n{\"spec\": \"dkr\", \"params\": {\"k\": 2, \"n\": 2}}]}", `f.json:2:1: dkr n=2 k=2 occurs twice`},
		{"{\"entries\": [{\"spec\": \"dkr\", \"params\": {\"n\": 2}, \"claims\": [\"x\"]}]}",
			`f.json:1:14: there is no claim "x"`},
		{"{\"entries\": [{\"spec\": \"dkr\", \"params\": {\"n\": 2}, \"expect\": {\"properties\": {\"fair\": " +
			"{\"holds\": true}}}}]}",
			`f.json:1:14: property fair: dkr states no such property`},
		{"{\"entries\": [\n{\"spec\": \"dkr\", \"params\": {\"n\": 2}, \"expect\": {\"quotient\": {\"equivalence\": \"weak\", \"states\": 1, \"transitions\": 1}}}]}", `f.json:2:1: quotient: unknown equivalence "weak"`},
		{`{"entries": [{"spec": "dkr", "params": {"n": 2}, "engine": "symbolic", "expect": {"levels": 9}}]}`,
			`f.json:1:14: engine symbolic: it counts neither levels nor stored or internal states`},
		{expecting(`"quotient": {"equivalence": "strong", "states": 1}`),
			`f.json:2:13: quotient: it has no "transitions"`},
		{expecting(`"values": []`), `f.json:2:11: values: it is empty and expects nothing: omit it or fill it in`},
		{expecting(`"properties": {}`), `f.json:2:15: properties: it is empty and expects nothing: omit it or fill it in`},
		{expecting(`"properties": {"unique": {}}`), `f.json:2:26: properties.unique: it has no "holds"`},
		{expecting(`"properties": {"unique": {"trace_length": 3}}`),
			`f.json:2:26: properties.unique: it has no "holds"`},
		{expecting(`"values": [{"until": "elected", "scheduler": "max"}]`), `f.json:2:12: values.0: it has no "low"`},
		{expecting(value(0, 1, "")), `f.json:1:14: values[0]: `},
		{expecting(value(0, 1e308, `"reward": "steps", `)), `f.json:1:14: values[0]: `},
		{expecting(value(2, 1, `"reward": "steps", `)), `f.json:1:14: values[0]: `},
	} {
		path := "f.json"
		if strings.Contains(test.text, "no.ring") {
			path = "dir/f.json"
		}
		_, err := regress.Parse(path, []byte(test.text))
		if err == nil || !strings.HasPrefix(strings.TrimPrefix(err.Error(), "dir/"), test.want) {
			t.Errorf("%s\ngave %v\nwant %s", test.text, err, test.want)
		}
	}
}

// expecting returns a file with one entry, whose expectation is on the second line.
func expecting(what string) string {
	return "{\"entries\": [{\"spec\": \"dkr\", \"params\": {\"n\": 2}, \"expect\": {\n" + what + "}}]}"
}

func value(low, high float64, reward string) string {
	return fmt.Sprintf(`"values": [{%s"until": "elected", "scheduler": "max", "low": %g, "high": %g}]`, reward, low,
		high)
}

// TestLongErrors: an error about a long text is short and gives the place.
func TestLongErrors(t *testing.T) {
	long := strings.Repeat("7", 1<<20)
	for _, text := range []string{
		expecting(`"states": ` + long), expecting(`"states": "` + long + `"`), expecting(`"` + long + `": 1`),
		expecting(`"values": [{"until": "elected", "scheduler": "max", "low": ` + long + `, "high": 1e999}]`),
		expecting(`"properties": {"` + long + `": {"holds": true}}`), expecting(`"properties": {"` + long + `": {}}`),
		`{"entries": [{"spec": "dkr", "params": {"n": ` + long + `}}]}`, `{"entries": [{"spec": "` + long + `"}]}`,
		`{"entries": [{"spec": "dkr", "params": {"` + long + `": 1}}]}`, `{"entries": [{"spec": "dkr", "claims": ["` +
			long + `"]}]}`,
	} {
		if _, err := regress.Parse("f.json", []byte(text)); err == nil || len(err.Error()) > 400 ||
			!strings.HasPrefix(err.Error(), "f.json:") {
			t.Errorf("%.100s: %.1000v", text, err)
		}
	}
}

// TestRelativeSpec: the path of a spec is relative to the file.
func TestRelativeSpec(t *testing.T) {
	dir := t.TempDir()
	text := "protocol tick\nparam n: 1..9\ntopology directed ring of n\nevent tick\nprocess p = A\nA = tick; stop\n"
	filetest.Write(t, filepath.Join(dir, "tick.ring"), text)
	f, err := regress.Parse(filepath.Join(dir, "f.json"),
		[]byte(`{"entries": [{"spec": "tick.ring", "params": {"n": 3}, "expect": {"states": 8}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if r := run(t, f, regress.Options{}); r.Count(regress.Same) != 1 || r.Results[0].Name != "tick.ring n=3" {
		t.Errorf("%s: %+v", r.Summary(), r.Results[0])
	}
}

func TestJUnit(t *testing.T) {
	r := &regress.Report{Results: []*regress.Result{
		{Name: "a", Status: regress.Same, Outcome: &experiment.Result{Complete: true, Seconds: 1.5}},
		{Name: "b", Status: regress.Differs, Outcome: &experiment.Result{Complete: true},
			Differences: []regress.Difference{{"states", ringcheck.Count(1), ringcheck.Count(2)}}},
		{Name: "c", Status: regress.Incomplete, Outcome: &experiment.Result{Stopped: "timeout"}},
		{Name: "d", Status: regress.NotRun},
	}}
	var text bytes.Buffer
	if err := r.Document("f.json").Write(&text, ".xml"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<testsuite name="f.json" tests="4" failures="1" errors="1" skipped="1" time="1.500">`,
		`<failure message="states: expected 1, found 2 (+1)">`,
		`<error message="incomplete: timeout">`,
		`<skipped message="not run">`,
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %s in %s", want, text.String())
		}
	}
}

func TestReportJSON(t *testing.T) {
	r := run(t, parse(t, wrong), regress.Options{})
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if want := `"differences":[{"member":"states","expected":15446,"found":15445}]`; !strings.Contains(string(data),
		want) {
		t.Errorf("no %s in %s", want, data)
	}
}
