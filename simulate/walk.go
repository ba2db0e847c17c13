package simulate

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"ringcheck/model"
	"ringcheck/simulate/internal/urn"
)

// A Rank says when a step happens that an adversary decides about: Hurried before all others, Delayed if nothing else is possible. Among
// steps of one rank each choice is equally likely.
type Rank int

// The ranks.
const (
	Hurried Rank = iota
	Ordinary
	Delayed
	ranks = iota
)

// Compiled returns the source of runs of a system whose groups say what depends on what. An adversary ranks the steps, by their labels;
// nil means that all are ordinary.
func Compiled(ctx context.Context, sys model.System, adversary func(model.LabelInfo) Rank) (Source, error) {
	initial, err := listInitial(ctx, sys)
	if err != nil {
		return nil, fmt.Errorf("initial states: %w", err)
	}
	return &compiledSource{sys, initial, adversary}, nil
}

type compiledSource struct {
	sys       model.System
	initial   [][]model.Value
	adversary func(model.LabelInfo) Rank
}

// Walk implements Source.
func (c *compiledSource) Walk() (Walk, error) { return newWalk(c.sys, c.initial, c.adversary), nil }

// Bytes implements Source.
func (c *compiledSource) Bytes() int64 { return model.Bytes(c.sys) }

// State returns the state of a walk of a Compiled system. It is valid until the next step.
func State(w Walk) []model.Value { return w.(*walk).state }

// Taken returns the last step of a walk of a Compiled system.
func Taken(w Walk) model.Step { return w.(*walk).taken }

// A walk is a random run of a compiled system.
type walk struct {
	sys     model.System
	groups  []model.Group
	readers [][]int32 // by slot: the groups that depend on it
	initial [][]model.Value

	rng   *rand.Rand
	state []model.Value
	urns  []*urn.Urn // how many choices each group has, of each rank if there is an adversary
	taken model.Step

	adversary func(model.LabelInfo) Rank
	ranked    map[model.Label]Rank

	in      []model.Value
	out     model.Successors
	stale   []int32 // groups to be asked again
	isStale []bool
}

// maxInitial is how many initial states are listed; they are drawn from the list.
const maxInitial = 1 << 20

var errTooManyInitial = fmt.Errorf("there are more than %d initial states to draw one from", maxInitial)

// listInitial returns the initial states of sys, each once: several ways to assign values can lead to the same.
func listInitial(ctx context.Context, sys model.System) ([][]model.Value, error) {
	var all [][]model.Value
	listed := make(map[string]bool)
	var stop error
	err := sys.Initial(func(state []model.Value) bool {
		switch {
		case len(all) == maxInitial:
			stop = errTooManyInitial
		case len(all)%1024 == 0:
			stop = ctx.Err()
		}
		if key := fmt.Sprint(state); stop == nil && !listed[key] {
			listed[key] = true
			all = append(all, append([]model.Value(nil), state...))
		}
		return stop == nil
	})
	if err = errors.Join(err, stop); err == nil && len(all) == 0 {
		err = errors.New("there is no initial state")
	}
	return all, err
}

func newWalk(sys model.System, initial [][]model.Value, adversary func(model.LabelInfo) Rank) *walk {
	w := &walk{
		sys:     sys,
		groups:  sys.Groups(),
		readers: make([][]int32, len(sys.Slots())),
		initial: initial,
		state:   make([]model.Value, len(sys.Slots())),
	}
	w.urns = []*urn.Urn{urn.New(len(w.groups))}
	if w.adversary = adversary; adversary != nil {
		w.urns = append(w.urns, urn.New(len(w.groups)), urn.New(len(w.groups)))
		w.ranked = make(map[model.Label]Rank)
	}
	w.isStale = make([]bool, len(w.groups))
	for g, group := range w.groups {
		for _, slot := range group.Slots {
			w.readers[slot] = append(w.readers[slot], int32(g))
		}
	}
	return w
}

// A stream makes the generators of runs, one after the other.
type stream struct{ source *rand.ChaCha8 }

func newStream() *stream { return &stream{rand.NewChaCha8([32]byte{})} }

// of returns the generator of a run of a seed. It is valid until the next call.
func (s *stream) of(seed, run uint64) *rand.Rand {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	binary.LittleEndian.PutUint64(key[8:], run)
	s.source.Seed(key)
	return rand.New(s.source)
}

// Reset implements Walk.
func (w *walk) Reset(rng *rand.Rand) error {
	w.rng = rng
	copy(w.state, w.initial[w.rng.Uint64N(uint64(len(w.initial)))])
	for g := range w.groups {
		w.stale = append(w.stale, int32(g))
	}
	return w.refresh()
}

// refresh counts the choices of the stale groups.
func (w *walk) refresh() error {
	for _, g := range w.stale {
		w.isStale[g] = false
	}
	for _, g := range w.stale {
		if err := w.ask(int(g)); err != nil {
			w.stale = w.stale[:0]
			return err
		}
		w.count(int(g))
	}
	w.stale = w.stale[:0]
	return nil
}

// ask puts the transitions of a group into out.
func (w *walk) ask(g int) error {
	slots := w.groups[g].Slots
	w.in = w.in[:0]
	for _, slot := range slots {
		w.in = append(w.in, w.state[slot])
	}
	w.out.Reset(len(slots))
	return w.sys.Next(g, w.in, &w.out)
}

