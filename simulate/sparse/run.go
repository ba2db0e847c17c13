package sparse

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
	"ringcheck/simulate/internal/urn"
)

// A Schedule says how what happens is chosen.
type Schedule int

// The schedules, see the package documentation.
const (
	Uniform Schedule = iota
	Timed
)

// A Run is a random run under way. It is for one goroutine; Reset begins another one.
type Run struct {
	*System
	// Last is the action of the last step. Its slices are valid until the next one.
	Last    step.Action
	Process int // who did it, -1 for a tick
	// Drawn is what has been drawn in the last step, Age how old the message was that it received, and Assigned what the processes were
	// given at the beginning, by assignment.
	Drawn    []step.Drawn
	Age      int64
	Assigned [][]int64

	schedule Schedule
	rng      *rand.Rand
	env      *ir.Env

	procs   []process
	vars    []int64 // of process p from p*width on: the values of what is live there
	ticking []int32 // the processes with a timer that runs, and some others
	running int     // how many they are

	acting   int  // Timed: who has acted last, if that was on its own, else -1
	over     bool // whether there is no further step
	ownTotal int
	urn      *urn.Urn // Timed: the same; Uniform: all choices of each process

	mail   mailbox
	walk   walk
	bits   []uint64 // scratch of draws
	faults faults
	rate   float64 // Timed: of faults, see the environment
	shown  []int64 // the registers of each process, if others read them
}

// A process is what there is to know about one besides its variables.
type process struct {
	at      int32  // the ID of its control point
	own     uint32 // how many choices it has on its own
	due     int32  // how many messages it has to take now, unless it has ended
	urgent  int32  // Timed: how many of those are ready
	parked  int32  // Timed: the first of a list of messages that it does not take as it is
	ended   bool   // whether it never acts again
	listed  bool   // whether it is among those that are ticking
	running bool   // whether one of its timers runs
}

// NewRun returns a run that begins with Reset. A Timed one takes a protocol whose messages have delays.
func (s *System) NewRun(schedule Schedule) (*Run, error) {
	if schedule == Timed && !s.protocol.Time.Ticks {
		return nil, errors.New("there is no time in " + s.protocol.Name + ": no delay and no timer")
	}
	n := s.protocol.N
	r := &Run{
		System: s, schedule: schedule, procs: make([]process, n), vars: make([]int64, n*s.width), urn: urn.New(n), env: s.protocol.NewEnv(nil),
	}
	r.env.State, r.env.Sets, r.rate = registers{r}, &ir.Sets{}, DefaultRate
	r.mail.init(r)
	r.faults.init(s.protocol)
	if s.reading != nil {
		r.shown = make([]int64, n*len(s.registers))
	}
	return r, nil
}

// Reset begins another run.
func (r *Run) Reset(rng *rand.Rand) error {
	r.rng, r.over, r.acting, r.Assigned = rng, false, -1, nil
	r.env.Sets.Clear()
	r.mail.clear()
	r.faults.clear()
	r.ticking, r.running, r.ownTotal = r.ticking[:0], 0, 0
	for p := range r.procs {
		r.procs[p] = process{parked: noMessage}
	}
	begin := r.start
	if begin == nil {
		var err error
		if begin, err = r.begin(r.env.Sets, r.assign); err != nil {
			return err
		}
	}
	for p, l := range begin.processes {
		r.procs[p].at = int32(l.Point.ID)
		copy(r.vars[p*r.width:], l.Env)
		r.urn.Set(p, 0)
		r.show(p)
	}
	for link, list := range begin.channels {
		for _, c := range list {
			l := r.protocol.Link(link)
			r.mail.post(l.To, l.In, c.Message.ID, c.Args)
		}
	}
	for p := range begin.processes {
		if err := r.moved(p); err != nil {
			return err
		}
	}
	return nil
}

// Local returns the local state of a process. It shares memory with r.
func (r *Run) Local(p int) ir.Local {
	point := r.places[r.procs[p].at].Point
	return ir.Local{Point: point, Env: r.vars[p*r.width:][:len(point.Live)]}
}

// moved brings everything up to date after process p has changed.
func (r *Run) moved(p int) error {
	at := &r.places[r.procs[p].at]
	r.watchTimers(p, at)
	if r.faults.any {
		r.countFaults(p)
	}
	if err := r.countOwn(p, at); err != nil {
		return err
	}
	if !r.procs[p].ended && at.open && r.procs[p].own == 0 {
		if _, ended := r.protocol.Ended(r.Local(p), r.env.Sets); ended {
			r.procs[p].ended = true
			r.mail.abandon(p)
		}
	}
	if r.shown != nil && r.show(p) {
		if err := r.tellReaders(p); err != nil {
			return err
		}
	}
	return r.reconsider(p)
}

// watchTimers notes whether a timer of process p runs.
func (r *Run) watchTimers(p int, at *place) {
	runs := false
	for _, i := range at.timers {
		runs = runs || r.vars[p*r.width+i] > 0
	}
	proc := &r.procs[p]
	switch {
	case runs && !proc.running:
		r.running++
		if !proc.listed {
			proc.listed = true
			r.ticking = append(r.ticking, int32(p))
		}
	case !runs && proc.running:
		r.running--
	}
	proc.running = runs
}

