package verify

import "ringcheck/model/language/ir"

// A failure says in which way evaluating an expression may fail.
type failure int

const (
	never     failure = iota
	undefined         // a variable is not live, or a message has no such field
	somehow
)

// A promise is what can be said of the value of an expression without knowing the state: how it may fail, and if it
// does not, bounds.
type promise struct {
	fails  failure
	lo, hi int64
}

// far is how far a bound may be from 0, so that sums of two are exact.
const far = 1 << 60

// manyMessages is above the number of messages of a channel, and of the values that a quantifier ranges over.
const manyMessages = 1 << 32

// sure reports whether x has a value in every state.
func sure(x ir.Expr) bool { return promised(x).fails == never }

// promised returns what can be said of the value of x. It need not be all.
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

// known reports by never that x is the process, the channel or the message that it says.
func known(x ir.Expr) failure {
	switch x.(type) {
	case *ir.Const, *ir.VarRef:
		return never
	}
	return somehow
}

// bounded returns a promise, or none if the bounds are too far apart to go on with.
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

// promisedCount is of a quantifier over the messages of a channel.
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
