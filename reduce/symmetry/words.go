package symmetry

import (
	"encoding/binary"
	"errors"
	"fmt"

	"ringcheck/model"
)

var _ model.Vocabulary = (*Quotient)(nil)

// Words implements model.Vocabulary: the words of the other system behind their length, if it has any; then cells.
func (q *Quotient) Words(since []uint32) (words []byte, now []uint32) {
	first := uint32(0)
	var before []uint32
	if n := len(since); n > 0 {
		before, first = since[:n-1], since[n-1]
	}
	var inner []byte
	if v, ok := q.System.(model.Vocabulary); ok {
		inner, now = v.Words(before)
	}
	words = append(binary.AppendUvarint(nil, uint64(len(inner))), inner...)
	for n := first; n < q.cells.count; n++ {
		for _, v := range q.cells.at(n).values {
			words = binary.AppendUvarint(words, uint64(v))
		}
	}
	return words, append(now, q.cells.count)
}

var errWords = errors.New("learn the cells of a ring: they make no sense")

// Learn implements model.Vocabulary.
func (q *Quotient) Learn(words []byte) error {
	n, size := binary.Uvarint(words)
	if size <= 0 || uint64(len(words)-size) < n {
		return errWords
	}
	inner, words := words[size:size+int(n)], words[size+int(n):]
	if v, ok := q.System.(model.Vocabulary); ok {
		if err := v.Learn(inner); err != nil {
			return err
		}
	}
	values := make([]model.Value, q.ring.width)
	for len(words) > 0 {
		for i := range values {
			v, size := binary.Uvarint(words)
			if size <= 0 {
				return errWords
			}
			values[i], words = model.Value(v), words[size:]
		}
		if got := q.cells.number(values); got != q.learned {
			return fmt.Errorf("learn the cells of a ring: one has got number %d in place of %d", got, q.learned)
		}
		q.learned++
	}
	return nil
}
