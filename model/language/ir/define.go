package ir

import (
	"math"
	"slices"

	"ringcheck/model/language/syntax"
)

// Apply is a define applied to arguments.
type Apply struct {
	Define *Define
	Args   []Expr // of the parameters' types
	Pos    syntax.Pos
}

// A Define is a predicate or function of the property section. Its parameters are binders that it does not share.
// Defines are not recursive. Expressions share them, so an expression can be exponentially larger with definitions
// replaced by their bodies: see Size.
type Define struct {
	Name   string
	Params []*Var
	Body   Expr

	size     int64   // as Size returns for Body
	uses     []int64 // by parameter: how often it stands in Body with the definitions in it replaced
	stateful bool    // whether the value depends on the state
}

// NewDefine returns a definition.
func NewDefine(name string, params []*Var, body Expr) *Define {
	d := &Define{Name: name, Params: params, Body: body, size: Size(body), stateful: Stateful(body)}
	for _, p := range params {
		d.uses = append(d.uses, occurrences(body, p))
	}
	return d
}

// Size returns the number of operators and operands of an expression if each definition were replaced by its body, and
// each parameter by the argument; at most [math.MaxInt32].
func Size(e Expr) int64 {
	if e == nil {
		return 0
	}
	apply, ok := e.(*Apply)
	if !ok {
		size := int64(1)
		for _, c := range Children(e) {
			size = saturate(size + Size(c))
		}
		return size
	}
	size := apply.Define.size
	for i, arg := range apply.Args {
		size = saturate(size + apply.Define.uses[i]*(Size(arg)-1)) // in place of the parameter
	}
	return size
}

// Size returns the number of operators and operands of a property: see the function Size.
func (p *Property) Size() int64 {
	size := Size(p.Body)
	if p.Temporal != nil {
		size = saturate(size + p.Temporal.Formula.size())
	}
	return size
}

func (f *Formula) size() int64 {
	if f == nil {
		return 0
	}
	return saturate(1 + Size(f.State) + Size(f.Process) + f.X.size() + f.Y.size())
}

// occurrences returns how often a variable stands in an expression if each definition were replaced by its body.
func occurrences(e Expr, v *Var) int64 {
	if ref, ok := e.(*VarRef); ok && ref.Var == v {
		return 1
	}
	number, apply := int64(0), (*Define)(nil)
	if a, ok := e.(*Apply); ok {
		apply = a.Define
	}
	for i, c := range Children(e) {
		n := occurrences(c, v)
		if apply != nil {
			n *= apply.uses[i]
		}
		number = saturate(number + n)
	}
	return number
}

// saturate returns n, but at most [math.MaxInt32], so that products of two such numbers do not overflow.
func saturate(n int64) int64 { return min(n, math.MaxInt32) }

// Large reports whether the definition is large with those in it replaced by their bodies: Eval then evaluates it only
// once for the same arguments.
func (d *Define) Large() bool { return d.size > 1<<12 }

// Type implements Expr.
func (e *Apply) Type() *Type { return e.Define.Body.Type() }

// Eval evaluates all arguments before it binds any, and then the body.
func (e *Apply) Eval(env *Env) (int64, error) {
	args, err := evalAll(e.Args, env)
	if err != nil {
		return 0, err
	}
	if !e.Define.Large() {
		return e.Define.eval(args, env)
	}
	if env.applied == nil { // an outermost application: the state does not change before it has a value
		env.applied = new(Applications[int64, result])
		defer func() { env.applied = nil }()
	}
	r := env.applied.Of(e.Define, args, func() (r result) {
		r.value, r.err = e.Define.eval(args, env)
		return r
	})
	return r.value, r.err
}

func (d *Define) eval(args []int64, env *Env) (int64, error) {
	for i, p := range d.Params {
		env.Vars[p.ID] = args[i]
	}
	env.tick(1)
	return d.Body.Eval(env)
}

// A result is a value of Eval with its error.
type result struct {
	value int64
	err   error
}

// Applications remembers the values V of definitions for arguments A. The zero Applications is ready to use.
type Applications[A comparable, V any] struct {
	defines map[*Define]*application[A, V]
}

// An application is a definition with its first arguments. It has a value if these are all.
type application[A comparable, V any] struct {
	next  map[A]*application[A, V]
	known bool
	value V
}

// Of returns the value of d for args, which apply computes the first time.
func (m *Applications[A, V]) Of(d *Define, args []A, apply func() V) V {
	a := descend(&m.defines, d)
	for _, arg := range args {
		a = descend(&a.next, arg)
	}
	if !a.known {
		a.value, a.known = apply(), true
	}
	return a.value
}

// descend returns the application for a key, which it adds if it is missing.
func descend[K, A comparable, V any](m *map[K]*application[A, V], key K) *application[A, V] {
	a := (*m)[key]
	if a == nil {
		if *m == nil {
			*m = make(map[K]*application[A, V])
		}
		a = new(application[A, V])
		(*m)[key] = a
	}
	return a
}

// Definitions returns the definitions that are applied in expressions, some of which may be nil, and in one another;
// each once, after the definitions that apply it.
func Definitions(exprs ...Expr) (list []*Define) {
	look := func(e Expr) bool {
		if a, ok := e.(*Apply); ok && !slices.Contains(list, a.Define) {
			list = append(list, a.Define)
		}
		return true
	}
	for _, e := range exprs {
		Walk(e, look)
	}
	for i := 0; i < len(list); i++ {
		Walk(list[i].Body, look)
	}
	return list
}
