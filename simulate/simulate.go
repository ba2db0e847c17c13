package simulate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"ringcheck/internal/crew"
	"ringcheck/model"
)

// A Reward is what a run costs: the sum of Of over its steps. Of is asked once for each label by each goroutine.
type Reward struct {
	Name string
	Of   func(model.Label) (float64, error)
}

// An Event is a set of labels: does a run have one of them?
type Event struct {
	Name string
	Is   func(model.Label) bool
}

// A Question is asked of the state in which a run ends or, if Always is set, of every state of a run, which ends where the
// answer is no.
type Question struct {
	Name   string
	Always bool
	// Asker returns the function that answers it about the state that a walk has come to.
	Asker func(w Walk) func() (bool, error)
}

// A Source makes what takes runs of a system: Compiled, or sparse.Source.
type Source interface {
	// Walk returns a walk for one goroutine.
	Walk() (Walk, error)
	// Bytes is about how much memory the system takes for all walks together.
	Bytes() int64
}

// A Walk is a random run under way.
type Walk interface {
	// Reset begins a run that the generator decides.
	Reset(rng *rand.Rand) error
	// Step takes a random step. It reports false, and takes none, in a terminal state.
	Step() (l model.Label, ok bool, err error)
	// Ended reports whether it is known that there is no further step.
	Ended() bool
	// Bytes is about how much memory this walk takes for itself.
	Bytes() int64
}

// Options say what to run and what to observe.
type Options struct {
	// Runs is how many runs to take; it must be positive.
	Runs int
	// Precision, if not 0, ends the simulation before that, when the interval of every estimate is at most so wide to each
	// side: of a probability absolutely, of a mean relative to it. It is looked at after 64, 128, 256, … runs, and
	// after each million.
	Precision float64
	Seed      uint64
	// Confidence is that of the intervals; 0 means 0.95.
	Confidence float64
	// Workers is the number of goroutines; 0 means one.
	Workers int
	// MaxSteps ends a run that has taken so many; 0 means that there is no limit. If FirstMustEnd is set and run 0 is ended so,
	// there are no others: they are hardly better.
	MaxSteps     uint64
	FirstMustEnd bool
	// Memory is the budget in bytes for what the system remembers (model.Holder); beyond, Estimate ends early. 0 means no
	// limit.
	Memory uint64

	// Until, if not nil, ends a run after a step with such a label; without, a run ends in a terminal state only.
	Until *Event

	Rewards   []Reward
	Events    []Event
	Questions []Question
	// Class, if not nil, maps a label to one that earns the same and is in the same events, so that what labels mean is asked
	// less often.
	Class func(model.Label) model.Label

	// Progress, if not nil, is called now and then, also while runs are under way, never twice at once; it is to be quick.
	Progress func(Progress)
}

// Progress is how far a simulation has come.
type Progress struct {
	Runs    int    // that came to their end, or to Options.MaxSteps
	Of      int    // to take at most
	Steps   uint64 // also of the runs under way
	Elapsed time.Duration
}

// A Report is what was estimated.
type Report struct {
	Runs       int   // that came to their end: those that the estimates are about
	Ended      []int // their numbers
	Violating  int   // that ended because something was not as always; only the shares of what is always asked are about them, too
	Unfinished int   // that reached Options.MaxSteps
	Means      []Mean
	Shares     []Share // of the events and questions, in this order
	Steps      uint64  // of all runs
	Elapsed    time.Duration
	Precise    bool // Options.Precision was asked for and reached
	Overfull   bool // it ended because of Options.Memory
	Endless    bool // it ended because of Options.FirstMustEnd
}

// Complete reports whether as many runs as were asked for came to their end, or as many as the precision takes, if there is
// one.
func (r *Report) Complete(opt Options) bool {
	return r.Unfinished == 0 && (r.Precise || r.Runs+r.Violating == opt.Runs && opt.Precision == 0)
}

// An ending is how a run ended.
type ending uint8

const (
	pending  ending = iota // it did not: it was not begun, or the context ended first
	regular                // in a terminal state, or as Options.Until says
	violated               // by a question that is always asked
	cut                    // by Options.MaxSteps
)

// A record is what there is to know about a run.
type record struct {
	end     ending
	rewards []float64
	flags   []bool // events, then questions
	steps   uint64
}

