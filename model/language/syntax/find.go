package syntax

import "reflect"

// ExprAt returns the outermost expression of a file whose position is pos, nil if no expression begins there.
func ExprAt(f *File, pos Pos) (found Expr) {
	var visit func(v reflect.Value)
	visit = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Interface:
			visit(v.Elem())
		case reflect.Slice:
			for i := range v.Len() {
				visit(v.Index(i))
			}
		case reflect.Pointer:
			if v.IsNil() || found != nil {
				return
			}
			if e, ok := v.Interface().(Expr); ok && e.ExprPos() == pos {
				found = e
				return
			}
			visit(v.Elem())
		case reflect.Struct:
			for i := range v.NumField() {
				if v.Type().Field(i).IsExported() {
					visit(v.Field(i))
				}
			}
		}
	}
	for _, d := range f.Order {
		visit(reflect.ValueOf(d))
	}
	return found
}
