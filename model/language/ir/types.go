package ir

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"ringcheck/model/language/topology"
)

// AbsentType returns the type of what a spec declares "if c" where c is false.
func AbsentType() *Type { return &Type{Kind: Absent} }

// BoolType returns the type of booleans, which must not be changed.
func BoolType() *Type { return boolType }

var boolType = &Type{Kind: Bool, Hi: 1}

// DirType returns the type of directions with the given names.
func DirType(names []string) *Type { return &Type{Kind: Dir, Hi: int64(len(names)) - 1, Names: names} }

// The values of a Dir in a ring or a line.
const (
	Left  = topology.Left
	Right = topology.Right
)

// IntType returns the type lo..hi.
func IntType(lo, hi int64) *Type { return &Type{Kind: Int, Lo: lo, Hi: hi} }

// NatType returns the type of the integers from 0 on.
func NatType() *Type { return &Type{Kind: Nat, Hi: math.MaxInt64} }

// NodeType returns the type of process numbers 0..n-1.
func NodeType(n int) *Type { return &Type{Kind: Node, Hi: int64(n) - 1} }

// EnumType returns an enumeration.
func EnumType(names ...string) *Type {
	return &Type{Kind: Enum, Hi: int64(len(names)) - 1, Names: names}
}

// maxBits is the number of bits of a value that a set or an array can use: all but the sign.
const maxBits = 63

// SetType returns the type of the sets of elements of a scalar type, which is an error if elem has more than 63 values.
func SetType(elem *Type) (*Type, error) {
	n, ok := elem.Size()
	if !ok || n > maxBits {
		return nil, fmt.Errorf("a set can have %d possible elements at most, %s has %s", maxBits, elem, count(n, ok))
	}
	return &Type{Kind: Set, Hi: int64(1)<<n - 1, Elem: elem}, nil
}

// ArrayType returns the type of arrays with one element for each value of index, a range. An element is a scalar or a
// set that is not wide. It is an error if the array does not fit in 63 bits.
func ArrayType(index, elem *Type) (*Type, error) {
	if elem.Wide {
		return nil, fmt.Errorf("an array cannot hold sets with more than %d possible elements", maxBits)
	}
	t := &Type{Kind: Array, Index: index, Elem: elem}
	n, ok := elem.Size()
	length, finite := index.Size()
	if !ok || !finite || length > maxBits || length*uint64(t.width()) > maxBits {
		return nil, fmt.Errorf("an array of %s elements with %s values each does not fit in %d bits",
			count(length, finite), count(n, ok), maxBits)
	}
	t.Hi = int64(1)<<(length*uint64(t.width())) - 1
	return t, nil
}

func count(n uint64, ok bool) string {
	if !ok {
		return "more than 2^64"
	}
	return strconv.FormatUint(n, 10)
}

// Size returns the number of values; ok is false if it is infinite or at least 2^64.
func (t *Type) Size() (n uint64, ok bool) {
	switch t.Kind {
	case Absent:
		return 1, true
	case Nat, ChannelRef, MessageRef:
		return 0, false
	case Array:
		elems, _ := t.Elem.Size()
		n = 1
		for range t.length() {
			n *= elems
		}
		return n, true
	}
	n = uint64(t.Hi) - uint64(t.Lo) + 1
	return n, n != 0
}

// Contains reports whether v is a value of t.
func (t *Type) Contains(v int64) bool {
	if v < t.Lo || v > t.Hi {
		return false
	}
	if t.Kind != Array {
		return true
	}
	for i := range t.length() {
		if !t.Elem.Contains(t.element(v, i)) {
			return false
		}
	}
	return true
}

// Scalar reports whether the values are numbers, booleans or names.
func (t *Type) Scalar() bool { return Absent < t.Kind && t.Kind < Set }

// Zero returns the least value of t, which is stored where the value does not matter.
func (t *Type) Zero() int64 { return t.Lo }

// Values yields the values of t in ascending order. A Nat has infinitely many.
func (t *Type) Values() iter.Seq[int64] {
	if t.Kind == Array {
		return t.arrays
	}
	return func(yield func(int64) bool) {
		for v := t.Lo; yield(v) && v < t.Hi; v++ {
		}
	}
}

// Random returns a value of a scalar or set type, each with the same probability.
func (t *Type) Random(r *rand.Rand) int64 {
	size, ok := t.Size()
	if !ok {
		return int64(r.Uint64())
	}
	return t.Lo + int64(r.Uint64N(size))
}

// arrays yields the values of an array type: the packed fields are the digits of a counter.
func (t *Type) arrays(yield func(int64) bool) {
	size, _ := t.Size()
	base, _ := t.Elem.Size()
	for code := range size {
		var v int64
		for i, rest := 0, code; rest > 0; i, rest = i+1, rest/base {
			v |= int64(rest%base) << (i * t.width())
		}
		if !yield(v) {
			return
		}
	}
}

// Elements yields the elements of the set v of type t in ascending order.
func (t *Type) Elements(v int64) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for rest := uint64(v); rest != 0; rest &= rest - 1 {
			if !yield(t.Elem.Lo + int64(bits.TrailingZeros64(rest))) {
				return
			}
		}
	}
}

