//go:build !js

package store

import (
	"context"
	"fmt"
	"slices"

	"ringcheck/internal/workers"
)

// A Joiner finds the candidates that are in some runs. It is used by one goroutine; another one reads ahead. Candidates
// come in ranges, each of which is announced by Expect and then passed to Find or Numbers, in the same order.
type Joiner struct {
	store *Store
	ctx   context.Context
	end   context.CancelFunc
	runs  []*Run
	group workers.Group

	expected chan []blockRef // the blocks of each announced range
	read     chan *blocks
	free     chan *blocks

	queue   [][]blockRef
	current *blocks // the blocks that are being used
	next    int     // the index of its next block
	known   []bool
	numbers []uint64 // the numbers of candidates; empty if they are not needed
	decoder decoder
	ids     [sectionIDs]uint64
	// filter has a bit for each hash of a candidate: it rejects nearly all other state IDs.
	filter [1 << filterBits / 64]uint64
}

// A blockRef identifies a block of a run.
type blockRef struct {
	run   *Run
	block int
}

// blocks are some that have been read.
type blocks struct {
	data []byte
	ends []int // the end of each block
	err  error // the reason why there are no more
}

const (
	blocksPerRead = 8 // the number of blocks that are read at a time
	readsAhead    = 6 // the number of such groups of blocks in memory
	maxAnnounced  = 2 // the maximum number of announced ranges
)

// Joiner returns a Joiner with some runs. It must be closed before the Store.
func (s *Store) Joiner(ctx context.Context, runs []*Run) *Joiner {
	j := &Joiner{
		store: s, runs: runs,
		expected: make(chan []blockRef, maxAnnounced),
		read:     make(chan *blocks, readsAhead),
		free:     make(chan *blocks, readsAhead),
	}
	j.ctx, j.end = context.WithCancel(ctx)
	for range readsAhead {
		j.free <- s.spare.Get().(*blocks)
	}
	j.group.Go(j.readAhead)
	return j
}

// Close ends the reading.
func (j *Joiner) Close() {
	j.end()
	j.group.Wait()
	for len(j.free) > 0 {
		j.store.spare.Put(<-j.free)
	}
}

// Expect announces candidates, which ascend. Two ranges may be announced at a time.
func (j *Joiner) Expect(candidates []uint64) {
	var refs []blockRef
	for _, run := range j.runs {
		refs = run.appendBlockRefs(refs, candidates)
	}
	j.queue = append(j.queue, refs)
	select {
	case j.expected <- refs:
	case <-j.ctx.Done():
	}
}

// appendBlockRefs appends the blocks of a run that can hold a candidate.
func (r *Run) appendBlockRefs(refs []blockRef, candidates []uint64) []blockRef {
	if r.IDs == 0 || len(candidates) == 0 || r.last < candidates[0] {
		return refs
	}
	at := 0
	for i := r.blockFor(candidates[0]); i < len(r.blocks); i++ {
		if at += seek(candidates[at:], r.blocks[i].first); at == len(candidates) {
			break
		}
		if i+1 < len(r.blocks) && candidates[at] >= r.blocks[i+1].first {
			i = r.blockFor(candidates[at]) - 1
			continue
		}
		refs = append(refs, blockRef{r, i})
	}
	return refs
}

// readAhead reads the blocks of the announced ranges.
func (j *Joiner) readAhead() {
	reader := j.store.Reader()
	defer reader.Close()
	for {
		select {
		case refs := <-j.expected:
			for some := range slices.Chunk(refs, blocksPerRead) {
				if !j.readSome(reader, some) {
					return
				}
			}
		case <-j.ctx.Done():
			return
		}
	}
}

// readSome reads some blocks. It reports whether to continue.
func (j *Joiner) readSome(reader *Reader, refs []blockRef) bool {
	var b *blocks
	select {
	case b = <-j.free:
	case <-j.ctx.Done():
		return false
	}
	b.data, b.ends, b.err = b.data[:0], b.ends[:0], nil
	for _, p := range refs {
		var data []byte
		if data, b.err = reader.data(p.run, p.block); b.err != nil {
			break
		}
		b.data = append(b.data, data...)
		b.ends = append(b.ends, len(b.data))
	}
	j.read <- b // does not block: the channel has room for all
	return b.err == nil
}

