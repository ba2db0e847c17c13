package partial

import "ringcheck/model/language/ir"

// widest is how many values of a binder are looked at.
const widest = 1 << 10

func (e *evaluation) quantifier(q *ir.Quantifier) value {
	if q.Over != nil {
		return e.messages(q)
	}
	lo, hi := e.of(q.Lo), e.of(q.Hi)
	if !lo.exact() || !hi.exact() || hi.lo >= lo.lo && uint64(hi.lo)-uint64(lo.lo) >= widest {
		return anything
	}
	total := neutral(q)
	for v := lo.lo; v <= hi.lo; v++ {
		total = add(q, total, e.body(q, exactly(v)))
	}
	return total
}

// messages is a quantifier over the messages of a channel.
func (e *evaluation) messages(q *ir.Quantifier) value {
	total, over := neutral(q), e.of(q.Over)
	switch {
	case !over.certain():
		return anything
	case over.is(-1):
		return total
	case over.is(int64(e.state.Link)):
		for i := range e.state.Messages {
			total = add(q, total, e.body(q, exactly(int64(i))))
		}
	}
	return total.or(add(q, total, e.others(q)))
}

// others is what messages that nothing is known of come to.
func (e *evaluation) others(q *ir.Quantifier) value {
	v := e.body(q, anything)
	switch {
	case q.Op != ir.Sum, v.is(0):
		return v
	case !v.certain() || v.lo < 0:
		return anything
	}
	return value{lo: 0, hi: most}
}

func (e *evaluation) body(q *ir.Quantifier, v value) value {
	e.bound[q.Var] = v
	return e.of(q.Body)
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
