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

// A checker looks for runs that explain logs, run by run, and records what it finds in a report.
type checker struct {
	Options
	system     *reduce.System
	sys        *compile.System
	network    *network
	invariants *invariants
	report     *Report

	// Input.
	incoming  <-chan []lineOrError  // lines that have not been read into events
	batch     []lineOrError         // received from incoming
	patterns  map[*Event][]*pattern // by their parts
	pending   []*traceEvent         // events that have been read and do not belong to a run yet
	lineError error                 // in the line after these
	run       uint                  // the number of the current run in its lines

	// Results.
	violatedByAll, violatedBySome uint64 // the invariants that all and some runs that explain the log violate, as bits
	complete                      bool   // the hypotheses are complete

	startTime time.Time
	meter     *explore.ProgressMeter
}

// A lineOrError is a line of a log, or the error in its place.
type lineOrError struct {
	line line
	err  error
}

// newChecker returns a checker that has read nothing.
func newChecker(ctx context.Context, sys *reduce.System, opt Options) (*checker, error) {
	prepared, err := reduce.Prepare(ctx, sys, opt.search())
	switch {
	case err != nil:
		return nil, err
	case prepared.Full == nil:
		return nil, &model.RequestError{Err: errors.New("a log is checked against a spec")}
	}
	if err := prepared.Protocol.Refusal(ir.InLogs); err != nil {
		return nil, &model.RequestError{Err: err}
	}
	opt.Order, opt.Memory = cmp.Or(opt.Order, Total), cmp.Or(opt.Memory, machine.Budget())
	c := &checker{Options: opt, system: sys, sys: prepared.Full, patterns: make(map[*Event][]*pattern),
		startTime: time.Now(), meter: explore.NewProgressMeter(opt.Progress, opt.ProgressEvery)}
	c.report = &Report{Description: prepared.Description(), Order: c.Order, Properties: []Property{}}
	return c, c.chooseInvariants(ctx)
}

// search returns the bounds of the system.
func (o *Options) search() reduce.Search {
	return reduce.Search{MaxChannel: o.MaxChannel, MaxNat: o.MaxNat, Memory: o.Memory}
}

// chooseInvariants prepares the evaluation of the chosen invariants.
func (c *checker) chooseInvariants(ctx context.Context) error {
	var chosen []*ir.Property
	for _, p := range c.sys.Protocol().Properties {
		if p.Kind.Safety() && !p.Kind.OfEnds() && (c.Properties == nil || slices.Contains(c.Properties, p.Name)) {
			chosen = append(chosen, p)
		}
	}
	for _, name := range c.Properties {
		if !slices.ContainsFunc(chosen, func(p *ir.Property) bool { return p.Name == name }) {
			return &model.RequestError{Option: "property", Value: name, Err: errors.New("it is not an invariant")}
		}
	}
	if len(chosen) > 64 {
		return &model.RequestError{Option: "property", Err: errors.New("choose at most 64 invariants")}
	}
	var classes *verify.Judge
	if len(chosen) > 0 && c.sys.Protocol().N <= smallNetwork {
		subject, err := verify.Verifier{System: c.sys, Memory: c.Memory / 4}, error(nil)
		err = effort.Do(ctx, func() (err error) {
			classes, err = verify.NewJudge(ctx, subject, chosen)
			return err
		})
		if err != nil {
			return explore.ContextError(ctx, err)
		}
	}
	c.invariants = newInvariants(c.sys, chosen, classes)
	return nil
}

// batchLines is the number of lines that are read ahead.
const batchLines = 1 << 10

// readAhead reads lines of logs in the background and returns a channel of them. The channel holds one batch, to which
// lines are added until it is received or full: with a channel of lines, each line would wake the receiver.
func readAhead(ctx context.Context, logs []*Log) <-chan []lineOrError {
	c := make(chan []lineOrError, 1)
	go func() {
		defer close(c)
		for _, log := range logs {
			for line, err := range log.lines() {
				var batch []lineOrError
				select {
				case batch = <-c:
				default:
				}
				if len(batch) == batchLines {
					c <- batch // the channel is empty, and has no other sender
					batch = nil
				}
				select {
				case c <- append(batch, lineOrError{line, err}):
				case <-ctx.Done():
					return
				}
			}
		}
	}()
	return c
}

