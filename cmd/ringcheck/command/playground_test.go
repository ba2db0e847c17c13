package command

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ringcheck"
	"ringcheck/internal/test/browsertest"
	"ringcheck/internal/test/filetest"
)

// TestPlaygroundVerdicts checks every protocol of the page, and compares what it shows with what the library says.
func TestPlaygroundVerdicts(t *testing.T) {
	p := newPlayground(t)
	answer, err := http.Get(p.url + "catalogue.json")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var list []struct{ File, Title string }
	if err := json.NewDecoder(answer.Body).Decode(&list); err != nil {
		t.Fatal(err)
	}
	titles := map[string]string{}
	for _, e := range list {
		titles[e.File] = e.Title
	}
	for _, folder := range []string{"specs", "examples"} {
		paths, err := filepath.Glob(filepath.Join("..", "..", "..", folder, "*.ring"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %d specs, %v", folder, len(paths), err)
		}
		for _, path := range paths {
			file := filepath.Base(path)
			t.Run(file, func(t *testing.T) { p.sameVerdicts(path, titles[file]) })
		}
	}
	p.Quiet(t, p.url)
}

func (p *playground) sameVerdicts(path, title string) {
	p.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		p.t.Fatal(err)
	}
	spec, err := ringcheck.Parse(filepath.Base(path), text)
	if err != nil {
		p.t.Fatal(err)
	}
	p.run(`document.getElementById("title").textContent = ""`)
	p.choose(title)
	p.until(`document.getElementById("title").textContent !== ""`)
	set := ringcheck.Set{}
	for s := range strings.SplitSeq(p.text("#settings"), ", ") {
		if name, value, ok := strings.Cut(s, " = "); ok {
			set[name] = value
		}
	}
	sys, err := spec.System(set)
	if err != nil {
		p.t.Fatalf("%s: %v", title, err)
	}
	r, err := ringcheck.Check(p.t.Context(), sys, ringcheck.Checks{}, ringcheck.Search{})
	if err != nil {
		p.t.Fatalf("%s: %v", title, err)
	}
	want := []string{fmt.Sprint(r.States, r.Transitions, r.TerminalStates)}
	for _, v := range r.Verdicts.Properties {
		word := "unknown"
		if v.Holds != nil {
			word = map[bool]string{true: "holds", false: "violated"}[*v.Holds]
		}
		want = append(want, fmt.Sprintf("%s %s: %s", v.Name, v.Kind, word))
	}
	p.run(`document.getElementById("tab-search").click(), document.getElementById("check").click()`)
	p.until(`document.getElementById("counts").textContent.includes("terminal states")`)
	got := browsertest.Eval[[]string](p.t, p.Browser, `[
		[...document.querySelectorAll("#counts dd")].slice(0, 3).map(e => e.textContent.replaceAll(",", "")).join(" "),
		...[...document.querySelectorAll("#results li > div")].map(e => [...e.childNodes].slice(0, 2)
			.map(n => n.textContent).join("").replace(/,.*/, ""))]`)
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		p.t.Errorf("%s, %v: the page says\n%s\nand the library\n%s", title, set,
			strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestCatalogue does what the list of protocols proposes, one step after the other: what a step breaks is broken.
func TestCatalogue(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	var list []struct {
		File, Text, Look string
		Settings         ringcheck.Set
		Try              []struct {
			Say, Then string
			Change    [][2]string
			Settings  ringcheck.Set
		}
	}
	if err := json.Unmarshal(filetest.Read(t, filepath.Join(root, "specs", "catalogue.json")), &list); err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		text, set := e.Text, ringcheck.Set{"n": 3}
		if text == "" {
			paths, _ := filepath.Glob(filepath.Join(root, "*s", e.File))
			if len(paths) != 1 {
				t.Errorf("%s: files %v", e.File, paths)
				continue
			}
			text = string(filetest.Read(t, paths[0]))
		}
		if e.Look == "" || len(e.Try) == 0 {
			t.Errorf("%s: look %q, %d steps to try", e.File, e.Look, len(e.Try))
		}
		maps.Copy(set, e.Settings)
		for _, step := range e.Try {
			for _, change := range step.Change {
				if !strings.Contains(text, change[0]) {
					t.Errorf("%s, %s: the text has no %q", e.File, step.Say, change[0])
				}
				text = strings.Replace(text, change[0], change[1], 1)
			}
			maps.Copy(set, step.Settings)
			spec, err := ringcheck.Parse(e.File, []byte(text))
			if err != nil {
				t.Errorf("%s, %s: %v", e.File, step.Say, err)
				continue
			}
			if !strings.Contains(text, "param n") {
				delete(set, "n")
			}
			sys, err := spec.System(set)
			if err != nil {
				t.Errorf("%s, %s: %v", e.File, step.Say, err)
				continue
			}
			r, err := ringcheck.Check(t.Context(), sys, ringcheck.Checks{}, ringcheck.Search{MaxStates: 100_000})
			if err != nil {
				t.Errorf("%s, %s: %v", e.File, step.Say, err)
			} else if h := r.Verdicts.Holds; (h != nil && !*h) != (step.Then == "counterexample") {
				t.Errorf("%s, %s: a property is violated: %t", e.File, step.Say, h != nil && !*h)
			}
		}
	}
}
