package explorer

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"ringcheck/explore"
	"ringcheck/internal/test/browsertest"
	"ringcheck/internal/test/filetest"
	"ringcheck/model"
)

func TestMain(m *testing.M) { os.Exit(browsertest.Main(m)) }

var shots = flag.String("screenshots", "", "write the screenshots to this folder")

// TestLooks looks at every view of the page: wide, narrow, and dark.
func TestLooks(t *testing.T) {
	b := browsertest.Start(t)
	p := open(t, b, "franklin", "n=4 k=2", "")
	for _, key := range []string{"1", "3", "2", "3", "2", "1", "2", "1", "2"} {
		before := p.text("#position")
		p.press(key)
		p.until("document.getElementById('position').textContent !== '" + before + "'")
	}
	p.neat("run")
	p.press("s")
	p.until("!document.getElementById('spec-panel').hidden")
	p.neat("spec")
	p.press("/")
	browsertest.Eval[string](t, b, `document.getElementById("condition").value = ""`) // CDP types the slash in spite of preventDefault
	p.Do(t, chromedp.SendKeys("#condition", "exists p in node: p at Leader\n"))
	p.until("document.querySelectorAll('#conditions li').length === 1")
	p.press("\x1b")
	p.neat("properties")
	p.click("#conditions button")
	p.until("document.querySelector('#conditions li').className === 'true'")
	p.press("c")
	p.neat("leader")
	p.press("e")
	p.click("#search-start")
	p.until("document.getElementById('search-text').textContent.startsWith('Every')")
	p.neat("search")
	b.Scheme(t, "dark")
	p.press("c")
	p.neat("dark")
	p.Do(t, chromedp.EmulateViewport(400, 850))
	b.Scheme(t, "light")
	p.neat("narrow")
	p.Do(t, chromedp.EmulateViewport(900, 900))
	p.neat("medium")
	p.Do(t, chromedp.EmulateViewport(1400, 900))
	p.Quiet(t, p.url)

	p = open(t, b, "chang-roberts", "n=3", "")
	p.press("g")
	p.until("document.getElementById('graph-text').textContent.includes('transitions')")
	p.press("1")
	p.at("1 / 1")
	p.neat("graph")
	p.press("m")
	p.until("document.querySelector('#quotient .current') !== null")
	p.neat("minimised")
	const faults = `protocol faults "with what can go wrong"
param n: 2..9 = 3
topology complete graph of n
channel fifo, lossy at most 2, duplicating at most 1
crash at most 1 recover Back
message M(x: 0..2)
register seen: 0..2 = 0
event done
var q: node
var x: 0..2
process p = if p = 0 then A else if p = 4 then C else B
A = send 1 M(1); send 2 M(2); B
C = send 1 M(0); send 3 M(1); send 2 M(2); B
B = recv q M(x); seen := x; done; B
Back = done; stop
`
	p = open(t, b, faults, "n=5", "")
	for _, key := range []string{"1", "1", "3", "4", "5"} {
		before := p.text("#position")
		p.press(key)
		p.until("document.getElementById('position').textContent !== '" + before + "'")
	}
	for i, word := range []string{"duplicated", "lost", "crashes"} {
		// They move while the mouse is on its way if the list has to scroll to them.
		browsertest.Eval[string](t, b, `[...document.querySelectorAll(".environment button")].findLast(b => b.textContent.includes("`+word+`")).click(), ""`)
		p.at(fmt.Sprintf("%d / %d", 6+i, 6+i))
	}
	p.neat("faults")
	const line = `protocol line "in a row"
param n: 2..6 = 4
topology line of n
channel fifo
message Token(k: 0..3)
event done
var k: 0..3
process p = if p = 0 then Start else Relay
Start = send right Token(0); send right Token(1); stop
Relay = recv left Token(k); send left Token(3); (send right Token(k); Relay | done; stop)
`
	p = open(t, b, line, "n=4", "")
	for range 4 {
		before := p.text("#position")
		p.press("1")
		p.until("document.getElementById('position').textContent !== '" + before + "'")
	}
	p.neat("line")
	rows := browsertest.Eval[int](t, b,
		`new Set([...document.querySelectorAll("#network .process")].map(p => p.getBoundingClientRect().top)).size`)
	if rows != 1 {
		t.Errorf("the processes of a line are in %d rows", rows)
	}
	p = open(t, b, "franklin", "n=100 k=2", "")
	for range 12 {
		p.press("r")
		p.until("true")
	}
	p.neat("hundred")
	p.Quiet(t, p.url)
}