// count notes how many choices of a group are in out.
func (w *walk) count(g int) {
	if w.adversary == nil {
		w.urns[0].Set(g, w.choices())
		return
	}
	var counts [ranks]uint32
	for i := range w.out.Len() {
		if w.begins(i) {
			counts[w.rank(i)]++
		}
	}
	for rank, n := range counts {
		w.urns[rank].Set(g, n)
	}
}

// begins reports whether a transition in out is the first of its choice.
func (w *walk) begins(i int) bool { return i == 0 || w.out.Step(i).Choice != w.out.Step(i-1).Choice }

// rank returns that of a transition in out.
func (w *walk) rank(i int) Rank {
	label := w.out.Step(i).Label
	r, ok := w.ranked[label]
	if !ok {
		r = w.adversary(w.sys.Label(label))
		w.ranked[label] = r
	}
	return r
}

// of returns the choice in out that is number k of a rank.
func (w *walk) of(rank Rank, k uint32) uint32 {
	if w.adversary == nil {
		return k
	}
	for i := range w.out.Len() {
		if w.begins(i) && w.rank(i) == rank {
			if k == 0 {
				return w.out.Step(i).Choice
			}
			k--
		}
	}
	panic("simulate: a choice that was counted is gone")
}

// next returns the rank of what happens next, and how many choices of it there are, 0 in a terminal state.
func (w *walk) next() (Rank, uint32) {
	for rank, u := range w.urns {
		if n := u.Total(); n > 0 {
			return Rank(rank), n
		}
	}
	return 0, 0
}

// choices returns how many there are in out.
func (w *walk) choices() uint32 {
	n := w.out.Len()
	if n == 0 {
		return 0
	}
	return w.out.Step(n-1).Choice + 1
}

// Bytes implements Walk.
func (w *walk) Bytes() int64 { return int64(4 * len(w.state)) }

// Ended implements Walk.
func (w *walk) Ended() bool {
	_, n := w.next()
	return n == 0
}

// Step implements Walk.
func (w *walk) Step() (l model.Label, ok bool, err error) {
	rank, total := w.next()
	if total == 0 {
		return l, false, nil
	}
	g, k := w.urns[rank].Find(w.rng.Uint32N(total))
	if err := w.ask(g); err != nil {
		return l, false, err
	}
	i := w.draw(w.of(rank, k))
	w.taken = w.out.Step(i)
	for j, slot := range w.groups[g].Slots {
		if v := w.out.Values(i)[j]; v != w.state[slot] {
			w.state[slot] = v
			w.spoil(slot)
		}
	}
	return w.taken.Label, true, w.refresh()
}

// spoil marks the groups that read a slot.
func (w *walk) spoil(slot int) {
	for _, g := range w.readers[slot] {
		if !w.isStale[g] {
			w.isStale[g] = true
			w.stale = append(w.stale, g)
		}
	}
}

// draw returns a transition of a choice in out, by the weights. The bias of the floating-point sum, some 2⁻⁵³, is far
// below anything that a simulation can show.
func (w *walk) draw(choice uint32) int {
	first := 0
	for w.out.Step(first).Choice != choice {
		first++
	}
	end := first + 1
	for end < w.out.Len() && w.out.Step(end).Choice == choice {
		end++
	}
	if end == first+1 {
		return first
	}
	u := w.rng.Float64()
	for i := first; i < end-1; i++ {
		weight := w.out.Step(i).Weight
		if u -= float64(weight.Num) / float64(weight.Den); u < 0 {
			return i
		}
	}
	return end - 1
}

// patience is how many steps are taken between two calls of poll.
const patience = 1024

// finish takes steps until the state is terminal, do says that one was the last, or limit have been taken (0: no
// limit). It reports false in the last case. An error of poll, which is called now and then, ends it too.
func finish(w Walk, limit uint64, poll func() error, do func(model.Label) (last bool, err error)) (ended bool, err error) {
	if limit == 0 {
		limit = math.MaxUint64
	}
	for n := uint64(0); n < limit; n++ {
		if n%patience == 0 {
			if err := poll(); err != nil {
				return false, err
			}
		}
		taken, ok, err := w.Step()
		if !ok {
			return err == nil, err
		}
		last, failed := do(taken)
		if err = cmp.Or(err, failed); err != nil || last {
			return err == nil, err
		}
	}
	return w.Ended(), nil
}

// Again takes run number run of a seed again, of limit steps at most (0: no limit), and calls note in the initial state and
// after each step.
func Again(ctx context.Context, w Walk, seed, run, limit uint64, note func() error) error {
	if err := w.Reset(newStream().of(seed, run)); err != nil {
		return &RunError{seed, run, err}
	}
	err := note()
	if err == nil {
		_, err = finish(w, limit, ctx.Err, func(model.Label) (bool, error) { return false, note() })
	}
	if err != nil {
		return &RunError{seed, run, err}
	}
	return nil
}

// Retrace takes run number run of a seed of a Compiled source again, of limit steps at most (0: no limit), and returns it: the first Move is
// the initial state.
func Retrace(ctx context.Context, source Source, seed, run, limit uint64) ([]model.Move, error) {
	c := source.(*compiledSource)
	w := newWalk(c.sys, c.initial, c.adversary)
	var moves []model.Move
	err := Again(ctx, w, seed, run, limit, func() error {
		moves = append(moves, model.Move{Step: w.taken, State: slices.Clone(w.state)})
		return nil
	})
	if len(moves) > 0 {
		moves[0].Step = model.Step{}
	}
	return moves, err
}
