package verify

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"

	"ringcheck/internal/effort"
	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// A watch is something about a property that some state ought to show.
type watch struct {
	kind      watchKind
	pos       syntax.Pos
	name      string // of the outermost binder, if it is one of processes
	instances []*instance
}

// An instance is an expression that ought to be true in some state.
type instance struct {
	expr    ir.Expr
	process int64 // that the outermost binder stands for; -1 if none
	seen    atomic.Bool
}

// watchKind says what is watched for.
type watchKind int

const (
	// mattered: the value of an atom decides about the property in some state, and valued: it has one then. Whether it matters is asked of
	// some runs at random only.
	mattered watchKind = iota
	valued
	// entered: the left side of an implication holds, for each process that the outermost binder stands for.
	entered
)

// maxWatched is how many instances of a property there are at most; of a larger one nothing is said.
const maxWatched = 1 << 14

// A watcher finds what is to be watched in a property.
type watcher struct {
	list    []*watch
	count   int
	binders []*ir.Quantifier // around
}

// watches returns what is to be watched in a property.
func watches(p *ir.Property) []*watch {
	w := &watcher{}
	if p.Temporal != nil {
		w.formula(p.Temporal.Formula)
	} else {
		w.walk(p.Body, nil)
	}
	if w.count > maxWatched {
		return nil
	}
	return w.list
}

func (w *watcher) formula(f *ir.Formula) {
	switch {
	case f == nil:
		return
	case f.Op == ir.StateAtom:
		w.walk(f.State, nil)
	case f.Op == ir.Implication && f.X.Op == ir.StateAtom:
		w.add(entered, f.Pos, f.X.State, nil)
	}
	w.formula(f.X)
	w.formula(f.Y)
}

// walk goes down to the atoms of e. An atom matters where all of some conditions hold: the other operands of and around it, and not those
// of or.
func (w *watcher) walk(e ir.Expr, when []ir.Expr) {
	switch e := e.(type) {
	case *ir.Unary:
		if e.Op == ir.Not {
			w.walk(e.X, when)
		}
	case *ir.Binary:
		w.binary(e, when)
	case *ir.Cond:
		w.walk(e.Then, with(when, e.If))
		w.walk(e.Else, with(when, negation(e.If)))
	case *ir.Quantifier:
		w.binders = append(w.binders, e)
		w.walk(e.Body, when)
		w.binders = w.binders[:len(w.binders)-1]
	case *ir.Apply:
		body := e.Define.Body
		for i, p := range e.Define.Params {
			body = ir.Substitute(body, p, e.Args[i])
		}
		w.walk(body, when)
	case *ir.Holds:
		if structural(e.X) {
			w.walk(e.X, when)
			return
		}
		w.add(mattered, e.Pos, truth(true), when)
		w.add(valued, e.Pos, &ir.Holds{X: &ir.Binary{Op: ir.Or, X: e.X, Y: truth(true), T: ir.BoolType()}}, when)
	}
}

// structural reports whether an atom is a definition or a count, whose own atoms are looked at.
func structural(e ir.Expr) bool {
	switch e.(type) {
	case *ir.Apply, *ir.Quantifier, *ir.Cond, *ir.Unary:
		return e.Type().Kind == ir.Bool
	}
	return false
}

func (w *watcher) binary(e *ir.Binary, when []ir.Expr) {
	switch e.Op {
	case ir.And:
		w.walk(e.X, with(when, e.Y))
		w.walk(e.Y, with(when, e.X))
	case ir.Or:
		w.walk(e.X, with(when, negation(e.Y)))
		w.walk(e.Y, with(when, negation(e.X)))
	case ir.Implies:
		if !isFalse(e.Y) { // else that it does not hold is what is meant
			w.add(entered, e.Pos, e.X, when)
		}
		w.walk(e.X, when)
		w.walk(e.Y, with(when, e.X))
	default:
		w.walk(e.X, when)
		w.walk(e.Y, when)
	}
}

func isFalse(e ir.Expr) bool {
	c, ok := e.(*ir.Const)
	return ok && c.Value == 0
}

func with(when []ir.Expr, e ir.Expr) []ir.Expr { return append(slices.Clip(when), e) }

func negation(e ir.Expr) ir.Expr { return &ir.Unary{Op: ir.Not, X: e, T: ir.BoolType()} }

