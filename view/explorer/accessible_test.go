package explorer

import (
	"testing"

	"github.com/chromedp/chromedp"

	"ringcheck/internal/test/browsertest"
)

// TestAccessible has axe-core look at the page with each of its tabs, light and dark, wide and narrow.
func TestAccessible(t *testing.T) {
	axe := browsertest.LoadAxe(t)
	b := browsertest.Start(t)
	p := open(t, b, "chang-roberts", "n=3", "")
	check := func(scene string) {
		t.Helper()
		for _, scheme := range []string{"light", "dark"} {
			b.Scheme(t, scheme)
			axe.Check(t, b, scene+", "+scheme)
		}
	}
	check("initial state")
	for range 5 {
		before := p.text("#position")
		p.press("1")
		p.until("document.getElementById('position').textContent !== '" + before + "'")
	}
	check("run")
	browsertest.Eval[string](t, b, `(document.getElementById("selection-details").open = true, "")`)
	p.click("#compact")
	p.until("true")
	check("compact run")
	p.click("#help-button")
	p.until("!document.getElementById('help').hidden")
	check("keys")
	p.click("#help-button")
	p.click("#tab-spec")
	p.until("!document.getElementById('spec-panel').hidden")
	check("spec")
	p.click("#tab-truth")
	p.Do(t, chromedp.SendKeys("#condition", "exists p in node: p at Leader\n"))
	p.until("!document.getElementById('truth-panel').hidden")
	check("properties")
	p.click("#tab-graph")
	p.until("document.getElementById('graph-text').textContent.includes('transitions')")
	check("graph")
	p.click("#graph-quotient")
	p.until("document.querySelector('#quotient .current') !== null")
	check("minimised graph")
	p.click("#tab-search")
	p.click("#search-start")
	p.until("document.getElementById('search-text').textContent.startsWith('Every')")
	check("all states")
	p.Do(t, chromedp.EmulateViewport(390, 850))
	check("narrow")
}
