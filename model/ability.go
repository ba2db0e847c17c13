package model

import "errors"

// As finds an optional ability T of sys: one of the interfaces below, or the type of a system. If sys is a T, As
// returns sys, else what the decorators on top of the system beneath pass on.
//
// A decorator is a System made of another one. It passes abilities on in one of two ways:
//
//   - Unwrap() System passes on all. The decorator has the slots, values, labels, initial states and transitions of the
//     system beneath.
//   - As(target any) bool passes on a selection. It sets target, a non-nil pointer to a T, to what provides the ability
//     and returns true, or returns false, which ends the search. A decorator that drops or composes transitions passes
//     on abilities that concern states and values only; one with other states, none that take a state, unless it
//     translates.
//
// A decorator with neither method passes on nothing, even if it embeds a System. Without an ability, an optimisation is
// lost or an error is reported; an ability that no longer holds would give wrong answers.
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

// Pass sets target to what As[T] finds in sys, and reports whether it has: it has not if target is not a pointer to a
// T. It is for the As method of a decorator of sys.
func Pass[T any](sys System, target any) bool {
	t, ok := target.(*T)
	if ok {
		*t, ok = As[T](sys)
	}
	return ok
}

// A Holder is a System whose memory grows during an exploration.
type Holder interface {
	// Bytes returns an estimate of that memory in bytes, including the memory of the System beneath.
	Bytes() int64
}

// Bytes returns the memory that sys holds, 0 unless it is a Holder.
func Bytes(sys System) int64 {
	if h, ok := As[Holder](sys); ok {
		return h.Bytes()
	}
	return 0
}

// A Codec encodes the contents of slots, the same way in every process with the same spec, settings and version of this
// program. Equal contents have equal bytes, and no encoding of a slot is a prefix of another.
type Codec interface {
	// AppendSlot appends the encoding of v to buf.
	AppendSlot(buf []byte, slot int, v Value) []byte
	// DecodeSlot decodes the value at the beginning of data, and returns the rest.
	DecodeSlot(slot int, data []byte) (v Value, rest []byte, err error)
}

// AppendState appends the bytes of a state to buf, slot by slot.
func AppendState(c Codec, buf []byte, state []Value) []byte {
	for slot, v := range state {
		buf = c.AppendSlot(buf, slot, v)
	}
	return buf
}

// DecodeState reverses AppendState; state has a value for each slot.
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

// A Quotient is a System whose states represent orbits: several states of another system each, which have equally many
// transitions. So a search recovers the counts of that system.
type Quotient interface {
	// OrbitSize returns the number of states in the orbit of a reachable state.
	OrbitSize(state []Value) uint64
}

// Cells is a System whose slots, the cells, each represent equally many slots of another system, in their order.
type Cells interface {
	// Cell returns the contents of the slots that v represents. The caller does not change it.
	Cell(v Value) []Value
}

// A Lifter is a System whose runs represent runs of another system.
type Lifter interface {
	// Lift turns the states of a run into a run of the other system. If goal is not nil and holds in a state that the
	// last state represents, it holds in the last state of the result.
	Lift(run [][]Value, goal func(state []Value) bool) ([]Move, error)
}

// An Interruptible is a System in which a single call of Next or Initial can take long or need much memory.
type Interruptible interface {
	// Interrupt makes such calls call check every few milliseconds, from many goroutines, and return its error. A nil
	// check ends this.
	Interrupt(check func() error)
}

// An Idler can tell cheaply that a group has no transitions.
type Idler interface {
	// Idle reports that group g has no transitions where its slots hold in; false may mean that it is not known.
	Idle(g int, in []Value) bool
}

// Confluent is a System that knows which of its transitions are confluent.
type Confluent interface {
	// Confluent adds to out the transitions of group g, where its slots hold in, that belong to a set T of strongly
	// confluent τ-transitions: each is a choice of its own, and whenever s –τ→ s1 is in T and s –a→ s2, there are s1
	// –a→ s3 and s2 –τ→ s3 in T, or s2 = s3 or, if a is τ, s1 = s3. It returns the errors of Next.
	Confluent(g int, in []Value, out *Successors) error
}

