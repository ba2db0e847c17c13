package simulate

import (
	"errors"

	"ringcheck/model/language/ir"
)

// stepUniform takes one of all choices, each equally likely.
func (r *Run) stepUniform() (bool, error) {
	n := r.choices()
	if n == 0 {
		return false, r.timelock()
	}
	return true, r.choose(r.rng.Uint32N(n))
}

// choices returns the number of choices.
func (r *Run) choices() uint32 {
	n := r.weights.Total() + r.faultChoices()
	if r.canTick() {
		n++
	}
	return n
}

// choose takes choice i: first the choices of processes, then of the environment, then the tick.
func (r *Run) choose(i uint32) error {
	total := r.weights.Total()
	if i >= total {
		if i -= total; i < r.faultChoices() {
			return r.takeFault(i)
		}
		_, err := r.tick()
		return err
	}
	p, rest := r.weights.Find(i)
	choice := int(rest)
	ownCount, err := r.ownChoices(p)
	if err != nil {
		return err
	}
	if choice < ownCount {
		return r.act(p, choice)
	}
	choice -= ownCount
	for _, id := range r.mail.distinct(p) {
		r.setOffer(id)
		if choice == 0 && r.locations[r.procs[p].at].takes[r.offer.kind] == 1 {
			if taken, err := r.takeOnly(p); taken || err != nil {
				return err
			}
			continue
		}
		n, err := r.alternatives(p)
		if err != nil {
			return err
		}
		if choice < n {
			return r.takeCounted(p, choice)
		}
		choice -= n
	}
	return errors.New("simulate: a choice that was counted is gone")
}

// ownChoices returns the number of choices of process p without a message: 0 if it has to receive a message first.
func (r *Run) ownChoices(p int) (int, error) {
	if blocked, err := r.mustReceive(p); blocked || err != nil {
		return 0, err
	}
	return int(r.procs[p].own), nil
}

// countChoices counts all choices of process p.
func (r *Run) countChoices(p int) error {
	all, err := r.ownChoices(p)
	if err != nil {
		return err
	}
	var ids []int32
	if r.locations[r.procs[p].at].mail {
		ids = r.mail.distinct(p)
	}
	for _, id := range ids {
		r.setOffer(id)
		n, err := r.alternatives(p)
		if err != nil {
			return err
		}
		all += n
	}
	r.weights.Set(p, uint32(all))
	return nil
}

// addChoicesWith adds the choices of process p with a message that has just been sent.
func (r *Run) addChoicesWith(p int, id int32) error {
	if r.mail.delays || r.protocol.Channel.SendDisables() {
		return r.countChoices(p)
	}
	l := r.mail.at(id)
	if i := r.mail.position(p, l) + 1; !r.mail.receivable(id, l) || r.mail.holds(p, i, l) {
		return nil
	}
	r.setOffer(id)
	n, err := r.alternatives(p)
	r.weights.Set(p, r.weights.Weight(p)+uint32(n))
	return err
}

// mustReceive reports whether process p has to receive a message before it does anything else.
func (r *Run) mustReceive(p int) (bool, error) {
	if !r.machine.TakesFirst() || r.procs[p].own == 0 || r.procs[p].due == 0 {
		return false, nil
	}
	for _, id := range r.mail.inboxes[p] {
		if l := r.mail.at(id); !l.has(due) || !r.mail.receivable(id, l) {
			continue
		}
		r.setOffer(id)
		if n, err := r.alternatives(p); err != nil || n > 0 {
			return n > 0, err
		}
	}
	return false, nil
}

// stepTimed takes one of the present choices, each equally likely; a message that its receiver cannot receive waits
// until the receiver has changed. If there are no choices, time advances.
func (r *Run) stepTimed() (bool, error) {
	// A process that acts or receives continues as long as it has exactly one alternative. This is one of the possible
	// orders, and receivers are then rarely busy when a message is chosen.
	if id := r.faults.nextTarget; id != noMessage {
		r.faults.nextTarget = noMessage
		return true, r.befall(r.faults.nextFault, id, r.drawEffect(r.faults.nextFault, id), r.mail.delay())
	}
	if p := r.acting; p >= 0 && r.locations[r.procs[p].at].own == always {
		return true, r.actOrCrash(p, 0)
	}
	r.acting = -1
	acts := r.weights
	for {
		own, ready := acts.Total(), uint32(len(r.mail.ready))
		if own+ready == 0 {
			return r.stepEnvironment()
		}
		i := r.rng.Uint32N(own + ready)
		if i < own {
			p, choice := acts.Find(i)
			if !r.machine.TakesFirst() || r.procs[p].urgent == 0 {
				r.acting = p
				return true, r.actOrCrash(p, int(choice))
			}
			i = own + r.rng.Uint32N(ready) // it has to receive a message first
		}
		if r.faults.any {
			if done, err := r.faultOrCrash(int(i - own)); done || err != nil {
				return done, err
			}
		}
		id := r.mail.takeReady(int(i - own))
		if taken, err := r.tryReceive(id); taken || err != nil {
			return taken, err
		}
		r.mail.deferReceipt(id)
	}
}

// actOrCrash lets process p take one of its choices without a message, or crash.
func (r *Run) actOrCrash(p, choice int) error {
	if r.mortal(p) && r.drawFault(ir.CrashFault) {
		return r.crash(p)
	}
	return r.act(p, choice)
}

// tryReceive lets the receiver of a message receive it, and reports whether it did.
func (r *Run) tryReceive(id int32) (bool, error) {
	p := int(r.layout.to.get(r.mail.at(id)))
	if r.procs[p].ended {
		return false, nil
	}
	r.setOffer(id)
	if r.locations[r.procs[p].at].takes[r.offer.kind] == 1 {
		r.acting = p
		return r.takeOnly(p)
	}
	n, err := r.alternatives(p)
	if n == 0 || err != nil {
		return false, err
	}
	r.acting = p
	if n == 1 && !r.offer.unclear {
		return r.takeOnly(p)
	}
	return true, r.doListed(p, r.rng.IntN(n))
}
