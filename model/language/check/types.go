package check

import (
	"cmp"
	"slices"
	"strings"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// names returns the names of the values of an enumeration.
func names(t *syntax.EnumType) []string {
	list := make([]string, len(t.Names))
	for i, id := range t.Names {
		list[i] = id.Name
	}
	return list
}

// typ finds the shape of a type and checks what it is made of.
func (c *checker) typ(s scope, t syntax.Type) *shape {
	if sh := c.inferType(s, t); sh != nil {
		return sh
	}
	return &shape{}
}

// inferType is typ, except that the shape of a type with an error may be nil.
func (c *checker) inferType(s scope, t syntax.Type) *shape {
	switch t := t.(type) {
	case *syntax.WordType:
		switch t.Word {
		case "bool":
			return aBoolean
		case "nat":
			return &shape{kind: intShape, nat: true}
		case "node":
			return anInteger
		}
		return c.dir()
	case *syntax.RangeType:
		c.ends(s, t.Lo, t.Hi)
		return anInteger
	case *syntax.EnumType:
		return c.enum(t)
	case *syntax.NamedType:
		return c.namedType(s, t)
	case *syntax.SetType:
		return c.collection(s, setShape, t.Elem, (*shape).scalar, "a set")
	case *syntax.ArrayType:
		if index := c.typ(s, t.Index); !isBad(index) && (index.kind != intShape || index.nat) {
			c.errs.Add(t.Index.TypePos(), "the indices of an array are integers in a range, or node")
			return nil
		}
		fit := func(e *shape) bool { return e.scalar() || e.kind == setShape }
		return c.collection(s, arrayShape, t.Elem, fit, "an array")
	}
	c.errs.Add(t.TypePos(), "unknown type")
	return nil
}

func (c *checker) collection(s scope, kind shapeKind, elem syntax.Type, fit func(*shape) bool, what string) *shape {
	e := c.typ(s, elem)
	if isBad(e) {
		return nil
	}
	if !fit(e) || e.nat {
		c.errs.Add(elem.TypePos(), "%s cannot have such elements", what)
		return nil
	}
	return &shape{kind: kind, elem: e}
}

// enum makes an enumeration, whose values must not be names of anything else.
func (c *checker) enum(t *syntax.EnumType) *shape {
	sh := &shape{kind: enumShape}
	listed := make(map[string]bool, len(t.Names))
	for _, id := range t.Names {
		if listed[id.Name] {
			c.errs.Add(id.Pos, "%s is listed twice", id.Name).Code = "duplicate-name"
			continue
		}
		listed[id.Name] = true
		c.enumerantName(id)
		sh.names = append(sh.names, id.Name)
	}
	sh = c.addEnum(sh)
	for _, id := range t.Names {
		c.referValue(id.Pos, sh, id.Name).at = id.Pos
	}
	return sh
}

func (c *checker) enumerantName(id *syntax.Ident) {
	if sym := c.values[id.Name]; sym != nil && !sym.givesWay() {
		c.errs.Add(id.Pos, "%s is already the name of %s", id.Name, sym.kind.a())
	}
}

// addEnum returns the enumeration with the names of sh that is already known, or else makes sh known.
func (c *checker) addEnum(sh *shape) *shape {
	for _, old := range c.enums {
		if sameShape(old, sh) {
			return old
		}
	}
	c.enums = append(c.enums, sh)
	return sh
}

// foreignTypes are hints for the names of types in other languages.
var foreignTypes = map[string]string{
	"int": aRange, "integer": aRange, "Int": aRange, "byte": "write 0..255", "natural": "write nat", "Nat": "write nat",
	"boolean": "write bool", "BOOLEAN": "write bool",
}

const aRange = "write a range, such as 0..9, or nat"

func (c *checker) namedType(s scope, t *syntax.NamedType) *shape {
	sym := c.values[t.Name]
	switch {
	case sym == nil:
		names := c.values.names(func(sym *symbol) bool { return sym.kind == typeSymbol })
		c.unknown(t.Pos, cmp.Or(foreignTypes[t.Name], syntax.Suggest(t.Name, names)), "unknown type %s", t.Name)
		return nil
	case sym.kind != typeSymbol:
		c.errs.Add(t.Pos, "%s is %s, not a type", t.Name, sym.kind.a())
		return nil
	case sym.order >= s.order:
		c.errs.Add(t.Pos, "%s is declared only after its use", t.Name)
		return nil
	}
	sym.used = true
	t.Binding = sym
	c.refer(t.Pos, sym)
	return sym.shape
}

// dir is the shape of directions. It is known from the start, so that its values are.
func (c *checker) dir() *shape { return c.enums[0] }

func isNode(t syntax.Type) bool {
	w, ok := t.(*syntax.WordType)
	return ok && w.Word == "node"
}

// numbered reports whether processes are addressed by number.
func (c *checker) numbered() bool {
	if c.file.Topology == nil {
		return false
	}
	return naming(c.file.Topology) == ir.ByNumber
}

// A shape is a type as far as it is known without parameter values: ranges, nodes and nat are all integers.
type shape struct {
	kind   shapeKind
	names  []string           // of an enumeration or a direction
	values map[string]*symbol // the symbols that they denote, as far as they are used
	elem   *shape             // of a set or an array
	nat    bool               // an integer without an upper end
}

type shapeKind int

const (
	badShape shapeKind = iota // already reported; fits every shape
	intShape
	boolShape
	enumShape
	dirShape
	setShape
	arrayShape
	channelShape
	messageShape
)

// The shapes of integers and booleans.
var (
	anInteger = &shape{kind: intShape}
	aBoolean  = &shape{kind: boolShape}
)

func isBad(s *shape) bool { return s == nil || s.kind == badShape }

// sameShape reports whether a value of one shape can take the place of a value of the other.
func sameShape(a, b *shape) bool {
	if isBad(a) || isBad(b) {
		return true
	}
	if a.kind != b.kind || !slices.Equal(a.names, b.names) {
		return false
	}
	return a.elem == nil || sameShape(a.elem, b.elem)
}

// scalar reports whether values of s can be elements of sets and arrays, drawn and quantified over.
func (s *shape) scalar() bool {
	switch s.kind {
	case setShape, arrayShape, channelShape, messageShape:
		return false
	}
	return true
}

// hasNames reports whether values of s are written as names.
func (s *shape) hasNames() bool { return s.kind == enumShape || s.kind == dirShape }

// nouns name the values of shapes. The values of enumerations have names of their own.
var nouns = [...]string{
	badShape: "mistake", intShape: "integer", boolShape: "boolean", enumShape: "", dirShape: "direction",
	setShape:   "set",
	arrayShape: "array", channelShape: "channel", messageShape: "message",
}

func (s *shape) String() string {
	switch {
	case s.kind == enumShape:
		return "one of " + s.plural()
	case s.elem != nil:
		return article(nouns[s.kind]) + " of " + s.elem.plural()
	}
	return article(nouns[s.kind])
}

func (s *shape) plural() string {
	switch {
	case s.kind == enumShape:
		return strings.Join(s.names, " | ")
	case s.elem != nil:
		return nouns[s.kind] + "s of " + s.elem.plural()
	}
	return nouns[s.kind] + "s"
}
