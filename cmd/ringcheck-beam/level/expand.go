package level

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"ringcheck/explore"
	"ringcheck/model"
)

// A Part is the result of a task or of the merge of a shard.
type Part struct {
	Shard int // the first one of a task
	// Of expanding:
	Expanded uint64 // stored states
	Counts
	Sent       int // blocks
	ModelError *ModelError
	// With a Judge:
	Observations map[string]Observation
	ShownNumbers []int
	// Of merging:
	Received int    // blocks
	Found    uint64 // states, of the full system
	New      *Run   // of these
	Runs     []Run  // nil if nothing was merged
}

// Emit hands on a block of states that belong to a shard.
type Emit func(shard int, block []byte) error

// atOnce is the number of states expanded together, and manyItems the number of successors collected before they are
// emitted.
const (
	atOnce    = 256
	manyItems = 1 << 21
)

// Expand expands the states of a task. The blocks go to Merge of their shards, the new words to Merge of all shards,
// and the part to Commit.
func (s *System) Expand(ctx context.Context, level, task int, emit Emit) (Part, []Word, error) {
	k, err := s.manifest(ctx, level)
	if err != nil {
		return Part{}, nil, err
	}
	return s.engine(k).expand(ctx, k, task, emit)
}

// An expansion is the state of a call of Expand.
type expansion[H half] struct {
	*worker[H]
	emit         Emit
	part         Part
	items        map[int][]item[H]         // by shard
	spare        []item[H]                 // to sort
	count        int                       // of items
	lines        map[int]map[string]uint64 // by shard: states with new words as bytes, and what is asleep there
	line         []byte                    // one of them
	byKey        map[string]*Observation   // by the key that a Judge returns
	shownNumbers map[int]bool
}

func newExpansion[H half](w *worker[H], emit Emit) *expansion[H] {
	return &expansion[H]{
		worker: w, emit: emit, items: make(map[int][]item[H]), lines: make(map[int]map[string]uint64),
		byKey: make(map[string]*Observation), shownNumbers: make(map[int]bool),
	}
}

func (e sizedEngine[H]) expand(ctx context.Context, k *knownLevel, task int, emit Emit) (Part, []Word, error) {
	w := e.acquire(k)
	defer e.release(w)
	x := newExpansion(w, emit)
	x.part.Shard = k.Tasks()[task][0]
	err := w.eachState(ctx, k, task, x.expand)
	if err == nil {
		err = x.flush()
	}
	x.part.Observations, x.part.ShownNumbers = x.observations(), slices.Sorted(maps.Keys(x.shownNumbers))
	return x.part, w.freshWords(), err
}

