package regress_test

import (
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"ringcheck/results/regress"
)

func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile("../../docs/regression.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSchema: the JSON Schema accepts what Parse accepts, and refuses what Parse refuses because of its structure.
func TestSchema(t *testing.T) {
	s := schema(t)
	for _, entry := range []string{
		right, wrong, large,
		`{"spec": "dkr", "params": {"n": 2}, "options": {"channel": "fifo"}, "reduction": "none", "symmetry": "rotation", "claims": ["x"]}`,
		`{"spec": "dkr", "params": {"n": 2}, "expect": {"statez": 1}}`,
		`{"spec": "dkr", "params": {"n": 2}, "expect": {"states": -1}}`,
		`{"spec": "dkr", "params": {"n": 2}, "expect": {"quotient": {"equivalence": "weak", "states": 1, "transitions": 1}}}`,
		`{"spec": "dkr", "params": {"n": [2]}}`,
		`{"spec": "dkr", "params": {"n": 2}, "reduction": "much"}`,
		`{"spec": "dkr", "params": {"n": 2}, "symmetry": "much"}`,
		`{"spec": "franklin", "params": {"n": 2}, "symmetry": "rotation", "reduction": "confelm"}`,
		`{"spec": "franklin", "params": {"n": 2}, "assume": "alone"}`,
		`{"spec": "franklin", "params": {"n": 2}, "assume": "no-conflict"}`,
		`{"spec": "dkr", "params": {"n": 2}, "expect": {"states": "18446744073709551615", "terminal_states": 2}}`,
		`{"spec": "dkr", "params": {"n": 2}, "expect": {"states": "many"}}`,
		`{"spec": "dkr", "params": {"n": 2}, "full": "yes"}`,
		`{"spec": ""}`,
		`{"params": {"n": 2}}`,
	} {
		text := `{"$schema": "x", "comment": "y", "claims": {"x": "z"}, "entries": [` + entry + `]}`
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		_, parseErr := regress.Parse("f.json", []byte(text))
		if err := s.Validate(value); (err == nil) != (parseErr == nil) {
			t.Errorf("%s: the schema says %v, Parse says %v", entry, err, parseErr)
		}
	}
}
