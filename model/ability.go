package model

import "errors"

// As returns what sys can do beyond a System: sys itself if it is a T, or else what a decorator has in common with the
// system beneath it. T is one of the optional interfaces below, or the type of a system.
//
// A decorator is a System that is made of another one. It says in one of two ways what still holds of that:
//
//   - Unwrap() System means everything. The decorator has the same slots, values, labels, initial states and
//     transitions as the system beneath, so that whatever is true of one is true of the other. Table is an example.
//   - As(target any) bool means what it picks. target is a non-nil pointer to a T; the method sets it to what provides
//     that ability and returns true, or returns false, and the search ends there. A decorator that drops or composes
//     transitions passes on what concerns states and values only; one whose states are others passes on nothing that
//     takes a state, unless it translates.
//
// A decorator with neither passes on nothing. To embed a System is not enough: an ability that is lost costs an
// optimisation, or is missed with an error; one that is passed on although it no longer holds gives wrong answers.
func As[T any](sys System) (T, bool) {
	for sys != nil {
		if t, ok := sys.(T); ok {
			return t, true
		}
		if d, ok := sys.(interface{ As(target any) bool }); ok {
			var t T
			if d.As(&t) {
				return t, true
			}
			break
		}
		d, ok := sys.(interface{ Unwrap() System })
		if !ok {
			break
		}
		sys = d.Unwrap()
	}
	var none T
	return none, false
}

// Pass sets target, a pointer to a T, to what As finds in sys, and reports whether it did; false if target is a pointer
// to something else. It is for the As method of a decorator of sys.
func Pass[T any](sys System, target any) bool {
	t, ok := target.(*T)
	if ok {
		*t, ok = As[T](sys)
	}
	return ok
}

// A Holder remembers things, more and more while it is explored.
type Holder interface {
	// Bytes returns the memory that it holds, that of a System beneath it included, in bytes; an estimate.
	Bytes() int64
}

// Bytes returns the memory that sys holds, 0 unless it is a Holder.
func Bytes(sys System) int64 {
	if h, ok := As[Holder](sys); ok {
		return h.Bytes()
	}
	return 0
}

// ValueTables gives the values of a System names that mean the same in every process: a system numbers what its slots
// hold as it meets it, so that a value means something to the one that gave it out only. To keep states for another
// process is to keep the tables, too. They are lists of entries, to which exploration appends.
type ValueTables interface {
	// Entries returns the entries after the first since[i] of each list i, encoded, and the lengths of all lists. since
	// is nil, for all, or what Entries has returned before. The system must not be used concurrently.
	Entries(since []uint32) (entries []byte, lengths []uint32)
	// Restore appends entries to the tables of a system that has not been used yet. It is called with all that Entries
	// has returned, in order. An error means that they are not entries of this system, or would get other numbers.
	Restore(entries []byte) error
}

// A Codec writes what slots hold as bytes that mean the same in every process that has the same spec, settings and
// version of this program. Equal values have equal bytes, and no encoding of a slot is the beginning of another one.
type Codec interface {
	// AppendSlot appends what v stands for in a slot to buf.
	AppendSlot(buf []byte, slot int, v Value) []byte
	// DecodeSlot returns the value that the bytes at the beginning of data stand for, and what follows them.
	DecodeSlot(slot int, data []byte) (v Value, rest []byte, err error)
}

// AppendState appends the bytes of a state to buf, slot by slot.
func AppendState(c Codec, buf []byte, state []Value) []byte {
	for slot, v := range state {
		buf = c.AppendSlot(buf, slot, v)
	}
	return buf
}

// DecodeState sets state, which has the length of one, to what the bytes stand for, and reports an error if they stand
// for no state.
func DecodeState(c Codec, data []byte, state []Value) (err error) {
	for slot := range state {
		if state[slot], data, err = c.DecodeSlot(slot, data); err != nil {
			return err
		}
	}
	if len(data) > 0 {
		return errors.New("decode a state: something follows it")
	}
	return nil
}

// FixedValues is embedded by a System whose values mean the same in every process: its ValueTables are empty.
type FixedValues struct{}

// Entries implements ValueTables.
func (FixedValues) Entries([]uint32) ([]byte, []uint32) { return nil, nil }

// Restore implements ValueTables.
func (FixedValues) Restore([]byte) error { return nil }

// A Quotient is a System whose states each stand for several states of another one, all of which have as many
// transitions as it has. A search recovers the counts of that other system.
type Quotient interface {
	// OrbitSize returns how many states a reachable state stands for.
	OrbitSize(state []Value) uint64
}

// Cells is a System each of whose slots, cells, stands for equally many slots of another one, in their order.
type Cells interface {
	// Cell returns what the slots that v stands for hold. The caller does not change it.
	Cell(v Value) []Value
}

// A Lifter is a System whose runs stand for runs of another one.
type Lifter interface {
	// Lift returns a run of the other system, given the states of one. If goal is not nil and holds in a state that the
	// last one stands for, it holds in the last state.
	Lift(run [][]Value, goal func(state []Value) bool) ([]Move, error)
}

