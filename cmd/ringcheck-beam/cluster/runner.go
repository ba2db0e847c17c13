package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/exec/optimized" // calls functions faster
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/dataflow"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/flink"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/spark"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
)

// A runner executes pipelines.
type runner struct {
	name     string
	endpoint string // of a job service; "" if the runner brings its own
}

// known are the runners, and whether they need an endpoint.
var known = map[string]bool{"prism": false, "dataflow": false, "flink": true, "spark": true, "universal": true}

// errNoRunner means that nothing answers at the runner's endpoint.
var errNoRunner = errors.New("the runner does not answer")

// answerWithin limits the wait for a runner's answer; tests shorten it.
var answerWithin = 10 * time.Second

// checkEvery is the interval for polling a working runner.
const checkEvery = 5 * time.Second

// runnerOf returns the runner selected by Beam's flags.
func runnerOf(ctx context.Context) (*runner, error) {
	quiet()
	r := &runner{name: *runners.Runner, endpoint: *jobopts.Endpoint}
	if r.name == "" {
		r.name = "prism"
	}
	if err := chooseBinary(); err != nil {
		return nil, err
	}
	wants, ok := known[r.name]
	switch {
	case !ok:
		return nil, refuse("runner", r.name, "expected prism, flink, dataflow, spark or universal")
	case wants && r.endpoint == "":
		return nil, refuse("runner", r.name, "it needs the --endpoint of its job service")
	case r.endpoint != "":
		if err := r.answers(ctx); err != nil {
			return nil, refuse("endpoint", r.endpoint, "%w", err)
		}
	}
	return r, nil
}

// chooseBinary sets the binary sent to workers: this program, unless they have their own.
func chooseBinary() (err error) {
	switch {
	case *jobopts.WorkerBinary != "":
	case strings.EqualFold(*jobopts.EnvironmentType, "EXTERNAL"),
		strings.EqualFold(*jobopts.EnvironmentType, "PROCESS"):
		*jobopts.WorkerBinary = os.DevNull
	default:
		*jobopts.WorkerBinary, err = os.Executable()
	}
	return err
}

// answers returns an error unless a job service answers, whatever it says.
func (r *runner) answers(ctx context.Context) error {
	if r.endpoint == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	conn, err := grpc.NewClient(r.endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return fmt.Errorf("%w: %w", errNoRunner, err)
	}
	defer conn.Close()
	_, err = jobpb.NewJobServiceClient(conn).GetJobs(ctx, &jobpb.GetJobsRequest{})
	switch status.Code(err) {
	case codes.Unavailable, codes.DeadlineExceeded:
		return fmt.Errorf("%w: %s", errNoRunner, status.Convert(err).Message())
	}
	return nil
}

// execute runs a pipeline and abandons it after stall without progress. progress, polled at intervals, reports whether
// something was completed since the last call.
func (r *runner) execute(
	ctx context.Context, every, stall time.Duration, p *beam.Pipeline, progress func(context.Context) bool,
) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	remove, err := ownFolder()
	if err != nil {
		return err
	}
	defer remove()
	done := make(chan error, 1)
	go func() { done <- r.run(ctx, p) }()
	ask, check := time.NewTicker(every), time.NewTicker(checkEvery)
	defer ask.Stop()
	defer check.Stop()
	latest, silent := time.Now(), 0
	for {
		select {
		case err := <-done:
			return err
		case <-ctx.Done():
			return ctx.Err()
		case <-ask.C:
			if progress(ctx) {
				latest = time.Now()
			}
		case <-check.C:
			if time.Since(latest) > stall {
				return fmt.Errorf("no level was completed in %v", stall)
			}
			if err := r.answers(ctx); err == nil {
				silent = 0
			} else if silent++; silent == 2 {
				return err
			}
		}
	}
}

// ownFolder gives this process its own temporary folder, since Beam's SDK leaves a file there per pipeline.
func ownFolder() (remove func(), err error) {
	const variable = "TMPDIR" // see os.TempDir
	before := os.Getenv(variable)
	dir, err := os.MkdirTemp("", "ringcheck-beam-*")
	if err != nil {
		return nil, err
	}
	return func() {
		os.Setenv(variable, before)
		os.RemoveAll(dir)
	}, os.Setenv(variable, dir)
}

// run calls beam.Run and turns panics into errors.
func (r *runner) run(ctx context.Context, p *beam.Pipeline) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the runner %s: %v", r.name, v)
		}
	}()
	_, err = beam.Run(ctx, r.name, p)
	return err
}

// quiet discards what Beam and its runners log to standard error: errors that matter are returned.
func quiet() {
	silence := slog.New(slog.NewTextHandler(io.Discard, nil))
	slog.SetDefault(silence)
	log.SetLogger(discard{})
}

type discard struct{}

func (discard) Log(context.Context, log.Severity, int, string) {}
