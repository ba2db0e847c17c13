package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"ringcheck/cmd/ringcheck/command"
	"ringcheck/internal/test/filetest"
	"ringcheck/internal/test/spectest"
	"ringcheck/internal/test/testlevel"
	"ringcheck/specs"
)

var inputs = testlevel.Cases(25, 60) // how many wrong inputs TestInputs tries of each kind

// TestInputs gives the program invalid input, which it must use or refuse, and which must not control a terminal.
func TestInputs(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 4))
	dir := t.TempDir()
	written := writtenFiles(t, dir)
	for i := range inputs() {
		name := specs.Names()[i%len(specs.Names())]
		text := spectest.Source(t, name)
		call(t, "check", mutated(t, r, dir, "x.ring", []byte(text)), "-n", "2", "--max-states", "300")
		call(t, "minimize", mutated(t, r, dir, "x.aut",
			[]byte("des (0,4,3)\n(0,\"a\",1)\n(0,tau,2)\n(1,\"b(1)\",2)\n(2,\"a\",0)\n")))
		call(t, "regress", mutated(t, r, dir, "x.json",
			[]byte(`{"claims": {"c": "d"}, "entries": [{"claims": ["c"], "spec": "dkr", "params": {"n": 2}, "expect": {"states": 179, "properties": {"unique": {"holds": true}}}}]}`)))
		ending := []string{".umb", ".tra", ".lab", ".trew"}[i%4]
		path := mutated(t, r, dir, "y"+ending, written["y"+ending])
		if ending == ".lab" || ending == ".trew" {
			path = filepath.Join(dir, "y.tra")
		}
		call(t, "prob", path)
		call(t, "minimize", path)
		restore(t, dir, "y"+ending, written)
		call(t, "sweep", "dkr", "-n", "2..3", "--out", mutated(t, r, dir, "sweep.json",
			written["sweep.json"]))
		words := strings.Fields("explore check minimize compare counterexample store info specs table franklin dkr " +
			"-n 2 -k 2 --json --no-bits --order left --reduce " +
			"confelm --symmetry rotation --property unique --explain --hide leader --max-states 300 -- -p n=3 " +
			"\x1b[31m --assume none --equivalence strong")
		var args []string
		for range 1 + r.IntN(7) {
			args = append(args, words[r.IntN(len(words))])
		}
		if slices.Contains(args, "table") {
			args = append(args, "--max-states", "300")
		}
		call(t, append(args, "--timeout", "5s")...)
	}
}

// writtenFiles has the program write files of the kinds that it reads to a folder, and returns their contents.
func writtenFiles(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	join := func(name string) string { return filepath.Join(dir, name) }
	for _, args := range [][]string{
		{"prob", "franklin", "-n", "2", "--export", join("y.umb")},
		{"prob", "franklin", "-n", "2", "--reward", "steps", "--export", join("y.tra")},
		{"sweep", "dkr", "-n", "2..3", "--out", join("sweep.json")},
	} {
		var stdout, stderr bytes.Buffer
		if status := command.Main(append(args, "-q"), &stdout, &stderr); status > 1 {
			t.Fatalf("%q: status %d: %s", args, status, &stderr)
		}
	}
	files := make(map[string][]byte)
	for _, name := range []string{"y.umb", "y.tra", "y.lab", "y.trew", "sweep.json"} {
		data := filetest.Read(t, join(name))
		files[name] = data
	}
	return files
}

func restore(t *testing.T, dir, name string, files map[string][]byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), files[name], 0o666); err != nil {
		t.Fatal(err)
	}
}

// mutated writes a text with some changes to a file, and returns its path.
func mutated(t *testing.T, r *rand.Rand, dir, name string, text []byte) string {
	t.Helper()
	text = slices.Clone(text)
	for range 1 + r.IntN(4) {
		at := r.IntN(len(text))
		switch r.IntN(4) {
		case 0:
			text[at] = byte(r.IntN(256))
		case 1:
			text = slices.Delete(text, at, min(len(text)-1, at+1+r.IntN(20)))
		case 2:
			text = slices.Insert(text, at,
				[]byte([]string{"\x00", "\x1b[2J", "\u202e", "(((((", "999999999999999999999", "\xff", "null", "if",
					"\n"}[r.IntN(9)])...)
		case 3:
			from := r.IntN(len(text))
			text = slices.Insert(text, at, text[from:min(len(text), from+r.IntN(60))]...)
		}
	}
	path := filepath.Join(dir, name)
	filetest.Write(t, path, text)
	return path
}

// call runs the program with possibly invalid input.
func call(t *testing.T, args ...string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status := command.Main(args, &stdout, &stderr)
	if status < 0 || status > 3 {
		t.Errorf("%q: status %d: %.500s", args, status, &stderr)
	}
	for _, out := range []string{stdout.String(), stderr.String()} {
		if i := strings.IndexFunc(out, func(c rune) bool {
			return c != '\n' && c != '\t' &&
				!unicode.IsPrint(c)
		}); i >= 0 {
			t.Errorf("%q: the output has %q", args, out[i:min(len(out), i+20)])
		}
	}
	if t.Failed() {
		t.Logf("%.2000s", stderr.String())
	}
}
