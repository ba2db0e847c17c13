package symmetry

import (
	"encoding/binary"
	"errors"
	"fmt"

	"ringcheck/model"
)

// As exposes the interfaces of the quotient that depend on the other system: it names its values if that system does,
// in either way.
func (q *Quotient) As(target any) bool {
	switch t := target.(type) {
	case *model.ValueTables:
		inner, ok := model.As[model.ValueTables](q.System)
		*t = valueTables{q, inner}
		return ok
	case *model.Codec:
		inner, ok := model.As[model.Codec](q.System)
		*t = cellCodec{q, inner}
		return ok
	}
	return false
}

// valueTables combines the tables of the other system with a list of cells.
type valueTables struct {
	*Quotient
	inner model.ValueTables
}

// Entries implements model.ValueTables: the entries of the other system behind their length, then cells.
func (t valueTables) Entries(since []uint32) (entries []byte, lengths []uint32) {
	first := uint32(0)
	var before []uint32
	if n := len(since); n > 0 {
		before, first = since[:n-1], since[n-1]
	}
	inner, lengths := t.inner.Entries(before)
	entries = append(binary.AppendUvarint(nil, uint64(len(inner))), inner...)
	for n := first; n < t.cells.count; n++ {
		for _, v := range t.cells.at(n).values {
			entries = binary.AppendUvarint(entries, uint64(v))
		}
	}
	return entries, append(lengths, t.cells.count)
}

var errEntries = errors.New("restore the cells of a ring: they make no sense")

// Restore implements model.ValueTables.
func (t valueTables) Restore(entries []byte) error {
	n, size := binary.Uvarint(entries)
	if size <= 0 || uint64(len(entries)-size) < n {
		return errEntries
	}
	inner, entries := entries[size:size+int(n)], entries[size+int(n):]
	if err := t.inner.Restore(inner); err != nil {
		return err
	}
	values := make([]model.Value, t.ring.width)
	for len(entries) > 0 {
		for i := range values {
			v, size := binary.Uvarint(entries)
			if size <= 0 {
				return errEntries
			}
			values[i], entries = model.Value(v), entries[size:]
		}
		if got := t.cells.number(values); got != t.restored {
			return fmt.Errorf("restore the cells of a ring: one has got number %d in place of %d", got, t.restored)
		}
		t.restored++
	}
	return nil
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
