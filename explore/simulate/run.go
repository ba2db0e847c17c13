package simulate

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"ringcheck/explore/simulate/internal/weighttree"
	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// A Run is a random run in progress. It is not safe for concurrent use. Reset begins another run.
type Run struct {
	*System
	// Last is the action of the last step. Its slices are valid until the next one.
	Last    step.Action
	Process int              // the process that took the last step, -1 for the environment
	draws   []step.DrawValue // the values drawn in the last step
	// age is the age of the message that the last step received or that a fault befell; position is the place of the
	// latter in its channel, if its contents are a sequence.
	age      int64
	position int
	receiver int // that received a message in the last step over a synchronous channel, -1 for none

	rng   *rand.Rand
	env   *ir.Env
	first *step.State // the initial state

	procs   []process
	vars    []int64 // the live variables of process p, from p*width on
	ticking []int32 // all processes with a running timer, and possibly others
	running int     // the number of processes with a running timer

	acting   int // Timed: the process that acted last and may continue, otherwise -1
	ownTotal int
	weights  *weighttree.Tree // by process: its choices without a message (Timed), or all its choices (Uniform)

	mail           mailbox
	offer          offer
	walker         *step.Walker
	bits           []uint64 // scratch space of subset, all zeros between calls
	faults         faults
	registerValues []int64 // the registers of each process that others may read

	shared []int64      // the shared variables, by ir.Var.Slot
	writes []step.Write // of the last step
}

// A process is the state of a process except its variables.
type process struct {
	at       int32  // the ID of its control point
	own      uint32 // the number of its choices without a message
	due      int32  // the number of messages to it that are due; 0 if it has ended
	urgent   int32  // Timed: the number of due messages to it that are ready
	deferred int32  // Timed: the first in a list of messages that it cannot receive in its present state
	ended    bool   // whether it never acts again
	unclear  bool   // whether package step has to list the choices counted in own
	listed   bool   // whether it is in Run.ticking
	running  bool   // whether one of its timers runs
}

// NewRun returns a Run; Reset begins the first run.
func (s *System) NewRun() *Run {
	n := s.protocol.N
	r := &Run{
		System: s, procs: make([]process, n), vars: make([]int64, n*s.width), weights: weighttree.New(n),
		env: s.protocol.NewEnv(nil),
	}
	r.env.State, r.env.Sets = registers{view{r}}, &ir.Sets{}
	r.walker = r.machine.NewWalker(r.env, r.sample)
	r.mail.init(r)
	r.faults.init(s.protocol)
	if s.reading != nil {
		r.registerValues = make([]int64, n*len(s.registers))
	}
	return r
}

// Reset begins another run, whose random choices come from rng.
func (r *Run) Reset(rng *rand.Rand) error {
	r.rng, r.acting = rng, -1
	r.env.Sets.Clear()
	r.mail.clear()
	r.faults.clear()
	r.ticking, r.running, r.ownTotal = r.ticking[:0], 0, 0
	for p := range r.procs {
		r.procs[p] = process{deferred: noMessage}
		r.weights.Set(p, 0)
	}
	switch len(r.starts) {
	case 0:
		var err error
		if r.first, err = r.begin(r.env.Sets, r.assign); err != nil {
			return err
		}
	case 1:
		r.first = r.starts[0]
	default:
		r.first = r.starts[rng.IntN(len(r.starts))]
	}
	for p, l := range r.first.Processes {
		r.procs[p].at = int32(l.Point.ID)
		copy(r.vars[p*r.width:], l.Env)
		r.updateRegisters(p)
	}
	r.shared, r.writes = append(r.shared[:0], r.first.Shared...), r.writes[:0]
	for link, list := range r.first.Channels {
		l := r.protocol.Link(link)
		for i := range list {
			c := list[r.protocol.Channel.Index(i, len(list))]
			r.mail.post(l.To, l.In, c.Message.ID, c.Args)
		}
	}
	for p := range r.procs {
		if err := r.updateProcess(p); err != nil {
			return err
		}
	}
	return nil
}

