package regress_test

import (
	"regexp"
	"strings"
	"testing"

	"ringcheck/results/regress"
)

// FuzzParse: a file that is accepted stays the same when it is written and read again; others are refused in one line
// with the place.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"", "null", "{}", `{"entries": [null]}`, `{"entries": [{"spec": "franklin"}], "entries": []}`,
		`{"entries": [` + right + "," + wrong + "," + large + `]}`,
		`{"claims": {"c": "d"}, "entries": [{"claims": ["c"], "spec": "dkr", "params": {"n": 2}, "expect": {"states": 179, "properties": {"unique": {"holds": true}}}}]}`,
		`{"entries": [{"spec": "franklin", "params": {"n": 3, "k": 2}, "options": {"order": "left"}, "reduce": "onthefly", "assume": "no-conflict", "expect": {"stored_states": 1, "internal_states": 2}}]}`,
	} {
		f.Add([]byte(text))
	}
	place := regexp.MustCompile(`^x\.json:[1-9][0-9]*:[1-9][0-9]*: .`)
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := regress.Parse("x.json", data)
		if err != nil {
			if !place.MatchString(err.Error()) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q is not one line that names the place", err)
			}
			return
		}
		text, err := file.Format()
		if err != nil {
			t.Fatal(err)
		}
		again, err := regress.Parse("x.json", text)
		if err != nil {
			t.Fatalf("written as\n%s\n%v", text, err)
		}
		if rewritten, err := again.Format(); err != nil || string(rewritten) != string(text) {
			t.Errorf("written and read again\n%s\nwas\n%s, error %v", rewritten, text, err)
		}
	})
}
