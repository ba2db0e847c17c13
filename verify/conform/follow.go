package conform

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ringcheck/bisim/lts"
	"ringcheck/explore"
	"ringcheck/internal/effort"
	"ringcheck/internal/machine"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/reduce"
	"ringcheck/verify"
)

// errUnexplained means that no run explains the log.
var errUnexplained = errors.New("not explained")

// A follower follows a log.
type follower struct {
	Options
	declared *reduce.System
	sys      *compile.System
	network  *network
	judge    *judge
	patterns map[*Event]*pattern
	report   *Report
	begun    time.Time
	shown    time.Time      // when progress was shown
	incoming <-chan []entry // lines that have not been read into events
	batch    []entry        // taken from incoming
	run      uint           // the number of a run in the line that was taken last
	events   []*logged      // that have been read, and not taken
	wrong    error          // what is wrong with the line after these
	// The invariants that are violated by all runs that explain the log, and by some, as bits.
	every, some uint64
	exact       bool // the hypotheses are complete
}

// An entry is a line, or the error in its place.
type entry struct {
	line
	err error
}

// newFollower prepares to follow a log.
func newFollower(ctx context.Context, sys *reduce.System, opt Options) (*follower, error) {
	prepared, err := reduce.Prepare(ctx, sys, opt.search())
	switch {
	case err != nil:
		return nil, err
	case prepared.Full == nil:
		return nil, &model.RequestError{Err: errors.New("a log is checked against a spec")}
	}
	opt.Order, opt.Memory = cmp.Or(opt.Order, Total), cmp.Or(opt.Memory, machine.Budget())
	f := &follower{Options: opt, declared: sys, sys: prepared.Full, patterns: make(map[*Event]*pattern),
		begun: time.Now()}
	f.shown = f.begun
	f.report = &Report{Description: prepared.Description(), Order: f.Order, Properties: []Property{}}
	return f, f.chooseInvariants(ctx)
}

// search returns the bounds of the system that is followed.
func (o *Options) search() reduce.Search {
	return reduce.Search{MaxChannel: o.MaxChannel, MaxNat: o.MaxNat, Memory: o.Memory}
}

// chooseInvariants prepares the evaluation of the chosen invariants.
func (f *follower) chooseInvariants(ctx context.Context) error {
	var chosen []*ir.Property
	for _, p := range f.sys.Protocol().Properties {
		if p.Kind == ir.Invariant && (f.Properties == nil || slices.Contains(f.Properties, p.Name)) {
			chosen = append(chosen, p)
		}
	}
	for _, name := range f.Properties {
		if !slices.ContainsFunc(chosen, func(p *ir.Property) bool { return p.Name == name }) {
			return &model.RequestError{Option: "property", Value: name, Err: errors.New("it is not an invariant")}
		}
	}
	if len(chosen) > 64 {
		return &model.RequestError{Option: "property", Err: errors.New("choose at most 64 invariants")}
	}
	var classes *verify.Judge
	if len(chosen) > 0 && f.sys.Protocol().N <= smallNetwork {
		subject, err := verify.Subject{System: f.sys, Memory: f.Memory / 4}, error(nil)
		err = effort.Do(ctx, func() (err error) {
			classes, err = verify.NewJudge(ctx, subject, chosen)
			return err
		})
		if err != nil {
			return explore.ContextError(ctx, err)
		}
	}
	f.judge = newJudge(f.sys, chosen, classes)
	return nil
}

// batchLines is how many lines are read while nobody takes them.
const batchLines = 1 << 10

// receive returns a channel of the lines of logs, so that a reader is not blocked while a writer pauses. The channel
// holds one batch, to which lines are added until it is taken or full: with a channel of lines, each line would wake
// the other goroutine.
func receive(ctx context.Context, logs []*Log) <-chan []entry {
	c := make(chan []entry, 1)
	go func() {
		defer close(c)
		for _, log := range logs {
			for line, err := range log.lines() {
				var batch []entry
				select {
				case batch = <-c:
				default:
				}
				if len(batch) == batchLines {
					c <- batch // there is room, because nobody else sends
					batch = nil
				}
				select {
				case c <- append(batch, entry{line, err}):
				case <-ctx.Done():
					return
				}
			}
		}
	}()
	return c
}

