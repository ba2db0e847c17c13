package ir

import (
	"errors"
	"math"
	"slices"
	"testing"

	"ringcheck/model/language/syntax"
)

func num(v int64) Expr { return &Const{T: IntType(v, v), Value: v} }

func truthOf(v bool) Expr { return &Const{T: BoolType(), Value: truth(v)} }

var anywhere = syntax.Pos{Line: 3, Column: 4}

func TestEval(t *testing.T) {
	set := setOf(t, IntType(1, 5))
	array := arrayOf(t, IntType(1, 2), IntType(1, 9))
	boom := &Binary{Op: Div, X: num(1), Y: num(0), T: IntType(0, 0), Pos: anywhere}
	v := &Var{ID: 1, Name: "v", Type: IntType(0, 9)}
	unary := func(op Op, x int64) Expr { return &Unary{Op: op, X: num(x), T: IntType(0, 0), Pos: anywhere} }
	binary := func(op Op, x, y int64) Expr {
		return &Binary{Op: op, X: num(x), Y: num(y), T: IntType(0, 0), Pos: anywhere}
	}
	lit := func(elems ...int64) Expr {
		s := &SetLit{T: set, Pos: anywhere}
		for _, e := range elems {
			s.Elems = append(s.Elems, num(e))
		}
		return s
	}
	fill := &Fill{Value: num(7), T: array}
	update := &Update{X: fill, I: num(2), Value: num(9), Pos: anywhere}
	for _, tt := range []struct {
		name    string
		e       Expr
		want    int64
		failure string
	}{
		{"variable", &VarRef{v}, 6, ""},
		{"-3", unary(Neg, 3), -3, ""},
		{"-min", unary(Neg, math.MinInt64), 0, "the result does not fit in 64 bits"},
		{"abs min", unary(Abs, math.MinInt64), 0, "the result does not fit in 64 bits"},
		{"abs", unary(Abs, -4), 4, ""},
		{"not", unary(Not, 1), 0, ""},
		{"opposite", unary(Opposite, Left), Right, ""},
		{"log2ceil", unary(Log2Ceil, 5), 3, ""},
		{"log2ceil 0", unary(Log2Ceil, 0), 0, "log2ceil of 0: the argument must be positive"},
		{"+", binary(Add, 2, 3), 5, ""},
		{"+ overflow", binary(Add, math.MaxInt64, 1), 0, "the result does not fit in 64 bits"},
		{"- overflow", binary(Sub, math.MinInt64, 1), 0, "the result does not fit in 64 bits"},
		{"* overflow", binary(Mul, 1<<32, 1<<31), 0, "the result does not fit in 64 bits"},
		{"^", binary(Pow, 2, 10), 1024, ""},
		{"^ overflow", binary(Pow, 2, 63), 0, "the result does not fit in 64 bits"},
		{"^ negative", binary(Pow, 2, -1), 0, "2 ^ -1: the exponent is negative"},
		{"div", binary(Div, -7, 2), -4, ""},
		{"mod", binary(Mod, -7, 2), 1, ""},
		{"div 0", boom, 0, "division by zero"},
		{"mod 0", binary(Mod, 1, 0), 0, "division by zero"},
		{"min", binary(Min, 4, 2), 2, ""},
		{"max", binary(Max, 4, 2), 4, ""},
		{"=", binary(Eq, 4, 4), 1, ""},
		{"!=", binary(Ne, 4, 4), 0, ""},
		{"<", binary(Lt, 4, 4), 0, ""},
		{"<=", binary(Le, 4, 4), 1, ""},
		{"false and error", &Binary{Op: And, X: truthOf(false), Y: boom, T: BoolType()}, 0, ""},
		{"true or error", &Binary{Op: Or, X: truthOf(true), Y: boom, T: BoolType()}, 1, ""},
		{"false => error", &Binary{Op: Implies, X: truthOf(false), Y: boom, T: BoolType()}, 1, ""},
		{"true => false", &Binary{Op: Implies, X: truthOf(true), Y: truthOf(false), T: BoolType()}, 0, ""},
		{"true and error", &Binary{Op: And, X: truthOf(true), Y: boom, T: BoolType()}, 0, "division by zero"},
		{"if", &Cond{If: truthOf(true), Then: num(1), Else: boom, T: IntType(0, 1)}, 1, ""},
		{"else", &Cond{If: truthOf(false), Then: boom, Else: num(1), T: IntType(0, 1)}, 1, ""},
		{"{2, 4}", lit(2, 4), 0b1010, ""},
		{"{9}", lit(9), 0, "element of a set: 9 is not in 1..5"},
		{"in", &Binary{Op: In, X: num(4), Y: lit(2, 4), T: BoolType()}, 1, ""},
		{"not in", &Binary{Op: In, X: num(3), Y: lit(2, 4), T: BoolType()}, 0, ""},
		{"out of range is not in", &Binary{Op: In, X: num(77), Y: lit(2, 4), T: BoolType()}, 0, ""},
		{"union", &Binary{Op: Union, X: lit(1), Y: lit(2, 4), T: set}, 0b1011, ""},
		{"minus", &Binary{Op: Minus, X: lit(1, 2), Y: lit(2, 4), T: set}, 0b1, ""},
		{"size", &Unary{Op: Card, X: lit(1, 2, 5), T: IntType(0, 63)}, 3, ""},
		{"interval", &Interval{Lo: num(2), Hi: num(4), T: set}, 0b1110, ""},
		{"empty interval", &Interval{Lo: num(4), Hi: num(2), T: set}, 0, ""},
		{"interval out of range", &Interval{Lo: num(4), Hi: num(6), T: set}, 0, "4..6 is not within 1..5"},
		{"index", &Index{X: update, I: num(2)}, 9, ""},
		{"other index", &Index{X: update, I: num(1)}, 7, ""},
		{"index out of range", &Index{X: update, I: num(3)}, 0, "index 3 is not in 1..2"},
		{"convert", &Convert{X: num(3), To: IntType(1, 3), What: "v"}, 3, ""},
		{"convert out of range", &Convert{X: num(4), To: IntType(1, 3), What: "v"}, 0, "v: 4 is not in 1..3"},
		{"convert a set", &Convert{X: lit(2, 4), To: setOf(t, IntType(2, 9)), What: "s"}, 0b101, ""},
		{"convert a set out of range", &Convert{X: lit(2, 4), To: setOf(t, IntType(3, 9)), What: "s"}, 0,
			"s: {2,4} is not in set of 3..9"},
		{"convert an array", &Index{X: &Convert{X: update, To: arrayOf(t, IntType(1, 2), IntType(6, 9)), What: "a"},
			I: num(2)}, 9, ""},
		{"convert an array out of range", &Convert{X: update, To: arrayOf(t, IntType(1, 2), IntType(8, 9)), What: "a"},
			0,
			"a: [7,9] is not in array 1..2 of 8..9"},
	} {
		got, err := tt.e.Eval(&Env{Vars: []int64{5, 6}})
		var failure *Error
		switch {
		case tt.failure != "":
			if !errors.As(err, &failure) || failure.Message != tt.failure {
				t.Errorf("%s: got %d, %v, want the error %s", tt.name, got, err, tt.failure)
			}
		case err != nil || got != tt.want:
			t.Errorf("%s: got %d, %v, want %d", tt.name, got, err, tt.want)
		}
	}
}

