package verify

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"ringcheck/explore"
	"ringcheck/internal/intern"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
)

// An observer classifies parts of states by what is told of them: see tell. The class of a whole state is the values of
// some expressions, the bodies. The spans of its terms are of slots of the protocol, of which each slot of the system
// that is searched stands for one, or as many others.
type observer struct {
	sys        *compile.System
	cells      model.Cells // nil: one
	width      int
	order      []int     // the slots in the order in which they are read; nil: as they are
	terms      []*term   // by the first slot of their spans
	from       []int     // by slot: the first of terms that begins there or later
	roots      []ir.Expr // by body: its term, or a constant
	tops       []*term   // the terms of the bodies, and those that are watched
	evaluation sync.Pool // of *evaluation
	table      outcomeTable

	mu        sync.Mutex
	summaries map[span]*summary
}

var _ explore.Observer = (*observer)(nil)

// newObserver returns an observer of bodies that also watches for states in which something holds. What takes too long,
// here and when it is asked, ends with ctx: see package effort.
func newObserver(ctx context.Context, s Subject, bodies []ir.Expr, watched []*instance) *observer {
	o := &observer{sys: s.System, cells: s.cells(), width: s.width(), summaries: make(map[span]*summary)}
	o.prepare(ctx, newExpander(ctx, s.System, s.Memory), bodies, watched)
	return o
}

// prepare makes the terms.
func (o *observer) prepare(ctx context.Context, x *expander, bodies []ir.Expr, watched []*instance) {
	for _, b := range bodies {
		o.roots = append(o.roots, x.property(b))
	}
	for _, e := range watched {
		x.watch(e)
	}
	o.terms = x.graph()
	slices.SortStableFunc(o.terms, func(a, b *term) int { return cmp.Compare(a.span.first, b.span.first) })
	for i, t := range o.terms {
		if t.root || t.watched != nil {
			o.tops = append(o.tops, t)
		}
		for len(o.from) <= t.span.first {
			o.from = append(o.from, i)
		}
	}
	o.evaluation.New = func() any { return newEvaluation(ctx, o.sys, x.slots, len(o.terms), &o.table) }
}

// within returns the terms of a part that wanted chooses.
func (o *observer) within(s span, wanted func(t *term) bool) (chosen []*term) {
	for i := o.begin(s.first); i < o.begin(s.end); i++ {
		if t := o.terms[i]; s.contains(t.span) && wanted(t) {
			chosen = append(chosen, t)
		}
	}
	return chosen
}

// begin returns the first of the terms that begins at a slot or later.
func (o *observer) begin(slot int) int {
	if slot >= len(o.from) {
		return len(o.terms)
	}
	return o.from[slot]
}

// Leaf implements explore.Observer.
func (o *observer) Leaf(slot int) func(v model.Value) uint32 {
	slots := o.span(slot, slot+1)
	s := o.summary(slots)
	watched := o.watched(slots)
	return func(v model.Value) uint32 {
		e := o.evaluation.Get().(*evaluation)
		defer o.evaluation.Put(e)
		e.begin()
		if o.cells == nil {
			e.set(e.slots[o.slot(slot)], e.table.pack(int64(v), nil))
			e.watch(watched)
			return o.class(s, e)
		}
		for i, v := range o.cells.Cell(v) {
			e.set(e.slots[slots.first+i], e.table.pack(int64(v), nil))
		}
		e.watch(watched)
		return o.class(s, e)
	}
}

// slot returns the slot of the protocol that is read at a place.
func (o *observer) slot(place int) int {
	if o.order == nil {
		return place
	}
	return o.order[place]
}

// span returns the slots of the protocol that some of the searched system stand for.
func (o *observer) span(first, end int) span { return span{first * o.width, end * o.width} }

// Join implements explore.Observer.
func (o *observer) Join(first, mid, end int) func(left, right uint32) uint32 {
	l, r, s := o.summary(o.span(first, mid)), o.summary(o.span(mid, end)), o.summary(o.span(first, end))
	watched := o.watched(o.span(first, end), o.span(first, mid), o.span(mid, end))
	return func(left, right uint32) uint32 {
		e := o.evaluation.Get().(*evaluation)
		defer o.evaluation.Put(e)
		e.begin()
		e.load(*l.classes.At(left))
		e.load(*r.classes.At(right))
		e.watch(watched)
		return o.class(s, e)
	}
}

// watched returns the terms to watch that can be told in s but in none of the parts of it.
func (o *observer) watched(s span, parts ...span) []*term {
	return o.within(s, func(t *term) bool {
		return t.watched != nil && !slices.ContainsFunc(parts, func(p span) bool { return p.contains(t.span) })
	})
}

func (o *observer) summary(s span) *summary {
	o.mu.Lock()
	defer o.mu.Unlock()
	sum := o.summaries[s]
	if sum == nil {
		sum = &summary{part: s, numbers: make(map[string]uint32)}
		o.summaries[s] = sum
	}
	return sum
}

// outcomes returns the values of the bodies in the states of a class.
func (o *observer) outcomes(class uint32) []outcome {
	whole := o.whole()
	e := o.evaluation.Get().(*evaluation)
	defer o.evaluation.Put(e)
	e.begin()
	e.load(*whole.classes.At(class))
	var all []outcome
	for _, root := range o.roots {
		v, err := root.Eval(&e.env)
		all = append(all, outcome{v, err})
	}
	return all
}

// whole is what is seen of whole states.
func (o *observer) whole() *summary {
	return o.summary(o.span(0, max(2, len(o.sys.Slots())/o.width)))
}

// classes returns the number of classes of whole states that have been met.
func (o *observer) classes() int {
	s := o.whole()
	s.mu.Lock()
	defer s.mu.Unlock()
	return int(s.count)
}

// A summary numbers what is told of a part.
type summary struct {
	part    span
	mu      sync.Mutex
	numbers map[string]uint32
	classes intern.Array[[]telling]
	count   uint32
}

// class returns the number of what is told of a part, of which e knows the halves.
func (o *observer) class(s *summary, e *evaluation) uint32 {
	told := e.tell(s.part, o.tops)
	key := e.encode(told)
	s.mu.Lock()
	defer s.mu.Unlock()
	if n, ok := s.numbers[string(key)]; ok {
		return n
	}
	n := s.count
	*s.classes.At(n) = slices.Clone(told)
	s.numbers[string(key)] = n
	s.count++
	return n
}
