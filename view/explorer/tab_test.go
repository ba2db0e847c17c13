package explorer

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"ringcheck/explore"
	"ringcheck/internal/test/browsertest"
)

// A tab is a browser with the page of a system.
type tab struct {
	*browsertest.Browser
	t   *testing.T
	url string
}

// open shows the page of a system, at the address of a state.
func open(t *testing.T, b *browsertest.Browser, spec, settings, code string) *tab {
	t.Helper()
	return serve(t, b, newExplorer(t, spec, settings), nil, code)
}

func serve(t *testing.T, b *browsertest.Browser, x *Explorer, trace []byte, code string) *tab {
	t.Helper()
	s := NewServer(newSession(x, trace), nil)
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.hosts = []string{strings.TrimPrefix(server.URL, "http://")}
	p := &tab{b, t, server.URL}
	p.show(server.URL + "/" + code)
	return p
}

func (p *tab) show(url string) {
	p.t.Helper()
	p.Open(p.t, url)
	p.until(`document.documentElement.dataset.ready === "yes"`)
}

// until waits until a condition holds, for as long as the test may run: how long that takes is a matter of the machine.
func (p *tab) until(condition string) {
	p.t.Helper()
	end, limited := p.t.Deadline()
	for !browsertest.Eval[bool](p.t, p.Browser, condition+` && !document.querySelector("body.busy, #chart[aria-busy]")`) {
		if limited && time.Until(end) < 5*time.Second { // to say what is missing
			p.t.Fatalf("it never came to %s; the page says %q", condition, p.text("#alert"))
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func (p *tab) text(selector string) string {
	p.t.Helper()
	return browsertest.Eval[string](p.t, p.Browser, "document.querySelector(`"+selector+"`).textContent.trim()")
}

func (p *tab) click(selector string) {
	p.t.Helper()
	p.Do(p.t, chromedp.Click(selector))
}

func (p *tab) press(keys string) {
	p.t.Helper()
	p.Do(p.t, chromedp.KeyEvent(keys))
}

// at waits until the page is at a position of the run.
func (p *tab) at(position string) {
	p.t.Helper()
	p.until("document.getElementById('position').textContent === '" + position + "'")
}

// badlyPlaced lists what is cut off or covers something else.
const badlyPlaced = `(() => {
	const all = s => [...document.querySelectorAll(s)].filter(e => e.checkVisibility());
	const box = e => (e.querySelector(".box, rect:not(.halo), circle") ?? e).getBoundingClientRect();
	const meet = (a, b) => a.left + 1 < b.right && b.left + 1 < a.right && a.top + 1 < b.bottom && b.top + 1 < a.bottom;
	const within = (a, b) => a.left >= b.left - 1 && a.right <= b.right + 1 && a.top >= b.top - 1 && a.bottom <= b.bottom + 1;
	const bad = [];
	const picture = document.getElementById("network").getBoundingClientRect();
	const pills = all("#network .pill:not(.gone, .lost)"), processes = all("#network .process");
	for (const p of processes) {
		if (!within(box(p), picture)) bad.push("outside: " + p.textContent);
		for (const e of p.querySelectorAll(".name, .vars, .count")) if (e.textContent && !within(e.getBoundingClientRect(), box(p))) bad.push("overflowing: " + p.textContent);
	}
	pills.forEach((m, i) => {
		if (!within(box(m), picture)) bad.push("outside: " + m.textContent);
		if (m.querySelector("rect")) for (const o of [...processes, ...pills.slice(0, i)]) if (meet(box(m), box(o))) bad.push("covers: " + m.textContent + " " + o.textContent);
	});
	const parts = ["header", "#stage", "#next", "#panel"].map(s => document.querySelector(s));
	parts.forEach((a, i) => parts.slice(i + 1).forEach(b => { if (meet(a.getBoundingClientRect(), b.getBoundingClientRect())) bad.push(a.id + " covers " + b.id); }));
	for (const e of all("button, h1, h2, input, #settings, [role=tab]")) {
		if (e.closest(".steps")) continue;
		const r = e.getBoundingClientRect();
		if (r.left < -1 || r.right > innerWidth + 1 && !e.closest("[role=tablist]")) bad.push("off the page: " + (e.id || e.textContent));
		if (e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflow !== "visible" && e.tagName !== "INPUT") bad.push("cut: " + (e.id || e.textContent));
	}
	if (document.documentElement.scrollWidth > innerWidth + 1) bad.push("the page is wider than the window: " + document.documentElement.scrollWidth);
	return bad;
})()`

// neat checks that nothing overlaps or is cut off, and keeps a picture of it.
func (p *tab) neat(name string) {
	p.t.Helper()
	for _, bad := range browsertest.Eval[[]string](p.t, p.Browser, badlyPlaced) {
		p.t.Errorf("%s: %s", name, bad)
	}
	picture, err := chromedp.Run(p.Ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.t.Fatal(err)
	}
	if *shots != "" {
		if err := os.WriteFile(filepath.Join(*shots, "view-"+name+".png"), picture, 0o644); err != nil {
			p.t.Fatal(err)
		}
	}
}

// newSession returns a session that shows a system, without an editor.
func newSession(x *Explorer, trace []byte) *Session {
	s := NewSession(nil)
	s.Show(x, explore.Options{}, trace, nil)
	return s
}
