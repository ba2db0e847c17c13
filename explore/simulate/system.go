package simulate

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// A Schedule is a way to choose the next step.
type Schedule int

// The schedules, see the package documentation.
const (
	Uniform Schedule = iota
	Timed
)

// A Scheduler is a schedule and its parameters.
type Scheduler struct {
	Schedule Schedule
	// FaultRate is, for a Timed schedule, the probability of a fault where one is possible; 0 means DefaultRate.
	FaultRate float64
}

// A System is a protocol prepared for random runs. It is immutable and safe for concurrent use.
type System struct {
	protocol  *ir.Protocol
	options   step.Options
	machine   *step.Machine
	schedule  Schedule
	rate      float64       // Timed: the probability of faults
	bounded   bool          // whether step.Options.MaxMessages bounds the channels
	locations []location    // by Point.ID
	width     int           // the maximum number of variables that are live at a control point
	layout    *layout       // of messages
	starts    []*step.State // the initial states; nil if they are drawn

	registers []*ir.Var   // registers that other processes may read
	reading   *ir.Reading // nil if no process reads registers of others
	readersOf [][]int32   // by process: which processes may read its registers; nil if all may
}

// A location is a control point with static facts about its term.
type location struct {
	*ir.Point
	own    ownness
	takes  []int8    // by kind of message: the number of receives that may take it, capped at 2
	alone  ir.Term   // the alternatives of Term that may act without a message
	with   []ir.Term // by kind of message: the alternatives that may take it
	mail   bool      // whether it takes some message
	timers []int     // the indices of timers in Live
	alarms []int64   // values of timers at which the possible steps may change
	alert  bool      // the possible steps may change at any value of a timer
	reads  bool      // the possible steps may depend on registers of others
	sets   []int     // the indices of wide sets in Live
	open   bool      // whether its decisions may lead to a stop
}

// An ownness is the ability of a process to act on its own at a control point.
type ownness int8

const (
	never   ownness = iota
	always          // with exactly one alternative
	depends         // that depends on its variables
)

// New prepares random runs of p. The error comes from ctx, or says which feature of p is not supported.
func New(ctx context.Context, p *ir.Protocol, opt step.Options, scheduler Scheduler) (*System, error) {
	s := &System{
		protocol: p, options: opt, machine: step.New(p, opt), schedule: scheduler.Schedule, rate: scheduler.FaultRate,
		bounded: scheduler.Schedule == Uniform && len(p.Large) == 0,
	}
	if s.rate == 0 {
		s.rate = DefaultRate
	}
	if err := s.checkSupported(); err != nil {
		return nil, err
	}
	s.layout = newLayout(p)
	s.findReaders()
	for _, point := range p.Points {
		s.width = max(s.width, len(point.Live))
		s.locations = append(s.locations, s.location(point))
	}
	return s, s.listStarts(ctx)
}

// maxStarts is the maximum number of initial states that are listed; if there may be more, assigned values are drawn.
const maxStarts = 50_000

// listStarts lists the distinct initial states: different assigned values can lead to the same state.
func (s *System) listStarts(ctx context.Context) error {
	if s.protocol.Combinations() > maxStarts {
		return nil
	}
	if len(s.protocol.Start.Assignments) == 0 {
		begin, err := s.begin(&ir.Sets{}, nil)
		holdsSet := func(l ir.Local) bool { return len(s.locations[l.Point.ID].sets) > 0 }
		if err == nil && !slices.ContainsFunc(begin.Processes, holdsSet) {
			s.starts = []*step.State{begin}
		}
		return err
	}
	listed := make(map[string]bool)
	err := s.machine.Initial(func(state *step.State) bool {
		if key := state.Key(); !listed[key] {
			listed[key] = true
			s.starts = append(s.starts, state)
		}
		return ctx.Err() == nil
	})
	if err == nil && len(s.starts) == 0 {
		err = errors.New("there is no initial state")
	}
	return errors.Join(err, ctx.Err())
}

// maxAttempts bounds the random states that are tried until the condition on initial states holds.
const maxAttempts = 10_000

