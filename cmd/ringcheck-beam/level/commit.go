package level

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"ringcheck/model"
)

// Begin writes the initial states as successors of an empty level, and returns the manifest of level 0.
func (s *System) Begin(ctx context.Context) (*Manifest, error) {
	k, err := s.know(&Manifest{Level: -1, Shards: make([]Shard, s.shards)}, NewWords(s.slots))
	if err != nil {
		return nil, err
	}
	blocks := make([][][]byte, s.shards)
	e := sizedEngine[[1]uint64]{s}
	w := e.acquire(k)
	defer e.release(w)
	x := newExpansion(w, func(to int, block []byte) error {
		blocks[to] = append(blocks[to], block)
		return nil
	})
	err = s.sys.Initial(func(state []model.Value) bool {
		left := x.halves.Left(state)
		x.addFresh(int(x.keyOf(&x.left, left).shard), uint64(left)<<32|uint64(x.halves.Right(state)), 0)
		return ctx.Err() == nil
	})
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return nil, fmt.Errorf("initial states: %w", err)
	}
	if err := x.flush(); err != nil {
		return nil, err
	}
	words := x.freshWords()
	parts := []Part{x.part}
	for shard, sent := range blocks {
		if len(sent) == 0 {
			continue
		}
		p, err := s.merge(ctx, k, shard, words, sent)
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	return s.commit(ctx, k, words, parts)
}

// Commit writes the manifest of the next level, given all parts that Expand and Merge returned and the new words.
func (s *System) Commit(ctx context.Context, level int, fresh []Word, parts []Part) (*Manifest, error) {
	k, err := s.manifest(ctx, level)
	if err != nil {
		return nil, err
	}
	return s.commit(ctx, k, fresh, parts)
}

func (s *System) commit(ctx context.Context, k *knownLevel, fresh []Word, parts []Part) (*Manifest, error) {
	slices.SortFunc(parts, func(a, b Part) int { return a.Shard - b.Shard })
	after, err := s.withWords(k, fresh)
	if err != nil {
		return nil, err
	}
	m := k.next(after.words)
	var expanded uint64
	blocks := 0
	for i := range parts {
		p := &parts[i]
		if p.ModelError != nil {
			return s.recordError(ctx, k.Manifest, p.ModelError)
		}
		expanded += p.Expanded
		blocks += p.Sent - p.Received
		if err := m.add(p, s); err != nil {
			return nil, err
		}
	}
	if expanded != k.waiting() || blocks != 0 {
		return nil, fmt.Errorf("level %d: of %d states %d were expanded, and %d blocks were lost", k.Level,
			k.waiting(), expanded, blocks)
	}
	return m, m.write(ctx, s.files)
}

// next returns the manifest of the next level with its words, before any part is added.
func (k *knownLevel) next(words *Words) *Manifest {
	m := *k.Manifest
	m.Level++
	m.LevelSizes = append(slices.Clone(m.LevelSizes), 0)
	m.Observations, m.ShownNumbers = maps.Clone(m.Observations), slices.Clone(m.ShownNumbers)
	m.Words = AppendWords(nil, words.allWords())
	m.Shards = slices.Clone(m.Shards)
	for i := range m.Shards {
		m.Shards[i].New = nil
	}
	return &m
}

// add adds a part of the work on the previous level.
func (m *Manifest) add(p *Part, s *System) error {
	m.Counts.add(p.Counts)
	m.LevelSizes[m.Level] += p.Found
	if p.Received > 0 {
		m.Shards[p.Shard] = Shard{New: p.New, Runs: p.Runs}
	}
	if p.New != nil {
		m.Stored += p.New.States
		if s.judge != nil {
			m.LevelBytes += p.New.Bytes
		}
	}
	return s.observe(m, p)
}

// recordError records in the manifest that a state of the level has a model error.
func (s *System) recordError(ctx context.Context, k *Manifest, modelError *ModelError) (*Manifest, error) {
	m := *k
	m.ModelError = modelError
	return &m, m.write(ctx, s.files)
}

// Unite decodes lists of words and returns each word once, sorted.
func (s *System) Unite(lists [][]byte) (words []Word, err error) {
	for _, list := range lists {
		some, err := DecodeWords(list, s.slots)
		if err != nil {
			return nil, err
		}
		words = append(words, some...)
	}
	slices.SortFunc(words, compareWords)
	return slices.Compact(words), nil
}

// Of returns f as a model error of sys, and its state, nil if that cannot be decoded.
func (f *ModelError) Of(sys model.System) (*model.Error, []model.Value) {
	modelError := &model.Error{Place: f.Place, Process: f.Process, Message: f.Message, Growth: f.Growth}
	codec, ok := model.As[model.Codec](sys)
	state := make([]model.Value, len(sys.Slots()))
	if !ok || model.DecodeState(codec, f.State, state) != nil {
		return modelError, nil
	}
	return modelError, state
}