func TestVarCheck(t *testing.T) {
	v := &Var{Name: "h", Type: IntType(1, 3)}
	if err := v.Check(3, anywhere); err != nil {
		t.Error(err)
	}
	var failure *Error
	if err := v.Check(4, anywhere); !errors.As(err, &failure) || failure.Pos != anywhere ||
		failure.Message != "variable h: 4 is not in 1..3" {
		t.Errorf("got %v", err)
	}
}

// All arguments are evaluated before any parameter is bound, and chains of calls are followed to the end.
func TestResolve(t *testing.T) {
	x, y := &Var{ID: 0, Name: "x", Type: IntType(0, 9)}, &Var{ID: 1, Name: "y", Type: IntType(0, 9)}
	last := &Equation{Name: "B", Params: []*Var{y}}
	last.Start = &Point{Term: &Stop{}, Live: []*Var{y}}
	swap := &Equation{Name: "A", Params: []*Var{x, y}}
	swap.Start = &Point{Term: &Call{Equation: last, Args: []Expr{&VarRef{x}}}}
	call := &Call{Equation: swap, Args: []Expr{&VarRef{y}, &VarRef{x}}}
	env := &Env{Vars: []int64{3, 4}}
	at, err := call.Resolve(env)
	if err != nil || at != last.Start || !slices.Equal(at.Local(env).Env, []int64{4}) {
		t.Errorf("got %v, %v, %v", at, err, env.Vars)
	}
}

func TestWalk(t *testing.T) {
	x, y := &Var{ID: 0}, &Var{ID: 1}
	e := &Cond{
		If:   &Binary{Op: In, X: &VarRef{x}, Y: &SetLit{Elems: []Expr{num(1), &VarRef{y}}}},
		Then: &Update{X: &VarRef{y}, I: num(1), Value: &Unary{X: &VarRef{x}}},
		Else: &Index{X: &Fill{Value: &Convert{X: &VarRef{x}}}, I: &Interval{Lo: num(1), Hi: &VarRef{y}}},
	}
	var order []int
	for v := range FreeVars(e) {
		order = append(order, v.ID)
	}
	if want := []int{0, 1, 1, 0, 0, 1}; !slices.Equal(order, want) {
		t.Errorf("got %v, want %v", order, want)
	}
	for range FreeVars(e) {
		break
	}
	for range FreeVars(nil) {
		t.Error("FreeVars(nil) yields a variable")
	}
	n := 0
	inner := &If{Cond: truthOf(true), Then: &Stop{}, Else: &Draw{Then: &Let{Then: &Prefix{}}}}
	for range Terms(&Choice{Terms: []Term{inner, &Call{}}}) {
		n++
	}
	if n != 7 {
		t.Errorf("%d terms", n)
	}
}
