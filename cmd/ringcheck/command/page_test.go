package command

import (
	"bytes"
	"cmp"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"ringcheck/internal/test/browsertest"
)

var (
	pageShots = flag.String("page-screenshots", "", "write the screenshots of the page to this folder")
)

func TestMain(m *testing.M) {
	status := browsertest.Main(m)
	if sharedSite.dir != "" {
		os.RemoveAll(sharedSite.dir)
	}
	os.Exit(status)
}

// sharedSite is the folder that ringcheck page has written, for all tests.
var sharedSite struct {
	once sync.Once
	dir  string
}

// A playground is a browser with the page that ringcheck page writes.
type playground struct {
	*browsertest.Browser
	t   *testing.T
	url string
}

// newPlayground serves the folder with a server that knows nothing of ringcheck.
func newPlayground(t *testing.T) *playground {
	t.Helper()
	b := browsertest.Start(t)
	sharedSite.once.Do(func() {
		dir, err := os.MkdirTemp("", "site")
		if err != nil {
			t.Fatal(err)
		}
		sharedSite.dir = dir
		t.Run("page", func(t *testing.T) {
			t.Chdir(dir)
			var stderr bytes.Buffer
			if status := Main([]string{"page", "--out", "site"}, &stderr, &stderr); status != 0 {
				t.Fatalf("status %d: %s", status, &stderr)
			}
		})
	})
	server := httptest.NewServer(http.FileServer(http.Dir(filepath.Join(sharedSite.dir, "site"))))
	t.Cleanup(server.Close)
	p := &playground{b, t, server.URL + "/"}
	p.show("")
	return p
}

func (p *playground) show(fragment string) {
	p.t.Helper()
	p.Open(p.t, "about:blank")
	p.Open(p.t, p.url+fragment)
	p.until(`document.documentElement.dataset.ready === "yes"`)
}

