package command

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"ringcheck/internal/test/browsertest"
	"ringcheck/internal/test/filetest"
)

// firstLine is the script of the first line in the editor.
const firstLine = `document.getElementById("editor").shadowRoot.querySelector(".cm-line").textContent`

// focusEditor puts the cursor into the editor.
func (p *playground) focusEditor() {
	p.t.Helper()
	p.run(`document.getElementById("tab-spec").click(),
		document.getElementById("editor").shadowRoot.querySelector(".cm-content").focus()`)
}

// undo presses Ctrl-Z.
func (p *playground) undo() {
	p.t.Helper()
	p.Do(p.t, chromedp.KeyEvent("z", chromedp.KeyModifiers(2)))
}

// TestPlaygroundUndo undoes more than was typed: the text of another protocol does not come back.
func TestPlaygroundUndo(t *testing.T) {
	p := newPlayground(t)
	p.choose("Write your own")
	want := browsertest.Eval[string](t, p.Browser, firstLine)
	p.focusEditor()
	p.Do(t, chromedp.KeyEvent("// mine"))
	p.until(firstLine + `.startsWith("// mine")`)
	for range 4 {
		p.undo()
	}
	p.until(`!` + firstLine + `.startsWith("// mine")`)
	if got := browsertest.Eval[string](t, p.Browser, firstLine); got != want {
		t.Errorf("after Ctrl-Z the text begins with %q, want %q", got, want)
	}
	p.Quiet(t, p.url)
}

// TestPlaygroundStale makes an error: every panel says what it shows, and a search is one of the text.
func TestPlaygroundStale(t *testing.T) {
	p := newPlayground(t)
	p.choose("Chang and Roberts")
	p.until(`document.getElementById("settings").textContent.startsWith("n = 3")`)
	p.focusEditor()
	p.Do(t, chromedp.KeyEvent("zap "))
	const says = "This page shows the last version without errors."
	p.until(`document.body.innerText.includes("` + says + `")`)
	for _, tab := range []string{"chart", "truth", "graph", "search"} {
		p.run(`document.getElementById("tab-` + tab + `").click()`)
		if got := p.text("body"); !strings.Contains(got, says) {
			t.Errorf("the panel %s does not say what it shows", tab)
		}
	}
	for _, button := range []string{"search-start", "check", "counterexample", "probability"} {
		p.run(`document.getElementById("` + button + `").click()`)
		p.until(`document.getElementById("search-text").textContent.startsWith("spec.ring:1:1") ||
			document.getElementById("search-text").textContent.includes("zap")`)
	}
	p.focusEditor()
	for range 4 {
		p.Do(t, chromedp.KeyEvent(kb.Delete))
		p.Do(t, chromedp.KeyEvent(kb.Backspace))
	}
	p.undo()
	p.undo()
	p.undo()
	p.until(`!document.body.innerText.includes("` + says + `")`)
	p.Quiet(t, p.url)
}

// TestPlaygroundHolds asks for a counterexample where every property holds: the counts are those of all states.
func TestPlaygroundHolds(t *testing.T) {
	p := newPlayground(t)
	p.choose("Franklin, probabilistic")
	p.until(`document.getElementById("settings").textContent.startsWith("n = 3, k = 2")`)
	p.run(`document.getElementById("tab-search").click(), document.getElementById("counterexample").click()`)
	p.until(`document.getElementById("search-text").textContent === "Every property holds."`)
	if got := p.text("#counts"); !strings.Contains(got, "15,445") || !strings.Contains(got, "43,968") {
		t.Errorf("counts %q", got)
	}
}

