package ringcheck

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"ringcheck/explore"
	"ringcheck/internal/effort"
	"ringcheck/internal/machine"
	"ringcheck/internal/printable"
	"ringcheck/lts"
	"ringcheck/model"
	"ringcheck/reduce/confluence"
	"ringcheck/symbolic"
)

// A Subject says what a report is about.
type Subject struct {
	File       string   `json:"file,omitempty"` // an .aut file; then nothing else is there
	Spec       string   `json:"spec,omitempty"`
	Params     Settings `json:"params,omitzero"`
	Options    Settings `json:"options,omitzero"`
	Reduction  string   `json:"reduction,omitempty"` // "none", "confelm" or "onthefly"
	Symmetry   string   `json:"symmetry,omitempty"`  // "none" or "rotation"
	Assumption string   `json:"assumption,omitempty"`
}

func (t *task) about() Subject {
	return Subject{
		Spec: t.sys.Name, Params: t.sys.Params(), Options: t.sys.Options(),
		Reduction: t.opt.Reduction.String(), Symmetry: t.opt.Symmetry.String(), Assumption: t.opt.assumption(),
	}
}

// Title names the instance: "franklin, n = 4, k = 2, bits = true".
func (s *Subject) Title() string {
	if s.File != "" {
		return s.File
	}
	parts := []string{s.Spec}
	for _, list := range []Settings{s.Params, s.Options} {
		if len(list) > 0 {
			parts = append(parts, list.String())
		}
	}
	return strings.Join(parts, ", ")
}

// An Ending says whether a search came to its end. If it did not, all numbers of a report are lower bounds.
type Ending struct {
	Complete bool `json:"complete"`
	// Stopped is why it is not complete: "states", "memory", "timeout", "interrupt", "growth", "fault", "violation" (of StopFirst), "disk", "size"
	// (of a transition system, or of a table), "precision" (of a number, that could not be reached) or "output".
	Stopped string `json:"stopped,omitempty"`
	// Fault is what the model does wrong, if that is why.
	Fault *Fault `json:"fault,omitempty"`

	err error
}

// A Fault is a mistake of a model that shows in a reachable state: a value leaves its range, something grows beyond
// the bound, or what is assumed does not hold.
type Fault struct {
	Place   string   `json:"place,omitempty"` // file:line:column
	Message string   `json:"message"`
	Process *int     `json:"process,omitempty"`
	Why     []string `json:"why,omitempty"` // line by line, what makes an assumption false
}

// Err returns nil if the search came to its end, else why it did not: a *model.Fault, or an error that wraps
// ErrIncomplete.
func (e *Ending) Err() error { return e.err }

// ending returns that of a search, and the state in which the model does something wrong, nil if it does not.
func (t *task) ending(r *explore.Result) (Ending, []model.Value, error) {
	e := Ending{Complete: r.Complete(), Stopped: stopWord(r)}
	broken, err := t.broken(r)
	switch {
	case err != nil:
		return e, nil, err
	case broken != nil:
		why, err := explain(t.full, t.invariant, broken.State)
		if err != nil {
			return e, nil, err
		}
		f := &model.Fault{Process: -1, Message: fmt.Sprintf("the assumption %s does not hold", t.invariant.Name), Cause: confluence.ErrAssumption}
		e.Stopped, e.err, e.Fault = "fault", f, newFault(f)
		e.Fault.Why = why
		return e, broken.Searched(), nil
	case r.Complete():
		return e, nil, nil
	case r.Stop == explore.Faulted:
		e.err, e.Fault = r.Fault, newFault(r.Fault)
		return e, r.FaultState, nil
	case r.Stop == explore.DiskFailure:
		e.err = fmt.Errorf("%w: %w", ErrIncomplete, r.Failure)
		return e, nil, nil
	}
	e.err = fmt.Errorf("%w: %v", ErrIncomplete, r.Stop)
	if r.Needs > 0 {
		e.err = fmt.Errorf("%w: the numbers of parts of states, which stay in memory, take %s; to go on from here takes a budget of %s, to the end more",
			e.err, humanize.IBytes(r.Parts), humanize.IBytes(r.Needs))
	}
	return e, nil, nil
}

func newFault(f *model.Fault) *Fault {
	fault := &Fault{Place: f.Place, Message: f.Message}
	if f.Process >= 0 {
		fault.Process = &f.Process
	}
	return fault
}

