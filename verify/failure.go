package verify

import (
	"math"

	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// A doubter finds out where the evaluation of a property can fail inside a quantifier over all processes. Such a
// quantifier asks one after the other until one decides, so that whether it comes to the process for which its body
// fails depends on their numbers. A failure anywhere else happens in all rotations of a state or in none.
//
// It follows how large values can be, since those of counts and sums are bounded by what there is to count, which their
// types do not say. It errs on the side of failure.
type doubter struct {
	sys    *compile.System
	sizes  map[*ir.Var]float64 // of the binders
	asking int                 // how many quantifiers over all processes there are around
	found  *syntax.Pos         // nil: nowhere
}

// Bounds of values.
const (
	huge      = 1 << 62 // what is less than that fits in 64 bits, however it was rounded
	maxDomain = 1 << 20 // of how many numbers a quantifier can range over
	maxLength = 1 << 32 // of a channel
)

// failure returns where evaluating a property can fail for some processes only, nil if nowhere.
func failure(property *ir.Property, sys *compile.System) *syntax.Pos {
	d := &doubter{sys: sys, sizes: make(map[*ir.Var]float64)}
	d.of(property.Body)
	return d.found
}

// fails notes that what stands at pos can fail.
func (d *doubter) fails(pos syntax.Pos) {
	if d.asking > 0 && d.found == nil {
		d.found = &pos
	}
}

// of returns a bound of the absolute value of e, and notes where its evaluation can fail.
func (d *doubter) of(e ir.Expr) float64 {
	return min(d.value(e), d.size(e.Type()))
}

// size is that of the values of a type.
func (d *doubter) size(t *ir.Type) float64 {
	return max(math.Abs(float64(t.Lo)), math.Abs(float64(t.Hi)))
}

// stored is the size of what is in a variable or message.
func (d *doubter) stored(t *ir.Type) float64 {
	if t.Kind == ir.Nat {
		return float64(d.sys.MaxNat())
	}
	return d.size(t)
}

func (d *doubter) value(e ir.Expr) float64 {
	switch e := e.(type) {
	case *ir.VarRef:
		return d.sizes[e.Var]
	case *ir.Quantifier:
		return d.quantifier(e)
	case *ir.Apply:
		return d.apply(e)
	case *ir.Binary:
		return d.binary(e)
	case *ir.Cond:
		d.of(e.If)
		return max(d.of(e.Then), d.of(e.Else))
	}
	parts := ir.Children(e)
	first := d.all(parts)
	switch e := e.(type) {
	case *ir.Const:
		return math.Abs(float64(e.Value))
	case *ir.ProcessVar:
		return d.stored(e.Var.Type)
	case *ir.MessageField:
		return d.field(e)
	case *ir.Length:
		return maxLength
	case *ir.Unary:
		return d.unary(e, first)
	case *ir.Convert:
		if !e.X.Type().Within(e.To) {
			d.fails(e.Pos)
		}
		return first
	case *ir.SetLit:
		d.within(e.Elems, e.T.Elem, e.Pos)
	case *ir.Interval:
		d.within(parts, e.T.Elem, e.Pos)
	case *ir.Index:
		d.within([]ir.Expr{e.I}, e.X.Type().Index, e.Pos)
	case *ir.Update:
		d.within([]ir.Expr{e.I}, e.X.Type().Index, e.Pos)
	}
	return math.Inf(1) // the type says it
}

// all goes through expressions and returns what the first one is bounded by.
func (d *doubter) all(list []ir.Expr) (first float64) {
	for i, e := range list {
		if size := d.of(e); i == 0 {
			first = size
		}
	}
	return first
}

// within notes a failure if one of the numbers can be out of a range.
func (d *doubter) within(numbers []ir.Expr, t *ir.Type, pos syntax.Pos) {
	for _, e := range numbers {
		if x := e.Type(); x.Lo < t.Lo || x.Hi > t.Hi {
			d.fails(pos)
		}
	}
}

func (d *doubter) field(e *ir.MessageField) (size float64) {
	for _, m := range d.sys.Protocol().Messages {
		if i := e.Fields[m.ID]; i >= 0 {
			size = max(size, d.stored(m.Fields[i].Type))
		}
	}
	return size
}

func (d *doubter) quantifier(q *ir.Quantifier) float64 {
	length := float64(maxLength)
	if q.Over != nil {
		d.of(q.Over)
		d.sizes[q.Var] = math.Inf(1) // a reference
	} else {
		lo, hi := d.of(q.Lo), d.of(q.Hi)
		d.sizes[q.Var] = max(lo, hi)
		if length = lo + hi + 1; length > maxDomain {
			d.fails(q.Pos)
		}
		length = min(length, maxDomain)
	}
	// Messages and numbers are asked in the same order in all rotations.
	if everyone(q, int64(d.sys.Protocol().N)) {
		d.asking++
		defer func() { d.asking-- }()
	}
	body := d.of(q.Body)
	if q.Op != ir.Sum {
		return 1
	}
	if length*body >= huge {
		d.fails(q.Pos)
	}
	return length * body
}

// apply looks into a definition with its parameters as large as the arguments are.
func (d *doubter) apply(e *ir.Apply) float64 {
	sizes := make([]float64, len(e.Args))
	for i, a := range e.Args {
		sizes[i] = d.of(a)
	}
	for i, p := range e.Define.Params {
		d.sizes[p] = sizes[i]
	}
	return d.of(e.Define.Body)
}

func (d *doubter) unary(e *ir.Unary, x float64) float64 {
	switch {
	case e.Op == ir.Log2Ceil && e.X.Type().Lo <= 0, (e.Op == ir.Neg || e.Op == ir.Abs) && x >= huge:
		d.fails(e.Pos)
	case e.Op == ir.Neg, e.Op == ir.Abs:
		return x
	}
	return math.Inf(1)
}

func (d *doubter) binary(e *ir.Binary) float64 {
	x, y := d.of(e.X), d.of(e.Y)
	t := e.Y.Type()
	size := max(x, y)
	fits := true
	switch e.Op {
	case ir.Add, ir.Sub:
		size = x + y
	case ir.Mul:
		size = x * y
	case ir.Pow:
		size = math.Pow(max(x, 1), y)
		fits = t.Lo >= 0
	case ir.Div, ir.Mod:
		fits = t.Lo > 0 || t.Hi < 0
	case ir.Min, ir.Max:
		return size
	default: // never fails
		return math.Inf(1)
	}
	if !fits || size >= huge {
		d.fails(e.Pos)
	}
	return size
}