// next reads the next event of the logs, nil after the last one.
func (f *follower) next(ctx context.Context) (*logged, error) {
	if len(f.batch) == 0 {
		select {
		case f.batch = <-f.incoming:
		case <-ctx.Done():
		}
	}
	var in entry
	if len(f.batch) > 0 {
		in, f.batch = f.batch[0], f.batch[1:]
	}
	switch {
	case ctx.Err() != nil: // the channel is closed then, too
		return nil, context.Cause(ctx)
	case errors.Is(in.err, errCut):
		f.report.Cut = append(f.report.Cut, in.Place)
		return f.next(ctx)
	case in.err != nil:
		return nil, in.err
	case in.Event == nil:
		return nil, nil
	}
	q, ok := f.patterns[in.Event]
	if !ok {
		var err error
		if q, err = resolve(f.sys.Protocol(), in.Event); err != nil {
			return nil, &LineError{in.Place, err, f.exceeded(in.Event)}
		}
		f.patterns[in.Event] = q
	}
	if q.process == anybody && f.Order != Total {
		return nil, &LineError{Place: in.Place, Err: errors.New(`it does not name the process that acts ("p")`)}
	}
	e := &logged{pattern: q, line: in.line}
	if q.assign == nil {
		f.report.Events++
	}
	return e, nil
}

// read reads the logs to their end.
func (f *follower) read(ctx context.Context) error {
	for {
		e, err := f.next(ctx)
		if err != nil || e == nil {
			return err
		}
		f.events = append(f.events, e)
	}
}

// visible returns which actions are events of the log.
func (f *follower) visible() (*alphabet, error) {
	shown := &alphabet{make(map[model.ActionKind]bool), make(map[string]bool)}
	for _, e := range f.events {
		if f.Observe == nil && !e.state && e.assign == nil {
			shown.kinds[e.kind] = true
		}
	}
	p := f.sys.Protocol()
	for _, w := range f.Observe {
		known := slices.ContainsFunc(p.Messages, func(m *ir.Message) bool { return m.Name == w }) ||
			slices.ContainsFunc(p.Events, func(e *ir.Event) bool { return e.Name == w })
		for kind, verb := range verbs {
			if verb == w {
				shown.kinds[kind], known = true, true
			}
		}
		if shown.names[w] = true; !known {
			return nil, &model.RequestError{Option: "observe", Value: w,
				Err: errors.New("it is neither a kind of action (send, recv, …) nor a message or an event")}
		}
	}
	return shown, nil
}

// follow looks for runs that explain the events of logs.
func (f *follower) follow(ctx context.Context, logs []*Log) error {
	f.incoming = receive(ctx, logs)
	var err error
	atOnce := f.Order == Total && f.Observe != nil // each event is followed when it has been read
	if !atOnce {
		err = f.read(ctx)
	}
	if wrong := (*LineError)(nil); errors.As(err, &wrong) { // a line before it may not be explained
		f.wrong, err = wrong, nil
	}
	shown, wrong := f.visible()
	if wrong != nil {
		return wrong
	}
	f.network, f.exact = newNetwork(f.sys, shown), err == nil
	for more := true; more && err == nil; {
		f.network.forget()
		if f.Order == Total {
			more, err = f.followLines(ctx)
		} else {
			more, err = f.followDeep(ctx, nil)
		}
	}
	if wrong := (*LineError)(nil); errors.As(err, &wrong) {
		return err
	}
	if atOnce && !f.Live && errors.Is(err, errUnexplained) {
		_ = f.read(ctx) // to count the events of the whole log; whether a line is wrong does not matter any more
	}
	f.judged()
	return f.settle(ctx, err)
}

// take returns the next event of a run. It is nil after the last one, and more says whether another run begins.
func (f *follower) take(ctx context.Context, first bool) (e *logged, more bool, err error) {
	for ; ; first = false {
		if len(f.events) == 0 {
			if f.wrong != nil {
				return nil, false, f.wrong
			}
			if e, err = f.next(ctx); err != nil || e == nil {
				return nil, false, err
			}
			f.events = append(f.events, e)
		}
		if e = f.events[0]; !first && e.Run != 0 && e.Run != f.run {
			return nil, true, nil
		}
		f.events = f.events[1:]
		if f.run = e.Run; f.network.observes(e.pattern) {
			return e, false, nil
		}
		f.report.Events-- // some actions of its kind are not logged
	}
}

