package store

import (
	"encoding/binary"
	"os"
	"slices"
	"sync/atomic"
)

// Number numbers the state IDs of some runs from 0: those of a run before those of the next one, those of a run as they
// ascend. It returns how many there are.
func (s *Store) Number(runs []*Run) (uint64, error) {
	r := s.Reader()
	defer r.Close()
	n := uint64(0)
	for _, run := range runs {
		run.begins = make([]uint64, run.Blocks())
		for i := range run.begins {
			data, err := r.data(run, i)
			if err != nil {
				return 0, err
			}
			count, _ := binary.Uvarint(data)
			run.begins[i] = n
			n += count
		}
	}
	return n, nil
}

// Numbered returns the block of a run that a number is in, and the first number of the block. The run is the last of
// those that are numbered that does not begin behind it.
func (r *Run) Numbered(number uint64) (block int, first uint64) {
	i, found := slices.BinarySearch(r.begins, number)
	if !found {
		i--
	}
	return i, r.begins[i]
}

// First returns the number of the first state ID of a run that is not empty.
func (r *Run) First() uint64 { return r.begins[0] }

// A Pile is data next to the runs, in pieces that know where they are. It may be used by many goroutines at once.
type Pile struct {
	store *Store
	file  *os.File
	end   atomic.Int64
}

// Pile begins a pile.
func (s *Store) Pile() (*Pile, error) {
	file, err := os.CreateTemp(s.dir, "pile-")
	return &Pile{store: s, file: file}, classify("write to "+s.dir, err)
}

// Add writes some pieces, which are sealed, and returns where they are.
func (p *Pile) Add(pieces []byte) (at int64, err error) {
	n := int64(len(pieces))
	at = p.end.Add(n) - n
	err = p.store.access("write to "+p.store.dir, func() error {
		_, err := p.file.WriteAt(pieces, at)
		return err
	})
	p.store.bytes.Add(n)
	return at, err
}

// Read fills pieces with what is at some place.
func (p *Pile) Read(at int64, pieces []byte) error {
	return p.store.access("read "+p.store.dir, func() error {
		_, err := p.file.ReadAt(pieces, at)
		return err
	})
}

// Close removes the pile.
func (p *Pile) Close() {
	_ = p.file.Close()
	_ = os.Remove(p.file.Name())
}

// SealBytes is what a piece begins with.
const SealBytes = hashBytes

// Seal writes the checksum of a piece to the room at its front.
func Seal(piece []byte) { seal(nil, piece) }

// Unseal returns a piece without its checksum, and ErrDamaged if that is not right.
func Unseal(piece []byte) ([]byte, error) {
	if data, ok := unseal(nil, piece); ok {
		return data, nil
	}
	return nil, ErrDamaged
}
