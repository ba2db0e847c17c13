package hunt

import (
	"context"
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/replay"
)

// Shorten returns a run that ends with the violation of a property as a given one does, with as many steps or fewer:
// steps are left out that the others do not need (replay.Run.Shorten), and parts are replaced by shorter ways between
// their ends, in turns until neither helps or ctx ends. It need not be a shortest run.
func Shorten(ctx context.Context, sys *compile.System, p *ir.Property, moves []model.Move) ([]model.Move, error) {
	for ctx.Err() == nil {
		before := len(moves)
		run, err := replay.FromMoves(sys, moves)
		if err != nil {
			return nil, err
		}
		all := slices.Repeat([]bool{true}, len(run.Steps))
		run = run.Shorten(ctx, all, replay.Fault{End: p.Kind == ir.Terminal, Is: func(s *replay.State) (bool, error) {
			v, err := p.Body.Eval(sys.Protocol().NewEnv(s))
			return err == nil && v == 0, nil
		}})
		if ctx.Err() != nil {
			break
		}
		if moves, err = run.Moves(ctx, sys); err != nil {
			return nil, err
		}
		if moves, err = shortcuts(ctx, sys, moves); err != nil {
			return nil, err
		}
		if len(moves) >= before {
			break
		}
	}
	return moves, nil
}

// window is how many states are met to find a shortcut.
const window = 2000

// shortcuts replaces parts of a run by the shortest ways between their ends that a search from each state meets.
func shortcuts(ctx context.Context, sys *compile.System, moves []model.Move) ([]model.Move, error) {
	w := newWalker(sys, nil)
	for i := 0; i < len(moves) && ctx.Err() == nil; i++ {
		later := make(map[uint64]int)
		for j := range moves[i+1:] {
			later[hash(1, moves[i+1+j].State)] = i + 1 + j
		}
		way, to := w.shortcut(moves[i].State, later, i)
		if way != nil {
			moves = slices.Concat(moves[:i+1], way, moves[to+1:])
		}
	}
	return moves, nil
}

// shortcut looks for a way from a state to a later one of a run that saves most steps, and returns it.
func (w *walker) shortcut(from []model.Value, later map[uint64]int, at int) (way []model.Move, to int) {
	type met struct {
		move   model.Move
		parent int
		length int
	}
	list := []met{{move: model.Move{State: from}}}
	known := map[uint64]bool{hash(1, from): true}
	best, saved := -1, 0
	for n := 0; n < len(list) && len(list) < window; n++ {
		w.goTo(list[n].move.State)
		for _, e := range w.enabled {
			state := make([]model.Value, len(from))
			w.target(e, state)
			key := hash(1, state)
			if known[key] {
				continue
			}
			known[key] = true
			list = append(list, met{model.Move{Step: w.step(e), State: state}, n, list[n].length + 1})
			if j, ok := later[key]; ok && j-at-list[n].length-1 > saved {
				best, saved, to = len(list)-1, j-at-list[n].length-1, j
			}
		}
	}
	for i := best; i > 0; i = list[i].parent {
		way = append(way, list[i].move)
	}
	slices.Reverse(way)
	return way, to
}
