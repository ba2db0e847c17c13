package simulate

import "ringcheck/model/language/step"

// stepTimed takes one of the present choices, each equally likely; a message that its receiver does not take waits
// until that has changed. If there are no choices, time goes on.
func (r *Run) stepTimed() (bool, error) {
	// A process that acts or takes a message goes on as long as it has exactly one way. That is one of the possible
	// orders, and a receiver is then hardly ever busy when its turn comes.
	if id := r.faults.twin; id != noMessage {
		r.faults.twin = noMessage
		return true, r.duplicate(id, r.mail.delay(r.layout.kindOf(r.mail.at(id))))
	}
	if p := r.acting; p >= 0 && r.locations[r.procs[p].at].own == always {
		return true, r.actOrCrash(p, 0)
	}
	r.acting = -1
	acts := r.tickets[Ordinary]
	for {
		own, ready := acts.Total(), uint32(len(r.mail.ready))
		if own+ready == 0 {
			return r.rest()
		}
		i := r.rng.Uint32N(own + ready)
		if i < own {
			p, choice := acts.Find(i)
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

// actOrCrash lets process p take one of its choices on its own, or crash.
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
	if r.locations[r.procs[p].at].takes[r.offer.kind] == 1 {
		r.acting = p
		return r.try(p)
	}
	n, err := r.alternatives(p)
	if n == 0 || err != nil {
		return false, err
	}
	r.acting = p
	if n == 1 && !r.offer.unclear {
		return r.try(p)
	}
	return true, r.doListed(p, r.rng.IntN(n))
}
