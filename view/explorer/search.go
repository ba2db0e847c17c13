package explorer

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"ringcheck/explore"
	"ringcheck/internal/effort"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/replay"
	"ringcheck/view"
)

// startingAt is a system with another, single initial state.
type startingAt struct {
	*compile.System
	state []model.Value
}

// Initial implements model.System.
func (s startingAt) Initial(yield func([]model.Value) bool) error {
	yield(s.state)
	return nil
}

// InitialValues implements model.InitialProduct: the initial states are not those of the system.
func (s startingAt) InitialValues() [][]model.Value { return nil }

// Seek returns the steps of a shortest run from a state to a state in which a condition holds. The error is
// explore.ErrNoPath if no such run exists.
func (x *Explorer) Seek(ctx context.Context, code, condition string, opt explore.Options) ([]Step, error) {
	c := x.condition(ctx, condition)
	if c.err != nil {
		return nil, c.err
	}
	state, err := x.decode(c.sys, code)
	if err != nil {
		return nil, err
	}
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	_, steps, err := x.seek(ctx, startingAt{c.sys, state}, opt, func(_ int, state []model.Value) bool {
		holds, err := x.holds(ctx, c.sys, c.body, state)
		if errors.Is(err, effort.ErrSteps) {
			giveUp(err)
		}
		return err == nil && holds
	})
	if err != nil {
		err = cmp.Or(context.Cause(ctx), err)
	}
	return steps, err
}

// Origin returns a shortest run from an initial state to a state: the initial state and the steps.
func (x *Explorer) Origin(ctx context.Context, code string, opt explore.Options) (*State, []Step, error) {
	goal, err := x.decode(x.sys, code)
	if err != nil {
		return nil, nil, err
	}
	return x.seek(ctx, x.sys, opt, func(_ int, state []model.Value) bool { return slices.Equal(state, goal) })
}

// A codecSystem system has a codec; here, the same codec as the Explorer.
type codecSystem interface {
	model.System
	model.Codec
}

// seek finds a shortest run of sys to a goal and returns its first state and its steps in x.
func (x *Explorer) seek(ctx context.Context, sys codecSystem, opt explore.Options,
	goal func(int, []model.Value) bool) (start *State, steps []Step, err error) {
	run, err := explore.Path(ctx, sys, opt, goal)
	if err != nil {
		return nil, nil, err
	}
	return x.convertRun(ctx, sys, run)
}

// convertRun converts a run of sys to one of x and returns its first state and its steps.
func (x *Explorer) convertRun(
	ctx context.Context, sys codecSystem, run []model.Move,
) (start *State, steps []Step, err error) {
	if start, err = x.State(ctx, encode(sys, run[0].State), nil); err != nil {
		return nil, nil, err
	}
	steps = []Step{}
	at := start
	for _, m := range run[1:] {
		code := encode(sys, m.State)
		step, err := x.follow(ctx, at, sys.Label(m.Step.Label).Text, func(s *State) bool { return s.Code == code })
		if err != nil {
			return nil, nil, err
		}
		steps, at = append(steps, *step), step.State
	}
	return start, steps, nil
}

// Replay takes the steps of a recording and returns its first state and its steps.
func (x *Explorer) Replay(ctx context.Context, r *replay.Recording) (*State, []Step, error) {
	run, err := r.Run(x.sys.Machine())
	if err != nil {
		return nil, nil, err
	}
	moves, err := run.Moves(ctx, x.sys)
	if err != nil {
		return nil, nil, err
	}
	start, steps, err := x.convertRun(ctx, x.sys, moves)
	for i := range steps {
		if r.Steps[i].Unlogged {
			steps[i].Move.Text += view.Unlogged
		}
	}
	return start, steps, err
}

// A Progress is the state of a search, or its result.
type Progress struct {
	Running     bool    `json:"running"`
	Complete    bool    `json:"complete"`
	Stopped     string  `json:"stopped,omitempty"` // why the search is not complete
	States      uint64  `json:"states"`
	Transitions uint64  `json:"transitions"`
	Terminal    uint64  `json:"terminal"`
	Level       int     `json:"level"`
	Frontier    uint64  `json:"frontier"`
	Bytes       uint64  `json:"bytes"`
	Seconds     float64 `json:"seconds"`
	// Levels has the number of states of each level. It is set at the end.
	Levels []uint64 `json:"levels"`
}

func (s *Session) explore(ctx context.Context, _ *struct{}) (any, error) {
	x, opt := s.current(ctx)
	began := time.Now()
	opt.Progress, opt.ProgressEvery = s.Watch, WatchEvery
	s.Watch(explore.SearchProgress{})
	r, err := explore.Run(ctx, x.sys, opt)
	if err != nil {
		return nil, err
	}
	p := Progress{Complete: r.Complete(), States: r.States, Transitions: r.Transitions, Terminal: r.TerminalStates,
		Levels: r.Levels, Level: len(r.Levels) - 1, Seconds: time.Since(began).Seconds()}
	switch {
	case r.ModelError != nil:
		p.Stopped = r.ModelError.Error()
	case !p.Complete:
		p.Stopped = r.Stop.String()
	}
	return p, nil
}

// WatchEvery is the interval between two reports of a search.
const WatchEvery = 200 * time.Millisecond

// Watch stores the progress of a search for the page. It ignores the progress of other work.
func (s *Session) Watch(progress explore.Progress) {
	p, ok := progress.(explore.SearchProgress)
	if !ok {
		return
	}
	now := Progress{Running: true, States: p.States, Transitions: p.Transitions, Frontier: p.Frontier, Bytes: p.Bytes,
		Level: p.Level, Seconds: p.Time.Seconds()}
	s.mu.Lock()
	s.now = now
	s.mu.Unlock()
	if s.report != nil {
		s.report(now)
	}
}

func (s *Session) progress(context.Context, *struct{}) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now, nil
}
