package cluster

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ringcheck"
	"ringcheck/cmd/internal/request"
	"ringcheck/cmd/ringcheck-beam/level"
	"ringcheck/explore"
)

// An Engine explores and checks on the runners of Apache Beam. It is a command.Cluster.
type Engine struct {
	dir    string
	shards int
	unroll int
	stall  time.Duration
}

// maxShards and maxUnroll exceed what any runner can handle.
const (
	maxShards = 1 << 16
	maxUnroll = 1 << 10
)

// Register implements command.Cluster.
func (e *Engine) Register(flags *pflag.FlagSet) {
	flags.StringVar(&e.dir, "dir", "", "keep states in `DIR`: a folder that all machines see, gs://BUCKET/PATH or "+
		"s3://BUCKET/PATH;\n"+
		"to go on with a run, start it again with the same one")
	flags.IntVar(&e.shards, "shards", 16, "divide states into `N` parts, a few for each core that there is")
	flags.IntVar(&e.unroll, "unroll", 4, "put `K` levels into one pipeline")
	flags.DurationVar(&e.stall, "stall", time.Hour, "begin anew with a pipeline that has not come to the end of a "+
		"level in `D`")
	flag.CommandLine.VisitAll(func(f *flag.Flag) {
		if flags.Lookup(f.Name) == nil && len(f.Name) > 1 {
			flags.AddGoFlag(f)
			flags.Lookup(f.Name).Hidden = f.Name != "runner" && f.Name != "endpoint"
		}
	})
	flags.Lookup("runner").Usage = "`NAME` of the runner: prism (default, in this process unless there is an " +
		"--endpoint), flink, dataflow, spark,\n" +
		"universal; every flag of Beam's Go SDK is passed on to it"
	flags.Lookup("endpoint").Usage = "`HOST:PORT` of the runner's job service"
}

// Commands implements command.Cluster.
func (e *Engine) Commands() []*cobra.Command {
	return []*cobra.Command{workerCommand(), prismCommand()}
}

func (e *Engine) validate() error {
	switch {
	case e.dir == "":
		return refuse("dir", "", "where are the states to be kept?")
	case e.shards < 1 || e.shards > maxShards:
		return refuse("shards", fmt.Sprint(e.shards), "must be from 1 to %d", maxShards)
	case e.unroll < 1 || e.unroll > maxUnroll:
		return refuse("unroll", fmt.Sprint(e.unroll), "must be from 1 to %d", maxUnroll)
	case e.stall <= 0:
		return refuse("stall", fmt.Sprint(e.stall), "must be greater than 0")
	}
	return nil
}

func refuse(option, value, format string, args ...any) error {
	return &ringcheck.RequestError{Option: option, Value: value, Err: fmt.Errorf(format, args...)}
}

// version returns the version of this program, which encodes the states.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == "ringcheck" {
			return m.Version
		}
	}
	return info.Main.Version
}

// jobFor returns the job of a search.
func (e *Engine) jobFor(sys *ringcheck.System, opt *ringcheck.Search, p *ringcheck.Prepared) *level.Job {
	job := &level.Job{Request: *request.New(version(), sys, nil, *opt), Shards: e.shards}
	if p.Judge != nil {
		job.Properties = p.Judge.Names()
	}
	return job
}

// A search is a search driven by this process.
type search struct {
	*Engine
	opt            ringcheck.Search
	preparedSearch *ringcheck.Prepared
	runner         *runner
	files          level.Files
	system         *level.System
	last           *level.Manifest
	until          func(*level.Manifest) bool // ends the search after a level, unless it is nil
	begin          time.Time
	meter          *explore.ProgressMeter
	token          string // of this driver and its current pipeline
}

// Explore implements command.Cluster.
func (e *Engine) Explore(ctx context.Context, sys *ringcheck.System, opt ringcheck.Search) (*ringcheck.Report, error) {
	s, err := e.search(ctx, sys, opt, ringcheck.Prepare)
	if err != nil {
		return nil, err
	}
	defer s.leave(ctx)
	stop, err := s.runLevels(ctx)
	if err != nil {
		return nil, err
	}
	return s.preparedSearch.Report(ctx, s.result(stop))
}

