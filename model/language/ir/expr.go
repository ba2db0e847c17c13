package ir

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"ringcheck/model/language/syntax"
)

type (
	// Const is a value known before the run.
	Const struct {
		T     *Type
		Value int64
	}
	// VarRef is the value of a variable or binder.
	VarRef struct{ Var *Var }
	// SharedVar is the value of a shared variable.
	SharedVar struct {
		Var *Var
		Pos syntax.Pos
	}
	// Unary is a function of one operand.
	Unary struct {
		Op  Op
		X   Expr
		T   *Type
		Pos syntax.Pos
	}
	// Binary is a function of two operands. And, Or and Implies evaluate Y only if X does not decide; so do Every and
	// Some, but there Y also decides if the evaluation of X fails: see DecidedBy. Sets and arrays that are compared or
	// combined have equal types.
	Binary struct {
		Op   Op
		X, Y Expr
		T    *Type
		Wide bool // at least one operand is of a wide set type
		Pos  syntax.Pos
	}
	// Cond is if If then Then else Else.
	Cond struct {
		If, Then, Else Expr
		T              *Type
	}
	// Convert is the value of X converted to To, a type of the same kind; it is an error if To does not contain it.
	// What names the place that takes the value, for the message.
	Convert struct {
		X    Expr
		To   *Type
		What string
		Pos  syntax.Pos
	}
)

// An Op is an operator.
type Op int

// The operators.
const (
	Not Op = iota
	Neg
	Abs
	Card     // the number of elements of a set
	Opposite // the other direction
	Least    // the least element of a set
	Greatest // the greatest element of a set
	Log2Ceil // the least e with 2^e >= X; X must be positive
	SqrtCeil // the least e with e^2 >= X; X must not be negative

	Add
	Sub
	Mul
	Div // rounded towards minus infinity
	Mod // with the sign of Y
	Pow
	Min
	Max
	Eq
	Ne
	Lt
	Le
	And
	Or
	Implies
	Every // ForAll of two values: false if one is false, even if the evaluation of the other fails
	Some  // Exists of two values: true if one is true, even if the evaluation of the other fails
	In    // the element X is in the set Y
	Union
	Minus // the set X without the elements of Y
)

func (e *Const) Type() *Type     { return e.T }
func (e *VarRef) Type() *Type    { return e.Var.Type }
func (e *SharedVar) Type() *Type { return e.Var.Type }
func (e *Unary) Type() *Type     { return e.T }
func (e *Binary) Type() *Type    { return e.T }
func (e *Cond) Type() *Type      { return e.T }
func (e *Convert) Type() *Type   { return e.To }

func (e *Const) Eval(*Env) (int64, error) { return e.Value, nil }

func (e *VarRef) Eval(env *Env) (int64, error) { return env.Vars[e.Var.ID], nil }

// errUnknown is the error of reading a shared variable where the caller does not know its value.
var errUnknown = errors.New("the values of shared variables are not known here")

func (e *SharedVar) Eval(env *Env) (int64, error) {
	switch {
	case env.Acting:
		return env.Vars[e.Var.ID], nil
	case env.State == nil:
		return 0, errUnknown
	}
	return env.State.SharedValue(e.Var.Slot), nil
}

func (e *Unary) Eval(env *Env) (int64, error) {
	x, err := e.X.Eval(env)
	if err != nil {
		return 0, err
	}
	switch e.Op {
	case Not, Opposite:
		return x ^ 1, nil
	case Neg:
		return exact(e.Pos)(sub(0, x))
	case Abs:
		if x >= 0 {
			return x, nil
		}
		return exact(e.Pos)(sub(0, x))
	case Card, Least, Greatest:
		if e.X.Type().Wide {
			return e.wide(env, x)
		}
		if e.Op == Card {
			return int64(bits.OnesCount64(uint64(x))), nil
		}
		if x == 0 {
			return 0, errorAt(e.Pos, "the empty set has neither a least nor a greatest element")
		}
		elem := e.X.Type().Elem
		if e.Op == Least {
			return elem.Lo + int64(bits.TrailingZeros64(uint64(x))), nil
		}
		return elem.Lo + int64(bits.Len64(uint64(x))) - 1, nil
	case Log2Ceil:
		if x <= 0 {
			return 0, errorAt(e.Pos, "log2ceil of %d: the argument must be positive", x)
		}
		return log2ceil(x), nil
	case SqrtCeil:
		if x < 0 {
			return 0, errorAt(e.Pos, "sqrtceil of %d: the argument must not be negative", x)
		}
		return sqrtceil(x), nil
	}
	return 0, errorAt(e.Pos, "unknown unary operator %d", e.Op)
}

