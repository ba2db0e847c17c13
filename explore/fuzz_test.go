package explore

import (
	"errors"
	"testing"

	"ringcheck/explore/store"
)

// FuzzRecord checks that any record is parsed or refused with a reason.
func FuzzRecord(f *testing.F) {
	f.Add([]byte(`{"format":3,"about":"me","complete":true,"states":3,"transitions":4,"levels":[1,2],"tree":[3]}`))
	f.Add([]byte(`{"format":3,"levels":[1],"runs":[[{"number":1,"roots":1,"blocks":1}],` +
		`[{"number":2,"roots":9,"blocks":1}]],"values":[1,2,3]}`))
	f.Add([]byte(`{"format":2}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := parseRecord(data)
		switch {
		case err != nil:
			if !errors.Is(err, store.ErrDamaged) && !errors.Is(err, store.ErrFormat) {
				t.Errorf("%q: %v", data, err)
			}
			return
		case r.Format != format || !r.Complete && len(r.Runs) < len(r.Levels):
			t.Errorf("%q was taken for a checkpoint", data)
		}
		for _, level := range r.Runs {
			for _, run := range level {
				if !r.keepsRun(run.Number) {
					t.Errorf("%q: run %d would be removed", data, run.Number)
				}
			}
		}
	})
}
