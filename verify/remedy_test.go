package verify

import (
	"slices"
	"strings"
	"testing"

	"ringcheck/internal/test/spectest"
)

// TestNearRemedy compares a short search with a search of the whole system: the short one refutes no assumption under
// which the property holds.
func TestNearRemedy(t *testing.T) {
	src := spectest.Source(t, "franklin")
	p := spectest.Instantiate(t, src+electionRuns, spectest.Settings("n=2 k=2"))
	c, kinds, space := keepForRuns(t, p)
	g, err := kinds.graph(t.Context(), space)
	if err != nil {
		t.Fatal(err)
	}
	r := c.report(space.Result())
	if err := c.judgeRuns(t.Context(), r, g); err != nil {
		t.Fatal(err)
	}
	open, refuted := 0, 0
	for i, v := range r.Judgments {
		if v.Lasso == nil {
			continue
		}
		of := c.temporal[i]
		s := c.searchOf(of, g)
		if err := of.assume(s, of.property.Temporal); err != nil {
			t.Fatal(err)
		}
		list := of.assumptions(true, strongly)
		all, err := of.remedy(t.Context(), s, v.Lasso.lasso, list)
		if err != nil {
			t.Fatal(err)
		}
		near, err := of.nearRemedy(t.Context(), s, v.Lasso.lasso, list)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case len(near) == 0 && len(all) == 0:
		case len(near) != 1:
			t.Errorf("%s: %q, want %q", v.Property.Name, near, all)
		case strings.HasPrefix(near[0], "it may hold "):
			open++
			if !strings.HasPrefix(all[0], "it holds ") {
				t.Errorf("%s: %q, want %q", v.Property.Name, near, all)
			}
		default:
			refuted++
			if !slices.Equal(near, all) && !strings.HasSuffix(all[0], "with positive probability") {
				t.Errorf("%s: %q, want %q", v.Property.Name, near, all)
			}
		}
	}
	t.Logf("%d may hold, %d do not", open, refuted)
	if open == 0 || refuted == 0 {
		t.Errorf("%d may hold, %d do not", open, refuted)
	}
}
