package ir

import (
	"iter"
	"math"
	"slices"

	"ringcheck/model/language/syntax"
)

// Passing reports whether a process never stays at a point with term t: it continues within the same step.
func Passing(t Term) bool {
	switch t.(type) {
	case *Call, *For, *LoopEnd, *Store:
		return true
	}
	return false
}

// Bounds of what a process decides between two actions. A loop whose body binds its variable may go on for ever.
const (
	MaxRounds = MaxDomain // of loops
	MaxDepth  = 1 << 14   // of choices and alternatives, one behind another
)

// A Binder gives variables their values: an Env, or a binder that can also take the values back.
type Binder interface {
	// Bind sets v. It is an error if the value is not one of v's type; pos is the place of the binding.
	Bind(v *Var, value int64, pos syntax.Pos) error
}

// Bind implements Binder.
func (env *Env) Bind(v *Var, value int64, pos syntax.Pos) error {
	env.Vars[v.ID] = value
	return v.Check(value, pos)
}

// Decide takes the decision at the beginning of a term, which is evaluated in env, and returns the term that follows.
// Where that is the term of a control point, it also returns the point. It returns neither if t is no decision: a
// Stop, a Prefix, a Draw or a Choice. The variables that the decision binds are set by b.
func Decide(t Term, env *Env, b Binder) (next Term, at *Point, err error) {
	switch t := t.(type) {
	case *If:
		cond, err := t.Cond.Eval(env)
		if err != nil || cond != 0 {
			return t.Then, nil, err
		}
		return t.Else, nil, nil
	case *Let:
		value, err := t.Value.Eval(env)
		if err == nil {
			err = b.Bind(t.Var, value, t.Pos)
		}
		return t.Then, nil, err
	case *Call:
		at, err = t.Equation.Start, t.bind(env, b)
	case *For:
		at, err = t.next(env, math.MinInt64, b)
	case *LoopEnd:
		if last := env.Vars[t.Var.ID]; last == math.MaxInt64 {
			at = t.Then
		} else {
			at, err = t.next(env, last+1, b)
		}
	case *Store:
		var value int64
		if value, err = t.Value.Eval(env); err == nil {
			err = b.Bind(t.Var, value, t.Pos)
		}
		at = t.Then
	case *Enter:
		at = t.Point
	default:
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	return at.Term, at, nil
}

// bind binds the parameters of the called equation, after all arguments are evaluated.
func (t *Call) bind(env *Env, b Binder) error {
	var few [8]int64
	values := few[:0]
	for _, a := range t.Args {
		value, err := a.Eval(env)
		if err != nil {
			return err
		}
		values = append(values, value)
	}
	for i, v := range t.Equation.Params {
		if err := b.Bind(v, values[i], t.Pos); err != nil {
			return err
		}
	}
	return nil
}

// next binds the variable to the next value, which is at least from, and returns the beginning of the body. If there is
// no such value, it returns the point after the loop.
func (l *Loop) next(env *Env, from int64, b Binder) (*Point, error) {
	values, err := l.values(env, from)
	if err != nil {
		return nil, err
	}
	for v := range values {
		selected, err := l.selects(v, env)
		if err != nil {
			return nil, err
		}
		if selected {
			return l.Body, b.Bind(l.Var, v, l.Pos)
		}
	}
	return l.Then, nil
}

// selects reports whether a value of the domain satisfies the condition.
func (l *Loop) selects(value int64, env *Env) (bool, error) {
	if l.Where == nil {
		return true, nil
	}
	before := env.Vars[l.Var.ID]
	env.Vars[l.Var.ID] = value
	cond, err := l.Where.Eval(env)
	env.Vars[l.Var.ID] = before
	return cond != 0, err
}

// values returns the values of the domain that are at least from, in ascending order.
func (l *Loop) values(env *Env, from int64) (iter.Seq[int64], error) {
	if l.Set == nil {
		lo, hi, err := evalBoth(l.Lo, l.Hi, env)
		if size, ok := sub(hi, lo); err == nil && lo <= hi && (!ok || size >= MaxDomain) {
			err = errorAt(l.Pos, "%d..%d has too many values to iterate over", lo, hi)
		}
		return func(yield func(int64) bool) {
			for v := max(lo, from); v <= hi && yield(v) && v < hi; v++ {
			}
		}, err
	}
	if n, ok := l.Set.(*Neighbours); ok { // they can be many, and a set of them need not be made for each iteration
		return n.elements(env, from)
	}
	set, err := l.Set.Eval(env)
	if err == nil && l.Set.Type().Wide {
		return atLeast(env.Sets.List(set), from), nil
	}
	return func(yield func(int64) bool) {
		for v := range l.Set.Type().Elements(set) {
			if v >= from && !yield(v) {
				return
			}
		}
	}, err
}

// Resolve returns the control point to which a call leads. Where the called equation is itself only a call, that is
// resolved, too. Resolve binds the parameters in env.
func (t *Call) Resolve(env *Env) (*Point, error) {
	if err := t.bind(env, env); err != nil {
		return nil, err
	}
	return t.Equation.Start.enter(env)
}

// enter returns the control point of a process that begins or recovers at p: p, or where the calls there lead.
func (p *Point) enter(env *Env) (*Point, error) {
	if next, ok := p.Term.(*Call); ok {
		return next.Resolve(env)
	}
	return p, nil
}

// Settle returns the local state that a process reaches without an action: it continues from its control point through
// conditionals, calls and loops to a point where it can act. If an evaluation fails, the result is l; the next action
// reports the error. Values of wide set types refer to sets, which is nil where there are none.
func (p *Protocol) Settle(l Local, sets *Sets) Local {
	rounds := 0
	at, t := settle(l, l.Point.Term, p.localEnv(l, sets), &rounds)
	if t == nil {
		return l
	}
	return at
}

// localEnv returns an environment with the variables that are live in l.
func (p *Protocol) localEnv(l Local, sets *Sets) *Env {
	env := p.NewEnv(nil)
	env.Sets = sets
	l.Load(env)
	return env
}

// settle takes the decisions of a process in l from t on. It returns the last local state on the way in which a process
// can stay, and the first term that is not a decision, nil if an evaluation fails or the rounds of loops, to which it
// adds, exceed MaxRounds.
func settle(l Local, t Term, env *Env, rounds *int) (at Local, _ Term) {
	at = l
	sets := false // whether the next action sets a shared variable, which no local state says
	for {
		switch t := t.(type) {
		case *LoopEnd:
			*rounds++
		case *Let:
			sets = sets || t.Var.Kind == Shared
		}
		next, point, err := Decide(t, env, env)
		switch {
		case err != nil, *rounds > MaxRounds:
			return l, nil
		case next == nil:
			return at, t
		case point != nil && !Passing(next) && !sets:
			at = point.Local(env)
		}
		t = next
	}
}

// Ended reports whether a process never acts again, except by a recovery: its decisions, choices and alternatives all
// lead to a stop, now and after any number of ticks. at is the local state that properties see: the one at the stop; l
// if the process has not ended, or if it is open at which of several stops it will be. sets is as in Settle.
func (p *Protocol) Ended(l Local, sets *Sets) (at Local, ended bool) {
	if acts(l.Point.Term) {
		return l, false
	}
	h := halts{from: l}
	for now, runs := l, true; runs; now, runs = now.Tick() {
		if !h.allStop(l.Point.Term, p.localEnv(now, sets)) {
			return l, false
		}
	}
	if h.several {
		return l, true
	}
	return *h.stop, true
}

// acts reports whether a term is an action, or one of its alternatives is.
func acts(t Term) bool {
	choice, ok := t.(*Choice)
	if ok {
		return slices.ContainsFunc(choice.Terms, acts)
	}
	_, ok = t.(*Prefix)
	return ok
}

// MayStop reports whether a process at a point with term t may have ended, depending on its variables: see Ended.
func MayStop(t Term) bool {
	s := stopSearch{equations: make(map[*Equation]bool), loops: make(map[*Loop]bool)}
	return s.leadsToStop(t)
}

// A stopSearch follows decisions, choices and alternatives, of which all must lead to a stop.
type stopSearch struct {
	equations map[*Equation]bool // the result for each called equation, as far as it is known
	loops     map[*Loop]bool     // those whose body is being searched
}

func (s *stopSearch) leadsToStop(t Term) bool {
	switch t := t.(type) {
	case *Stop:
		return true
	case *If:
		return s.leadsToStop(t.Then) || s.leadsToStop(t.Else)
	case *Let:
		return s.leadsToStop(t.Then)
	case *Draw:
		return t.Choose && s.leadsToStop(t.Then)
	case *Choice:
		never := func(u Term) bool { return !s.leadsToStop(u) }
		return len(t.Terms) > 0 && !slices.ContainsFunc(t.Terms, never)
	case *Call:
		if _, known := s.equations[t.Equation]; !known {
			s.equations[t.Equation] = s.leadsToStop(t.Equation.Start.Term)
		}
		return s.equations[t.Equation]
	case *For:
		return s.loop(t.Loop)
	case *LoopEnd:
		return s.loop(t.Loop)
	}
	return false
}

// loop searches the body of a loop, once, and what follows it.
func (s *stopSearch) loop(l *Loop) bool {
	if s.loops[l] {
		return s.leadsToStop(l.Then.Term)
	}
	s.loops[l] = true
	defer delete(s.loops, l)
	return s.leadsToStop(l.Body.Term) || s.leadsToStop(l.Then.Term)
}

// halts finds the stops to which a process can come without an action.
type halts struct {
	from    Local
	stop    *Local // the first one, nil for no stop
	several bool

	rounds int // of loops
	depth  int // of choices and alternatives
}

// allStop reports whether every way from t leads to a stop.
func (h *halts) allStop(t Term, env *Env) bool {
	if h.depth == MaxDepth {
		return false
	}
	h.depth++
	defer func() { h.depth-- }()
	_, t = settle(h.from, t, env, &h.rounds)
	switch t := t.(type) {
	case *Stop:
		h.add(t.Point.Local(env))
		return true
	case *Draw:
		values, err := t.Support(env)
		if !t.Choose || err != nil {
			return false
		}
		for _, v := range values {
			one := env.clone()
			if one.Bind(t.Var, v.Value, t.Pos) != nil || !h.allStop(t.Then, one) {
				return false
			}
		}
		return len(values) > 0
	case *Choice:
		if acts(t) {
			return false
		}
		for _, u := range t.Terms {
			if !h.allStop(u, env.clone()) {
				return false
			}
		}
		return len(t.Terms) > 0
	}
	return false
}

// add notes a stop. Its lasting variables have their values in from, since no action follows that would set them.
func (h *halts) add(stop Local) {
	for i, v := range stop.Point.Live {
		if value, lasts := h.from.Var(v); lasts && v.Lasting() {
			stop.Env[i] = value
		}
	}
	if h.stop == nil {
		h.stop = &stop
	}
	h.several = h.several || stop.Point != h.stop.Point || !slices.Equal(stop.Env, h.stop.Env)
}

// clone returns a copy of env whose variables can be bound independently.
func (env *Env) clone() *Env {
	c := *env
	c.Vars = slices.Clone(env.Vars)
	return &c
}
