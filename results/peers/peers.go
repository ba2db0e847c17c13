// Package peers explores the same systems with ringcheck and with other explicit-state model checkers, and compares
// what that costs.
//
//	Jobs      the systems
//	Measure   runs one of them with every tool that is installed
//	Record    what it costs, kept as a file in runs
//	Page      the page with all records
//
// Nothing is installed. Each tool runs as a process of its own, with one worker; the operating system reports
// its processor time and memory when it ends. A cost is written only if the tool has counted as many states and
// transitions as ringcheck: a difference is an error.
package peers

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ringcheck/internal/machine"
	"ringcheck/results/record"
)

// models holds the models that were written by hand, one file for each job and tool.
//
//go:embed models
var models embed.FS

// A Job is a system that the tools explore.
type Job struct {
	Name     string
	Spec     []string          // the spec and its settings, as arguments of ringcheck
	Source   string            // the file with the spec
	Model    string            // the models by hand, without their endings
	Settings map[string]string // the constants of these models
	Depth    int               // the depth to which SPIN may search
	Initial  uint64            // the initial states if there are several; SPIN reaches them from one more
	Exported bool              // the model that ringcheck exports is measured, too

	// Queries are properties of PRISM about the probability of an election within 50 steps and about the expected
	// number of steps, each first the least and then the greatest. Without them the system is explored only.
	Queries []string

	// Reductions are the kinds of reduction with which ringcheck explores it, beside SPIN's partial order reduction.
	// Their counts differ.
	Reductions []string
}

// Jobs are the systems on the page.
var Jobs = []*Job{
	franklin(4, 3).export(), franklin(5, 2).deep(), dijkstra(7), peterson("4"), peterson("5"), peterson("6"),
	ricartAgrawala(4), franklinLeft(5, 2), election(4),
}

// franklin returns Franklin's algorithm on a ring of n processes with k identities.
func franklin(n, k int) *Job {
	return &Job{
		Name:   fmt.Sprintf("franklin (%d,%d)", n, k),
		Spec:   []string{"franklin", "-n", fmt.Sprint(n), "-k", fmt.Sprint(k)},
		Source: "specs/franklin.ring", Model: "franklin",
		Settings: map[string]string{"N": fmt.Sprint(n), "K": fmt.Sprint(k)},
		Depth:    200_000,
	}
}

// deep has SPIN search a job deeper, which takes more memory.
func (j *Job) deep() *Job {
	j.Depth = 1_000_000
	return j
}

// export has the exported model of a job measured, too.
func (j *Job) export() *Job {
	j.Exported = true
	return j
}

// franklinLeft returns the variant of Franklin's algorithm in which a process reads its left neighbour first. It is
// also explored with reductions.
func franklinLeft(n, k int) *Job {
	j := franklin(n, k)
	j.Name += ", left first"
	j.Spec = append(j.Spec, "--order", "left")
	j.Model = "franklin-left"
	j.Reductions = []string{"confelm", "onthefly"}
	return j
}

// election returns Franklin's algorithm with two identities on a ring of n processes, 3 or 4, with probabilities.
func election(n int) *Job {
	j := franklin(n, 2)
	j.Name += ", probabilities"
	j.Model, j.Settings = fmt.Sprintf("franklin%d", n), nil
	j.Queries = []string{
		`Pmin=? [ F<=50 "elected" ]`, `Pmax=? [ F<=50 "elected" ]`,
		`R{"steps"}min=? [ F "elected" ]`, `R{"steps"}max=? [ F "elected" ]`,
	}
	return j
}

// peterson returns Peterson's mutual exclusion for n processes.
func peterson(n string) *Job {
	return &Job{
		Name:   "mutual exclusion (Peterson), " + n + " processes",
		Spec:   []string{"examples/filter-lock.ring", "-n", n},
		Source: "examples/filter-lock.ring", Model: "peterson", Settings: map[string]string{"N": n},
		Depth: 2_000_000,
	}
}

// dijkstra returns Dijkstra's ring of n processes with n + 1 values, from all values of the registers.
func dijkstra(n int) *Job {
	size, values := fmt.Sprint(n), fmt.Sprint(n+1)
	j := &Job{
		Name:   fmt.Sprintf("dijkstra (%d,%d)", n, n+1),
		Spec:   []string{"examples/dijkstra.ring", "-n", size, "-k", values},
		Source: "examples/dijkstra.ring", Model: "dijkstra", Settings: map[string]string{"N": size, "K": values},
		Depth: 2_000_000, Initial: 1,
	}
	for range n {
		j.Initial *= uint64(n + 1)
	}
	j.Settings["Starts"] = fmt.Sprint(j.Initial)
	return j
}