func (p *playground) until(condition string) {
	p.t.Helper()
	end, limited := p.t.Deadline()
	for !browsertest.Eval[bool](p.t, p.Browser, "!!("+condition+") && !document.body.classList.contains('busy')") {
		if limited && time.Until(end) < 5*time.Second {
			p.t.Fatalf("it never came to %s; the page says %q", condition, p.text("body"))
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func (p *playground) text(selector string) string {
	p.t.Helper()
	return browsertest.Eval[string](p.t, p.Browser, "document.querySelector(`"+selector+"`).innerText.trim()")
}

func (p *playground) run(script string) {
	p.t.Helper()
	browsertest.Eval[string](p.t, p.Browser, script+`, ""`)
}

// choose takes a protocol from the list.
func (p *playground) choose(title string) {
	p.t.Helper()
	p.run(`document.getElementById("catalogue").open || document.getElementById("catalogue-button").click()`)
	p.until(`document.getElementById("catalogue").open && [...document.querySelectorAll("#catalogue b")].some(b => b.textContent === "` + title + `")`)
	p.run(`[...document.querySelectorAll("#catalogue b")].find(b => b.textContent === "` + title + `").parentNode.click()`)
	p.until(`!document.getElementById("catalogue").open`)
}

// set chooses the value of a parameter or an option.
func (p *playground) set(name, value string) {
	p.t.Helper()
	p.run(`(() => { const field = document.getElementById("setting-` + name + `"); field.value = "` + value + `";
		field.dispatchEvent(new Event("change", { bubbles: true })); })()`)
}

func (p *playground) shot(name string) {
	p.t.Helper()
	if *pageShots == "" {
		return
	}
	picture, err := chromedp.Run(p.Ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(filepath.Join(*pageShots, name+".png"), picture, 0o644)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// TestPlayground checks a protocol on a page without a server, breaks it, and sees how it fails.
func TestPlayground(t *testing.T) {
	p := newPlayground(t)
	p.shot("first")
	p.choose("Franklin, probabilistic")
	p.until(`document.getElementById("settings").textContent.startsWith("n = 3, k = 2")`)
	p.shot("editor")
	p.run(`document.getElementById("tab-search").click(), document.getElementById("check").click()`)
	p.until(`document.getElementById("search-text").textContent.startsWith("All properties hold")`)
	if got := p.text("#counts"); !strings.Contains(got, "15,445") || !strings.Contains(got, "43,968") {
		t.Errorf("counts %q", got)
	}
	p.shot("check")
	for name, value := range map[string]string{"bits": "false", "n": "2", "k": "3"} {
		p.set(name, value)
	}
	p.until(`document.getElementById("settings").textContent.startsWith("n = 2, k = 3, bits = false")`)
	p.run(`document.getElementById("tab-search").click(), document.getElementById("counterexample").click()`)
	p.until(`document.getElementById("position").textContent === "16 / 16"`)
	p.shot("counterexample")
	p.hostile()
	p.Quiet(t, p.url)
}

// hostile opens links to a text that is markup, to one that fills the memory, and to a protocol whose first state takes
// years.
func (p *playground) hostile() {
	p.t.Helper()
	says := func(id, text string) {
		p.t.Helper()
		p.until(`document.getElementById("` + id + `").textContent.includes("` + text + `")`)
	}
	const head = "protocol evil\ntopology directed ring of 2\nchannel fifo\nmessage M\n" +
		"process p = A\nA = send right M; recv left M; stop\n"
	p.follow(link(p.t, head+`invariant a "<img src=x onerror=document.title=1></script>" = 0 at A`))
	says("title", "evil")
	p.run(`document.getElementById("tab-truth").click()`)
	says("properties", "<img src=x onerror=document.title=1></script>")
	if n := browsertest.Eval[int](p.t, p.Browser, `document.querySelectorAll("img").length`); n != 0 {
		p.t.Errorf("%d elements come from the text of a link", n)
	}
	p.follow(link(p.t, strings.Repeat(" ", 32<<20)))
	says("alert", "the link holds more than a megabyte")

	const never = head + "invariant a = not (exists i in 0..10000, j in 0..10000, k in 0..10000: i + j + k < 0)\n"
	p.run(`window.later = setTimeout, window.setTimeout = (f, ms) => later(f, ms === 20000 ? 500 : ms)`)
	p.follow(link(p.t, never))
	says("alert", "it took more than 20 s and was stopped")
	p.run(`window.setTimeout = later`)
	p.choose("Token ring")
	says("title", "token-ring")
	p.until(`document.querySelectorAll("#moves button").length > 0`)
}

// link returns the fragment of an address that holds a text.
func link(t *testing.T, text string) string {
	t.Helper()
	draft, err := json.Marshal(map[string]string{"text": text})
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestCompression)
	if err == nil {
		_, err = w.Write(draft)
	}
	if err = cmp.Or(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return "z." + base64.RawURLEncoding.EncodeToString(packed.Bytes())
}

// follow goes to an address on the page that is open.
func (p *playground) follow(fragment string) {
	p.t.Helper()
	p.run("location.hash = '" + fragment + "'")
}

// TestPlaygroundTyping types keys that do something elsewhere on the page, and finds the text after opening it again.
func TestPlaygroundTyping(t *testing.T) {
	p := newPlayground(t)
	const line = `document.getElementById("editor").shadowRoot.querySelector(".cm-line").textContent`
	p.choose("Franklin, probabilistic")
	p.run(`document.getElementById("editor").shadowRoot.querySelector(".cm-content").focus()`)
	p.Do(t, chromedp.KeyEvent("// r spec 1 "))
	p.until(line + `.startsWith("// r spec 1 protocol")`)
	if got := p.text("#position"); got != "0 / 0" {
		t.Errorf("typing moved the run to %s", got)
	}
	p.show("")
	if got := browsertest.Eval[string](t, p.Browser, line); !strings.HasPrefix(got, "// r spec 1 protocol") {
		t.Errorf("after opening the page again, its text begins with %q", got)
	}
}

// TestPlaygroundChanges shows the graph of a system after that of another one: a click goes to a state of the new one,
// and what is said too late about the old one, or about a check of it, is not shown.
func TestPlaygroundChanges(t *testing.T) {
	p := newPlayground(t)
	says := func(text string) {
		p.until(`document.getElementById("graph-text").textContent.startsWith("` + text + `")`)
	}
	p.choose("Chang and Roberts")
	p.run(`document.getElementById("tab-graph").click()`)
	says("315 states")
	p.set("n", "2")
	says("26 states")
	p.run(`(() => { const { left, top, width } = document.getElementById("graph").getBoundingClientRect();
		for (let x = 0; x < width; x += 10) document.getElementById("graph").dispatchEvent(
			new MouseEvent("click", { clientX: left + x, clientY: top + 18 })); })()`)
	p.until("true")
	if got := p.text("#alert"); got != "" {
		t.Errorf("after a click on the graph of n = 2 the page says %q", got)
	}

	p.choose("Franklin, probabilistic")
	p.set("n", "4")
	p.until(`document.getElementById("settings").textContent.startsWith("n = 4")`)
	p.run(`document.getElementById("check").click()`)
	p.until(`document.getElementById("counts").textContent.includes("levels")`)
	p.set("n", "5")
	p.until(`document.getElementById("settings").textContent.startsWith("n = 5")`)
	got := browsertest.Eval[string](t, p.Browser,
		`["search-text", "counts"].map(id => document.getElementById(id).textContent).join("")`)
	if got != "Not explored yet." {
		t.Errorf("after a check of n = 4 the page says of n = 5: %s", got)
	}
	p.run(`window.said = [], new MutationObserver(records => said.push(records[0].target.textContent))
		.observe(document.getElementById("graph-text"), { childList: true }),
		document.getElementById("tab-graph").click()`)
	p.choose("Chang and Roberts")
	p.until(`document.getElementById("settings").textContent.startsWith("n = 3")`)
	p.run(`document.getElementById("tab-graph").click()`)
	says("315 states")
	if got := browsertest.Eval[string](t, p.Browser, `said.join(" ")`); strings.Contains(got, "too large") {
		t.Errorf("the page says of a system of 315 states: %s", got)
	}
	p.Quiet(t, p.url)
}

// TestPlaygroundStop stops a search while a graph is asked for, which still comes, and leaves a system while its graph
// is made: the program that makes it is ended.
func TestPlaygroundStop(t *testing.T) {
	p := newPlayground(t)
	p.run(`(() => { const { postMessage, terminate } = Worker.prototype;
		window.ended = 0; window.withheld = ["search", "graph"];
		Worker.prototype.terminate = function () { ended++; terminate.call(this); };
		Worker.prototype.postMessage = function (m) { if (!withheld.includes(m.action)) postMessage.call(this, m); }; })()`)
	p.choose("Chang and Roberts")
	p.until(`document.getElementById("title").textContent.startsWith("chang")`) // also the first system has n = 3
	p.run(`document.getElementById("search-start").click()`)
	p.run(`document.getElementById("tab-graph").click()`)
	p.until(`document.getElementById("graph-text").textContent.startsWith("Making")`)
	p.run(`withheld = [], document.getElementById("search-stop").click()`)
	p.until(`!document.getElementById("graph-text").textContent.startsWith("Making")`)
	if got := p.text("#graph-text"); !strings.HasPrefix(got, "315 states") {
		t.Errorf("after a search is stopped the graph says %q", got)
	}
	p.run(`withheld = ["graph"]`)
	p.set("n", "2")
	p.until(`document.getElementById("graph-text").textContent.startsWith("Making")`)
	p.run(`ended = 0`)
	p.set("n", "4")
	p.until(`document.getElementById("settings").textContent.startsWith("n = 4")`)
	if ended := browsertest.Eval[int](t, p.Browser, "ended"); ended != 1 {
		t.Errorf("%d programs are ended with the system of n = 2, want one", ended)
	}
	p.Quiet(t, p.url)
}
