package store

import (
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"sync"

	"github.com/cespare/xxhash/v2"
)

// A Pile is a file of pieces one after the other, which whoever wrote them knows where to find. It may be used by many
// goroutines at once.
type Pile struct {
	store *Store
	file  *os.File
	mu    sync.Mutex
	end   int64
}

// Pile begins a pile next to the entries.
func (s *Store) Pile() (*Pile, error) {
	file, err := os.CreateTemp(s.dir, "pile-")
	return &Pile{store: s, file: file}, classify("write to "+s.dir, err)
}

// Add writes some pieces, which are sealed, and returns where they are.
func (p *Pile) Add(pieces []byte) (at int64, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at = p.end
	err = p.store.access("write to "+p.store.dir, func() error {
		if err := p.intact(); err != nil {
			return err
		}
		_, err := p.file.WriteAt(pieces, at)
		return err
	})
	if err == nil {
		p.end += int64(len(pieces))
		p.store.bytes.Add(int64(len(pieces)))
	}
	return at, err
}

// intact returns ErrDamaged if the file is shorter than what was written.
func (p *Pile) intact() error {
	info, err := p.file.Stat()
	if err == nil && info.Size() < p.end {
		err = fmt.Errorf("%w: a file was cut off", ErrDamaged)
	}
	return err
}

// Read fills pieces with what is at some place.
func (p *Pile) Read(at int64, pieces []byte) error { return p.read("read "+p.store.dir, at, pieces) }

func (p *Pile) read(doing string, at int64, pieces []byte) error {
	return p.store.access(doing, func() error {
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
const SealBytes = 8

// Seal writes the checksum of a piece to the room at its front.
func Seal(piece []byte) { binary.LittleEndian.PutUint64(piece, xxhash.Sum64(piece[SealBytes:])) }

// Unseal returns a piece without its checksum, and ErrDamaged if that is not right.
func Unseal(piece []byte) ([]byte, error) {
	if len(piece) < SealBytes || binary.LittleEndian.Uint64(piece) != xxhash.Sum64(piece[SealBytes:]) {
		return nil, fmt.Errorf("%w: a checksum is wrong", ErrDamaged)
	}
	return piece[SealBytes:], nil
}

// The kinds of entries.
const (
	runEntry   = 'r'
	tableEntry = 't'
)

// An owner is a run or a table.
type owner struct {
	kind   byte
	number uint32
}

// An entry is a piece of the data file: a block of a run, or an entry of a table.
type entry struct {
	at     uint64 // the first state ID of the block, or the position in the table
	offset int64  // in the file
	size   uint32 // with the header
}

// headerBytes is what an entry begins with: its seal, size and owner, and what it is at.
const headerBytes = SealBytes + 4 + 1 + 4 + 8

// put writes an entry: data has headerBytes of room at its front.
func (s *Store) put(of owner, at uint64, data []byte) (entry, error) {
	binary.LittleEndian.PutUint32(data[SealBytes:], uint32(len(data)))
	data[SealBytes+4] = of.kind
	binary.LittleEndian.PutUint32(data[SealBytes+5:], of.number)
	binary.LittleEndian.PutUint64(data[SealBytes+9:], at)
	Seal(data)
	offset, err := s.data.Add(data)
	return entry{at, offset, uint32(len(data))}, err
}

// parseHeader is the inverse.
func parseHeader(header []byte) (of owner, e entry) {
	e.size = binary.LittleEndian.Uint32(header[SealBytes:])
	of.kind = header[SealBytes+4]
	of.number = binary.LittleEndian.Uint32(header[SealBytes+5:])
	e.at = binary.LittleEndian.Uint64(header[SealBytes+9:])
	return of, e
}

// get returns the data of an entry, in buf, which grows if need be.
func (s *Store) get(doing string, of owner, e entry, buf *[]byte) (data []byte, err error) {
	*buf = slices.Grow((*buf)[:0], int(e.size))[:e.size]
	if err := s.data.read(doing, e.offset, *buf); err != nil {
		return nil, err
	}
	if _, err := Unseal(*buf); err != nil {
		return nil, fmt.Errorf("%s: %w", doing, err)
	}
	if got, is := parseHeader(*buf); got != of || is.at != e.at {
		return nil, fmt.Errorf("%s: %w: another entry is in its place", doing, ErrDamaged)
	}
	return (*buf)[headerBytes:], nil
}

// scan reads the headers of all entries.
func (s *Store) scan() error {
	var header [headerBytes]byte
	for at := int64(0); at < s.data.end; {
		if _, err := s.data.file.ReadAt(header[:], at); err != nil {
			return err
		}
		of, e := parseHeader(header[:])
		e.offset = at
		if at += int64(e.size); e.size < headerBytes || at > s.data.end {
			return fmt.Errorf("%w: an entry makes no sense", ErrDamaged)
		}
		s.index[of] = append(s.index[of], e)
		if of.kind == runEntry {
			s.lastRun = max(s.lastRun, of.number)
		}
	}
	s.bytes.Store(s.data.end)
	return nil
}
