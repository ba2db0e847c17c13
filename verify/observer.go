package verify

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"sync"

	"ringcheck/explore"
	"ringcheck/internal/effort"
	"ringcheck/internal/intern"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// A classifier is an observer with the outcomes of the properties in the states of each class.
type classifier interface {
	explore.Observer
	outcomes(class uint32) []outcome // by property
	classes() int                    // the number of classes
}

// maxValueProperties is the maximum number of properties of a system of values.
const maxValueProperties = 64

// A valueObserver classifies the states of a system of one slot, whose properties are functions of Go: by the set of
// the properties that hold.
type valueObserver struct {
	properties int
	holds      func(property int, v model.Value) bool
	sets       intern.Values[uint64]
}

// Leaf implements explore.Observer.
func (o *valueObserver) Leaf(int) func(v model.Value) uint32 {
	return func(v model.Value) uint32 {
		var set uint64
		for i := range o.properties {
			if o.holds(i, v) {
				set |= 1 << i
			}
		}
		return o.sets.Number(set)
	}
}

// Join implements explore.Observer. Nothing is right of the slot.
func (o *valueObserver) Join(_, _, _ int) func(left, right uint32) uint32 {
	return func(left, _ uint32) uint32 { return left }
}

func (o *valueObserver) outcomes(class uint32) []outcome {
	set := *o.sets.At(class)
	all := make([]outcome, o.properties)
	for i := range all {
		all[i].value = int64(set >> i & 1)
	}
	return all
}

func (o *valueObserver) classes() int { return o.sets.Len() }

// An observer classifies parts of states by their summaries: see summarize. The class of a whole state determines the
// values of some expressions, the bodies. The spans of its terms are of slots of the protocol; each slot of the
// searched system represents width of them.
type observer struct {
	sys        *compile.System
	cells      model.Cells // nil if slots are not cells
	width      int
	order      []int     // the order in which slots are read; nil: ascending
	terms      []*term   // all terms, including the slots
	roots      []ir.Expr // by body: its term, or a constant
	tops       []*term   // the terms of the bodies, and the watched terms
	evaluation sync.Pool // of *evaluation
	table      outcomeTable

	mu         sync.Mutex
	numberings map[span]*numbering
}

// newObserver returns an observer of bodies that also looks for states in which the watched instances hold. It reads
// the slots in the given order unless that is nil. It panics when ctx ends, also when it is used: see package effort.
func newObserver(ctx context.Context, s Verifier, bodies []ir.Expr, watched []*instance, order []int) *observer {
	o := &observer{sys: s.System, cells: s.cells(), width: s.width(), order: order}
	o.numberings = make(map[span]*numbering)
	x := newExpander(ctx, s.System, s.Memory)
	for i, slot := range order {
		x.slots[slot].span = span{i, i + 1}
	}
	for _, b := range bodies {
		o.roots = append(o.roots, x.property(b))
	}
	for _, i := range watched {
		x.watch(i)
	}
	o.terms = x.graph()
	for _, t := range o.terms {
		if t.root || t.watched != nil {
			o.tops = append(o.tops, t)
		}
	}
	o.evaluation.New = func() any { return newEvaluation(ctx, o.sys, x.slots, len(o.terms), &o.table) }
	return o
}

// Leaf implements explore.Observer.
func (o *observer) Leaf(slot int) func(v model.Value) uint32 {
	here := o.span(slot, slot+1)
	classify := o.classifier(here)
	if o.order != nil {
		slot = o.order[slot]
	}
	return func(v model.Value) uint32 {
		return classify(func(e *evaluation) {
			if o.cells == nil {
				e.set(e.slots[slot], e.table.pack(int64(v), nil))
				return
			}
			for i, v := range o.cells.Cell(v) {
				e.set(e.slots[here.first+i], e.table.pack(int64(v), nil))
			}
		})
	}
}

// Join implements explore.Observer.
func (o *observer) Join(first, mid, end int) func(left, right uint32) uint32 {
	l, r := o.span(first, mid), o.span(mid, end)
	classify := o.classifier(o.span(first, end), l, r)
	lefts, rights := &o.numbering(l).classes, &o.numbering(r).classes
	return func(left, right uint32) uint32 {
		return classify(func(e *evaluation) {
			e.load(*lefts.At(left))
			e.load(*rights.At(right))
		})
	}
}

// span returns the slots of the protocol for some slots of the searched system.
func (o *observer) span(first, end int) span { return span{first * o.width, end * o.width} }

// classifier returns a function that returns the class of a part, given a function that loads the summaries of its
// halves.
func (o *observer) classifier(part span, halves ...span) func(load func(e *evaluation)) uint32 {
	s := o.numbering(part)
	var watched []*term // terms within the part but not within a half
	for _, t := range o.tops {
		known := func(half span) bool { return half.contains(t.span) }
		if t.watched != nil && part.contains(t.span) && !slices.ContainsFunc(halves, known) {
			watched = append(watched, t)
		}
	}
	return func(load func(e *evaluation)) uint32 {
		e := o.evaluation.Get().(*evaluation)
		defer o.evaluation.Put(e)
		e.begin()
		load(e)
		e.watch(watched)
		return s.class(e, e.summarize(part, o.tops))
	}
}

func (o *observer) numbering(s span) *numbering {
	o.mu.Lock()
	defer o.mu.Unlock()
	sum := o.numberings[s]
	if sum == nil {
		sum = &numbering{numbers: make(map[string]uint32)}
		o.numberings[s] = sum
	}
	return sum
}

