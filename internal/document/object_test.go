package document_test

import (
	"testing"

	"ringcheck/internal/document"
)

func TestJoin(t *testing.T) {
	type name struct {
		Name string `json:"name"`
	}
	for _, c := range []struct {
		values []any
		want   string // "" for an error
	}{
		{nil, `{}`},
		{[]any{name{"a"}, struct{}{}, map[string]any{"states": []int{1, 2}}}, `{"name":"a","states":[1,2]}`},
		{[]any{name{"a"}, []int{1}}, ""},
		{[]any{name{"a"}, nil}, ""},
		{[]any{map[string]any{"x": func() {}}}, ""},
	} {
		got, err := document.Join(c.values...)
		if string(got) != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%v: %s, %v, want %s", c.values, got, err, c.want)
		}
	}
}
