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
	"ringcheck/reduce/confluence"
	"ringcheck/verify"
)

// A task is a system to be searched: compiled and reduced once it is prepared.
type task struct {
	sys     *System
	opt     Options
	target  model.System    // what is searched
	full    *compile.System // nil unless sys is an instance of a spec
	applied *reduce.Applied // of full; nil likewise
	chosen  []*ir.Property  // to be checked; a reduction keeps their values
	began   time.Time
}

func newTask(sys *System, opt Options) (*task, error) {
	if err := opt.validate(); err != nil {
		return nil, err
	}
	if sys.file != "" {
		return nil, refuse("", "", "%s is a file of states and transitions, in which nothing is left to be explored",
			sys.file)
	}
	t := &task{sys: sys, opt: opt, target: sys.direct, began: time.Now()}
	if sys.protocol == nil {
		return t, opt.direct()
	}
	return t, nil
}

// prepare prepares sys. If ctx ends that, the error wraps ErrIncomplete and the task is returned, too.
func prepare(ctx context.Context, sys *System, opt Options) (*task, error) {
	t, err := newTask(sys, opt)
	if err != nil {
		return t, err
	}
	return t, contextError(ctx, effort.Do(ctx, func() error { return t.prepare(ctx) }))
}

// search prepares t and calls do. If ctx or a limit ends either, early says so; the result is nil if do has not
// returned one.
func search[R any](ctx context.Context, t *task, do func() (*R, error)) (result *R, early Ending, err error) {
	err = early.phase(ctx, func() (err error) {
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
		return nil, early.err // a limit
	}
	return t.unbegun(ctx), nil
}

func (t *task) prepare(ctx context.Context) (err error) {
	sys, opt := t.sys, &t.opt
	if sys.protocol == nil {
		return nil
	}
	begin := time.Now()
	if t.full, err = sys.compile(ctx, opt); err != nil {
		return err
	}
	if err := t.reduce(ctx); err != nil {
		return err
	}
	opt.log("%d slots, %d transition groups; reduction %v, symmetry %v; made ready in %.3f s",
		len(t.target.Slots()), len(t.target.Groups()), opt.Reduction, opt.Symmetry, time.Since(begin).Seconds())
	return nil
}

// direct returns an error for options that need a spec.
func (o *Options) direct() error {
	const reason = "it is not known how the parts of this system depend on each other"
	switch {
	case o.Reduction != NoReduction:
		return refuse("reduce", string(o.Reduction), reason)
	case o.Symmetry != NoSymmetry:
		return refuse("symmetry", string(o.Symmetry), reason)
	case o.assumption() != "":
		return refuse("assume", o.Assume, reason)
	}
	return nil
}

// reduce applies the reduction and the symmetry to the compiled system.
func (t *task) reduce(ctx context.Context) (err error) {
	var seen func(before, after model.Value, moved bool) bool
	if t.opt.Reduction != NoReduction {
		if seen, err = verify.Seen(ctx, t.full, t.chosen, t.opt.Memory/4); err != nil {
			return propertyError(err)
		}
	}
	t.applied, err = reduce.Apply(ctx, t.full, reduce.Options{
		Level:      t.opt.level(),
		NoConflict: t.opt.assumption() == NoConflict,
		Seen:       seen,
		Rotation:   t.opt.Symmetry != NoSymmetry,
	})
	if ctx.Err() != nil {
		return contextError(ctx, err)
	}
	switch {
	case errors.Is(err, compile.ErrCoupled):
		return &RequestError{"reduce", string(t.opt.Reduction), errors.Unwrap(err)}
	case err != nil:
		return &RequestError{"symmetry", string(t.opt.Symmetry), errors.Unwrap(err)}
	}
	t.target = t.applied.System
	return nil
}

// subject returns the system for verify.
func (t *task) subject() verify.Subject {
	s := verify.Subject{System: t.full, Searched: t.target, Holds: t.sys.chosenHolds(t.opt.Properties),
		Memory: t.opt.Memory / 4}
	if t.opt.Reduction != NoReduction {
		s.Unreduce = t.applied.Lift
	}
	if t.full != nil && t.target == model.System(t.full) && t.full.Uncoupled() == nil {
		s.Prioritize = func(seen func(before, after model.Value, moved bool) bool) verify.Prioritized {
			return confluence.Prioritize(t.full, confluence.Options{Seen: seen})
		}
	}
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
	return &Run{Finding: finding, sys: t.sys, shown: t.full, full: t.full, moves: moves}
}

// runTo returns a shortest run to a state of the searched system in which a fault occurred, lifted to the full system
// where possible.
func (t *task) runTo(ctx context.Context, state []model.Value, fault error) (*Run, error) {
	moves, err := explore.Path(ctx, t.target, t.opt.search(),
		func(_ int, to []model.Value) bool { return slices.Equal(to, state) })
	if err != nil {
		return nil, fmt.Errorf("no run that leads there was found: %w", err)
	}
	run := &Run{sys: t.sys, shown: t.target, moves: moves}
	if t.applied == nil {
		return run, nil
	}
	if q := t.applied.Quotient(); q != nil {
		states := make([][]model.Value, len(moves))
		for i, m := range moves {
			states[i] = m.State
		}
		end := make([]model.Value, len(q.System.Slots()))
		q.Decode(state, 0, end)
		run.shown = q.System
		run.moves, err = q.Lift(states, func(state []model.Value) bool { return slices.Equal(state, end) })
	}
	if err != nil || t.liftable() != nil {
		return run, err
	}
	run.shown, run.full = t.full, t.full
	run.moves, err = t.applied.LiftToFault(ctx, run.moves, fault)
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
		return refuse("symmetry", string(Rotation), "%w; --property chooses others", err)
	case errors.Is(err, verify.ErrTemporal):
		return &RequestError{Err: err}
	}
	return err
}

// liftable returns an error if runs of the searched system cannot be lifted to the full one.
func (t *task) liftable() error {
	if t.opt.Reduction == OnTheFly && t.opt.Symmetry != NoSymmetry {
		return refuse("reduce", string(t.opt.Reduction),
			"runs of orbits of representatives cannot be lifted to the full system: leave the symmetry out")
	}
	return nil
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
	case t.full != nil:
		return explain(t.full, p, state)
	case state == nil:
		return []string{"no reachable state satisfies it"}, nil
	case p.Kind == ir.Recoverable:
		return []string{"it cannot be reached from here:", "  " + t.target.FormatSlot(0, state[0])}, nil
	}
	return []string{"it is false in " + t.target.FormatSlot(0, state[0])}, nil
}
