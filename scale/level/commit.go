package level

import (
	"context"
	"fmt"
	"io"
	"slices"

	"ringcheck/model"
)

// Begin writes the initial states, and returns the manifest of level 0.
func (s *System) Begin(ctx context.Context) (*Manifest, error) {
	var words []Word
	var states [][]model.Value
	split := s.space.Split()
	err := s.sys.Initial(func(state []model.Value) bool {
		states = append(states, slices.Clone(state))
		for slot, v := range state {
			words = append(words, Word{slot, string(s.codec.AppendSlot(nil, slot, v))})
		}
		return ctx.Err() == nil
	})
	if err != nil || ctx.Err() != nil {
		return nil, fmt.Errorf("initial states: %w", cmpError(err, ctx.Err()))
	}
	known := NewWords(s.slots).With(words)
	m := &Manifest{Words: AppendWords(nil, known.all()), Shards: make([]Shard, s.shards), LevelSizes: []uint64{0}}
	l := known.Layout(split)
	found := make([][]item[[maxHalfWords]uint64], s.shards)
	hashes, key := make([]uint64, split), make([]uint32, s.slots)
	for _, state := range states {
		for slot, v := range state {
			content := s.codec.AppendSlot(nil, slot, v)
			key[slot], _ = known.Number(slot, content)
			if slot < split {
				hashes[slot] = hashWord(content)
			}
		}
		shard := shardOf(hashes, s.shards)
		found[shard] = append(found[shard], item[[maxHalfWords]uint64]{
			left: pack[[maxHalfWords]uint64](key[:split], l.widths[:split]), right: pack[[maxHalfWords]uint64](key[split:], l.widths[split:]),
		})
	}
	for shard, items := range found {
		if len(items) == 0 {
			continue
		}
		items = unite(sortItems(items, make([]item[[maxHalfWords]uint64], len(items))))
		data := encodeRun(items, l)
		run := &Run{Name: newRunName(0, shard), States: uint64(len(items)), Bytes: uint64(len(data))}
		if err := s.files.Write(ctx, run.Name, func(w io.Writer) error { _, err := w.Write(data); return err }); err != nil {
			return nil, err
		}
		m.Shards[shard] = Shard{New: run, Runs: []Run{*run}}
		m.Stored += run.States
		m.WrittenBytes += run.Bytes
		if s.judge != nil {
			m.LevelBytes += run.Bytes
		}
		sizes := newOrbits[[maxHalfWords]uint64](s, known, l)
		for i := range items {
			n, err := sizes.of(&items[i])
			if err != nil {
				return nil, err
			}
			m.LevelSizes[0] += n
		}
	}
	return m, m.write(ctx, s.files)
}

func cmpError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Commit adds up the parts of a level, which are all that Expand and Merge have returned, and the words that were new in it, and
// writes the manifest of the next one.
func (s *System) Commit(ctx context.Context, level int, fresh []Word, parts []Part) (*Manifest, error) {
	k, err := s.manifest(ctx, level)
	if err != nil {
		return nil, err
	}
	m := *k.Manifest
	m.Shards, m.LevelSizes = slices.Clone(m.Shards), slices.Clone(m.LevelSizes)
	m.Observations, m.Shown = slices.Clone(m.Observations), slices.Clone(m.Shown)
	for i := range m.Shards {
		m.Shards[i].New = nil
	}
	m.Words = AppendWords(nil, k.words.With(fresh).all())
	slices.SortFunc(parts, func(a, b Part) int { return a.Shard - b.Shard })
	var expanded, found uint64
	var fault *Fault
	blocks := 0
	for i := range parts {
		p := &parts[i]
		expanded += p.Expanded
		m.Transitions += p.Transitions
		m.Deadlocks += p.Deadlocks
		m.Generated += p.Generated
		m.Candidates += p.Candidates
		m.Blocks += uint64(p.Sent)
		m.ShuffledBytes += p.SentBytes
		m.WrittenBytes += p.Written
		blocks += p.Sent - p.Received
		if fault == nil {
			fault = p.Fault
		}
		if err := s.observe(&m, p); err != nil {
			return nil, err
		}
		if p.Received > 0 {
			m.Shards[p.Shard] = Shard{New: p.New, Runs: p.Runs}
			found += p.Found
			if p.New != nil {
				m.Stored += p.New.States
				if s.judge != nil {
					m.LevelBytes += p.New.Bytes
				}
			}
		}
	}
	if fault != nil {
		return s.faulted(ctx, k.Manifest, fault)
	}
	if expanded != k.waiting() || blocks != 0 {
		return nil, fmt.Errorf("level %d: of %d states %d were expanded, and %d blocks were lost", level, k.waiting(), expanded, blocks)
	}
	m.Level++
	m.LevelSizes = append(m.LevelSizes, found)
	return &m, m.write(ctx, s.files)
}

// faulted commits that a level has a state in which the model does something wrong.
func (s *System) faulted(ctx context.Context, k *Manifest, fault *Fault) (*Manifest, error) {
	m := *k
	m.Fault = fault
	return &m, m.write(ctx, s.files)
}

// Unite decodes lists of words, and returns each word once, in order.
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

// Of returns the fault of a system, and the state, nil if that cannot be decoded.
func (f *Fault) Of(sys model.System) (*model.Fault, []model.Value) {
	fault := &model.Fault{Place: f.Place, Process: f.Process, Message: f.Message, Growth: f.Growth}
	codec, ok := model.As[model.Codec](sys)
	state := make([]model.Value, len(sys.Slots()))
	if !ok || model.DecodeState(codec, f.State, state) != nil {
		return fault, nil
	}
	return fault, state
}
