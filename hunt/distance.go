package hunt

import (
	"context"

	"ringcheck/internal/effort"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/verify"
)

// A gauge says which properties a state breaks, and how far it is from breaking one of them: the branch distance of
// search-based testing (Tracey, Clark, Mander, McDermid 1998). It remembers some of what it has said.
type gauge struct {
	effort.Effort
	spec  *compile.System
	goals []*ir.Property
	view  *compile.View
	env   *ir.Env
	vars  map[*ir.Var]bool // what the goals look at: variables,
	// control points, and channels
	points, channels bool
	classes          []uint64 // by local state: see class
	known            []reading
	profile          uint64 // of the reading that is being made
}

// A reading is what a gauge says of a state.
type reading struct {
	key     uint64 // of what the goals look at
	broken  uint64 // a set of goals
	far     distance
	profile uint64 // of what the focus compares
	invalid error  // why a terminal property has no value, which matters in states without transitions only
}

// A distance is how much of a formula is not as it must be.
type distance int32

const (
	unit distance = 8       // of something that just is not so
	most distance = 1 << 20 // of a formula

	readings = 1 << 16
)

func newGauge(ctx context.Context, sys *compile.System, goals []*ir.Property) *gauge {
	g := &gauge{Effort: effort.Effort{Context: ctx}, spec: sys, goals: goals, view: sys.NewView(),
		vars: make(map[*ir.Var]bool), known: make([]reading, readings)}
	g.env = sys.Protocol().NewEnv(g.view)
	g.env.Tick = g.Tick
	for _, p := range goals {
		g.look(p.Body)
	}
	return g
}

// look takes note of what an expression looks at.
func (g *gauge) look(e ir.Expr) {
	ir.Walk(e, func(e ir.Expr) bool {
		switch e := e.(type) {
		case *ir.Inbox:
			g.channels = true
		case *ir.At:
			g.points = true
		case *ir.ProcessVar:
			g.vars[e.Var] = true
		case *ir.Apply:
			g.look(e.Define.Body)
		}
		return true
	})
}

// class returns the same number, not 0, for local states that are the same to the goals.
func (g *gauge) class(v model.Value) uint64 {
	c := at(&g.classes, v)
	if *c == 0 {
		l := g.spec.Seen(v)
		if q := l.Point.Equation; g.points && q != nil {
			*c = mix(*c, uint64(q.ID)+1)
		}
		for i, x := range l.Point.Live {
			if g.vars[x] {
				*c = mix(mix(*c, uint64(x.ID)), uint64(l.Env[i]))
			}
		}
		*c |= 1
	}
	return *c
}

// of reads a state. The distance is 0 and the profile arbitrary if there is no focus: it is -1.
func (g *gauge) of(state []model.Value, focus int) *reading {
	key := uint64(focus + 2)
	for i, s := range g.spec.Slots() {
		switch {
		case s.Kind == model.ProcessSlot:
			key = mix(key, g.class(state[i]))
		case s.Kind == model.ChannelSlot && g.channels:
			key = mix(key, uint64(state[i]))
		}
	}
	r := &g.known[key>>8%readings]
	if r.key == key {
		return r
	}
	*r = reading{key: key}
	g.view.Show(state)
	for i, p := range g.goals {
		v, err := p.Body.Eval(g.env)
		switch {
		case err == nil && v == 0:
			r.broken |= 1 << i
		case err != nil && p.Kind == ir.Terminal:
			r.invalid = &verify.EvalError{Property: p, Err: err}
		case err != nil:
			effort.Try(&verify.EvalError{Property: p, Err: err})
		}
	}
	if focus >= 0 {
		g.profile = 1
		r.far, r.profile = g.verdict(g.goals[focus].Body).no, g.profile
	}
	return r
}

// A verdict says how far an expression is from being true and from being false. One of these is 0.
type verdict struct{ yes, no distance }

func (v verdict) not() verdict { return verdict{v.no, v.yes} }

func (v verdict) and(w verdict) verdict { return verdict{min(v.yes+w.yes, most), min(v.no, w.no)} }

func (g *gauge) verdict(e ir.Expr) verdict {
	switch e := e.(type) {
	case *ir.Unary:
		if e.Op == ir.Not {
			return g.verdict(e.X).not()
		}
	case *ir.Binary:
		switch e.Op {
		case ir.And, ir.Every:
			return g.verdict(e.X).and(g.verdict(e.Y))
		case ir.Or, ir.Some:
			return g.verdict(e.X).not().and(g.verdict(e.Y).not()).not()
		case ir.Implies:
			return g.verdict(e.X).and(g.verdict(e.Y).not()).not()
		}
	case *ir.Cond:
		if v, err := e.If.Eval(g.env); err == nil && v != 0 {
			return g.verdict(e.Then)
		}
		return g.verdict(e.Else)
	case *ir.Quantifier:
		if e.Op == ir.ForAll || e.Op == ir.Exists {
			return g.quantified(e)
		}
	case *ir.Apply:
		args := make([]int64, len(e.Args))
		for i, a := range e.Args {
			args[i], _ = a.Eval(g.env)
		}
		for i, p := range e.Define.Params {
			g.env.Vars[p.ID] = args[i]
		}
		return g.verdict(e.Define.Body)
	case *ir.Holds:
		if b, ok := e.X.(*ir.Binary); ok && (b.X.Type().Kind == ir.Int || b.X.Type().Kind == ir.Node) {
			return g.compared(e, b)
		}
		return g.verdict(e.X)
	}
	v, err := e.Eval(g.env)
	return g.atom(err == nil && v != 0, 1)
}

// quantified is the verdict on a quantifier: it is a conjunction of its instances, or a disjunction.
func (g *gauge) quantified(e *ir.Quantifier) verdict {
	lo, hi, err := e.Domain(g.env)
	if err != nil {
		return g.atom(false, 1)
	}
	all := verdict{no: most}
	for v := lo; v <= hi; v++ {
		g.Tick()
		g.env.Vars[e.Var.ID] = v
		if one := g.verdict(e.Body); e.Op == ir.ForAll {
			all = all.and(one)
		} else {
			all = all.and(one.not())
		}
	}
	if e.Op == ir.ForAll {
		return all
	}
	return all.not()
}

// compared is the verdict on a comparison of numbers.
func (g *gauge) compared(e *ir.Holds, b *ir.Binary) verdict {
	x, err := b.X.Eval(g.env)
	y, err2 := b.Y.Eval(g.env)
	if err != nil || err2 != nil {
		return g.atom(false, 1)
	}
	switch d := x - y; b.Op {
	case ir.Eq:
		return g.atom(d == 0, max(d, -d))
	case ir.Ne:
		return g.atom(d != 0, max(d, -d))
	case ir.Le:
		return g.atom(d <= 0, max(d, 1-d))
	case ir.Lt:
		return g.atom(d < 0, max(d+1, -d))
	}
	v, err := e.Eval(g.env)
	return g.atom(err == nil && v != 0, 1)
}

// atom is the verdict on what is true or false by some margin.
func (g *gauge) atom(is bool, margin int64) verdict {
	g.profile = mix(g.profile, uint64(margin)<<1)
	v := verdict{yes: unit + distance(min(max(margin, 1)-1, 16))}
	if is {
		g.profile = mix(g.profile, 1)
		return v.not()
	}
	return v
}