// TestPlaygroundFound opens the link to a counterexample: it says what the run shows, and why.
func TestPlaygroundFound(t *testing.T) {
	p := newPlayground(t)
	p.choose("Franklin, probabilistic")
	p.until(`document.getElementById("settings").textContent.startsWith("n = 3, k = 2")`)
	for name, value := range map[string]string{"bits": "false", "n": "2", "k": "3"} {
		p.set(name, value)
	}
	p.until(`document.getElementById("settings").textContent.startsWith("n = 2, k = 3, bits = false")`)
	p.run(`document.getElementById("tab-search").click(), document.getElementById("counterexample").click()`)
	p.until(`document.getElementById("finding").textContent !== "" && location.hash.startsWith("#z.")`)
	finding := p.text("#finding")
	if !strings.Contains(finding, "\n") {
		t.Errorf("the finding has no reason: %q", finding)
	}
	if got := p.text("#counts"); got != "" {
		t.Errorf("the progress of the search is left: %q", got)
	}
	end := p.text("#position")
	p.run(`document.getElementById("undo").click()`)
	p.until(`document.getElementById("position").textContent !== "` + end + `"`)
	at := p.text("#position")
	p.run(`document.getElementById("share").click()`)
	p.until(`document.getElementById("now").textContent.includes("link")`)
	hash := browsertest.Eval[string](t, p.Browser, "location.hash")
	p.run("localStorage.clear()")
	p.show(hash)
	p.until(`document.getElementById("position").textContent === "` + at + `"`)
	p.run(`document.getElementById("tab-chart").click()`)
	if got := p.text("#finding"); got != finding {
		t.Errorf("the link says %q, want %q", got, finding)
	}
	p.Quiet(t, p.url)
}

// TestInterval writes values with their errors, as the command line does.
func TestInterval(t *testing.T) {
	p := newPlayground(t)
	for script, want := range map[string]string{
		`{ low: 1234.5, high: 1234.50004 }`:   "1,234.50002 ± 3e-5",
		`{ low: 0.25, high: 0.2500000001 }`:   "0.25000000005 ± 6e-11",
		`{ low: 1, high: 2 }`:                 "1.5 ± 6e-1",
		`{ low: 0.5, high: 0.5 }`:             "0.5",
		`{ low: 12345, high: 12345 }`:         "12,345",
		`{ low: 0, high: 0, exact: "1/3" }`:   "1/3",
		`{ low: "inf", high: "inf" }`:         "∞",
		`{ low: 2500, high: "inf" }`:          "at least 2,500",
		`{ low: 0, high: 0.00001 }`:           "at most 2e-5",
		`{ low: 0.00001, high: 0.000010001 }`: "0.0000100005 ± 5e-10",
	} {
		p.run(`window.got = null, import("./search.js").then(m => { window.got = m.interval(` + script + `); })`)
		p.until(`window.got !== null`)
		if got := browsertest.Eval[string](t, p.Browser, "got"); got != want {
			t.Errorf("%s: %s, want %s", script, got, want)
		}
	}
}

// TestPlaygroundPhone looks at the editor on a phone: the text has most of the width, and every target is large enough.
func TestPlaygroundPhone(t *testing.T) {
	p := newPlayground(t)
	p.Do(t, chromedp.EmulateViewport(390, 844))
	p.choose("Franklin, probabilistic")
	p.until(`document.getElementById("settings").textContent.startsWith("n = 3, k = 2")`)
	p.focusEditor()
	share := browsertest.Eval[float64](t, p.Browser, `((root, width) => width(root.querySelector(".cm-gutters")) /
		width(root.querySelector(".cm-editor")))(document.getElementById("editor").shadowRoot,
		e => e.getBoundingClientRect().width)`)
	if share > 0.15 {
		t.Errorf("the gutter takes %.0f %% of the editor", 100*share)
	}
	small := browsertest.Eval[[]string](t, p.Browser, `[...document.querySelectorAll("button, input, select, summary")]
		.filter(e => e.checkVisibility() && e.getBoundingClientRect().height < 24)
		.map(e => (e.id || e.textContent) + " " + e.getBoundingClientRect().height)`)
	if len(small) > 0 {
		t.Errorf("targets of less than 24 px: %q", small)
	}
	p.shot("phone")
	p.Do(t, chromedp.EmulateViewport(1400, 900))
}

// An editing is the page of view --edit, of a file with the spec pairSpec.
type editing struct {
	playground
	path   string
	status chan int
	stop   func()
}

const pairSpec = "protocol pair\ntopology line of 2\nchannel fifo\nmessage M\n" +
	"process p = if p = 0 then Left else Right\nLeft = send right M; stop\nRight = recv left M; stop\n"

