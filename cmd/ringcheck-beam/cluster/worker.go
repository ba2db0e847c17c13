package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/harness"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
	"github.com/spf13/cobra"

	"ringcheck"
	"ringcheck/cmd/ringcheck-beam/level"
)

// process caches a system per search, for all work of this process: Beam gives steps nothing but their fields. The key
// includes the job, since a folder may be reused.
var process struct {
	sync.Mutex
	systems map[string]*level.System
}

// keptSystems is the size of the cache.
const keptSystems = 4

// systemFor returns the system for the search in a folder.
func systemFor(ctx context.Context, dir string) (*level.System, level.Files, error) {
	files, err := Open(dir)
	if err != nil {
		return nil, nil, err
	}
	job, err := level.ReadJob(ctx, files)
	if err != nil {
		return nil, nil, err
	}
	id, err := json.Marshal(job)
	if err != nil {
		return nil, nil, err
	}
	key := dir + "\x00" + string(id)
	process.Lock()
	defer process.Unlock()
	if sys, ok := process.systems[key]; ok {
		return sys, files, nil
	}
	prepared, err := prepare(ctx, job)
	if err != nil {
		return nil, nil, err
	}
	sys, err := newLevelSystem(prepared, job.Shards, files)
	if err != nil {
		return nil, nil, err
	}
	if process.systems == nil || len(process.systems) == keptSystems {
		process.systems = make(map[string]*level.System)
	}
	process.systems[key] = sys
	return sys, files, nil
}

func newLevelSystem(p *ringcheck.Prepared, shards int, files level.Files) (*level.System, error) {
	if p.Judge == nil {
		return level.NewSystem(p.Searched, shards, files, nil)
	}
	return level.NewSystem(p.Searched, shards, files, p.Judge)
}

// prepare compiles the spec of a job.
func prepare(ctx context.Context, job *level.Job) (*ringcheck.Prepared, error) {
	sys, err := job.System()
	if err != nil {
		return nil, err
	}
	var opt ringcheck.Search
	job.Apply(&opt)
	if job.Properties != nil {
		return ringcheck.PrepareCheck(ctx, sys, job.Properties, opt)
	}
	return ringcheck.Prepare(ctx, sys, opt)
}

// marker and markerEnd enclose a step's error message, so that the driver can find it in the runner's error.
const marker, markerEnd = "ringcheck failure: ", " :end of failure"

// do runs a step.
func (p stepLevel) do(ctx context.Context, step string, work func(*level.System, level.Files) error) error {
	sys, files, err := systemFor(ctx, p.Dir)
	if err == nil {
		err = checkToken(ctx, files, p.Pipeline)
	}
	if err == nil {
		err = work(sys, files)
	}
	if err != nil {
		return fmt.Errorf("%slevel %d, %s: %w%s", marker, p.Level, step, err, markerEnd)
	}
	return nil
}

// causeOf returns the message of the step that made a pipeline fail, or else the last line of the runner's error.
func causeOf(err error) string {
	text := err.Error()
	if _, after, ok := strings.Cut(text, marker); ok {
		cause, _, _ := strings.Cut(after, markerEnd)
		return strings.Join(strings.Fields(cause), " ")
	}
	last := ""
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			last = line
		}
	}
	return last
}

// prismCommand returns the command that runs Prism as a server.
func prismCommand() *cobra.Command {
	var port int
	cmd := &cobra.Command{
		Use:   "prism",
		Short: "Serve as a runner on this machine (--runner universal --endpoint HOST:PORT)",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			quiet()
			if _, err := prism.CreateJobServer(cmd.Context(), prism.Options{Port: port}); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "localhost:%d\n", port)
			<-cmd.Context().Done()
			return nil
		},
	}
	cmd.Flags().IntVar(&port, "port", 8073, "listen at port `N`")
	return cmd
}

// IsWorker reports whether a runner started this process as a worker with these arguments (--environment_type PROCESS).
func IsWorker(args []string) bool { return argument(args, "provision_endpoint") != "" }

// Work runs a worker until the runner stops it.
func Work(ctx context.Context, args []string) error {
	quiet()
	ctx = grpcx.WriteWorkerID(ctx, argument(args, "id")) // without it no service answers
	info, err := tools.ProvisionInfo(ctx, argument(args, "provision_endpoint"))
	if err != nil {
		return err
	}
	return harness.MainWithOptions(ctx, info.GetLoggingEndpoint().GetUrl(), info.GetControlEndpoint().GetUrl(),
		harness.Options{StatusEndpoint: info.GetStatusEndpoint().GetUrl(),
			RunnerCapabilities: info.GetRunnerCapabilities()})
}

// argument returns the value of --name=value without quotes, "" if absent.
func argument(args []string, name string) string {
	for _, arg := range args {
		if value, ok := strings.CutPrefix(arg, "--"+name+"="); ok {
			return strings.Trim(value, "'\"")
		}
	}
	return ""
}
