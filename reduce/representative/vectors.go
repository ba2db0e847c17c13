package representative

import (
	"ringcheck/explore/reduction"
	"ringcheck/internal/intern"
	"ringcheck/model"
)

// vectors numbers the states of a system for callers without numbers of their own, such as Next.
type vectors struct {
	all, taus *unreducedSystem
	groups    []model.Group
	slots     int
	states    *intern.Vectors
}

func newVectors(u *unreducedSystem) *vectors {
	taus := *u
	taus.confluentOnly = true
	n := len(u.Slots())
	return &vectors{u, &taus, u.Groups(), n, intern.NewVectors(n)}
}

func (v *vectors) space() *vectorSpace {
	return &vectorSpace{vectors: v, state: make([]model.Value, v.slots), in: make([]model.Value, v.slots)}
}

// A vectorSpace gives one goroutine access to vectors.
type vectorSpace struct {
	*vectors
	state, in []model.Value
	out       model.Successors
}

// Number implements reduction.Space.
func (v *vectorSpace) Number(state []model.Value) uint64 { return uint64(v.states.Number(state)) }

// Read implements reduction.Space.
func (v *vectorSpace) Read(number uint64, state []model.Value) { v.states.Read(uint32(number), state) }

// Next implements reduction.Space.
func (v *vectorSpace) Next(states []uint64, confluent bool, out *reduction.Arrows) error {
	out.All, out.Ends = out.All[:0], out.Ends[:0]
	sys := v.all
	if confluent {
		sys = v.taus
	}
	for _, number := range states {
		if err := v.next(sys, number, out); err != nil {
			return err
		}
		out.Ends = append(out.Ends, len(out.All))
	}
	return nil
}

// next adds the transitions of a state.
func (v *vectorSpace) next(sys *unreducedSystem, number uint64, out *reduction.Arrows) error {
	v.Read(number, v.state)
	for _, g := range sys.order {
		slots := v.groups[g].Slots
		in := v.in[:len(slots)]
		for i, s := range slots {
			in[i] = v.state[s]
		}
		if err := model.Ask(sys, g, in, &v.out); err != nil {
			return err
		}
		for i := range v.out.Len() {
			to := v.states.Replace(uint32(number), slots, v.out.Values(i))
			out.All = append(out.All, reduction.Arrow{Tag: reduction.SleepTag(v.out.Step(i).Label), To: uint64(to)})
		}
	}
	return nil
}
