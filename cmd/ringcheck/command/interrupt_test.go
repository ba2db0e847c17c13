package command

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"ringcheck/internal/test/filetest"
	"ringcheck/internal/test/testlevel"
)

var (
	interruptions = testlevel.Cases(24, 500) // how many runs TestInterruptions ends before they are done
)

// A fuse is a context that ends after a number of looks at it, so that the same phase is interrupted on machines of any
// speed.
type fuse struct {
	context.Context
	mu   sync.Mutex
	left int // 0: it has ended
	done chan struct{}
	why  error
}

func newFuse(left int, why error) *fuse {
	return &fuse{Context: context.Background(), left: left, why: why, done: make(chan struct{})}
}

func (f *fuse) burn() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.left--; f.left == 0 {
		close(f.done)
	}
}

func (f *fuse) Done() <-chan struct{} {
	f.burn()
	return f.done
}

func (f *fuse) Err() error {
	f.burn()
	select {
	case <-f.done:
		return f.why
	default:
		return nil
	}
}

// TestInterruptions: a command whose context ends at any point returns a report that says so, and a report that claims
// to be complete lacks nothing.
func TestInterruptions(t *testing.T) {
	spec, err := filepath.Abs("testdata/every.ring")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	log := attempt(t.Context(), []string{"conform", spec, "--sample", "40"})
	filetest.Write(t, "log.jsonl", log.stdout)
	lines := interruptible()
	r := rand.New(rand.NewPCG(1, 26))
	for i, line := range lines {
		count := interruptions()*(i+1)/len(lines) - interruptions()*i/len(lines)
		if count == 0 {
			continue
		}
		args := append(strings.Fields(strings.ReplaceAll(line, "SPEC", spec)), "--json")
		long := newFuse(math.MaxInt, nil)
		whole := attempt(long, args)
		looks := math.MaxInt - long.left
		if whole.status > statusViolated || looks == 0 {
			t.Errorf("%s: status %d, %d looks at the context: %s", line, whole.status, looks, whole.stderr)
			continue
		}
		for range count {
			why, at := []error{context.Canceled, context.DeadlineExceeded}[r.IntN(2)], 1+r.IntN(looks)
			got := attempt(newFuse(at, why), args)
			if problem := got.judge(&whole); problem != "" {
				t.Errorf("%s: %v at look %d of %d: status %d, %s\n%.400s\n%.400s", line, why, at, looks, got.status,
					problem, got.stderr, got.stdout)
				break
			}
		}
	}
}

// interruptible returns commands, each with phases that others lack.
func interruptible() []string {
	const plain = " --property small --property alone --property idle --property silent --property some --property " +
		"election"
	// A budget of one MiB limits the garbage collector of this process, too: these come first, while the heap is small.
	lines := []string{"explore SPEC --mem 1MiB", "check SPEC --mem 1MiB --property alone"}
	for _, search := range []string{
		"", " --reduce onthefly", " --engine symbolic", " --engine symbolic --reduce confelm",
	} {
		lines = append(lines, "explore SPEC"+search, "check SPEC"+plain+search)
	}
	return append(lines,
		"explore SPEC --symmetry rotation", "explore SPEC --out x.aut",
		"check SPEC", "check SPEC -n 2 --coverage", "check SPEC -n 2 --fair strong", "check SPEC --stop-first",
		"check SPEC --symmetry rotation"+plain, "check SPEC --property likely --property cheap",
		"counterexample SPEC", "counterexample SPEC --property sure", "counterexample SPEC -n 2 --property calm",
		"counterexample SPEC --symmetry rotation"+plain,
		"counterexample SPEC --reduce onthefly --property election", "counterexample franklin --no-bits",
		"witness SPEC", "witness SPEC --symmetry rotation",
		"prob SPEC", "prob SPEC --exact --within 7", "prob SPEC --witness max --scheduler max",
		"prob SPEC --symmetry rotation", "prob SPEC --within 0..9", "prob SPEC --export x.umb",
		"simulate SPEC --runs 300", "sweep SPEC -n 2..3", "sweep SPEC -n 2..3 --check", "minimize SPEC",
		"minimize SPEC --equivalence strong",
		"minimize SPEC --equivalence probabilistic", "compare SPEC SPEC", "compare SPEC franklin -n 2",
		"compare SPEC SPEC --equivalence strong --symmetry rotation",
		"tests SPEC --cover actions", "conform SPEC log.jsonl", "conform SPEC log.jsonl --order process --observe send",
	)
}

// An ended is the status and output of a command.
type ended struct {
	status int
	stdout string
	stderr string
}

func attempt(ctx context.Context, args []string) ended {
	defer debug.SetGCPercent(debug.SetGCPercent(100)) // a command with --mem leaves it lower
	var stdout, stderr bytes.Buffer
	status := ringcheckProgram().call(&stdout, &stderr).attempt(ctx, args)
	return ended{status, stdout.String(), stderr.String()}
}

