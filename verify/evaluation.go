package verify

import (
	"context"
	"encoding/binary"
	"errors"
	"sync"

	"ringcheck/internal/effort"
	"ringcheck/internal/intern"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// An evaluation evaluates terms for one goroutine: in a part of a state, of which some terms are known. It
// shows the slots that are known to expressions that look at processes and channels.
type evaluation struct {
	sys   *compile.System
	slots []*term
	env   ir.Env
	known []packed // by term
	since []uint32 // when it became known
	now   uint32
	table *outcomeTable
	key   []byte
	// See tell.
	part    span
	told    []telling
	visited []uint32 // by term: when it was visited
	open    []uint32 // by term: when it was found not to be certain
}

var _ ir.View = (*evaluation)(nil)

// newEvaluation returns one that ends with ctx, see package effort.
func newEvaluation(ctx context.Context, sys *compile.System, slots []*term, terms int, table *outcomeTable) *evaluation {
	e := &evaluation{sys: sys, slots: slots, table: table}
	bound := effort.Effort{Context: ctx}
	e.env = ir.Env{Vars: make([]int64, sys.Protocol().EnvSize), State: e, Tick: bound.Tick}
	e.known, e.since = make([]packed, terms), make([]uint32, terms)
	e.visited, e.open = make([]uint32, terms), make([]uint32, terms)
	return e
}

// begin begins the evaluation of another part.
func (e *evaluation) begin() {
	if e.now++; e.now == 0 {
		clear(e.since)
		clear(e.visited)
		clear(e.open)
		e.now = 1
	}
}

// load makes known what was told of a part.
func (e *evaluation) load(told []telling) {
	for _, t := range told {
		e.set(t.term, t.outcome)
	}
}

func (e *evaluation) set(t *term, p packed) { e.known[t.id], e.since[t.id] = p, e.now }

// value returns the outcome of t.
func (e *evaluation) value(t *term) packed {
	if e.since[t.id] == e.now {
		return e.known[t.id]
	}
	p := e.table.pack(e.eval(t.expr))
	e.set(t, p)
	return p
}

// eval is x.Eval, without detours for what most terms are.
func (e *evaluation) eval(x ir.Expr) (int64, error) {
	switch x := x.(type) {
	case *term:
		return e.table.unpack(e.value(x))
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
		if y, failed := e.eval(b.Y); failed == nil && b.DecidedBy(y) {
			return y, nil
		}
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

// watch evaluates terms and notes those that are true, or have no value.
func (e *evaluation) watch(terms []*term) {
	for _, t := range terms {
		if t.watched[0].seen.Load() {
			continue
		}
		for _, i := range t.watched {
			i.note(e.table.unpack(e.value(t)))
		}
	}
}

// encode returns what is told of a part as a key.
func (e *evaluation) encode(told []telling) []byte {
	e.key = e.key[:0]
	for _, t := range told {
		e.key = binary.AppendVarint(binary.AppendUvarint(e.key, uint64(t.term.id)), int64(t.outcome))
	}
	return e.key
}

func (e *evaluation) slot(i int) model.Value {
	v, _ := e.table.unpack(e.value(e.slots[i])) // is known without an error
	return model.Value(v)
}

func (e *evaluation) local(p int) ir.Local { return e.sys.Seen(e.slot(e.sys.SlotOfProcess(p))) }

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

// An outcome is what evaluating a term comes to.
type outcome struct {
	value int64
	err   error // an *ir.Error, or that of a value that is undefined in the state
}

// A packed is an outcome in 4 bytes, of which a checker keeps many: a small value as it is, or special and the number
// of the outcome in an outcomeTable.
type packed int32

// special is above the values that most terms have.
const special = 1 << 30

// outcomeTable are errors and large values, which are hardly ever met. The zero value is ready for use by many goroutines.
type outcomeTable struct {
	list    intern.Array[outcome]
	mu      sync.Mutex
	numbers map[outcomeKey]uint32
}

// An outcomeKey tells outcomes apart: an error by its place and its text.
type outcomeKey struct {
	value int64
	at    syntax.Pos
	err   string
}

func (o *outcomeTable) pack(value int64, err error) packed {
	if err == nil && -special <= value && value < special {
		return packed(value)
	}
	key := outcomeKey{value: value}
	if err != nil {
		key.err = err.Error()
	}
	var e *ir.Error
	if errors.As(err, &e) {
		key.at = e.Pos
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	n, ok := o.numbers[key]
	if !ok {
		if o.numbers == nil {
			o.numbers = make(map[outcomeKey]uint32)
		}
		n = uint32(len(o.numbers))
		*o.list.At(n) = outcome{value, err}
		o.numbers[key] = n
	}
	return special + packed(n)
}

func (o *outcomeTable) unpack(p packed) (int64, error) {
	if p < special {
		return int64(p), nil
	}
	rare := o.list.At(uint32(p - special))
	return rare.value, rare.err
}
