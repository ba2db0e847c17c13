package step

import (
	"iter"
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/ir"
)

// The environment changes messages in channels, crashes and recovers processes, and advances time.

// Limit returns the maximal number of faults of a kind, and whether they are counted.
func (m *Machine) Limit(k ir.FaultKind) (limit int64, counted bool) {
	limit = m.protocol.Faults.Most[k]
	return limit, limit > 0
}

// A Tally counts the faults of each kind, where they are counted.
type Tally [ir.FaultKinds]int64

// MayFail reports whether the limit allows another fault of a kind.
func (m *Machine) MayFail(k ir.FaultKind, t *Tally) bool {
	limit, counted := m.Limit(k)
	return limit != 0 && !(counted && t[k] == limit)
}

// CountFault counts a fault if its kind is counted.
func (m *Machine) CountFault(k ir.FaultKind, t *Tally) {
	if _, counted := m.Limit(k); counted {
		t[k]++
	}
}

// Targets returns the positions of the messages in a channel that a fault can befall, so that the contents afterwards
// differ.
func (m *Machine) Targets(k ir.FaultKind, contents []ir.Content) []int {
	if !k.Info().Changes || !m.protocol.Channel.Ordered() {
		return m.Distinct(contents)
	}
	all := make([]int, len(contents))
	for i := range all {
		all[i] = i
	}
	return all
}

// Befall yields the faults of a kind that can befall a message in the channel of a link: the action, and the messages
// that take its place.
func (m *Machine) Befall(k ir.FaultKind, link int, c ir.Content) iter.Seq2[Action, []ir.Content] {
	return func(yield func(Action, []ir.Content) bool) {
		for place := range k.Info().Effect(c) {
			a := Action{Kind: model.FaultAction, Fault: k, Port: int64(link), Message: c}
			if k.Info().Changes {
				a.Into = place[0]
			}
			a.Message.Age, a.Into.Age = 0, 0
			if !yield(a, place) {
				return
			}
		}
	}
}

// Replace returns contents with other messages in the place of message i.
func (m *Machine) Replace(contents []ir.Content, i int, place []ir.Content) []ir.Content {
	after := slices.Concat(contents[:i], place, contents[i+1:])
	if !m.protocol.Channel.Ordered() {
		slices.SortStableFunc(after, ir.Content.Compare)
	}
	return after
}

// Crash returns the local state of process p after a crash, which keeps registers and ghosts. A process can crash only
// if the spec lets it crash and it has not crashed already.
func (m *Machine) Crash(p int, l ir.Local) (after ir.Local, ok bool) {
	f := &m.protocol.Faults
	if f.Most[ir.CrashFault] == 0 || !f.Mortal[p] || l.Point.Equation == f.Crashed {
		return l, false
	}
	return f.Crashed.Start.Local(m.stable(l)), true
}

// Recover returns the local state of a crashed process p after recovery.
func (m *Machine) Recover(p int, l ir.Local) (after ir.Local, ok bool, err error) {
	f := &m.protocol.Faults
	if f.Recover == nil || l.Point.Equation != f.Crashed {
		return l, false, nil
	}
	env := m.stable(l)
	if f.Number != nil {
		env.Vars[f.Number.ID] = int64(p)
	}
	point, err := f.Recover.Resolve(env)
	if err != nil {
		return l, false, Blame(p, AsModelError(err))
	}
	return point.Local(env), true, nil
}

// stable returns an environment with the variables that survive a crash.
func (m *Machine) stable(l ir.Local) *ir.Env {
	env := m.protocol.NewEnv(nil)
	for i, v := range l.Point.Live {
		if v.Lasting() && v.Kind != ir.Timer {
			env.Vars[v.ID] = l.Env[i]
		}
	}
	return env
}
