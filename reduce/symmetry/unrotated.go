package symmetry

import (
	"slices"

	"ringcheck/model"
)

// rotated is a quotient by rotation as a model.Necklace.
type rotated struct{ *Quotient }

// Rank implements model.Necklace.
func (q rotated) Rank(cell model.Value) uint32 { return uint32(q.cells.at(cell).rank >> 32) }

// Least implements model.Necklace.
func (q rotated) Least(twice []model.Value) int { return q.cells.least(twice) }

// Sleep implements model.Necklace.
func (q rotated) Sleep() model.RotatedSleep { return q.sleep }

// Unrotated implements model.Necklace.
func (q rotated) Unrotated() model.System {
	u := &unrotated{System: q.Quotient, q: q.Quotient}
	for _, s := range q.all {
		for p := range q.ring.n {
			w := &window{span: s, process: p}
			for _, o := range s.offsets {
				w.slots = append(w.slots, q.ring.around(p+o))
			}
			slots := slices.Sorted(slices.Values(w.slots))
			for _, slot := range slots {
				w.order = append(w.order, slices.Index(w.slots, slot))
			}
			u.windows = append(u.windows, w)
			u.groups = append(u.groups, model.Group{Slots: slots, Environment: s.environment})
		}
	}
	return u
}

// unrotated is a quotient whose transitions lead to states that need not be representatives. Its slots, labels and
// initial states are the same. A group is a span from one process.
type unrotated struct {
	model.System
	q       *Quotient
	windows []*window
	groups  []model.Group
}

// A window is a span from one process.
type window struct {
	*span
	process int
	slots   []int // by place in the span
	order   []int // the places in the span, by slot
}

// Groups implements model.System.
func (u *unrotated) Groups() []model.Group { return u.groups }

// Next implements model.System.
func (u *unrotated) Next(g int, in []model.Value, out *model.Successors) error {
	w := u.windows[g]
	x := u.q.spare.Get().(*expansion)
	defer u.q.spare.Put(x)
	for i, k := range w.order {
		x.put(w.slots[k], in[i])
	}
	l, err := u.q.local(w.span, w.process, x)
	if err != nil {
		return err
	}
	first := 0
	for _, stage := range l.stages {
		for i := first; i < stage.end; i++ {
			step := l.jumps[i].steps[w.process]
			step.Choice += l.jumps[i].choice
			weight := uint32(stage.weight >> (64 - model.SleepWeightBits))
			step.Label = model.Label(model.NewSleepTag(u.q.bit(w, stage.class), weight))
			to := out.Add(step)
			for j, k := range w.order {
				to[j] = l.to[i*len(w.order)+k]
			}
		}
		first = stage.end
	}
	return nil
}