// begin returns an initial state in which assign sets the values of each assignment. It tries again if the condition on
// initial states excludes it.
func (s *System) begin(sets *ir.Sets, assign func(*ir.Assignment, []int64)) (*step.State, error) {
	attempts := 1
	if s.protocol.Start.Condition != nil && len(s.protocol.Start.Assignments) > 0 {
		attempts = maxAttempts
	}
	for range attempts {
		sets.Clear()
		processes, channels, shared, allowed, err := s.protocol.Begin(sets, assign)
		if allowed || err != nil {
			return &step.State{Processes: processes, Channels: channels, Shared: shared}, asModelError(-1, err)
		}
	}
	return nil, fmt.Errorf("%s: the condition on initial states holds in none of %d random ones",
		s.protocol.Start.ConditionPos, attempts)
}

// Protocol returns the protocol.
func (s *System) Protocol() *ir.Protocol { return s.protocol }

func (s *System) checkSupported() error {
	p := s.protocol
	if s.schedule == Timed && !p.Time.Ticks {
		return errors.New("there is no time in " + p.Name + ": no delay and no timer")
	}
	copies := func(k ir.FaultKind) bool { return k.Info().Early }
	if p.Capacity.Most > 0 && slices.ContainsFunc(p.Faults.InChannels(), copies) {
		return fmt.Errorf("%s: duplicates in channels with a capacity are not simulated", p.Capacity.Pos)
	}
	if p.Vast && (len(p.Start.Contents) > 0 || p.Start.Condition != nil) {
		return fmt.Errorf("%s says what is in channels initially, or in which states it begins, but has too many "+
			"channels to list them", p.Name)
	}
	for _, m := range p.Messages {
		for _, f := range m.Fields {
			if f.Type.Wide {
				return fmt.Errorf("field %s of %s is a %s; a message cannot carry so large a set",
					f.Name, m.Name, f.Type)
			}
		}
	}
	return nil
}

// findReaders finds the registers that other processes read, and their readers.
func (s *System) findReaders() {
	p := s.protocol
	if s.reading = p.Reading(); s.reading == nil {
		return
	}
	for _, v := range p.Vars {
		if (v.Kind == ir.Register || v.Kind == ir.Ghost) && v.Lasting() { // ghosts are assigned from ghosts of others
			s.registers = append(s.registers, v)
		}
	}
	if s.reading.Anybody {
		return
	}
	s.readersOf = make([][]int32, p.N)
	for q := range p.N {
		for _, peer := range s.reading.Of(p, q) {
			s.readersOf[peer] = append(s.readersOf[peer], int32(q))
		}
	}
}

// readers yields the processes that may read the registers of the given one.
func (s *System) readers(process int) iter.Seq[int] {
	return func(yield func(int) bool) {
		if s.reading.Anybody {
			for q := range s.protocol.N {
				if !yield(q) {
					return
				}
			}
			return
		}
		for _, q := range s.readersOf[process] {
			if !yield(int(q)) {
				return
			}
		}
	}
}

func (s *System) location(point *ir.Point) location {
	at := location{Point: point, takes: make([]int8, len(s.protocol.Messages))}
	for i, v := range point.Live {
		switch {
		case v.Kind == ir.Timer:
			at.timers = append(at.timers, i)
		case v.Type.Wide:
			at.sets = append(at.sets, i)
		}
	}
	switch t := point.Term.(type) {
	case *ir.Draw:
		if t.Choose {
			at.open = ir.MayStop(t)
		} else {
			at.own = always
		}
	case *ir.Prefix:
		if _, receives := t.Action.(*ir.Receive); !receives {
			at.own = always
		}
	default:
		at.open = ir.MayStop(t)
	}
	if at.own == always && (s.protocol.Capacity.Blocks() || s.protocol.Channel.Sync) {
		at.own = depends // on the room in a channel or on a receiver
	}
	s.survey(point.Term, &at, make(map[*ir.Equation]bool))
	at.mail = slices.ContainsFunc(at.takes, func(n int8) bool { return n > 0 })
	at.alone = s.filter(point.Term, func(at *location) bool { return at.own != never })
	for kind := range s.protocol.Messages {
		at.with = append(at.with, s.filter(point.Term, func(at *location) bool { return at.takes[kind] > 0 }))
	}
	s.watch(point.Term, &at)
	return at
}

