package ir

// Resolve returns the control point that a process is in after the step that leads to p: p itself, or, as
// long as its term is a call, the start of the called equation. It binds the parameters in env, which holds
// the variables at p.
func (p *Point) Resolve(env *Env) (*Point, error) {
	for {
		call, ok := p.Term.(*Call)
		if !ok {
			return p, nil
		}
		if err := call.bind(env); err != nil {
			return nil, err
		}
		p = call.Equation.Start
	}
}

// bind evaluates the arguments, all before any is bound.
func (t *Call) bind(env *Env) error {
	args := make([]int64, len(t.Args))
	for i, a := range t.Args {
		v, err := a.Eval(env)
		if err != nil {
			return err
		}
		args[i] = v
	}
	for i, v := range t.Equation.Params {
		env.Vars[v.ID] = args[i]
	}
	return nil
}

// NewEnv returns an environment for expressions of p. State is for those of properties; it may be nil.
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

// Load puts the values of a control point's live variables into env.
func (l Local) Load(env *Env) {
	for i, v := range l.Point.Live {
		env.Vars[v.ID] = l.Env[i]
	}
}

// Local returns the point with the values that its live variables have in env.
func (p *Point) Local(env *Env) Local {
	l := Local{Point: p, Env: make([]int64, len(p.Live))}
	for i, v := range p.Live {
		l.Env[i] = env.Vars[v.ID]
	}
	return l
}