// add watches for a state in which e holds where it matters, for some values of the binders around.
func (w *watcher) add(kind watchKind, pos syntax.Pos, e ir.Expr, when []ir.Expr) {
	for i := len(when) - 1; i >= 0; i-- {
		e = &ir.Binary{Op: ir.And, X: when[i], Y: e, T: ir.BoolType()}
	}
	c := &watch{kind: kind, pos: pos}
	w.list = append(w.list, c)
	process := int64(-1)
	binders := w.binders
	if len(binders) > 0 && binders[0].Var.Type.Kind == ir.Node && fixed(binders[0]) {
		q := binders[0]
		c.name = q.Var.Name
		for process = q.Lo.(*ir.Const).Value; process <= q.Hi.(*ir.Const).Value; process++ {
			w.instance(c, ir.Substitute(e, q.Var, &ir.Const{T: q.Var.Type, Value: process}), binders[1:], process)
		}
		return
	}
	w.instance(c, e, binders, process)
}

// instance watches for a state in which e holds for some values of binders.
func (w *watcher) instance(c *watch, e ir.Expr, binders []*ir.Quantifier, process int64) {
	if w.count > maxWatched {
		return
	}
	if len(binders) > 0 && fixed(binders[0]) {
		q := binders[0]
		for v := q.Lo.(*ir.Const).Value; v <= q.Hi.(*ir.Const).Value && w.count <= maxWatched; v++ {
			w.instance(c, ir.Substitute(e, q.Var, &ir.Const{T: q.Var.Type, Value: v}), binders[1:], process)
		}
		return
	}
	for _, q := range slices.Backward(binders) { // over a channel, or a range that the state decides
		some := *q
		some.Op, some.T, some.Body = ir.Exists, ir.BoolType(), e
		e = &some
	}
	w.count++
	c.instances = append(c.instances, &instance{expr: e, process: process})
}

// fixed reports whether a quantifier ranges over the same values in every state.
func fixed(q *ir.Quantifier) bool {
	if q.Over != nil {
		return false
	}
	_, lo := q.Lo.(*ir.Const)
	_, hi := q.Hi.(*ir.Const)
	return lo && hi
}

// watch notes that an instance is seen where its expression is true.
func (x *expander) watch(i *instance) {
	before := len(x.terms)
	x.parts, x.err = 0, nil
	p := ir.Abstract(x, i.expr)
	if x.err != nil {
		x.err = nil
		clear(x.known)
		x.terms = x.terms[:before]
		i.seen.Store(true) // nobody knows
	}
	switch e := p.expr.(type) {
	case *ir.Const:
		i.seen.Store(e.Value != 0)
	case *term:
		e.watched = append(e.watched, i)
	}
}

// warn says of the properties where they say less than they seem to. What was not seen in some runs at random is looked for in all states,
// by look, which reports whether it has seen them all: mostly there is nothing to look for.
func (c *checker) warn(ctx context.Context, r *Report, look func(unseen []*instance) (complete bool, err error)) (err error) {
	defer effort.Catch(&err)
	found := make([][]*watch, len(c.properties))
	var all []*watch
	for i, p := range c.properties {
		r.warnPlainly(&r.Verdicts[i])
		if r.Search.Complete() {
			found[i] = watches(p)
			all = append(all, found[i]...)
		}
	}
	if len(all) == 0 { // as of a system without a protocol
		return nil
	}
	if err := c.sample(ctx, all); err != nil {
		return err
	}
	var unseen []*instance
	for i := range found {
		unseen = append(unseen, c.unseen(&r.Verdicts[i], found[i])...)
	}
	if len(unseen) > 0 {
		if c.subject.Unreduce != nil { // what is left out may show it
			return nil
		}
		if complete, err := look(unseen); err != nil || !complete {
			return err
		}
	}
	for i := range found {
		c.addWarnings(&r.Verdicts[i], found[i])
	}
	return nil
}

// addWarnings adds the warnings about what was not seen to a verdict.
func (c *checker) addWarnings(v *Verdict, list []*watch) {
	for _, w := range c.warnings(v, list) {
		if !slices.Contains(v.Warnings, w) { // a definition may be used twice
			v.Warnings = append(v.Warnings, w)
		}
	}
}

// warnPlainly sets the warnings for which no state has to be looked at.
func (r *Report) warnPlainly(v *Verdict) {
	p := v.Property
	v.Warnings = append(slices.Clone(p.Warnings), v.idle...)
	if r.Search.Complete() && p.Kind == ir.Terminal && r.Search.Deadlocks == 0 && !isFalse(p.Body) { // false says that there shall be none
		v.Warnings = append(v.Warnings, ir.Warning{Pos: p.Pos, Text: "there is no terminal state, so that this says nothing"})
	}
}

// unseen returns the instances of which it matters that they have not been seen.
func (c *checker) unseen(v *Verdict, list []*watch) []*instance {
	var unseen []*instance
	for _, w := range c.dubious(v, list) {
		shown := w.shown()
		for _, i := range w.instances {
			if w.kind == valued || !shown[i.process] {
				unseen = append(unseen, i)
			}
		}
	}
	return unseen
}