// phase does a part of the work that a report is about, unless ctx has ended. What is ended early, however that comes back, makes
// the report incomplete and is no error: what was found before stays.
func (e *Ending) phase(ctx context.Context, part func() error) error {
	return e.Stop(ctx, effort.Do(ctx, part))
}

// Stop makes e the ending of what err ended, if that is the context or a limit, unless it is one already. Else it returns err.
func (e *Ending) Stop(ctx context.Context, err error) error {
	why := explore.Exhausted
	switch stopped := contextError(ctx, err); {
	case err == nil:
		return nil
	case ctx.Err() != nil && errors.Is(stopped, ErrIncomplete):
		why, err = explore.StopFor(ctx), stopped
	case errors.Is(err, lts.ErrMemory):
		why, err = explore.MemoryLimit, fmt.Errorf("%w: %w", ErrIncomplete, err)
	case errors.Is(err, lts.ErrTooLarge):
		why, err = explore.CapacityLimit, fmt.Errorf("%w: %w", ErrIncomplete, err)
	default:
		return err
	}
	if e.err == nil {
		*e = Ending{Stopped: stopWords[why], err: err}
	}
	return nil
}

// stopWords are the words for why a search ended early. One that is Matched has met a state that breaks a property.
var stopWords = map[explore.Stop]string{
	explore.Exhausted: "", explore.StateLimit: "states", explore.MemoryLimit: "memory", explore.CapacityLimit: "size",
	explore.Deadline: "timeout", explore.Interrupted: "interrupt", explore.DiskFailure: "disk", explore.Faulted: "fault", explore.Matched: "violation",
}

// stopWord returns the word for why r ended early, "" if it did not.
func stopWord(r *explore.Result) string {
	if r.Stop == explore.Faulted && r.Fault.Growth {
		return "growth"
	}
	return stopWords[r.Stop]
}

// Counts are those of the system that was asked for: under a symmetry, of the full system.
type Counts struct {
	States      Number `json:"states"`
	Transitions Number `json:"transitions"`
	Deadlocks   Number `json:"deadlocks"` // the same as TerminalStates
	// TerminalStates are those without transitions.
	TerminalStates Number `json:"terminal_states"`
	// EnvironmentOnlyStates are those that have transitions, all of which are the environment's: a run may end there, too.
	EnvironmentOnlyStates Number `json:"environment_only_states"`

	*Enumeration // nil with the symbolic engine
	*Diagram     // nil but with the symbolic engine
}

// An Enumeration is what the explicit engine tells of its search.
type Enumeration struct {
	Levels       int   `json:"levels"` // of the breadth-first search, that hold a state
	StoredStates Count `json:"stored_states"`
	// StatesWithoutGhosts is the number of states but for the ghosts of the spec; nil if it has none, or if that was not counted.
	StatesWithoutGhosts *Count `json:"states_without_ghosts,omitempty"`
}

// A Storage is what Explore tells of the states that it has stored.
type Storage struct {
	// InternalStates is how many states representatives were looked for, under OnTheFly.
	InternalStates Count   `json:"internal_states"`
	Visited        Visited `json:"visited"`
}

// Visited describes the set of the states stored.
type Visited struct {
	Exact         bool    `json:"exact"` // always: no state is taken for another one
	Bytes         uint64  `json:"bytes"`
	BytesPerState float64 `json:"bytes_per_state"`
	SpilledStates Count   `json:"spilled_states"` // that are on disk because memory did not suffice
}

// A Diagram is what the symbolic engine tells of its search.
type Diagram struct {
	Nodes     int64 `json:"nodes"`      // of the diagram of the reachable states
	Arcs      int64 `json:"arcs"`       // of these nodes
	PeakNodes int64 `json:"peak_nodes"` // the most in memory at any time, garbage included
}

// An Effort is what a search took.
type Effort struct {
	Workers int     `json:"workers"`
	Seconds float64 `json:"seconds"`
	// TransitionsPerSecond is nil with the symbolic engine.
	TransitionsPerSecond *uint64 `json:"transitions_per_second,omitempty"`
	PeakRSSBytes         uint64  `json:"peak_rss_bytes"` // of the process
}

// seconds returns a duration to the millisecond.
func seconds(d time.Duration) float64 { return math.Round(d.Seconds()*1000) / 1000 }

