package symmetry

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"ringcheck/explore/reduction"
	"ringcheck/model"
)

// A PermutationQuotient is the quotient of a compiled system, perhaps with a reduction, by a group of permutations of
// its processes. A state is the representative of its orbit, a state of the system. It implements model.Quotient and is
// safe for concurrent use.
//
// A transition of the quotient is a transition of the representative, so its label names the process that acts there.
type PermutationQuotient struct {
	model.System // the compiled or reduced system
	*Automorphisms
	*describer
	slots     []int
	sleep     *permutedSleep
	confluent model.System // the confluent transitions; nil if they are not known
	spare     sync.Pool    // of *permuter
	checks    atomic.Int32 // how many states were compared with their images
}

var (
	_ Orbits                = (*PermutationQuotient)(nil)
	_ model.Holder          = (*PermutationQuotient)(nil)
	_ reduction.Permutation = (*PermutationQuotient)(nil)
	_ model.Confluent       = (*PermutationQuotient)(nil)
)

// Orbits is a system whose states represent orbits of states of another one.
type Orbits interface {
	model.System
	model.Quotient
	model.Lifter
	Invariance
	// Order returns the number of permutations.
	Order() int
	// Exchanges, Orbits, Breaks and Rotations are those of Automorphisms.
	Exchanges() int
	Orbits() [][]int
	Breaks() []Break
	Rotations() bool
	// Beneath returns the other system.
	Beneath() model.System
	// Member returns a state of the other system that a state represents.
	Member(state []model.Value) []model.Value
	// Encode writes the state that represents a state of the other system to representative.
	Encode(state, representative []model.Value)
}

// newPermutationQuotient returns the quotient of a system by the permutations that were found for the compiled one.
func newPermutationQuotient(f *finding, reduced model.System) *PermutationQuotient {
	sys := f.sys
	q := &PermutationQuotient{
		System: reduced, Automorphisms: f.automorphisms(), describer: newDescriber(newAction(sys, f.group)),
	}
	for i := range sys.Slots() {
		q.slots = append(q.slots, i)
	}
	q.sleep = newPermutedSleep(q.describer, reduced.Groups())
	if c, ok := model.As[model.Confluent](reduced); ok {
		q.confluent = confluentSteps{reduced, c}
	}
	q.spare.New = func() any {
		return &permuter{
			colouring: newColouring(q.describer), quotient: q, cursor: model.NewCursor(reduced),
			sums:   make([]reduction.Colours, reduction.ColourWords(len(q.movable))),
			target: make([]model.Value, len(q.slots)), image: make([]model.Value, len(q.slots)),
			least: make([]model.Value, len(q.slots)),
		}
	}
	return q
}

// As passes on what concerns the values of slots.
func (q *PermutationQuotient) As(target any) bool { return model.Pass[model.Codec](q.System, target) }

// Beneath implements Orbits.
func (q *PermutationQuotient) Beneath() model.System { return q.System }

// Member implements Orbits.
func (q *PermutationQuotient) Member(state []model.Value) []model.Value { return state }

// Encode implements Orbits.
func (q *PermutationQuotient) Encode(state, representative []model.Value) {
	x := q.spare.Get().(*permuter)
	defer q.spare.Put(x)
	x.represent(state)
	copy(representative, x.least)
}

// Bytes implements model.Holder.
func (q *PermutationQuotient) Bytes() int64 {
	n := model.Bytes(q.System) + q.action.bytes()
	return n + q.describer.locals.bytes() + q.describer.contents.bytes() + q.describer.shares.bytes()
}

// Groups implements model.System: one group, since a transition can permute the whole state, and one of the
// environment.
func (q *PermutationQuotient) Groups() []model.Group {
	groups := []model.Group{{Name: "all processes", Slots: q.slots}}
	if slices.ContainsFunc(q.System.Groups(), func(g model.Group) bool { return g.Environment }) {
		groups = append(groups, model.Group{Name: "the environment", Slots: q.slots, Environment: true})
	}
	return groups
}

// Label implements model.System.
func (q *PermutationQuotient) Label(l model.Label) model.LabelInfo {
	info := q.System.Label(l)
	info.Slot = -1
	return info
}

