package view

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// planned returns the twelve runs whose plans are compared.
func planned(t testing.TB) map[string]*Trace {
	t.Helper()
	run := func(spec string, labels ...string) *Trace {
		sys := fromText(t, spec, "")
		return newTrace(t, sys, along(t, sys, labels...))
	}
	const flood = "channel unordered\nmessage M\nprocess p = if p = 0 then Go else Wait\nWait = recv _ M; Wait\n" +
		"Go = send (1) M; send (2) M; stop\n"
	return map[string]*Trace{
		"no bits": noBits(t), "sixty steps": modulo2(t), "won": won(t), "complete graph": relayed(t),
		"alone": alone(t), "lasso": forEver(t), "crash and faults": troubled(t),
		"seam": run("protocol seam\ntopology undirected ring of 3\nchannel fifo, lossy at most 1\nmessage M\n"+
			"process p = if p = 2 then send right M; send right M; stop else recv left M; stop\n",
			"send(2,right,M)", "lose(2→0 (right),M)", "send(2,right,M)", "recv(0,left,M)"),
		"tick": run(expiring, "send(0,right,M)", "skip(1)", "tick", "tick"),
		"grid": run("protocol grid\ntopology grid of 2 by 2\n"+flood, "send(0,1,M)", "send(0,2,M)", "recv(2,0,M)"),
		"star": run("protocol star\ntopology star of 5\n"+flood, "send(0,1,M)", "send(0,2,M)", "recv(1,0,M)"),
		"24 processes": run("protocol large\ntopology directed ring of 24\nchannel fifo\nmessage M\n"+
			"process p = if p = 22 then send right M; stop else Pass\nPass = recv left M; send right M; stop\n",
			"send(22,right,M)", "recv(23,left,M)", "send(23,right,M)", "recv(0,left,M)"),
	}
}

// expiring is a protocol in which a tick removes a message, since its receiver has stopped.
const expiring = "protocol expiring\ntopology line of 2\nchannel fifo, delay 0..1\nmessage M\n" +
	"process p = if p = 0 then A else B\nA = send right M; stop\nB = skip; stop\n"

// selections are the selections with which the plans of runs are compared.
var selections = []struct {
	name string
	Selection
}{
	{"", Selection{}},
	{", compact", Selection{Fold: true, Share: true}},
	{", some", Selection{Processes: []int{0, 1}, Received: true}},
}

// eachPlanned visits the twelve runs with each selection.
func eachPlanned(t *testing.T, visit func(name string, trace *Trace)) {
	traces := planned(t)
	for _, name := range slices.Sorted(maps.Keys(traces)) {
		for _, s := range selections {
			trace := traces[name]
			if trace.Selection = s.Selection; trace.Selection.Check(trace) == nil {
				visit(name+s.name, trace)
			}
		}
	}
}

// TestPlans compares the compact plans of twelve runs with golden ones: for each message the rows of its ends and what
// becomes of it. The plan with local states has the same.
func TestPlans(t *testing.T) {
	var b strings.Builder
	eachPlanned(t, func(name string, trace *Trace) {
		compact, full := NewPlan(trace, Layout{Compact: true, Bare: true, Room: 400}), NewPlan(trace, Layout{})
		summary := summarize(compact)
		fmt.Fprintf(&b, "%s: %d rows, lanes %s, ticks %d\n%s", name, len(compact.Rows), lanesOf(compact),
			len(compact.Ticks), summary)
		if got := summarize(full); got != summary && len(compact.Heads) == len(full.Heads) {
			t.Errorf("%s: the plan with local states has\n%s, the compact one\n%s", name, got, summary)
		}
	})
	compareGolden(t, "plans.golden", []byte(b.String()))
}

// TestPaper: the sixty steps fit on a sheet of paper (A4, with margins of 1.5 cm) with letters of seven points.
func TestPaper(t *testing.T) {
	trace := modulo2(t)
	trace.Selection = Selection{Fold: true, Share: true, HideStates: true}
	p := NewPlan(trace, trace.Selection.layout())
	if scale := min(510/p.Width, 757/p.Height); scale*labelSize < 7 {
		t.Errorf("letters have %v points on a plan of %v × %v", scale*labelSize, p.Width, p.Height)
	}
	if len(written(t, trace, "pdf")) == 0 {
		t.Error("there is no page")
	}
}

