package specs_test

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"testing"

	"ringcheck/internal/test/filetest"
	"ringcheck/model/language/syntax"
	"ringcheck/specs"
)

func TestSpecsParse(t *testing.T) {
	for _, name := range specs.Names() {
		file, src, err := specs.Source(name)
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

func TestNoWarnings(t *testing.T) {
	for _, name := range specs.Names() {
		spec, err := specs.Open(name)
		if err != nil {
			t.Error(err)
			continue
		}
		if len(spec.Warnings) > 0 {
			t.Errorf("%v", spec.Warnings)
		}
		if spec.Source == "" || spec.Doc == "" {
			t.Errorf("%s does not say what it is and where it is from", name)
		}
	}
}

func TestReadFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mine.ring")
	filetest.Write(t, path, "protocol mine")
	file, src, err := specs.Read(path)
	if err != nil || file != path || string(src) != "protocol mine" {
		t.Errorf("Read gave %q, %q, %v", file, src, err)
	}
}

func TestReadErrors(t *testing.T) {
	_, _, err := specs.Read("frankin")
	var unknown *specs.UnknownError
	if !errors.As(err, &unknown) || unknown.Near != "franklin" {
		t.Errorf("Read of a misspelt name gave %v", err)
	}
	if _, _, err := specs.Read("no/such.ring"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Read of a missing file gave %v", err)
	}
	if _, _, err := specs.Read(t.TempDir()); err == nil {
		t.Error("Read of a directory gave no error")
	}
	if _, err := specs.Open("../no.ring"); err == nil {
		t.Error("Open of a missing file gave no error")
	}
}

func Example() {
	for _, name := range specs.Names() {
		spec, err := specs.Open(name)
		if err != nil {
			panic(err)
		}
		fmt.Println(name + ": " + spec.Doc)
	}
	// Output:
	// chang-roberts: leader election on a directed ring with unique identities
	// dkr: Dolev-Klawe-Rodeh (and Peterson) on a directed ring, with round numbers modulo m
	// franklin: probabilistic leader election on an anonymous bidirectional ring
	// franklin-unique: Franklin's own algorithm: leader election on a bidirectional ring with unique identities
	// hirschberg-sinclair: leader election on a bidirectional ring with unique identities, O(n log n) messages
	// itai-rodeh: probabilistic leader election on an anonymous directed ring
	// peterson: leader election on a directed ring with unique identities, two messages a phase for each process
	// randomized: randomized leader election: random mediators let few contenders pass, round by round; of those left the one with the largest number wins
	// randomized-first: randomized leader election, first phase: in each round a mediator lets one contender pass at most
	// randomized-second: randomized leader election, second phase: mediators arbitrate, the larger random number wins
}
