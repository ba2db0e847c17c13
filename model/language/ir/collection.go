package ir

import (
	"iter"
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
	// Update is the array X with another element at I. Value's values are in the element type.
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

// Eval collects the elements.
func (e *SetLit) Eval(env *Env) (int64, error) {
	var set int64
	var list []int32 // of a wide set
	for _, elem := range e.Elems {
		x, err := elem.Eval(env)
		switch {
		case err != nil:
			return 0, err
		case !e.T.Elem.Contains(x):
			return 0, fault(e.Pos, "element of a set: %d is not in %s", x, e.T.Elem)
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

// MaxPermuted is how long an array can be whose permutations are drawn from.
const MaxPermuted = 8

// Permutations yields the arrays of type t that hold each of some elements once, in lexicographic order. The elements
// ascend and fill the array.
func (t *Type) Permutations(elems []int64) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		order := slices.Clone(elems)
		for more := true; more; more = nextPermutation(order) {
			if !yield(t.Array(order)) {
				return
			}
		}
	}
}

// Array returns the array of type t with some elements, as many as it is long.
func (t *Type) Array(elems []int64) (array int64) {
	for i, e := range elems {
		array = t.with(array, i, e)
	}
	return array
}

// Eval collects the elements.
func (e *Interval) Eval(env *Env) (int64, error) {
	lo, hi, err := evalBoth(e.Lo, e.Hi, env)
	if err != nil || lo > hi {
		return 0, err
	}
	if !e.T.Elem.Contains(lo) || !e.T.Elem.Contains(hi) {
		return 0, fault(e.Pos, "%d..%d is not within %s", lo, hi, e.T.Elem)
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

// evalAll evaluates arguments.
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

// Eval returns the element.
func (e *Index) Eval(env *Env) (int64, error) {
	a, i, err := evalIndex(e.X, e.I, env, e.Pos)
	if err != nil {
		return 0, err
	}
	return e.X.Type().element(a, i), nil
}

// Eval returns the changed array.
func (e *Update) Eval(env *Env) (int64, error) {
	a, i, err := evalIndex(e.X, e.I, env, e.Pos)
	if err != nil {
		return 0, err
	}
	v, err := e.Value.Eval(env)
	if err != nil {
		return 0, err
	}
	return e.X.Type().with(a, i, v), nil
}

// evalIndex returns the array x and the position of its element i.
func evalIndex(x, i Expr, env *Env, pos syntax.Pos) (array int64, at int, err error) {
	array, index, err := evalBoth(x, i, env)
	if err != nil {
		return 0, 0, err
	}
	t := x.Type().Index
	if !t.Contains(index) {
		return 0, 0, fault(pos, "index %s is not in %s", strconv.FormatInt(index, 10), t)
	}
	return array, int(index - t.Lo), nil
}

// Eval returns the array.
func (e *Fill) Eval(env *Env) (int64, error) {
	v, err := e.Value.Eval(env)
	if err != nil {
		return 0, err
	}
	var a int64
	for i := range e.T.length() {
		a = e.T.with(a, i, v)
	}
	return a, nil
}
