package verify

import (
	"encoding/binary"

	"ringcheck/model"
	"ringcheck/model/compile"
	"ringcheck/model/ir"
)

// An outcome is what evaluating a term comes to.
type outcome struct {
	value int64
	err   error // an *ir.Error, or that of a value that is undefined in the state
}

// An evaluation evaluates terms for one goroutine: in a part of a state, of which some terms are known. It
// shows the slots that are known to expressions that look at processes and channels.
type evaluation struct {
	sys   *compile.System
	slots []*term
	env   ir.Env
	known []outcome // by term
	since []uint32  // when it became known
	now   uint32
	key   []byte
	// What is known of the two halves of a part: the positions of terms in the summaries, and the outcomes.
	places      []place
	left, right []outcome
}

// A place says where the outcome of a term is found: at an index of the left or the right outcomes.
type place struct {
	side  side
	index int32
}

type side int8

const (
	neither side = iota
	onLeft
	onRight
)

var _ ir.View = (*evaluation)(nil)

func newEvaluation(sys *compile.System, slots []*term, terms int) *evaluation {
	e := &evaluation{sys: sys, slots: slots}
	e.env = ir.Env{Vars: make([]int64, sys.Protocol().EnvSize), State: e}
	e.known, e.since = make([]outcome, terms), make([]uint32, terms)
	return e
}

// begin begins the evaluation of another part.
func (e *evaluation) begin(places []place, left, right []outcome) {
	e.places, e.left, e.right = places, left, right
	if e.now++; e.now == 0 {
		clear(e.since)
		e.now = 1
	}
}

func (e *evaluation) set(t *term, o outcome) { e.known[t.id], e.since[t.id] = o, e.now }

// value returns the outcome of t.
func (e *evaluation) value(t *term) outcome {
	if e.since[t.id] == e.now {
		return e.known[t.id]
	}
	switch p := e.places[t.id]; p.side {
	case onLeft:
		return e.left[p.index]
	case onRight:
		return e.right[p.index]
	}
	v, err := e.eval(t.expr)
	o := outcome{v, err}
	e.set(t, o)
	return o
}

// eval is x.Eval, without detours for what most terms are.
func (e *evaluation) eval(x ir.Expr) (int64, error) {
	switch x := x.(type) {
	case *term:
		o := e.value(x)
		return o.value, o.err
	case *ir.Const:
		return x.Value, nil
	case *ir.Binary:
		return e.binary(x)
	}
	return x.Eval(&e.env)
}

func (e *evaluation) binary(b *ir.Binary) (int64, error) {
	x, err := e.eval(b.X)
	if err != nil {
		return 0, err
	}
	if v, ok := b.Decided(x); ok {
		return v, nil
	}
	y, err := e.eval(b.Y)
	if err != nil {
		return 0, err
	}
	return b.Apply(x, y)
}

// encode returns the outcomes of terms as a key.
func (e *evaluation) encode(terms []*term) []byte {
	e.key = e.key[:0]
	for _, t := range terms {
		o := e.value(t)
		if o.err != nil {
			e.key = append(e.key, 1)
			e.key = binary.AppendUvarint(e.key, uint64(len(o.err.Error())))
			e.key = append(e.key, o.err.Error()...)
			continue
		}
		e.key = append(e.key, 0)
		e.key = binary.AppendVarint(e.key, o.value)
	}
	return e.key
}

func (e *evaluation) slot(i int) model.Value { return model.Value(e.value(e.slots[i]).value) }

func (e *evaluation) local(p int) ir.Local { return e.sys.Local(e.slot(e.sys.SlotOfProcess(p))) }

// At implements ir.View.
func (e *evaluation) At(p int) *ir.Point { return e.local(p).Point }

// Var implements ir.View.
func (e *evaluation) Var(p int, v *ir.Var) (int64, bool) {
	l := e.local(p)
	for i, x := range l.Point.Live {
		if x == v {
			return l.Env[i], true
		}
	}
	return 0, false
}

// Channel implements ir.View.
func (e *evaluation) Channel(link int) []ir.Content {
	return e.sys.Contents(e.slot(e.sys.SlotOfLink(link)))
}
