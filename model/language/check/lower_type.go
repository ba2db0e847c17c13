package check

import (
	"errors"
	"fmt"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// typeIf evaluates a type, which is absent if the condition does not hold.
func (b *builder) typeIf(t syntax.Type, cond syntax.Expr) *ir.Type {
	if !b.holds(cond) {
		return ir.AbsentType()
	}
	return b.typ(t)
}

// typ evaluates a type. If it makes no sense, that is reported and some other type is returned.
func (b *builder) typ(t syntax.Type) *ir.Type {
	switch t := b.resolved(t).(type) {
	case *syntax.BoolType:
		return ir.BoolType()
	case *syntax.NatType:
		return ir.NatType()
	case *syntax.NodeType:
		return ir.NodeType(b.protocol.N)
	case *syntax.DirType:
		return directions(b.file.Topology)
	case *syntax.RangeType:
		return b.rangeType(t)
	case *syntax.EnumType:
		return b.shapeType(b.types[t])
	case *syntax.SetType:
		return b.made(t.Pos)(b.setType(b.typ(t.Elem), t.Pos))
	case *syntax.ArrayType:
		index := b.typ(t.Index)
		return b.made(t.Pos)(ir.ArrayType(ir.IntType(index.Lo, index.Hi), b.typ(t.Elem)))
	}
	return ir.BoolType()
}

func (b *builder) rangeType(t *syntax.RangeType) *ir.Type {
	lo, hi := b.constant(t.Lo, nil).Value, b.constant(t.Hi, nil).Value
	if lo > hi {
		b.errs.Add(t.Pos, "the range %d..%d is empty", lo, hi)
		return ir.IntType(lo, lo)
	}
	return ir.IntType(lo, hi)
}

// setType returns the type of the sets of elements of a type. If it is a wide one, that is noted.
func (b *builder) setType(elem *ir.Type, pos syntax.Pos) (*ir.Type, error) {
	t, err := ir.SetType(elem)
	if err == nil || !isInteger(elem) {
		return t, err
	}
	wide, err := ir.WideSetType(elem)
	if err == nil {
		b.large(pos, "%s has more than 63 possible elements", wide)
	}
	return wide, err
}

// large notes what keeps the system from being compiled.
func (b *builder) large(pos syntax.Pos, format string, args ...any) {
	b.protocol.Large = append(b.protocol.Large, ir.Warning{Pos: pos, Text: fmt.Sprintf(format, args...)})
}

// made reports a type that cannot be made.
func (b *builder) made(pos syntax.Pos) func(*ir.Type, error) *ir.Type {
	return func(t *ir.Type, err error) *ir.Type {
		if err != nil {
			b.errs.Add(pos, "%s", err)
			return ir.BoolType()
		}
		return t
	}
}

// setOf returns the type of the sets of elements of a type. If it cannot be made, that is reported, and ok is false.
func (b *builder) setOf(elem *ir.Type, pos syntax.Pos) (t *ir.Type, ok bool) {
	t, err := b.setType(elem, pos)
	if err == nil {
		return t, true
	}
	b.errs.Add(pos, "%s", err)
	t, _ = ir.SetType(ir.BoolType())
	return t, false
}

// shapeType returns the type with the fewest values that is known without looking at ranges. Arrays have
// none; they get an absent type.
func (b *builder) shapeType(sh *shape) *ir.Type {
	switch sh.kind {
	case boolShape:
		return ir.BoolType()
	case enumShape:
		return ir.EnumType(sh.names...)
	case dirShape:
		return directions(b.file.Topology)
	case intShape:
		return ir.IntType(0, 0)
	case setShape:
		if t, err := ir.SetType(b.shapeType(sh.elem)); err == nil {
			return t
		}
	}
	return ir.AbsentType()
}

// isInteger reports whether values of t are integers, in whatever range.
func isInteger(t *ir.Type) bool { return t.Kind == ir.Int || t.Kind == ir.Nat || t.Kind == ir.Node }

// exactly returns the type of the one value v of t, as exact as ranges go.
func exactly(t *ir.Type, v int64) *ir.Type {
	if isInteger(t) {
		return ir.IntType(v, v)
	}
	return t
}

// hull returns the least type that has the values of both types, which are of one shape.
func hull(a, b *ir.Type) (*ir.Type, error) {
	switch {
	case a.Kind == ir.Absent:
		return b, nil
	case b.Kind == ir.Absent:
		return a, nil
	case isInteger(a):
		if a.Within(b) {
			return b, nil
		}
		return ir.IntType(min(a.Lo, b.Lo), max(a.Hi, b.Hi)), nil
	case a.Kind == ir.Set:
		elem, err := hull(a.Elem, b.Elem)
		if err != nil {
			return nil, err
		}
		if a.Wide || b.Wide {
			return ir.WideSetType(elem)
		}
		return ir.SetType(elem)
	case a.Kind == ir.Array:
		if !a.Index.Within(b.Index) || !b.Index.Within(a.Index) {
			return nil, errors.New("arrays with different indices, " + a.Index.String() + " and " + b.Index.String())
		}
		elem, err := hull(a.Elem, b.Elem)
		if err != nil {
			return nil, err
		}
		return ir.ArrayType(a.Index, elem)
	}
	return a, nil
}
