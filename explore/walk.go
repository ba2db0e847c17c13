package explore

import (
	"cmp"
	"context"
	"errors"
	"math"
	"runtime"
	"time"

	"ringcheck/bisim/lts"
	"ringcheck/explore/internal/tree"
	"ringcheck/internal/intern"
	"ringcheck/internal/workers"
	"ringcheck/model"
)

// A Visitor gets the states and transitions of a Walk, in one goroutine. Nil functions are not called; an error ends
// the walk and is returned by it.
type Visitor struct {
	// State is called once for each state, when it is found. States are numbered from 0 in this order. state is valid
	// during the call.
	State func(n uint64, level int, state []model.Value) error
	// Transitions is called once for each state, by number, with all transitions from it: group by group, as
	// System.Next returns them, repeated ones included. State has been called for their targets. The slice is valid
	// during the call.
	Transitions func(from uint64, transitions []Transition) error
	// Bytes returns the memory that the visitor holds, which counts against Options.Memory.
	Bytes func() uint64
}

// A Transition is a step of a group from some state, and the number of the state that it leads to. Transitions of one
// state with the same Group and Choice are outcomes of one probabilistic choice.
type Transition struct {
	model.Step
	Group int
	To    uint64
}

// Walk generates the state space breadth first and calls v for every state and transition, in an order that does not
// depend on the number of workers: they expand states in advance, and one goroutine numbers them. It is for callers
// that need the step of each transition. Memory is about 20 bytes a state. Options.Match, Spill and Store are ignored.
func Walk(ctx context.Context, sys model.System, opt Options, v Visitor) (*Result, error) {
	w, err := newWalk(ctx, sys, opt)
	if err != nil {
		return startFailure(ctx, err)
	}
	w.visitState, w.extra = v.State, v.Bytes
	if v.Transitions != nil {
		w.visit = func(from uint64, p *job, first, end int) error {
			return v.Transitions(from, w.transitions(p, first, end))
		}
		w.sorted = true
	}
	return w.run()
}

// A walk numbers states in the order in which they are found. Its workers expand jobs, parts of the queue of states,
// and the caller's goroutine collects the results in the order of the queue.
type walk struct {
	*subject
	stopper
	tally
	steps     intern.Values[step] // by tag of a transition
	tree      *tree.Worker        // used by the caller's goroutine
	sightings *sightings

	visitState func(n uint64, level int, state []model.Value) error
	visit      func(from uint64, p *job, first, end int) error // gets transitions of a job
	extra      func() uint64                                   // the memory of the visitor in bytes; nil if none
	sorted     bool                                            // by group

	numbers    intern.Numbering
	recent     [1 << recentBits]numberedState // by at
	touch      uint64
	pending    counts         // counts since they were last added to the tally
	initials   uint64         // states
	queue      []tree.StateID // the states in the order of their numbers; a prefix has been dispatched
	dispatched int            // the length of that prefix
	collected  uint64         // states
	levelEnd   uint64         // the first number after the current level
	out        []Transition
	meter      *ProgressMeter
}

// A numberedState is a recently found state with its number.
type numberedState struct {
	id     tree.StateID // plus one; 0 if empty
	number uint64
}

// A step is a model.Step with its group.
type step struct {
	group int
	model.Step
}

// less orders steps by group and choice.
func (s *step) less(other *step) bool {
	return cmp.Or(cmp.Compare(s.group, other.group), cmp.Compare(s.Choice, other.Choice)) < 0
}

// A job is some consecutive states of the queue, and their successors.
type job struct {
	states []tree.StateID
	next   tree.Expansion
	to     []uint64 // the numbers of next.To
	err    error    // the error for the state after the expanded ones
	ready  chan struct{}
}

func newWalk(ctx context.Context, sys model.System, opt Options) (*walk, error) {
	w := &walk{stopper: stopper{ctx: ctx}, tally: tally{begin: time.Now()},
		meter: NewProgressMeter(opt.Progress, opt.ProgressEvery)}
	opt.Tag = func(group int, s model.Step) uint32 { return w.steps.Number(step{group, s}) }
	var err error
	if w.subject, err = newSubject(ctx, sys, opt); err != nil {
		return nil, err
	}
	w.tree = w.store.Worker()
	w.sightings = newSightings(w.subject, w.tree, &w.untilFlag)
	return w, nil
}