// judge compares an interrupted command with the whole one and says what is wrong. Beside a
// violation, other results may be missing.
func (e *ended) judge(whole *ended) string {
	got, ok := parse(e.stdout)
	want, _ := parse(whole.stdout)
	same := reflect.DeepEqual(got, want)
	switch {
	case !ok:
		return "no JSON object"
	case e.status == statusStopped && same:
		return "nothing is missing"
	case e.status == statusStopped:
		return ""
	case e.status != whole.status:
		return "another status"
	case !same && e.status != statusViolated:
		return "something is missing"
	}
	return ""
}

// parse returns a report without members that differ from run to run.
func parse(text string) (report any, ok bool) {
	if text == "" || json.Unmarshal([]byte(text), &report) != nil {
		return nil, false
	}
	return lasting(report), true
}

func lasting(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if slices.Contains([]string{"seconds", "peak_rss_bytes", "transitions_per_second", "visited", "bytes",
				"peak_nodes", "events_per_second"}, key) {
				delete(v, key)
			} else {
				v[key] = lasting(value)
			}
		}
	case []any:
		for i := range v {
			v[i] = lasting(v[i])
		}
	}
	return v
}

// TestLowerBounds: a command that ends after its search, but before its report is complete, still has the numbers of
// the search, as JSON and as text.
func TestLowerBounds(t *testing.T) {
	spec, err := filepath.Abs("testdata/every.ring")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	log := attempt(t.Context(), []string{"conform", spec, "--sample", "40"})
	filetest.Write(t, "log.jsonl", log.stdout)
	const plain = " --property small --property alone --property silent --property some --property election"
	for _, test := range []struct{ line, number string }{
		{"explore SPEC", "states"},
		{"explore SPEC --mem 1MiB", "states"},
		{"explore SPEC --engine symbolic", "states"},
		{"explore SPEC --symmetry rotation", "states"},
		{"check SPEC", "states"},
		{"check SPEC --mem 1MiB --property alone", "states"},
		{"check SPEC --engine symbolic" + plain, "states"},
		{"check SPEC --engine symbolic --reduce confelm" + plain, "states"},
		{"check SPEC -n 2 --coverage --property alone", "states"},
		{"check SPEC --property likely", "states"},
		{"counterexample SPEC --property alone", "searched 0 states"},
		{"counterexample SPEC -n 2 --property calm", "searched 0 states"},
		{"witness SPEC", "searched 0 states"},
		{"minimize SPEC", "from states"},
		{"minimize SPEC --equivalence probabilistic", "from states"},
		{"compare SPEC SPEC", "a states"},
		{"prob SPEC", "states"},
		{"prob SPEC --exact", "branches"},
		{"sweep SPEC -n 2..3", "rows 0 outcome states"},
		{"sweep SPEC -n 2..3 --check", "rows 0 outcome states"},
		{"conform SPEC log.jsonl", ""},
		{"tests SPEC --cover actions", ""},
		{"export SPEC --format promela", ""},
		{"conform SPEC --sample 50", ""},
		{"prove chang-roberts", ""},
		{"view SPEC --out x.html", ""},
	} {
		args := strings.Fields(strings.ReplaceAll(test.line, "SPEC", spec))
		long := newFuse(math.MaxInt, nil)
		if whole := attempt(long, append(args, "--json")); whole.status > statusViolated {
			t.Errorf("%s: status %d: %s", test.line, whole.status, whole.stderr)
			continue
		}
		last := math.MaxInt - long.left - 1
		got := attempt(newFuse(last, context.DeadlineExceeded), append(args, "--json"))
		text := attempt(newFuse(last, context.DeadlineExceeded), args)
		report, ok := parse(got.stdout)
		switch {
		case !ok:
			t.Errorf("%s: status %d, no JSON object: %.400s", test.line, got.status, got.stdout)
		case got.status > statusViolated && got.status != statusStopped:
			t.Errorf("%s: status %d: %s", test.line, got.status, got.stderr)
		case got.status == statusStopped && !strings.Contains(got.stdout, `"stopped":"timeout"`):
			t.Errorf("%s: it is not said why: %.400s", test.line, got.stdout)
		case got.status != statusStopped || test.number == "":
		default:
			n, _ := member(report, strings.Fields(test.number)).(float64)
			if n == 0 || noStates.MatchString(text.stdout) {
				t.Errorf("%s: %s is %v:\n%.400s\n%.400s", test.line, test.number, n, got.stdout, text.stdout)
			}
		}
	}
}

var noStates = regexp.MustCompile(`(?m)^ *states +0$`)

// TestCoverageOutOfMemory: the verdicts stay if the memory suffices for the search, but not for the coverage.
func TestCoverageOutOfMemory(t *testing.T) {
	got := attempt(t.Context(), strings.Fields("check testdata/every.ring -n 4 --property small --coverage --mem 1MiB"))
	for _, want := range []string{"incomplete (memory)", "small  holds", "states           14,537"} {
		if got.status != statusStopped || !strings.Contains(got.stdout, want) {
			t.Errorf("status %d, want %q: %s%s", got.status, want, got.stdout, got.stderr)
		}
	}
}

// member returns the value at a path of names and indices, nil if there is none.
func member(v any, path []string) any {
	for _, name := range path {
		switch of := v.(type) {
		case map[string]any:
			v = of[name]
		case []any:
			if i, err := strconv.Atoi(name); err != nil || i >= len(of) {
				return nil
			} else {
				v = of[i]
			}
		}
	}
	return v
}
