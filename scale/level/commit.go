package level

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"ringcheck/model"
)

// Begin writes the initial states and returns the manifest of level 0, as if they were the successors of an empty
// level.
func (s *System) Begin(ctx context.Context) (*Manifest, error) {
	k, err := s.know(&Manifest{Level: -1, Shards: make([]Shard, s.shards)}, NewWords(s.slots))
	if err != nil {
		return nil, err
	}
	blocks := make([][][]byte, s.shards)
	e := sized[[1]uint64]{s}
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
	words := slices.SortedFunc(slices.Values(x.freshWords), compareWords)
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

// Commit sums the parts of a level, which must be all that Expand and Merge returned, and its new words, and writes the
// manifest of the next level.
func (s *System) Commit(ctx context.Context, level int, fresh []Word, parts []Part) (*Manifest, error) {
	k, err := s.manifest(ctx, level)
	if err != nil {
		return nil, err
	}
	return s.commit(ctx, k, fresh, parts)
}

func (s *System) commit(ctx context.Context, k *known, fresh []Word, parts []Part) (*Manifest, error) {
	slices.SortFunc(parts, func(a, b Part) int { return a.Shard - b.Shard })
	after, err := s.with(k, fresh)
	if err != nil {
		return nil, err
	}
	m := k.next(after.words)
	var expanded uint64
	blocks := 0
	for i := range parts {
		p := &parts[i]
		if p.Fault != nil {
			return s.faulted(ctx, k.Manifest, p.Fault)
		}
		expanded += p.Expanded
		blocks += p.Sent - p.Received
		if err := m.add(p, s); err != nil {
			return nil, err
		}
	}
	if expanded != k.waiting() || blocks != 0 {
		return nil, fmt.Errorf("level %d: of %d states %d were expanded, and %d blocks were lost", k.Level, k.waiting(), expanded, blocks)
	}
	return m, m.write(ctx, s.files)
}

// next returns the manifest of the next level with its words, before any part is added.
func (k *known) next(words *Words) *Manifest {
	m := *k.Manifest
	m.Level++
	m.LevelSizes = append(slices.Clone(m.LevelSizes), 0)
	m.Observations, m.Shown = maps.Clone(m.Observations), slices.Clone(m.Shown)
	m.Words = AppendWords(nil, words.all())
	m.Shards = slices.Clone(m.Shards)
	for i := range m.Shards {
		m.Shards[i].New = nil
	}
	return &m
}

// add adds a part of the work on the previous level.
func (m *Manifest) add(p *Part, s *System) error {
	m.Transitions += p.Transitions
	m.Deadlocks += p.Deadlocks
	m.EnvironmentOnly += p.EnvironmentOnly
	m.Generated += p.Generated
	m.Candidates += p.Candidates
	m.Blocks += uint64(p.Sent)
	m.ShuffledBytes += p.SentBytes
	m.WrittenBytes += p.Written
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

// faulted commits that the model has a fault in a state of the level.
func (s *System) faulted(ctx context.Context, k *Manifest, fault *Fault) (*Manifest, error) {
	m := *k
	m.Fault = fault
	return &m, m.write(ctx, s.files)
}

// Unite decodes lists of words and returns each word once, sorted.
func (s *System) Unite(lists [][]byte) (words []Word, err error) {
	for _, list := range lists {
		some, rest, err := DecodeWords(list, s.slots)
		if err != nil || len(rest) > 0 {
			return nil, fmt.Errorf("%w: words", ErrDamaged)
		}
		words = append(words, some...)
	}
	slices.SortFunc(words, compareWords)
	return slices.Compact(words), nil
}

// Of returns f as a fault of sys and its state, which is nil if it cannot be decoded.
func (f *Fault) Of(sys model.System) (*model.Fault, []model.Value) {
	fault := &model.Fault{Place: f.Place, Process: f.Process, Message: f.Message, Growth: f.Growth}
	codec, ok := model.As[model.Codec](sys)
	state := make([]model.Value, len(sys.Slots()))
	if !ok || model.DecodeState(codec, f.State, state) != nil {
		return fault, nil
	}
	return fault, state
}
