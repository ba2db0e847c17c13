package level

import (
	"fmt"

	"ringcheck/model"
)

// orbits computes how many states of the full system a key represents.
type orbits[H half] struct {
	*System
	known  *known
	values [][]valueOf // by slot and number of the word
	state  []model.Value
	key    []uint32
}

func newOrbits[H half](s *System, k *known) *orbits[H] {
	return &orbits[H]{System: s, known: k, values: make([][]valueOf, s.slots),
		state: make([]model.Value, s.slots), key: make([]uint32, s.slots)}
}

// of returns the number of states that x represents.
func (o *orbits[H]) of(x *item[H]) (uint64, error) {
	if o.quotient == nil {
		return 1, nil
	}
	unpack(x.left, o.known.layout.left(), o.key[:o.known.layout.split])
	unpack(x.right, o.known.layout.right(), o.key[o.known.layout.split:])
	for slot, number := range o.key {
		var err error
		if o.state[slot], err = o.valueOf(o.known.words, o.values, slot, number); err != nil {
			return 0, err
		}
	}
	return o.quotient.OrbitSize(o.state), nil
}

// valueOf returns the value of a word in this process, caching it in values.
func (s *System) valueOf(words *Words, values [][]valueOf, slot int, number uint32) (model.Value, error) {
	if int(number) >= words.Len(slot) {
		return 0, fmt.Errorf("%w: a state has a word that is not known", ErrDamaged)
	}
	if int(number) < len(values[slot]) && values[slot][number].known {
		return values[slot][number].value, nil
	}
	v, rest, err := s.codec.DecodeSlot(slot, []byte(words.Content(slot, number)))
	if err != nil || len(rest) > 0 {
		return 0, fmt.Errorf("%w: a word is none of this system", ErrDamaged)
	}
	values[slot] = extend(values[slot], int(number))
	values[slot][number] = valueOf{v, true}
	return v, nil
}
