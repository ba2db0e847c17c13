package browsertest

import (
	"os"
	"slices"
	"testing"
)

func TestMain(m *testing.M) { os.Exit(Main(m)) }

// TestAxeFinds has axe-core look at a page that breaks rules.
func TestAxeFinds(t *testing.T) {
	axe := LoadAxe(t)
	b := Start(t)
	b.Open(t, `data:text/html,<p style="color:%23ddd">pale</p><img src="data:,">`)
	var ids []string
	for _, v := range axe.violations(t, b) {
		ids = append(ids, v.ID)
	}
	for _, want := range []string{"color-contrast", "html-has-lang", "image-alt"} {
		if !slices.Contains(ids, want) {
			t.Errorf("axe-core does not find %s, only %q", want, ids)
		}
	}
}