func lanesOf(p *Plan) string {
	var names []string
	for _, h := range p.Heads {
		names = append(names, h.Text)
	}
	return strings.Join(names, " ")
}

// summarize lists the arrows of a plan, each with the rows of its ends, in the order of the messages.
func summarize(p *Plan) string {
	var b strings.Builder
	for _, a := range p.Arrows {
		first, last := a.Lines[0], a.Lines[len(a.Lines)-1]
		fate := "received"
		switch {
		case a.Open:
			fate = "open"
		case !last.Tip:
			fate = "lost"
		}
		way := "→"
		if first.X2 < first.X1 {
			way = "←"
		}
		fmt.Fprintf(&b, "  %s %s: row %d to row %d, %s, %d lines, %d marks\n", way, a.text(), p.row(first.Y1),
			p.row(last.Y2), fate, len(a.Lines), len(a.Marks))
	}
	return b.String()
}

func (a arrow) text() string {
	return regexp.MustCompile(`#\d+ (.*) from`).FindStringSubmatch(a.About)[1]
}

// row returns the row of a position; the last one for what is below all rows.
func (p *Plan) row(y px) int {
	for i, at := range p.Rows {
		if y <= at+0.1 {
			return i
		}
	}
	return len(p.Rows) - 1
}

// TestPainters: the SVG has what the plan has, and so has the page. The chart of text has the same rows, with the same
// ends of messages, and says the same of each message.
func TestPainters(t *testing.T) {
	eachPlanned(t, func(name string, trace *Trace) {
		trace.Width = 1000
		plan, svg, msc := NewPlan(trace, Layout{}), string(written(t, trace, "svg")), string(written(t, trace, "msc"))
		if got, want := endsOfText(trace, msc), endsOfPlan(plan); got != want {
			t.Errorf("%s: the chart of text has the rows\n%s, want\n%s:\n%s", name, got, want, msc)
		}
		if page := string(written(t, trace, "html")); !strings.Contains(page, svg) {
			t.Errorf("%s: the page has another chart", name)
		}
		if got := strings.Count(svg, `class="guide"`); got != len(plan.Rows) {
			t.Errorf("%s: the SVG has %d rows, want %d", name, got, len(plan.Rows))
		}
		for _, a := range plan.Arrows {
			for _, l := range a.Lines {
				want := fmt.Sprintf(`<line x1="%s" y1="%s" x2="%s" y2="%s"`, l.X1, l.Y1, l.X2, l.Y2)
				if !strings.Contains(svg, want) {
					t.Errorf("%s: the SVG lacks %s", name, want)
				}
			}
		}
		open := 0
		for i := range trace.Messages {
			if m := &trace.Messages[i]; m.endStep() == 0 && trace.showsMessage(m) {
				open++
			}
		}
		if _, list, found := strings.Cut(msc, "still in transit: "); found != (open > 0) ||
			found && strings.Count(list, " of step ")+strings.Count(list, "initially") != open {
			t.Errorf("%s: %d messages are in transit; the chart of text says\n%s", name, open, list)
		}
	})
}

// endsOfPlan lists the rows of a plan: their steps, and the processes that receive messages in them.
func endsOfPlan(p *Plan) string {
	received := make([][]int, len(p.Rows))
	for i := range p.trace.Messages {
		if m := &p.trace.Messages[i]; p.shows(m) && m.Received > 0 {
			a := p.arrow(m)
			row := p.row(a.Lines[len(a.Lines)-1].Y2)
			received[row] = append(received[row], p.trace.Links[m.Link].To)
		}
	}
	var b strings.Builder
	for row := range p.Rows {
		fmt.Fprintf(&b, "%s: %v\n", p.Numbers[row], slices.Sorted(slices.Values(received[row])))
	}
	return b.String()
}

