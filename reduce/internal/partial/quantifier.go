package partial

import "ringcheck/model/language/ir"

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
