package symmetry

import "ringcheck/model"

// As passes on model.Codec, if the other system has one.
func (q *Quotient) As(target any) bool {
	t, ok := target.(*model.Codec)
	if ok {
		var inner model.Codec
		inner, ok = model.As[model.Codec](q.System)
		*t = cellCodec{q, inner}
	}
	return ok
}

// cellCodec encodes a cell by the values of its slots, independently of the process.
type cellCodec struct {
	*Quotient
	inner model.Codec
}

// AppendSlot implements model.Codec.
func (c cellCodec) AppendSlot(buf []byte, _ int, v model.Value) []byte {
	return c.appendCell(buf, c.cells.at(v).values)
}

func (c cellCodec) appendCell(buf []byte, values []model.Value) []byte {
	for i, slot := range c.ring.slots[0] {
		buf = c.inner.AppendSlot(buf, slot, values[i])
	}
	return buf
}

// DecodeSlot implements model.Codec.
func (c cellCodec) DecodeSlot(_ int, data []byte) (model.Value, []byte, error) {
	values := make([]model.Value, c.ring.width)
	for i, slot := range c.ring.slots[0] {
		var err error
		if values[i], data, err = c.inner.DecodeSlot(slot, data); err != nil {
			return 0, nil, err
		}
	}
	return c.cells.number(values), data, nil
}
