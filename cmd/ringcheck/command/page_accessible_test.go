package command

import (
	"testing"

	"github.com/chromedp/chromedp"

	"ringcheck/internal/test/browsertest"
)

// TestPageAccessible has axe-core look at the page that ringcheck page writes, light and dark, wide and narrow.
func TestPageAccessible(t *testing.T) {
	axe := browsertest.LoadAxe(t)
	p := newPlayground(t)
	check := func(scene string) {
		t.Helper()
		for _, scheme := range []string{"light", "dark"} {
			p.Scheme(t, scheme)
			axe.Check(t, p.Browser, scene+", "+scheme)
		}
	}
	check("first page")
	p.run(`document.getElementById("catalogue").open || document.getElementById("catalogue-button").click()`)
	p.until(`document.getElementById("catalogue").open`)
	check("protocols")
	p.choose("Franklin, probabilistic")
	p.until(`document.getElementById("settings").textContent.startsWith("n = 3, k = 2")`)
	p.run(`document.getElementById("tab-spec").click()`)
	check("editor")
	p.run(`document.getElementById("tab-search").click(), document.getElementById("probability").click()`)
	p.until(`document.getElementById("results").children.length > 0`)
	check("probability")
	p.Do(t, chromedp.EmulateViewport(390, 850))
	check("narrow probability")
	p.Do(t, chromedp.EmulateViewport(1400, 900))
	for name, value := range map[string]string{"bits": "false", "n": "2", "k": "3"} {
		p.set(name, value)
	}
	p.until(`document.getElementById("settings").textContent.startsWith("n = 2, k = 3, bits = false")`)
	p.run(`document.getElementById("tab-search").click(), document.getElementById("counterexample").click()`)
	p.until(`document.getElementById("position").textContent === "16 / 16"`)
	check("counterexample")
	p.Do(t, chromedp.EmulateViewport(390, 850))
	check("narrow counterexample")
	p.run(`document.getElementById("tab-spec").click()`)
	check("narrow editor")
}
