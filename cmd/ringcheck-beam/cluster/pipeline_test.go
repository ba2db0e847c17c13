package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/dataflow/dataflowlib"
	"google.golang.org/protobuf/proto"

	"ringcheck"
	"ringcheck/cmd/ringcheck-beam/level"
)

func init() { answerWithin = time.Second }

// TestDataflowLimit checks that 64 levels stay far below Dataflow's job size limit of 20 MB. Nothing is submitted.
func TestDataflowLimit(t *testing.T) {
	const limit = 20 << 20
	edges, _, err := pipeline(stepLevel{Dir: "gs://bucket/run"}, 64).Build()
	if err != nil {
		t.Fatal(err)
	}
	env, err := graphx.CreateEnvironment(t.Context(), graphx.URNEnvDocker,
		func(context.Context) string { return "image" })
	if err != nil {
		t.Fatal(err)
	}
	model, err := graphx.Marshal(edges, &graphx.Options{Environment: env})
	if err != nil {
		t.Fatal(err)
	}
	job, err := dataflowlib.Translate(t.Context(), model, &dataflowlib.JobOptions{Name: "ringcheck", Project: "project",
		Region: "region"}, "gs://bucket/worker", "gs://bucket/model", "hash")
	if err != nil {
		t.Fatal(err)
	}
	request, err := json.Marshal(job)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("64 levels: a pipeline of %d bytes, a job of %d bytes", proto.Size(model), len(request))
	if proto.Size(model) > limit || len(request) > limit {
		t.Errorf("the pipeline takes %d bytes, the job %d: too large", proto.Size(model), len(request))
	}
}

// TestCause checks that a step's message is found in the runner's error.
func TestCause(t *testing.T) {
	err := stepLevel{Dir: t.TempDir(), Level: 3}.do(t.Context(), "merge", nil)
	if err == nil {
		t.Fatal("there is no search")
	}
	for text, want := range map[string]string{
		"bundle failed\n\tcaused by: " + err.Error() + "\nand more": "level 3, merge: ",
		"one\ntwo\n\n": "two",
	} {
		if got := causeOf(errors.New(text)); len(got) < len(want) || got[:len(want)] != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestFolderLost checks that a search stops with an error when its folder is removed.
func TestFolderLost(t *testing.T) {
	s := &search{
		Engine: &Engine{dir: t.TempDir(), shards: 1, unroll: 1, stall: time.Minute}, files: level.Folder(t.TempDir()),
		last: &level.Manifest{LevelSizes: []uint64{1}}, runner: &runner{name: "universal"},
	}
	if _, err := s.runLevels(t.Context()); !errors.Is(err, ringcheck.ErrIncomplete) {
		t.Errorf("got %v", err)
	}
}

// TestTwoDrivers checks that the later driver goes on and the earlier one removes nothing.
func TestTwoDrivers(t *testing.T) {
	sys, err := ringcheck.Load("itai-rodeh", ringcheck.Set{"n": 2, "k": 2})
	if err != nil {
		t.Fatal(err)
	}
	e := &Engine{dir: t.TempDir(), shards: 2, unroll: 32, stall: time.Minute}
	begin := func() *search {
		s, err := e.search(t.Context(), sys, ringcheck.Search{}, ringcheck.Prepare)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	first := begin()
	second := begin()
	if _, err := first.runLevels(t.Context()); !errors.Is(err, errDriven) || !errors.Is(err, ringcheck.ErrIncomplete) {
		t.Errorf("the first: %v", err)
	}
	first.leave(t.Context())
	if _, err := second.runLevels(t.Context()); err != nil {
		t.Errorf("the second: %v", err)
	}
	second.leave(t.Context())
	if _, err := second.files.Size(t.Context(), driverName); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the search is over, but the file that claims the folder remains: %v", err)
	}
}

// begin begins a search of a small system.
func begin(t *testing.T) (*Engine, *search) {
	t.Helper()
	sys, err := ringcheck.Load("itai-rodeh", ringcheck.Set{"n": 2, "k": 2})
	if err != nil {
		t.Fatal(err)
	}
	e := &Engine{dir: t.TempDir(), shards: 2, unroll: 32, stall: time.Minute}
	s, err := e.search(t.Context(), sys, ringcheck.Search{}, ringcheck.Prepare)
	if err != nil {
		t.Fatal(err)
	}
	return e, s
}

// TestCounters checks that the counters of an undisturbed pipeline are the counts of the search.
func TestCounters(t *testing.T) {
	e, s := begin(t)
	defer s.leave(t.Context())
	initial := s.last
	result, err := beam.Run(t.Context(), "prism", pipeline(stepLevel{Dir: e.dir, Pipeline: s.token}, e.unroll))
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]uint64)
	for _, c := range result.Metrics().AllMetrics().Counters() {
		if c.Key.Namespace == counterNamespace {
			got[c.Key.Name] += uint64(c.Committed)
		}
	}
	m, err := level.LastManifest(t.Context(), s.files)
	if err != nil || !m.Ended() {
		t.Fatalf("%+v, %v", m, err)
	}
	want := map[string]uint64{
		"expanded_states": m.Stored, "transitions": m.Transitions, "new_states": m.States() - initial.States(),
		"shuffled_bytes": m.ShuffledBytes - initial.ShuffledBytes, "levels": uint64(m.Level),
		"new_bytes": got["new_bytes"],
	}
	if !maps.Equal(got, want) || got["new_bytes"] == 0 {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestEarlierPipeline checks that a step fails before it does anything if the driver has begun another pipeline.
func TestEarlierPipeline(t *testing.T) {
	e, s := begin(t)
	earlier := stepLevel{Dir: e.dir, Pipeline: s.token}
	if err := s.claim(t.Context()); err != nil {
		t.Fatal(err)
	}
	work := func(*level.System, level.Files) error { return nil }
	if err := (stepLevel{Dir: e.dir, Pipeline: s.token}).do(t.Context(), "expand", work); err != nil {
		t.Errorf("the current pipeline: %v", err)
	}
	for _, left := range []bool{false, true} {
		if left {
			s.leave(t.Context())
			earlier.Pipeline = s.token
		}
		_, err := beam.Run(t.Context(), "prism", pipeline(earlier, 2))
		if err == nil || causeOf(err) != "level 0, list: "+errDriven.Error() {
			t.Errorf("the driver has left: %v: got %v", left, err)
		}
		if m, err := level.LastManifest(t.Context(), s.files); err != nil || m.Level != 0 {
			t.Errorf("the last level is %+v, %v", m, err)
		}
	}
}

// fullFiles are files in a place that is full.
type fullFiles struct{ level.Files }

var errFull = errors.New("no space left")

func (fullFiles) Write(context.Context, string, func(io.Writer) error) error { return errFull }

// TestClaimFull checks that a driver that cannot claim the next pipeline says why, however often it tries, and can
// claim it later.
func TestClaimFull(t *testing.T) {
	files := level.Folder(t.TempDir())
	s := &search{files: files}
	if err := s.takeOver(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.files = fullFiles{files}
	for range 2 {
		if err := s.claim(t.Context()); !errors.Is(err, errFull) {
			t.Errorf("got %v", err)
		}
	}
	s.files = files
	if err := s.claim(t.Context()); err != nil {
		t.Error(err)
	}
}