func (e *Binary) Eval(env *Env) (int64, error) {
	x, err := e.X.Eval(env)
	if err != nil {
		if y, failed := e.Y.Eval(env); failed == nil && e.DecidedBy(y) {
			return y, nil
		}
		return 0, err
	}
	if v, ok := e.DecideLeft(x); ok {
		return v, nil
	}
	y, err := e.Y.Eval(env)
	if err != nil {
		return 0, err
	}
	if e.Wide {
		return e.wide(env, x, y)
	}
	return e.Apply(x, y)
}

// DecidedBy reports whether the value y of the right operand is the result although the evaluation of the left one
// failed.
func (e *Binary) DecidedBy(y int64) bool { return e.Op == Every && y == 0 || e.Op == Some && y != 0 }

// DecideLeft returns the result if the left operand x alone determines it.
func (e *Binary) DecideLeft(x int64) (result int64, ok bool) {
	switch e.Op {
	case And, Every:
		return 0, x == 0
	case Implies:
		return 1, x == 0
	case Or, Some:
		return 1, x != 0
	}
	return 0, false
}

// Apply returns the result for operands that the left one alone does not decide.
func (e *Binary) Apply(x, y int64) (int64, error) {
	switch e.Op {
	case And, Or, Implies, Every, Some:
		return y, nil
	case Eq:
		return truth(x == y), nil
	case Ne:
		return truth(x != y), nil
	case Lt:
		return truth(x < y), nil
	case Le:
		return truth(x <= y), nil
	case Min:
		return min(x, y), nil
	case Max:
		return max(x, y), nil
	case In:
		return truth(e.Y.Type().Has(y, x)), nil
	case Union:
		return x | y, nil
	case Minus:
		return x &^ y, nil
	}
	return e.arithmetic(x, y)
}

func (e *Binary) arithmetic(x, y int64) (int64, error) {
	switch e.Op {
	case Add:
		return exact(e.Pos)(add(x, y))
	case Sub:
		return exact(e.Pos)(sub(x, y))
	case Mul:
		return exact(e.Pos)(mul(x, y))
	case Pow:
		if y < 0 {
			return 0, errorAt(e.Pos, "%d ^ %d: the exponent is negative", x, y)
		}
		return exact(e.Pos)(pow(x, y))
	}
	if y == 0 {
		return 0, errorAt(e.Pos, "division by zero")
	}
	switch e.Op {
	case Div:
		return exact(e.Pos)(floorDiv(x, y))
	case Mod:
		return floorMod(x, y), nil
	}
	return 0, errorAt(e.Pos, "unknown binary operator %d", e.Op)
}

func (e *Cond) Eval(env *Env) (int64, error) {
	c, err := e.If.Eval(env)
	if err != nil {
		return 0, err
	}
	if c != 0 {
		return e.Then.Eval(env)
	}
	return e.Else.Eval(env)
}

func (e *Convert) Eval(env *Env) (int64, error) {
	x, err := e.X.Eval(env)
	if err != nil {
		return 0, err
	}
	from := e.X.Type()
	if from.Wide || e.To.Wide {
		v, ok := env.makeSet(e.To, env.Members(from, x))
		if !ok {
			return 0, errorAt(e.Pos, "%s: the set is not in %s", e.What, e.To)
		}
		return v, nil
	}
	v, ok := recode(x, from, e.To)
	if !ok {
		return 0, errorAt(e.Pos, "%s: %s is not in %s", e.What, e.X.Type().Format(x), e.To)
	}
	return v, nil
}