// ricartAgrawala returns the mutual exclusion of n processes by Ricart and Agrawala, where each enters once.
func ricartAgrawala(n int) *Job {
	size := fmt.Sprint(n)
	return &Job{
		Name:   "ricart-agrawala, " + size + " processes",
		Spec:   []string{"examples/ricart-agrawala.ring", "-n", size},
		Source: "examples/ricart-agrawala.ring", Model: "ricart-agrawala", Settings: map[string]string{"N": size},
		Depth: 10_000,
	}
}

// A Row is the cost of a job with one tool and model.
type Row struct {
	Tool        string    `json:"tool"`
	Model       string    `json:"model"` // "by hand", "exported"
	Lines       int       `json:"lines"` // of the model, without blank lines, comments and properties
	States      uint64    `json:"states,omitempty"`
	Transitions uint64    `json:"transitions,omitempty"`
	Terminal    uint64    `json:"terminal,omitempty"` // terminal states; of ringcheck only
	Values      []float64 `json:"values,omitempty"`   // the answers to the queries of the job
	Build       Cost      `json:"build,omitzero"`
	Run         Cost      `json:"run,omitzero"`
	Runs        int       `json:"runs"`               // of which Run is the median
	Exceeded    bool      `json:"exceeded,omitempty"` // the tool was ended after Limit, and has counted nothing
}

// A Record has the costs of a job on one machine.
type Record struct {
	Job        string         `json:"job"`
	Date       string         `json:"date"`
	Machine    record.Machine `json:"machine"`
	Load       [2]string      `json:"load"`              // the load average of a minute, before and after
	Versions   []string       `json:"versions"`          // of ringcheck and of the peers
	Missing    []string       `json:"missing,omitempty"` // the peers that were not installed
	Rows       []*Row         `json:"rows"`
	Reductions []*Row         `json:"reductions,omitempty"` // with reductions, so that the counts differ
}

// A Cost is the cost of a process, or of several one after the other.
type Cost struct {
	CPU    time.Duration `json:"cpu"`    // in user mode and in the system, in nanoseconds
	Memory uint64        `json:"memory"` // most bytes that a process held, 0 if unknown
}

// Limit is the processor time after which a run is ended.
const Limit = 180 * time.Second

// short is the processor time up to which a run is repeated.
const short = 5 * time.Second

// A Bench measures jobs in a folder of its own.
type Bench struct {
	dir   string // for what is generated and compiled
	root  string // the repository
	level string // the level of optimization at which C is compiled
	Peers []Peer // the peers that are installed
}

// NewBench builds ringcheck from the repository below root, and finds the peers.
func NewBench(ctx context.Context, root, dir string) (*Bench, error) {
	b := &Bench{dir: dir, root: root, level: "-O3"}
	for _, p := range peers {
		if p.Installed() {
			b.Peers = append(b.Peers, p)
		}
	}
	_, _, err := start(ctx, root, "go", "build", "-o", b.path("ringcheck"), "./cmd/ringcheck")
	return b, err
}

// path returns the path of a file in the folder of the bench.
func (b *Bench) path(name string) string { return filepath.Join(b.dir, name) }

// Measure runs a job with ringcheck and then with each peer, and returns a row for each model. Each short run is
// repeated until there are runs of them.
func (b *Bench) Measure(ctx context.Context, j *Job, runs int) ([]*Row, error) {
	ours, err := b.ours(ctx, j, runs)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", j.Name, err)
	}
	rows := []*Row{ours}
	for _, p := range b.Peers {
		some, err := p.measure(ctx, b, j, ours, runs)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", j.Name, p.Name, err)
		}
		for _, r := range some {
			if !r.Exceeded && (r.States != ours.States || r.Transitions != ours.Transitions) {
				return nil, fmt.Errorf("%s: %d states and %d transitions, %s (%s) has %d and %d", j.Name, ours.States,
					ours.Transitions, p.Name, r.Model, r.States, r.Transitions)
			}
			if !slices.EqualFunc(r.Values, ours.Values, near) && !r.Exceeded {
				return nil, fmt.Errorf("%s: values %v, %s has %v", j.Name, ours.Values, p.Name, r.Values)
			}
		}
		rows = append(rows, some...)
	}
	return rows, nil
}