// Initial implements model.System. It may yield a state more than once.
func (q *PermutationQuotient) Initial(yield func(state []model.Value) bool) error {
	x := q.spare.Get().(*permuter)
	defer q.spare.Put(x)
	return q.System.Initial(func(state []model.Value) bool {
		x.represent(state)
		return yield(x.least)
	})
}

// OrbitSize implements model.Quotient.
func (q *PermutationQuotient) OrbitSize(state []model.Value) uint64 {
	x := q.spare.Get().(*permuter)
	defer q.spare.Put(x)
	return uint64(len(q.group.elements) / x.represent(state))
}

// Next implements model.System.
func (q *PermutationQuotient) Next(g int, in []model.Value, out *model.Successors) error {
	x := q.spare.Get().(*permuter)
	defer q.spare.Put(x)
	if _, err := x.Test(in); err != nil {
		return err
	}
	choice := uint32(0)
	for i, group := range q.System.Groups() {
		if group.Environment != (g > 0) {
			continue
		}
		if err := x.cursor.Next(i, in); err != nil {
			return err
		}
		choices := uint32(0)
		for k := range x.cursor.Len() {
			copy(x.target, in)
			x.cursor.Take(k, x.target)
			x.represent(x.target)
			step := x.cursor.Step(k)
			choices = max(choices, step.Choice+1)
			step.Choice += choice
			copy(out.Add(step), x.least)
		}
		choice += choices
	}
	return nil
}

// Confluent implements model.Confluent. It adds the confluent transitions that Next adds to out, and none if the other
// system does not implement model.Confluent. It omits transitions back to the same state, since confluence does not
// depend on them; it keeps transitions to another state of its orbit.
func (q *PermutationQuotient) Confluent(_ int, in []model.Value, out *model.Successors) error {
	if q.confluent == nil {
		return nil
	}
	x := q.spare.Get().(*permuter)
	defer q.spare.Put(x)
	choices := uint32(0)
	return model.Each(q.confluent, in, func(_ int, step model.Step, to []model.Value) bool {
		if !slices.Equal(in, to) {
			x.represent(to)
			step.Choice = choices
			copy(out.Add(step), x.least)
			choices++
		}
		return true
	})
}

// confluentSteps is the system of the confluent transitions of another one.
type confluentSteps struct {
	model.System
	steps model.Confluent
}

// Next implements model.System.
func (c confluentSteps) Next(g int, in []model.Value, out *model.Successors) error {
	return c.steps.Confluent(g, in, out)
}

// Colours implements reduction.Permutation.
func (q *PermutationQuotient) Colours() int { return len(q.movable) }

// Ascents implements reduction.Permutation: the successive processes of each orbit. If their colours ascend, every
// other element arranges them greater.
func (q *PermutationQuotient) Ascents() (pairs [][2]int) {
	for _, orbit := range q.Orbits() {
		for i, p := range orbit[1:] {
			pairs = append(pairs, [2]int{q.placesOf[orbit[i]], q.placesOf[p]})
		}
	}
	return pairs
}

// FullSize implements reduction.Permutation.
func (q *PermutationQuotient) FullSize() uint64 { return uint64(len(q.group.elements)) }

// Permuter implements reduction.Permutation.
func (q *PermutationQuotient) Permuter() reduction.Permuter { return q.spare.New().(*permuter) }

// maxChecks is the number of states whose transitions are compared with the transitions of their images.
const maxChecks = 256

// Test implements reduction.Permuter.
func (x *permuter) Test(state []model.Value) (more bool, err error) {
	if x.quotient.checks.Load() >= maxChecks {
		return false, nil
	}
	x.quotient.checks.Add(1)
	return true, x.quotient.compareImages(state)
}

// compareImages returns an error unless the generators of the group map the transitions of a state to the transitions
// of its images. This only tests what find has shown.
func (q *PermutationQuotient) compareImages(state []model.Value) error {
	type transition struct {
		to     string
		weight model.Weight
		kind   model.ActionKind
	}
	transitions := func(state []model.Value, visit func(transition)) error {
		return model.Each(q.System, state, func(_ int, step model.Step, to []model.Value) bool {
			visit(transition{stateKey(to), step.Weight, q.System.Label(step.Label).Kind})
			return true
		})
	}
	for _, p := range q.group.generators {
		count := make(map[transition]int)
		image := make([]model.Value, len(state))
		err := model.Each(q.System, state, func(_ int, step model.Step, to []model.Value) bool {
			q.permute(p, to, image)
			count[transition{stateKey(image), step.Weight, q.System.Label(step.Label).Kind}]++
			return true
		})
		if err != nil {
			return nil //nolint:nilerr // the search finds it
		}
		q.permute(p, state, image)
		if err := transitions(image, func(t transition) { count[t]-- }); err != nil {
			return err
		}
		for _, n := range count {
			if n != 0 {
				return &model.Error{Process: -1, Cause: ErrAsymmetric, Message: fmt.Sprintf(
					"a permutation is %v of the transitions of a state: %s", ErrAsymmetric, p.format(q.protocol))}
			}
		}
	}
	return nil
}