// dubious returns the watches that a warning would be about, by what has been seen so far.
func (c *checker) dubious(v *Verdict, list []*watch) []*watch {
	var dubious []*watch
	var matters *watch
	for _, w := range list {
		switch {
		case w.kind == mattered:
			matters = w
		case w.kind == valued && matters.any() && !w.any():
			dubious = append(dubious, w)
		case w.kind == entered && v.Outcome == Holds && speaksOfAll(v.Property.Kind) && slices.Contains(slices.Collect(maps.Values(w.shown())), false):
			dubious = append(dubious, w)
		}
	}
	return dubious
}

// speaksOfAll reports whether properties of a kind are about all states or runs, so that they can hold for want of any.
func speaksOfAll(k ir.PropertyKind) bool { return k == ir.Invariant || k == ir.Terminal || k == ir.LTL }

func (w *watch) any() bool {
	return slices.ContainsFunc(w.instances, func(i *instance) bool { return i.seen.Load() })
}

// shown returns for which processes an instance was seen.
func (w *watch) shown() map[int64]bool {
	shown := map[int64]bool{}
	for _, i := range w.instances {
		shown[i.process] = shown[i.process] || i.seen.Load()
	}
	return shown
}

// warnings returns what no state has shown.
func (c *checker) warnings(v *Verdict, list []*watch) []ir.Warning {
	var warnings []ir.Warning
	for _, w := range c.dubious(v, list) {
		text := "this is false because something in it never has a value where it matters: a variable is not live there, or a message has no such field"
		if w.kind == entered {
			if text = c.never(w); text == "" {
				continue
			}
		}
		warnings = append(warnings, ir.Warning{Pos: w.pos, Text: text})
	}
	return warnings
}

// never warns of an implication whose left side does not hold in any state, or for some processes in none.
func (c *checker) never(w *watch) string {
	const text = "the left side never holds"
	if !w.any() {
		return text + ", so that this says nothing"
	}
	if _, quotient := model.As[model.Quotient](c.subject.searched()); quotient { // a state stands for others, in which other processes are meant
		return ""
	}
	var idle []string
	for p, shown := range w.shown() {
		if !shown {
			idle = append(idle, fmt.Sprintf("%s = %d", w.name, p))
		}
	}
	slices.Sort(idle)
	return fmt.Sprintf("%s for %s, so that this says nothing about it", text, strings.Join(idle, ", "))
}

// How many runs at random are asked whether they show what is watched for, how many of them in a row may show nothing new, and how
// many states of each are looked at.
const (
	sampleRuns  = 32
	sampleIdle  = 4
	sampleSteps = 500
)

// sample takes some runs, always the same, and notes what their states show.
func (c *checker) sample(ctx context.Context, list []*watch) error {
	sys := c.subject.System
	view := sys.NewView()
	env := sys.Protocol().NewEnv(view)
	env.Tick = (&effort.Effort{Context: ctx}).Tick
	fresh := false
	look := func(state []model.Value) (missing bool) {
		view.Show(state)
		for _, w := range list {
			shown := w.shown()
			for _, i := range w.instances {
				if shown[i.process] {
					continue
				}
				missing = true
				if v, err := i.expr.Eval(env); err == nil && v != 0 {
					i.seen.Store(true)
					shown[i.process], fresh = true, true
				}
			}
		}
		return missing
	}
	random := rand.New(rand.NewPCG(1, 1))
	idle := 0
	for range sampleRuns {
		if fresh {
			idle = 0
		}
		if idle++; idle > sampleIdle {
			return nil
		}
		fresh = false
		if missing, err := sampleRun(ctx, sys, random, look); err != nil || !missing {
			return err
		}
	}
	return nil
}

// sampleRun takes one run and reports whether the last look said that there is more to look for.
func sampleRun(ctx context.Context, sys model.System, random *rand.Rand, look func(state []model.Value) bool) (missing bool, err error) {
	state := make([]model.Value, len(sys.Slots()))
	seen := 0
	err = sys.Initial(func(s []model.Value) bool { // the first, and each further one with the right probability among the first 64
		if seen++; random.IntN(seen) == 0 {
			copy(state, s)
		}
		return seen < 64
	})
	groups := sys.Groups()
	in := make([]model.Value, len(state))
	var out model.Successors
	for n := 0; err == nil && n < sampleSteps && ctx.Err() == nil; n++ {
		if missing = look(state); !missing {
			return false, nil
		}
		moved := false
		for _, g := range random.Perm(len(groups)) {
			slots := groups[g].Slots
			for i, s := range slots {
				in[i] = state[s]
			}
			out.Reset(len(slots))
			if sys.Next(g, in[:len(slots)], &out) != nil || out.Len() == 0 {
				continue
			}
			for i, v := range out.Values(random.IntN(out.Len())) {
				state[slots[i]] = v
			}
			moved = true
			break
		}
		if !moved {
			break
		}
	}
	return missing, err
}
