package simulate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"ringcheck/explore"
	"ringcheck/internal/workers"
	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/property"
	"ringcheck/model/language/step"
)

// Options configure Estimate: the number and limits of the runs, and what to estimate.
type Options struct {
	// Runs is the number of runs; it must be positive.
	Runs int
	// Precision, if not 0, ends the simulation as soon as the half-width of every interval is at most this value, which
	// is absolute for a probability and relative to the mean for a reward. It is checked after 64, 128, 256, … runs,
	// and after each million.
	Precision float64
	Seed      uint64
	// Confidence is the confidence level of the intervals; 0 means 0.95.
	Confidence float64
	// Workers is the number of goroutines; 0 means one.
	Workers int
	// MaxSteps is the limit of the steps of a run; 0 means none. If FirstMustEnd is set and run 0 reaches it, no other
	// run is taken, because the others would probably not end either.
	MaxSteps     uint64
	FirstMustEnd bool
	// Memory is the budget in bytes for the memory of the system (model.Holder); if it is exceeded, Estimate ends
	// early. 0 means no limit.
	Memory uint64

	// Until, if not nil, ends a run that reaches it; otherwise a run ends only in a terminal state.
	Until *ir.Goal
	// Rewards are summed over a run.
	Rewards []*ir.Reward
	// Properties are invariants, which are evaluated in every state of a run and end it where one is false, and
	// terminal properties, which are evaluated in the last state of a run.
	Properties []*ir.Property

	// Progress, if not nil, is called with a Progress every ProgressEvery (0 means every second), also during runs, but
	// never concurrently; it must return quickly.
	Progress      func(explore.Progress)
	ProgressEvery time.Duration
}

// A Report has the estimates.
type Report struct {
	Runs       int   // the number of runs that ended normally; the estimates are based on these
	EndedRuns  []int // their numbers
	Violating  int   // runs that ended because an invariant was false; only the shares of invariants include them
	Unfinished int   // runs that reached Options.MaxSteps
	Means      []Mean
	Shares     []Share // for the events of the protocol, then for the properties, then for Options.Until
	Steps      uint64  // of all runs
	Elapsed    time.Duration
	Precise    bool // Options.Precision was set and reached
	Overfull   bool // the simulation ended because of Options.Memory
	Endless    bool // the simulation ended because of Options.FirstMustEnd
}

// Complete reports whether the requested number of runs ended, or, with a precision, whether that precision was
// reached.
func (r *Report) Complete(opt Options) bool {
	return r.Unfinished == 0 && (r.Precise || r.Runs+r.Violating == opt.Runs && opt.Precision == 0)
}

// An ending is the way in which a run ended.
type ending uint8

const (
	pending  ending = iota // not at all: it did not begin, or the context ended first
	regular                // in a terminal state or by reaching Options.Until
	violated               // in a state where an invariant was false
	cut                    // at Options.MaxSteps
)

// A result is the outcome of a run.
type result struct {
	end     ending
	rewards []float64
	flags   []bool // events, then properties, then the goal if there is one
	steps   uint64
}

