package view

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"ringcheck/internal/test/filetest"
)

var shots = flag.String("screenshots", "", "write the screenshots to this folder")

// TestPageStepsWithKeys steps through runs with the keyboard, forward and back, and checks all that the page shows
// at each step.
func TestPageStepsWithKeys(t *testing.T) {
	b := openBrowser(t)
	for name, trace := range map[string]*Trace{
		"no bits":  noBits(t),
		"modulo 2": modulo2(t),
		"won":      won(t),
		"complete": relayed(t),
		"crowded":  crowded(t),
		"alone":    alone(t),
	} {
		t.Run(name, func(t *testing.T) {
			url := b.open(t, trace, "html", "")
			last := trace.Length()
			b.sees(t, trace, 0)
			for i := 1; i <= last; i++ {
				b.Do(t, chromedp.KeyEvent(kb.ArrowRight))
				b.sees(t, trace, i)
			}
			b.Do(t, chromedp.KeyEvent(kb.ArrowRight))
			b.sees(t, trace, last) // no step follows the last one
			for i := last - 1; i >= last/2; i-- {
				b.Do(t, chromedp.KeyEvent(kb.ArrowLeft))
				b.sees(t, trace, i)
			}
			b.Do(t, chromedp.KeyEvent(kb.Home))
			b.sees(t, trace, 0)
			b.Do(t, chromedp.KeyEvent(kb.PageDown))
			b.sees(t, trace, 1)
			b.Do(t, chromedp.KeyEvent(kb.PageUp))
			b.sees(t, trace, 0)
			b.Do(t, chromedp.KeyEvent(kb.End))
			b.sees(t, trace, last)
			b.Quiet(t, url)
		})
	}
}

// TestPageControls uses everything but the arrow keys.
func TestPageControls(t *testing.T) {
	b := openBrowser(t)
	trace := noBits(t)
	url := b.open(t, trace, "html", "#7")
	b.sees(t, trace, 7) // by the address
	for _, c := range []struct {
		click string
		step  int
	}{{"#forward", 8}, {"#back", 7}, {"#last", trace.Length()}, {"#first", 0}, {"#step-5", 5}} {
		b.Do(t, chromedp.Click(chromedp.CSS(c.click)), current(c.step))
		b.sees(t, trace, c.step)
	}
	b.Do(t, chromedp.KeyEvent("o"))
	b.sees(t, trace, 12) // the first step that overtakes
	b.Do(t, chromedp.KeyEvent("o"), chromedp.KeyEvent("o"))
	b.sees(t, trace, 16) // there are two
	b.Do(t, chromedp.KeyEvent("O"))
	b.sees(t, trace, 12)
	b.Do(t, chromedp.Focus(chromedp.CSS("#slider")), chromedp.KeyEvent(kb.ArrowRight))
	b.sees(t, trace, 13) // one step, though the slider knows arrow keys as well
	eval[chromedp.Void](t, b, `(() => {
		const s = document.getElementById("slider");
		s.value = 20;
		s.dispatchEvent(new Event("input"));
	})()`)
	b.sees(t, trace, 20)
	eval[chromedp.Void](t, b, `location.hash = "#3"`)
	b.Do(t, current(3))
	b.sees(t, trace, 3)
	b.Do(t, chromedp.EmulateViewport(700, 500), chromedp.KeyEvent(kb.End))
	b.sees(t, trace, trace.Length())
	if !eval[bool](t, b, `(() => {
		const list = document.getElementById("steps").getBoundingClientRect();
		const item = document.querySelector("#steps a[aria-current]").getBoundingClientRect();
		return item.top >= list.top - 1 && item.bottom <= list.bottom + 1 && scrollY === 0;
	})()`) {
		t.Error("the current step is not in sight in the list, or the page has scrolled")
	}
	b.Do(t, chromedp.KeyEvent("?"), chromedp.WaitVisible(chromedp.CSS("#help")))
	b.Do(t, chromedp.Click(chromedp.CSS("#help-button")), chromedp.WaitNotVisible(chromedp.CSS("#help")))
	b.Quiet(t, url)
}

// current waits until the page shows a step: a change of the address takes effect a little later.
func current(step int) chromedp.Action[chromedp.Void] {
	return chromedp.WaitVisible(chromedp.CSS(fmt.Sprintf("#step-%d[aria-current]", step)))
}