// A preparation is ringcheck.Prepare, or one for properties.
type preparation func(context.Context, *ringcheck.System, ringcheck.Search) (*ringcheck.Prepared, error)

// search returns a search that resumes from the state of the folder.
func (e *Engine) search(ctx context.Context, sys *ringcheck.System, opt ringcheck.Search,
	prepare preparation,
) (*search, error) {
	if err := e.validate(); err != nil {
		return nil, err
	}
	if sys.Spec == nil {
		return nil, &ringcheck.RequestError{
			Err: errors.New("only an instance of a spec can be given to other machines")}
	}
	prepared, err := prepare(ctx, sys, opt)
	if err != nil {
		return nil, err
	}
	run, err := runnerOf(ctx)
	if err != nil {
		return nil, err
	}
	s := &search{Engine: e, opt: opt, preparedSearch: prepared, runner: run, begin: time.Now(),
		meter: explore.NewProgressMeter(opt.Progress, opt.ProgressEvery)}
	return s, s.open(ctx, sys)
}

// openWithin limits the time for opening the folder.
const openWithin = 25 * time.Second

// open claims the folder and reads how far the search has come.
func (s *search) open(ctx context.Context, sys *ringcheck.System) (err error) {
	ctx, cancel := context.WithTimeout(ctx, openWithin)
	defer cancel()
	if s.files, err = Open(s.dir); err != nil {
		return refuse("dir", s.dir, "%w", err)
	}
	if s.system, err = newLevelSystem(s.preparedSearch, s.shards, s.files); err != nil {
		return &ringcheck.RequestError{Err: err}
	}
	if err := s.jobFor(sys, &s.opt, s.preparedSearch).Claim(ctx, s.files); err != nil {
		return refuse("dir", s.dir, "%w", err)
	}
	s.last, err = level.LastManifest(ctx, s.files)
	switch {
	case err == nil && s.last == nil:
		s.last, err = s.system.Begin(ctx)
	case err == nil:
		err = s.last.Check(ctx, s.files)
	}
	if err != nil {
		return refuse("dir", s.dir, "%w", err)
	}
	if err = s.takeOver(ctx); err == nil {
		err = s.last.Collect(ctx, s.files)
	}
	if err != nil {
		return refuse("dir", s.dir, "%w", err)
	}
	return nil
}

// driverName is the file that names the most recent driver and its current pipeline. A step of another pipeline fails:
// a runner may still execute what a driver that is gone has begun, or what this one has abandoned.
const driverName = "driver"

var errDriven = errors.New("another driver has taken over this folder")

// takeOver gives the search a new token.
func (s *search) takeOver(ctx context.Context) error {
	token := rand.Text()
	if err := level.WriteFile(ctx, s.files, driverName, []byte(token)); err != nil {
		return err
	}
	s.token = token
	return nil
}

// claim does the same for the next pipeline, unless another process has taken over the search.
func (s *search) claim(ctx context.Context) error {
	if err := s.checkDriver(ctx); err != nil {
		return err
	}
	return s.takeOver(ctx)
}

// checkDriver returns an error if another process has taken over the search.
func (s *search) checkDriver(ctx context.Context) error { return checkToken(ctx, s.files, s.token) }

// checkToken returns an error if the most recent pipeline has another token.
func checkToken(ctx context.Context, files level.Files, token string) error {
	current, err := level.ReadFile(ctx, files, driverName)
	if errors.Is(err, fs.ErrNotExist) || err == nil && string(current) != token {
		return errDriven
	}
	return err
}

// leave gives up the claim of this process.
func (s *search) leave(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if s.checkDriver(ctx) == nil {
		_ = s.files.Remove(ctx, driverName) // what stays is overwritten by the next driver
	}
}

// collect removes files that are no longer needed.
func (s *search) collect(ctx context.Context) error {
	if err := s.checkDriver(ctx); err != nil {
		return err
	}
	return s.last.Collect(ctx, s.files)
}

// attempts is the number of consecutive pipelines that may fail to complete a level.
const attempts = 3