// A Report is what Explore or Check found.
type Report struct {
	Subject
	Ending
	Engine    Engine `json:"engine,omitempty"` // "" if it is the explicit one
	*Verdicts        // nil but for Check
	Counts
	*Storage // nil but for Explore with the explicit engine
	Effort   // of Check, Seconds is until all is decided

	LevelSizes []Count              `json:"-"` // states by level; under a symmetry, of the full system
	DiskBytes  uint64               `json:"-"` // written to disk
	HeldBytes  uint64               `json:"-"` // the most that the search held
	Confluence []confluence.Verdict `json:"-"` // what was found out about confluence, under a reduction
	Useless    bool                 `json:"-"` // the assumed invariant had nothing to say about confluence

	task   *task
	search *explore.Result
	fault  []model.Value
}

// Verdicts are those of Check.
type Verdicts struct {
	Holds      *bool     `json:"holds"` // whether all properties hold; null: not known
	Properties []Verdict `json:"properties"`
	Coverage   []Covered `json:"coverage,omitempty"` // by place, with Options.Coverage
}

// report returns that of a search, which diagrams is unless it is nil; then r says how it ended. took is the time until all was known.
func (t *task) report(r *explore.Result, diagrams *symbolic.Result, took time.Duration) (*Report, error) {
	report := &Report{
		Subject: t.about(), Counts: NewCounts(r.States, r.Transitions, r.Deadlocks, r.EnvironmentOnly), HeldBytes: r.TotalBytes, DiskBytes: r.DiskBytes, task: t, search: r,
		Effort: Effort{Workers: r.Workers, Seconds: seconds(took), PeakRSSBytes: machine.PeakRSS()},
	}
	if diagrams != nil {
		report.Engine, report.Workers, report.HeldBytes = Symbolic, 1, report.PeakRSSBytes
		report.Counts = newSymbolicCounts(diagrams)
	} else {
		t.enumerated(report, r)
	}
	if t.applied != nil {
		report.Confluence = t.applied.Verdicts()
		report.Useless = t.invariant != nil && t.opt.Reduction != NoReduction && !t.assume.Used()
	}
	var err error
	report.Ending, report.fault, err = t.ending(r)
	return report, err
}

func newSymbolicCounts(r *symbolic.Result) Counts {
	return Counts{
		States: Number{r.States}, Transitions: Number{r.Transitions}, Deadlocks: Number{r.Deadlocks}, TerminalStates: Number{r.Deadlocks},
		EnvironmentOnlyStates: Number{r.EnvironmentOnly}, Diagram: &Diagram{r.Nodes, r.Arcs, r.PeakNodes},
	}
}

// NewCounts returns counts without a section about the engine.
func NewCounts(states, transitions, terminal, environmentOnly uint64) Counts {
	return Counts{
		States: Count(states).Number(), Transitions: Count(transitions).Number(), Deadlocks: Count(terminal).Number(),
		TerminalStates: Count(terminal).Number(), EnvironmentOnlyStates: Count(environmentOnly).Number(),
	}
}

// enumerated completes the report of a search state by state.
func (t *task) enumerated(report *Report, r *explore.Result) {
	report.Enumeration = &Enumeration{Levels: len(r.Levels), StoredStates: Count(r.Stored)}
	report.Storage = &Storage{t.internalStates(), Visited{
		Exact: true, Bytes: r.Bytes, SpilledStates: Count(r.Spilled),
		BytesPerState: math.Round(100*float64(r.Bytes)/float64(max(1, r.Stored))) / 100,
	}}
	report.TransitionsPerSecond = new(uint64)
	if r.Elapsed > 0 {
		*report.TransitionsPerSecond = uint64(float64(r.Transitions) / r.Elapsed.Seconds())
	}
	for _, n := range r.Levels {
		report.LevelSizes = append(report.LevelSizes, Count(n))
	}
	t.opt.log("%d levels, %d states stored, %d of them on disk; the visited set holds %d bytes, the search held %d; %.3f s",
		len(r.Levels), r.Stored, r.Spilled, r.Bytes, r.TotalBytes, r.Elapsed.Seconds())
}

// FaultRun returns a shortest run to the fault of the model, which it searches for anew; nil if there is none.
func (r *Report) FaultRun(ctx context.Context) (*Run, error) {
	if r.fault == nil {
		return nil, nil
	}
	run, err := r.task.runTo(ctx, r.fault, r.err)
	if err != nil {
		return nil, err
	}
	run.Finding = fmt.Sprintf("%v, after %s", r.err, printable.Count(run.Length(), "step"))
	run.why = r.Fault.Why
	return run, nil
}