// recode returns the value x of type from as a value of type to, if that has it.
func recode(x int64, from, to *Type) (int64, bool) {
	switch {
	case to.Kind == Set && from.Kind == Set:
		var set int64
		for e := range from.Elements(x) {
			b := to.bit(e)
			if b == 0 {
				return 0, false
			}
			set |= b
		}
		return set, true
	case to.Kind == Array && from.Kind == Array:
		var array int64
		for i := range to.length() {
			e, ok := recode(from.element(x, i), from.Elem, to.Elem)
			if !ok {
				return 0, false
			}
			array = to.setElement(array, i, e)
		}
		return array, true
	}
	return x, to.Contains(x)
}

// Check returns an *Error if value, received or drawn, is not one of v's type.
func (v *Var) Check(value int64, pos syntax.Pos) error {
	if v.Type.Kind == Absent || v.Type.Contains(value) {
		return nil
	}
	return errorAt(pos, "variable %s: %s is not in %s", v.Name, v.Type.Format(value), v.Type)
}

// exact returns a function that turns an overflow of checked arithmetic into an error at pos.
func exact(pos syntax.Pos) func(z int64, ok bool) (int64, error) {
	return func(z int64, ok bool) (int64, error) {
		if !ok {
			return 0, errorAt(pos, "the result does not fit in 64 bits")
		}
		return z, nil
	}
}

func errorAt(pos syntax.Pos, format string, args ...any) *Error {
	return &Error{Pos: pos, Message: fmt.Sprintf(format, args...)}
}

// The functions below compute exactly, or report ok = false.

func add(x, y int64) (z int64, ok bool) {
	z = x + y
	return z, (z > x) == (y > 0)
}

func sub(x, y int64) (z int64, ok bool) {
	z = x - y
	return z, (z < x) == (y > 0)
}

func mul(x, y int64) (z int64, ok bool) {
	if x == 0 || y == 0 {
		return 0, true
	}
	z = x * y
	overflow := z/y != x || x == -1 && y == math.MinInt64 || y == -1 && x == math.MinInt64
	return z, !overflow
}

// floorDiv rounds towards minus infinity; y is not 0.
func floorDiv(x, y int64) (q int64, ok bool) {
	if x == math.MinInt64 && y == -1 {
		return 0, false
	}
	q = x / y
	if x%y != 0 && (x < 0) != (y < 0) {
		q--
	}
	return q, true
}

// floorMod has the sign of y, which is not 0.
func floorMod(x, y int64) int64 {
	if y == -1 {
		return 0
	}
	r := x % y
	if r != 0 && (r < 0) != (y < 0) {
		r += y
	}
	return r
}

// pow returns x to the power of y, which is not negative, by repeated squaring.
func pow(x, y int64) (z int64, ok bool) {
	z, ok = 1, true
	for ; y > 0 && ok; y >>= 1 {
		if y&1 == 1 {
			if z, ok = mul(z, x); !ok {
				return 0, false
			}
		}
		if y > 1 {
			x, ok = mul(x, x)
		}
	}
	return z, ok
}

// log2ceil returns the least e with 2^e >= x, which is positive.
func log2ceil(x int64) int64 { return int64(bits.Len64(uint64(x) - 1)) }

// sqrtceil returns the least e with e^2 >= x, which is not negative.
func sqrtceil(x int64) int64 {
	e := int64(math.Sqrt(float64(x))) // at most 1 too large or too small
	for e > 0 && (e > maxRoot || (e-1)*(e-1) >= x) {
		e--
	}
	for e < maxRoot && e*e < x {
		e++
	}
	if e*e < x {
		e++
	}
	return e
}

// maxRoot is the greatest number whose square fits in 63 bits.
const maxRoot = 3037000499

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
