package bisim

import (
	"context"
	"errors"
	"fmt"

	"ringcheck/lts"
)

// A Comparison says whether two systems are equivalent, and if not why.
type Comparison struct {
	Equivalent bool
	// Formula, if they are not equivalent, holds in the first system and not in the second.
	Formula *Formula
	// Trace, if not nil, is a shortest trace that one of the systems can do and the other cannot. There may
	// be none, since systems with the same traces can differ in when they decide, or none was found in
	// bounded time. τ's are left out unless the equivalence is Strong.
	Trace []string
	// TraceOfFirst says that the first system can do Trace; else the second can.
	TraceOfFirst bool
}

// ErrUnconfirmed reports a difference that was found but did not hold when it was checked: a mistake in this
// package.
var ErrUnconfirmed = errors.New("internal error: the difference found between the systems could not be confirmed")

// Compare decides whether the initial states of a and b are equivalent. A difference is confirmed on a and b
// themselves by a model checker before it is returned.
func Compare(ctx context.Context, a, b *lts.LTS, e Equivalence, o Options) (*Comparison, error) {
	q, x, y, err := sideBySide(ctx, a, b, e, o)
	if err != nil {
		return nil, err
	}
	if x == y {
		return &Comparison{Equivalent: true}, nil
	}
	f, err := distinguish(ctx, q, e, x, y)
	if err != nil {
		return nil, err
	}
	if !Holds(a, f) || Holds(b, f) {
		return nil, fmt.Errorf("%w: %v", ErrUnconfirmed, f)
	}
	c := &Comparison{Formula: f}
	if trace, ofFirst, ok := distinguishingTrace(q, e, x, y); ok {
		if Admits(a, e, trace) != ofFirst || Admits(b, e, trace) == ofFirst {
			return nil, fmt.Errorf("%w: trace %q", ErrUnconfirmed, trace)
		}
		c.Trace, c.TraceOfFirst = trace, ofFirst
	}
	return c, nil
}

// sideBySide returns the quotient of a and b together, and their initial states in it.
func sideBySide(ctx context.Context, a, b *lts.LTS, e Equivalence, o Options) (q *lts.LTS, x, y uint32, err error) {
	small := [2]*lts.LTS{a, b}
	for i, l := range small {
		if small[i], _, err = Minimize(ctx, l, e, o); err != nil {
			return nil, 0, 0, err
		}
	}
	u, err := union(small[0], small[1])
	if err != nil {
		return nil, 0, 0, fmt.Errorf("comparing systems: %w", err)
	}
	q, p, err := Minimize(ctx, u, e, o)
	if err != nil {
		return nil, 0, 0, err
	}
	return q, p.Of[small[0].Initial()], p.Of[uint32(small[0].States())+small[1].Initial()], nil
}

// union puts two systems side by side: the states of b are numbered behind those of a.
func union(a, b *lts.LTS) (*lts.LTS, error) {
	if uint64(a.States())+uint64(b.States()) > lts.MaxStates {
		return nil, lts.ErrTooLarge
	}
	u := lts.NewBuilder()
	out := u.Appender()
	var row []lts.Edge
	shift := uint32(0)
	for _, l := range []*lts.LTS{a, b} {
		translate := newTranslator(l, u)
		for s := range uint32(l.States()) {
			row = append(row[:0], l.Out(s)...)
			translate.row(row)
			for i := range row {
				row[i].To += shift
			}
			out.Add(shift+s, row...)
		}
		shift += uint32(l.States())
	}
	return u.Build(a.Initial(), int(shift))
}
