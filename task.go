package ringcheck

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"ringcheck/explore"
	"ringcheck/internal/effort"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/reduce"
	"ringcheck/verify"
)

// A task is a system to be searched, with the options of the operation.
type task struct {
	*reduce.Subject
	opt   Options // opt.Search is that of the Subject
	began time.Time
}

func newTask(sys *System, opt Options) (*task, error) {
	if err := opt.validate(); err != nil {
		return nil, err
	}
	s, err := reduce.NewSubject(sys, opt.Search)
	if err != nil {
		return nil, err
	}
	s.Visible = verify.Seen
	return &task{s, opt, time.Now()}, nil
}

// prepare prepares sys. If ctx ends that, the error wraps ErrIncomplete and the task is returned, too.
func prepare(ctx context.Context, sys *System, opt Options) (*task, error) {
	t, err := newTask(sys, opt)
	if err != nil {
		return t, err
	}
	return t, explore.ContextError(ctx, effort.Do(ctx, func() error { return t.prepare(ctx) }))
}

// prepare compiles and reduces the system. Errors about properties are errors of the request.
func (t *task) prepare(ctx context.Context) error { return propertyError(t.Prepare(ctx)) }

// search prepares t and calls do. If ctx or a limit ends either, early says so; the result is nil if do has not
// returned one.
func search[R any](ctx context.Context, t *task, do func() (*R, error)) (result *R, early Ending, err error) {
	err = early.Phase(ctx, func() (err error) {
		if err = t.prepare(ctx); err == nil {
			result, err = do()
		}
		return err
	})
	return result, early, err
}

// explore is search for the explicit engine. If ctx ends before the search begins, the result is empty.
func (t *task) explore(ctx context.Context, do func() (*explore.Result, error)) (*explore.Result, error) {
	result, early, err := search(ctx, t, do)
	switch {
	case result != nil || err != nil:
		return result, err
	case ctx.Err() == nil:
		return nil, early.Err() // a limit
	}
	return t.unbegun(ctx), nil
}

// subject returns the system for verify.
func (t *task) subject() verify.Subject {
	s := verify.For(t.Subject)
	s.StopFirst = t.opt.StopFirst
	if tell := t.opt.Violated; tell != nil {
		s.Met = func(p *ir.Property, level int) {
			if t.opt.Reduction != NoReduction {
				level = -1
			}
			tell(p.Name, level)
		}
	}
	return s
}

// fullRun returns moves of the full system as a run.
func (t *task) fullRun(finding string, moves []model.Move) *Run {
	return &Run{Finding: finding, sys: t.System, shown: t.Full, full: t.Full, moves: moves}
}

// runTo returns a shortest run to a state of the searched system in which a fault occurred, lifted to the full system
// where possible.
func (t *task) runTo(ctx context.Context, state []model.Value, fault error) (*Run, error) {
	moves, err := explore.Path(ctx, t.Searched, t.opt.ExploreOptions(),
		func(_ int, to []model.Value) bool { return slices.Equal(to, state) })
	if err != nil {
		return nil, fmt.Errorf("no run that leads there was found: %w", err)
	}
	run := &Run{sys: t.System, shown: t.Searched, moves: moves}
	if t.Applied == nil {
		return run, nil
	}
	if q := t.Applied.Quotient(); q != nil {
		states := make([][]model.Value, len(moves))
		for i, m := range moves {
			states[i] = m.State
		}
		end := make([]model.Value, len(q.System.Slots()))
		q.Decode(state, 0, end)
		run.shown = q.System
		run.moves, err = q.Lift(states, func(state []model.Value) bool { return slices.Equal(state, end) })
	}
	if err != nil || t.Liftable() != nil {
		return run, err
	}
	run.shown, run.full = t.Full, t.Full
	run.moves, err = t.Applied.LiftToFault(ctx, run.moves, fault)
	return run, err
}

// unbegun returns the result of a search that ctx ended before it began.
func (t *task) unbegun(ctx context.Context) *explore.Result {
	return &explore.Result{Stop: explore.StopFor(ctx), Elapsed: time.Since(t.began)}
}

// propertyError marks errors about properties as errors of the request.
func propertyError(err error) error {
	var e *verify.EvalError
	switch {
	case errors.As(err, &e):
		return &RequestError{Err: err}
	case errors.Is(err, verify.ErrAsymmetric):
		return model.Refuse("symmetry", string(Rotation), "%w; --property chooses others", err)
	case errors.Is(err, verify.ErrTemporal):
		return &RequestError{Err: err}
	}
	return err
}

