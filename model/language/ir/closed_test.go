package ir

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ringcheck/internal/test/filetest"
)

// everyExpr returns an expression of each Go type with all its parts, which differ.
func everyExpr() []Expr {
	part := func(v int64) Expr { return &Const{T: IntType(v, v), Value: v} }
	a, b, c := part(1), part(2), part(3)
	return []Expr{
		a, &VarRef{Var: &Var{}}, &SharedVar{},
		&Unary{X: a}, &Binary{X: a, Y: b}, &Cond{If: a, Then: b, Else: c}, &Convert{X: a},
		&AssignedValue{Process: a},
		&SetLit{Elems: []Expr{a, b}}, &Interval{Lo: a, Hi: b}, &Index{X: a, I: b}, &Update{X: a, I: b, Value: c},
		&Fill{Value: a},
		&Quantifier{Lo: a, Hi: b, Body: c}, &Quantifier{Over: a, Body: b}, &At{Process: a},
		&BoundFor{Process: a}, &ProcessVar{Process: a},
		&MessageIs{Of: a}, &MessageField{Of: a},
		&Inbox{Process: a, Source: b}, &Neighbour{Process: a, Side: b}, &Neighbours{Process: a}, &Peer{Port: a},
		&Length{Channel: a},
		&Apply{Args: []Expr{a, b}}, &Holds{X: a},
	}
}

// TestExpressionsAreClosed checks that Children and WithChildren know all parts of every type of expression, so that
// walks visit all of them.
func TestExpressionsAreClosed(t *testing.T) {
	var known []string
	for _, e := range everyExpr() {
		name := reflect.TypeOf(e).Elem().Name()
		known = append(known, name)
		parts := Children(e)
		if want := exprFields(e); len(parts) != want {
			t.Errorf("%s has %d parts, Children finds %d", name, want, len(parts))
		}
		var others []Expr
		for range parts {
			others = append(others, &Const{T: BoolType()})
		}
		if changed := WithChildren(e, others); len(parts) > 0 && !slices.Equal(Children(changed), others) ||
			!slices.Equal(Children(e), parts) {
			t.Errorf("%s: WithChildren does not replace its parts", name)
		}
	}
	slices.Sort(known)
	known = slices.Compact(known)
	if declared := declaredExprs(t); !slices.Equal(known, declared) {
		t.Errorf("the expressions are %v, tested are %v", declared, known)
	}
}

// exprFields counts the parts of an expression in its fields.
func exprFields(e Expr) int {
	n := 0
	v := reflect.ValueOf(e).Elem()
	for i := range v.NumField() {
		switch x := v.Field(i).Interface().(type) {
		case Expr:
			n++
		case []Expr:
			n += len(x)
		}
	}
	return n
}

// declaredExprs returns the names of the types that have the method parts.
func declaredExprs(t *testing.T) []string {
	t.Helper()
	src := filetest.Read(t, "walk.go")
	file, err := parser.ParseFile(token.NewFileSet(), "walk.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == "parts" {
			names = append(names, strings.TrimPrefix(f.Recv.List[0].Type.(*ast.StarExpr).X.(*ast.Ident).Name, "*"))
		}
	}
	slices.Sort(names)
	return names
}
