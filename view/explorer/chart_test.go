package explorer

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"

	"ringcheck/explore"
	"ringcheck/internal/test/browsertest"
	"ringcheck/view"
)

// painted is a script that returns what a chart shows: the ends of the lines of its messages, and its marks.
const painted = `(() => {
	const numbers = (e, ...names) => names.map(n => Number(e.getAttribute(n)));
	const all = selector => [...document.querySelectorAll("#chart .lanes .chart:not(.heads) " + selector)];
	return { lines: all("line.message").map(e => numbers(e, "x1", "y1", "x2", "y2")),
		tips: all("path.tip").length, marks: all("path.lost").map(e => e.getAttribute("transform")),
		ticks: all(".tick line").map(e => Number(e.getAttribute("y1"))) };
})()`

// A painting is what the script returns.
type painting struct {
	Lines [][4]float64
	Tips  int
	Marks []string
	Ticks []float64
}

// planData is what a page gets of a plan.
type planData struct {
	Ticks  []float64
	Arrows []struct {
		Lines []struct {
			X1, Y1, X2, Y2 float64
			Tip            bool
		}
		Marks []struct{ X, Y float64 }
	}
}

// expected returns the painting of a plan.
func expected(t *testing.T, plan *view.Plan) (want painting) {
	t.Helper()
	text, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	var data planData
	if err := json.Unmarshal(text, &data); err != nil {
		t.Fatal(err)
	}
	want.Ticks = data.Ticks
	for _, a := range data.Arrows {
		for _, l := range a.Lines {
			want.Lines = append(want.Lines, [4]float64{l.X1, l.Y1, l.X2, l.Y2})
			if l.Tip {
				want.Tips++
			}
		}
		for _, m := range a.Marks {
			want.Marks = append(want.Marks, fmt.Sprintf("translate(%v %v)", m.X, m.Y))
		}
	}
	return want
}

// differs reports whether two paintings differ by more than a rounded pixel.
func (p painting) differs(want painting) bool {
	near := func(a, b float64) bool { return math.Abs(a-b) < 0.2 }
	return p.Tips != want.Tips || len(p.Marks) != len(want.Marks) || !slices.EqualFunc(p.Ticks, want.Ticks, near) ||
		!slices.EqualFunc(p.Lines, want.Lines, func(a, b [4]float64) bool {
			return near(a[0], b[0]) && near(a[1], b[1]) && near(a[2], b[2]) && near(a[3], b[3])
		})
}

// TestChartPaintsThePlan takes runs on the page of a server and on one in a file: both show the plan.
func TestChartPaintsThePlan(t *testing.T) {
	const stopping = "\nchannel fifo, delay 0..1\nmessage M\nprocess p = if p = 0 then A else B\n" +
		"A = send right M; stop\nB = skip; stop\n"
	const ring = "\nchannel fifo, lossy at most 1\nmessage M\nprocess p = if p = 2 then Go else recv left M; stop\n" +
		"Go = send right M; send right M; stop\n"
	b := browsertest.Start(t)
	for _, test := range []struct {
		name, spec string
		labels     []string
	}{
		{"tick", "protocol tick\ntopology line of 2" + stopping,
			[]string{"send(0,right,M)", "skip(1)", "tick", "tick"}},
		{"seam", "protocol seam\ntopology undirected ring of 3" + ring,
			[]string{"send(2,right,M)", "lose(2→0 (right),M)", "send(2,right,M)", "recv(0,left,M)"}},
		{"open", "protocol open\ntopology undirected ring of 3" + ring, []string{"send(2,right,M)"}},
		{"synchronous", "protocol synchronous\ntopology undirected ring of 3\nchannel sync\nmessage M\n" +
			"process p = if p = 2 then Go else recv _ M; send right M; stop\nGo = send right M; recv _ M; stop\n",
			[]string{"sync(2→0 (right),M)", "sync(0→1 (right),M)", "sync(1→2 (right),M)"}},
		{"network", "protocol network\ntopology complete graph of 4\nchannel unordered\n" +
			"message M(x: 0..1)\nevent done\nvar x: 0..1\nprocess p = if p = 3 then Go else recv _ M(x); done; Rest\n" +
			"Go = send 1 M(0); send 1 M(1); send 0 M(0); stop\nRest = recv _ M(x); stop\n",
			[]string{"send(3,1,M(0))", "send(3,1,M(1))", "recv(1,3,M(1))", "done", "send(3,0,M(0))", "recv(1,3,M(0))"}},
	} {
		x := newExplorer(t, test.spec, "")
		d, err := x.Describe()
		if err != nil {
			t.Fatal(err)
		}
		trace, err := x.Run(d.Initial[0], taken(t, x, test.labels))
		if err != nil {
			t.Fatal(err)
		}
		p := open(t, b, test.spec, "", "")
		p.sees(test.name+" of a server", trace, test.labels)
		p.Quiet(t, p.url)

		path := filepath.Join(t.TempDir(), "page.html")
		file, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := Export(t.Context(), file, x, explore.Options{}); err != nil {
			t.Fatal(err)
		}
		file.Close()
		p.show("file://" + path)
		p.sees(test.name+" of a file", trace, test.labels)
	}
}