// reconsider counts what process p can receive.
func (r *Run) reconsider(p int) error {
	if r.schedule == Timed {
		r.mail.unpark(&r.procs[p])
		return nil
	}
	return r.weigh(p)
}

// show notes the registers of process p, and reports whether they have changed.
func (r *Run) show(p int) (changed bool) {
	l := r.Local(p)
	for i, v := range r.registers {
		value, _ := l.Var(v)
		at := &r.shown[p*len(r.registers)+i]
		changed = changed || *at != value
		*at = value
	}
	return changed
}

// tellReaders brings those up to date that read the registers of process p, which have changed.
func (r *Run) tellReaders(p int) error {
	for q := range r.readers(p) {
		if at := &r.places[r.procs[q].at]; at.reads && q != p {
			if err := cmp.Or(r.countOwn(q, at), r.reconsider(q)); err != nil {
				return err
			}
		}
	}
	return nil
}

// countOwn counts what process p can do on its own.
func (r *Run) countOwn(p int, at *place) error {
	n := 0
	switch at.own {
	case always:
		n = 1
	case depends:
		var err error
		r.open(noMessage)
		if n, err = r.alternatives(p); err != nil {
			return err
		}
	}
	r.ownTotal += n - int(r.procs[p].own)
	r.procs[p].own = uint32(n)
	if r.schedule == Timed {
		r.urn.Set(p, uint32(n))
	}
	return nil
}

// Step implements simulate.Walk. An error is a *model.Fault.
func (r *Run) Step() (l model.Label, ok bool, err error) {
	if r.env.Sets.Crowded() {
		r.env.Sets.Keep(r.usedSets)
	}
	r.Drawn = r.Drawn[:0]
	step := r.stepTimed
	if r.schedule == Uniform {
		step = r.stepUniform
	}
	if ok, err = step(); !ok || err != nil {
		r.over = err == nil
		return l, false, err
	}
	return r.label(), true, nil
}

// Ended implements simulate.Walk.
func (r *Run) Ended() bool { return r.over }

// usedSets yields the references that processes hold.
func (r *Run) usedSets(yield func(int64) bool) {
	for p := range r.procs {
		for _, i := range r.places[r.procs[p].at].sets {
			if !yield(r.vars[p*r.width+i]) {
				return
			}
		}
	}
}

// stepTimed picks one of the choices of now, each equally likely; a message that cannot be taken now waits until its receiver
// has changed. If there are none, time goes on.
func (r *Run) stepTimed() (bool, error) {
	// Who acts or takes a message goes on as long as there is exactly one way. That is one of the orders that are possible, and a
	// receiver is hardly ever busy when its turn comes.
	if id := r.faults.twin; id != noMessage {
		r.faults.twin = noMessage
		return true, r.duplicate(id, r.mail.delay(r.layout.kindOf(r.mail.at(id))))
	}
	if p := r.acting; p >= 0 && r.places[r.procs[p].at].own == always {
		return true, r.actOrCrash(p, 0)
	}
	r.acting = -1
	for {
		own, ready := r.urn.Total(), uint32(len(r.mail.ready))
		if own+ready == 0 {
			return r.rest()
		}
		i := r.rng.Uint32N(own + ready)
		if i < own {
			p, choice := r.urn.Find(i)
			if !r.machine.TakesFirst() || r.procs[p].urgent == 0 {
				r.acting = p
				return true, r.actOrCrash(p, int(choice))
			}
			i = own + r.rng.Uint32N(ready) // a message first
		}
		if r.faults.any {
			if done, err := r.intercepted(int(i - own)); done || err != nil {
				return done, err
			}
		}
		id := r.mail.pull(int(i - own))
		if taken, err := r.offered(id); taken || err != nil {
			return taken, err
		}
		r.mail.park(id)
	}
}

// actOrCrash lets process p, whose turn it is, do what it can on its own, a choice of that.
func (r *Run) actOrCrash(p, choice int) error {
	if r.mortal(p) && r.struck(step.Crashes) {
		return r.crash(p)
	}
	return r.act(p, choice)
}

// offered lets the receiver of a message take it, if it can.
func (r *Run) offered(id int32) (bool, error) {
	p := int(r.layout.to.get(r.mail.at(id)))
	if r.procs[p].ended {
		return false, nil
	}
	r.open(id)
	if r.places[r.procs[p].at].takes[r.walk.kind] == 1 {
		r.acting = p
		return r.try(p)
	}
	n, err := r.alternatives(p)
	if n == 0 || err != nil {
		return false, err
	}
	r.acting = p
	if n == 1 && !r.walk.vague {
		return r.try(p)
	}
	return true, r.doListed(p, r.rng.IntN(n))
}