// TestPageFits: nothing is wider than the window, the network is visible below a long header, steps can be taken
// without scrolling, and the dark mode is dark.
func TestPageFits(t *testing.T) {
	b := openBrowser(t)
	trace := noBits(t)
	trace.Caption.Finding = strings.Repeat("one leader, the others passive, ", 6)
	for range 40 {
		trace.Caption.Why = append(trace.Caption.Why, strings.Repeat("process 0  A3(id=1) ", 10))
	}
	b.open(t, trace, "html", "#7")
	grounds := map[string]bool{}
	for _, width := range []int64{375, 800, 1400} {
		b.Do(t, chromedp.EmulateViewport(width, 812))
		for _, scheme := range []string{"light", "dark"} {
			b.Scheme(t, scheme)
			if bad := eval[string](t, b, `(() => {
				const box = s => document.querySelector(s).getBoundingClientRect();
				if (document.documentElement.scrollWidth > innerWidth) return "the page is wider than the window";
				if (box("#slider").width < 120) return "the slider is too small";
				if (box("#forward").bottom > innerHeight) return "the buttons are out of sight";
				return box(".process").bottom > innerHeight * .7 ? "the network is out of sight" : "";
			})()`); bad != "" {
				t.Errorf("%d pixels, %s: %s", width, scheme, bad)
			}
			grounds[scheme+eval[string](t, b, `getComputedStyle(document.body).backgroundColor`)] = true
		}
	}
	if want := map[string]bool{"lightrgb(255, 255, 255)": true, "darkrgb(20, 24, 29)": true}; !maps.Equal(grounds,
		want) {
		t.Errorf("the page's colours: %v", grounds)
	}
}

// TestPageMarksOvertaken: a message is red from the step on in which it is overtaken.
func TestPageMarksOvertaken(t *testing.T) {
	b := openBrowser(t)
	trace := noBits(t)
	b.open(t, trace, "html", "")
	for i := range trace.Steps {
		eval[chromedp.Void](t, b, fmt.Sprintf(`document.getElementById("step-%d").click()`, i))
		b.Do(t, current(i))
		got := eval[displayed](t, b, look)
		want := []string{}
		for _, m := range trace.Messages {
			overtaken := slices.ContainsFunc(m.OvertakenBy, func(o int) bool { return trace.Message(o).Received <= i })
			if overtaken && m.Received > i {
				want = append(want, fmt.Sprint(m.Serial))
			}
		}
		slices.Sort(got.Red)
		if slices.Sort(want); !slices.Equal(got.Red, want) {
			t.Errorf("step %d marks %v, want %v", i, got.Red, want)
		}
	}
}

// TestPageEscapesText: names in a spec are shown as text, even if they look like markup.
func TestPageEscapesText(t *testing.T) {
	trace := won(t)
	trace.Caption = Caption{Title: `</script><script>throw 1</script>`, Finding: `<img src="http://localhost:1/x">`}
	trace.Steps[0].Text = "<!-- </title> `${1}` & \u2028"
	for _, markup := range []string{"<script>throw", "<img src=", "<!-- </title>"} {
		if bytes.Contains(written(t, trace, "html"), []byte(markup)) {
			t.Errorf("the page contains the forbidden %s", markup)
		}
	}
	b := openBrowser(t)
	url := b.open(t, trace, "html", "")
	title := eval[string](t, b, `document.title`)
	finding := eval[string](t, b, `document.querySelector(".finding").textContent.trim()`)
	first := eval[string](t, b, `document.querySelector("#step-0").lastChild.textContent`)
	if title != trace.Caption.Title || finding != trace.Caption.Finding || first != trace.Steps[0].Text {
		t.Errorf("the page shows %q, %q, %q", title, finding, first)
	}
	b.Quiet(t, url)
}