// filter returns a choice with only the alternatives whose location is wanted.
func (s *System) filter(t ir.Term, wanted func(*location) bool) ir.Term {
	choice, ok := t.(*ir.Choice)
	if !ok {
		return t
	}
	rest := &ir.Choice{}
	for _, u := range choice.Terms {
		at := location{takes: make([]int8, len(s.protocol.Messages))}
		s.survey(u, &at, make(map[*ir.Equation]bool))
		if wanted(&at) {
			rest.Terms = append(rest.Terms, u)
		}
	}
	return rest
}

// watch collects the values of timers at which the possible steps may change: the constants with which they are
// compared.
func (s *System) watch(term ir.Term, at *location) {
	look := func(e ir.Expr) bool {
		if b, ok := e.(*ir.Binary); ok && (b.Op == ir.Eq || b.Op == ir.Ne) {
			ref, timer := b.X.(*ir.VarRef)
			value, constant := b.Y.(*ir.Const)
			if timer && constant && ref.Var.Kind == ir.Timer {
				at.alarms = append(at.alarms, value.Value)
				return false
			}
		}
		if ref, ok := e.(*ir.VarRef); ok && ref.Var.Kind == ir.Timer {
			at.alert = true
		}
		return true
	}
	examine := func(exprs ...ir.Expr) {
		for _, e := range exprs {
			ir.Walk(e, look)
		}
		for _, d := range ir.Definitions(exprs...) {
			ir.Walk(d.Body, look)
		}
	}
	for t := range ir.Terms(term) {
		switch t := t.(type) {
		case *ir.If:
			examine(t.Cond)
		case *ir.Prefix:
			if r, ok := t.Action.(*ir.Receive); ok {
				examine(r.Where)
				for _, p := range append(r.Patterns, r.Source) {
					examine(p.Equal)
				}
			}
		case *ir.Let, *ir.Call, *ir.For:
			at.alert = true // later comparisons may depend on timers
		case *ir.Draw:
			at.alert = at.alert || t.Choose && t.Among != nil // there may be no value
		}
	}
}

// alarmed reports whether the possible steps may change when a timer goes from v + 1 to v.
func (at *location) alarmed(v int64) bool {
	return at.alert || slices.Contains(at.alarms, v) || slices.Contains(at.alarms, v+1)
}

// survey collects the possible actions of a term and of the equations that it reaches without an action.
func (s *System) survey(term ir.Term, at *location, seen map[*ir.Equation]bool) {
	for t := range ir.Terms(term) {
		at.reads = at.reads || ir.ReadsIn(t)
		switch t := t.(type) {
		case *ir.Draw:
			if at.own == never {
				at.own = depends
			}
			if t.Choose {
				for i := range at.takes { // there may be an alternative for each value
					at.takes[i] = 2
				}
			}
		case *ir.Prefix:
			r, receives := t.Action.(*ir.Receive)
			if !receives && at.own == never {
				at.own = depends
			}
			for i := range at.takes {
				if receives && (r.Message == nil || r.Message.ID == i) {
					at.takes[i] = min(2, at.takes[i]+1)
				}
			}
		case *ir.Call:
			if !seen[t.Equation] {
				seen[t.Equation] = true
				s.survey(t.Equation.Start.Term, at, seen)
			} else {
				at.doubleTakes() // the call is reached on several paths
			}
		case *ir.LoopEnd:
			at.doubleTakes() // the alternatives of the body may be there for several values
		}
	}
}

// doubleTakes doubles the numbers of receives, up to 2: each may be there in several ways.
func (at *location) doubleTakes() {
	for i := range at.takes {
		at.takes[i] = min(2, 2*at.takes[i])
	}
}

// Bytes returns the approximate memory of this run, without the System.
func (r *Run) Bytes() int64 {
	perProcess := 8*r.width + 32
	return int64(r.protocol.N*perProcess) + r.mail.bytes() + r.env.Sets.Bytes()
}