// TestControls uses every control once, with the mouse and by the keyboard.
func TestControls(t *testing.T) {
	b := browsertest.Start(t)
	p := open(t, b, "franklin", "n=3 k=2", "")
	p.click(".move")
	p.at("1 / 1")
	p.press("2")
	p.at("2 / 2")
	for _, c := range []struct{ button, at string }{{"#undo", "1 / 2"}, {"#redo", "2 / 2"}, {"#rewind", "0 / 2"},
		{"#latest", "2 / 2"}} {
		p.click(c.button)
		p.at(c.at)
	}
	for _, c := range []struct{ key, at string }{{kb.ArrowLeft, "1 / 2"}, {kb.ArrowRight, "2 / 2"}, {kb.Home, "0 / 2"},
		{kb.End, "2 / 2"}} {
		p.press(c.key)
		p.at(c.at)
	}
	p.click("#random")
	p.at("3 / 3")
	p.press("r")
	p.at("4 / 4")
	p.click("#play")
	p.until("Number(document.getElementById('position').textContent.split(' ')[0]) > 6")
	p.click("#play")
	p.until("document.getElementById('play').textContent === 'Play'")
	p.Do(t, chromedp.Blur("#play"))
	p.press(" ")
	p.until("document.getElementById('play').textContent === 'Pause' || document.getElementById('play').disabled")
	p.press(kb.Escape)
	p.until("document.getElementById('play').textContent === 'Play'")
	p.click(".steps li:nth-child(2) button")
	p.until("document.getElementById('position').textContent.startsWith('1 /')")

	// The address is that of the state: it can be opened, and leads back.
	address := browsertest.Eval[string](t, b, "location.href")
	p.press("1")
	p.until("document.getElementById('position').textContent === '2 / 2'")
	browsertest.Eval[string](t, b, "history.back(), ''")
	p.until("location.href === '" + address + "'")
	p.at("1 / 2")
	p.Open(t, "about:blank")
	p.show(address)
	p.at("0 / 0")
	p.click("#origin")
	p.at("1 / 1")

	// The keys, the panels, conditions.
	p.click("#help-button")
	p.until("!document.getElementById('help').hidden")
	p.neat("keys")
	p.press(kb.Escape)
	p.until("document.getElementById('help').hidden")
	p.press("?")
	p.until("!document.getElementById('help').hidden")
	p.press("?")
	for _, tab := range []struct{ id, key string }{{"spec", "s"}, {"truth", "p"}, {"graph", "g"}, {"search", "e"},
		{"chart", "c"}} {
		p.click("#tab-" + tab.id)
		p.until("!document.getElementById('" + tab.id + "-panel').hidden")
		p.press("c")
		p.press(tab.key)
		p.until("!document.getElementById('" + tab.id + "-panel').hidden")
	}
	p.press(kb.ArrowRight) // on a tab
	p.until("!document.getElementById('spec-panel').hidden")
	p.click("#tab-truth")
	p.Do(t, chromedp.SendKeys("#condition", "zap\n"))
	p.until("document.getElementById('alert').textContent === 'unknown name zap'")
	browsertest.Eval[string](t, b, `document.getElementById("condition").value = ""`)
	p.Do(t, chromedp.SendKeys("#condition", "exists p in node: p at Leader"))
	p.click("#ask button")
	p.until("document.querySelectorAll('#conditions li').length === 1")
	p.click("#conditions button:last-of-type")
	p.until("document.querySelectorAll('#conditions li').length === 0")

	// A search, stopped or not.
	p.click("#tab-search")
	p.click("#search-start")
	p.until("document.getElementById('search-text').textContent.startsWith('Every')")
	if got := p.text("#counts"); !strings.Contains(got, "15,445") {
		t.Errorf("counts %q", got)
	}
	p.Quiet(t, p.url)

	// A recorded run.
	p.click("#tab-chart")
	x := newExplorer(t, "franklin", "n=3 k=2")
	d, err := x.Describe()
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := x.Save(&file, d.Initial[0], []int{0, 0, 0}, "json"); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "run.json")
	filetest.Write(t, path, file.Bytes())
	p.Do(t, chromedp.SetUploadFiles("#file", []string{path}))
	p.at("0 / 3")
}

