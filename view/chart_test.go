package view

import (
	"cmp"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"ringcheck/model/language/compile"
)

// TestLanesCross: in a chart of text, the arrow to a receiver crosses the lanes of the messages that it
// overtakes and no others, as long as every side of a process belongs to one link.
func TestLanesCross(t *testing.T) {
	randomTraces(t, func(t *testing.T, _ *compile.System, trace *Trace) {
		l := newLanes(newRows(trace))
		for i := range trace.Messages {
			m := &trace.Messages[i]
			var crossed []int
			for j := range trace.Messages {
				o := &trace.Messages[j]
				waits := o.Sent < m.Received && (o.Received == 0 || o.Received > m.Received)
				if waits && trace.side(o) == trace.side(m) && l.lane[j] < l.lane[i] {
					crossed = append(crossed, o.Serial)
				}
			}
			if !slices.Equal(crossed, m.Overtakes) {
				t.Fatalf("%s crosses %v", trace.story(m), crossed)
			}
		}
	})
}

// TestArrowsCross: in a drawing, two arrows of a link cross if one message overtakes the other.
func TestArrowsCross(t *testing.T) {
	randomTraces(t, func(t *testing.T, _ *compile.System, trace *Trace) {
		p := NewPlan(trace, Layout{})
		for i := range trace.Messages {
			for j := range i {
				m, o := &trace.Messages[i], &trace.Messages[j]
				if m.Link != o.Link || m.Received == 0 || o.Received == 0 {
					continue
				}
				if got, want := crossing(p.arrow(m), p.arrow(o)), slices.Contains(m.Overtakes, o.Serial); got != want {
					t.Fatalf("%s and %s: crossing is %t", trace.story(m), trace.story(o), got)
				}
			}
		}
	})
}

// crossing reports whether a line of one arrow meets a line of another one.
func crossing(a, b arrow) bool {
	for i := range a.Lines {
		for j := range b.Lines {
			if meet(a.Lines[i], b.Lines[j]) {
				return true
			}
		}
	}
	return false
}

// meet reports whether two lines between the same columns meet.
func meet(a, b line) bool {
	if a.X1 != b.X1 || a.X2 != b.X2 {
		return false
	}
	return (a.Y1-b.Y1)*(a.Y2-b.Y2) <= 0
}

// TestChartFits: a chart with its notes fits in the given columns, or else the text in its place does.
func TestChartFits(t *testing.T) {
	for name, trace := range map[string]*Trace{"no bits": noBits(t), "modulo 2": modulo2(t), "for ever": forEver(t),
		"troubled": troubled(t), "crowded": crowded(t)} {
		for _, width := range []int{0, 120, 100, 80, 60} {
			trace.Width = width
			for line := range strings.Lines(string(written(t, trace, "msc"))) {
				if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > cmp.Or(width, 120) {
					t.Errorf("%s: %d columns instead of %d: %s", name, n, width, line)
				}
			}
		}
	}
}

// TestTooWide: if there is no room for a chart, the steps are written as text.
func TestTooWide(t *testing.T) {
	sys := compiled(t, "franklin", "n=12 k=2")
	trace := newTrace(t, sys, along(t, sys, "send(3,right,M(1,1,true))", "send(11,right,M(1,1,true))",
		"send(4,right,M(2,1,true))", "send(4,left,M(2,1,true))", "recv(4,left,M(1,1,true))"))
	trace.Width = 60
	compareGolden(t, "too-wide.msc.golden", written(t, trace, "msc"))
}

// TestSVGIsXML: a drawing is well-formed, and every id is unique.
func TestSVGIsXML(t *testing.T) {
	trace := relayed(t)
	trace.Caption = Caption{Title: `<&>"'`, Settings: "a --> b", Property: "]]>", Finding: "x < y & z"}
	d := xml.NewDecoder(strings.NewReader(string(written(t, trace, "svg"))))
	ids := make(map[string]bool)
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		e, _ := token.(xml.StartElement)
		for _, a := range e.Attr {
			if a.Name.Local == "id" && ids[a.Value] {
				t.Errorf("the id %s occurs twice", a.Value)
			}
			ids[a.Value] = ids[a.Value] || a.Name.Local == "id"
		}
	}
}

// TestCrossedLines: rows look right where lines meet.
func TestCrossedLines(t *testing.T) {
	r := make(row, 9)
	r.vertical(2, light)
	r.vertical(4, heavy)
	r.horizontal(0, 5, light)
	r[5].arms[down] = light
	r.horizontal(6, 8, heavy)
	r[6].arms[up] = heavy
	r[8].over = '►'
	if got, want := r.String(), "──┼─╂╮┗━►"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"short", []string{"short"}},
		{"one two three four", []string{"one two", "   three", "   four"}},
		{"unbreakable", []string{"unbreakable"}},
	} {
		if got := wrap(c.text, 8); !slices.Equal(got, c.want) {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

// TestMermaidText: escaped text has no meaning in Mermaid.
func TestMermaidText(t *testing.T) {
	got := mermaidText("a; b: <c> %% #1\nd → {e}")
	if want := "a#59; b: #60;c#62; #37;#37; #35;1<br/>d → {e}"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
