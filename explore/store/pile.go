package store

import (
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"
)

// A Pile is a file of data in pieces, each behind its checksum. It may be used by many goroutines at once.
type Pile struct {
	store *Store
	file  *os.File
	end   atomic.Int64
	whole atomic.Int64 // how far it has been written at least
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

// Add writes a piece.
func (p *Pile) Add(data []byte) (Piece, error) {
	return p.put("write to "+p.store.dir, append(make([]byte, hashBytes, hashBytes+len(data)), data...))
}

// Read returns a piece, which it reads into a buffer.
func (p *Pile) Read(piece Piece, buffer *[]byte) ([]byte, error) {
	return p.get("read "+p.store.dir, piece, buffer)
}

// Close removes the pile.
func (p *Pile) Close() {
	_ = p.file.Close()
	_ = os.Remove(p.file.Name())
}

// put writes a piece that has room for its checksum in front.
func (p *Pile) put(doing string, value []byte) (Piece, error) {
	seal(value)
	n := int64(len(value))
	at := p.end.Add(n) - n
	p.store.bytes.Add(n)
	return Piece{at, len(value)}, p.store.access(doing, func() error {
		if err := p.intact(); err != nil {
			return err
		}
		if _, err := p.file.WriteAt(value, at); err != nil {
			return err
		}
		for w := p.whole.Load(); w < at+n && !p.whole.CompareAndSwap(w, at+n); w = p.whole.Load() {
		}
		return nil
	})
}

// intact returns an error if the file has been cut off.
func (p *Pile) intact() error {
	info, err := p.file.Stat()
	if err == nil && info.Size() < p.whole.Load() {
		err = fmt.Errorf("%w: a file was cut off", ErrDamaged)
	}
	return err
}

// get reads a piece into a buffer, and returns it without its checksum.
func (p *Pile) get(doing string, piece Piece, buffer *[]byte) (data []byte, err error) {
	value := slices.Grow((*buffer)[:0], piece.bytes)[:piece.bytes]
	*buffer = value
	err = p.store.access(doing, func() error {
		if err := p.read(value, piece.at); err != nil {
			return err
		}
		data, err = unseal(value)
		return err
	})
	return data, err
}

// read fills data with what is at a place. What cannot be read is damaged.
func (p *Pile) read(data []byte, at int64) error {
	if _, err := p.file.ReadAt(data, at); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return nil
}

const hashBytes = 8

// seal writes the checksum of a value into the room left for it at the front.
func seal(value []byte) { binary.LittleEndian.PutUint64(value, xxhash.Sum64(value[hashBytes:])) }

// unseal returns a value without its checksum, which has to be right.
func unseal(value []byte) ([]byte, error) {
	if len(value) < hashBytes || binary.LittleEndian.Uint64(value) != xxhash.Sum64(value[hashBytes:]) {
		return nil, fmt.Errorf("%w: a checksum is wrong", ErrDamaged)
	}
	return value[hashBytes:], nil
}
