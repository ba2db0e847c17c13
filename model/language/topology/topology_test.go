package topology_test

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ringcheck/internal/test/filetest"
	"ringcheck/model/language/topology"
)

// TestEdges checks the edges of small networks: they leave the process that they are asked for, lead to a process and
// differ; unless edges have a direction, there is one back, with the names of the ends exchanged.
func TestEdges(t *testing.T) {
	for _, kind := range topology.Kinds {
		if kind.Rule {
			continue
		}
		for a := 1; a <= 6; a++ {
			for b := 1; b == 1 || b <= 4 && len(kind.Sizes) > 1; b++ {
				checkEdges(t, kind, a, b)
			}
		}
	}
}

func checkEdges(t *testing.T, kind *topology.Kind, a, b int) {
	t.Helper()
	n := int(kind.Processes(int64(a), int64(b)))
	for p := range n {
		edges := kind.Edges(p, a, b)
		for i, e := range edges {
			switch back := (topology.Edge{From: e.To, To: e.From, Out: e.In, In: e.Out}); {
			case e.From != p || e.To < 0 || e.To >= n || e.To == p && !kind.Ring:
				t.Errorf("%s of %d, %d: process %d has the edge %+v", kind.Keyword, a, b, p, e)
			case slices.Contains(edges[:i], e):
				t.Errorf("%s of %d, %d: process %d has the edge %+v twice", kind.Keyword, a, b, p, e)
			case !kind.Directed && !slices.Contains(kind.Edges(e.To, a, b), back):
				t.Errorf("%s of %d, %d: there is an edge %+v, but not %+v", kind.Keyword, a, b, e, back)
			}
			samePort := func(other topology.Edge) bool { return other.Out == e.Out }
			switch {
			case kind.Directions != nil && e.Out^1 != e.In:
				t.Errorf("%s of %d, %d: the directions of %+v are not opposite", kind.Keyword, a, b, e)
			case kind.Directions == nil && (e.Out == 0) != (e.In == 0):
				t.Errorf("%s of %d, %d: the edge %+v has a port at one end only", kind.Keyword, a, b, e)
			case e.Out != 0 && slices.ContainsFunc(edges[:i], samePort):
				t.Errorf("%s of %d, %d: the edge %+v has the port of another one", kind.Keyword, a, b, e)
			}
		}
	}
}

// TestDocs compares the networks in the reference of the language with the table, in both directions.
func TestDocs(t *testing.T) {
	page := string(filetest.Read(t, "../../../docs/language.md"))
	_, after, found := strings.Cut(page, "\n**`topology`**")
	text, _, closed := strings.Cut(after, "\n**")
	if !found || !closed {
		t.Fatal("the page has no section about topologies")
	}
	for _, kind := range topology.Kinds {
		form := "`" + kind.Keyword + " of [a-z]" + strings.Repeat(" by [a-z]", len(kind.Sizes)-1)
		if kind.Rule {
			form += " with p -> q if EXPR"
		}
		if kind.Anonymous {
			form = "`" + kind.Keyword
		}
		if !regexp.MustCompile(form + "`").MatchString(text) {
			t.Errorf("the page does not describe %s`", form)
		}
	}
	names := regexp.MustCompile("`([a-z]+(?: [a-z]+)?) of [a-z]( by [a-z])?\\b[^`]*`")
	for _, name := range names.FindAllStringSubmatch(text, -1) {
		if kind := topology.Find(name[1]); kind == nil || (name[2] != "") != (len(kind.Sizes) > 1) {
			t.Errorf("the page describes %s, which is not in the table", name[0])
		}
	}
}

// TestLayout: the positions in a picture are apart, and in the square from -1 to 1.
func TestLayout(t *testing.T) {
	for _, kind := range topology.Kinds {
		layouts := 0
		for _, a := range []int{0, 1, 2, 3, 4, 7} {
			for _, b := range []int{1, 2, 5} {
				if int64(a) < kind.Sizes[0].Least || b > 1 && len(kind.Sizes) == 1 {
					continue
				}
				points := kind.Layout(a, b)
				if points == nil {
					continue
				}
				layouts++
				if want := kind.Processes(int64(a), int64(b)); int64(len(points)) != want {
					t.Errorf("%s of %d, %d has %d points", kind.Keyword, a, b, len(points))
				}
				checkPoints(t, kind.Keyword, points)
			}
		}
		circle := kind.Ring || kind.Complete || kind.Rule
		if (layouts == 0) != circle {
			t.Errorf("%s: %d layouts", kind.Keyword, layouts)
		}
	}
}

// checkPoints checks that points are apart, and inside the picture.
func checkPoints(t *testing.T, keyword string, points []topology.Point) {
	t.Helper()
	for i, p := range points {
		if math.Abs(p.X) > 1.001 || math.Abs(p.Y) > 1.001 {
			t.Errorf("%s of %d: point %d is %v", keyword, len(points), i, p)
		}
		for k, q := range points[:i] {
			if math.Hypot(p.X-q.X, p.Y-q.Y) < 1/float64(len(points)) {
				t.Errorf("%s of %d: points %d and %d are %v and %v", keyword, len(points), k, i, q, p)
			}
		}
	}
}