// errFull ends a walk at its limit of states, in order.
var errFull = errors.New("state limit reached")

// run walks; the tree is not used afterwards.
func (w *walk) run() (*Result, error) {
	defer w.store.Close()
	defer w.interruptible(func() error { return w.poll(w.checkParts) })()
	err := w.withinCapacity(func() error {
		err := w.numberInitial()
		w.initials = w.count()
		if err == nil {
			err = w.expandAll()
		}
		return err
	})
	switch {
	case w.invalid != nil:
		return nil, w.invalid
	case err != nil && !w.halted():
		return nil, err
	}
	return w.finish(), nil
}

// checkParts halts the walk if the parts of states exceed the budget. It is called by all goroutines.
func (w *walk) checkParts() {
	if w.opt.Memory != 0 && uint64(w.subject.bytes()+w.steps.Bytes()) > w.opt.Memory {
		w.halt(MemoryLimit)
	}
}

// numberInitial numbers the initial states.
func (w *walk) numberInitial() error {
	var failed error
	err := w.subject.eachInitial(func(state []model.Value) bool {
		_, failed = w.numberOf(w.tree.ID(state))
		return failed == nil && w.ctx.Err() == nil
	})
	return cmp.Or(err, failed)
}

// jobsPerWorker is the number of jobs that are dispatched at a time for each worker.
const jobsPerWorker = 4

// expandAll expands all states.
func (w *walk) expandAll() error {
	var group workers.Group
	jobs := make(chan *job, jobsPerWorker*w.opt.Workers)
	defer group.Wait()
	defer close(jobs)
	for range w.opt.Workers {
		group.Go(func() {
			t := w.store.Worker()
			for p := range jobs {
				w.expand(t, p)
			}
		})
	}
	var free, dispatched []*job
	for range cap(jobs) {
		free = append(free, &job{ready: make(chan struct{}, 1)})
	}
	for {
		for w.dispatched < len(w.queue) && len(free) > 0 {
			p := free[len(free)-1]
			free = free[:len(free)-1]
			w.dispatch(p)
			jobs <- p
			dispatched = append(dispatched, p)
		}
		if len(dispatched) == 0 {
			return nil
		}
		p := dispatched[0]
		dispatched = dispatched[1:]
		<-p.ready
		if err := w.collect(p); err != nil || w.halted() {
			return err
		}
		free = append(free, p)
	}
}

// dispatch moves states from the queue to a job: few if the queue is short, so that every worker gets some.
func (w *walk) dispatch(p *job) {
	n := min(statesPerExpansion, max(1, (len(w.queue)-w.dispatched)/w.opt.Workers))
	p.states = append(p.states[:0], w.queue[w.dispatched:w.dispatched+n]...)
	w.dispatched += n
	if w.dispatched > len(w.queue)/2 && w.dispatched > batchStates {
		w.queue = w.queue[:copy(w.queue, w.queue[w.dispatched:])]
		w.dispatched = 0
	}
}

// errPanic is the error of a job whose expansion has panicked. The group of workers passes the panic on.
var errPanic = errors.New("panic")

func (w *walk) expand(t *tree.Worker, p *job) {
	p.err = errPanic
	defer func() { p.ready <- struct{}{} }()
	p.err = t.Expand(p.states, nil, &p.next)
	if w.sorted {
		p.sort(&w.steps)
	}
}

// sort puts the transitions of each state in the order of their groups.
func (p *job) sort(steps *intern.Values[step]) {
	first := 0
	for _, end := range p.next.Ends {
		to, tags := p.next.To[first:end], p.next.Tags[first:end]
		// Insertion sort is stable, and fast for a few transitions that are nearly in order.
		for i := 1; i < len(tags); i++ {
			s := steps.At(tags[i])
			at := i
			for at > 0 && s.less(steps.At(tags[at-1])) {
				at--
			}
			id, tag := to[i], tags[i]
			copy(to[at+1:i+1], to[at:i])
			copy(tags[at+1:i+1], tags[at:i])
			to[at], tags[at] = id, tag
		}
		first = end
	}
}

