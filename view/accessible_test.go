package view

import (
	"testing"

	"github.com/chromedp/chromedp"

	"ringcheck/internal/test/browsertest"
)

// TestAccessible has axe-core look at the page of a run, light and dark.
func TestAccessible(t *testing.T) {
	axe := browsertest.LoadAxe(t)
	b := openBrowser(t)
	check := func(scene string) {
		t.Helper()
		for _, scheme := range []string{"light", "dark"} {
			b.Scheme(t, scheme)
			axe.Check(t, b.Browser, scene+", "+scheme)
		}
	}
	for name, trace := range map[string]*Trace{"no bits": noBits(t), "won": won(t), "troubled": troubled(t)} {
		b.open(t, trace, "html", "")
		check(name)
		b.open(t, trace, "html", "#7")
		check(name + " after step 7")
		b.Do(t, chromedp.KeyEvent("c"))
		check(name + " as a chart")
	}
	b.Do(t, chromedp.EmulateViewport(390, 850))
	check("narrow")
}