// Has reports whether e is an element of the set v of type t.
func (t *Type) Has(v, e int64) bool { return v&t.bit(e) != 0 }

// bit returns the mask of the one element e of a set, 0 if e cannot be an element.
func (t *Type) bit(e int64) int64 {
	if !t.Elem.Contains(e) {
		return 0
	}
	return 1 << (e - t.Elem.Lo)
}

// length is the number of elements of an array.
func (t *Type) length() int { return int(t.Index.Hi - t.Index.Lo + 1) }

// Width is the number of bits of one element of an array.
func (t *Type) Width() int64 { return int64(t.width()) }

func (t *Type) width() int { return bits.Len64(uint64(t.Elem.Hi - t.Elem.Lo)) }

// element returns the element at position i, counted from 0, of the array v.
func (t *Type) element(v int64, i int) int64 {
	w := t.width()
	return t.Elem.Lo + v>>(i*w)&(1<<w-1)
}

// setElement returns the array v with the element at position i replaced.
func (t *Type) setElement(v int64, i int, e int64) int64 {
	w := t.width()
	field := int64(1<<w-1) << (i * w)
	return v&^field | (e-t.Elem.Lo)<<(i*w)
}

// String returns the type as a spec could write it.
func (t *Type) String() string {
	switch t.Kind {
	case Int, Node:
		return fmt.Sprintf("%d..%d", t.Lo, t.Hi)
	case Enum:
		return strings.Join(t.Names, " | ")
	case Set:
		return "set of " + t.Elem.String()
	case Array:
		return fmt.Sprintf("array %s of %s", t.Index, t.Elem)
	}
	return t.Kind.String()
}

func (k Kind) String() string {
	names := [...]string{
		Absent: "absent", Int: "int", Nat: "nat", Bool: "bool", Enum: "enum", Dir: "dir", Node: "node",
		Set: "set", Array: "array", ChannelRef: "channel", MessageRef: "message",
	}
	if k < 0 || int(k) >= len(names) {
		return "unknown kind"
	}
	return names[k]
}

// Format formats the value v of type t: 3, true, left, {1,3}, [0,2]; "-" if t is absent.
func (t *Type) Format(v int64) string {
	switch t.Kind {
	case Absent:
		return "-"
	case Bool:
		return strconv.FormatBool(v != 0)
	case Enum, Dir:
		if v >= 0 && v < int64(len(t.Names)) {
			return t.Names[v]
		}
	case Set:
		if t.Wide {
			return fmt.Sprintf("set %d", v)
		}
		return "{" + t.Elem.formatAll(t.Each(v)) + "}"
	case Array:
		return "[" + t.Elem.formatAll(t.Each(v)) + "]"
	}
	return strconv.FormatInt(v, 10)
}

// Each yields the elements of the array or set v; the set must not be wide.
func (t *Type) Each(v int64) iter.Seq[int64] {
	if t.Kind == Set {
		return t.Elements(v)
	}
	return func(yield func(int64) bool) {
		for i := range t.length() {
			if !yield(t.element(v, i)) {
				return
			}
		}
	}
}

// Of is the inverse of Each: it returns the array or set of the given elements; ok is false if they do not form one.
func (t *Type) Of(elements []int64) (v int64, ok bool) {
	ok = t.Kind == Set || len(elements) == t.length()
	for i, e := range elements {
		switch {
		case !ok || !t.Elem.Contains(e):
			return 0, false
		case t.Kind == Set:
			v |= t.bit(e)
		default:
			v = t.setElement(v, i, e)
		}
	}
	return v, ok
}

func (t *Type) formatAll(values iter.Seq[int64]) string {
	var parts []string
	for v := range values {
		parts = append(parts, t.Format(v))
	}
	return strings.Join(parts, ",")
}

// SubtypeOf reports whether every value of t is a value of u with the same representation. Both have the same kind,
// except that ranges, nodes and nat can be mixed. Absent is within itself only, and nothing else is within it.
func (t *Type) SubtypeOf(u *Type) bool {
	switch {
	case t.Kind == Absent || u.Kind == Absent:
		return t.Kind == u.Kind
	case t.Kind == Set:
		return t.Wide == u.Wide && (t.Wide || t.Elem.Lo == u.Elem.Lo) && t.Elem.SubtypeOf(u.Elem)
	case t.Kind == Array:
		return t.Index.equal(u.Index) && t.Elem.equal(u.Elem)
	}
	return t.Lo >= u.Lo && t.Hi <= u.Hi
}

func (t *Type) equal(u *Type) bool { return t.SubtypeOf(u) && u.SubtypeOf(t) }

// FormatFields formats an event or message: its name, and in parentheses the values of those fields that are not
// absent.
func FormatFields(name string, fields []Field, args []int64) string {
	var parts []string
	for i, f := range fields {
		if f.Type.Kind != Absent {
			parts = append(parts, f.Type.Format(args[i]))
		}
	}
	return inParentheses(name, parts, ",")
}

func inParentheses(name string, parts []string, comma string) string {
	if len(parts) == 0 {
		return name
	}
	return name + "(" + strings.Join(parts, comma) + ")"
}