// outcomes returns the values of the bodies in the states of a class.
func (o *observer) outcomes(class uint32) []outcome {
	e := o.evaluation.Get().(*evaluation)
	defer o.evaluation.Put(e)
	e.begin()
	e.load(*o.wholeStates().classes.At(class))
	var all []outcome
	for _, root := range o.roots {
		v, err := root.Eval(&e.env)
		all = append(all, outcome{v, err})
	}
	return all
}

// wholeStates returns the numbering of whole states.
func (o *observer) wholeStates() *numbering {
	return o.numbering(o.span(0, len(o.sys.Slots())/o.width))
}

// classes returns the number of classes of whole states that have been found.
func (o *observer) classes() int {
	s := o.wholeStates()
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.numbers)
}

// A numbering numbers the summaries of a part of states.
type numbering struct {
	mu      sync.Mutex
	numbers map[string]uint32
	classes intern.Array[[]termOutcome]
}

// class returns the number of a summary.
func (s *numbering) class(e *evaluation, told []termOutcome) uint32 {
	key := e.encode(told)
	s.mu.Lock()
	defer s.mu.Unlock()
	n, ok := s.numbers[string(key)]
	if !ok {
		n = uint32(len(s.numbers))
		*s.classes.At(n) = slices.Clone(told)
		s.numbers[string(key)] = n
	}
	return n
}

// An evaluation evaluates terms in a part of a state, given the outcomes of some terms, for one goroutine. It is the
// ir.View of expressions that read processes and channels.
type evaluation struct {
	sys        *compile.System
	slots      []*term
	env        ir.Env
	outcomes   []packedOutcome // by term: its outcome
	knownSince []uint32        // by term: the time at which it became known
	now        uint32
	table      *outcomeTable
	key        []byte
	// See summarize.
	part    span
	summary []termOutcome
	visited []uint32 // by term: the time of its last visit
	open    []uint32 // by term: the time at which it was found not to be certain
}

var _ ir.View = (*evaluation)(nil)

// newEvaluation returns an evaluation that panics when ctx ends, see package effort.
func newEvaluation(
	ctx context.Context, sys *compile.System, slots []*term, terms int, table *outcomeTable,
) *evaluation {
	e := &evaluation{sys: sys, slots: slots, table: table}
	bound := effort.Effort{Context: ctx}
	e.env = ir.Env{Vars: make([]int64, sys.Protocol().EnvSize), State: e, Tick: bound.Tick}
	e.outcomes, e.knownSince = make([]packedOutcome, terms), make([]uint32, terms)
	e.visited, e.open = make([]uint32, terms), make([]uint32, terms)
	return e
}

// begin begins the evaluation of another part.
func (e *evaluation) begin() {
	if e.now++; e.now == 0 {
		clear(e.knownSince)
		clear(e.visited)
		clear(e.open)
		e.now = 1
	}
}

// load sets the outcomes of the terms of a summary.
func (e *evaluation) load(told []termOutcome) {
	for _, t := range told {
		e.set(t.term, t.outcome)
	}
}

func (e *evaluation) set(t *term, p packedOutcome) { e.outcomes[t.id], e.knownSince[t.id] = p, e.now }

// value returns the outcome of t.
func (e *evaluation) value(t *term) packedOutcome {
	if e.knownSince[t.id] == e.now {
		return e.outcomes[t.id]
	}
	p := e.table.pack(t.expr.Eval(&e.env))
	e.set(t, p)
	return p
}

// watch evaluates terms and marks the true and the undefined ones.
func (e *evaluation) watch(terms []*term) {
	for _, t := range terms {
		if t.watched[0].seen.Load() {
			continue
		}
		for _, i := range t.watched {
			i.record(e.table.unpack(e.value(t)))
		}
	}
}

// encode returns a summary as a key.
func (e *evaluation) encode(told []termOutcome) []byte {
	e.key = e.key[:0]
	for _, t := range told {
		e.key = binary.AppendVarint(binary.AppendUvarint(e.key, uint64(t.term.id)), int64(t.outcome))
	}
	return e.key
}

func (e *evaluation) slot(i int) model.Value {
	v, _ := e.table.unpack(e.value(e.slots[i])) // it is known and no error
	return model.Value(v)
}

// Seen implements ir.View.
func (e *evaluation) Seen(p int) ir.Local { return e.sys.Seen(e.slot(e.sys.SlotOfProcess(p))) }

// Channel implements ir.View.
func (e *evaluation) Channel(link int) []ir.Content {
	return e.sys.Contents(e.slot(e.sys.SlotOfLink(link)))
}

// SharedValue implements ir.View.
func (e *evaluation) SharedValue(slot int) int64 {
	return e.sys.SharedValue(e.slot(e.sys.SlotOfShared(slot)))
}

// An outcome is the result of evaluating a term.
type outcome struct {
	value int64
	err   error // an *ir.Error, or the error of a value that is undefined in the state
}

// A packed is an outcome in 4 bytes: a small value as it is, or special plus its number in an outcomeTable.
type packedOutcome int32

// special is above the values that most terms have.
const special = 1 << 30

// An outcomeTable numbers errors and large values, which are rare. Its zero value is ready for use by many goroutines.
type outcomeTable struct {
	list    intern.Array[outcome]
	mu      sync.Mutex
	numbers map[outcomeKey]uint32
}

// An outcomeKey identifies an outcome: an error by its position and text.
type outcomeKey struct {
	value int64
	at    syntax.Pos
	err   string
}

func (o *outcomeTable) pack(value int64, err error) packedOutcome {
	if err == nil && -special <= value && value < special {
		return packedOutcome(value)
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
	return special + packedOutcome(n)
}

func (o *outcomeTable) unpack(p packedOutcome) (int64, error) {
	if p < special {
		return int64(p), nil
	}
	rare := o.list.At(uint32(p - special))
	return rare.value, rare.err
}
