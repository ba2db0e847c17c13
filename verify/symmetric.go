package verify

import (
	"errors"
	"fmt"

	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
)

// ErrAsymmetric means that a property need not have the same value in a state and in its rotations.
var ErrAsymmetric = errors.New("the property tells processes apart by their numbers")

// Symmetric returns an error that wraps ErrAsymmetric unless the form of a property of sys shows that it has the same
// value in a state of a ring and in all rotations of it, or that it has none in any of them, since evaluating it fails.
// It has if it gets at processes only by quantifiers over all of them and by their distance from one another, as in
// (p + d) mod n. The order in which a quantifier asks does not matter: a value that decides does so whatever fails, and
// sums are refused whose parts can leave 64 bits while the whole does not.
func Symmetric(property *ir.Property, sys *compile.System) error {
	p := sys.Protocol()
	if p.N == 1 {
		return nil
	}
	t := &turner{n: int64(p.N), bound: make(map[*ir.Var]turned)}
	if t.of(property.Body) != still {
		return fmt.Errorf("%s: property %s: %w", property.Pos, property.Name, ErrAsymmetric)
	}
	return nil
}

// turned says what becomes of the value of an expression when the state is rotated by one place.
type turned struct {
	kind turning
	by   int64 // below the number of processes
}

type turning int

const (
	// A value that is anything afterwards.
	astray turning = iota
	// A process number v that becomes (v + by) mod n, or a channel or message that becomes the corresponding one.
	// With by = 0 a value of any type that stays what it is.
	round
	// A number that becomes one that is equal to it plus by modulo n.
	modulo
)

var (
	still = turned{kind: round}
	along = turned{kind: round, by: 1}
	lost  = turned{}
)

// A turner finds out how values turn.
type turner struct {
	n     int64
	bound map[*ir.Var]turned
}

func (t *turner) of(e ir.Expr) turned {
	switch e := e.(type) {
	case *ir.Const:
		return still
	case *ir.VarRef:
		return t.bound[e.Var]
	case *ir.Quantifier:
		return t.quantifier(e)
	case *ir.At:
		return t.need(along, e.Process, still)
	case *ir.ProcessVar:
		return t.need(along, e.Process, still)
	case *ir.MessageIs:
		return t.need(along, e.Of, still)
	case *ir.MessageField:
		return t.need(along, e.Of, still)
	case *ir.Length:
		return t.need(along, e.Channel, still)
	case *ir.Inbox:
		return t.beside(e.Process, e.Source)
	case *ir.Neighbour:
		return t.beside(e.Process, e.Side)
	case *ir.Apply:
		return t.apply(e)
	case *ir.Holds:
		return t.of(e.X)
	case *ir.Convert:
		return t.convert(e)
	case *ir.Binary:
		return t.binary(e)
	case *ir.Cond:
		return t.cond(e)
	}
	for _, c := range ir.Children(e) {
		if t.of(c) != still {
			return lost
		}
	}
	return still
}

// need returns the given result if e turns as it has to.
func (t *turner) need(as turned, e ir.Expr, result turned) turned {
	if t.of(e) != as {
		return lost
	}
	return result
}

// beside is what is on one side of a process.
func (t *turner) beside(process, side ir.Expr) turned {
	return t.need(still, side, t.need(along, process, along))
}

func (t *turner) quantifier(q *ir.Quantifier) turned {
	switch {
	case q.Over != nil && t.of(q.Over) == along, everyone(q, t.n):
		t.bound[q.Var] = along
	case q.Over == nil && t.of(q.Lo) == still && t.of(q.Hi) == still:
		t.bound[q.Var] = still
	default:
		return lost
	}
	if body := q.Body.Type(); q.Op == ir.Sum && t.bound[q.Var] == along && body.Lo < -large && body.Hi > 0 {
		return lost
	}
	return t.need(still, q.Body, still)
}

// large is what sums of numbers below do not leave 64 bits for, since a quantifier has no more than 2^20 values.
const large = 1 << 42

// everyone reports whether q ranges over all of n processes.
func everyone(q *ir.Quantifier, n int64) bool {
	lo, ok := q.Lo.(*ir.Const)
	hi, ok2 := q.Hi.(*ir.Const)
	return ok && ok2 && q.Var.Type.Kind == ir.Node && lo.Value == 0 && hi.Value == n-1
}

// apply looks into a definition with its parameters as the arguments are.
func (t *turner) apply(e *ir.Apply) turned {
	args := make([]turned, len(e.Args))
	for i, a := range e.Args {
		args[i] = t.of(a)
	}
	for i, p := range e.Define.Params {
		t.bound[p] = args[i]
	}
	return t.of(e.Define.Body)
}

// convert keeps what still fits into the type after any rotation.
func (t *turner) convert(e *ir.Convert) turned {
	x := t.of(e.X)
	if x == still || x.kind == round && e.To.Lo <= 0 && e.To.Hi >= t.n-1 {
		return x
	}
	return lost
}

func (t *turner) binary(e *ir.Binary) turned {
	x, y := t.of(e.X), t.of(e.Y)
	if x.kind == astray || y.kind == astray {
		return lost
	}
	if x == still && y == still {
		return still
	}
	switch e.Op {
	case ir.Add:
		return turned{modulo, (x.by + y.by) % t.n}
	case ir.Sub:
		return turned{modulo, (x.by - y.by + t.n) % t.n}
	case ir.Mod:
		if c, ok := e.Y.(*ir.Const); ok && c.Value == t.n {
			return turned{round, x.by}
		}
	case ir.Eq, ir.Ne:
		if x == y && x.kind == round {
			return still
		}
	}
	return lost
}

// cond is as both branches are.
func (t *turner) cond(e *ir.Cond) turned {
	then, otherwise := t.of(e.Then), t.of(e.Else)
	if t.of(e.If) != still || then != otherwise {
		return lost
	}
	return then
}