// slotLines describes some slots of a state, aligned.
func slotLines(sys model.System, state []model.Value, which []int) []string {
	slots, width := sys.Slots(), 0
	for _, s := range slots {
		width = max(width, utf8.RuneCountInString(s.Name))
	}
	var lines []string
	for _, i := range which {
		lines = append(lines, fmt.Sprintf("  %-*s  %s", width, slots[i].Name, sys.FormatSlot(i, state[i])))
	}
	return lines
}

// allSlots describes a state, aligned.
func allSlots(sys model.System, state []model.Value) []string {
	all := make([]int, len(state))
	for i := range all {
		all[i] = i
	}
	return slotLines(sys, state, all)
}

// explain says, line by line, why a property is false in a state. For a recoverable property it shows the state itself.
func explain(sys *compile.System, p *ir.Property, state []model.Value) ([]string, error) {
	if state == nil {
		return []string{"no reachable state satisfies it"}, nil
	}
	if p.Kind == ir.Recoverable {
		return append([]string{"it cannot be reached from here:"}, allSlots(sys, state)...), nil
	}
	w, err := verify.Explain(sys, p, state)
	if err != nil {
		return nil, &RequestError{Option: "property", Value: p.Name, Err: err}
	}
	var lines []string
	if _, terminal, _ := model.Quiescent(sys, state); p.Kind == ir.Terminal && !terminal {
		lines = append(lines, "only the environment can act there, and it need not")
	}
	lines = append(lines, grounds(w)...)
	var slots []int
	for _, process := range w.Processes {
		slots = append(slots, sys.SlotOfProcess(process))
	}
	for _, link := range w.Links {
		if slot := sys.SlotOfLink(link); len(sys.Contents(state[slot])) > 0 {
			slots = append(slots, slot)
		}
	}
	lines = append(append(lines, slotLines(sys, state, slots)...), inText(sys, state, w.Processes)...)
	return append(lines, undecided(sys, state, w.Processes)...), nil
}

// undecided says where a condition leads at which a process still is, for the first of the processes that leave an
// equation by one: pictures show them there.
func undecided(sys *compile.System, state []model.Value, processes []int) []string {
	for _, process := range processes {
		slot := sys.SlotOfProcess(process)
		local := sys.Local(state[slot])
		from, to := local.Point.Equation, sys.Protocol().Settled(local, nil).Point.Equation
		if from != nil && to != nil && from != to {
			return []string{fmt.Sprintf("%s is still at %s, at a condition that leads to %s",
				sys.Slots()[slot].Name, from.Name, to.Name)}
		}
	}
	return nil
}

// inText says where in the spec a control point such as A3:43 is, for the first of the processes that is at one.
func inText(sys *compile.System, state []model.Value, processes []int) []string {
	names := sys.Protocol().PointNames()
	for _, process := range processes {
		if point := sys.Local(state[sys.SlotOfProcess(process)]).Point; !point.Start {
			name := names[point.ID]
			text, _, _ := strings.Cut(name, ":")
			return []string{fmt.Sprintf("%s is in %s, at line %d of the spec", name, text, point.Pos.Line)}
		}
	}
	return nil
}

// grounds says for which values a property is false, and what is counted there.
func grounds(w *verify.Witness) (lines []string) {
	if len(w.Bindings) > 0 {
		lines = append(lines, "it fails for "+bindings(w.Bindings))
	}
	for _, s := range w.Sums {
		lines = append(lines, total(s))
	}
	return lines
}

// bindings returns "p = 2, d = 1".
func bindings(list []verify.Binding) string {
	var parts []string
	for _, b := range list {
		parts = append(parts, b.Name+" = "+b.Value)
	}
	return strings.Join(parts, ", ")
}

// total returns "the count is 2: p = 1".
func total(s verify.Sum) string {
	switch {
	case !s.Count:
		return fmt.Sprintf("the sum is %d", s.Value)
	case len(s.For) == 0:
		return fmt.Sprintf("the count is %d", s.Value)
	}
	return fmt.Sprintf("the count is %d: %s", s.Value, bindings(s.For))
}

// explain says, line by line, why a property is false in a state.
func (t *task) explain(p *ir.Property, state []model.Value) ([]string, error) {
	switch {
	case t.Full != nil:
		return explain(t.Full, p, state)
	case state == nil:
		return []string{"no reachable state satisfies it"}, nil
	case p.Kind == ir.Recoverable:
		return []string{"it cannot be reached from here:", "  " + t.Searched.FormatSlot(0, state[0])}, nil
	}
	return []string{"it is false in " + t.Searched.FormatSlot(0, state[0])}, nil
}
