package ir

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"

	"ringcheck/model/language/syntax"
)

type (
	// SetLit is {a, b}.
	SetLit struct {
		Elems []Expr
		T     *Type
		Pos   syntax.Pos
	}
	// Interval is the set of the integers from Lo to Hi; empty if Lo > Hi.
	Interval struct {
		Lo, Hi Expr
		T      *Type
		Pos    syntax.Pos
	}
	// Index is an element of the array X.
	Index struct {
		X, I Expr
		Pos  syntax.Pos
	}
	// Update is the array X with the element at I replaced by Value, whose values are in the element type.
	Update struct {
		X, I, Value Expr
		Pos         syntax.Pos
	}
	// Fill is the array all of whose elements are Value.
	Fill struct {
		Value Expr
		T     *Type
	}
)

func (e *SetLit) Type() *Type   { return e.T }
func (e *Interval) Type() *Type { return e.T }
func (e *Index) Type() *Type    { return e.X.Type().Elem }
func (e *Update) Type() *Type   { return e.X.Type() }
func (e *Fill) Type() *Type     { return e.T }

func (e *SetLit) Eval(env *Env) (int64, error) {
	var set int64
	var list []int32 // the elements of a wide set
	for _, elem := range e.Elems {
		x, err := elem.Eval(env)
		switch {
		case err != nil:
			return 0, err
		case !e.T.Elem.Contains(x):
			return 0, errorAt(e.Pos, "element of a set: %d is not in %s", x, e.T.Elem)
		case e.T.Wide:
			list = append(list, int32(x))
		default:
			set |= e.T.bit(x)
		}
	}
	if e.T.Wide {
		slices.Sort(list)
		set = env.Sets.Add(slices.Compact(list))
	}
	return set, nil
}

func (e *Interval) Eval(env *Env) (int64, error) {
	lo, hi, err := evalBoth(e.Lo, e.Hi, env)
	if err != nil || lo > hi {
		return 0, err
	}
	if !e.T.Elem.Contains(lo) || !e.T.Elem.Contains(hi) {
		return 0, errorAt(e.Pos, "%d..%d is not within %s", lo, hi, e.T.Elem)
	}
	if !e.T.Wide {
		first, last := e.T.bit(lo), e.T.bit(hi)
		return last | (last - first), nil
	}
	list := make([]int32, 0, hi-lo+1)
	for v := lo; v <= hi; v++ {
		list = append(list, int32(v))
	}
	return env.addSet(list), nil
}

// evalBoth evaluates two expressions, such as the ends of a range.
func evalBoth(x, y Expr, env *Env) (int64, int64, error) {
	first, err := x.Eval(env)
	if err != nil {
		return 0, 0, err
	}
	second, err := y.Eval(env)
	return first, second, err
}

func evalAll(list []Expr, env *Env) ([]int64, error) {
	values := make([]int64, len(list))
	for i, e := range list {
		v, err := e.Eval(env)
		if err != nil {
			return nil, err
		}
		values[i] = v
	}
	return values, nil
}

func (e *Index) Eval(env *Env) (int64, error) {
	a, i, err := evalIndex(e.X, e.I, env, e.Pos)
	if err != nil {
		return 0, err
	}
	return e.X.Type().element(a, i), nil
}

func (e *Update) Eval(env *Env) (int64, error) {
	a, i, err := evalIndex(e.X, e.I, env, e.Pos)
	if err != nil {
		return 0, err
	}
	v, err := e.Value.Eval(env)
	if err != nil {
		return 0, err
	}
	return e.X.Type().setElement(a, i, v), nil
}

// evalIndex returns the array x and the position of its element i.
func evalIndex(x, i Expr, env *Env, pos syntax.Pos) (array int64, at int, err error) {
	array, index, err := evalBoth(x, i, env)
	if err != nil {
		return 0, 0, err
	}
	t := x.Type().Index
	if !t.Contains(index) {
		return 0, 0, errorAt(pos, "index %s is not in %s", strconv.FormatInt(index, 10), t)
	}
	return array, int(index - t.Lo), nil
}

func (e *Fill) Eval(env *Env) (int64, error) {
	v, err := e.Value.Eval(env)
	if err != nil {
		return 0, err
	}
	var a int64
	for i := range e.T.length() {
		a = e.T.setElement(a, i, v)
	}
	return a, nil
}

// maxWide is the greatest number of possible elements of a set.
const maxWide = 1 << 20

// WideSetType returns the type of sets with too many possible elements for a mask. A value is a reference into
// Env.Sets; 0 is the empty set. Systems with such values can be simulated, but not compiled.
func WideSetType(elem *Type) (*Type, error) {
	n, ok := elem.Size()
	if !ok || n > maxWide || elem.Lo < math.MinInt32 || elem.Hi > math.MaxInt32 {
		return nil, fmt.Errorf("a set can have %d possible elements at most, %s has %s", maxWide, elem, count(n, ok))
	}
	return &Type{Kind: Set, Hi: math.MaxInt64, Elem: elem, Wide: true}, nil
}

// Sets stores the values of wide set types: ascending lists of elements, by reference. It is not safe for concurrent
// use.
type Sets struct {
	lists [][]int32 // by reference; nil for a free reference and for 0, the empty set
	free  []int64
	held  int // elements in all lists
	limit int // the value of held above which NeedsKeep is true
}

