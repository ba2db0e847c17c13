package view

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ringcheck/internal/test/filetest"
)

// moduleWords are the words of modules, which a script within a page does without.
var moduleWords = regexp.MustCompile(`(?m)^import .*$|^export `)

// paintPage returns a page that has the functions with which the explorer paints charts.
func paintPage(t *testing.T) string {
	script := ""
	for _, file := range []string{"internal/shared/dom.js", "explorer/page/chart.js"} {
		script += moduleWords.ReplaceAllString(string(filetest.Read(t, file)), "")
	}
	return "<!DOCTYPE html><meta charset=utf-8><title>Charts</title><script>" + script + "</script>"
}

// paint is a script that paints a plan and returns a line for each message, mark and tick.
const paint = `(plan => {
	const chart = paintChart(plan, false);
	const numbers = (e, ...names) => names.map(n => Number(e.getAttribute(n)).toFixed(1)).join(" ");
	const all = selector => [...chart.querySelectorAll(selector)];
	return all("line.message, path.tip, path.lost[transform^='translate'], .tick line").map(e =>
		e.matches(".tick line") ? "tick " + numbers(e, "y1") :
		e.matches("line") ? "line " + numbers(e, "x1", "y1", "x2", "y2") :
		e.matches(".tip") ? "tip" : "mark " + e.getAttribute("transform").match(/-?[\d.]+/g)
			.map(n => Number(n).toFixed(1)).join(" ")).join("\n");
})`

// painted returns what paint should return for a plan without signs.
func (p *Plan) painted() string {
	var lines, marks []string
	for _, y := range p.Ticks {
		lines = append(lines, fmt.Sprintf("tick %.1f", y))
	}
	for _, a := range p.Arrows {
		for _, l := range a.Lines {
			lines = append(lines, fmt.Sprintf("line %.1f %.1f %.1f %.1f", l.X1, l.Y1, l.X2, l.Y2))
			if l.Tip {
				lines = append(lines, "tip")
			}
		}
		for _, m := range a.Marks {
			marks = append(marks, fmt.Sprintf("mark %.1f %.1f", m.X, m.Y))
		}
	}
	return strings.Join(append(lines, marks...), "\n")
}

// TestExplorerPaintsPlans paints the twelve runs as the explorer does: messages, marks and ticks are where the plan has
// them.
func TestExplorerPaintsPlans(t *testing.T) {
	b := openBrowser(t)
	file := filepath.Join(t.TempDir(), "charts.html")
	filetest.Write(t, file, []byte(paintPage(t)))
	b.Open(t, "file://"+file)
	runs, messages := 0, 0
	eachPlanned(t, func(name string, trace *Trace) {
		p := NewPlan(trace, Layout{Compact: true, Bare: true, Room: 400})
		p.Signs = p.Signs[:0] // crashes have the sign of lost messages
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		runs, messages = runs+1, messages+len(p.Arrows)
		if got, want := eval[string](t, b, paint+"("+string(text)+")"), p.painted(); got != want {
			t.Errorf("%s: the chart has\n%s, want\n%s", name, got, want)
		}
	})
	if runs < 30 || messages < 150 {
		t.Errorf("only %d runs with %d messages", runs, messages)
	}
}