// A permuter computes representatives. It is for one goroutine.
type permuter struct {
	*colouring
	quotient             *PermutationQuotient
	cursor               *model.Cursor
	sums                 []reduction.Colours
	target, image, least []model.Value
}

// Represent implements reduction.Permuter.
func (x *permuter) Represent(
	state []model.Value, colours []reduction.Colours,
) (representative []model.Value, element uint32) {
	_, element = x.setLeast(state, colours)
	return x.least, element
}

// represent sets least to the representative of a state, and returns the number of elements of the group that map the
// state to it, which is the number of elements that preserve the state.
func (x *permuter) represent(state []model.Value) (ways int) {
	clear(x.sums)
	for slot, v := range state {
		for i, c := range x.ColoursOf(slot, v) {
			x.sums[i] = x.sums[i].Plus(c)
		}
	}
	ways, _ = x.setLeast(state, x.sums)
	return ways
}

// setLeast is represent for a state with given colours, and returns one of the elements. Usually the colours suffice to
// sort the processes. Otherwise they are refined, and all arrangements of the processes that are still alike are tried.
func (x *permuter) setLeast(state []model.Value, colours []reduction.Colours) (ways int, by uint32) {
	coset := x.group.sortingCoset(x.rank(colours))
	if len(coset) > 1 {
		x.setState(state)
		coset = x.group.sortingCoset(x.refineAll(colours))
	}
	for i, element := range coset {
		x.action.image(element, state, x.image)
		c := -1
		if i > 0 {
			c = x.compareStates(x.image, x.least)
		}
		if c < 0 {
			x.image, x.least = x.least, x.image
			ways, by = 0, element
		}
		if c <= 0 {
			ways++
		}
	}
	return ways, by
}

// Lift implements model.Lifter: it turns a run of the quotient into a run of the system through the same orbits. If
// goal is not nil and holds in some state of the last orbit, the run ends in a state where it holds.
func (q *PermutationQuotient) Lift(run [][]model.Value, goal func(state []model.Value) bool) ([]model.Move, error) {
	x := q.spare.Get().(*permuter)
	defer q.spare.Put(x)
	var moves []model.Move
	for i, representative := range run {
		if i == 0 {
			moves = append(moves, model.Move{State: slices.Clone(representative)})
			continue
		}
		next, err := stepTo(q.System, moves[i-1].State, func(to []model.Value) bool {
			x.represent(to)
			return slices.Equal(x.least, representative)
		})
		if err != nil {
			return nil, fmt.Errorf("lift a run: state %d: %w", i, err)
		}
		moves = append(moves, next)
	}
	if goal == nil || len(moves) == 0 {
		return moves, nil
	}
	return q.permuteRun(moves, goal)
}

// permuteRun permutes a run so that goal holds in its last state, if possible.
func (q *PermutationQuotient) permuteRun(
	moves []model.Move, goal func(state []model.Value) bool,
) ([]model.Move, error) {
	image := make([]model.Value, len(q.slots))
	for e := range q.group.elements {
		q.image(uint32(e), moves[len(moves)-1].State, image)
		if !goal(image) {
			continue
		}
		var permuted []model.Move
		for i, m := range moves {
			want := make([]model.Value, len(q.slots))
			q.image(uint32(e), m.State, want)
			next := model.Move{State: want}
			if i > 0 {
				var err error
				next, err = stepTo(q.System, permuted[i-1].State,
					func(to []model.Value) bool { return slices.Equal(to, want) })
				if err != nil {
					return nil, fmt.Errorf("lift a run: permute it: %w", err)
				}
			}
			permuted = append(permuted, next)
		}
		return permuted, nil
	}
	return moves, nil
}