// runLevels runs pipelines until the search ends, and returns why it ended.
func (s *search) runLevels(ctx context.Context) (explore.Stop, error) {
	failed := 0
	for !s.last.Ended() {
		switch {
		case s.until != nil && s.until(s.last):
			return explore.Matched, nil
		case s.opt.MaxStates > 0 && s.last.Stored >= s.opt.MaxStates:
			return explore.StateLimit, nil
		case errors.Is(ctx.Err(), context.DeadlineExceeded):
			return explore.Deadline, nil
		case ctx.Err() != nil:
			return explore.Interrupted, nil
		}
		before := s.last.Level
		at := before
		progress := func(ctx context.Context) bool {
			from := at
			at = s.follow(ctx, at)
			return at > from
		}
		err := s.claim(ctx)
		if err == nil {
			p := pipeline(stepLevel{s.dir, before, s.token}, s.unroll)
			err = s.runner.execute(ctx, s.askEvery(), s.stall, p, progress)
		}
		switch {
		case ctx.Err() != nil:
			continue
		case errors.Is(err, errDriven):
			return 0, fmt.Errorf("%w: %s: %w", ringcheck.ErrIncomplete, s.dir, err)
		}
		if last, readErr := level.LastManifest(ctx, s.files); last != nil {
			s.last = last
		} else {
			err = cmp.Or(err, readErr)
		}
		// The folder is authoritative, not what the runner says about its job.
		if s.last.Level > before || s.last.Ended() {
			failed = 0
			if err := s.collect(ctx); err != nil && ctx.Err() == nil {
				return 0, fmt.Errorf("%w: %s: %w", ringcheck.ErrIncomplete, s.dir, err)
			}
			continue
		}
		if failed++; failed == attempts || errors.Is(err, errNoRunner) {
			return 0, fmt.Errorf("%w: level %d: %s; start again to continue", ringcheck.ErrIncomplete, before,
				causeOf(cmp.Or(err, errNothing)))
		}
	}
	if s.last.ModelError != nil {
		return explore.ModelFailure, nil
	}
	return explore.Exhausted, nil
}

var errNothing = errors.New("the pipeline ended without a result")

// result returns the result so far.
func (s *search) result(stop explore.Stop) *explore.Result {
	m := s.last
	r := &explore.Result{
		Stop: stop, States: m.States(), Stored: m.Stored, Transitions: m.Transitions, Generated: m.Generated,
		TerminalStates: m.TerminalStates, EnvironmentOnly: m.EnvironmentOnly,
		Bytes: m.KeptBytes(), DiskBytes: m.KeptBytes(), Levels: m.LevelSizes,
		Elapsed: time.Since(s.begin), Workers: runtime.GOMAXPROCS(0),
	}
	if m.Frontier() == 0 {
		r.Levels = r.Levels[:m.Level]
	}
	if stop == explore.ModelFailure {
		r.ModelError, r.ErrorState = m.ModelError.Of(s.preparedSearch.Searched)
	}
	return r
}

// askEvery returns the interval for polling the folder while a pipeline runs.
func (s *search) askEvery() time.Duration {
	return cmp.Or(min(s.opt.ProgressEvery, time.Second), time.Second)
}

// follow reports progress for the levels completed after one, and returns the last of them.
func (s *search) follow(ctx context.Context, at int) int {
	for {
		m, err := level.ReadManifest(ctx, s.files, at+1)
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) && ctx.Err() == nil {
				s.note("level %d: %v", at+1, err)
			}
			return at
		}
		at++
		s.reportProgress(m)
	}
}

func (s *search) reportProgress(m *level.Manifest) {
	if elapsed := time.Since(s.begin); s.meter.Due(elapsed) {
		s.meter.ReportSearch(explore.SearchProgress{
			Level: m.Level, Frontier: m.Frontier(), States: m.Stored, Transitions: m.Transitions,
			Bytes: m.KeptBytes(), Time: elapsed,
		})
	}
}

func (s *search) note(format string, args ...any) {
	if s.opt.Log != nil {
		s.opt.Log(fmt.Sprintf(format, args...))
	}
}
