package specs

import (
	"testing"

	"ringcheck/model/syntax"
)

func TestSpecsParse(t *testing.T) {
	for _, name := range Names() {
		file, src, err := Source(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := syntax.Parse(file, src)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		if f.Name != name {
			t.Errorf("%s: the protocol clause says %q", file, f.Name)
		}
	}
}
