package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"ringcheck/cmd/ringcheck/command"
	"ringcheck/internal/test/filetest"
)

// nasty is text that a file may have in a name or a string: marks that reverse the direction of writing or are
// invisible, a Unicode line separator, and a script.
const nasty = "\u202e\u200b\u2028</script><script>alert(7)</script><img src=x>&'|"

// raw is what a label or the name of a file may have as well: it would set the title of a terminal, and forge a line of
// a log.
const raw = nasty + "\x1b]0;t\a\rringcheck: ok\x00\xff"

// nastySpec is a protocol in which all texts are nasty.
const nastySpec = `protocol nasty "TEXT"
source "TEXT"
param n: 2..4 = 2 "TEXT"
option loud: bool = false "TEXT"
topology directed ring of n
channel unordered | fifo = fifo "TEXT"
message M(value: 1..2)
event leader
var x: 1..2
process p = A
A = draw x; send right M(x); B(x)
B(keep x) = recv left M(x); leader; stop
invariant one "TEXT" = not (exists p in node: p at B and p.x = 2)
terminal decided "TEXT" = forall p in node: p at B
recoverable hope "TEXT" = exists p in node: p at B
`

// TestSafety has every sub-command show nasty texts and names from files in every format. No output controls a
// terminal, hides in a log, or runs in a page.
func TestSafety(t *testing.T) {
	dir := filepath.Join(t.TempDir(), strings.NewReplacer("/", "", "\x00", "", "\xff", "").Replace(raw))
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Skip(err) // a file system that refuses such names
	}
	t.Chdir(dir)
	name := filepath.Base(dir)
	write := func(ending, text string) string {
		filetest.Write(t, name+ending, text)
		return name + ending
	}
	spec := write(".ring", strings.ReplaceAll(nastySpec, "TEXT", nasty))
	wrong := write("-wrong.ring", strings.ReplaceAll(nastySpec, "TEXT", nasty)+"\ninvariant "+raw)
	a := write(".aut", "des (0,2,3)\n(0,\""+nasty+"\",1)\n(1,\"b\",2)\n")
	b := write("-other.aut", "des (0,2,3)\n(0,\""+nasty+"\",1)\n(1,\"c"+nasty+"\",2)\n")
	shown := 0
	quoted := string(must(json.Marshal(raw)))
	file := write("-entries.json", `{"claims": {`+quoted+`: `+quoted+`}, "entries": [{"claims": [`+quoted+`], "spec": `+
		string(must(json.Marshal(spec)))+
		`, "params": {"n": 2}, "expect": {"states": 1}}]}`)
	for _, line := range []string{
		"explore SPEC", "explore SPEC --json", "explore SPEC -v --workers 1", "explore SPEC --out OUT.aut",
		"explore SPEC --out OUT.dot", "explore SPEC --store OUT.store", "store info OUT.store",
		"explore SPEC --help", "explore WRONG", "explore NAME", "explore NAME.none.ring", "explore SPEC --NAME",
		"explore SPEC -p NAME=1", "explore SPEC -n NAME", "explore SPEC --mem NAME",
		"check SPEC", "check SPEC --json", "check SPEC --coverage", "check SPEC --property NAME", "check SPEC --strict",
		"counterexample SPEC", "counterexample SPEC --format msc", "counterexample SPEC --format mermaid",
		"counterexample SPEC --format svg",
		"counterexample SPEC --format html", "counterexample SPEC --format json", "counterexample SPEC --out OUT.html",
		"counterexample SPEC --out OUT.svg", "counterexample SPEC --out OUT.json",
		"counterexample SPEC --out OUT.NAME", "witness SPEC", "witness SPEC --format html",
		"minimize SPEC", "minimize SPEC --json", "minimize A", "minimize A --json", "minimize A --out OUT2.dot",
		"minimize A --out OUT2.aut", "minimize A --hide NAME",
		"compare A B", "compare A B --json", "compare A SPEC", "compare A B --visible NAME",
		"prob SPEC --until terminal", "prob SPEC --until terminal --json", "prob SPEC --until NAME",
		"prob SPEC --reward NAME", "prob SPEC --until terminal --within 5 --plot OUT3.svg",
		"prob SPEC --until terminal --export OUT.tra",
		"simulate SPEC --runs 10", "simulate SPEC --runs 10 --json", "simulate SPEC --runs 10 --csv OUT.csv",
		"simulate SPEC --runs 10 --trace OUT4.html", "simulate SPEC --until NAME",
		"sweep SPEC -n 2..3", "sweep SPEC -n 2..3 --json", "sweep SPEC -n 2..3 --out OUT5.md",
		"sweep SPEC -n 2..3 --out OUT5.csv", "sweep SPEC -n 2..3 --out OUT5.svg", "sweep SPEC -n 2..3 --check",
		"view SPEC --out OUT6.html", "view SPEC --trace A",
		"regress FILE", "regress FILE --json", "regress FILE --junit OUT.xml", "regress FILE --only NAME", "regress A",
		"export SPEC --format mcrl2", "export SPEC --format promela", "export SPEC --out OUT.pml", "fmt --diff SPEC",
		"fmt --diff WRONG", "fmt --list SPEC", "specs SPEC", "specs NAME", "table NAME", "NAME", "completion NAME",
		"store info NAME",
	} {
		var args []string
		for word := range strings.FieldsSeq(line) {
			args = append(args, strings.NewReplacer("SPEC", spec, "WRONG", wrong, "NAME", name, "FILE", file, "A", a,
				"B", b, "OUT", name).Replace(word))
		}
		var stdout, stderr bytes.Buffer
		status := command.Main(args, &stdout, &stderr)
		if status < 2 {
			shown++
		}
		if status > 3 {
			t.Errorf("%s: status %d: %s", line, status, &stderr)
		}
		for _, out := range []string{stdout.String(), stderr.String()} {
			if i := strings.IndexFunc(out, func(c rune) bool {
				return c != '\n' && c != '\t' &&
					!unicode.IsPrint(c)
			}); i >= 0 {
				t.Errorf("%s: the output has %q", line, out[max(0, i-60):min(len(out), i+20)])
			}
		}
		if strings.Contains(stdout.String(), "<html") && strings.Contains(stdout.String(), "<script>alert") {
			t.Errorf("%s: text from a file became part of a page", line)
		}
		if strings.Contains(line, "json") && stdout.Len() > 0 && !json.Valid(stdout.Bytes()) {
			t.Errorf("%s: no JSON: %.300s", line, &stdout)
		}
	}
	if shown < 50 {
		t.Errorf("only %d commands showed text from the files", shown)
	}
	err := filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(path, spec) || path == wrong || path == a || path == b ||
			path == file {
			return err
		}
		text, err := os.ReadFile(path)
		switch filepath.Ext(path) {
		case ".html", ".svg", ".md", ".xml":
			for line := range strings.Lines(string(text)) {
				code := filepath.Ext(path) == ".md" && strings.HasPrefix(line, "    ")
				if i := strings.Index(line, "<script>alert"); i >= 0 && !code {
					t.Errorf("%q: unescaped text from a file: %q", path[len(name):], line[max(0, i-100):i])
				}
			}
		case ".json":
			if !json.Valid(text) {
				t.Errorf("%q: no JSON", path[len(name):])
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
