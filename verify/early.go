package verify

import "ringcheck/model/language/ir"

// What is told of a part of a state is what can still matter: the outcomes of the properties and watched terms that are
// certain whatever the rest of the state is and, for the others, the outcomes of the terms in them that lie in the
// part. So "if p and q are active, with none between them, then ..." tells nothing of the messages around p once p is
// passive. Fewer classes of parts make fewer pairs to join.
//
// A term is asked for in a larger part only if it, or all that it uses, was told in the smaller ones: what is certain
// stays certain, so a visit that reaches the term from above in the larger part reached it in the smaller ones too, or
// found it certain there.

// A telling is the outcome of a term in a part.
type telling struct {
	term    *term
	outcome packed
}

// tell returns what is told of a part, given what was told of its halves. The list is valid until the next call.
func (e *evaluation) tell(part span, tops []*term) []telling {
	e.part, e.told = part, e.told[:0]
	for _, t := range tops {
		if t.root || !part.contains(t.span) { // a watched term in the part has been evaluated
			e.visit(t)
		}
	}
	return e.told
}

// visit tells t if it is certain, else what it uses and may need.
func (e *evaluation) visit(t *term) {
	if e.visited[t.id] == e.now || !e.part.meets(t.span) {
		return
	}
	e.visited[t.id] = e.now
	if p, ok := e.early(t); ok {
		e.told = append(e.told, telling{t, p})
		return
	}
	if c, ok := t.expr.(*ir.Cond); ok {
		if branch, ok := e.branch(c); ok {
			e.visitOperand(c.If)
			e.visitOperand(branch)
			return
		}
	}
	for _, u := range t.uses {
		e.visit(u)
	}
}

func (e *evaluation) visitOperand(x ir.Expr) {
	if t, ok := x.(*term); ok {
		e.visit(t)
	}
}

// early returns the outcome of a term, if it is certain.
func (e *evaluation) early(t *term) (p packed, ok bool) {
	switch {
	case e.since[t.id] == e.now:
		return e.known[t.id], true
	case e.part.contains(t.span):
		return e.value(t), true
	case e.open[t.id] == e.now || !e.part.meets(t.span):
		return 0, false
	}
	switch x := t.expr.(type) {
	case *ir.Binary:
		p, ok = e.earlyBinary(x)
	case *ir.Cond:
		if branch, decided := e.branch(x); decided {
			p, ok = e.operand(branch)
		}
	}
	if ok {
		e.set(t, p)
	} else {
		e.open[t.id] = e.now
	}
	return p, ok
}

// branch returns the branch of a condition that is certain to be taken.
func (e *evaluation) branch(c *ir.Cond) (branch ir.Expr, ok bool) {
	p, ok := e.operand(c.If)
	switch {
	case !ok || p >= special:
		return nil, false
	case p != 0:
		return c.Then, isOperand(c.Then)
	}
	return c.Else, isOperand(c.Else)
}

// isOperand reports whether operand and visitOperand handle x.
func isOperand(x ir.Expr) bool {
	switch x.(type) {
	case *term, *ir.Const:
		return true
	}
	return false
}

// operand returns the outcome of an operand, if it is certain.
func (e *evaluation) operand(x ir.Expr) (p packed, ok bool) {
	switch x := x.(type) {
	case *term:
		return e.early(x)
	case *ir.Const:
		return e.table.pack(x.Value, nil), true
	}
	return 0, false
}

// earlyBinary returns the outcome of an expression that one operand may decide, if it is certain.
func (e *evaluation) earlyBinary(b *ir.Binary) (p packed, ok bool) {
	decisive := packed(0)
	switch b.Op {
	case ir.And, ir.Every, ir.Implies:
	case ir.Or, ir.Some:
		decisive = 1
	default:
		return 0, false
	}
	x, xok := e.operand(b.X)
	if xok && x >= special {
		return 0, false // an error waits for the whole state
	}
	if xok && x == decisive {
		v, _ := b.Decided(int64(x))
		return packed(v), true
	}
	y, yok := e.operand(b.Y)
	switch {
	case xok && yok:
		return y, true
	case yok && y < special && (b.Op == ir.Every || b.Op == ir.Some || sure(b.X)):
		// The left operand makes no difference if this is what it would decide.
		if v, _ := b.Decided(int64(decisive)); packed(v) == y {
			return y, true
		}
	}
	return 0, false
}

// A failure says how evaluating an expression may fail.
type failure int

const (
	never     failure = iota
	undefined         // a variable is not live, or a message has no such field
	somehow
)

// A promise is what is known of an expression in every state: how evaluating it may fail, and else bounds of its value.
type promise struct {
	fails  failure
	lo, hi int64
}

const (
	far          = 1 << 60 // the largest bound, so that sums of two are exact
	manyMessages = 1 << 32 // more than a channel holds, or a quantifier ranges over
)

// sure reports whether x has a value in every state.
func sure(x ir.Expr) bool { return promised(x).fails == never }

// promised returns a promise of x, not necessarily the strongest.
func promised(x ir.Expr) promise {
	switch x := x.(type) {
	case *term:
		return x.promise
	case *ir.Const:
		return bounded(never, x.Value, x.Value)
	case *ir.At:
		return bounded(known(x.Process), 0, 1)
	case *ir.MessageIs:
		return bounded(known(x.Of), 0, 1)
	case *ir.Length:
		return bounded(known(x.Channel), 0, manyMessages)
	case *ir.ProcessVar:
		return promise{max(undefined, known(x.Process)), -far, far}
	case *ir.MessageField:
		return promise{max(undefined, known(x.Of)), -far, far}
	case *ir.Holds:
		p := promised(x.X)
		if p.fails == undefined {
			p.fails = never
		}
		return bounded(p.fails, 0, 1)
	case *ir.Quantifier:
		return promisedCount(x)
	case *ir.Cond:
		c, y, z := promised(x.If), promised(x.Then), promised(x.Else)
		return bounded(max(c.fails, y.fails, z.fails), min(y.lo, z.lo), max(y.hi, z.hi))
	case *ir.Binary:
		return promisedBinary(x)
	}
	return promise{fails: somehow}
}

// known returns never if x is certain to denote a process, a channel or a message.
func known(x ir.Expr) failure {
	switch x.(type) {
	case *ir.Const, *ir.VarRef:
		return never
	}
	return somehow
}

// bounded returns a promise, the weakest one if a bound is too large.
func bounded(fails failure, lo, hi int64) promise {
	if lo < -far || hi > far {
		return promise{fails: somehow}
	}
	return promise{fails, lo, hi}
}

func promisedBinary(x *ir.Binary) promise {
	l, r := promised(x.X), promised(x.Y)
	fails := max(l.fails, r.fails)
	switch x.Op {
	case ir.And, ir.Or, ir.Implies, ir.Every, ir.Some, ir.Eq, ir.Ne, ir.Lt, ir.Le:
		return bounded(fails, 0, 1)
	case ir.Add:
		return bounded(fails, l.lo+r.lo, l.hi+r.hi)
	}
	return promise{fails: somehow}
}

// promisedCount returns the promise of a quantifier over the messages of a channel.
func promisedCount(q *ir.Quantifier) promise {
	body := promised(q.Body)
	if q.Over == nil || known(q.Over) != never {
		return promise{fails: somehow}
	}
	switch {
	case q.Op == ir.ForAll || q.Op == ir.Exists:
		return bounded(body.fails, 0, 1)
	case q.Op == ir.Sum && 0 <= body.lo && body.hi <= 1:
		return bounded(body.fails, 0, manyMessages)
	}
	return promise{fails: somehow}
}