// TestDrawingInBrowser: all text of an SVG is inside the picture, local states are inside their boxes, and
// labels of messages do not cover boxes.
func TestDrawingInBrowser(t *testing.T) {
	const faults = `(() => {
		const all = s => [...document.querySelectorAll(s)];
		const picture = document.documentElement.getBoundingClientRect();
		const box = e => e.getBoundingClientRect();
		const within = (a, b) => a.left >= b.left && a.right <= b.right && a.top >= b.top && a.bottom <= b.bottom;
		const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
		const pills = all(".pill");
		return [
			...all("text").filter(e => !within(box(e), picture)),
			...pills.flatMap(p => [...p.querySelectorAll(".name, .vars")].filter(
				e => !within(box(e), box(p.querySelector("rect"))))),
			...all(".label").filter(e => pills.some(p => meet(box(e), box(p.querySelector("rect"))))),
		].map(e => e.textContent);
	})()`
	b := openBrowser(t)
	for name, trace := range map[string]*Trace{"no bits": noBits(t), "modulo 2": modulo2(t), "won": won(t),
		"complete": relayed(t), "crowded": crowded(t)} {
		t.Run(name, func(t *testing.T) {
			url := b.open(t, trace, "svg", "")
			if bad := eval[[]string](t, b, faults); len(bad) > 0 {
				t.Errorf("misplaced: %q", bad)
			}
			pills := eval[int](t, b, `document.querySelectorAll(".pill").length`)
			red := eval[int](t, b, `document.querySelectorAll(".arrow.overtaken title").length`)
			if want := trace.N + trace.Length(); pills != want {
				t.Errorf("%d local states are drawn, want %d", pills, want)
			}
			if want := overtakenMessages(trace); red != want {
				t.Errorf("%d messages are marked as overtaken, want %d", red, want)
			}
			b.Quiet(t, url)
		})
	}
}

func overtakenMessages(trace *Trace) int {
	n := 0
	for _, m := range trace.Messages {
		if len(m.OvertakenBy) > 0 {
			n++
		}
	}
	return n
}

// TestListing: a listing shows the whole text, escaped, whatever its marks are.
func TestListing(t *testing.T) {
	l := &Listing{Title: "a <b>", Text: []byte("x < 1\né and & z\n\tlast"), Marks: []Mark{
		{Line: 2, Column: 3, Tone: Full, Count: 7, Note: "first"}, {Line: 2, Column: 3, Tone: None, Note: "second"},
		{Line: 2, Column: 7, Tone: Half, Note: "'third'"},
		{Line: 3, Column: 90, Tone: Full, Note: "beyond"}, {Line: 40, Column: 1, Note: "nowhere"},
	}}
	var b strings.Builder
	if err := l.HTML(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"<title>a &lt;b&gt;</title>", "<code>x &lt; 1</code>",
		"<code>\tlast<span class=\"full\" title=\"beyond\"></span></code>", `<tr id="2" class="none">`,
		`<td class="count">7</td>`,
		`<code>é <span class="none" title="first` + "\n" +
			`second">and </span><span class="half" title="&#39;third&#39;">&amp; z</span></code>`,
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in\n%s", want, b.String())
		}
	}
}

// TestPageHasChart: the page shows the chart of the SVG, with the row of the current step marked.
func TestPageHasChart(t *testing.T) {
	b := openBrowser(t)
	trace := modulo2(t)
	url := b.open(t, trace, "html", "#12")
	b.Do(t, chromedp.KeyEvent("c"))
	const shown = `(() => {
		const chart = document.getElementById("chart"), tree = chart.shadowRoot;
		const row = tree.querySelector("rect[fill='#0072b2']").parentElement;
		const box = row.getBoundingClientRect(), frame = chart.getBoundingClientRect();
		return [chart.checkVisibility(), document.getElementById("ring").checkVisibility(),
			tree.querySelectorAll(".arrow > title").length, row.querySelector(".number").textContent,
			box.top >= frame.top && box.bottom <= frame.bottom].join(" ");
	})()`
	if got, want := eval[string](t, b, shown), fmt.Sprintf("true false %d 12 true", len(trace.Messages)); got != want {
		t.Errorf("the chart: %s, want %s", got, want)
	}
	b.Do(t, chromedp.KeyEvent(kb.End))
	if got, want := eval[string](t, b, shown), fmt.Sprintf("true false %d 60 true", len(trace.Messages)); got != want {
		t.Errorf("the chart at the end: %s, want %s", got, want)
	}
	if *shots != "" {
		picture, err := chromedp.Run(b.Ctx, chromedp.CaptureScreenshot())
		if err != nil {
			t.Fatal(err)
		}
		filetest.Write(t, filepath.Join(*shots, "html-chart.png"), picture)
	}
	eval[string](t, b, `(document.getElementById("chart-button").click(), "")`)
	if !eval[bool](t, b, `document.getElementById("ring").checkVisibility()`) {
		t.Error("the state does not come back")
	}
	b.Quiet(t, url)
}