// TestSaving saves a run in each format.
func TestSaving(t *testing.T) {
	b := browsertest.Start(t)
	p := open(t, b, "franklin", "n=3 k=2", "")
	for i, key := range []string{"1", "2", "1"} {
		p.press(key)
		p.at(fmt.Sprintf("%d / %d", i+1, i+1))
	}
	// The test keeps the data of downloads instead of files.
	browsertest.Eval[string](t, b, `(window.saved = {}, URL.createObjectURL = blob => { window.blob = blob; return "about:blank"; },
		HTMLAnchorElement.prototype.click = function () { const name = this.download; blob.text().then(text => saved[name] = text); }, "")`)
	for name, want := range map[string]string{"svg": "<svg ", "html": "<!DOCTYPE html>",
		"json": `{"property":null,"length":3,`} {
		p.click("#save-" + name)
		p.until("saved['franklin." + name + "'] !== undefined")
		if got := browsertest.Eval[string](t, b, "saved['franklin."+name+"']"); !strings.HasPrefix(got, want) {
			t.Errorf("%s: it begins with %.60q", name, got)
		}
	}
	p.Quiet(t, p.url)
}

// TestGoing visits an initial state, a state of the graph, and the first state of a class.
func TestGoing(t *testing.T) {
	b := browsertest.Start(t)
	p := open(t, b, "chang-roberts", "n=3", "")
	first := browsertest.Eval[string](t, b, "location.hash")
	browsertest.Eval[string](t, b, `(() => { const list = document.getElementById("initial"); list.selectedIndex = 1; list.dispatchEvent(new Event("change")); return ""; })()`)
	p.until("location.hash !== '" + first + "'")
	p.at("0 / 0")
	if got := p.text("#now"); got != "The initial state" {
		t.Errorf("the page says %q", got)
	}

	p.press("g")
	p.until("document.getElementById('graph-text').textContent.includes('transitions')")
	second := browsertest.Eval[string](t, b, "location.hash")
	p.Do(t, chromedp.Focus("#graph"))
	for _, key := range []string{kb.ArrowDown, kb.ArrowDown, kb.ArrowRight, kb.Enter} {
		p.press(key)
	}
	p.until("location.hash !== '" + second + "'")
	if got := p.text("#now"); got != "A state given by its address" {
		t.Errorf("the page says %q", got)
	}

	p.press("m")
	p.until("document.querySelectorAll('#quotient .class').length === 2")
	p.until("document.querySelector('#quotient .current title')?.textContent === 'a class of 279 states'")
	p.click("#quotient .terminal")
	p.until("document.querySelector('#quotient .current title')?.textContent === 'a class of 36 states, terminal'")
	p.Do(t, chromedp.Focus("#quotient .class:not(.terminal)"))
	p.press(kb.Enter)
	p.until("document.querySelector('#quotient .current title')?.textContent === 'a class of 279 states'")
	p.click("#graph-all")
	p.until("!document.getElementById('graph').hidden && document.getElementById('quotient').hasAttribute('hidden')")
	p.Quiet(t, p.url)
}

