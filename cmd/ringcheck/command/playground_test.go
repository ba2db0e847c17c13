package command

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ringcheck"
	"ringcheck/internal/test/browsertest"
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
	r, err := ringcheck.Check(p.t.Context(), sys, ringcheck.Options{})
	if err != nil {
		p.t.Fatalf("%s: %v", title, err)
	}
	want := []string{fmt.Sprint(r.States, r.Transitions, r.TerminalStates)}
	for _, v := range r.Properties {
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
