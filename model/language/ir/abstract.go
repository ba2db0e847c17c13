package ir

// A Domain is what an abstract evaluation computes with, in the place of numbers: intervals, say, or what becomes of a
// value when the state is rotated.
type Domain[V any] interface {
	// Node returns the value of an expression that is no Quantifier or Apply, given those of its Children. It is asked of a
	// VarRef only where that is not bound in the expression.
	Node(e Expr, parts []V) V
	// Quantifier returns the value of q. Domain holds the values of Over, or of Lo and Hi; body returns that of Body where
	// the binder has a value.
	Quantifier(q *Quantifier, domain []V, body func(binder V) V) V
	// Apply returns the value of e, given those of the arguments; body returns that of the definition for them.
	Apply(e *Apply, args []V, body func() V) V
}

// Abstract evaluates e in a domain.
func Abstract[V any](d Domain[V], e Expr) V {
	a := abstraction[V]{d, make(map[*Var]V)}
	return a.of(e)
}

// An abstraction is an abstract evaluation, with the values of binders.
type abstraction[V any] struct {
	domain Domain[V]
	bound  map[*Var]V
}

func (a *abstraction[V]) of(e Expr) V {
	switch e := e.(type) {
	case *VarRef:
		if v, ok := a.bound[e.Var]; ok {
			return v
		}
		return a.domain.Node(e, nil)
	case *Quantifier:
		parts := Children(e)
		return a.domain.Quantifier(e, a.all(parts[:len(parts)-1]), func(v V) V {
			a.bound[e.Var] = v
			return a.of(e.Body)
		})
	case *Apply:
		args := a.all(e.Args)
		return a.domain.Apply(e, args, func() V {
			for i, p := range e.Define.Params {
				a.bound[p] = args[i]
			}
			return a.of(e.Define.Body)
		})
	}
	return a.domain.Node(e, a.all(Children(e)))
}

func (a *abstraction[V]) all(list []Expr) []V {
	values := make([]V, len(list))
	for i, e := range list {
		values[i] = a.of(e)
	}
	return values
}