// near reports whether two values are equal up to the precision of the peers.
func near(x, y float64) bool { return math.Abs(x-y) <= 1e-6*math.Abs(x) }

// Record measures a job, each short run three times.
func (b *Bench) Record(ctx context.Context, j *Job) (*Record, error) {
	before := loadAverage()
	rows, err := b.Measure(ctx, j, 3)
	if err != nil {
		return nil, err
	}
	reduced, err := b.Reduce(ctx, j, 3)
	if err != nil {
		return nil, err
	}
	r := &Record{
		Job: j.Name, Date: time.Now().UTC().Format(time.DateOnly), Machine: record.ThisMachine(machine.Memory()),
		Load: [2]string{before, loadAverage()}, Versions: []string{"ringcheck " + record.Version()}, Rows: rows,
		Reductions: reduced,
	}
	for _, p := range peers {
		if p.Installed() {
			r.Versions = append(r.Versions, p.Name+": "+p.Version(ctx))
		} else {
			r.Missing = append(r.Missing, p.Name)
		}
	}
	return r, nil
}

// Reduce runs a job with each of its reductions, and with SPIN's if it is installed.
func (b *Bench) Reduce(ctx context.Context, j *Job, runs int) ([]*Row, error) {
	var rows []*Row
	for _, kind := range j.Reductions {
		r, err := b.ours(ctx, j, runs, "--reduce", kind)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", j.Name, err)
		}
		r.Model = "spec, " + kind
		rows = append(rows, r)
	}
	if len(rows) == 0 || !slices.ContainsFunc(b.Peers, func(p Peer) bool { return p.Name == "SPIN" }) {
		return rows, nil
	}
	r, err := b.spinByHand(ctx, j, runs, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: SPIN: %w", j.Name, err)
	}
	r.Model = "by hand, partial order reduction"
	return append(rows, r), nil
}

// ours measures a job with ringcheck, with some flags.
func (b *Bench) ours(ctx context.Context, j *Job, runs int, flags ...string) (*Row, error) {
	r := &Row{Tool: "ringcheck", Model: "spec"}
	command := slices.Concat([]string{b.path("ringcheck"), "explore"}, j.Spec, flags,
		[]string{"--workers", "1", "--json"})
	by := byUs
	if j.Queries != nil {
		by = byProb
		command[1] = "prob"
		command = append(command, "--until", "elected", "--within", "50", "--reward", "steps")
	}
	source, err := os.ReadFile(filepath.Join(b.root, j.Source))
	if err != nil {
		return nil, err
	}
	r.Lines = lines(string(source), filepath.Ext(j.Source))
	return r, b.repeat(ctx, r, runs, b.root, by, command...)
}

// model writes the model by hand of a job into the folder of the bench, and returns its path and its text, with the
// constants set where the language has declarations of them. Without such a model the path is empty.
func (b *Bench) model(j *Job, ending string) (path, text string, err error) {
	content, err := fs.ReadFile(models, "models/"+j.Model+ending)
	if err != nil {
		return "", "", nil
	}
	text = string(content)
	path = b.path("model" + ending)
	return path, text, os.WriteFile(path, []byte(text), 0o600)
}

// lines returns the number of lines of a model, without blank lines, comments and, in a spec, what only properties and
// reports need.
func lines(text, ending string) int {
	if ending == promela {
		text = block.ReplaceAllString(text, "")
	}
	n, skipped := 0, false
	for line := range strings.Lines(text) {
		code := strings.TrimSpace(line)
		if code == "" || strings.HasPrefix(code, "//") || strings.HasPrefix(code, "--") {
			continue
		}
		if ending == ".ring" && !strings.HasPrefix(line, " ") {
			skipped = slices.Contains(unmodelled, strings.Fields(code)[0])
		}
		if !skipped {
			n++
		}
	}
	return n
}

// unmodelled are the keywords of declarations that do not change the system.
var unmodelled = []string{
	"source", "check", "define", "role", "reward", "invariant", "terminal", "reachable", "recoverable", "ltl",
}
