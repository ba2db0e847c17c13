package spectest

import (
	"reflect"

	"ringcheck/model/language/syntax"
)

// A node is a node of a syntax tree with its place: a field of the node around it.
type node struct {
	value  any // a pointer to a struct of package syntax
	field  string
	around *node // nil at the root
}

// inspect calls visit for every node of a tree, those around a node before it.
func inspect(f *syntax.File, visit func(*node)) {
	root := &node{value: f}
	for _, d := range f.Order {
		descend(reflect.ValueOf(d), root, "Order", visit)
	}
}

// descend visits the nodes in v, which is in a field of the node around it.
func descend(v reflect.Value, around *node, field string, visit func(*node)) {
	switch v.Kind() {
	case reflect.Interface:
		descend(v.Elem(), around, field, visit)
	case reflect.Slice:
		for i := range v.Len() {
			descend(v.Index(i), around, field, visit)
		}
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		n := &node{v.Interface(), field, around}
		visit(n)
		for i := range v.Elem().NumField() {
			if name := v.Elem().Type().Field(i); name.IsExported() {
				descend(v.Elem().Field(i), n, name.Name, visit)
			}
		}
	}
}

// A pattern says whether a node is what it describes.
type pattern func(*node) bool

// of describes the nodes of type *T that satisfy all conditions.
func of[T any](conditions ...func(*T) bool) pattern {
	return func(n *node) bool {
		v, ok := n.value.(*T)
		for _, holds := range conditions {
			ok = ok && holds(v)
		}
		return ok
	}
}

// and describes the nodes that both describe.
func (p pattern) and(q pattern) pattern { return func(n *node) bool { return p(n) && q(n) } }

// or describes the nodes that one of both describes.
func (p pattern) or(q pattern) pattern { return func(n *node) bool { return p(n) || q(n) } }

// not describes all other nodes.
func not(p pattern) pattern { return func(n *node) bool { return !p(n) } }

// inside describes the nodes at or below one of the fields of a node that p describes.
func inside(p pattern, fields ...string) pattern {
	return func(n *node) bool {
		for ; n.around != nil; n = n.around {
			if hangs(n, fields) && p(n.around) {
				return true
			}
		}
		return false
	}
}

// in describes the nodes that are one of the fields of a node that p describes.
func in(p pattern, fields ...string) pattern {
	return func(n *node) bool { return n.around != nil && hangs(n, fields) && p(n.around) }
}

// hangs reports whether n is one of the fields.
func hangs(n *node, fields []string) bool {
	for _, f := range fields {
		if n.field == f {
			return true
		}
	}
	return false
}

// part describes the nodes of which p describes a node below.
func part(p pattern) pattern {
	return func(n *node) bool {
		found := false
		descend(reflect.ValueOf(n.value), n.around, n.field, func(m *node) { found = found || p(m) })
		return found
	}
}

// place describes the expressions whose value is used by a field of a node that p describes, and which may be part of
// a larger expression.
func place(p pattern, field string) pattern {
	return func(n *node) bool {
		for ; n.around != nil; n = n.around {
			if _, expression := n.around.value.(syntax.Expr); !expression {
				return n.field == field && p(n.around)
			}
		}
		return false
	}
}