// collect numbers the successors of the states of a job and visits their transitions.
func (w *walk) collect(p *job) error {
	if errors.Is(p.err, errPanic) || errors.Is(p.err, errHalted) {
		w.abort() // no effect if the walk has been halted
		return nil
	}
	w.probe(p.next.To)
	p.to = p.to[:0]
	first := 0
	for i, end := range p.next.Ends {
		w.beginLevel()
		if w.limits(i); w.halted() {
			return nil
		}
		if err := w.numberSuccessors(p, i, first, end); err != nil {
			return err
		}
		first = end
		w.collected++
	}
	if p.err != nil {
		w.beginLevel()
		w.failSystem(p.err, func() []model.Value {
			state := make([]model.Value, len(w.sightings.state))
			w.tree.Vector(p.states[len(p.next.Ends)], state)
			return state
		})
	}
	return nil
}

// beginLevel starts the next level if the current one is complete.
func (w *walk) beginLevel() {
	if w.collected != w.levelEnd {
		return
	}
	if w.untilFlag.Load() {
		w.halt(Matched)
	}
	w.publish(&w.pending)
	w.endLevel(w.count() - w.levelEnd)
	w.levelEnd = w.count()
}

// count returns the number of numbered states.
func (w *walk) count() uint64 { return uint64(w.numbers.Len()) }

// probe reads the table entries of state IDs in advance, so that cache misses overlap: see intern.NumberingView.
func (w *walk) probe(ids []tree.StateID) {
	view := w.numbers.View()
	for _, id := range ids {
		if w.recent[at(id)].id != id+1 {
			w.touch ^= view.Touch(view.Probe(id))
		}
	}
}

// numberSuccessors numbers the successors of state i of a job, the transitions first up to end, and visits these.
func (w *walk) numberSuccessors(p *job, i, first, end int) error {
	size := w.sightings.orbit(p.states[i])
	for i := first; i < end; i++ {
		n, err := w.numberOf(p.next.To[i])
		if err != nil {
			return err
		}
		p.to = append(p.to, n)
	}
	if w.pending.expand(&p.next, i, size) {
		w.sightings.observe(p.states[i], size, len(w.sizes)-1, true)
	}
	if w.visit == nil {
		return nil
	}
	return w.visit(w.collected, p, first, end)
}

// maxWalk is the maximum number of states of a walk: tools read no larger .aut files.
const maxWalk = math.MaxUint32 - 1

// numberOf returns the number of a state, and assigns one if the state is new.
func (w *walk) numberOf(id tree.StateID) (uint64, error) {
	e := &w.recent[at(id)]
	if e.id == id+1 {
		return e.number, nil
	}
	if n, ok := w.numbers.Load(id); ok {
		*e = numberedState{id + 1, uint64(n)}
		return e.number, nil
	}
	n := w.count()
	if n == maxWalk || w.opt.MaxStates != 0 && n == w.opt.MaxStates {
		w.halt(StateLimit)
		return 0, errFull
	}
	w.numbers.LoadOrCreate(id, func(uint32) {})
	*e = numberedState{id + 1, n}
	w.queue = append(w.queue, id)
	size := w.sightings.orbit(id)
	w.pending.stored++
	w.pending.states += size
	w.sightings.observe(id, size, len(w.sizes), false)
	if w.visitState == nil {
		return n, nil
	}
	w.tree.Vector(id, w.sightings.state)
	return n, w.visitState(n, len(w.sizes), w.sightings.state)
}

// transitions returns the transitions of a job from first up to end, for a Visitor.
func (w *walk) transitions(p *job, first, end int) []Transition {
	w.out = w.out[:0]
	for i := first; i < end; i++ {
		step := w.steps.At(p.next.Tags[i])
		w.out = append(w.out, Transition{step.Step, step.group, p.to[i]})
	}
	return w.out
}

// limits stops the walk at its limits, and reports progress. It is called for every state of a job, and does most of
// its work for the first one.
func (w *walk) limits(i int) {
	if w.ctx.Err() != nil {
		w.halt(StopFor(w.ctx))
		return
	}
	if i != 0 {
		return
	}
	w.publish(&w.pending)
	if w.recordBytes(w.bytes()); w.opt.Memory != 0 && uint64(w.heldBytes.Load()) > w.opt.Memory {
		w.halt(MemoryLimit)
	}
	if w.meter.Due(time.Since(w.begin)) {
		w.meter.ReportSearch(w.progress())
	}
}

