package regress_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"ringcheck/internal/test/filetest"
	"ringcheck/results/regress"
)

// ours is our own regression file.
const ours = "../regression.json"

func readOurs(t *testing.T) (*regress.File, []byte) {
	t.Helper()
	text := filetest.Read(t, ours)
	f, err := regress.Parse(ours, text)
	if err != nil {
		t.Fatal(err)
	}
	return f, text
}

// TestOursIsWhole: our file fits the schema, every claim has an entry, and the layout is that of --update.
func TestOursIsWhole(t *testing.T) {
	f, text := readOurs(t)
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema(t).Validate(value); err != nil {
		t.Error(err)
	}
	for name := range f.Claims {
		if !slices.ContainsFunc(f.Entries, func(e *regress.Entry) bool { return slices.Contains(e.Claims, name) }) {
			t.Errorf("no entry is about the claim %s", name)
		}
	}
	formatted, err := f.Format()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(formatted, text) {
		t.Errorf("%s is not formatted as ringcheck regress --update does it", ours)
	}
}
