package ringcheck

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/simulate"
	"ringcheck/simulate/replay"
	"ringcheck/simulate/sparse"
)

// A runner takes random runs of an instance of a spec and says what they mean.
type runner interface {
	simulate.Source
	Reward(*ir.Reward, model.Label) (int64, error)
	// accepts says why a reward cannot be earned.
	accepts(*ir.Reward) error
	event(model.Label) *ir.Event
	// class returns a label that means the same.
	class(model.Label) model.Label
	// env returns an environment that shows properties the state of a walk, and what to call before they look.
	env(simulate.Walk) (env *ir.Env, look func())
	// record takes a run of so many steps again and writes down its schedule.
	record(ctx context.Context, s *simulator, run, steps uint64) (*replay.Run, error)
	// retrace takes a run of so many steps again, as one of the compiled system.
	retrace(ctx context.Context, s *simulator, run, steps uint64) (*compile.System, []model.Move, error)
}

// listed is how many initial states are listed at most to draw one of them; of more, what is assigned is drawn.
const listed = 50_000

// newRunner returns what takes the runs of a simulation. Only what is scheduled uniformly, and neither too large nor of too many
// initial states, is compiled.
func (s *simulator) newRunner(ctx context.Context) (runner, error) {
	p := s.sys.protocol
	if s.plan.Scheduler != TimedScheduler && len(p.Large) == 0 && p.Combinations() <= listed {
		full, err := s.sys.Compile(ctx, s.opt)
		if err != nil {
			return nil, contextError(ctx, err)
		}
		source, err := simulate.Compiled(ctx, full, s.adversary())
		if err != nil {
			return nil, contextError(ctx, err)
		}
		return compiledRunner{source, full}, nil
	}
	if s.plan.Scheduler != TimedScheduler && len(s.ranks) > 0 {
		return nil, refuse("", "", "--delay and --hurry take a system that is small enough to be compiled, or runs by time")
	}
	sys, err := sparse.New(p, s.opt.bounds())
	if err != nil {
		return nil, s.refuseRunner(err)
	}
	r := sparseRunner{sparse.Source{System: sys}}
	if s.plan.Scheduler == TimedScheduler {
		r.Schedule, r.Rate = sparse.Timed, s.plan.FaultRate
		for _, m := range p.Messages {
			r.Ranks = append(r.Ranks, s.rank(m.Name))
		}
	}
	if _, err := r.Walk(); err != nil {
		return nil, s.refuseRunner(err)
	}
	return r, nil
}

// refuseRunner says why there can be no runs.
func (s *simulator) refuseRunner(err error) error {
	if large := s.sys.protocol.Large; s.plan.Scheduler != TimedScheduler && len(large) > 0 {
		return refuse("", "", "%w; it cannot be compiled, either: %s: %s", err, large[0].Pos, large[0].Text)
	}
	return &RequestError{"scheduler", string(s.plan.Scheduler), err}
}

type compiledRunner struct {
	simulate.Source
	*compile.System
}

func (r compiledRunner) Bytes() int64 { return r.Source.Bytes() }

func (r compiledRunner) event(l model.Label) *ir.Event {
	e, _ := r.Happened(l)
	return e
}

func (r compiledRunner) class(l model.Label) model.Label { return r.AnyProcess(l) }

func (r compiledRunner) env(w simulate.Walk) (*ir.Env, func()) {
	view := r.NewView()
	return r.Protocol().NewEnv(view), func() { view.Show(simulate.State(w)) }
}

func (r compiledRunner) retrace(ctx context.Context, s *simulator, run, steps uint64) (*compile.System, []model.Move, error) {
	moves, err := simulate.Retrace(ctx, r.Source, s.plan.Seed, run, steps)
	return r.System, moves, err
}

func (r compiledRunner) accepts(*ir.Reward) error { return nil }

type sparseRunner struct{ sparse.Source }

// accepts implements runner: labels do not tell the values of fields.
func (r sparseRunner) accepts(reward *ir.Reward) error {
	for f := range ir.FreeVars(reward.Value) {
		if slices.Contains(reward.Fields, f) {
			return fmt.Errorf("it reads the field %s; in runs by time, or of a system that is too large to be compiled, a reward is a constant", f.Name)
		}
	}
	return nil
}

