package ir_test

import (
	"math"
	"testing"

	"ringcheck/model/language/ir"
)

// TestLargeDefinition: definitions that apply one another twice have a value after linear time, and the size that the
// expression has without definitions.
func TestLargeDefinition(t *testing.T) {
	node := ir.NodeType(2)
	number := func() *ir.Var { return &ir.Var{Name: "p", Type: node} }
	p := number()
	d := ir.NewDefine("d0", []*ir.Var{p}, &ir.VarRef{Var: p})
	for i := 1; i <= 60; i++ {
		p := number()
		apply := &ir.Apply{Define: d, Args: []ir.Expr{&ir.VarRef{Var: p}}}
		d = ir.NewDefine("d", []*ir.Var{p}, &ir.Binary{Op: ir.Add, X: apply, Y: apply, T: ir.NatType()})
		if i == 5 {
			e := &ir.Apply{Define: d, Args: []ir.Expr{&ir.Const{T: node, Value: 1}}}
			if size, want := ir.Size(e), int64(1<<5+1<<5-1); size != want { // operands and operators
				t.Errorf("the size of d5(1) is %d, want %d", size, want)
			}
		}
	}
	e := &ir.Apply{Define: d, Args: []ir.Expr{&ir.Const{T: node, Value: 1}}}
	env := &ir.Env{Vars: make([]int64, 1)}
	for range 2 { // what is remembered belongs to one evaluation
		v, err := e.Eval(env)
		if err != nil || v != 1<<60 {
			t.Errorf("d60(1) = %d, %v; want %d", v, err, int64(1)<<60)
		}
	}
	if size := ir.Size(e); size != math.MaxInt32 || !d.Large() {
		t.Errorf("the size of d60(1) is %d, large: %t", size, d.Large())
	}
}