// eachState calls do with batches of a task's states and their sleep sets until it returns false.
func (w *worker[H]) eachState(ctx context.Context, k *knownLevel, task int,
	do func(states []explore.Halves, asleep []uint64) (more bool, err error)) error {
	for _, shard := range k.Tasks()[task] {
		more := true
		err := readRun(ctx, w.files, k.Shards[shard].New, k.layout, func(r *runReader[H]) (err error) {
			for more && err == nil {
				if err = errors.Join(r.next(), ctx.Err()); err != nil || len(r.items) == 0 {
					break
				}
				more, err = w.eachOf(r.items, do)
			}
			return err
		})
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// eachOf does the same for the states of a chunk.
func (w *worker[H]) eachOf(items []item[H], do func(states []explore.Halves, asleep []uint64) (bool, error)) (
	more bool, err error) {
	var states []explore.Halves
	var asleep []uint64
	for some := range slices.Chunk(items, atOnce) {
		states, asleep = states[:0], asleep[:0]
		for i := range some {
			left, leftErr := w.numberOf(&w.left, some[i].left)
			right, rightErr := w.numberOf(&w.right, some[i].right)
			if err := cmp.Or(leftErr, rightErr); err != nil {
				return false, err
			}
			states, asleep = append(states, uint64(left)<<32|uint64(right)), append(asleep, some[i].asleep)
		}
		if more, err := do(states, asleep); err != nil || !more {
			return false, err
		}
	}
	return true, nil
}

// show decodes a state into x.state.
func (w *worker[H]) show(h explore.Halves) {
	w.halves.SetLeft(uint32(h>>32), w.state)
	w.halves.SetRight(uint32(h), w.state)
}

// orbitOf returns the number of states of the full system that h represents.
func (w *worker[H]) orbitOf(h explore.Halves) uint64 {
	if w.quotient == nil {
		return 1
	}
	w.show(h)
	return w.quotient.OrbitSize(w.state)
}

// expand expands states up to the first one with a model error.
func (x *expansion[H]) expand(states []explore.Halves, asleep []uint64) (more bool, err error) {
	next := &x.next
	err = x.halves.Expand(states, asleep, next)
	x.part.Expanded += uint64(len(next.Counts))
	x.part.Generated += uint64(len(next.To))
	for i, n := range next.Counts {
		size := x.orbitOf(states[i])
		x.part.Transitions += size * uint64(n)
		switch {
		case n == 0:
			x.part.TerminalStates += size
		case next.Quiescent(i):
			x.part.EnvironmentOnly += size
		}
	}
	if x.judge != nil {
		x.observe(states[:len(next.Counts)], next)
	}
	for i, to := range next.To {
		left, right := x.keyOf(&x.left, uint32(to>>32)), x.keyOf(&x.right, uint32(to))
		shard := int(left.shard)
		if !left.known || !right.known {
			x.addFresh(shard, to, next.Asleep[i])
			continue
		}
		x.items[shard] = append(x.items[shard], item[H]{left.key, right.key, next.Asleep[i]})
	}
	x.count += len(next.To)
	var modelError *model.Error
	switch {
	case errors.As(err, &modelError):
		x.part.ModelError = x.errorAt(modelError, states[len(next.Ends)])
		return false, nil
	case err != nil:
		return false, err
	case x.count >= manyItems:
		return true, x.flush()
	}
	return true, nil
}

func (x *expansion[H]) errorAt(f *model.Error, state explore.Halves) *ModelError {
	x.show(state)
	return &ModelError{f.Place, f.Process, f.Message, f.Growth, model.AppendState(x.codec, nil, x.state)}
}

func (x *expansion[H]) addFresh(shard int, to explore.Halves, asleep uint64) {
	if x.lines[shard] == nil {
		x.lines[shard] = make(map[string]uint64)
	}
	x.line = x.appendFresh(x.line[:0], to)
	x.lines[shard][string(x.line)] |= asleep
}

// flush emits what was found so far.
func (x *expansion[H]) flush() error {
	for shard := range x.shards {
		if len(x.items[shard]) == 0 && len(x.lines[shard]) == 0 {
			continue
		}
		items := x.items[shard]
		if len(items) > len(x.spare) {
			x.spare = make([]item[H], len(items))
		}
		sorted := unite(sortItems(items, x.spare))
		block := x.block(sorted, x.lines[shard])
		x.part.Sent++
		x.part.ShuffledBytes += uint64(len(block))
		if err := x.emit(shard, block); err != nil {
			return err
		}
		x.items[shard] = items[:0]
	}
	x.count = 0
	clear(x.lines)
	return nil
}

// block encodes what was found of a shard: uvarint length, a run; then for each state with new words uvarint length,
// its bytes (model.AppendState), uvarint what is asleep.
func (x *expansion[H]) block(items []item[H], fresh map[string]uint64) []byte {
	run := encodeRun(items, x.known.layout)
	block := binary.AppendUvarint(make([]byte, 0, len(run)+8), uint64(len(run)))
	block = append(block, run...)
	for _, state := range slices.Sorted(maps.Keys(fresh)) {
		block = append(binary.AppendUvarint(block, uint64(len(state))), state...)
		block = binary.AppendUvarint(block, fresh[state])
	}
	return block
}

// readRun calls do with a reader of a run's file.
func readRun[H half](ctx context.Context, files Files, run *Run, l Layout, do func(*runReader[H]) error) (err error) {
	f, err := files.Open(ctx, run.Name)
	if err != nil {
		return err
	}
	defer f.Close()
	r, err := newRunReader[H](f, l)
	if err == nil {
		err = do(r)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", run.Name, err)
	}
	return err
}