// Reward implements runner.
func (r sparseRunner) Reward(reward *ir.Reward, l model.Label) (int64, error) {
	switch reward.Per {
	case ir.PerEvent:
		if e := r.Happened(l); e == nil || e != reward.Event {
			return 0, nil
		}
	case ir.PerTick:
		if !r.Ticks(l) {
			return 0, nil
		}
	case ir.PerSend:
		if m := r.Sent(l); m == nil || reward.Message != nil && m != reward.Message {
			return 0, nil
		}
	}
	return reward.Value.Eval(r.Protocol().NewEnv(nil))
}

func (r sparseRunner) event(l model.Label) *ir.Event { return r.Happened(l) }

func (r sparseRunner) class(l model.Label) model.Label { return l }

func (r sparseRunner) env(w simulate.Walk) (*ir.Env, func()) {
	return w.(*sparse.Run).Env(), func() {}
}

func (r sparseRunner) retrace(ctx context.Context, s *simulator, run, steps uint64) (*compile.System, []model.Move, error) {
	full, err := s.sys.Compile(ctx, s.opt)
	if err != nil {
		return nil, nil, err
	}
	walk, err := r.Walk()
	if err != nil {
		return nil, nil, err
	}
	w := walk.(*sparse.Run)
	var moves []model.Move
	note := func() error {
		next := full.Encode(nil, w.State())
		if len(moves) == 0 {
			moves = append(moves, model.Move{State: next})
			return nil
		}
		m, err := moveTo(full, moves[len(moves)-1].State, next, w.Text())
		moves = append(moves, m)
		return err
	}
	err = simulate.Again(ctx, w, s.plan.Seed, run, steps, note)
	return full, moves, err
}

// moveTo returns the transition of a system between two states that is called text.
func moveTo(sys *compile.System, from, to []model.Value, text string) (move model.Move, err error) {
	err = model.Each(sys, from, func(_ int, step model.Step, next []model.Value) bool {
		if slices.Equal(next, to) && sys.Label(step.Label).Text == text {
			move = model.Move{Step: step, State: to}
		}
		return move.State == nil
	})
	if move.State == nil {
		return model.Move{}, cmp.Or(err, fmt.Errorf("%s is no transition of the compiled system", text))
	}
	return move, nil
}

// adversarial reads Simulation.Hurry and Simulation.Delay.
func (s *simulator) adversarial() error {
	p := s.sys.protocol
	s.ranks = make(map[string]simulate.Rank)
	for _, side := range []struct {
		flag  string
		names []string
		rank  simulate.Rank
	}{{"hurry", s.plan.Hurry, simulate.Hurried}, {"delay", s.plan.Delay, simulate.Delayed}} {
		for _, name := range side.names {
			number, err := strconv.Atoi(name)
			isMessage := slices.ContainsFunc(p.Messages, func(m *ir.Message) bool { return m.Name == name })
			isOther := err == nil && number >= 0 && number < p.N || slices.ContainsFunc(p.Events, func(e *ir.Event) bool { return e.Name == name })
			_, twice := s.ranks[name]
			switch {
			case !isMessage && !isOther:
				return refuse(side.flag, name, "%s has neither such a message or event, nor such a process", p.Name)
			case twice:
				return refuse(side.flag, name, "it is named twice")
			case !isMessage && s.plan.Scheduler == TimedScheduler:
				return refuse(side.flag, name, "by time an adversary decides about messages only")
			}
			s.ranks[name] = side.rank
		}
	}
	return nil
}

// rank returns that of the first name for which the adversary has a rule.
func (s *simulator) rank(names ...string) simulate.Rank {
	for _, name := range names {
		if r, ok := s.ranks[name]; ok {
			return r
		}
	}
	return simulate.Ordinary
}

// adversary ranks steps, nil if there is no rule.
func (s *simulator) adversary() func(model.LabelInfo) simulate.Rank {
	if len(s.ranks) == 0 {
		return nil
	}
	return func(l model.LabelInfo) simulate.Rank {
		process := strconv.Itoa(l.Process)
		switch l.Kind {
		case model.ReceiveAction:
			name, _, _ := strings.Cut(l.Message, "(")
			return s.rank(name, process)
		case model.EventAction:
			name, _, _ := strings.Cut(l.Text, "(")
			return s.rank(name, process)
		}
		return s.rank(process)
	}
}
