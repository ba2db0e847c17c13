package level

import (
	"cmp"
	"slices"

	"ringcheck/explore"
	"ringcheck/model"
)

// An Observation summarises the states for which a Judge returns the same string.
type Observation struct {
	All       Sighting `json:"all"`
	Quiescent Sighting `json:"quiescent"` // those without transitions but the environment's
}

// A Sighting counts states of the full system and holds one of the first: see explore.Sighting.
type Sighting struct {
	Count uint64        `json:"count"`
	Level int           `json:"level,omitempty"`
	State []byte        `json:"state,omitempty"` // as bytes (model.AppendState); nil without a state
	least []model.Value // this state in the process that has seen it
}

// Of converts o to an explore.Observation of states of sys.
func (o *Observation) Of(sys model.System) (explore.Observation, error) {
	codec, _ := model.As[model.Codec](sys)
	var x explore.Observation
	for from, to := range map[*Sighting]*explore.Sighting{&o.All: &x.All, &o.Quiescent: &x.Quiescent} {
		to.Count, to.Level = from.Count, from.Level
		if from.State == nil {
			continue
		}
		to.State = make([]model.Value, len(sys.Slots()))
		if err := model.DecodeState(codec, from.State, to.State); err != nil {
			return x, err
		}
	}
	return x, nil
}

// A class is a worker's knowledge of a class of states.
type class struct {
	key     string
	numbers []int
	known   bool
}

// observe records expanded states.
func (x *expansion[H]) observe(states []explore.Halves, next *explore.Expansion) {
	for i := range states {
		number := x.of.classes.Of(states[i])
		x.classes = extend(x.classes, int(number))
		c := &x.classes[number]
		if !c.known {
			c.key, c.numbers = x.judge.Letters(number)
			c.known = true
		}
		for _, s := range c.numbers {
			x.shownNumbers[s] = true
		}
		o := x.byKey[c.key]
		if o == nil {
			o = new(Observation)
			x.byKey[c.key] = o
		}
		before, size := x.known.Observations[c.key], x.orbitOf(states[i])
		x.note(&o.All, &before.All, states[i], size)
		if next.Quiescent(i) {
			x.note(&o.Quiescent, &before.Quiescent, states[i], size)
		}
	}
}

// note counts a state, and keeps it if it is the least unless there was one in an earlier level.
func (x *expansion[H]) note(s, before *Sighting, h explore.Halves, size uint64) {
	s.Count += size
	if before.Count > 0 {
		return
	}
	x.show(h)
	if s.least == nil || model.Compare(x.sys, x.state, s.least) < 0 {
		s.least = append(s.least[:0], x.state...)
	}
}

// observations returns the observations of this expansion, by the string of the Judge.
func (x *expansion[H]) observations() map[string]Observation {
	list := make(map[string]Observation)
	for told, o := range x.byKey {
		for _, s := range []*Sighting{&o.All, &o.Quiescent} {
			if s.least != nil {
				s.Level, s.State = x.known.Level, model.AppendState(x.codec, nil, s.least)
			}
		}
		list[told] = *o
	}
	return list
}

// observe adds the observations of a part to m.
func (s *System) observe(m *Manifest, p *Part) error {
	if m.Observations == nil {
		m.Observations = make(map[string]Observation)
	}
	for told, o := range p.Observations {
		sum := m.Observations[told]
		if err := cmp.Or(s.addSighting(&sum.All, &o.All), s.addSighting(&sum.Quiescent, &o.Quiescent)); err != nil {
			return err
		}
		m.Observations[told] = sum
	}
	m.ShownNumbers = append(m.ShownNumbers, p.ShownNumbers...)
	slices.Sort(m.ShownNumbers)
	m.ShownNumbers = slices.Compact(m.ShownNumbers)
	return nil
}

// addSighting adds b, which is of the same level as a or a later one, to a.
func (s *System) addSighting(a, b *Sighting) error {
	count := a.Count + b.Count
	if b.State != nil {
		if a.State == nil {
			*a = *b
		} else if a.Level == b.Level {
			least, err := s.LeastState([][]byte{a.State, b.State})
			if err != nil {
				return err
			}
			a.State = least
		}
	}
	a.Count = count
	return nil
}

// LeastState returns the least of some states by model.Compare, nil if there are none.
func (s *System) LeastState(states [][]byte) ([]byte, error) {
	var least []byte
	var values []model.Value
	for _, state := range states {
		v := make([]model.Value, s.slots)
		if err := model.DecodeState(s.codec, state, v); err != nil {
			return nil, err
		}
		if least == nil || model.Compare(s.sys, v, values) < 0 {
			least, values = state, v
		}
	}
	return least, nil
}
