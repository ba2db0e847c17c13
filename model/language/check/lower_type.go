package check

import (
	"fmt"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// typ lowers a type. If it is invalid with the given settings, that is reported and some other type is returned.
func (b *builder) typ(t syntax.Type) *ir.Type {
	switch t := t.(type) {
	case *syntax.WordType:
		return b.wordType(t.Word)
	case *syntax.RangeType:
		return b.rangeType(t)
	case *syntax.EnumType:
		return ir.EnumType(names(t)...)
	case *syntax.NamedType:
		return b.typ(symbolOf(t.Binding).decl.(*syntax.TypeDecl).Type)
	case *syntax.SetType:
		set, _ := b.setOf(b.typ(t.Elem), t.Pos)
		return set
	case *syntax.ArrayType:
		index := b.typ(t.Index)
		if index.Kind != ir.Node {
			index = ir.IntType(index.Lo, index.Hi)
		}
		array, err := ir.ArrayType(index, b.typ(t.Elem))
		if err != nil {
			b.errs.Add(t.Pos, "%s", err)
			return ir.AbsentType()
		}
		return array
	}
	panic(fmt.Sprintf("check: %T cannot be lowered", t))
}

// wordType returns the type that a word denotes.
func (b *builder) wordType(word string) *ir.Type {
	switch word {
	case "bool":
		return ir.BoolType()
	case "nat":
		return ir.NatType()
	case "node":
		return ir.NodeType(b.protocol.N)
	}
	return directions(b.file.Topology)
}

// typeIf lowers a type, which is absent if the condition does not hold.
func (b *builder) typeIf(t syntax.Type, cond syntax.Expr) *ir.Type {
	if !b.holds(cond) {
		return ir.AbsentType()
	}
	return b.typ(t)
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

// large records why the system cannot be compiled, only simulated.
func (b *builder) large(pos syntax.Pos, format string, args ...any) {
	b.protocol.Large = append(b.protocol.Large, ir.Warning{Pos: pos, Text: fmt.Sprintf(format, args...)})
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