// stepUniform picks one of all choices, each equally likely.
func (r *Run) stepUniform() (bool, error) {
	total := r.urn.Total()
	canTick := r.canTick()
	n := total
	if canTick {
		n++
	}
	fates := r.chances()
	if n+fates == 0 {
		return false, r.timelock()
	}
	i := r.rng.Uint32N(n + fates)
	switch {
	case i >= n:
		return true, r.strike(i - n)
	case i == total:
		return r.tick()
	}
	p, choice := r.urn.Find(i)
	c := int(choice)
	blocked, err := r.blocked(p)
	if err != nil {
		return false, err
	}
	if !blocked {
		if c < int(r.procs[p].own) {
			return true, r.act(p, c)
		}
		c -= int(r.procs[p].own)
	}
	for _, id := range r.mail.distinct(p) {
		r.open(id)
		n, err := r.alternatives(p)
		if err != nil {
			return false, err
		}
		if c < n {
			return true, r.do(p, c)
		}
		c -= n
	}
	return false, errors.New("sparse: a choice that was counted is gone")
}

// weigh counts all choices of process p, for a Uniform schedule.
func (r *Run) weigh(p int) error {
	n := 0
	for _, id := range r.mail.distinct(p) {
		r.open(id)
		k, err := r.alternatives(p)
		if err != nil {
			return err
		}
		n += k
	}
	blocked, err := r.blocked(p)
	if !blocked {
		n += int(r.procs[p].own)
	}
	r.urn.Set(p, uint32(n))
	return err
}

// weighMore counts what process p can do with a message that has just been sent.
func (r *Run) weighMore(p int, id int32) error {
	if r.mail.delays {
		return r.weigh(p)
	}
	l := r.mail.at(id)
	if i := r.mail.place(p, l) + 1; !r.mail.receivable(id, l) || r.mail.holds(p, i, l) {
		return nil
	}
	r.open(id)
	n, err := r.alternatives(p)
	r.urn.Set(p, r.urn.Tickets(p)+uint32(n))
	return err
}

// blocked reports whether process p has to take a message before it acts on its own, for a Uniform schedule.
func (r *Run) blocked(p int) (bool, error) {
	if !r.machine.TakesFirst() || r.procs[p].own == 0 || r.procs[p].due == 0 {
		return false, nil
	}
	for _, id := range r.mail.boxes[p] {
		if l := r.mail.at(id); !l.has(due) || !r.mail.receivable(id, l) {
			continue
		}
		r.open(id)
		if n, err := r.alternatives(p); err != nil || n > 0 {
			return n > 0, err
		}
	}
	return false, nil
}

// canTick reports whether time can go on: nobody has to do anything before, and it changes something.
func (r *Run) canTick() bool {
	return r.protocol.Time.Ticks && r.ownTotal == 0 && r.mail.dueTotal == 0 && (r.running > 0 || r.mail.young > 0 || len(r.mail.doomed) > 0)
}

// timelock returns the fault of a state in which time would have to stop, nil for a terminal state.
func (r *Run) timelock() error {
	if !r.protocol.Time.Ticks || r.mail.dueTotal == 0 {
		return nil
	}
	stuck, least := noMessage, r.protocol.N
	r.mail.alive(func(id int32, l letter) {
		if p := int(r.layout.to.get(l)); l.has(due) && p < least && !r.procs[p].ended {
			stuck, least = id, p
		}
	})
	if stuck == noMessage { // only processes that have ended would take what is due
		return nil
	}
	return r.machine.Timelock(r.protocol.InLink(least, r.layout.port.get(r.mail.at(stuck))), r.mail.content(r.mail.at(stuck)))
}

// tick lets time go on, if it can.
func (r *Run) tick() (bool, error) {
	if !r.canTick() {
		return false, r.timelock()
	}
	r.Last, r.Process = step.Action{Kind: model.TickAction}, -1
	changed := r.mail.tick()
	rest := r.ticking[:0]
	for _, p := range r.ticking {
		at := &r.places[r.procs[p].at]
		alarmed := r.schedule == Uniform
		for _, i := range at.timers {
			v := &r.vars[int(p)*r.width+i]
			if *v == 0 {
				continue
			}
			*v--
			alarmed = alarmed || at.alarmed(*v)
		}
		r.watchTimers(int(p), at)
		if r.procs[p].listed = r.procs[p].running; r.procs[p].running {
			rest = append(rest, p)
		}
		if alarmed {
			changed = append(changed, p)
		}
	}
	r.ticking = rest
	if r.schedule == Uniform {
		slices.Sort(changed)
		changed = slices.Compact(changed)
	}
	for _, p := range changed {
		if err := r.moved(int(p)); err != nil {
			return false, err
		}
	}
	return true, nil
}

// failed returns an error, if it is one, as the fault of a process.
func failed(p int, err error) error {
	if err == nil {
		return nil
	}
	var e *ir.Error
	if errors.As(err, &e) {
		err = &model.Fault{Place: e.Pos.String(), Process: -1, Message: e.Message}
	}
	if p < 0 {
		return err
	}
	return step.Blame(p, err)
}