// A Necklace is a quotient by rotation. A state is a vector of cells, which lie around a ring, and represents all its
// rotations: it begins at its least rotation, in a fixed order of the cells.
type Necklace interface {
	// Unrotated returns a system with the same states whose transitions lead to vectors of cells before these are
	// rotated. Groups are of few cells. If asleep is set, the label of a step is its SleepTag. Otherwise steps equal
	// the steps of the quotient, whose second group, if any, is the environment's, but choices have other numbers:
	// different ones in different groups, which ascend with the groups.
	Unrotated(asleep bool) System
	// Least returns the index at which the representative begins in two copies of a vector of cells, one after the
	// other.
	Least(twice []Value) int
	// Rank is a weak order of cells: no cell of a state has a lower rank than the first.
	Rank(cell Value) uint32
	// Sleep returns which transitions a breadth-first search can leave out.
	Sleep() RotatedSleep
}

// A SleepTag is the bit of a transition in a sleep set, below 64, and its weight, below 2^26.
type SleepTag uint32

// A search stores tags of up to SleepTagBits in less space: what it remembers about three of them fits where it looks
// first. SleepWeightBits of these are for the weight.
const (
	SleepTagBits    = 18
	SleepWeightBits = SleepTagBits - sleepBits

	sleepBits = 6
)

// NewSleepTag returns the tag of a bit and a weight.
func NewSleepTag(bit uint, weight uint32) SleepTag {
	return SleepTag(bit%(1<<sleepBits)) | SleepTag(weight<<sleepBits)
}

// Bit returns the bit of a sleep set.
func (t SleepTag) Bit() uint { return uint(t) % (1 << sleepBits) }

// Weight returns the weight.
func (t SleepTag) Weight() uint32 { return uint32(t) >> sleepBits }

// RotatedSleep describes the sleep sets of a Necklace. If a state s is found by a transition u from a state r of the
// level before, every transition that is possible in r, lighter than u, and shares no slot with it is asleep at s: its
// target is found from another state. If several transitions find s, their sets are united. Nothing is asleep at an
// initial state.
type RotatedSleep struct {
	Width  int      // bits of a set; 0 if there are too many for one
	Turn   int      // bits of each cell, in the order of the cells
	Shares []uint64 // by bit: what shares a slot with it
	// Environment has the bits of the environment's transitions, whatever Width is.
	Environment uint64
}

// Rotate returns a set rotated to begin with the given cell.
func (z *RotatedSleep) Rotate(set uint64, cell int) uint64 {
	by := cell * z.Turn
	return (set>>by | set<<(z.Width-by)) & (1<<z.Width - 1)
}

// A RepresentativeSystem is a System whose states are representatives of the states of another system.
type RepresentativeSystem interface {
	// Unreduced returns the other system. The label of a step is a tag for its Representatives.
	Unreduced() System
	// Representatives returns the transitions of representatives for a search that numbers states.
	Representatives() Representatives
}

// Representatives makes Representers. It is safe for concurrent use.
type Representatives interface {
	// In returns a Representer for one goroutine.
	In(space Space) Representer
}

// A Representer computes the transitions of the system of representatives.
type Representer interface {
	// Follow calls visit with the transitions of representatives, given by their numbers, one representative after the
	// other; i is the index of the representative. It returns the number of representatives that it has followed: all,
	// unless there is an error.
	Follow(states []uint64, visit func(i int, step Step, to uint64)) (int, error)
}

// A Space has the states of an unreduced system for one goroutine, by numbers that are the same for all goroutines.
type Space interface {
	// Number returns the number of a state.
	Number(state []Value) uint64
	// Read writes the state with a number to state.
	Read(number uint64, state []Value)
	// Next makes out the transitions of states, or only the confluent ones, whose tags have SleepTag.Bit 0. Transitions
	// of a group are in order. If the system reports an error for a state, out.Ends stops short of it.
	Next(states []uint64, confluent bool, out *Arrows) error
}

// Arrows are the transitions of some states, one state after the other.
type Arrows struct {
	All  []Arrow
	Ends []int // by state: the end of its transitions in All
}

// An Arrow is a transition in a Space.
type Arrow struct {
	Tag SleepTag // the label of the step
	To  uint64
}
