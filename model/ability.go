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

// An InitialProduct is a System whose initial states can be all combinations of values of the slots. A search then need
// not number each of them from its slots. A system that embeds one and has other initial states has its own
// InitialValues.
type InitialProduct interface {
	// InitialValues returns the initial values of each slot, strictly ascending, if the initial states are all
	// combinations of them; nil if they are not, if that is not known, or if Initial would report an error.
	InitialValues() [][]Value
}

// InitialValues returns the initial values of each slot of an InitialProduct, nil for another system.
func InitialValues(sys System) [][]Value {
	if u, ok := As[InitialProduct](sys); ok {
		return u.InitialValues()
	}
	return nil
}

// An Idler can tell cheaply that a group has no transitions.
type Idler interface {
	// Idle reports that group g has no transitions where its slots hold in; false may mean that it is not known.
	Idle(g int, in []Value) bool
}

// A Guarder can tell by the value of one slot that a group has no transitions.
type Guarder interface {
	// Guard returns the index of this slot in the slots of group g, or -1.
	Guard(g int) int
	// Bars reports that Next yields nothing and no error for group g where this slot holds v, whatever the others hold.
	// It always returns the same for the same arguments.
	Bars(g int, v Value) bool
}

// Confluent is a System that knows which of its transitions are confluent.
type Confluent interface {
	// Confluent adds to out the transitions of group g, where its slots hold in, that belong to a set T of strongly
	// confluent τ-transitions: each is a choice of its own, and whenever s –τ→ s1 is in T and s –a→ s2, there are s1
	// –a→ s3 and s2 –τ→ s3 in T, or s2 = s3 or, if a is τ, s1 = s3. It returns the errors of Next.
	Confluent(g int, in []Value, out *Successors) error
}
