package store

import (
	"fmt"
	"os"
	"slices"
	"sync/atomic"
)

// A Pile is data next to the runs, in pieces. It may be used by many goroutines at once.
type Pile struct {
	store *Store
	file  *os.File
	end   atomic.Int64
}

// A Piece is where one is in a Pile.
type Piece struct {
	at    int64
	bytes int
}

// Pile begins a pile.
func (s *Store) Pile() (*Pile, error) {
	file, err := os.CreateTemp(s.dir, "pile-")
	return &Pile{store: s, file: file}, classify("write to "+s.dir, err)
}

// Add writes a piece behind its checksum.
func (p *Pile) Add(data []byte) (Piece, error) {
	value := append(make([]byte, hashBytes, hashBytes+len(data)), data...)
	seal(nil, value)
	n := len(value)
	at := p.end.Add(int64(n)) - int64(n)
	p.store.bytes.Add(int64(n))
	return Piece{at, n}, p.store.access("write to "+p.store.dir, func() error {
		_, err := p.file.WriteAt(value, at)
		return err
	})
}

// Read returns a piece, which it reads into a buffer.
func (p *Pile) Read(piece Piece, buffer *[]byte) ([]byte, error) {
	doing := "read " + p.store.dir
	value := slices.Grow((*buffer)[:0], piece.bytes)[:piece.bytes]
	*buffer = value
	err := p.store.access(doing, func() error {
		_, err := p.file.ReadAt(value, piece.at)
		return err
	})
	if err != nil {
		return nil, err
	}
	data, ok := unseal(nil, value)
	if !ok {
		return nil, fmt.Errorf("%s: %w: a checksum is wrong", doing, ErrDamaged)
	}
	return data, nil
}

// Close removes the pile.
func (p *Pile) Close() {
	_ = p.file.Close()
	_ = os.Remove(p.file.Name())
}
