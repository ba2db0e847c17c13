package symmetry

import "ringcheck/model"

// computeTransitions computes the transitions of a class for every process and compares them, to ensure that rotation
// is a symmetry of the behaviour and not only of the shape. The error is the error of the given process, or says that
// processes differ.
func (q *Quotient) computeTransitions(c *class, process int, values []model.Value) (*classTransitions, error) {
	first := memberTransitions{q: q, class: c, member: &c.members[process]}
	if err := first.compute(values); err != nil {
		return nil, err
	}
	all := make([]memberTransitions, q.ring.n)
	for p := range all {
		if err := q.checkInterrupt(); err != nil {
			return nil, err
		}
		all[p] = memberTransitions{q: q, class: c, member: &c.members[p]}
		if err := all[p].compute(values); err != nil || !first.rotatesTo(&all[p]) {
			return nil, q.asymmetryError(first.member, all[p].member)
		}
	}
	m := &classTransitions{}
	for i := range first.out.Len() {
		for p := range all {
			m.steps = append(m.steps, all[p].out.Step(i))
		}
		for k := range values {
			m.values = append(m.values, first.value(i, k))
		}
		m.choices = first.out.Step(i).Choice + 1
	}
	return m, nil
}

func (q *Quotient) asymmetryError(a, b *member) error {
	groups := q.System.Groups()
	err := asymmetric("rotation", "from the same local states, %q and %q go to different ones",
		groups[a.group].Name, groups[b.group].Name)
	return &model.Error{Process: -1, Message: err.Error(), Cause: ErrAsymmetric}
}

// memberTransitions holds the transitions of one group of a class.
type memberTransitions struct {
	q      *Quotient
	class  *class
	member *member
	out    model.Successors
}

// compute computes the transitions from the values, which are in the order of the class.
func (a *memberTransitions) compute(values []model.Value) error {
	in := make([]model.Value, len(values))
	for i, at := range a.member.order {
		in[at] = values[i]
	}
	a.out.Reset(len(in))
	return a.class.next(a.member.group, in, &a.out)
}

// value returns value k, in the order of the class, after transition i.
func (a *memberTransitions) value(i, k int) model.Value { return a.out.Values(i)[a.member.order[k]] }

// rotatesTo reports whether rotation turns a into b.
func (a *memberTransitions) rotatesTo(b *memberTransitions) bool {
	if a.out.Len() != b.out.Len() {
		return false
	}
	n := a.q.ring.n
	by := (b.member.process - a.member.process + n) % n
	for i := range a.out.Len() {
		s, t := a.out.Step(i), b.out.Step(i)
		if s.Choice != t.Choice || s.Weight != t.Weight || !a.q.sameAction(s.Label, t.Label, by) {
			return false
		}
		for k := range a.member.order {
			if a.value(i, k) != b.value(i, k) {
				return false
			}
		}
	}
	return true
}

// sameAction reports whether b is the action a rotated by some places. The texts of internal actions may differ, since
// they can name the process. The texts of visible actions must be equal.
func (q *Quotient) sameAction(a, b model.Label, by int) bool {
	x, y := q.System.Label(a), q.System.Label(b)
	if x.Process >= 0 {
		x.Process = (x.Process + by) % q.ring.n
	}
	if x.Kind == model.SyncAction {
		x.Receiver = (x.Receiver + by) % q.ring.n
	}
	if x.Slot >= 0 {
		x.Slot = q.ring.rotateSlot(x.Slot, by)
	}
	if !x.Visible {
		x.Text = y.Text
	}
	return x == y
}
