// Package partial evaluates the properties of a protocol where only a part of the state is known: a process, and some
// messages of one channel. The value of an expression is then known to be within bounds.
package partial

import "ringcheck/model/language/ir"

// A State is what is known of a state.
type State struct {
	Process  int
	Local    ir.Local
	Link     int
	Messages []ir.Content // that are in the channel; there can be others too
}

// Excludes reports whether a property's body is true in no state that s is a part of. It errs on the side of false.
func Excludes(p *ir.Protocol, body ir.Expr, s State) bool {
	return ir.Abstract[value](&evaluation{p, s}, body).is(0)
}

// An evaluation is the domain of what is known in one part of a state. A message of type ir.MessageRef is its index in
// State.Messages.
type evaluation struct {
	protocol *ir.Protocol
	state    State
}

// Node implements ir.Domain.
func (e *evaluation) Node(x ir.Expr, of ir.Parts[value]) value {
	parts := of.All()
	switch x := x.(type) {
	case *ir.Const:
		return exactly(x.Value)
	case *ir.Holds:
		return parts[0].holds()
	case *ir.Cond:
		return cond(parts[0], parts[1], parts[2])
	case *ir.Binary:
		return binary(x, parts[0], parts[1])
	case *ir.Unary:
		if x.Op == ir.Not {
			return parts[0].not()
		}
	case *ir.At, *ir.ProcessVar, *ir.MessageIs, *ir.MessageField, *ir.Length:
		return e.look(x, parts[0])
	}
	return constant(x, parts)
}

// constant evaluates what has a value in every state if its parts have.
func constant(x ir.Expr, parts []value) value {
	var known []ir.Expr
	for i, c := range ir.Children(x) {
		if parts[i].none {
			return undefined
		}
		if !parts[i].exact() {
			return anything
		}
		known = append(known, &ir.Const{T: c.Type(), Value: parts[i].lo})
	}
	v, err := ir.WithChildren(x, known).Eval(&ir.Env{})
	if err != nil {
		return anything
	}
	return exactly(v)
}

// look looks at the process, channel or message that is known.
func (e *evaluation) look(x ir.Expr, of value) value {
	if of.none {
		return undefined
	}
	switch x := x.(type) {
	case *ir.At:
		if of.is(int64(e.state.Process)) {
			return truth(e.state.Local.Point.Equation == x.Equation)
		}
		return boolean
	case *ir.ProcessVar:
		if of.is(int64(e.state.Process)) {
			return e.variable(x.Var)
		}
	case *ir.MessageIs:
		if of.exact() {
			return truth(e.state.Messages[of.lo].Message == x.Message)
		}
		return boolean
	case *ir.MessageField:
		if of.exact() {
			return e.field(x, e.state.Messages[of.lo])
		}
	case *ir.Length:
		switch {
		case of.is(-1):
			return exactly(0)
		case of.is(int64(e.state.Link)):
			return value{lo: int64(len(e.state.Messages)), hi: most}
		}
		return value{hi: most}
	}
	return anything
}

func (e *evaluation) variable(v *ir.Var) value {
	for i, live := range e.state.Local.Point.Live {
		if live == v {
			return exactly(e.state.Local.Env[i])
		}
	}
	return undefined
}

func (e *evaluation) field(x *ir.MessageField, m ir.Content) value {
	if i := x.Fields[m.Message.ID]; i >= 0 {
		return exactly(m.Args[i])
	}
	return undefined
}

// Apply implements ir.Domain. A definition has no value if an argument has none.
func (e *evaluation) Apply(x *ir.Apply, args []value, body func([]value) value) value {
	for _, a := range args {
		if !a.certain() {
			return anything
		}
	}
	return body(args)
}

func cond(c, then, otherwise value) value {
	switch {
	case !c.certain():
		return anything
	case c.is(0):
		return otherwise
	case c.lo > 0:
		return then
	}
	return then.or(otherwise)
}

func binary(x *ir.Binary, a, b value) value {
	switch x.Op {
	case ir.And:
		return a.and(b)
	case ir.Or:
		return a.not().and(b.not()).not()
	case ir.Implies:
		return a.and(b.not()).not()
	}
	if a.none || b.none {
		return undefined
	}
	if !a.certain() || !b.certain() {
		return anything
	}
	switch x.Op {
	case ir.Add:
		return a.plus(b)
	case ir.Le:
		return known(b.hi < a.lo, a.hi <= b.lo)
	case ir.Lt:
		return known(b.hi <= a.lo, a.hi < b.lo)
	case ir.Eq:
		return known(a.hi < b.lo || b.hi < a.lo, a.exact() && a == b)
	case ir.Ne:
		return known(a.exact() && a == b, a.hi < b.lo || b.hi < a.lo)
	}
	if a.exact() && b.exact() {
		v, err := x.Apply(a.lo, b.lo)
		if err == nil {
			return exactly(v)
		}
	}
	return anything
}

// widest is how many values of a binder are looked at.
const widest = 1 << 10

// Quantifier implements ir.Domain.
func (e *evaluation) Quantifier(q *ir.Quantifier, domain []value, body func(value) value) value {
	if q.Over != nil {
		return e.messages(q, domain[0], body)
	}
	lo, hi := domain[0], domain[1]
	if !lo.exact() || !hi.exact() || hi.lo >= lo.lo && uint64(hi.lo)-uint64(lo.lo) >= widest {
		return anything
	}
	total := neutral(q)
	for v := lo.lo; v <= hi.lo; v++ {
		total = add(q, total, body(exactly(v)))
	}
	return total
}

// messages is a quantifier over the messages of a channel.
func (e *evaluation) messages(q *ir.Quantifier, over value, body func(value) value) value {
	total := neutral(q)
	switch {
	case !over.certain():
		return anything
	case over.is(-1):
		return total
	case over.is(int64(e.state.Link)):
		for i := range e.state.Messages {
			total = add(q, total, body(exactly(int64(i))))
		}
	}
	return total.or(add(q, total, others(q, body(anything))))
}

// others is what messages that nothing is known of come to, where v is the body for one of them.
func others(q *ir.Quantifier, v value) value {
	switch {
	case q.Op != ir.Sum, v.is(0):
		return v
	case !v.certain() || v.lo < 0:
		return anything
	}
	return value{lo: 0, hi: most}
}

// neutral is what a quantifier over nothing is.
func neutral(q *ir.Quantifier) value { return truth(q.Op == ir.ForAll) }

// add adds the value of the body for one more value of the binder.
func add(q *ir.Quantifier, total, v value) value {
	switch q.Op {
	case ir.ForAll:
		return total.and(v)
	case ir.Exists:
		return total.not().and(v.not()).not()
	}
	if !total.certain() || !v.certain() {
		return anything
	}
	return total.plus(v)
}
