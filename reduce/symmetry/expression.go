package symmetry

import (
	"slices"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// Node implements ir.Domain.
func (d *effects) Node(e ir.Expr, of ir.Parts[effect]) effect {
	parts := of.All()
	if slices.Contains(parts, unknownChange) {
		return unknownChange
	}
	pos := ir.PosOf(e)
	if pos == (syntax.Pos{}) {
		pos = d.pos
	}
	switch e := e.(type) {
	case *ir.Const:
		if d.exchanged(e.T) && (e.Value != 0 || e.T.Kind != ir.Set) {
			return effect{sort: d.sortOf(e.T)} // its image is in another place of the text: see matching
		}
		return effect{sort: d.sortOf(e.T), constant: true, value: e.Value, of: e.T}
	case *ir.VarRef:
		return effect{sort: d.sortOfStored(e.Var.Type)}
	case *ir.SharedVar:
		return effect{sort: d.sortOfStored(e.Var.Type)}
	case *ir.Unary:
		return d.unary(e, parts[0], pos)
	case *ir.Binary:
		return d.binary(e, parts[0], parts[1], pos)
	case *ir.Cond:
		if !d.as(parts[0], plain, pos) {
			return unknownChange
		}
		return d.join(parts[1], parts[2], pos)
	case *ir.Convert:
		if parts[0].constant || d.fits(parts[0], e.To) {
			return parts[0]
		}
		return d.result(d.sortOf(e.To), d.as(parts[0], d.sortOf(e.To), pos))
	case *ir.SetLit, *ir.Interval, *ir.Index, *ir.Update, *ir.Fill:
		return d.collection(e, parts, pos)
	}
	return d.stateful(e, parts, pos)
}

// exchanged reports whether permutations change the values of a type, and only by exchanging directions.
func (d *effects) exchanged(t *ir.Type) bool {
	return !namesProcess(t) && d.sortOf(t) != plain
}

func isConst(e ir.Expr) bool {
	_, ok := e.(*ir.Const)
	return ok
}

// result returns the effect on a value of a sort if ok.
func (d *effects) result(s sort, ok bool) effect {
	if !ok {
		return unknownChange
	}
	return effect{sort: s}
}

// sorts reports whether values are of given sorts.
func (d *effects) sorts(values []effect, pos syntax.Pos, want ...sort) bool {
	ok := true
	for i, s := range want {
		ok = d.as(values[i], s, pos) && ok
	}
	return ok
}

// isSet reports whether a value is a set of processes, or of what names them.
func isSet(e ir.Expr, x effect) bool {
	return e.Type().Kind == ir.Set && x.sort != plain && !x.constant
}

func (d *effects) unary(e *ir.Unary, x effect, pos syntax.Pos) effect {
	switch {
	case e.Op == ir.Card && e.X.Type().Kind == ir.Set:
		return unchanged
	case e.Op == ir.Opposite:
		return d.result(x.sort, d.as(x, d.sortOf(e.T), pos))
	case (e.Op == ir.Least || e.Op == ir.Greatest) && isSet(e.X, x):
		return d.breaks(pos, "it takes the least or greatest of some processes or directions")
	}
	return d.result(plain, d.as(x, plain, pos))
}

func (d *effects) binary(e *ir.Binary, x, y effect, pos syntax.Pos) effect {
	switch e.Op {
	case ir.Eq, ir.Ne:
		if x.sort.congruent || y.sort.congruent {
			return d.breaks(pos, computed)
		}
		return d.result(plain, d.join(x, y, pos) != unknownChange)
	case ir.Union, ir.Minus:
		return d.join(x, y, pos)
	case ir.In:
		return d.membership(e, x, y, pos)
	case ir.Lt, ir.Le:
		return d.order(e, x, y, pos)
	}
	if x.ofProcess() || y.ofProcess() {
		return d.arithmetic(e, x, y, pos)
	}
	return d.result(plain, d.sorts([]effect{x, y}, pos, plain, plain))
}

func (d *effects) membership(e *ir.Binary, x, y effect, pos syntax.Pos) effect {
	switch {
	case !y.constant && y.sort == plain || x.sort == plain && !x.constant:
		return d.result(plain, d.sorts([]effect{x, y}, pos, plain, plain))
	case !y.constant && y.sort == setOf(process):
		return d.result(plain, d.as(x, process, pos))
	case !y.constant && y.sort != setOf(d.sortOf(e.Y.Type().Elem)):
		return d.breaks(pos, unclear)
	case !y.constant:
		return d.result(plain, d.as(x, d.sortOf(e.Y.Type().Elem), pos))
	case !x.constant:
		return d.result(plain, d.as(y, setOf(x.sort), pos))
	}
	return unchanged
}

// order returns the effect on a comparison. One with a constant divides the processes in two sets.
func (d *effects) order(e *ir.Binary, x, y effect, pos syntax.Pos) effect {
	holds := func(p, q int64) bool { return p < q || p == q && e.Op == ir.Le }
	set := make([]bool, d.protocol.N)
	switch {
	case x.sort == process && !x.constant && y.constant:
		for p := range set {
			set[p] = holds(int64(p), y.value)
		}
	case y.sort == process && !y.constant && x.constant:
		for p := range set {
			set[p] = holds(x.value, int64(p))
		}
	case x.sort == process && !x.constant || y.sort == process && !y.constant:
		return d.distinguishes(pos, "it compares the numbers of processes by their order", x, y)
	default:
		return d.result(plain, d.sorts([]effect{x, y}, pos, plain, plain))
	}
	d.stays(set, pos)
	return unchanged
}

// collection implements Node for sets and arrays.
func (d *effects) collection(e ir.Expr, parts []effect, pos syntax.Pos) effect {
	switch e := e.(type) {
	case *ir.SetLit:
		return d.setLit(e, parts, pos)
	case *ir.Interval:
		if !d.sorts(parts, pos, plain, plain) {
			return unknownChange
		}
		return unchanged
	case *ir.Index:
		t := e.X.Type()
		return d.result(d.sortOf(t.Elem), d.sorts(parts, pos, d.sortOf(t), d.sortOf(t.Index)))
	case *ir.Update:
		t := e.X.Type()
		return d.result(d.sortOf(t), d.sorts(parts, pos, d.sortOf(t), d.sortOf(t.Index), d.sortOf(t.Elem)))
	case *ir.Fill:
		return d.result(d.sortOf(e.T), d.as(parts[0], d.sortOf(e.T.Elem), pos))
	}
	return d.breaks(pos, unclear)
}

const unclear = "it is not known how it depends on the numbers of processes"

// setLit implements collection for a set of elements.
func (d *effects) setLit(e *ir.SetLit, elems []effect, pos syntax.Pos) effect {
	joined := effect{sort: plain, constant: true, of: e.T.Elem} // of no element
	for i, x := range elems {
		if i == 0 {
			joined = x
		} else if joined = d.join(joined, x, pos); joined == unknownChange {
			return unknownChange
		}
	}
	switch {
	case joined.constant: // a set with a constant element only, that could not be decided
		return d.result(plain, d.as(joined, plain, pos))
	case joined.sort == plain:
		return unchanged
	case joined.sort.congruent:
		return d.breaks(pos, computed)
	case joined.sort == process && (e.T.Elem.Lo > 0 || e.T.Elem.Hi < int64(d.protocol.N)-1):
		return d.breaks(pos, unclear)
	}
	return effect{sort: setOf(joined.sort)}
}

// stateful implements Node for what refers to processes and channels.
func (d *effects) stateful(e ir.Expr, parts []effect, pos syntax.Pos) effect {
	switch e := e.(type) {
	case *ir.At, *ir.BoundFor:
		return d.result(plain, d.as(parts[0], process, pos))
	case *ir.ProcessVar:
		return d.result(d.sortOfStored(e.Var.Type), d.as(parts[0], process, pos))
	case *ir.MessageIs:
		return d.result(plain, d.as(parts[0], messageSort, pos))
	case *ir.MessageField:
		return d.field(e, parts[0], pos)
	case *ir.Length:
		return d.result(plain, d.as(parts[0], channelSort, pos))
	case *ir.Inbox:
		return d.result(channelSort, d.sorts(parts, pos, process, d.address()))
	case *ir.Neighbour:
		return d.result(process, d.sorts(parts, pos, process, d.address()))
	case *ir.Peer:
		return d.result(process, d.as(parts[0], d.address(), pos))
	case *ir.Neighbours:
		elem := process
		if e.Ports {
			elem = d.address()
		}
		s := plain
		if elem != plain {
			s = setOf(elem)
		}
		return d.result(s, d.as(parts[0], process, pos))
	case *ir.Holds:
		return parts[0]
	}
	return d.breaks(pos, unclear)
}

// field implements Node for a field of a message, which may be of a different type in each kind of message.
func (d *effects) field(e *ir.MessageField, x effect, pos syntax.Pos) effect {
	s := unknownSort
	for id, i := range e.Fields {
		if i < 0 {
			continue
		}
		if t := d.sortOfStored(d.protocol.Messages[id].Fields[i].Type); s == unknownSort {
			s = t
		} else if s != t {
			return d.breaks(pos, "the field is a number in some messages, and a process in others")
		}
	}
	return d.result(s, s != unknownSort && d.as(x, messageSort, pos))
}

// Quantifier implements ir.Domain.
func (d *effects) Quantifier(q *ir.Quantifier, domain []effect, body func(effect) effect) effect {
	if slices.Contains(domain, unknownChange) {
		return unknownChange
	}
	binder := unchanged
	switch {
	case q.Over != nil:
		if !d.as(domain[0], channelSort, q.Pos) {
			return unknownChange
		}
		binder = effect{sort: messageSort}
	case d.sortOf(q.Var.Type) == process:
		if !domain[0].constant || !domain[1].constant {
			return d.breaks(q.Pos, unclear)
		}
		set := d.nodes(numbers(domain[0].value, domain[1].value))
		binder = membership(set)
		d.stays(set, q.Pos)
	case d.exchanged(q.Var.Type) && isConst(q.Lo) && isConst(q.Hi):
		binder = effect{sort: direction}
	case d.sortOf(q.Var.Type) != plain:
		return d.breaks(q.Pos, unclear)
	case !d.sorts(domain, q.Pos, plain, plain):
		return unknownChange
	}
	value := body(binder)
	if q.Op == ir.Unite {
		if value.constant { // the same set for each value
			return d.breaks(q.Pos, unclear)
		}
		return value
	}
	if binder != unchanged && q.Ordered() {
		return d.breaks(q.Pos, "the order of the summands may decide whether the sum overflows")
	}
	return d.result(plain, d.as(value, plain, q.Pos))
}

// numbers yields the numbers from lo to hi.
func numbers(lo, hi int64) func(yield func(int64) bool) {
	return func(yield func(int64) bool) {
		for v := lo; v <= hi && yield(v); v++ {
		}
	}
}

// Apply implements ir.Domain.
func (d *effects) Apply(e *ir.Apply, args []effect, body func([]effect) effect) effect {
	if slices.Contains(args, unknownChange) {
		return unknownChange
	}
	for i, p := range e.Define.Params {
		if !args[i].constant && !d.fits(args[i], p.Type) && !d.as(args[i], d.sortOf(p.Type), e.Pos) {
			return unknownChange
		}
	}
	pos := d.pos
	defer func() { d.pos = pos }()
	d.pos = e.Pos
	return d.applications.Of(e.Define, args, func() effect { return body(args) })
}
