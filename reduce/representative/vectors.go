package representative

import (
	"ringcheck/internal/intern"
	"ringcheck/model"
)

// vectors numbers the states of a system for callers that have no numbers of their own, such as Next. The transitions of a group are remembered,
// unless it has all slots: its values are hardly ever met twice.
type vectors struct {
	*unreduced
	groups    []model.Group
	slots     int
	all, taus *model.Table
	states    *intern.Vectors
}

func newVectors(u *unreduced) *vectors {
	taus := *u
	taus.only = true
	n := len(u.Slots())
	return &vectors{u, u.Groups(), n, model.Tabulate(u), model.Tabulate(&taus), intern.NewVectors(n)}
}

func (v *vectors) bytes() int64 { return v.states.Bytes() + v.all.Bytes() + v.taus.Bytes() }

func (v *vectors) space() *vectorSpace {
	return &vectorSpace{vectors: v, state: make([]model.Value, v.slots), in: make([]model.Value, v.slots)}
}

// A vectorSpace is the access of one goroutine to vectors.
type vectorSpace struct {
	*vectors
	state, in []model.Value
	out       model.Successors
}

// Number implements model.Space.
func (v *vectorSpace) Number(state []model.Value) uint64 { return uint64(v.states.Number(state)) }

// Read implements model.Space.
func (v *vectorSpace) Read(number uint64, state []model.Value) { v.states.Read(uint32(number), state) }

// Next implements model.Space.
func (v *vectorSpace) Next(number uint64, confluent bool, out []model.Arrow) ([]model.Arrow, error) {
	table := v.all
	if confluent {
		table = v.taus
	}
	v.Read(number, v.state)
	for _, g := range v.order {
		slots := v.groups[g].Slots
		in := v.in[:len(slots)]
		for i, s := range slots {
			in[i] = v.state[s]
		}
		v.out.Reset(len(in))
		var err error
		switch {
		case v.idle(g, in):
			continue
		case len(in) == v.slots:
			err = model.Ask(table.System, g, in, &v.out)
		default:
			err = table.Next(g, in, &v.out)
		}
		if err != nil {
			return out, err
		}
		for i := range v.out.Len() {
			to := v.states.Replace(uint32(number), slots, v.out.Values(i))
			out = append(out, model.Arrow{Tag: model.SleepTag(v.out.Step(i).Label), To: uint64(to)})
		}
	}
	return out, nil
}