func (w *walk) bytes() int64 {
	n := w.subject.bytes() + w.steps.Bytes() + w.numbers.Bytes() + 8*int64(cap(w.queue))
	if w.extra != nil {
		n += int64(w.extra())
	}
	return n
}

func (w *walk) finish() *Result {
	w.publish(&w.pending)
	w.recordBytes(w.bytes())
	r := w.result(&w.stopper)
	copies := w.store.Copies() + w.numbers.Copies()
	r.Bytes = uint64(w.store.Bytes() + w.steps.Bytes() + w.numbers.Bytes() - copies)
	r.Workers = w.opt.Workers
	r.Generated = r.Transitions
	r.Classes = observations(w.sightings)
	return r
}

// Generate explores sys and returns it as a labelled transition system. name returns the name of a label; lts.TauName
// hides it. The states are numbered from 0 on in the order in which a breadth-first search meets them, the same for any
// number of workers; if there are several initial states, one more, state 0, comes before them, with a τ to each. A
// quotient (model.Quotient) is returned as it is, not unfolded.
//
// In addition to the memory of a Walk, it takes 16 bytes for each transition and for each state; it counts against
// Options.Memory. Spill and Store are ignored.
//
// If the search does not come to its end there is no system, only the result. The error is lts.ErrTooLarge if the
// system has more states or transitions than an lts.LTS can hold.
func Generate(ctx context.Context, sys model.System, opt Options, name func(model.LabelInfo) string) (
	*lts.LTS, *Result, error,
) {
	w, err := newWalk(ctx, sys, opt)
	if err != nil {
		result, err := startFailure(ctx, err)
		return nil, result, err
	}
	g := &generator{walk: w, name: name, builder: lts.NewBuilder()}
	w.visit, w.extra = g.add, g.bytes
	result, err := w.run()
	if err != nil {
		return nil, nil, err
	}
	if !result.Complete() {
		return nil, result, nil
	}
	l, err := g.build(ctx)
	if err != nil && ctx.Err() != nil {
		result.Stop = StopFor(ctx)
		return nil, result, nil
	}
	return l, result, err
}

// A generator builds a transition system from the states and transitions of a walk.
type generator struct {
	*walk
	name    func(model.LabelInfo) string
	builder *lts.Builder
	labels  []lts.Label // by number of a step, plus one; 0 if not yet named
	edges   []lts.Edge
	made    uint64
	shift   uint32 // 1 if there is a state before the initial ones
}

// add adds the transitions of a state: the transitions of a job from first up to end.
func (g *generator) add(from uint64, p *job, first, end int) error {
	if from == 0 && g.initials > 1 {
		g.shift = 1
		for s := range uint32(g.initials) {
			g.builder.Add(0, lts.Edge{Label: lts.Tau, To: s + 1})
		}
	}
	g.edges = g.edges[:0]
	for i := first; i < end; i++ {
		if !g.steps.At(p.next.Tags[i]).Repeated {
			g.edges = append(g.edges, lts.Edge{Label: g.label(p.next.Tags[i]), To: uint32(p.to[i]) + g.shift})
		}
	}
	g.made += uint64(len(g.edges))
	if g.made > lts.MaxTransitions || from >= lts.MaxStates {
		return lts.ErrTooLarge
	}
	g.builder.Add(uint32(from)+g.shift, g.edges...)
	return nil
}

func (g *generator) label(step uint32) lts.Label {
	for uint32(len(g.labels)) <= step {
		g.labels = append(g.labels, 0)
	}
	if g.labels[step] == 0 {
		g.labels[step] = 1 + g.builder.Label(g.name(g.sys.Label(g.steps.At(step).Label)))
	}
	return g.labels[step] - 1
}

// bytes returns the memory that the system takes, with what it takes to build it.
func (g *generator) bytes() uint64 {
	const perState, perTransition = 8 + 4 + 4, 8 + 8
	return perState*g.count() + perTransition*g.made
}

func (g *generator) build(ctx context.Context) (*lts.LTS, error) {
	states := int(max(g.count(), 1)) + int(g.shift)
	g.walk = nil
	runtime.GC() // free the memory of the walk before the system is built
	return g.builder.Build(ctx, 0, states)
}