// readLine reads the next line of the logs and returns an event for each part of it, none after the last line.
func (c *checker) readLine(ctx context.Context) ([]*traceEvent, error) {
	if len(c.batch) == 0 {
		select {
		case c.batch = <-c.incoming:
		case <-ctx.Done():
		}
	}
	var in lineOrError
	if len(c.batch) > 0 {
		in, c.batch = c.batch[0], c.batch[1:]
	}
	switch {
	case ctx.Err() != nil: // then the channel is closed, too
		return nil, context.Cause(ctx)
	case errors.Is(in.err, errTruncated):
		c.report.TruncatedLines = append(c.report.TruncatedLines, in.line.Position)
		return c.readLine(ctx)
	case in.err != nil:
		return nil, in.err
	case in.line.Event == nil:
		return nil, nil
	}
	parts, ok := c.patterns[in.line.Event]
	if !ok {
		var err error
		if parts, err = resolveParts(c.sys.Protocol(), in.line.Event); err != nil {
			return nil, &LineError{in.line.Position, err, c.boundsOfLine(in.line.Event)}
		}
		c.patterns[in.line.Event] = parts
	}
	if parts[0].process == anyProcess && parts[0].initial == nil && c.Order != Total {
		err := errors.New(`it does not name the process that acts ("p")`)
		return nil, &LineError{Position: in.line.Position, Err: err}
	}
	if !parts[0].isGiven() {
		c.report.Events++
	}
	return newTraceEvents(parts, in.line), nil
}

// readAll reads the logs to their end.
func (c *checker) readAll(ctx context.Context) error {
	for {
		parts, err := c.readLine(ctx)
		if err != nil || parts == nil {
			return err
		}
		c.pending = append(c.pending, parts...)
	}
}

// observableActions returns the actions that the options declare observable, by default all kinds that the log has.
func (c *checker) observableActions() (*alphabet, error) {
	a := newAlphabet()
	for _, e := range c.pending {
		if q := e.pattern; c.Observe == nil && !q.isState && !q.isGiven() {
			a.verbs[q.verb] = true
		}
	}
	return a, a.add("observe", c.Observe, c.sys.Protocol())
}

// check looks for runs that explain the events of logs.
func (c *checker) check(ctx context.Context, logs []*Log) error {
	c.incoming = readAhead(ctx, logs)
	var err error
	online := c.Order == Total && c.Observe != nil // each event is checked before the next one is read
	if !online {
		err = c.readAll(ctx)
	}
	if wrong := (*LineError)(nil); errors.As(err, &wrong) { // a line before it may not be explained
		c.lineError, err = wrong, nil
	}
	observable, invalid := c.observableActions()
	if invalid != nil {
		return invalid
	}
	c.network, c.complete = newNetwork(c.sys, observable), err == nil
	for more := true; more && err == nil; {
		c.network.clearKnownValues()
		if c.Order == Total {
			more, err = c.trackHypotheses(ctx)
		} else {
			more, err = c.findRun(ctx, nil)
		}
	}
	if wrong := (*LineError)(nil); errors.As(err, &wrong) {
		return err
	}
	if online && !c.Live && errors.Is(err, errUnexplained) {
		_ = c.readAll(ctx) // to count the events of the whole log; an invalid line does not matter any more
	}
	c.recordInvariants()
	return c.finish(ctx, err)
}

// nextObserved returns the next event of a run, nil after the last one. more reports whether another run follows.
func (c *checker) nextObserved(ctx context.Context, first bool) (e *traceEvent, more bool, err error) {
	for ; ; first = false {
		if len(c.pending) == 0 {
			if c.lineError != nil {
				return nil, false, c.lineError
			}
			parts, err := c.readLine(ctx)
			if err != nil || parts == nil {
				return nil, false, err
			}
			c.pending = append(c.pending, parts...)
		}
		if e = c.pending[0]; !first && e.line.Run != 0 && e.line.Run != c.run {
			return nil, true, nil
		}
		c.pending = c.pending[1:]
		if c.run = e.line.Run; c.network.mayObserve(e.action) {
			return e, false, nil
		}
		if e.last {
			c.report.Events-- // some actions of its kind are not logged
		}
	}
}

// findRun searches depth-first for a run that explains the events up to the next run: the events that a tracker has
// followed, if it is not nil, and the events after them.
func (c *checker) findRun(ctx context.Context, followed *tracker) (more bool, err error) {
	var events []*traceEvent
	if followed != nil {
		events = followed.trace.events
	}
	events, more, err = c.appendRemaining(ctx, events)
	wrong := (*LineError)(nil)
	if err != nil && !errors.As(err, &wrong) {
		if followed != nil {
			err = errors.Join(err, c.recordHypotheses(followed))
		}
		return false, err
	}
	t := newTrace(events, c.sys.Protocol().N, c.Order == Total)
	if c.Order == ByClock {
		if err := c.readClocks(t); err != nil {
			return false, err
		}
	}
	d := c.newDFS(t)
	if wrong != nil { // the lines after it are unknown; without a total order, any chain may continue
		t.openEnd = slices.Repeat([]bool{!t.total}, len(t.chains))
		d.limit = workForOne / c.sys.Protocol().N
	}
	if err := c.runDFS(ctx, d, followed); wrong == nil || errors.Is(err, errUnexplained) {
		return more, err
	}
	return false, wrong
}

