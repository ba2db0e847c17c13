package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"ringcheck"
	"ringcheck/scale/level"
)

// process caches a system per search, shared by all work of this process. It is global because Beam gives steps nothing
// but their fields. The key includes the job, since a folder may be reused for another search.
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
	sys, err := newSystem(ctx, job, files)
	if err != nil {
		return nil, nil, err
	}
	if process.systems == nil || len(process.systems) == keptSystems {
		process.systems = make(map[string]*level.System)
	}
	process.systems[key] = sys
	return sys, files, nil
}

// newSystem compiles the spec of a job.
func newSystem(ctx context.Context, job *level.Job, files level.Files) (*level.System, error) {
	prepared, err := prepare(ctx, job)
	if err != nil {
		return nil, err
	}
	return newLevelSystem(prepared, job.Shards, files)
}

func newLevelSystem(p *ringcheck.Prepared, shards int, files level.Files) (*level.System, error) {
	if p.Judge == nil {
		return level.NewSystem(p.Searched, shards, files, nil)
	}
	return level.NewSystem(p.Searched, shards, files, p.Judge)
}

func prepare(ctx context.Context, job *level.Job) (*ringcheck.Prepared, error) {
	sys, err := job.System()
	if err != nil {
		return nil, err
	}
	var opt ringcheck.Options
	job.Apply(&opt)
	if job.Properties != nil {
		return sys.PrepareCheck(ctx, opt)
	}
	return sys.Prepare(ctx, opt)
}

// marker and markerEnd enclose a step's error message, so that the driver can find it in the runner's error.
const marker, markerEnd = "ringcheck failure: ", " :end of failure"

// do runs a step.
func (p place) do(ctx context.Context, step string, work func(*level.System, level.Files) error) error {
	sys, files, err := systemFor(ctx, p.Dir)
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
