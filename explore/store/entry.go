package store

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/cespare/xxhash/v2"
)

// The kinds of entries of a store.
const (
	runEntry   = 'r'
	tableEntry = 't'
)

// headBytes is the size of what precedes the data of an entry: its checksum; the kind, the number of the run or table,
// the first state ID of a block, the size of the data; and the checksum of these four, which are read without the data.
const headBytes = hashBytes + 1 + 4 + 8 + 8 + hashBytes

// appendHead appends the head of an entry, with room for the size and the checksums.
func appendHead(b []byte, kind byte, number uint32, first uint64) []byte {
	b = append(append(b, make([]byte, hashBytes)...), kind)
	b = binary.LittleEndian.AppendUint32(b, number)
	b = binary.LittleEndian.AppendUint64(b, first)
	return append(b, make([]byte, 8+hashBytes)...)
}

// headSum returns the checksum of a head.
func headSum(head []byte) uint64 { return xxhash.Sum64(head[hashBytes : headBytes-hashBytes]) }

// put writes an entry that begins with its head.
func (s *Store) put(doing string, value []byte) (Piece, error) {
	binary.LittleEndian.PutUint64(value[headBytes-hashBytes-8:], uint64(len(value)-headBytes))
	binary.LittleEndian.PutUint64(value[headBytes-hashBytes:], headSum(value))
	return s.states.put(doing, value)
}

// get reads an entry into a buffer and returns its data.
func (s *Store) get(doing string, entry Piece, buffer *[]byte) ([]byte, error) {
	data, err := s.states.get(doing, entry, buffer)
	if err != nil {
		return nil, err
	}
	return data[headBytes-hashBytes:], nil
}

// Put appends data to a table.
func (s *Store) Put(table uint32, data []byte) error {
	doing := fmt.Sprintf("write table %d of %s", table, s.dir)
	_, err := s.put(doing, append(appendHead(nil, tableEntry, table, 0), data...))
	return err
}

// Rewind forgets what was written since the last Commit, and finds what was written before it: for Each and Load.
func (s *Store) Rewind() error {
	end, _, err := readRecord(s.dir)
	if err != nil {
		return err
	}
	return s.access("read "+s.dir, func() error {
		s.states.whole.Store(end)
		if err := s.states.intact(); err != nil {
			return err
		}
		if err := s.states.file.Truncate(end); err != nil {
			return err
		}
		s.states.end.Store(end)
		s.bytes.Store(end)
		s.lastRun, s.runs, s.tables = 0, make(map[uint32]*Run), make(map[uint32][]Piece)
		for at := int64(0); at < end; {
			n, err := s.find(at, end)
			if err != nil {
				return err
			}
			at += n
		}
		return nil
	})
}

// find notes the entry at a place, and returns its size. The checksum of its data is verified when that is read.
func (s *Store) find(at, end int64) (int64, error) {
	var head [headBytes]byte
	if err := s.states.read(head[:min(headBytes, end-at)], at); err != nil {
		return 0, err
	}
	number := binary.LittleEndian.Uint32(head[hashBytes+1:])
	size := binary.LittleEndian.Uint64(head[headBytes-hashBytes-8:])
	sum := binary.LittleEndian.Uint64(head[headBytes-hashBytes:])
	if at+headBytes > end || size > uint64(end-at-headBytes) || sum != headSum(head[:]) {
		return 0, fmt.Errorf("%w: the head of an entry makes no sense", ErrDamaged)
	}
	entry := Piece{at, headBytes + int(size)}
	if head[hashBytes] == tableEntry {
		s.tables[number] = append(s.tables[number], entry)
	} else {
		r := s.runs[number]
		if r == nil {
			r = &Run{Number: number, last: math.MaxUint64}
			s.runs[number] = r
		}
		r.blocks = append(r.blocks, block{first: binary.LittleEndian.Uint64(head[hashBytes+5:]), entry: entry})
		s.lastRun = max(s.lastRun, number)
	}
	return int64(entry.bytes), nil
}

// Each calls do with what was put into a table before the last Rewind, in order. data is valid during the call.
func (s *Store) Each(table uint32, do func(data []byte) error) error {
	var buffer []byte
	for _, entry := range s.tables[table] {
		data, err := s.get(fmt.Sprintf("read table %d of %s", table, s.dir), entry, &buffer)
		if err == nil {
			err = do(data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Load returns a run that Rewind has found. It is ErrDamaged if not all blocks are there.
func (s *Store) Load(number uint32, ids uint64, blocks int) (*Run, error) {
	r := s.runs[number]
	if r == nil {
		r = &Run{Number: number}
	}
	if r.IDs = ids; len(r.blocks) != blocks {
		return nil, fmt.Errorf("%s: %w: %d of %d blocks are there", s.reading(r), ErrDamaged, len(r.blocks), blocks)
	}
	slices.SortFunc(r.blocks, compareBlocks)
	return r, nil
}
