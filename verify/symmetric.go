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
	if ir.Abstract[turned](equivariance{int64(p.N)}, property.Body) != still {
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

// equivariance is the abstract domain of how values turn when the n processes of a ring are rotated.
type equivariance struct{ n int64 }

// Node implements ir.Domain.
func (d equivariance) Node(e ir.Expr, of ir.Parts[turned]) turned {
	parts := of.All()
	switch e := e.(type) {
	case *ir.At, *ir.ProcessVar, *ir.MessageIs, *ir.MessageField, *ir.Length:
		if parts[0] == along {
			return still
		}
		return lost
	case *ir.Inbox, *ir.Neighbour:
		if parts[0] == along && parts[1] == still {
			return along
		}
		return lost
	case *ir.Holds:
		return parts[0]
	case *ir.Convert:
		return d.convert(e, parts[0])
	case *ir.Binary:
		return d.binary(e, parts[0], parts[1])
	case *ir.Cond:
		if parts[0] != still || parts[1] != parts[2] {
			return lost
		}
		return parts[1]
	}
	for _, p := range parts {
		if p != still {
			return lost
		}
	}
	return still
}

// Quantifier implements ir.Domain.
func (d equivariance) Quantifier(q *ir.Quantifier, domain []turned, body func(turned) turned) turned {
	binder := still
	switch {
	case q.Over != nil && domain[0] == along, everyone(q, d.n):
		binder = along
	case q.Over != nil || domain[0] != still || domain[1] != still:
		return lost
	}
	if sum := q.Body.Type(); q.Op == ir.Sum && binder == along && sum.Lo < -large && sum.Hi > 0 {
		return lost
	}
	if body(binder) != still {
		return lost
	}
	return still
}

// large is what sums of numbers below do not leave 64 bits for, since a quantifier has no more than 2^20 values.
const large = 1 << 42

// everyone reports whether q ranges over all of n processes.
func everyone(q *ir.Quantifier, n int64) bool {
	lo, ok := q.Lo.(*ir.Const)
	hi, ok2 := q.Hi.(*ir.Const)
	return ok && ok2 && q.Var.Type.Kind == ir.Node && lo.Value == 0 && hi.Value == n-1
}

// Apply implements ir.Domain.
func (d equivariance) Apply(_ *ir.Apply, args []turned, body func([]turned) turned) turned {
	return body(args)
}

// convert keeps what still fits into the type after any rotation.
func (d equivariance) convert(e *ir.Convert, x turned) turned {
	if x == still || x.kind == round && e.To.Lo <= 0 && e.To.Hi >= d.n-1 {
		return x
	}
	return lost
}

func (d equivariance) binary(e *ir.Binary, x, y turned) turned {
	if x.kind == astray || y.kind == astray {
		return lost
	}
	if x == still && y == still {
		return still
	}
	switch e.Op {
	case ir.Add:
		return turned{modulo, (x.by + y.by) % d.n}
	case ir.Sub:
		return turned{modulo, (x.by - y.by + d.n) % d.n}
	case ir.Mod:
		if c, ok := e.Y.(*ir.Const); ok && c.Value == d.n {
			return turned{round, x.by}
		}
	case ir.Eq, ir.Ne:
		if x == y && x.kind == round {
			return still
		}
	}
	return lost
}