func newEditing(t *testing.T) *editing {
	t.Helper()
	b := browsertest.Start(t)
	e := &editing{playground{b, t, ""}, filepath.Join(t.TempDir(), "pair.ring"), make(chan int), nil}
	filetest.Write(t, e.path, pairSpec)
	stdout, out := io.Pipe()
	ctx, stop := context.WithCancel(t.Context())
	e.stop = stop
	go func() {
		defer out.Close()
		args := []string{"view", e.path, "--edit", "--listen", "127.0.0.1:0"}
		e.status <- ringcheckProgram().call(out, os.Stderr).attempt(ctx, args)
	}()
	lines := bufio.NewScanner(stdout)
	for !strings.HasPrefix(e.url, "http") && lines.Scan() {
		e.url = lines.Text()
	}
	if e.url == "" {
		t.Fatalf("no page: status %d", <-e.status)
	}
	e.show("")
	return e
}

// ended ends the program.
func (e *editing) ended() {
	e.t.Helper()
	e.Quiet(e.t, e.url)
	e.stop()
	if got := <-e.status; got != 0 {
		e.t.Errorf("status %d", got)
	}
}

func (e *editing) file() string {
	e.t.Helper()
	return string(filetest.Read(e.t, e.path))
}

// TestEdit saves what is typed on the page of view --edit, and shows what another program then writes to the file.
func TestEdit(t *testing.T) {
	e := newEditing(t)
	e.focusEditor()
	e.Do(t, chromedp.KeyEvent("// mine\r"))
	e.until(firstLine + ` === "// mine"`)
	e.until(`document.getElementById("keep").textContent === "Save •" && document.title.startsWith("• ")`)
	e.run(`document.getElementById("keep").click()`)
	e.until(`document.body.innerText.includes("Saved to ")`)
	e.until(`document.getElementById("keep").textContent === "Save" && !document.title.startsWith("• ")`)
	if got := e.file(); !strings.HasPrefix(got, "// mine\n") || !strings.Contains(got, "Right = recv left M; stop\n") {
		t.Errorf("the file is now\n%s", got)
	}
	filetest.Write(t, e.path, "// yours\n"+pairSpec)
	e.until(firstLine + ` === "// yours"`)
	e.focusEditor()
	e.Do(t, chromedp.KeyEvent(kb.Home, chromedp.KeyModifiers(2)))
	e.Do(t, chromedp.KeyEvent("//   more\r"))
	e.Do(t, chromedp.KeyEvent("s", chromedp.KeyModifiers(2)))
	e.until(`document.body.innerText.includes("Saved to ")`)
	if got := e.file(); !strings.HasPrefix(got, "//   more\n") ||
		!strings.Contains(got, "// yours\nprotocol pair\n\ntopology") {
		t.Errorf("after Ctrl-S the file is\n%s", got)
	}
	e.ended()
}

// TestEditConflict changes the file while the text on the page is changed, too: neither is lost without a question.
func TestEditConflict(t *testing.T) {
	e := newEditing(t)
	e.focusEditor()
	e.Do(t, chromedp.KeyEvent("// mine\r"))
	e.until(firstLine + ` === "// mine"`)
	e.until(`document.getElementById("settings").textContent !== null`)
	yours := "// yours\n" + pairSpec
	filetest.Write(t, e.path, yours)
	e.until(`document.body.innerText.includes("was changed by another program")`)
	e.run(`document.getElementById("conflict").hidden = true; document.getElementById("keep").click()`)
	e.until(`document.body.innerText.includes("was changed by another program")`)
	if got := e.file(); got != yours {
		t.Errorf("Save has overwritten the file:\n%s", got)
	}
	e.shot("conflict")
	e.run(`[...document.querySelectorAll("#conflict button")].find(b => b.textContent === "Keep the text here").click()`)
	e.run(`document.getElementById("keep").click()`)
	e.until(`document.body.innerText.includes("Saved to ")`)
	if got := e.file(); !strings.HasPrefix(got, "// mine\n") {
		t.Errorf("after the answer the file is\n%s", got)
	}
	e.focusEditor()
	e.Do(t, chromedp.KeyEvent("// again\r"))
	filetest.Write(t, e.path, yours) // as it was before the text here was saved
	e.until(`document.body.innerText.includes("was changed by another program")`)
	e.run(`[...document.querySelectorAll("#conflict button")].find(b => b.textContent.startsWith("Take")).click()`)
	e.until(firstLine + ` === "// yours"`)
	e.until(`document.getElementById("conflict").hidden`)
	e.undo()
	e.until(`document.getElementById("editor").shadowRoot.textContent.includes("// again")`)
	e.run(`window.onbeforeunload = null`)
	e.ended()
}
