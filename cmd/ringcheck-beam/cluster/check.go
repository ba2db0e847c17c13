package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"ringcheck"
	"ringcheck/cmd/ringcheck-beam/level"
	"ringcheck/model"
	"ringcheck/verify"
)

// Check implements command.Cluster.
func (e *Engine) Check(
	ctx context.Context, sys *ringcheck.System, properties []string, opt ringcheck.Search,
) (*ringcheck.Report, error) {
	s, err := e.search(ctx, sys, opt, checking(properties))
	if err != nil {
		return nil, err
	}
	defer s.leave(ctx)
	r, _, _, err := s.check(ctx)
	return r, err
}

// Counterexample implements command.Cluster. It stops with the pipeline that finds the first violation.
func (e *Engine) Counterexample(
	ctx context.Context, sys *ringcheck.System, properties []string, opt ringcheck.Search,
) (*ringcheck.Run, *ringcheck.Report, error) {
	s, err := e.search(ctx, sys, opt, checking(properties))
	if err != nil {
		return nil, nil, err
	}
	defer s.leave(ctx)
	s.until = s.broken
	r, v, end, err := s.check(ctx)
	if err != nil || v == nil {
		return nil, r, err
	}
	var states [][]model.Value
	if end != nil {
		if states, err = s.runTo(ctx, v.Level, end); err != nil {
			return nil, nil, err
		}
	}
	run, err := s.preparedSearch.Run(v, states)
	return run, r, err
}

// checking returns a function that prepares a search which decides properties.
func checking(properties []string) preparation {
	return func(ctx context.Context, sys *ringcheck.System, opt ringcheck.Search) (*ringcheck.Prepared, error) {
		return ringcheck.PrepareCheck(ctx, sys, properties, opt)
	}
}

// check searches, and judges the properties.
func (s *search) check(ctx context.Context) (*ringcheck.Report, *verify.Judgment, []model.Value, error) {
	stop, err := s.runLevels(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	observed, err := s.observations()
	if err != nil {
		return nil, nil, nil, refuse("dir", s.dir, "%w", err)
	}
	return s.preparedSearch.CheckReport(ctx, s.result(stop), observed, s.last.ShownNumbers)
}

// broken reports whether an invariant or a terminal property is violated.
func (s *search) broken(m *level.Manifest) bool {
	judge := s.preparedSearch.Judge
	for told, o := range m.Observations {
		if judge.Breaks(told, false) || o.Quiescent.Count > 0 && judge.Breaks(told, true) {
			return true
		}
	}
	return false
}

// observations returns the observations of all states.
func (s *search) observations() (list []verify.ClassObservation, err error) {
	for _, told := range slices.Sorted(maps.Keys(s.last.Observations)) {
		o := s.last.Observations[told]
		seen, err := o.Of(s.preparedSearch.Searched)
		if err != nil {
			return nil, err
		}
		list = append(list, verify.ClassObservation{Letters: told, Observation: seen})
	}
	return list, nil
}

// A backwardPath is a path rebuilt backwards from its end, level by level. The states found so far are in the folder.
type backwardPath struct {
	end    []byte
	states [][]byte // the last states of the run, the end included
	level  int      // of the first of them
}

// advance reads the states of the way found so far.
func (w *backwardPath) advance(ctx context.Context, files level.Files) error {
	for w.level > 0 {
		state, err := level.ReadBack(ctx, files, w.level-1, w.end)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		w.states, w.level = slices.Insert(w.states, 0, state), w.level-1
	}
	return nil
}

// runTo returns the states of a shortest run to a state of a level.
func (s *search) runTo(ctx context.Context, at int, end []model.Value) ([][]model.Value, error) {
	codec, ok := model.As[model.Codec](s.preparedSearch.Searched)
	if !ok {
		return nil, level.ErrUnsuited
	}
	text := model.AppendState(codec, nil, end)
	w := &backwardPath{end: text, states: [][]byte{text}, level: at}
	for failed, from := 0, at; ; failed++ {
		if err := w.advance(ctx, s.files); err != nil {
			return nil, refuse("dir", s.dir, "%w", err)
		}
		if w.level == 0 {
			break
		}
		if w.level < from {
			failed, from = 0, w.level
		}
		progress := func(ctx context.Context) bool {
			before := w.level
			return w.advance(ctx, s.files) == nil && w.level < before
		}
		err := s.claim(ctx)
		if err == nil {
			p := backPipeline(stepLevel{s.dir, w.level, s.token}, w, s.unroll)
			err = s.runner.execute(ctx, s.askEvery(), s.stall, p, progress)
		}
		switch {
		case ctx.Err() != nil:
			return nil, fmt.Errorf("%w: in the backward search from level %d", ringcheck.ErrIncomplete, at)
		case errors.Is(err, errDriven):
			return nil, fmt.Errorf("%w: %s: %w", ringcheck.ErrIncomplete, s.dir, err)
		}
		if err != nil && (failed >= attempts || errors.Is(err, errNoRunner)) {
			return nil, fmt.Errorf("%w: backward search from level %d: %s; start again to continue",
				ringcheck.ErrIncomplete, w.level, causeOf(err))
		}
		if failed > attempts {
			return nil, level.ErrNoWayBack
		}
	}
	states := make([][]model.Value, len(w.states))
	for i, state := range w.states {
		states[i] = make([]model.Value, len(end))
		if err := model.DecodeState(codec, state, states[i]); err != nil {
			return nil, fmt.Errorf("a state of the run: %w: %w", level.ErrDamaged, err)
		}
	}
	return states, nil
}

// backPipeline returns a pipeline that goes back some levels from a level. A level has these steps:
//
//	list    its tasks (listFn), each with the state to reach
//	search  each of them: the least state that leads there
//	least   of these: it is written, and is the state for the level before
func backPipeline(at stepLevel, w *backwardPath, levels int) *beam.Pipeline {
	p, root := beam.NewPipelineWithRoot()
	target := beam.Create(root, w.states[0])
	for range min(at.Level, levels) {
		at.Level--
		s := root.Scope(fmt.Sprintf("back to level %d", at.Level))
		found := beam.ParDo(s, &backFn{at}, beam.Reshuffle(s, beam.ParDo(s, &listFn{at}, target)))
		target = beam.ParDo(s, &leastFn{at, w.end}, beam.GroupByKey(s, beam.AddFixedKey(s, found)))
	}
	return p
}

type backFn struct{ Place stepLevel }

// ProcessElement emits the least state of a task that leads to the target.
func (f *backFn) ProcessElement(ctx context.Context, task int, target []byte, emit func([]byte)) error {
	return f.Place.do(ctx, "back", func(sys *level.System, _ level.Files) error {
		state, err := sys.Predecessor(ctx, f.Place.Level, task, target)
		if state != nil {
			emit(state)
		}
		return err
	})
}

type leastFn struct {
	Place stepLevel
	End   []byte
}

// ProcessElement writes the least state and emits it.
func (f *leastFn) ProcessElement(ctx context.Context, _ int, states func(*[]byte) bool, emit func([]byte)) error {
	return f.Place.do(ctx, "least", func(sys *level.System, files level.Files) error {
		least, err := sys.LeastState(collectRest(states))
		if err == nil {
			err = level.WriteBack(ctx, files, f.Place.Level, f.End, least)
		}
		if err == nil {
			emit(least)
		}
		return err
	})
}
