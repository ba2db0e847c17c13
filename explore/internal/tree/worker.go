package tree

import (
	"ringcheck/internal/intern"
	"ringcheck/model"
)

// A Worker is the access of one goroutine to a Store.
type Worker struct {
	*Store
	caches [][]entry // by node: the cache of numbers without a record
	arena  *intern.Writer
	longs  map[int]*intern.Writer // by node: the writers to the arenas of nodes
	out    model.Successors
	in     []model.Value // the values of the slots of one group
	run    []uint32      // the run under construction
	line   []uint32      // the run, preceded by its length
	state  []model.Value // whole states, for direct spanning groups
	next   []model.Value

	decodedNode *node
	decodedPair uint64

	memos   []memoPair   // by node
	free    []*expansion // for the recursion over inner nodes
	spare   []*column    // for the recursion of numbers
	records [2][]*record // the records of the halves of the states that are being expanded; nil for those without
	moves   []uint32     // the moves of a part
	touch   uint32
	path    []uint32 // scratch space of restingHalf
	lookup  intern.Lookup
	rotations
	representer model.Representer // for a store of representatives
	spent       int               // work since the last check, see countWork
}

// Worker returns access to s for one more goroutine.
func (s *Store) Worker() *Worker {
	w := &Worker{
		Store:     s,
		rotations: rotations{twice: make([]model.Value, 2*s.width)},
		caches:    make([][]entry, len(s.nodes)),
		memos:     make([]memoPair, len(s.nodes)),
		arena:     s.arena.Writer(),
		longs:     make(map[int]*intern.Writer),
		in:        make([]model.Value, max(1, s.width)),
		state:     make([]model.Value, s.width),
		next:      make([]model.Value, s.width),
	}
	w.out.CountIn(&s.answers)
	if s.all != nil {
		w.representer = s.all.In(space{w})
	}
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

// An Expansion has the successors of some states, once for each transition that is not asleep.
type Expansion struct {
	To []StateID
	// Tags has the tag of each successor: the class of the group, or the result of the store's Tagger.
	Tags []uint32
	// Asleep has the sleep set that each successor gets from this transition. It is empty without sleep sets.
	Asleep []Sleep
	Ends   []int // by state: the end of its successors in To
	Counts []int // by state: the number of transitions, including sleeping ones, without repetitions
	// Environment has, by state, the number of these that are the environment's. It is empty if there are never any.
	Environment []int
}

// Quiescent reports whether state i has no transitions but the environment's.
func (x *Expansion) Quiescent(i int) bool {
	return x.Counts[i] == 0 || len(x.Environment) > 0 && x.Environment[i] == x.Counts[i]
}

func (x *Expansion) reset() {
	x.To, x.Tags, x.Asleep, x.Ends = x.To[:0], x.Tags[:0], x.Asleep[:0], x.Ends[:0]
	x.Counts, x.Environment = x.Counts[:0], x.Environment[:0]
}

// Expand sets out to the successors of states, except by transitions that are asleep: asleep is empty, or has a set for
// each state. If the system reports an error for a state, out has only the states before it.
//
// There are three passes, in each of which many memory reads overlap: the records of the halves; the successors, in
// which halves that a spanning group has changed are pairs; the numbers of these pairs.
func (w *Worker) Expand(states []StateID, asleep []Sleep, out *Expansion) error {
	out.reset()
	w.sleeps, w.after = len(asleep) > 0, w.after[:0]
	x := w.acquire()
	defer w.release(x)
	to, tags := x.to, x.tags
	x.to, x.tags = out.To, out.Tags
	defer func() { x.to, x.tags = to, tags }()
	var err error
	if w.representer != nil {
		err = w.expandRepresented(states, x, out)
	} else {
		w.seek(states)
		err = w.expandEach(states, asleep, x, out)
	}
	w.numberMissing(w.root, x)
	if w.ring != nil {
		w.representatives(x)
	}
	out.To, out.Tags = x.to, x.tags
	if len(asleep) > 0 {
		w.putToSleep(out)
	}
	for i := 0; w.repeats.Load() && i < len(out.Tags); i++ {
		out.Tags[i] &^= repeated
	}
	return err
}

// seek finds the records of the halves of states and reads from them, so that the independent reads overlap.
func (w *Worker) seek(states []StateID) {
	touch := uint32(0)
	for side, n := range []*node{w.root.left, w.root.right} {
		records := w.records[side][:0]
		for _, s := range states {
			number := uint32(s >> (32 - 32*side))
			r := n.record(number)
			touch ^= n.touch(number, r)
			records = append(records, r)
		}
		w.records[side] = records
	}
	w.touch = touch
}

// expandEach adds the successors of states to x. The records of some halves are missing.
func (w *Worker) expandEach(states []StateID, asleep []Sleep, x *expansion, out *Expansion) (err error) {
	for i, id := range states {
		var sleep Sleep
		if len(asleep) > 0 {
			sleep = asleep[i]
		}
		x.count = 0
		first := len(x.to)
		l, r := intern.Split(id)
		if w.sleepTags() {
			err = w.expandUnrotated(l, r, w.records[0][i], w.records[1][i], sleep, x)
		} else {
			err = w.expandRecords(w.root, l, r, w.records[0][i], w.records[1][i], sleep, x)
		}
		if err != nil {
			return err
		}
		w.countWork(1 + x.count)
		out.Ends = append(out.Ends, len(x.to))
		out.Counts = append(out.Counts, x.count)
		if w.environment.acts {
			out.Environment = append(out.Environment, w.byEnvironment(x.tags[first:]))
		}
	}
	return nil
}

// byEnvironment returns the number of transitions of a state that are the environment's, given the tags of those not
// asleep.
func (w *Worker) byEnvironment(tags []uint32) (n int) {
	if w.sleepTags() {
		for _, tag := range w.possible {
			n += int(w.ring.sleep.Environment >> tag.Bit() & 1)
		}
		return n
	}
	for _, tag := range tags {
		if tag&repeated == 0 {
			n += int(w.environment.tags.At(tag).Load())
		}
	}
	return n
}

// putToSleep sets the sleep sets of the successors.
func (w *Worker) putToSleep(x *Expansion) {
	if w.ring != nil {
		x.Asleep = append(x.Asleep, w.after...)
		return
	}
	for _, tag := range x.Tags {
		x.Asleep = append(x.Asleep, w.puts[w.classOfTag(tag)])
	}
}

// tagOf returns the tag of transition i of the last answer of the system, for group g: without a tagger, the class of
// the group.
func (w *Worker) tagOf(g, i int) uint32 {
	tag := w.classOf[g]
	if w.tagger != nil {
		tag = w.tagger(g, w.out.Step(i))
	}
	if w.sleepTags() || tag&repeated != 0 {
		return tag
	}
	if w.tagger != nil && w.ring == nil { // without sleep sets, the class of a tag is not needed
		w.tags.assign(tag, w.classOf[g])
	}
	if w.groups[g].Environment {
		w.environment.tags.At(tag).Store(1)
	}
	return tag
}

// classOfTag returns the class of the groups whose steps have a tag.
func (w *Worker) classOfTag(tag uint32) uint32 {
	if w.tagger == nil {
		return tag
	}
	return w.tags.class(tag)
}