// endsOfText lists the same of a chart of text, from its letters.
func endsOfText(t *Trace, chart string) string {
	c := newColumns(t, true)
	var b strings.Builder
	_, body, _ := strings.Cut(chart, "╯\n") // after the heads
	for line := range strings.Lines(body) {
		letters := []rune(strings.TrimSuffix(line, "\n"))
		if len(letters) < c.number {
			break
		}
		label := strings.TrimSpace(strings.Trim(string(letters[:c.number]), "┌│"))
		if label == "" || strings.HasPrefix(label, "└") {
			continue
		}
		received := []int{}
		for p, x := range c.process {
			if x != noColumn && (letters[x-1] == '►' || x+1 < len(letters) && letters[x+1] == '◄') {
				received = append(received, p)
			}
		}
		fmt.Fprintf(&b, "%s: %v\n", label, received)
	}
	return b.String()
}

// TestPDF: the page has the size of the plan, and every line and text of it at its place. The same run gives the same
// file.
func TestPDF(t *testing.T) {
	foreign := alone(t)
	foreign.Caption.Finding = "→ 选举 🗳 (a\\b)"
	check := func(name string, trace *Trace) {
		plan := NewPlan(trace, trace.Selection.layout())
		sheet := newPainting(plan)
		sheet.SetCompression(false)
		var b bytes.Buffer
		if err := sheet.Output(&b); err != nil {
			t.Fatal(err)
		}
		file := b.String()
		has := func(what string) {
			if !strings.Contains(file, what) {
				t.Errorf("%s: the PDF lacks %q", name, what)
			}
		}
		has(fmt.Sprintf("/MediaBox [0 0 %.2f %.2f]", float64(plan.Width), float64(plan.Height)))
		for _, a := range plan.Arrows {
			for _, l := range a.Lines {
				has(fmt.Sprintf("%.2f %.2f m %.2f %.2f l", float64(l.X1), float64(plan.Height-l.Y1), float64(l.X2),
					float64(plan.Height-l.Y2)))
			}
			for _, l := range a.Labels {
				has(encoded(l.Text))
			}
		}
		for _, b := range plan.Pills {
			has(encoded(b.Name))
		}
		for _, e := range slices.Concat(plan.Finding, plan.Subtitle, plan.Legend) {
			has(encoded(e.Text))
		}
		first, second := written(t, trace, "pdf"), written(t, trace, "pdf")
		if !bytes.Equal(first, second) {
			t.Errorf("%s: two files differ", name)
		}
		if len(first) > 200_000 {
			t.Errorf("%s: the PDF has %d bytes", name, len(first))
		}
	}
	check("foreign letters", foreign)
	eachPlanned(t, check)
	eachPlanned(t, func(name string, trace *Trace) {
		trace.Selection.HideStates = true
		check(name+", signs", trace)
	})
}

// encoded returns a text as a PDF file has it.
func encoded(text string) string {
	var b []byte
	for _, r := range text {
		if r > math.MaxUint16 {
			r = '□'
		}
		b = binary.BigEndian.AppendUint16(b, uint16(r))
	}
	return strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`, "\r", `\r`).Replace(string(b))
}

// TestTickLoses: a message that a tick removes is lost there, in every picture.
func TestTickLoses(t *testing.T) {
	trace := planned(t)["tick"]
	if m := trace.Message(1); m.Lost != 4 {
		t.Fatalf("the message is lost in step %d, want 4", m.Lost)
	}
	plan := NewPlan(trace, Layout{Compact: true, Bare: true})
	if a := plan.Arrows[0]; a.Open || len(a.Marks) != 1 || a.Marks[0].Y != plan.Ticks[1] {
		t.Errorf("its arrow is %+v, and the ticks are at %v", a, plan.Ticks)
	}
	svg := string(written(t, trace, "svg"))
	if !strings.Contains(svg, "lost in step 4") || !strings.Contains(svg, `class="mark"`) {
		t.Errorf("the SVG does not show the loss:\n%s", svg)
	}
	if msc := string(written(t, trace, "msc")); strings.Contains(msc, "in transit") || !strings.Contains(msc, "✕") {
		t.Errorf("the chart of text does not show the loss:\n%s", msc)
	}
}
