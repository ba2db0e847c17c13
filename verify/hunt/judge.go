package hunt

import (
	"context"

	"ringcheck/internal/effort"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
)

// A judge determines which bodies of properties are false in a state. It caches verdicts by classes of local states
// that the properties do not distinguish.
type judge struct {
	effort.Effort
	spec  *compile.System
	goals []*ir.Property
	view  *compile.View
	env   *ir.Env

	vars             map[*ir.Var]bool // the variables that the goals read
	points, channels bool             // whether the goals read control points or channels
	locals           bool             // whether they read where processes are bound for
	classes          []uint64         // by local state: see class
	verdicts         []verdict
}

// A verdict is a cache entry: the verdict on the states with a key.
type verdict struct {
	key     uint64
	broken  uint64 // the goals whose bodies are false
	invalid uint64 // the goals whose bodies have no value
}

// verdicts is the number of verdicts that a judge caches.
const verdicts = 1 << 16

func newJudge(ctx context.Context, sys *compile.System, goals []*ir.Property) *judge {
	j := &judge{Effort: effort.Effort{Context: ctx}, spec: sys, goals: goals, view: sys.NewView(),
		vars: make(map[*ir.Var]bool), verdicts: make([]verdict, verdicts)}
	j.env = sys.Protocol().NewEnv(j.view)
	j.env.Tick = j.Tick
	for _, p := range goals {
		j.look(p.Body)
		for _, d := range ir.Definitions(p.Body) {
			j.look(d.Body)
		}
	}
	return j
}

// look records what an expression reads, without the definitions in it.
func (j *judge) look(e ir.Expr) {
	ir.Walk(e, func(e ir.Expr) bool {
		switch e := e.(type) {
		case *ir.Inbox:
			j.channels = true
		case *ir.At:
			j.points = true
		case *ir.BoundFor:
			j.locals = true
		case *ir.ProcessVar:
			j.vars[e.Var] = true
		}
		return true
	})
}

// class returns a number, not 0, which is the same for local states that the goals do not distinguish.
func (j *judge) class(v model.Value) uint64 {
	c := at(&j.classes, v)
	if *c == 0 {
		l := j.spec.Seen(v)
		if j.locals {
			*c = mix(*c, uint64(v)+1)
		}
		if q := l.Point.Equation; j.points && q != nil {
			*c = mix(*c, uint64(q.ID)+1)
		}
		for i, x := range l.Point.Live {
			if j.vars[x] {
				*c = mix(mix(*c, uint64(x.ID)), uint64(l.Env[i]))
			}
		}
		*c |= 1
	}
	return *c
}

// of returns the verdict on a state.
func (j *judge) of(state []model.Value) *verdict {
	key := uint64(1)
	for i, s := range j.spec.Slots() {
		switch {
		case s.Kind == model.ProcessSlot:
			key = mix(key, j.class(state[i]))
		case s.Kind == model.ChannelSlot && j.channels, s.Kind == model.SharedSlot:
			key = mix(key, uint64(state[i]))
		}
	}
	v := &j.verdicts[key>>8%verdicts]
	if v.key == key {
		return v
	}
	*v = verdict{key: key}
	j.view.Show(state)
	for i, p := range j.goals {
		switch value, err := p.Body.Eval(j.env); {
		case err != nil:
			v.invalid |= 1 << i
		case value == 0:
			v.broken |= 1 << i
		}
	}
	return v
}

// error returns why a property has no value in a state.
func (j *judge) error(state []model.Value, p *ir.Property) error {
	j.view.Show(state)
	_, err := p.Body.Eval(j.env)
	return err
}
