package tree

import (
	"ringcheck/internal/intern"
	"ringcheck/model"
)

// A Worker is the access of one goroutine to a Store.
type Worker struct {
	*Store
	expander    expander
	caches      [][]entry // by node: the cache of numbers without a record
	arena       *intern.Writer
	longWriters map[int]*intern.Writer // by node: the writers to the arenas of nodes
	records     [2][]*record           // see seek
	moves       []moves                // by node
	touch       uint32                 // the sum of all reads of seek, so that the compiler keeps them

	// Questions to the system and its answers.
	in          []model.Value // the values of the slots of one group
	out         model.Successors
	state, next []model.Value // whole states, for direct spanning groups
	decodedNode *node         // the part that state has
	decodedPair uint64

	// Scratch space.
	encoding   []uint32      // under construction
	values     []model.Value // of the slots of a part
	longRecord []uint32      // an encoding, preceded by its length
	spare      []*successors // for the recursion over inner nodes
	columns    []*column     // for the recursion of numberColumn
	numbers    []uint32
	lookup     intern.Lookup
	path       []uint32 // of restingHalf
	spent      int      // work since the last check, see countWork
}

// Worker returns access to s for one more goroutine.
func (s *Store) Worker() *Worker {
	w := &Worker{
		Store:       s,
		caches:      make([][]entry, len(s.nodes)),
		moves:       make([]moves, len(s.nodes)),
		arena:       s.arena.Writer(),
		longWriters: make(map[int]*intern.Writer),
		in:          make([]model.Value, max(1, s.width)),
		state:       make([]model.Value, s.width),
		values:      make([]model.Value, s.width),
		next:        make([]model.Value, s.width),
	}
	w.out.CountIn(&s.answers)
	w.expander = s.newExpander(w)
	return w
}

// workPerCheck is a few milliseconds of work, in values or moves of a nanosecond to some hundred each.
const workPerCheck = 1 << 16

// countWork adds to the work that was done, and calls check from time to time.
func (w *Worker) countWork(work int) {
	if w.spent += work; w.spent < workPerCheck || w.check == nil {
		return
	}
	w.spent = 0
	if err := w.check(); err != nil {
		panic(err)
	}
}

// ID stores a state.
func (w *Worker) ID(state []model.Value) StateID {
	return intern.Pair(w.root.left.encode(state), w.root.right.encode(state))
}

// Vector writes the state with the given ID to state, which has the length of the system's slots.
func (w *Worker) Vector(id StateID, state []model.Value) {
	left, right := intern.Split(id)
	w.root.left.decode(left, state)
	w.root.right.decode(right, state)
}

// Left and Right return the numbers of the halves of a state; SetLeft and SetRight set a half to that with a number.
// None accesses the other half.
func (w *Worker) Left(state []model.Value) uint32             { return w.root.left.encode(state) }
func (w *Worker) Right(state []model.Value) uint32            { return w.root.right.encode(state) }
func (w *Worker) SetLeft(number uint32, state []model.Value)  { w.root.left.decode(number, state) }
func (w *Worker) SetRight(number uint32, state []model.Value) { w.root.right.decode(number, state) }

// Expand sets out to the successors of states, except by transitions that are asleep: asleep is empty, or has a set for
// each state. If the system reports an error for a state, out has only the states before it.
//
// There are three passes, in each of which many memory reads overlap: the records of the halves; the successors, in
// which halves that a spanning group has changed are pairs; the numbers of these pairs.
func (w *Worker) Expand(states []StateID, asleep []Sleep, out *Expansion) error {
	out.reset()
	w.root.expansions.Add(int64(len(states)))
	x := w.acquire()
	defer w.release(x)
	to, tags := x.to, x.tags
	x.to, x.tags = out.To, out.Tags
	defer func() { x.to, x.tags = to, tags }()
	err := w.expander.expand(states, asleep, x, out)
	out.To, out.Tags = x.to, x.tags
	if len(asleep) > 0 && len(out.Asleep) == 0 { // nothing is asleep in this case of systems
		out.Asleep = append(out.Asleep, make([]Sleep, len(out.To))...)
	}
	for i := 0; w.source.repeats.Load() && i < len(out.Tags); i++ {
		out.Tags[i] &^= repeated
	}
	return err
}

// OrbitSize returns the number of states that a state of a quotient represents, if that is known without looking at its
// slots.
func (w *Worker) OrbitSize(id StateID) (n uint64, known bool) { return w.expander.orbitSize(id) }
