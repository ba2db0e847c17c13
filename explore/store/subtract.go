package store

import (
	"context"
	"slices"
	"sync/atomic"

	"ringcheck/internal/crew"
)

// Subtract removes from candidates, in place, those that are in one of the runs, with the given number of goroutines.
// Candidates ascend.
func (s *Store) Subtract(ctx context.Context, candidates []uint64, runs []*Run, workers int) ([]uint64, error) {
	rest, _, err := s.SubtractTagged(ctx, candidates, nil, runs, workers)
	return rest, err
}

// SubtractTagged is Subtract for candidates with tags, one for each, or none. The tags of those that are left are left.
func (s *Store) SubtractTagged(ctx context.Context, candidates, tags []uint64, runs []*Run, workers int) (rest, restTags []uint64, err error) {
	pieces := split(candidates, workers)
	tagged := make([][]uint64, len(pieces))
	copy(tagged, split(tags, workers))
	errs := make([]error, workers)
	var next atomic.Int64
	var group crew.Crew
	for i := range workers {
		group.Go(func() {
			j := newJoiner(s)
			defer j.reader.Close()
			for n := next.Add(1) - 1; n < int64(len(pieces)) && errs[i] == nil; n = next.Add(1) - 1 {
				pieces[n], tagged[n], errs[i] = j.subtract(ctx, pieces[n], tagged[n], runs)
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, nil, err
		}
	}
	n, m := 0, 0
	for i, p := range pieces {
		n += copy(candidates[n:], p)
		m += copy(tags[m:], tagged[i])
	}
	return candidates[:n], tags[:m], nil
}

// The candidates that are dealt with at a time are few enough for the second-level cache, and enough to be worth the
// blocks of which only a part is in their range.
const (
	mostCandidates   = 1 << 16
	fewestCandidates = 1 << 10
)

// split divides candidates into pieces, several for each worker if that is possible.
func split(candidates []uint64, workers int) [][]uint64 {
	size := min(max(len(candidates)/(8*workers), fewestCandidates), mostCandidates)
	return slices.Collect(slices.Chunk(candidates, size))
}

// A joiner compares candidates with runs, for one goroutine.
type joiner struct {
	reader *Reader
	block  []uint64
	// filter has a bit for each hash of a candidate: nearly all state IDs that are none are told by it.
	filter []uint64
	found  []uint64 // a bit for each candidate
}

const filterBits = 20

func newJoiner(s *Store) *joiner {
	return &joiner{
		reader: s.Reader(),
		block:  make([]uint64, 0, BlockIDs),
		filter: make([]uint64, 1<<filterBits/64),
		found:  make([]uint64, mostCandidates/64),
	}
}

func filterHash(id uint64) uint64 { return id * 0x9e3779b97f4a7c15 >> (64 - filterBits) }

// subtract removes from some candidates those that are in one of the runs, and their tags.
func (j *joiner) subtract(ctx context.Context, candidates, tags []uint64, runs []*Run) (rest, restTags []uint64, err error) {
	clear(j.filter)
	clear(j.found)
	for _, c := range candidates {
		h := filterHash(c)
		j.filter[h/64] |= 1 << (h % 64)
	}
	for _, run := range runs {
		if err := j.compare(ctx, candidates, run); err != nil {
			return nil, nil, err
		}
	}
	rest, restTags = candidates[:0], tags[:0]
	for i, c := range candidates {
		if j.found[i/64]>>(i%64)&1 != 0 {
			continue
		}
		rest = append(rest, c)
		if len(tags) > 0 {
			restTags = append(restTags, tags[i])
		}
	}
	return rest, restTags, nil
}

// compare marks the candidates that are in a run. It reads the blocks that can hold one.
func (j *joiner) compare(ctx context.Context, candidates []uint64, run *Run) (err error) {
	if run.IDs == 0 || run.last < candidates[0] {
		return nil
	}
	at := 0
	for i := run.from(candidates[0]); i < len(run.firsts); i++ {
		if at += seek(candidates[at:], run.firsts[i]); at == len(candidates) {
			return nil
		}
		if i+1 < len(run.firsts) && candidates[at] >= run.firsts[i+1] {
			i = run.from(candidates[at]) - 1
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if j.block, err = j.reader.Block(run, i, j.block[:0]); err != nil {
			return err
		}
		j.mark(candidates, j.block)
	}
	return nil
}

// mark marks the candidates that are among some state IDs.
func (j *joiner) mark(candidates, ids []uint64) {
	at := 0
	for _, id := range ids {
		if h := filterHash(id); j.filter[h/64]>>(h%64)&1 == 0 {
			continue
		}
		if at += seek(candidates[at:], id); at == len(candidates) {
			return
		}
		if candidates[at] == id {
			j.found[at/64] |= 1 << (at % 64)
		}
	}
}

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