// followDeep searches depth first for a run that explains the events up to the next run: those that sets have
// explained, and those after them; or, if sets is nil, all, where only those of the same process are in order.
func (f *follower) followDeep(ctx context.Context, s *sets) (more bool, err error) {
	var taken []*logged
	if s != nil {
		taken = s.events
	}
	events, more, err := f.rest(ctx, taken)
	wrong := (*LineError)(nil)
	if err != nil && !errors.As(err, &wrong) {
		if s != nil {
			err = errors.Join(err, f.prefix(s))
		}
		return false, err
	}
	a := newAgenda(events, f.sys.Protocol().N, f.Order == Total)
	if f.Order == ByClock {
		if err := f.stamps(a); err != nil {
			return false, err
		}
	}
	d := f.depth(a)
	if wrong != nil { // the lines after it are not known; without a total order, lanes may continue
		a.cut = slices.Repeat([]bool{!a.total}, len(a.lanes))
		d.most = workForOne / f.sys.Protocol().N
	}
	if err := f.followDepth(ctx, d); wrong == nil || errors.Is(err, errUnexplained) {
		return more, err
	}
	return false, wrong
}

// rest returns the events up to the next run, after those that have been taken, and notes the assigned values.
func (f *follower) rest(ctx context.Context, taken []*logged) (events []*logged, more bool, err error) {
	for events, first := taken, taken == nil; ; first = false {
		e, more, err := f.take(ctx, first)
		if err != nil || e == nil {
			return events, more, err
		}
		if e.assign == nil {
			events = append(events, e)
		} else if !f.network.give(e.pattern) {
			f.blame(e)
			return nil, false, errUnexplained
		}
	}
}

// settle notes how the search ended: err is nil if the log is explained, errUnexplained if it is not.
func (f *follower) settle(ctx context.Context, err error) error {
	r := f.report
	explained := err == nil
	switch {
	case explained || errors.Is(err, errUnexplained):
		r.Explained, r.Complete = &explained, true
		return nil
	case errors.Is(err, errMemory):
		err = fmt.Errorf("%w: for the hypotheses", lts.ErrMemory)
		if advice := f.advice(); advice != "" {
			err = fmt.Errorf("%w; there are fewer if you %s", err, advice)
		}
	}
	return r.Stop(ctx, err)
}

// followLines follows the events up to the next run in the order of their lines.
func (f *follower) followLines(ctx context.Context) (more bool, err error) {
	a := newAgenda(nil, f.sys.Protocol().N, true)
	s := &sets{depth: f.depth(a), judge: f.judge,
		traced: f.Run || f.Graph, all: cmp.Or(f.all, workForAll),
		one: cmp.Or(f.one, workForOne)}
	if f.Graph {
		s.one, s.kept, f.report.sys = 0, &f.report.links, f.sys
	}
	for first := true; ; first = false {
		e, another, err := f.take(ctx, first)
		if err != nil {
			return false, errors.Join(err, f.prefix(s))
		}
		if s.initial == nil && (e == nil || e.assign == nil) {
			if err := s.begin(); err != nil {
				return false, err
			}
		}
		if e == nil {
			return another, f.prefix(s)
		}
		before, err := s.add(ctx, e)
		switch {
		case errors.Is(err, errMany):
			return f.followDeep(ctx, s)
		case errors.Is(err, errUnexplained):
			f.blame(e)
			f.report.Expected = f.expected(before, anybody, e.pattern)
			if e.assign == nil {
				f.report.Bounds = f.bounds(ctx, a)
			}
			fallthrough
		case err != nil:
			return false, errors.Join(err, f.prefix(s))
		}
		f.show(f.report.Explains+s.explained, len(s.now))
	}
}

// show calls Options.Progress about every second.
func (f *follower) show(events, hypotheses int) {
	if f.Progress == nil || time.Since(f.shown) < time.Second {
		return
	}
	f.shown = time.Now()
	f.Progress(Progress{events, hypotheses, f.report.Line, time.Since(f.begun), f.advice()})
}

// advice says what to log so that there are fewer hypotheses, "" if everything is logged.
func (f *follower) advice() string {
	if slices.Contains(f.network.given, unbound) {
		return `log "assign"`
	}
	for _, kind := range []model.ActionKind{model.SendAction, model.ReceiveAction} {
		if !f.network.every(kind) {
			return "log every " + verbs[kind]
		}
	}
	return ""
}
