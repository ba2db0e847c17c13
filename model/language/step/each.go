package step

import "ringcheck/model/language/ir"

// Each calls visit with the alternatives that OwnSteps lists or, with an arrival, Receive lists, in the same order, but
// without lists: the outcome is valid during the call, its probability is 1, and the same transition may come several
// times. It is not ok if something is drawn: then only the lists have all alternatives. Sends are visited even if they
// wait for room.
func (w *Walker) Each(l ir.Local, at Site, arrival *Arrival, visit func(*Outcome)) (ok bool, err error) {
	w.mode, w.visit, w.from, w.arrival = visiting, visit, l, arrival
	w.before, w.found, w.unclear = w.before[:0], 0, false
	clear(w.env.Vars)
	w.env.State, w.env.Self, w.env.Sets = at.View, at.Process, at.Sets
	l.Load(w.env)
	w.Hold(l.Point, at.View, arrival != nil)
	_, err = w.walk(l.Point.Term)
	return !w.unclear, err
}

// present visits the current alternative.
func (w *Walker) present(p *ir.Prefix) {
	if w.machine.listener != nil {
		w.machine.listener.Possible(p)
	}
	next := ir.Local{Point: w.next}
	if w.next != nil {
		w.nextEnv = w.nextEnv[:0]
		for _, v := range w.next.Live {
			w.nextEnv = append(w.nextEnv, w.env.Vars[v.ID])
		}
	} else {
		next.Point = w.from.Point
		w.nextEnv = append(w.nextEnv[:0], w.from.Env...)
	}
	if next.Env = w.nextEnv; w.next == nil {
		next.Set(w.env)
	}
	w.writes = w.AppendWritten(w.writes[:0])
	w.visited = Outcome{Action: w.action, Next: next, Writes: w.writes, Place: w.place, Probability: certain}
	w.visit(&w.visited)
}