// Merge writes the states of the next level that belong to a shard, given all blocks that the expansion of a level sent
// to it and the new words of the level.
func (s *System) Merge(ctx context.Context, level, shard int, fresh []Word, blocks [][]byte) (Part, error) {
	k, err := s.manifest(ctx, level)
	if err != nil {
		return Part{}, err
	}
	return s.merge(ctx, k, shard, fresh, blocks)
}

func (s *System) merge(ctx context.Context, k *knownLevel, shard int, fresh []Word, blocks [][]byte) (Part, error) {
	now, err := s.withWords(k, fresh)
	if err != nil {
		return Part{}, err
	}
	return s.engine(now).merge(ctx, k, now, shard, blocks)
}

func (e sizedEngine[H]) merge(ctx context.Context, k, now *knownLevel, shard int, blocks [][]byte) (Part, error) {
	// A worker of its own: a worker that expands must not know the words that are new.
	m := &merging[H]{worker: e.newWorker(now), ctx: ctx, part: Part{Shard: shard, Received: len(blocks)}}
	runs := slices.Clone(k.Shards[shard].Runs)
	err := m.subtract(k.Level+1, blocks, runs)
	if err == nil && m.part.New != nil {
		runs, err = m.compact(append(runs, *m.part.New))
	}
	m.part.Runs = runs
	return m.part, err
}

// A merging is the work of Merge.
type merging[H half] struct {
	*worker[H] // knows the new words
	ctx        context.Context
	part       Part
}

// subtract writes the states of the blocks that occur in none of the runs.
func (m *merging[H]) subtract(level int, blocks [][]byte, runs []Run) error {
	streams, err := m.streams(blocks)
	if err != nil {
		return err
	}
	all, err := newMerger(streams)
	if err != nil {
		return err
	}
	return m.lookups(runs, nil, func(visited []*lookup[H]) error {
		run, err := m.write(newRunName(level, m.part.Shard), true, func(w *runWriter[H]) error {
			return all.eachItem(func(x *item[H]) error {
				for _, v := range visited {
					if is, err := v.has(x); is || err != nil {
						return err
					}
				}
				w.add(*x)
				n, err := m.orbit(x)
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
		w := newRunWriter[H](out, m.known.layout, sleeps)
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
	return run, err
}

// streams returns a stream per block, and one of the states of all blocks that have new words.
func (m *merging[H]) streams(blocks [][]byte) (streams []*stream[H], err error) {
	var fresh []item[H]
	for _, block := range blocks {
		d := decoder{data: block}
		// Keys of the previous level fit the layout of this one, which is as wide or wider.
		r, err := newRunReader[H](bytes.NewReader(d.bytes(d.count())), m.known.layout)
		for err == nil && len(d.data) > 0 {
			var x item[H]
			x, err = m.itemOf(d.bytes(d.count()))
			x.asleep = d.number()
			fresh = append(fresh, x)
		}
		if err == nil && d.bad {
			err = ErrDamaged
		}
		if err != nil {
			return nil, fmt.Errorf("a block of shard %d: %w", m.part.Shard, err)
		}
		streams = append(streams, r.stream())
	}
	sorted := sortItems(fresh, make([]item[H], len(fresh)))
	return append(streams, &stream[H]{items: sorted}), nil
}

// itemOf returns a state given as bytes, in which nothing is asleep.
func (m *merging[H]) itemOf(text []byte) (x item[H], err error) {
	if err := model.DecodeState(m.codec, text, m.state); err != nil {
		return x, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	for slot, v := range m.state {
		word := m.word(slot, v)
		if !word.known {
			return x, fmt.Errorf("%w: a state has an unknown word", ErrDamaged)
		}
		m.key[slot] = word.number
	}
	l := m.known.layout
	return item[H]{left: pack[H](m.key[:l.split], l.left()), right: pack[H](m.key[l.split:], l.right())}, nil
}

// lookups opens a lookup on each run and passes them to do.
func (m *merging[H]) lookups(runs []Run, open []*lookup[H], do func([]*lookup[H]) error) error {
	if len(runs) == 0 {
		return do(open)
	}
	return readRun(m.ctx, m.files, &runs[0], m.known.layout, func(r *runReader[H]) error {
		return m.lookups(runs[1:], append(open, &lookup[H]{run: r}), do)
	})
}

// fanIn is the number of runs of a class that are merged into one of the next.
const fanIn = 4

// compact merges runs while a class has fanIn of them. It rewrites a state once per class; there are about log(levels)
// classes.
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
		joined, err = m.write(mergedRunName(m.known.Level+1, m.part.Shard, class), false, func(w *runWriter[H]) error {
			return all.eachItem(func(x *item[H]) error {
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