// TestStopping stops a search, and asks for graphs that are too large.
func TestStopping(t *testing.T) {
	b := browsertest.Start(t)
	p := open(t, b, "franklin", "n=6 k=2", "")
	p.press("e")
	p.click("#search-start")
	p.until("document.getElementById('search-text').textContent === 'Exploring …'")
	p.click("#search-stop")
	p.until("document.getElementById('search-text').textContent.startsWith('Stopped')")
	for key, want := range map[string]string{"g": "more than 5,000 states", "m": "more than 500,000 states"} {
		p.press(key)
		p.until("document.getElementById('graph-text').textContent.includes('" + want + "')")
	}
	p.Quiet(t, p.url)
}

// TestNamesAreText shows a spec that tries to be markup, and the page of a system as a file.
func TestNamesAreText(t *testing.T) {
	const evil = "<img src=x onerror=document.title=1></script><script>document.title=2</script>\u202e"
	spec := "protocol evil \"" + evil + "\"\n// " + evil +
		"\ntopology directed ring of 2\nchannel fifo\nmessage M\nevent e\nprocess p = send right M; e; recv left M; " +
		"stop\n" +
		"invariant fine \"" + evil + "\" = true\n"
	b := browsertest.Start(t)
	p := open(t, b, spec, "", "")
	for _, key := range []string{"1", "1", "s", "p", "g"} {
		p.press(key)
		p.until("true")
	}
	p.until("document.getElementById('graph-text').textContent.includes('transitions')")
	if got := p.text("#properties"); !strings.Contains(got, "<img src=x onerror=document.title=1></script>") ||
		!strings.Contains(got, `\u{202e}`) {
		t.Errorf("the page reads %q", got)
	}
	if n := browsertest.Eval[int](t, b, "document.querySelectorAll('img, script:not([src])').length"); n != 0 {
		t.Errorf("%d page elements come from the text of the spec", n)
	}
	p.Quiet(t, p.url)

	var file bytes.Buffer
	if err := Export(t.Context(), &file, newExplorer(t, spec, ""), explore.Options{}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "page.html")
	filetest.Write(t, path, file.Bytes())
	p.show("file://" + path)
	for i, key := range []string{"1", "1", "1"} {
		p.press(key)
		p.at(fmt.Sprintf("%d / %d", i+1, i+1))
	}
	p.press("g")
	p.until("document.getElementById('graph-text').textContent.includes('transitions')")
	p.press("c")
	p.neat("file")
	if title := browsertest.Eval[string](t, b, "document.title"); !strings.HasPrefix(title, "evil") {
		t.Errorf("title %q", title)
	}
	p.Quiet(t, "file://"+path)
}

// TestStepIsQuick measures the time from a key to the next picture.
func TestStepIsQuick(t *testing.T) {
	b := browsertest.Start(t)
	for _, settings := range []string{"n=4 k=2", "n=100 k=2"} {
		p := open(t, b, "franklin", settings, "")
		browsertest.Eval[string](t, b, `(async () => {
			const times = [];
			for (let i = 0; i < 8; i++) {
				const before = document.getElementById("position").textContent, began = performance.now();
				document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "r", bubbles: true }));
				while (document.getElementById("position").textContent === before) await new Promise(r => setTimeout(r, 1));
				times.push(performance.now() - began);
			}
			window.times = times.sort((a, b) => a - b);
		})(), ""`)
		p.until("window.times !== undefined")
		times := browsertest.Eval[[]float64](t, b, "window.times")
		t.Logf("franklin %s: a step takes %.1f ms, at most %.1f ms", settings, times[len(times)/2], times[len(times)-1])
	}
}