// Estimate takes random runs of a system. If ctx ends early, the report covers the runs before the first unfinished
// one. The error is a *RunError if a step of a run, a reward or a property could not be evaluated.
func Estimate(ctx context.Context, sys *System, opt Options) (*Report, error) {
	if opt.Runs <= 0 {
		return nil, errors.New("simulate: no runs to take")
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if opt.Confidence == 0 {
		opt.Confidence = 0.95
	}
	s := &simulation{Options: opt, sys: sys, events: len(sys.protocol.Events), began: time.Now(),
		meter: explore.NewProgressMeter(opt.Progress, opt.ProgressEvery)}
	r := &Report{}
	for first := 0; first < opt.Runs; {
		end := s.batchEnd(first)
		if err := s.batch(ctx, first, end); err != nil {
			return nil, err
		}
		first = end
		if ctx.Err() != nil || s.overfull.Load() || s.endless.Load() {
			break
		}
		if opt.Precision > 0 {
			if s.report(r, first); r.Unfinished == 0 && r.Widest() <= opt.Precision {
				r.Precise = true
				break
			}
		}
	}
	s.report(r, len(s.results))
	r.Elapsed = time.Since(s.began)
	return r, nil
}

type simulation struct {
	Options
	sys       *System
	events    int // the number of events of the protocol
	began     time.Time
	results   []result
	steps     atomic.Uint64
	endedRuns atomic.Int64 // runs
	reporting sync.Mutex   // held while meter is used
	meter     *explore.ProgressMeter

	overfull atomic.Bool // Options.Memory is exceeded
	endless  atomic.Bool // run 0 had to end but reached MaxSteps
}

// firstBatch is the number of runs before the first check of the precision.
const firstBatch = 64

// largestBatch is the maximum number of runs of a batch.
const largestBatch = 1 << 20

// batchEnd returns the end of the batch that begins with run first.
func (s *simulation) batchEnd(first int) int {
	return min(first+max(firstBatch, min(first, largestBatch)), s.Runs)
}

// batch takes the runs from first up to end.
func (s *simulation) batch(ctx context.Context, first, end int) error {
	s.results = append(s.results, make([]result, end-first)...)
	var next atomic.Int64
	next.Store(int64(first))
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	errs := make([]error, max(1, s.Workers))
	group := workers.Group{OnPanic: func() { cancel(nil) }}
	for i := range errs {
		group.Go(func() {
			w := s.newWorker()
			for ctx.Err() == nil && !s.overfull.Load() {
				run := next.Add(1) - 1
				if run >= int64(end) {
					return
				}
				if errs[i] = w.take(ctx, uint64(run)); errs[i] != nil {
					cancel(errs[i])
				}
				if run == 0 && s.FirstMustEnd && s.results[0].end == cut {
					s.endless.Store(true)
					cancel(nil)
				}
			}
		})
	}
	group.Wait()
	s.reportProgress()
	// The failed run with the least number is reported, since it is random which worker fails first.
	var least *RunError
	for _, err := range errs {
		var e *RunError
		if errors.As(err, &e) && (least == nil || e.Run < least.Run) {
			least = e
		}
	}
	if least != nil {
		return least
	}
	return nil
}

// bytes returns the approximate memory of the results so far.
func (s *simulation) bytes() int64 {
	each := 80 + 16*len(s.Rewards) + 2*s.flags()
	return s.endedRuns.Load() * int64(each)
}

// reportProgress reports progress, unless another worker is doing so.
func (s *simulation) reportProgress() {
	if s.Progress == nil || !s.reporting.TryLock() {
		return
	}
	defer s.reporting.Unlock()
	now := Progress{Runs: int(s.endedRuns.Load()), Of: s.Runs, Steps: s.steps.Load(), Time: time.Since(s.began)}
	if s.meter.Due(now.Time) {
		s.meter.Report(now)
	}
}

// goal returns the flag of the goal.
func (s *simulation) goal() int { return s.events + len(s.Properties) }

// flags returns the number of flags.
func (s *simulation) flags() int {
	if s.Until == nil {
		return s.goal()
	}
	return s.goal() + 1
}

type worker struct {
	*simulation
	run         *Run
	stream      *stream
	env         *ir.Env        // of the properties
	stepRewards [][]stepReward // by kind of step (see kind), then by reward
	counted     uint64         // steps of the current run that simulation.steps includes
}

// stepReward is the reward of a step of some kind; known says that all steps of this kind have the same one.
type stepReward struct {
	known bool
	value float64
}

func (s *simulation) newWorker() *worker {
	run := s.sys.NewRun()
	return &worker{
		simulation: s, run: run, stream: newStream(), env: run.Env(),
		stepRewards: make([][]stepReward, 2*len(s.sys.protocol.Messages)+s.events+2),
	}
}

// take takes a run and stores its result if it ends.
func (w *worker) take(ctx context.Context, run uint64) error {
	res := &w.results[run]
	res.rewards = make([]float64, len(w.Rewards))
	res.flags = make([]bool, w.flags())
	for i, q := range w.Properties {
		res.flags[w.events+i] = everywhere(q)
	}
	if err := w.run.Reset(w.stream.of(w.Seed, run)); err != nil {
		return &RunError{w.Seed, run, err}
	}
	w.counted = 0
	end, err := w.finish(ctx, res)
	w.publish(res)
	switch {
	case errors.Is(err, errMemory) || err != nil && ctx.Err() != nil:
		return nil
	case err != nil:
		return &RunError{w.Seed, run, err}
	}
	res.end = end
	w.endedRuns.Add(1)
	return nil
}

// pollInterval is the number of steps between two calls of poll.
const pollInterval = 1024

// finish takes steps until the run ends and returns its ending.
func (w *worker) finish(ctx context.Context, res *result) (ending, error) {
	for happened := false; ; {
		if fine, err := w.check(res, property.States); !fine || err != nil {
			return violated, err
		}
		if reached, err := w.reach(res, happened, false); reached || err != nil {
			return regular, err
		}
		if res.steps%pollInterval == 0 {
			if err := w.poll(ctx, res); err != nil {
				return pending, err
			}
		}
		ok, err := w.run.Step()
		if err != nil {
			return pending, err
		}
		if !ok {
			break
		}
		if w.MaxSteps > 0 && res.steps == w.MaxSteps {
			return cut, nil
		}
		if happened, err = w.count(res); err != nil {
			return pending, err
		}
	}
	if _, err := w.reach(res, false, true); err != nil {
		return regular, err
	}
	_, err := w.check(res, property.Ends)
	return regular, err
}

// publish adds the steps since the last call to simulation.steps.
func (w *worker) publish(res *result) {
	w.steps.Add(res.steps - w.counted)
	w.counted = res.steps
}

var errMemory = errors.New("the memory budget is used up")

// poll reports progress. It returns an error if the run has to end early.
func (w *worker) poll(ctx context.Context, res *result) error {
	w.publish(res)
	w.reportProgress()
	if w.Memory > 0 && uint64(int64(max(1, w.Workers))*w.run.Bytes()+w.bytes()) > w.Memory {
		w.overfull.Store(true)
		return errMemory
	}
	return ctx.Err()
}

// everywhere reports whether a property is about every state of a run. The properties of a simulation are about single
// states.
func everywhere(q *ir.Property) bool { return q.Kind.Scope == property.States }

// check evaluates the properties of a scope, and reports whether all hold.
func (w *worker) check(res *result, scope property.Scope) (fine bool, err error) {
	fine = true
	for i, q := range w.Properties {
		if q.Kind.Scope != scope {
			continue
		}
		holds, err := q.Body.Eval(w.env)
		if err != nil {
			return false, fmt.Errorf("%s: %w", q.Name, err)
		}
		res.flags[w.events+i] = holds != 0
		fine = fine && holds != 0
	}
	return fine, nil
}

// reach sets the flag of the goal, and reports whether it is reached: one of its events has happened, or the state
// satisfies it, where the run goes on or has ended.
func (w *worker) reach(res *result, happened, ended bool) (bool, error) {
	if w.Until == nil {
		return false, nil
	}
	running, last, err := w.Until.Holds(w.env)
	if err != nil {
		return false, err
	}
	reached := happened || running || ended && last
	res.flags[w.goal()] = reached
	return reached, nil
}

// count adds the last step to a result, and reports whether it is an event of the goal.
func (w *worker) count(res *result) (happened bool, err error) {
	a := &w.run.Last
	res.steps++
	known := &w.stepRewards[w.kind(a)]
	if *known == nil {
		*known = make([]stepReward, len(w.Rewards))
	}
	for i, r := range w.Rewards {
		e := &(*known)[i]
		if !e.known {
			value, err := w.sys.machine.Reward(r, a)
			if err != nil {
				return false, err
			}
			e.value, _ = r.Amount(value).Float64()
			e.known = !slices.ContainsFunc(r.Fields, func(f *ir.Var) bool { return f != nil })
		}
		res.rewards[i] += e.value
	}
	if a.Kind != model.EventAction {
		return false, nil
	}
	res.flags[a.Event.ID] = true
	return w.Until != nil && slices.Contains(w.Until.Events, a.Event), nil
}

// kind returns the number of the kind of a step: sends and receipts by kind of message, events, ticks, and all others.
// Steps of a kind have the same reward unless it depends on fields.
func (w *worker) kind(a *step.Action) int {
	messages := len(w.sys.protocol.Messages)
	switch a.Kind {
	case model.SendAction, model.SyncAction:
		return a.Message.Message.ID
	case model.ReceiveAction:
		return messages + a.Message.Message.ID
	case model.EventAction:
		return 2*messages + a.Event.ID
	case model.TickAction:
		return 2*messages + w.events
	case model.Internal, model.FaultAction, model.CrashAction, model.RecoverAction:
	}
	return 2*messages + w.events + 1
}

// report summarizes the first n runs in r.
func (s *simulation) report(r *Report, n int) {
	*r = Report{Precise: r.Precise, Overfull: s.overfull.Load(), Endless: s.endless.Load(), Steps: s.steps.Load()}
	if r.Endless {
		n = 1 // which others have ended is random
	}
	values := make([][]float64, len(s.Rewards))
	counts, against := make([]int, s.flags()), make([]int, s.flags())
	first := slices.Repeat([]int{-1}, len(counts))
	counted := true
	for i, res := range s.results[:n] {
		// A long run is more likely to be unfinished at a deadline. To count runs after an unfinished one would favour
		// short runs, for example runs that a violation has ended. Their violations are shown, but not counted.
		counted = counted && res.end != pending
		switch {
		case res.end == violated:
			s.recordViolation(res, i, counted, first, against)
			if counted {
				r.Violating++
			}
		case counted && res.end == cut:
			r.Unfinished++
		case counted:
			r.Runs++
			r.EndedRuns = append(r.EndedRuns, i)
			for j, v := range res.rewards {
				values[j] = append(values[j], v)
			}
			for j, f := range res.flags {
				if f {
					counts[j]++
				} else if first[j] < 0 {
					first[j] = i
				}
			}
		}
	}
	for j, reward := range s.Rewards {
		r.Means = append(r.Means, newMean(reward.Name, values[j], s.Confidence))
	}
	for j, count := range counts {
		share := newShare(s.name(j), count, r.Runs+against[j], s.Confidence)
		if run := first[j]; run >= 0 {
			share.Against, share.Steps = new(run), s.results[run].steps
		}
		r.Shares = append(r.Shares, share)
	}
}

// recordViolation records that run i violates invariants: in first, for each invariant that no earlier run violates,
// and, if counted is true, in the numbers of violations against.
func (s *simulation) recordViolation(res result, i int, counted bool, first, against []int) {
	for j, q := range s.Properties {
		if flag := s.events + j; everywhere(q) && !res.flags[flag] {
			if counted {
				against[flag]++
			}
			if first[flag] < 0 {
				first[flag] = i
			}
		}
	}
}

// name returns the name of flag j.
func (s *simulation) name(j int) string {
	switch {
	case j < s.events:
		return s.sys.protocol.Events[j].Name
	case j < s.goal():
		return s.Properties[j-s.events].Name
	}
	return "goal"
}