// Contents yields the messages of a kind: with field i as given[i] unless that is nil, and all values of other fields.
func (m *Message) Contents(given []*int64) iter.Seq[Content] {
	return func(yield func(Content) bool) { m.fill(make([]int64, 0, len(m.Fields)), given, yield) }
}

// fill yields the lists of arguments that begin with args.
func (m *Message) fill(args []int64, given []*int64, yield func(Content) bool) bool {
	i := len(args)
	switch {
	case i == len(m.Fields):
		return yield(Content{Message: m, Args: slices.Clone(args)})
	case i < len(given) && given[i] != nil:
		return m.fill(append(args, *given[i]), given, yield)
	}
	for v := range m.Fields[i].Type.Values() {
		if !m.fill(append(args, v), given, yield) {
			return false
		}
	}
	return true
}

// String formats the message: M(1,1,true).
func (c Content) String() string { return FormatFields(c.Message.Name, c.Message.Fields, c.Args) }

// Compare orders messages by kind, then by their fields from left to right, older ones first.
func (c Content) Compare(d Content) int {
	return cmp.Or(cmp.Compare(c.Message.ID, d.Message.ID), slices.Compare(c.Args, d.Args), cmp.Compare(d.Age, c.Age))
}

// ProcessName returns the name of a process: process 3, coordinator, worker 3.
func (p *Protocol) ProcessName(process int) string {
	for _, k := range p.Kinds {
		switch {
		case process < k.First || process > k.Last:
		case k.Indexed:
			return fmt.Sprintf("%s %d", k.Name, process)
		default:
			return k.Name
		}
	}
	return fmt.Sprintf("process %d", process)
}

// FormatPort formats the target or source of a link: a direction, a process number or a port number.
func (p *Protocol) FormatPort(port int64) string {
	if p.Naming == ByDirection {
		return p.DirType().Format(port)
	}
	return strconv.FormatInt(port, 10)
}

// FormatLink names the channel Links[link] by its ends and, if processes are named by direction, also by the direction
// in which it sends: in a ring of two there are two channels each way.
func (p *Protocol) FormatLink(link int) string { return "channel " + p.FormatEnds(link) }

// FormatEnds returns FormatLink without the word channel: 0→1 (right).
func (p *Protocol) FormatEnds(link int) string {
	l := p.Link(link)
	if p.Naming != ByDirection {
		return fmt.Sprintf("%d→%d", l.From, l.To)
	}
	return fmt.Sprintf("%d→%d (%s)", l.From, l.To, p.FormatPort(l.Out))
}

// FormatContents formats the contents of a channel: {M(1,1,true)×2, M(2,1,false)}, where ×2 is the multiplicity of a
// message, or <M(1,1,true), M(2,1,false)> for a sequence, its head first. Equal messages of a multiset are adjacent in
// list.
func (p *Protocol) FormatContents(list []Content) string {
	var parts []string
	if p.Channel.Ordered() {
		for _, c := range list {
			parts = append(parts, p.formatAged(c))
		}
		return "<" + strings.Join(parts, ", ") + ">"
	}
	for i := 0; i < len(list); {
		first := i
		for i++; i < len(list) && list[i].Compare(list[first]) == 0; i++ {
		}
		part := p.formatAged(list[first])
		if n := i - first; n > 1 {
			part += fmt.Sprintf("×%d", n)
		}
		parts = append(parts, part)
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// formatAged formats a message, with its age if messages take time.
func (p *Protocol) formatAged(c Content) string {
	if !p.Time.Delay {
		return c.String()
	}
	return fmt.Sprintf("%s@%d", c, c.Age)
}

// FormatLocal formats a local state whose control point is called name: A2(id=1, bit=true).
func FormatLocal(name string, l Local) string {
	var parts []string
	for i, v := range l.Point.Live {
		if v.Type.Kind != Absent {
			parts = append(parts, v.Name+"="+v.Type.Format(l.Env[i]))
		}
	}
	return inParentheses(name, parts, ", ")
}

// PointNames returns the names of the control points, by ID: A2 is the start of an equation, A2:23 a point in its text
// on line 23, A2:23:7 that in column 7 if the line has several. In a process declaration the name is "process", or that
// of the kind of process.
func (p *Protocol) PointNames() []string {
	type line struct {
		text   string
		number int
	}
	points := make(map[line]int)
	for _, pt := range p.Points {
		if !pt.Start {
			points[line{pt.text(), pt.Pos.Line}]++
		}
	}
	names := make([]string, len(p.Points))
	for i, pt := range p.Points {
		names[i] = pt.text()
		if !pt.Start {
			several := points[line{names[i], pt.Pos.Line}] > 1
			if names[i] += fmt.Sprintf(":%d", pt.Pos.Line); several {
				names[i] += fmt.Sprintf(":%d", pt.Pos.Column)
			}
		}
	}
	return names
}

func (p *Point) text() string {
	switch {
	case p.Equation != nil:
		return p.Equation.Name
	case p.Kind != nil:
		return p.Kind.Name
	}
	return "process"
}
