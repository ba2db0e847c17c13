package step

import (
	"slices"

	"ringcheck/internal/effort"
	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// A Walker computes what a process can do in one local state: on its own, or with one arriving message. It traverses
// the term of the control point, binding variables in one environment, and backtracks with a trail. It can be reused,
// by one goroutine.
type Walker struct {
	trail
	sample     func(*ir.Draw) (int64, error)
	drawValues []DrawValue // the values of the next draws, nil if they are not known: see Site.DrawValues

	mode    mode
	arrival *Arrival   // nil: on its own
	rounds  int        // of loops, without an action
	depth   int        // of choices and alternatives, without an action
	loop    syntax.Pos // of the loop whose next value was looked for last

	found        int  // alternatives counted, or outcomes listed
	unclear      bool // whether only a list tells how many there are
	from         ir.Local
	alternatives []Distribution
	open         []Reception

	shared       []*ir.Var // that the step may read or set: see Hold
	valuesBefore []int64   // their values before it

	action Action // of the alternative under way
	place  *syntax.Pos
	args   []int64   // of the action, unless alternatives are listed
	next   *ir.Point // where it leads; nil if the process stays where it is

	visit   func(*Outcome) // see Each
	visited Outcome        // the argument of visit
	nextEnv []int64        // of visited
	writes  []Write        // of visited
}

// A mode selects the treatment of alternatives by a Walker.
type mode int8

const (
	listing  mode = iota // list them with all that draws can give
	counting             // count them; a draw is one
	taking               // take the first one, with what sample gives
	opening              // list the receives that are open
	visiting             // visit them: see Each
)

// An Arrival is a message with its source.
type Arrival struct {
	Source  int64
	Message ir.Content
}

// A trail binds variables of an environment and can take that back.
type trail struct {
	machine *Machine
	env     *ir.Env
	before  []binding
}

// A binding is the previous value of a variable.
type binding struct {
	variable int
	value    int64
}

// save records the value of a variable.
func (t *trail) save(v *ir.Var) { t.before = append(t.before, binding{v.ID, t.env.Vars[v.ID]}) }

// undo backtracks to a length of the trail.
func (t *trail) undo(length int) {
	for i := len(t.before) - 1; i >= length; i-- {
		t.env.Vars[t.before[i].variable] = t.before[i].value
	}
	t.before = t.before[:length]
}

// Bind implements ir.Binder.
func (t *trail) Bind(v *ir.Var, value int64, pos syntax.Pos) error {
	if v.Kind == ir.Shared && !t.env.Acting {
		return errNoView
	}
	t.save(v)
	if err := t.env.Bind(v, value, pos); err != nil {
		return err
	}
	return t.machine.Bounded(v.Type, value, pos, "variable", v.Name)
}

// NewWalker returns a Walker that counts and takes alternatives in an environment; sample returns a value that a draw
// gives.
func (m *Machine) NewWalker(env *ir.Env, sample func(*ir.Draw) (int64, error)) *Walker {
	return &Walker{trail: trail{machine: m, env: env}, sample: sample}
}

// Count returns the number of alternatives of a term with the variables of the environment. If unclear is set, their
// number or distinctness is not known without Own or Receive.
func (w *Walker) Count(t ir.Term, arrival *Arrival) (n int, unclear bool, err error) {
	w.mode, w.arrival, w.before, w.found, w.unclear = counting, arrival, w.before[:0], 0, false
	_, err = w.walk(t)
	return w.found, w.unclear || w.found > 1, err
}

// Take takes the first alternative of a term, if any, and updates the variables of the environment.
func (w *Walker) Take(t ir.Term, arrival *Arrival) (taken bool, err error) {
	w.mode, w.arrival, w.before = taking, arrival, w.before[:0]
	return w.walk(t)
}

// Result returns the action that Take took, its place in the spec, and the control point after it, nil if the process
// stays where it is. The slices of the action are valid until the Walker is used again.
func (w *Walker) Result() (a *Action, place *syntax.Pos, next *ir.Point) {
	return &w.action, w.place, w.next
}

// walker returns a Walker that lists alternatives, with an arrival unless that is nil.
func (m *Machine) walker(l ir.Local, at Site, arrival *Arrival) *Walker {
	env := m.protocol.NewEnv(at.View)
	env.Self, env.Sets = at.Process, at.Sets
	l.Load(env)
	w := &Walker{trail: trail{machine: m, env: env}, from: l, arrival: arrival}
	w.Hold(l.Point, at.View, arrival != nil)
	if len(at.DrawValues) > 0 {
		w.drawValues = at.DrawValues
	}
	return w
}

// list returns the distinct alternatives, in the order of the text.
func (w *Walker) list() ([]Distribution, error) {
	_, err := w.walk(w.from.Point.Term)
	return distinct(w.alternatives), err
}

// walk traverses a term. The methods below end it with a panic where the error is.
func (w *Walker) walk(t ir.Term) (taken bool, err error) {
	defer effort.Catch(&err)
	w.rounds, w.depth = 0, 0
	return w.traverse(t), nil
}

// must returns a result, or ends the walk with err as a model error.
func must[T any](result T, err error) T {
	if err != nil {
		effort.Abort(AsModelError(err))
	}
	return result
}

// stop ends the walk with a model error.
func stop(pos syntax.Pos, format string, args ...any) {
	effort.Abort(errorAt(pos, format, args...))
}

// eval evaluates an expression.
func (w *Walker) eval(e ir.Expr) int64 { return must(e.Eval(w.env)) }

// traverse traverses a term. It returns true as soon as an alternative is taken.
func (w *Walker) traverse(t ir.Term) (taken bool) {
	for t != nil {
		switch u := t.(type) {
		case *ir.Prefix:
			return w.prefix(u)
		case *ir.Choice:
			for _, term := range u.Terms {
				mark := len(w.before)
				if w.branch(term) {
					return true
				}
				w.undo(mark)
			}
			return false
		case *ir.Draw:
			return w.draw(u)
		}
		t, _ = w.decide(t)
	}
	return false
}

// branch traverses what follows a choice, or an alternative.
func (w *Walker) branch(t ir.Term) (taken bool) {
	if w.depth++; min(w.depth, w.rounds) > ir.MaxDepth {
		w.endless(ir.MaxDepth)
	}
	taken = w.traverse(t)
	w.depth--
	return taken
}

// decide takes the decision at the beginning of a term and returns the next term, as ir.Decide does.
func (w *Walker) decide(t ir.Term) (next ir.Term, at *ir.Point) {
	if again, ok := t.(*ir.LoopEnd); ok {
		w.loop = again.Pos
		if w.rounds++; w.rounds > ir.MaxRounds {
			w.endless(ir.MaxRounds)
		}
	}
	next, at, err := ir.Decide(t, w.env, &w.trail)
	must(next, err)
	if cond, ok := t.(*ir.If); ok && w.machine.listener != nil {
		w.machine.listener.Decided(cond, next == cond.Then)
	}
	return next, at
}

// endless ends the walk because a loop exceeds the maximum number of rounds.
func (w *Walker) endless(rounds int) {
	stop(w.loop, "this loop goes on for more than %d rounds without an action", rounds)
}

// bind gives v a value.
func (w *Walker) bind(v *ir.Var, value int64, pos syntax.Pos) { must(value, w.Bind(v, value, pos)) }

// draw visits what follows a draw.
func (w *Walker) draw(d *ir.Draw) (taken bool) {
	switch {
	case d.Choose && (w.mode == listing || w.mode == opening || w.mode == visiting):
		w.choose(d)
	case d.Choose:
		w.unclear = true
	case w.mode == opening || w.arrival != nil: // no receive follows a draw
	case w.mode == visiting:
		w.unclear = true
	case w.mode == counting: // it leads to one definite action
		w.found++
	case w.mode == taking:
		w.bind(d.Var, must(w.sample(d)), d.Pos)
		return w.traverse(d.Then)
	case w.drawValues != nil:
		w.drew(d)
	default:
		w.mix(d)
	}
	return false
}

// choose visits what follows each value of a choose.
func (w *Walker) choose(d *ir.Draw) {
	if d.Among != nil && d.Size == nil && !d.Among.Type().Wide { // no list is needed
		for x := range d.Among.Type().Elements(w.eval(d.Among)) {
			w.follow(d, x)
		}
		return
	}
	for _, x := range values(d, w.env) {
		w.follow(d, x.Value)
	}
}

// follow visits what follows a value of d.
func (w *Walker) follow(d *ir.Draw, value int64) {
	mark := len(w.before)
	w.bind(d.Var, value, d.Pos)
	w.branch(d.Then)
	w.undo(mark)
}

// mix lists one distribution over the actions that the values of d lead to.
func (w *Walker) mix(d *ir.Draw) {
	before := len(w.alternatives)
	all := values(d, w.env)
	for i, x := range all {
		if w.follow(d, x.Value); len(w.alternatives) != before+i+1 {
			stop(d.Pos, "the draw of %s does not lead to one definite action", d.Var.Name)
		}
	}
	if len(all) == 0 {
		stop(d.Pos, "the draw of %s has no value to draw", d.Var.Name)
	}
	var mixed Distribution
	for i, x := range all {
		mixed = append(mixed, w.alternatives[before+i].scale(x)...)
	}
	w.alternatives = append(w.alternatives[:before], mixed)
}

// drew lists the alternatives for the known value of d, if d can give it.
func (w *Walker) drew(d *ir.Draw) {
	if len(w.drawValues) == 0 || w.drawValues[0].Var != d.Var || !canDraw(d, w.drawValues[0].Value, w.env) {
		return
	}
	before, mark := w.drawValues, len(w.before)
	w.drawValues = w.drawValues[1:]
	w.bind(d.Var, before[0].Value, d.Pos)
	w.traverse(d.Then)
	w.undo(mark)
	w.drawValues = before
}

// prefix lists, counts or takes an action if it is enabled.
func (w *Walker) prefix(p *ir.Prefix) (taken bool) {
	r, receives := p.Action.(*ir.Receive)
	switch {
	case w.mode == opening:
		if receives {
			w.reception(r)
		}
		return false
	case receives != (w.arrival != nil), receives && !w.match(r):
		return false
	case w.mode == counting:
		w.found++
		return false
	case receives:
		w.receive()
	default:
		w.act(p.Action)
	}
	w.next = nil
	if p.Next != nil {
		w.next = w.arrive(p.Next)
	}
	if w.mode != taking {
		w.record(p)
	}
	return w.mode == taking
}

// record lists the current alternative.
func (w *Walker) record(p *ir.Prefix) {
	if w.found++; w.found > w.machine.options.MaxOutcomes {
		effort.Abort(w.machine.TooMany(w.from.Point))
	}
	if w.mode == visiting {
		w.present(p)
		return
	}
	o := Outcome{Action: w.action, Writes: w.AppendWritten(nil), Probability: certain}
	if w.action.Sends() {
		o.Place = w.place
	}
	if w.next != nil {
		o.Next = w.next.Local(w.env)
	} else {
		o.Next = ir.Local{Point: w.from.Point, Env: slices.Clone(w.from.Env)}
		o.Next.Set(w.env)
	}
	if w.machine.listener != nil {
		w.machine.listener.Possible(p)
	}
	w.alternatives = append(w.alternatives, Distribution{o})
}

// arrive returns the control point after an action followed by p. It resolves a call there, the next step of a loop and
// what a receive sets.
func (w *Walker) arrive(p *ir.Point) *ir.Point {
	for ir.Passing(p.Term) {
		_, p = w.decide(p.Term)
	}
	return p
}

// match binds the variables of a receive and reports whether the arriving message matches. It evaluates all patterns
// before it binds anything.
func (w *Walker) match(a *ir.Receive) bool {
	args := w.arrival.Message.Args
	if a.Message != nil && a.Message != w.arrival.Message.Message || !w.equal(a.Source, w.arrival.Source) {
		return false
	}
	for i, p := range a.Patterns {
		if !w.equal(p, args[i]) {
			return false
		}
	}
	if a.Source.Bind != nil {
		w.bind(a.Source.Bind, w.arrival.Source, a.Pos)
	}
	for i, p := range a.Patterns {
		if p.Bind != nil {
			w.bind(p.Bind, args[i], a.Pos)
		}
	}
	return a.Where == nil || w.eval(a.Where) != 0
}

// equal reports whether a value satisfies a pattern.
func (w *Walker) equal(p ir.Pattern, value int64) bool {
	return p.Equal == nil || w.eval(p.Equal) == value
}

// receive makes the receipt of the arriving message the current action. The action omits the message's age.
func (w *Walker) receive() {
	c := w.arrival.Message
	c.Age = 0
	if w.mode == taking {
		w.args = append(w.args[:0], c.Args...)
		c.Args = w.args
	}
	w.action = Action{Kind: model.ReceiveAction, Port: w.arrival.Source, Message: c}
}

// act makes an action other than a receive the current one. It does not check that a channel to the target of a send
// exists, since alternatives are the same for all processes in a local state.
func (w *Walker) act(a ir.Action) {
	switch a := a.(type) {
	case *ir.Send:
		target := w.eval(a.Target)
		w.place = &a.Pos
		w.evaluate(a.Args, a.Message.Fields, a.Pos)
		w.action = Action{Kind: model.SendAction, Port: target, Message: ir.Content{Message: a.Message, Args: w.args}}
		if w.machine.protocol.Channel.Sync {
			w.action.Kind = model.SyncAction
		}
	case *ir.Emit:
		w.evaluate(a.Args, a.Event.Fields, a.Pos)
		w.action = Action{Kind: model.EventAction, Event: a.Event, Args: w.args}
	case *ir.Assign:
		value := w.eval(a.Value)
		w.startArgs(1)
		w.args = append(w.args, value)
		w.action = Action{Kind: model.Internal, Set: a.Var, Args: w.args}
		w.bind(a.Var, value, a.Pos)
	case *ir.Skip:
		w.action = Action{Kind: model.Internal}
	case *ir.Crash:
		w.action = Action{Kind: model.CrashAction, Own: true}
		for _, v := range w.machine.protocol.Vars {
			if v.Kind == ir.Timer {
				w.save(v)
				w.env.Vars[v.ID] = 0
			}
		}
	case *ir.Receive:
		panic("step: a receive needs a message")
	}
}

// startArgs allocates the arguments of an action; listed alternatives keep theirs.
func (w *Walker) startArgs(n int) {
	if w.mode == listing {
		w.args = make([]int64, 0, n)
	}
	w.args = w.args[:0]
}

// evaluate computes the arguments of a message or event.
func (w *Walker) evaluate(exprs []ir.Expr, fields []ir.Field, pos syntax.Pos) {
	w.startArgs(len(exprs))
	for i, e := range exprs {
		value := w.eval(e)
		effort.Try(w.machine.Bounded(fields[i].Type, value, pos, "field", fields[i].Name))
		w.args = append(w.args, value)
	}
}