// Local returns the local state of a process. It shares memory with r.
func (r *Run) Local(p int) ir.Local {
	point := r.locations[r.procs[p].at].Point
	return ir.Local{Point: point, Env: r.vars[p*r.width:][:len(point.Live)]}
}

// updateProcess updates everything that depends on the local state of process p, which has changed.
func (r *Run) updateProcess(p int) error {
	at := &r.locations[r.procs[p].at]
	r.watchTimers(p, at)
	if r.faults.any {
		r.countFaults(p)
	}
	if err := r.countOwn(p); err != nil {
		return err
	}
	if !r.procs[p].ended && at.open && r.procs[p].own == 0 {
		if _, ended := r.protocol.Ended(r.Local(p), r.env.Sets); ended {
			r.procs[p].ended = true
			r.mail.endReceiver(p)
		}
	}
	if r.registerValues != nil && r.updateRegisters(p) {
		if err := r.updateReaders(p); err != nil {
			return err
		}
	}
	return r.updateReceipts(p)
}

// watchTimers updates process.running and the list of ticking processes for process p.
func (r *Run) watchTimers(p int, at *location) {
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

// updateReceipts updates the messages that process p can receive.
func (r *Run) updateReceipts(p int) error {
	if r.schedule == Timed {
		r.mail.offerDeferred(&r.procs[p])
		return nil
	}
	return r.countChoices(p)
}

// updateRegisters updates Run.shown for process p and reports whether that has changed it.
func (r *Run) updateRegisters(p int) (changed bool) {
	l := r.Local(p)
	for i, v := range r.registers {
		value, _ := l.Var(v)
		at := &r.registerValues[p*len(r.registers)+i]
		changed = changed || *at != value
		*at = value
	}
	return changed
}

// updateReaders updates the processes that read the registers of process p, which have changed.
func (r *Run) updateReaders(p int) error {
	for q := range r.readers(p) {
		if at := &r.locations[r.procs[q].at]; at.reads && q != p {
			if err := cmp.Or(r.countOwn(q), r.updateReceipts(q)); err != nil {
				return err
			}
		}
	}
	return nil
}

// write sets shared variables as the last step of process p says.
func (r *Run) write() {
	for _, w := range r.writes {
		r.shared[w.Var.Slot] = w.Value
	}
}

// updateSharers updates the processes other than p that may read or set what its last step has written.
func (r *Run) updateSharers(p int) error {
	if len(r.writes) == 0 {
		return nil
	}
	uses := func(v *ir.Var) bool {
		return slices.ContainsFunc(r.writes, func(w step.Write) bool { return w.Var == v })
	}
	for q := range r.procs {
		at := &r.locations[r.procs[q].at]
		if q == p || !at.reads || !slices.ContainsFunc(r.machine.Uses(at.Point, false), uses) &&
			!slices.ContainsFunc(r.machine.Uses(at.Point, true), uses) {
			continue
		}
		if err := cmp.Or(r.countOwn(q), r.updateReceipts(q)); err != nil {
			return err
		}
	}
	return nil
}

// countOwn counts the choices of process p without a message.
func (r *Run) countOwn(p int) error {
	r.setOffer(noMessage)
	n, err := r.alternatives(p)
	if err != nil {
		return err
	}
	r.ownTotal += n - int(r.procs[p].own)
	r.procs[p].own, r.procs[p].unclear = uint32(n), r.offer.unclear
	if r.schedule == Timed {
		r.weights.Set(p, uint32(n))
	}
	return nil
}

// Step takes a random step. In a terminal state it takes none and returns false. An error is a *model.Error.
func (r *Run) Step() (ok bool, err error) {
	if r.env.Sets.NeedsKeep() {
		r.env.Sets.Keep(r.usedSets)
	}
	r.draws, r.writes, r.age, r.position, r.receiver = r.draws[:0], r.writes[:0], 0, 0, -1
	if r.schedule == Uniform {
		return r.stepUniform()
	}
	return r.stepTimed()
}

// usedSets yields the references to wide sets that processes hold.
func (r *Run) usedSets(yield func(int64) bool) {
	for p := range r.procs {
		for _, i := range r.locations[r.procs[p].at].sets {
			if !yield(r.vars[p*r.width+i]) {
				return
			}
		}
	}
}

// canTick reports whether time can advance: no process can act, no message is due, and a tick changes the state.
func (r *Run) canTick() bool {
	changes := r.running > 0 || r.mail.notDue > 0 || len(r.mail.undeliverable) > 0
	return r.protocol.Time.Ticks && r.ownTotal == 0 && r.mail.dueTotal == 0 && changes
}

// timelock returns the error of a state in which time cannot advance because a message is due, nil for a terminal
// state.
func (r *Run) timelock() error {
	if !r.protocol.Time.Ticks || r.mail.dueTotal == 0 {
		return nil
	}
	stuck, least := noMessage, r.protocol.N
	r.mail.eachNumbered(func(id int32, l record) {
		if p := int(r.layout.to.get(l)); l.has(due) && p < least && !r.procs[p].ended {
			stuck, least = id, p
		}
	})
	if stuck == noMessage { // all due messages are to processes that have ended
		return nil
	}
	l := r.mail.at(stuck)
	return r.machine.Timelock(r.protocol.InLink(least, r.layout.port.get(l)), r.mail.content(l))
}

// tick advances time if that is possible.
func (r *Run) tick() (bool, error) {
	if !r.canTick() {
		return false, r.timelock()
	}
	r.Last, r.Process = step.Action{Kind: model.TickAction}, -1
	changed := r.mail.tick()
	rest := r.ticking[:0]
	for _, p := range r.ticking {
		at := &r.locations[r.procs[p].at]
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
	if len(r.mail.senders) > 0 {
		changed, r.mail.senders = append(changed, r.mail.senders...), r.mail.senders[:0]
	}
	if r.schedule == Uniform {
		slices.Sort(changed)
		changed = slices.Compact(changed)
	}
	for _, p := range changed {
		if err := r.updateProcess(int(p)); err != nil {
			return false, err
		}
	}
	for _, p := range changed {
		if !r.protocol.Channel.Sync {
			break
		}
		if err := r.updateMeetings(int(p)); err != nil {
			return false, err
		}
	}
	return true, nil
}

// asModelError returns err as the error of process p, or of no process if p is negative.
func asModelError(p int, err error) error {
	if err == nil {
		return nil
	}
	if err = step.AsModelError(err); p < 0 {
		return err
	}
	return step.Blame(p, err)
}

type view struct{ run *Run }

// Env returns an environment for properties.
func (r *Run) Env() *ir.Env {
	env := r.protocol.NewEnv(view{r})
	env.Sets = r.env.Sets
	return env
}

// Sets returns the values of wide set types.
func (r *Run) Sets() *ir.Sets { return r.env.Sets }

// Seen implements ir.View.
func (v view) Seen(p int) ir.Local {
	r := v.run
	if at := &r.locations[r.procs[p].at]; !at.open || !r.procs[p].ended {
		return r.Local(p)
	}
	at, _ := r.protocol.Ended(r.Local(p), r.env.Sets)
	return at
}

// Channel implements ir.View.
func (v view) Channel(link int) []ir.Content {
	r := v.run
	l := r.protocol.Link(link)
	var all []ir.Content
	if r.mail.queues != nil {
		q, ok := r.mail.queues[channelOf(int64(l.To), l.In)]
		for id := q.head; ok && id != noMessage; id = *r.mail.nextInChannel(id) {
			all = append(all, r.mail.content(r.mail.at(id)))
		}
		return all
	}
	r.mail.eachInTransit(func(m record) {
		if r.layout.to.get(m) == int64(l.To) && r.layout.port.get(m) == l.In {
			all = append(all, r.mail.content(m))
		}
	})
	slices.SortFunc(all, ir.Content.Compare)
	return all
}

// SharedValue implements ir.View.
func (v view) SharedValue(slot int) int64 { return v.run.shared[slot] }

// registers is the view of processes, which see the local state as it is: see ir.Protocol.Ended.
type registers struct{ view }

// Seen implements ir.View.
func (v registers) Seen(p int) ir.Local { return v.run.Local(p) }

// Faults returns the number of faults so far, of the kinds whose number is limited.
func (r *Run) Faults() step.Tally { return r.faults.happen }
