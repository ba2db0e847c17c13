package syntax_test

import (
	"reflect"
	"slices"
	"testing"

	"ringcheck/model/language/syntax"
)

// TestWalk compares the nodes of a spec that uses every construct with those that reflection finds.
func TestWalk(t *testing.T) {
	f, err := syntax.Parse("", []byte(everything))
	if err != nil {
		t.Fatal(err)
	}
	var got, want []any
	syntax.WalkFile(f, func(node any) bool {
		got = append(got, node)
		return true
	})
	reflectNodes(reflect.ValueOf(f.Order), &want)
	if !slices.Equal(got, want) {
		t.Errorf("%d nodes, want %d", len(got), len(want))
	}
	types := map[reflect.Type]bool{}
	for _, node := range got {
		types[reflect.TypeOf(node)] = true
	}
	if len(types) < 60 {
		t.Errorf("only %d types of nodes", len(types))
	}
}

// reflectNodes appends the pointers below v to list, in the order of the fields.
func reflectNodes(v reflect.Value, list *[]any) {
	switch v.Kind() {
	case reflect.Interface:
		reflectNodes(v.Elem(), list)
	case reflect.Pointer:
		if !v.IsNil() {
			*list = append(*list, v.Interface())
			reflectNodes(v.Elem(), list)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			reflectNodes(v.Field(i), list)
		}
	case reflect.Slice:
		for i := range v.Len() {
			reflectNodes(v.Index(i), list)
		}
	}
}

// TestWalkSkips walks only the nodes above those for which visit returns false.
func TestWalkSkips(t *testing.T) {
	f, err := syntax.Parse("", []byte(everything))
	if err != nil {
		t.Fatal(err)
	}
	visits := 0
	syntax.WalkFile(f, func(any) bool {
		visits++
		return false
	})
	if visits != len(f.Order) {
		t.Errorf("%d visits of %d declarations", visits, len(f.Order))
	}
}
