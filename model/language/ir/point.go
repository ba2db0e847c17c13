package ir

import "slices"

// Tick returns the local state after one tick, which decrements the timers, and whether it differs from l.
func (l Local) Tick() (later Local, changed bool) {
	later = Local{Point: l.Point, Env: slices.Clone(l.Env)}
	for i, v := range l.Point.Live {
		if v.Kind == Timer && l.Env[i] > 0 {
			later.Env[i]--
			changed = true
		}
	}
	return later, changed
}

// NewEnv returns an environment for expressions of p. Only expressions of properties and of processes that read
// registers need state, which may be nil.
func (p *Protocol) NewEnv(state View) *Env {
	return &Env{Vars: make([]int64, p.EnvSize), State: state}
}

// Var returns the value of v, and whether it is live.
func (l Local) Var(v *Var) (int64, bool) {
	for i, x := range l.Point.Live {
		if x == v {
			return l.Env[i], true
		}
	}
	return 0, false
}

// Set copies the lasting variables from env: only they can change while a process stays at its point.
func (l Local) Set(env *Env) {
	for i, v := range l.Point.Live {
		if v.Lasting() {
			l.Env[i] = env.Vars[v.ID]
		}
	}
}

// Load puts the values of a control point's live variables into env.
func (l Local) Load(env *Env) {
	for i, v := range l.Point.Live {
		env.Vars[v.ID] = l.Env[i]
	}
}

// Local returns the local state at p with the values that its live variables have in env.
func (p *Point) Local(env *Env) Local {
	l := Local{Point: p, Env: make([]int64, len(p.Live))}
	for i, v := range p.Live {
		l.Env[i] = env.Vars[v.ID]
	}
	return l
}
