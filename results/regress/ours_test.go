package regress

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"ringcheck"
	"ringcheck/internal/test/filetest"
	"ringcheck/results/published"
	"ringcheck/results/table"
)

// ours is our own regression file.
const ours = "../regression.json"

func readOurs(t *testing.T) (*File, []byte) {
	t.Helper()
	text := filetest.Read(t, ours)
	f, err := Parse(ours, text)
	if err != nil {
		t.Fatal(err)
	}
	return f, text
}

// TestOursIsPublished: our regression file expects every number that is published, and no other for that row.
func TestOursIsPublished(t *testing.T) {
	f, _ := readOurs(t)
	entries := make(map[string]*Entry)
	for _, e := range f.Entries {
		entries[e.Name()] = e
	}
	tables, err := published.Tables()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range tables {
		rows, err := table.New(p)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range rows.Rows {
			instance, err := r.Experiment.Instantiate()
			if err != nil {
				t.Fatal(err)
			}
			e := entries[instance.Name()]
			if e == nil || !slices.Contains(e.Claims, fmt.Sprintf("table-%d", p.Number)) {
				t.Errorf("table %d: no entry for %s", p.Number, instance.Name())
				continue
			}
			same(t, instance.Name()+": states", e.Expect.States, p.Rows[i].States)
			same(t, instance.Name()+": internal states", e.Expect.InternalStates, p.Rows[i].Internal)
			same(t, instance.Name()+": transitions", e.Expect.Transitions, p.Rows[i].Transitions)
		}
	}
}

func same(t *testing.T, what string, got *ringcheck.Count, want *uint64) {
	t.Helper()
	if (got == nil) != (want == nil) || got != nil && uint64(*got) != *want {
		t.Errorf("%s: the entry expects %v, the paper reports %v", what, got, want)
	}
}

// TestOursIsWhole: it fits the schema, every claim has an entry, and it is as --update writes it.
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
		if !slices.ContainsFunc(f.Entries, func(e *Entry) bool { return slices.Contains(e.Claims, name) }) {
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