// TestLongRun shows less of a run, finds a step of it, and saves what it shows.
func TestLongRun(t *testing.T) {
	const spec = `protocol long
topology directed ring of 4
channel fifo
message M(x: 0..3)
message N
process p = send right M(p); skip; skip; send right N; Rest
Rest = recv left M(y); recv left N; stop
var y: 0..3
`
	var labels []string
	for _, format := range []string{"send(%d,right,M(%[1]d))", "skip(%d)", "skip(%d)", "send(%d,right,N)"} {
		for p := range 4 {
			labels = append(labels, fmt.Sprintf(format, p))
		}
	}
	labels = append(labels, "recv(1,left,M(0))", "recv(1,left,N)")
	b := browsertest.Start(t)
	x := newExplorer(t, spec, "")
	d, err := x.Describe()
	if err != nil {
		t.Fatal(err)
	}
	trace, err := x.Run(d.Initial[0], taken(t, x, labels))
	if err != nil {
		t.Fatal(err)
	}
	p := open(t, b, spec, "", "")
	p.sees("long run", trace, labels)
	p.click("#selection-details summary")
	p.click("#compact")
	p.shows(trace, view.Selection{Share: true}, 7)
	p.click("#fold")
	p.shows(trace, view.Selection{Share: true, Fold: true}, 6)
	p.neat("long-run")
	p.Do(t, chromedp.SendKeys("#only-process", "0, 1\n"))
	p.shows(trace, view.Selection{Share: true, Fold: true, Processes: []int{0, 1}}, 6)
	p.Do(t, chromedp.SendKeys("#only-message", "M"))
	p.shows(trace, view.Selection{Share: true, Fold: true, Processes: []int{0, 1}, Messages: []string{"M"}}, 4)
	p.click("#received")
	p.shows(trace, view.Selection{Share: true, Fold: true, Received: true, Processes: []int{0, 1},
		Messages: []string{"M"}}, 3)
	p.Do(t, chromedp.SendKeys("#only-process", ", 9\n"))
	p.until(`document.getElementById("alert").textContent.includes("9")`)

	p.Do(t, chromedp.SendKeys("#step-text", "sends n to\n"))
	p.at("13 / 18")
	p.Do(t, chromedp.SendKeys("#step-text", "\n"))
	p.at("14 / 18")
	if got := p.text("#step-found"); got != "2 of 4" {
		t.Errorf("the search says %q", got)
	}
	p.Do(t, chromedp.SendKeys("#step-text", "x\n"))
	p.until(`document.getElementById("step-found").textContent === "not found"`)
}

// shows compares the chart with the plan of a selection, which has a number of rows.
func (p *tab) shows(trace *view.Trace, s view.Selection, rows int) {
	p.t.Helper()
	p.until("true")
	trace.Selection = s
	plan := view.NewPlan(trace, view.Layout{Compact: true, Bare: true, Room: p.room()})
	want := expected(p.t, plan)
	if got := browsertest.Eval[painting](p.t, p.Browser, painted); got.differs(want) {
		p.t.Errorf("%+v: the chart shows\n%v, want\n%v", s, got, want)
	}
	got := browsertest.Eval[[]string](p.t, p.Browser,
		`[...document.querySelectorAll(".steps .index")].map(e => e.textContent)`)
	if !slices.Equal(got, plan.Numbers) || len(got) != rows {
		p.t.Errorf("%+v: the rows are %q, want the %d rows %q", s, got, rows, plan.Numbers)
	}
}

// taken returns the indices of the moves with labels.
func taken(t *testing.T, x *Explorer, labels []string) (indices []int) {
	t.Helper()
	d, err := x.Describe()
	if err != nil {
		t.Fatal(err)
	}
	state, err := x.State(t.Context(), d.Initial[0], nil)
	for _, label := range labels {
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(state.Moves, func(m Move) bool { return m.Label == label })
		if i < 0 {
			t.Fatalf("there is no %s among %v", label, state.Moves)
		}
		indices = append(indices, i)
		state, err = x.State(t.Context(), state.Moves[i].Target, nil)
	}
	return indices
}

// room returns the width that the page has for a chart.
func (p *tab) room() float64 {
	return browsertest.Eval[float64](p.t, p.Browser,
		`(w => w - Math.max(130, w / 3) - 4)(document.getElementById("chart").clientWidth)`)
}

// sees takes the steps of a run and compares the chart with its plan.
func (p *tab) sees(name string, trace *view.Trace, labels []string) {
	p.t.Helper()
	for i, label := range labels {
		quoted, _ := json.Marshal(label)
		browsertest.Eval[string](p.t, p.Browser,
			`([...document.querySelectorAll(".move")].find(b => b.title === `+string(quoted)+`).click(), "")`)
		p.at(fmt.Sprintf("%d / %d", i+1, i+1))
	}
	want := expected(p.t, view.NewPlan(trace, view.Layout{Compact: true, Bare: true, Room: p.room()}))
	if got := browsertest.Eval[painting](p.t, p.Browser, painted); got.differs(want) {
		p.t.Errorf("%s: the chart shows\n%v, want\n%v", name, got, want)
	}
	p.neat("chart-" + name[:4])
}
