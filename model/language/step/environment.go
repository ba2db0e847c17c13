package step

import (
	"fmt"
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/ir"
)

// What the environment does: messages are lost and duplicated, processes crash and begin again, and time goes on.

// A Budget is a sort of faults of which there can be a limited number in a run.
type Budget int

// The budgets.
const (
	Losses Budget = iota
	Duplicates
	Crashes
	Budgets
)

func (b Budget) String() string { return [...]string{"losses", "duplicates", "crashes"}[b] }

// Limit returns how many faults of a sort there can be, and whether they are counted.
func (m *Machine) Limit(b Budget) (limit int64, counted bool) {
	f := &m.protocol.Faults
	limit = [...]int64{f.Losses, f.Duplicates, f.Crashes}[b]
	return limit, limit > 0
}

// A Tally is how many faults of each sort there have been, where that is counted.
type Tally [Budgets]int64

// MayFail reports whether there can be one more fault of a sort.
func (m *Machine) MayFail(b Budget, t *Tally) bool {
	limit, counted := m.Limit(b)
	return limit != 0 && !(counted && t[b] == limit)
}

// CountFault counts a fault where that is needed.
func (m *Machine) CountFault(b Budget, t *Tally) {
	if _, counted := m.Limit(b); counted {
		t[b]++
	}
}

// Crash returns where process p is after a crash: it keeps its registers and ghosts. It cannot crash where it has
// crashed, or if it is not among those that can.
func (m *Machine) Crash(p int, l ir.Local) (after ir.Local, ok bool) {
	f := &m.protocol.Faults
	if f.Crashes == 0 || !f.Mortal[p] || l.Point.Equation == f.Crashed {
		return l, false
	}
	return f.Crashed.Start.Local(m.stable(l)), true
}

// Recover returns where process p is after it has begun again, if it had crashed.
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
		return l, false, Blame(p, failed(err))
	}
	return point.Local(env), true, nil
}

// stable returns an environment with what a crash leaves.
func (m *Machine) stable(l ir.Local) *ir.Env {
	env := m.protocol.NewEnv(nil)
	for i, v := range l.Point.Live {
		if v.Lasting() && v.Kind != ir.Timer {
			env.Vars[v.ID] = l.Env[i]
		}
	}
	return env
}

// Distinct returns the positions of the different messages in a channel: those whose loss, say, leaves different
// contents.
func (m *Machine) Distinct(contents []ir.Content) []int {
	var all []int
	for i := range contents {
		if i == 0 || contents[i-1].Compare(contents[i]) != 0 {
			all = append(all, i)
		}
	}
	return all
}

// Receivable returns the positions of the different messages that can be taken out of a channel.
func (m *Machine) Receivable(contents []ir.Content) []int {
	all := m.Distinct(contents)
	if m.protocol.Channel == ir.FIFO && len(all) > 1 {
		all = all[:1]
	}
	if t := &m.protocol.Time; t.Delay && t.Lo > 0 {
		all = slices.DeleteFunc(all, func(i int) bool { return contents[i].Age < t.Lo })
	}
	return all
}

// Due reports whether the time of a message is up.
func (m *Machine) Due(c ir.Content) bool { return m.protocol.Time.Delay && c.Age >= m.protocol.Time.Hi }

// TakesFirst reports whether a process that can take a message whose time is up does so before it acts on its own.
func (m *Machine) TakesFirst() bool { return m.protocol.Time.Delay && !m.protocol.Time.Racing }

// TickContents returns what is in a channel one tick later. Messages are older; those whose time is up are gone, since
// there is a tick only if nobody is there to take them.
func (m *Machine) TickContents(contents []ir.Content) []ir.Content {
	if !m.protocol.Time.Delay {
		return contents
	}
	older := slices.DeleteFunc(slices.Clone(contents), m.Due)
	for i := range older {
		older[i].Age++
	}
	return older
}

// Timelock returns the fault of a state in which nothing can happen because the time of a message is up that nobody
// takes.
func (m *Machine) Timelock(link int, c ir.Content) error {
	to := m.protocol.Links[link].To
	text := fmt.Sprintf("timelock: the time of %s in %s is up, process %d does not take it, and nothing else can happen",
		c, m.protocol.FormatLink(link), to)
	return &model.Fault{Process: to, Message: text}
}
