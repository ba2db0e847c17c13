package symbolic

import (
	"context"
	"math/big"

	"ringcheck/model"
)

// A Size is that of a set of states.
type Size struct {
	States *big.Int
	Nodes  int64 // of its diagram
	Arcs   int64
}

// Prefix returns the size of the set of the states at a distance of at most i from the initial ones, for each i below levels, as
// far as there are more: how a diagram grows while the states do. It ends early, without an error, when it is stopped.
func Prefix(ctx context.Context, sys model.System, opt Options, levels int) ([]Size, error) {
	s, err := newSearch(sys, opt)
	if err != nil {
		return nil, err
	}
	defer s.store.Close()
	var sizes []Size
	s.run(ctx, func(w *worker) {
		if err = w.start(); err != nil {
			return
		}
		for len(sizes) < levels && w.deeper() {
			c := take(s.store, w.seen, len(s.order), s.store.Halted)
			if c == nil {
				return
			}
			sizes = append(sizes, Size{c.total(), c.nodes(), c.arcs})
		}
	})
	return sizes, err
}