// pingPong is a protocol that comes back to its initial state after four steps.
const pingPong = `protocol ping_pong
topology directed ring of 2
channel fifo
message M
process p = if p = 0 then A else B
A = send right M; B
B = recv left M; A
`

// TestLasso opens a run that goes on for ever, and follows it.
func TestLasso(t *testing.T) {
	x := newExplorer(t, pingPong, "")
	d, err := x.Describe()
	if err != nil {
		t.Fatal(err)
	}
	trace, err := x.Run(d.Initial[0], []int{0, 0, 0, 0, 0, 0})
	if err != nil {
		t.Fatal(err)
	}
	trace.Lasso = &model.Lasso{Stem: 2, Cycle: 4}
	var file bytes.Buffer
	if err := trace.JSON(&file); err != nil {
		t.Fatal(err)
	}
	b := browsertest.Start(t)
	p := serve(t, b, x, file.Bytes(), "")
	p.at("0 / 6 ↻")
	p.press(kb.End)
	p.at("6 / 6 ↻")
	p.neat("lasso")
	p.press(kb.ArrowRight) // round the cycle
	p.at("3 / 6 ↻")
	p.press(" ")
	p.at("5 / 6 ↻")
	p.at("4 / 6 ↻")
	p.press(kb.Escape)
	if n := browsertest.Eval[int](t, b, "document.querySelectorAll('.steps .loop').length"); n < 1 {
		t.Errorf("%d steps are marked as repeated", n)
	}
	p.press(kb.Home)
	p.at("0 / 6 ↻")
	p.press("1") // the same step: the run stays
	p.at("1 / 6 ↻")
	p.Quiet(t, p.url)
}

// TestTrace begins with a run in a file.
func TestTrace(t *testing.T) {
	x := newExplorer(t, "franklin", "n=3 k=2")
	d, err := x.Describe()
	if err != nil {
		t.Fatal(err)
	}
	trace, err := x.Run(d.Initial[0], []int{0, 1, 2, 0})
	if err != nil {
		t.Fatal(err)
	}
	trace.Caption.Finding, trace.Caption.Why = "unique is violated", []string{"p = 0", "q = 1"}
	var file bytes.Buffer
	if err := trace.JSON(&file); err != nil {
		t.Fatal(err)
	}
	b := browsertest.Start(t)
	p := serve(t, b, x, file.Bytes(), "")
	p.at("0 / 4")
	got := browsertest.Eval[string](t, b, "document.getElementById('finding').innerText")
	if got != "unique is violated\np = 0\nq = 1" {
		t.Errorf("the page says that the run shows %q", got)
	}
	p.press(kb.End)
	p.at("4 / 4")
	p.Quiet(t, p.url)
}

// TestKeysWait presses keys while the page waits for an answer: none is lost. Then letters and digits are switched off.
func TestKeysWait(t *testing.T) {
	b := browsertest.Start(t)
	p := open(t, b, "franklin", "n=3 k=2", "")
	browsertest.Eval[string](t, b, `(window.quick = fetch, window.fetch = async (...question) => {
		await new Promise(resolve => setTimeout(resolve, 100));
		return quick(...question);
	}, "")`)
	key := func(key string) string {
		return `document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "` + key + `", bubbles: true }))`
	}
	browsertest.Eval[string](t, b, key("1")+", "+key("2")+", "+key("1")+", "+key("ArrowLeft")+`, ""`)
	p.at("2 / 3")
	p.click("#help-button")
	p.click("#single-keys")
	p.press(kb.Escape)
	p.click("#help-button")
	browsertest.Eval[string](t, b, key("r")+", "+key("s")+", "+key("ArrowLeft")+`, ""`)
	p.at("1 / 3")
	if browsertest.Eval[bool](t, b, "document.getElementById('chart-panel').hidden") {
		t.Error("a letter does something after letters are switched off")
	}
	browsertest.Eval[string](t, b, "localStorage.clear(), ''")
	p.Quiet(t, p.url)
}