// An Interruptible is a System of which one call of Next or Initial can take long, or remember much.
type Interruptible interface {
	// Interrupt makes the system call check every few milliseconds of such work, until Interrupt is called again; nil
	// ends that. check is called by many goroutines. Its error ends the work and is returned by it.
	Interrupt(check func() error)
}

// An Idler can tell cheaply that a group has no transitions.
type Idler interface {
	// Idle reports whether group g has no transitions where its slots hold in. It may err on the side of false.
	Idle(g int, in []Value) bool
}

// Confluent is a System that knows which of its transitions are confluent.
type Confluent interface {
	// Confluent adds to out those transitions of group g, from a state in which its slots hold in, that belong to
	// a certain set T of strongly confluent τ-transitions: each is certain (a choice of its own), and whenever
	// s –τ→ s1 is in T and s –a→ s2, there are s1 –a→ s3 and s2 –τ→ s3, the latter in T, or else s2 = s3 or,
	// if a is τ, s1 = s3. It errs where Next does.
	Confluent(g int, in []Value, out *Successors) error
}

// A Necklace is a quotient by rotation. A state is a vector of cells, which lie around a ring, and stands for all its
// rotations: it is the one that begins at its least rotation, in a fixed order of the cells.
type Necklace interface {
	// Unrotated returns a system with the same states. Its transitions lead to vectors of cells of which those of the
	// quotient are the representatives. Groups are of few cells; the label of a step is its SleepTag.
	Unrotated() System
	// Least returns where the representative begins of a vector of cells that comes twice, one copy after the other.
	Least(twice []Value) int
	// Rank puts cells in order, some on a par: no cell of a state has a lower rank than the first.
	Rank(cell Value) uint32
	// Sleep says which transitions a breadth-first search can leave out.
	Sleep() RotatedSleep
}

// A SleepTag says of a transition which bit it is of a sleep set, below 64, and what it weighs, below 2^26. A search
// remembers those of SleepTagBits in less room.
type SleepTag uint32

// SleepTagBits is few enough for what is remembered about three transitions to fit where a search looks first.
const SleepTagBits = 18

// SleepWeightBits are left of those for the weight.
const SleepWeightBits = SleepTagBits - sleepBits

const sleepBits = 6

// NewSleepTag returns a tag.
func NewSleepTag(bit uint, weight uint32) SleepTag {
	return SleepTag(bit%(1<<sleepBits)) | SleepTag(weight<<sleepBits)
}

// Bit returns the bit of a sleep set.
func (t SleepTag) Bit() uint { return uint(t) % (1 << sleepBits) }

// Weight returns the weight.
func (t SleepTag) Weight() uint32 { return uint32(t) >> sleepBits }

// RotatedSleep is the sleep sets of a Necklace. Let a state s be found by a transition u from a state r of the level
// before. Then every transition that is possible in r, is lighter than u and does not share a slot with it is asleep at
// s: its target is found from another state. If s is found by several transitions, what is asleep for any of them is.
// Nothing is asleep at an initial state.
type RotatedSleep struct {
	Width  int      // bits of a set; 0 if there are too many for one
	Turn   int      // bits of each cell: those of the first come first
	Shares []uint64 // by bit: what shares a slot with it
	// Environment is the bits of the tags of what the environment does, whatever Width is.
	Environment uint64
}

// Turned returns a set as it is seen from the given cell.
func (z *RotatedSleep) Turned(set uint64, cell int) uint64 {
	by := cell * z.Turn
	return (set>>by | set<<(z.Width-by)) & (1<<z.Width - 1)
}

// A Represented is a System that is another one, of which every state is replaced by a representative.
type Represented interface {
	// Unreduced returns the other system. The label of a step is a tag for its Representatives.
	Unreduced() System
	// Representatives returns what is to be known about representatives by a search that has numbers for states.
	Representatives() Representatives
}

// Representatives is what is known about representatives. It is safe for concurrent use.
type Representatives interface {
	// In returns the successors of representatives for one goroutine.
	In(space Space) Representer
}

// A Representer knows the transitions of the system of representatives.
type Representer interface {
	// Follow calls visit with the transitions of a representative, given by its number.
	Follow(state uint64, visit func(step Step, to uint64)) error
}

// A Space is the states of an unreduced system for one goroutine. They have numbers, the same in the Spaces of all
// goroutines.
type Space interface {
	// Number returns the number of a state.
	Number(state []Value) uint64
	// Read writes the state with a number to state.
	Read(number uint64, state []Value)
	// Next appends the transitions of a state, or the confluent ones only, whose tags have SleepTag.Bit 0. Those of a
	// group are in order.
	Next(number uint64, confluent bool, out []Arrow) ([]Arrow, error)
}

// An Arrow is a transition in a Space.
type Arrow struct {
	Tag SleepTag // the label of the step
	To  uint64
}
