package level

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Merge reads all blocks that the expansion of a level sent to a shard, and the new words of all shards in that level,
// and writes the states of the next level that belong to the shard.
func (s *System) Merge(ctx context.Context, level, shard int, fresh []Word, blocks [][]byte) (Part, error) {
	k, err := s.manifest(ctx, level)
	if err != nil {
		return Part{}, err
	}
	return s.merge(ctx, k, shard, fresh, blocks)
}

func (s *System) merge(ctx context.Context, k *known, shard int, fresh []Word, blocks [][]byte) (Part, error) {
	now, err := s.with(k, fresh)
	if err != nil {
		return Part{}, err
	}
	return s.engine(now).merge(ctx, k, now, shard, blocks)
}

func (e sized[H]) merge(ctx context.Context, k, now *known, shard int, blocks [][]byte) (Part, error) {
	m := &merging[H]{System: e.System, ctx: ctx, now: now, part: Part{Shard: shard, Received: len(blocks)}}
	runs := slices.Clone(k.Shards[shard].Runs)
	err := m.subtract(k, blocks, runs)
	if err == nil && m.part.New != nil {
		runs, err = m.compact(append(runs, *m.part.New))
	}
	m.part.Runs = runs
	return m.part, err
}

// A merging is the work of Merge.
type merging[H half] struct {
	*System
	ctx  context.Context
	now  *known
	part Part
}

// subtract writes the states of the blocks that occur in none of the runs.
func (m *merging[H]) subtract(k *known, blocks [][]byte, runs []Run) error {
	streams, err := m.streams(k, blocks)
	if err != nil {
		return err
	}
	all, err := newMerger(streams)
	if err != nil {
		return err
	}
	sizes := newOrbits[H](m.System, m.now)
	return m.lookups(runs, nil, func(visited []*lookup[H]) error {
		run, err := m.write(newRunName(k.Level+1, m.part.Shard), true, func(w *runWriter[H]) error {
			return all.each(func(x *item[H]) error {
				for _, v := range visited {
					if is, err := v.has(x); is || err != nil {
						return err
					}
				}
				w.add(*x)
				n, err := sizes.of(x)
				m.part.Found += n
				return err
			})
		})
		if err == nil && run.States > 0 {
			m.part.New = run
		}
		return err
	})
}

// errNothing reports that a run would be empty.
var errNothing = errors.New("nothing to write")

// write writes a run, and no file if it is empty.
func (m *merging[H]) write(name string, sleeps bool, write func(*runWriter[H]) error) (*Run, error) {
	run := &Run{Name: name}
	err := m.files.Write(m.ctx, name, func(out io.Writer) error {
		w := newRunWriter[H](out, m.now.layout, sleeps)
		if err := write(w); err != nil {
			return err
		}
		if err := w.close(); err != nil {
			return err
		}
		run.States, run.Bytes = w.count, w.bytes
		if w.count == 0 {
			return errNothing
		}
		return nil
	})
	if errors.Is(err, errNothing) {
		return run, nil
	}
	m.part.Written += run.Bytes
	return run, err
}

// streams returns a stream per block, and one of the states of all blocks that have new words.
func (m *merging[H]) streams(k *known, blocks [][]byte) (streams []*stream[H], err error) {
	var fresh []item[H]
	numbers := make([]uint32, m.slots)
	for _, block := range blocks {
		d := decoder{data: block}
		run := d.bytes(d.count())
		if d.bad {
			return nil, fmt.Errorf("a block of shard %d: %w", m.part.Shard, ErrDamaged)
		}
		// Keys of the previous level fit the layout of this one, which is as wide or wider.
		r, err := newRunReader[H](bytes.NewReader(run), m.now.layout)
		if err != nil {
			return nil, fmt.Errorf("a block of shard %d: %w", m.part.Shard, err)
		}
		streams = append(streams, r.stream())
		n := d.count()
		if n == 0 {
			continue
		}
		words, rest, err := DecodeWords(d.data, m.slots)
		if err != nil {
			return nil, err
		}
		d.data = rest
		for ; n > 0 && !d.bad; n-- {
			x := takeFresh[H](&d, k.words, words, m.now, numbers)
			x.asleep = d.number()
			fresh = append(fresh, x)
		}
		if d.bad {
			return nil, fmt.Errorf("a block of shard %d: %w", m.part.Shard, ErrDamaged)
		}
	}
	sorted := sortItems(fresh, make([]item[H], len(fresh)))
	return append(streams, &stream[H]{items: sorted}), nil
}

// lookups opens a lookup on each run and passes them to do.
func (m *merging[H]) lookups(runs []Run, open []*lookup[H], do func([]*lookup[H]) error) error {
	if len(runs) == 0 {
		return do(open)
	}
	return readRun(m.ctx, m.files, &runs[0], m.now.layout, func(r *runReader[H]) error {
		return m.lookups(runs[1:], append(open, &lookup[H]{run: r}), do)
	})
}

// fanIn is the number of runs of a class that are merged into one of the next.
const fanIn = 4

// compact merges runs while a class has fanIn of them. This keeps their number small, and rewrites a state once per
// class; there are about log(levels) classes.
func (m *merging[H]) compact(runs []Run) ([]Run, error) {
	for {
		n := len(runs)
		if n < fanIn || runs[n-fanIn].Class != runs[n-1].Class {
			return runs, nil
		}
		run, err := m.join(runs[n-fanIn:])
		if err != nil {
			return nil, err
		}
		runs = append(runs[:n-fanIn:n-fanIn], *run)
	}
}

// join merges runs into one. Its name includes the class, since a level can produce several.
func (m *merging[H]) join(runs []Run) (*Run, error) {
	class := runs[0].Class + 1
	var joined *Run
	err := m.lookups(runs, nil, func(open []*lookup[H]) error {
		var streams []*stream[H]
		for _, l := range open {
			streams = append(streams, l.run.stream())
		}
		all, err := newMerger(streams)
		if err != nil {
			return err
		}
		joined, err = m.write(mergedRunName(m.now.Level+1, m.part.Shard, class), false, func(w *runWriter[H]) error {
			return all.each(func(x *item[H]) error {
				w.add(*x)
				return nil
			})
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	joined.Class = class
	return joined, nil
}