// Estimate takes random runs of a system. If ctx ends early the report is about the runs before the first that was not
// finished. The error is a *RunError: a step of a run failed, or a question.
func Estimate(ctx context.Context, sys Source, opt Options) (*Report, error) {
	if opt.Runs <= 0 {
		return nil, errors.New("simulate: no runs to take")
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if opt.Confidence == 0 {
		opt.Confidence = 0.95
	}
	s := &simulation{Options: opt, sys: sys, began: time.Now()}
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
	s.report(r, len(s.records))
	r.Elapsed = time.Since(s.began)
	return r, nil
}

// A RunError is an error in a run.
type RunError struct {
	Seed, Run uint64
	Err       error
}

func (e *RunError) Error() string { return fmt.Sprintf("run %d of seed %d: %v", e.Run, e.Seed, e.Err) }

func (e *RunError) Unwrap() error { return e.Err }

type simulation struct {
	Options
	sys     Source
	began   time.Time
	records []record
	steps   atomic.Uint64
	ended   atomic.Int64 // runs
	telling sync.Mutex   // held during Progress

	overfull atomic.Bool // Options.Memory is used up
	endless  atomic.Bool // run 0 was to end and did not
}

// firstBatch is after how many runs the precision is looked at first.
const firstBatch = 64

// largestBatch is how many runs there are in a batch at most.
const largestBatch = 1 << 20

// batchEnd returns where the batch that begins with run first ends.
func (s *simulation) batchEnd(first int) int {
	return min(first+max(firstBatch, min(first, largestBatch)), s.Runs)
}

// batch takes the runs from first up to end.
func (s *simulation) batch(ctx context.Context, first, end int) error {
	s.records = append(s.records, make([]record, end-first)...)
	var next atomic.Int64
	next.Store(int64(first))
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	errs := make([]error, max(1, s.Workers))
	group := crew.Crew{OnPanic: func() { cancel(nil) }}
	for i := range errs {
		group.Go(func() {
			w, err := s.newWorker()
			if err != nil {
				errs[i] = &RunError{s.Seed, uint64(first), err}
				cancel(errs[i])
				return
			}
			for run := next.Add(1) - 1; run < int64(end) && ctx.Err() == nil && !s.overfull.Load(); run = next.Add(1) - 1 {
				if errs[i] = w.run(ctx, uint64(run)); errs[i] != nil {
					cancel(errs[i])
				}
				if run == 0 && s.FirstMustEnd && s.records[0].end == cut {
					s.endless.Store(true)
					cancel(nil)
				}
			}
		})
	}
	group.Wait()
	s.tell()
	// Which worker fails first is chance; the run with the least number is reported, of those that failed.
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

// bytes is about how much memory the records of the runs that have begun take.
func (s *simulation) bytes() int64 {
	each := 80 + 16*len(s.Rewards) + 2*(len(s.Events)+len(s.Questions))
	return s.ended.Load() * int64(each)
}

// tell tells how far it is, unless that is just being told.
func (s *simulation) tell() {
	if s.Progress == nil || !s.telling.TryLock() {
		return
	}
	defer s.telling.Unlock()
	s.Progress(Progress{Runs: int(s.ended.Load()), Of: s.Runs, Steps: s.steps.Load(), Elapsed: time.Since(s.began)})
}

// A worker takes runs, one after the other.
type worker struct {
	*simulation
	walk    Walk
	stream  *stream
	labels  map[model.Label]labelled
	ask     []func() (bool, error) // the questions
	counted uint64                 // steps of the run under way that are in simulation.steps
}

// labelled is what a label means for the rewards and events.
type labelled struct {
	rewards []float64
	events  []int // indices in Events
	until   bool
}

func (s *simulation) newWorker() (*worker, error) {
	walk, err := s.sys.Walk()
	if err != nil {
		return nil, err
	}
	w := &worker{simulation: s, walk: walk, stream: newStream(), labels: make(map[model.Label]labelled)}
	for _, q := range s.Questions {
		w.ask = append(w.ask, q.Asker(walk))
	}
	return w, nil
}

// run takes a run and records it if it ends.
func (w *worker) run(ctx context.Context, run uint64) error {
	rec := &w.records[run]
	rec.rewards = make([]float64, len(w.Rewards))
	rec.flags = make([]bool, len(w.Events)+len(w.Questions))
	for i, q := range w.Questions {
		rec.flags[len(w.Events)+i] = q.Always
	}
	if err := w.walk.Reset(w.stream.of(w.Seed, run)); err != nil {
		return &RunError{w.Seed, run, err}
	}
	w.counted = 0
	fine, err := w.question(rec, true)
	ended := !fine
	if fine && err == nil {
		ended, err = finish(w.walk, w.MaxSteps, func() error { return w.poll(ctx, rec) }, func(l model.Label) (last bool, err error) {
			if last, err = w.count(rec, l); err == nil {
				fine, err = w.question(rec, true)
			}
			return last || !fine, err
		})
	}
	w.publish(rec)
	end := cut
	if err == nil && ended {
		if end = violated; fine {
			end = regular
			_, err = w.question(rec, false)
		}
	}
	switch {
	case errors.Is(err, errMemory) || err != nil && ctx.Err() != nil:
		return nil
	case err != nil:
		return &RunError{w.Seed, run, err}
	}
	rec.end = end
	w.ended.Add(1)
	return nil
}

// publish adds the steps that a run has taken since the last call to those of all runs.
func (w *worker) publish(rec *record) {
	w.steps.Add(rec.steps - w.counted)
	w.counted = rec.steps
}

var errMemory = errors.New("the memory budget is used up")

// poll tells how far the simulation is. It returns an error if a run is to end early.
func (w *worker) poll(ctx context.Context, rec *record) error {
	w.publish(rec)
	w.tell()
	if w.Memory > 0 && uint64(w.sys.Bytes()+int64(max(1, w.Workers))*w.walk.Bytes()+w.bytes()) > w.Memory {
		w.overfull.Store(true)
		return errMemory
	}
	return ctx.Err()
}

// question asks the questions that are always asked, or those of the end, and reports whether all answers are yes.
func (w *worker) question(rec *record, always bool) (fine bool, err error) {
	fine = true
	for i, q := range w.Questions {
		if q.Always != always {
			continue
		}
		holds, err := w.ask[i]()
		if err != nil {
			return false, fmt.Errorf("%s: %w", q.Name, err)
		}
		rec.flags[len(w.Events)+i] = holds
		fine = fine && holds
	}
	return fine, nil
}

// count adds a step to a record, and reports whether it is the last.
func (w *worker) count(rec *record, label model.Label) (last bool, err error) {
	if w.Class != nil {
		label = w.Class(label)
	}
	l, ok := w.labels[label]
	if !ok {
		if l, err = w.label(label); err != nil {
			return false, err
		}
		w.labels[label] = l
	}
	rec.steps++
	for i, x := range l.rewards {
		rec.rewards[i] += x
	}
	for _, e := range l.events {
		rec.flags[e] = true
	}
	return l.until, nil
}

func (w *worker) label(label model.Label) (l labelled, err error) {
	for _, r := range w.Rewards {
		x, err := r.Of(label)
		if err != nil {
			return l, err
		}
		l.rewards = append(l.rewards, x)
	}
	for i, e := range w.Events {
		if e.Is(label) {
			l.events = append(l.events, i)
		}
	}
	l.until = w.Until != nil && w.Until.Is(label)
	return l, nil
}

// report makes r what the first n runs say.
func (s *simulation) report(r *Report, n int) {
	*r = Report{Precise: r.Precise, Overfull: s.overfull.Load(), Endless: s.endless.Load(), Steps: s.steps.Load()}
	if r.Endless {
		n = 1 // whether others have ended by then is chance
	}
	values := make([][]float64, len(s.Rewards))
	counts, against := make([]int, len(s.Events)+len(s.Questions)), make([]int, len(s.Events)+len(s.Questions))
	first := slices.Repeat([]int{-1}, len(counts))
	told := true
	for i, rec := range s.records[:n] {
		// A long run is more likely to be under way at a deadline: to count those behind it would favour short ones, and so those that a
		// violation has ended. A violation there is shown, but not counted.
		told = told && rec.end != pending
		switch {
		case rec.end == violated:
			s.blame(rec, i, told, first, against)
			if told {
				r.Violating++
			}
		case told && rec.end == cut:
			r.Unfinished++
		case told:
			r.Runs++
			r.Ended = append(r.Ended, i)
			for j, v := range rec.rewards {
				values[j] = append(values[j], v)
			}
			for j, f := range rec.flags {
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
			share.Against, share.Steps = new(run), s.records[run].steps
		}
		r.Shares = append(r.Shares, share)
	}
}

// blame notes run i for what it violates, where it is the first, and counts it if it is told of.
func (s *simulation) blame(rec record, i int, told bool, first, against []int) {
	for j := range s.Questions {
		if flag := len(s.Events) + j; s.Questions[j].Always && !rec.flags[flag] {
			if told {
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
	if j < len(s.Events) {
		return s.Events[j].Name
	}
	return s.Questions[j-len(s.Events)].Name
}

// Widest returns half the width of the widest interval, as Options.Precision means it.
func (r *Report) Widest() float64 {
	width := 0.0
	for _, m := range r.Means {
		if half := (m.High - m.Low) / 2; half > 0 {
			width = max(width, half/math.Abs(m.Mean))
		}
	}
	for _, s := range r.Shares {
		width = max(width, (s.High-s.Low)/2)
	}
	return width
}
