package ir_test

import (
	"fmt"

	"ringcheck/model/language/ir"
)

// An expression is a tree that computes values and can be walked.
func ExampleExpr() {
	hop := &ir.Var{ID: 0, Name: "h", Type: ir.IntType(1, 3)}
	next := &ir.Convert{
		X: &ir.Binary{
			Op: ir.Add,
			X:  &ir.VarRef{Var: hop},
			Y:  &ir.Const{T: ir.IntType(1, 1), Value: 1},
			T:  ir.IntType(2, 4),
		},
		To:   hop.Type,
		What: "field hop of M",
	}
	for v := range ir.FreeVars(next) {
		fmt.Println("reads", v.Name)
	}
	for _, h := range []int64{2, 3} {
		fmt.Println(next.Eval(&ir.Env{Vars: []int64{h}}))
	}
	// Output:
	// reads h
	// 3 <nil>
	// 0 field hop of M: 4 is not in 1..3
}