// take returns the next announced block, encoded. It is valid until the next call.
func (j *Joiner) take() ([]byte, error) {
	if b := j.current; b != nil && j.next == len(b.ends) && b.err == nil {
		j.free <- b
		j.current = nil
	}
	if j.current == nil {
		select {
		case j.current = <-j.read:
			j.next = 0
		case <-j.ctx.Done():
			return nil, j.ctx.Err()
		}
	}
	b, begin := j.current, 0
	if j.next == len(b.ends) {
		return nil, b.err
	}
	if j.next > 0 {
		begin = b.ends[j.next-1]
	}
	j.next++
	return b.data[begin:b.ends[j.next-1]], nil
}

// Find reports for each candidate of the range announced first whether it is in a run. The result is valid until the
// next call.
func (j *Joiner) Find(candidates []uint64) ([]bool, error) {
	j.numbers = j.numbers[:0]
	return j.join(candidates)
}

// Numbers returns the numbers, see Number, of the candidates of the range announced first, all of which are in a run.
// The result is valid until the next call.
func (j *Joiner) Numbers(candidates []uint64) ([]uint64, error) {
	j.numbers = slices.Grow(j.numbers[:0], len(candidates))[:len(candidates)]
	known, err := j.join(candidates)
	if err == nil && slices.Contains(known, false) {
		err = fmt.Errorf("read %s: %w: a state is missing", j.store.dir, ErrDamaged)
	}
	return j.numbers, err
}

func (j *Joiner) join(candidates []uint64) ([]bool, error) {
	j.known = slices.Grow(j.known[:0], len(candidates))[:len(candidates)]
	clear(j.known)
	clear(j.filter[:])
	for _, c := range candidates {
		h := filterHash(c)
		j.filter[h/64] |= 1 << (h % 64)
	}
	refs := j.queue[0]
	j.queue = j.queue[1:]
	at := 0
	for i, p := range refs {
		if i > 0 && refs[i-1].run != p.run {
			at = 0
		}
		data, err := j.take()
		if err != nil {
			return nil, err
		}
		if !j.decoder.open(data, p.run.blocks[p.block].first) {
			return nil, j.store.invalid(p.run, p.block)
		}
		end := len(candidates)
		if p.block+1 < len(p.run.blocks) {
			end = at + seek(candidates[at:], p.run.blocks[p.block+1].first)
		}
		if !j.mark(candidates, at, end, p.run.blocks[p.block].number) {
			return nil, j.store.invalid(p.run, p.block)
		}
		at = end
	}
	return j.known, nil
}

// mark marks the candidates from at up to end that are in the block, whose first state ID has the given number. It
// reports whether the block is valid.
func (j *Joiner) mark(candidates []uint64, at, end int, number uint64) bool {
	sections := j.decoder.sections
	for at < end {
		for len(sections) > 1 && sections[1].first <= candidates[at] {
			sections = sections[1:]
			number += sectionIDs
		}
		s := &sections[0]
		if !j.decoder.decode(s, &j.ids) {
			return false
		}
		next := end
		if len(sections) > 1 {
			next = at + seek(candidates[at:end], sections[1].first)
		}
		j.markAmong(candidates[:next], at, j.ids[:s.count], number)
		at = next
	}
	return true
}

// markAmong marks the candidates from at on that are among ids, the first of which has the given number.
func (j *Joiner) markAmong(candidates []uint64, at int, ids []uint64, number uint64) {
	for i, id := range ids {
		if h := filterHash(id); j.filter[h/64]>>(h%64)&1 == 0 {
			continue
		}
		if at += seek(candidates[at:], id); at == len(candidates) {
			return
		}
		if candidates[at] == id {
			j.known[at] = true
			if len(j.numbers) > 0 {
				j.numbers[at] = number + uint64(i)
			}
		}
	}
}

func filterHash(id uint64) uint64 { return id * 0x9e3779b97f4a7c15 >> (64 - filterBits) }

// seek returns the index of the first of some ascending numbers that is not below x, in time logarithmic in that index.
func seek(sorted []uint64, x uint64) int {
	step := 1
	for step < len(sorted) && sorted[step] < x {
		step *= 2
	}
	lo, hi := step/2, min(step+1, len(sorted))
	i, _ := slices.BinarySearch(sorted[lo:hi], x)
	return lo + i
}