// appendRemaining appends the events up to the next run to its first events, and records the assigned values.
func (c *checker) appendRemaining(ctx context.Context, events []*traceEvent) (_ []*traceEvent, more bool, err error) {
	for first := events == nil; ; first = false {
		e, more, err := c.nextObserved(ctx, first)
		if err != nil || e == nil {
			return events, more, err
		}
		if !e.pattern.isGiven() {
			events = append(events, e)
			continue
		}
		ofProcess := func(x *traceEvent) bool { return c.Order == Total || x.pattern.process == e.pattern.process }
		if e.pattern.initial != nil && slices.ContainsFunc(events, ofProcess) {
			return events, false, lateInitial(e)
		}
		if fits, err := c.network.recordGiven(e); err != nil {
			return events, false, err
		} else if !fits {
			c.recordUnexplained(e)
			return nil, false, errUnexplained
		}
	}
}

// finish records how the search ended: err is nil if the log is explained, errUnexplained if it is not.
func (c *checker) finish(ctx context.Context, err error) error {
	r := c.report
	explained := err == nil
	switch {
	case explained || errors.Is(err, errUnexplained):
		r.Explained, r.Complete = &explained, true
		return nil
	case errors.Is(err, errMemory):
		err = fmt.Errorf("%w: for the hypotheses", lts.ErrMemory)
		if advice := c.advice(); advice != "" {
			err = fmt.Errorf("%w; there are fewer if you %s", err, advice)
		}
	}
	return r.Stop(ctx, err)
}

// trackHypotheses follows the events up to the next run in the order of their lines. If there are too many hypotheses,
// it looks for one run instead.
func (c *checker) trackHypotheses(ctx context.Context) (more bool, err error) {
	t := c.newTracker()
	t.recordsRuns, t.hardLimit = c.Run || c.Graph, cmp.Or(c.hardLimit, workForOne)
	if c.Graph {
		t.hardLimit, t.graph, c.report.sys = 0, &c.report.graph, c.sys
	}
	for first := true; ; first = false {
		e, another, err := c.nextObserved(ctx, first)
		if err != nil {
			return false, errors.Join(err, c.recordHypotheses(t))
		}
		if t.initial == nil && (e == nil || !e.pattern.isGiven()) {
			if err := t.begin(); err != nil {
				return false, err
			}
		}
		if e == nil {
			err := c.recordHypotheses(t)
			if !t.complete() && t.checkpoints == 0 {
				c.findCertainViolations(ctx, &dfs{trace: t.trace}, t.initial)
			}
			return another, err
		}
		before, err := t.add(ctx, e)
		switch {
		case errors.Is(err, errLimit):
			return c.findRun(ctx, t)
		case errors.Is(err, errUnexplained):
			c.recordUnexplained(e)
			c.report.Expected = c.expected(before, anyProcess, e.pattern)
			c.report.StepErrors = c.network.stepErrors(before, e.pattern.process)
			if !e.pattern.isGiven() {
				c.report.Bounds = c.boundsReached(ctx, t.trace, t)
			}
			fallthrough
		case err != nil:
			return false, errors.Join(err, c.recordHypotheses(t))
		}
		if err := c.checkpoint(ctx, t); err != nil {
			return false, errors.Join(err, c.recordHypotheses(t))
		}
		c.reportProgress(func() int { return t.lines }, len(t.hypotheses))
	}
}

// newTracker returns a tracker without hypotheses.
func (c *checker) newTracker() *tracker {
	return &tracker{network: c.network, trace: newTrace(nil, c.sys.Protocol().N, true), invariants: c.invariants,
		memory: c.Memory / 2, allLimit: cmp.Or(c.allLimit, workForAll)}
}

// newDFS returns a search for a run that explains a trace.
func (c *checker) newDFS(t *trace) *dfs {
	return &dfs{network: c.network, trace: t, memory: c.Memory / 2, abstractionLimit: workForOne}
}

// reportProgress reports progress, if a report is due: the number of lines of the current run that are explained.
func (c *checker) reportProgress(lines func() int, hypotheses int) {
	if elapsed := time.Since(c.startTime); c.meter.Due(elapsed) {
		c.meter.Report(Progress{c.report.EventsExplained + lines(), hypotheses, c.report.Line, elapsed, c.advice()})
	}
}

// advice returns an instruction what to log so that there are fewer hypotheses, "" if everything is logged.
func (c *checker) advice() string {
	if slices.Contains(c.network.knownValues, unbound) {
		return `log "assign"`
	}
	for _, kind := range []model.ActionKind{model.SendAction, model.ReceiveAction} {
		if !c.network.observesAll(kind) {
			return "log every " + verbWords[kind]
		}
	}
	return ""
}
