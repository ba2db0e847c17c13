package simulate

import (
	"slices"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// A view shows the state of a run to properties.
type view struct{ run *Run }

// Env returns an environment for properties.
func (r *Run) Env() *ir.Env {
	env := r.protocol.NewEnv(view{r})
	env.Sets = r.env.Sets
	return env
}

// Sets returns what wide sets refer to.
func (r *Run) Sets() *ir.Sets { return r.env.Sets }

func (v view) seen(p int) ir.Local {
	r := v.run
	if at := &r.locations[r.procs[p].at]; !at.open || !r.procs[p].ended {
		return r.Local(p)
	}
	at, _ := r.protocol.Ended(r.Local(p), r.env.Sets)
	return at
}

// At implements ir.View.
func (v view) At(p int) *ir.Point { return v.seen(p).Point }

// Var implements ir.View.
func (v view) Var(p int, x *ir.Var) (int64, bool) { return v.seen(p).Var(x) }

// Channel implements ir.View.
func (v view) Channel(link int) []ir.Content {
	r := v.run
	l := r.protocol.Link(link)
	var all []ir.Content
	if r.mail.queues != nil {
		q, ok := r.mail.queues[channelOf(int64(l.To), l.In)]
		for id := q.head; ok && id != noMessage; id = *r.mail.behind(id) {
			all = append(all, r.mail.content(r.mail.at(id)))
		}
		return all
	}
	r.mail.each(func(m letter) {
		if r.layout.to.get(m) == int64(l.To) && r.layout.port.get(m) == l.In {
			all = append(all, r.mail.content(m))
		}
	})
	slices.SortFunc(all, ir.Content.Compare)
	return all
}

// registers shows the state to processes: as it is, not as properties see it.
type registers struct{ view }

// At implements ir.View.
func (v registers) At(p int) *ir.Point { return v.run.Local(p).Point }

// Var implements ir.View.
func (v registers) Var(p int, x *ir.Var) (int64, bool) { return v.run.Local(p).Var(x) }

// Faults returns how many faults there have been, where that is counted.
func (r *Run) Faults() step.Tally { return r.faults.happen }
