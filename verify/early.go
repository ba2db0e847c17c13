package verify

import "ringcheck/model/language/ir"

// The summary of a part of a state is the information in it that can still be relevant: the outcomes of the properties
// and watched terms that do not depend on the rest of the state and, for the others, the outcomes of their terms in the
// part. For "if p and q are active, with none between them, then ..." it contains nothing about the messages around p
// if p is passive. With fewer classes of parts there are fewer pairs to join.
//
// A term is needed in a larger part only if it, or all that it uses, is in the summaries of the smaller ones: what is
// certain stays certain, so a visit that reaches the term from above in the larger part also reached it in the smaller
// ones, or found it certain there.

// A termOutcome is the outcome of a term in a part.
type termOutcome struct {
	term    *term
	outcome packedOutcome
}

// summarize returns the summary of a part; the summaries of its halves have been loaded. The list is valid until the
// next call.
func (e *evaluation) summarize(part span, tops []*term) []termOutcome {
	e.part, e.summary = part, e.summary[:0]
	for _, t := range tops {
		if t.root || !part.contains(t.span) { // a watched term in the part has been evaluated
			e.visit(t)
		}
	}
	return e.summary
}

// visit adds t to the summary if it is certain, otherwise the terms that it may need.
func (e *evaluation) visit(t *term) {
	if e.visited[t.id] == e.now || !e.part.meets(t.span) {
		return
	}
	e.visited[t.id] = e.now
	if p, ok := e.certain(t); ok {
		e.summary = append(e.summary, termOutcome{t, p})
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

// certain returns the outcome of a term, if it is certain.
func (e *evaluation) certain(t *term) (p packedOutcome, ok bool) {
	switch {
	case e.knownSince[t.id] == e.now:
		return e.outcomes[t.id], true
	case e.part.contains(t.span):
		return e.value(t), true
	case e.open[t.id] == e.now || !e.part.meets(t.span):
		return 0, false
	}
	switch x := t.expr.(type) {
	case *ir.Binary:
		p, ok = e.certainBinary(x)
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
func (e *evaluation) operand(x ir.Expr) (p packedOutcome, ok bool) {
	switch x := x.(type) {
	case *term:
		return e.certain(x)
	case *ir.Const:
		return e.table.pack(x.Value, nil), true
	}
	return 0, false
}

// certainBinary returns the outcome of an expression that one operand may decide, if it is certain.
func (e *evaluation) certainBinary(b *ir.Binary) (p packedOutcome, ok bool) {
	decisive := packedOutcome(0)
	switch b.Op {
	case ir.And, ir.Every, ir.Implies:
	case ir.Or, ir.Some:
		decisive = 1
	default:
		return 0, false
	}
	x, xok := e.operand(b.X)
	if xok && x >= special {
		return 0, false // errors are reported only for whole states
	}
	if xok && x == decisive {
		v, _ := b.DecideLeft(int64(x))
		return packedOutcome(v), true
	}
	y, yok := e.operand(b.Y)
	switch {
	case xok && yok:
		return y, true
	case yok && y < special && (b.Op == ir.Every || b.Op == ir.Some || alwaysDefined(b.X)):
		// The left operand has no influence if it could only decide the same.
		if v, _ := b.DecideLeft(int64(decisive)); packedOutcome(v) == y {
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

// A valueRange holds in every state: how the evaluation of an expression may fail, and bounds on its value.
type valueRange struct {
	fails  failure
	lo, hi int64
}

const (
	maxBound     = 1 << 60 // the greatest bound: sums of two do not overflow
	manyMessages = 1 << 32 // more than the messages in a channel or the values of a quantifier
)

// alwaysDefined reports whether x has a value in every state.
func alwaysDefined(x ir.Expr) bool { return rangeOf(x).fails == never }

// rangeOf returns a range for x, not necessarily the smallest.
func rangeOf(x ir.Expr) valueRange {
	switch x := x.(type) {
	case *term:
		return x.values
	case *ir.Const:
		return bounded(never, x.Value, x.Value)
	case *ownAction:
		return bounded(never, 0, 1)
	case *ir.At:
		return bounded(neverFails(x.Process), 0, 1)
	case *ir.BoundFor:
		return bounded(neverFails(x.Process), 0, 1)
	case *ir.MessageIs:
		return bounded(neverFails(x.Of), 0, 1)
	case *ir.Length:
		return bounded(neverFails(x.Channel), 0, manyMessages)
	case *ir.SharedVar:
		return valueRange{never, -maxBound, maxBound}
	case *ir.ProcessVar:
		return valueRange{max(undefined, neverFails(x.Process)), -maxBound, maxBound}
	case *ir.MessageField:
		return valueRange{max(undefined, neverFails(x.Of)), -maxBound, maxBound}
	case *ir.Holds:
		p := rangeOf(x.X)
		if p.fails == undefined {
			p.fails = never
		}
		return bounded(p.fails, 0, 1)
	case *ir.Quantifier:
		return rangeOfCount(x)
	case *ir.Cond:
		c, y, z := rangeOf(x.If), rangeOf(x.Then), rangeOf(x.Else)
		return bounded(max(c.fails, y.fails, z.fails), min(y.lo, z.lo), max(y.hi, z.hi))
	case *ir.Binary:
		return rangeOfBinary(x)
	}
	return valueRange{fails: somehow}
}

// neverFails returns never if x denotes a process, a channel or a message in every state.
func neverFails(x ir.Expr) failure {
	switch x.(type) {
	case *ir.Const, *ir.VarRef:
		return never
	}
	return somehow
}

// bounded returns a range, the weakest one if a bound is too large.
func bounded(fails failure, lo, hi int64) valueRange {
	if lo < -maxBound || hi > maxBound {
		return valueRange{fails: somehow}
	}
	return valueRange{fails, lo, hi}
}

func rangeOfBinary(x *ir.Binary) valueRange {
	l, r := rangeOf(x.X), rangeOf(x.Y)
	fails := max(l.fails, r.fails)
	switch x.Op {
	case ir.And, ir.Or, ir.Implies, ir.Every, ir.Some, ir.Eq, ir.Ne, ir.Lt, ir.Le:
		return bounded(fails, 0, 1)
	case ir.Add:
		return bounded(fails, l.lo+r.lo, l.hi+r.hi)
	}
	return valueRange{fails: somehow}
}

// rangeOfCount returns the range of a quantifier over the messages of a channel.
func rangeOfCount(q *ir.Quantifier) valueRange {
	body := rangeOf(q.Body)
	if q.Over == nil || neverFails(q.Over) != never {
		return valueRange{fails: somehow}
	}
	switch {
	case q.Op == ir.ForAll || q.Op == ir.Exists:
		return bounded(body.fails, 0, 1)
	case q.Op == ir.Sum && 0 <= body.lo && body.hi <= 1:
		return bounded(body.fails, 0, manyMessages)
	}
	return valueRange{fails: somehow}
}
