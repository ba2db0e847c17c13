package verify

import "ringcheck/model/language/ir"

// What is told of a part of a state is what can still matter: of the properties and of what is watched for, those
// outcomes that are certain already, whatever the rest of the state is, and, for what is not certain, the outcomes of
// the terms in it that lie in the part. So "if p and q are active, with none between them, then ..." tells nothing of
// the messages around p once p is passive. The fewer classes of parts there are, the fewer pairs of them have to be
// looked at.
//
// A term may be asked for in a larger part only if it, or all that it uses, was told in the smaller ones. That is so
// because what is certain stays certain: whoever comes to a term, from above, in the larger part has come to it in the
// smaller ones, too, or has found it certain there.

// A telling is the outcome of a term in a part.
type telling struct {
	term    *term
	outcome packed
}

// tell returns what is told of a part of which everything is known that was told of its two halves. The list is good
// until the next call.
func (e *evaluation) tell(part span, tops []*term) []telling {
	e.part, e.told = part, e.told[:0]
	for _, t := range tops {
		if t.root || !part.contains(t.span) { // what is watched has been seen or not
			e.visit(t)
		}
	}
	return e.told
}

// visit tells t, or else what it uses and may need.
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

// isOperand reports whether operand and visitOperand know about x.
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

// earlyBinary returns the outcome of an expression one of whose operands may decide.
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
		return 0, false // an error: leave it to those who know all
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