// List returns the elements of a set in ascending order. The caller does not change them.
func (s *Sets) List(ref int64) []int32 {
	if ref == 0 {
		return nil
	}
	return s.lists[ref]
}

// Add returns a reference to the set with the given elements, which ascend. It keeps the slice.
func (s *Sets) Add(list []int32) int64 {
	if len(list) == 0 {
		return 0
	}
	s.held += len(list)
	if last := len(s.free) - 1; last >= 0 {
		ref := s.free[last]
		s.free, s.lists[ref] = s.free[:last], list
		return ref
	}
	if len(s.lists) == 0 {
		s.lists = append(s.lists, nil)
	}
	s.lists = append(s.lists, list)
	return int64(len(s.lists) - 1)
}

// Bytes returns the approximate memory of the sets.
func (s *Sets) Bytes() int64 { return int64(4*s.held + 24*cap(s.lists)) }

// minCrowd is the number of elements up to which NeedsKeep is false.
const minCrowd = 1 << 20

// NeedsKeep reports whether it is time to Keep only the sets in use.
func (s *Sets) NeedsKeep() bool { return s.held > max(minCrowd, s.limit) }

// Keep frees all sets except the sets that used yields.
func (s *Sets) Keep(used iter.Seq[int64]) {
	keep := make([]bool, len(s.lists))
	for ref := range used {
		keep[ref] = true
	}
	for ref := 1; ref < len(s.lists); ref++ {
		if !keep[ref] && s.lists[ref] != nil {
			s.held -= len(s.lists[ref])
			s.lists[ref] = nil
			s.free = append(s.free, int64(ref))
		}
	}
	s.limit = 2 * s.held
}

// Clear frees all sets.
func (s *Sets) Clear() { *s = Sets{lists: s.lists[:0], free: s.free[:0]} }

// Members returns the elements of the set v of type t in ascending order.
func (env *Env) Members(t *Type, v int64) []int32 {
	if t.Wide {
		return env.Sets.List(v)
	}
	var list []int32
	for e := range t.Elements(v) {
		list = append(list, int32(e))
	}
	return list
}

// addSet returns a reference to a wide set with the given elements, which ascend.
func (env *Env) addSet(list []int32) int64 {
	env.tick(len(list))
	return env.Sets.Add(list)
}

// makeSet returns the set of type t with the given elements, which ascend; ok is false if one is outside of t.Elem.
func (env *Env) makeSet(t *Type, list []int32) (v int64, ok bool) {
	if n := len(list); n > 0 && (int64(list[0]) < t.Elem.Lo || int64(list[n-1]) > t.Elem.Hi) {
		return 0, false
	}
	if t.Wide {
		return env.addSet(list), true
	}
	for _, e := range list {
		v |= t.bit(int64(e))
	}
	return v, true
}

// wide evaluates an operator on sets at least one of which is wide.
func (e *Binary) wide(env *Env, x, y int64) (int64, error) {
	b := env.Members(e.Y.Type(), y)
	if e.Op == In {
		_, found := slices.BinarySearch(b, int32(x))
		return truth(found && int64(int32(x)) == x), nil
	}
	a := env.Members(e.X.Type(), x)
	switch e.Op {
	case Eq:
		return truth(slices.Equal(a, b)), nil
	case Ne:
		return truth(!slices.Equal(a, b)), nil
	}
	v, ok := env.makeSet(e.T, merge(e.Op, a, b))
	if !ok {
		return 0, errorAt(e.Pos, "the result is not in %s", e.T)
	}
	return v, nil
}

// merge returns the union or the difference of two ascending lists.
func merge(op Op, a, b []int32) []int32 {
	out := make([]int32, 0, len(a)+len(b))
	for len(a) > 0 {
		switch {
		case len(b) == 0 || a[0] < b[0]:
			out = append(out, a[0])
			a = a[1:]
		case a[0] == b[0]:
			if op == Union {
				out = append(out, a[0])
			}
			a, b = a[1:], b[1:]
		default:
			if op == Union {
				out = append(out, b[0])
			}
			b = b[1:]
		}
	}
	if op == Union {
		out = append(out, b...)
	}
	return out
}

// wide evaluates the least or the greatest element of a wide set, or its size.
func (e *Unary) wide(env *Env, x int64) (int64, error) {
	list := env.Sets.List(x)
	switch {
	case e.Op == Card:
		return int64(len(list)), nil
	case len(list) == 0:
		return 0, errorAt(e.Pos, "the empty set has neither a least nor a greatest element")
	case e.Op == Least:
		return int64(list[0]), nil
	}
	return int64(list[len(list)-1]), nil
}

// unite evaluates a union that is a wide set.
func (e *Quantifier) unite(env *Env, lo, hi int64) (int64, error) {
	var list []int32
	for v := lo; v <= hi; v++ {
		env.tick(1)
		env.Vars[e.Var.ID] = v
		part, err := e.Body.Eval(env)
		if err != nil {
			return 0, err
		}
		if more := env.Members(e.Body.Type(), part); len(list) == 0 || len(more) > 0 && list[len(list)-1] < more[0] {
			list = append(list, more...)
		} else {
			list = merge(Union, list, more)
		}
	}
	return env.addSet(list), nil
}
