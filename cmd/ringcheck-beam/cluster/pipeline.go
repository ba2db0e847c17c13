package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"ringcheck/cmd/ringcheck-beam/level"
)

func init() {
	for _, fn := range []any{(*listFn)(nil), (*expandFn)(nil), (*numberFn)(nil), (*mergeFn)(nil), (*commitFn)(nil),
		(*backFn)(nil), (*leastFn)(nil)} {
		beam.RegisterDoFn(reflect.TypeOf(fn).Elem())
	}
}

// A stepLevel is the level that a pipeline step works on. Everything else is in the folder.
type stepLevel struct {
	Dir      string
	Level    int
	Pipeline string // its name: see claim
}

// pipeline returns a pipeline that does the work on some levels, from a first one on. A level has these steps:
//
//	list     the tasks of the level
//	expand   each of them: blocks for shards, words that are new, counts
//	number   the new words, all at one place; they go to all shards that are merged
//	merge    the blocks for a shard with what is there
//	commit   the counts of all shards: the manifest of the next level, which makes the next list
func pipeline(first stepLevel, levels int) *beam.Pipeline {
	p, s := beam.NewPipelineWithRoot()
	begin := beam.Impulse(s)
	for at := first; at.Level < first.Level+levels; at.Level++ {
		begin = addLevel(s.Scope(fmt.Sprintf("level %d", at.Level)), at, begin)
	}
	return p
}

func addLevel(s beam.Scope, at stepLevel, begin beam.PCollection) beam.PCollection {
	// Prism, Flink and Dataflow fuse a step with the one before it unless a reshuffle or a grouping stands between: one
	// worker would list the tasks and run them all.
	tasks := beam.Reshuffle(s, beam.ParDo(s, &listFn{at}, begin))
	blocks, words, expanded := beam.ParDo3(s, &expandFn{at}, tasks)
	numbered := beam.ParDo(s, &numberFn{at}, beam.GroupByKey(s, beam.AddFixedKey(s, words)))
	merged := beam.ParDo(s, &mergeFn{at}, beam.GroupByKey(s, blocks), beam.SideInput{Input: numbered})
	parts := beam.GroupByKey(s, beam.AddFixedKey(s, beam.Flatten(s, expanded, merged)))
	return beam.ParDo(s, &commitFn{at}, parts, beam.SideInput{Input: numbered})
}

type listFn struct{ Place stepLevel }

// ProcessElement emits the tasks of the level, which is complete, each with what it is given.
func (f *listFn) ProcessElement(ctx context.Context, data []byte, emit func(int, []byte)) error {
	return f.Place.do(ctx, "list", func(_ *level.System, files level.Files) error {
		m, err := level.ReadManifest(ctx, files, f.Place.Level)
		if err != nil || m.Ended() {
			return err
		}
		for task := range m.Tasks() {
			emit(task, data)
		}
		return nil
	})
}

type expandFn struct{ Place stepLevel }

// ProcessElement runs a task.
func (f *expandFn) ProcessElement(
	ctx context.Context, task int, _ []byte, blocks func(int, []byte), words, parts func([]byte),
) error {
	return f.Place.do(ctx, "expand", func(sys *level.System, _ level.Files) error {
		part, fresh, err := sys.Expand(ctx, f.Place.Level, task, func(to int, block []byte) error {
			blocks(to, block)
			return nil
		})
		if err != nil {
			return err
		}
		if len(fresh) > 0 {
			words(level.AppendWords(nil, fresh))
		}
		return emitPart(ctx, part, parts)
	})
}

type numberFn struct{ Place stepLevel }

// ProcessElement emits each new word of the level once.
func (f *numberFn) ProcessElement(ctx context.Context, _ int, lists func(*[]byte) bool, emit func([]byte)) error {
	return f.Place.do(ctx, "number", func(sys *level.System, _ level.Files) error {
		words, err := sys.Unite(collectRest(lists))
		if err == nil {
			emit(level.AppendWords(nil, words))
		}
		return err
	})
}

type mergeFn struct{ Place stepLevel }

// ProcessElement merges the blocks of a shard.
func (f *mergeFn) ProcessElement(ctx context.Context, shard int, blocks, words func(*[]byte) bool,
	emit func([]byte)) error {
	return f.Place.do(ctx, "merge", func(sys *level.System, _ level.Files) error {
		fresh, err := sys.Unite(collectRest(words))
		if err != nil {
			return err
		}
		part, err := sys.Merge(ctx, f.Place.Level, shard, fresh, collectRest(blocks))
		if err != nil {
			return err
		}
		return emitPart(ctx, part, emit)
	})
}

type commitFn struct{ Place stepLevel }

// ProcessElement commits the level.
func (f *commitFn) ProcessElement(ctx context.Context, _ int, parts, words func(*[]byte) bool,
	emit func([]byte)) error {
	return f.Place.do(ctx, "commit", func(sys *level.System, _ level.Files) error {
		fresh, err := sys.Unite(collectRest(words))
		if err != nil {
			return err
		}
		var list []level.Part
		for _, data := range collectRest(parts) {
			var p level.Part
			if err := json.Unmarshal(data, &p); err != nil {
				return err
			}
			list = append(list, p)
		}
		m, err := sys.Commit(ctx, f.Place.Level, fresh, list)
		if err != nil {
			return err
		}
		levels.Inc(ctx, 1)
		if !m.Ended() {
			emit(nil)
		}
		return nil
	})
}

// emitPart emits and counts a part.
func emitPart(ctx context.Context, p level.Part, emit func([]byte)) error {
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	countPart(ctx, &p)
	emit(data)
	return nil
}

// collectRest returns the remaining elements.
func collectRest(next func(*[]byte) bool) (list [][]byte) {
	for {
		var data []byte
		if !next(&data) {
			return list
		}
		list = append(list, data)
	}
}
