//go:build !js

package view

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"path"
	"strings"

	"ringcheck/view/internal/shared"
)

// drawn are the formats of drawings.
var drawn = []Format{
	{"svg", "message sequence chart for slides and papers", []string{".svg"}, (*Trace).SVG, false},
	{"pdf", "the same with its letters, for papers", []string{".pdf"}, (*Trace).PDF, true},
	{"html", "one page to step through the run", []string{".html", ".htm"}, (*Trace).HTML, false},
}

//go:embed page svg.tmpl
var files embed.FS

// read returns the text of a file of the package.
func read(name string) string {
	text, err := files.ReadFile(name)
	if err != nil {
		panic(err) // impossible: the files are embedded
	}
	return string(text)
}

// styles are the styles of drawings, for their templates.
var styles = template.FuncMap{
	"texts":   func() []textStyle { return textStyles },
	"strokes": func() []stroke { return strokes },
	"palette": func() []shades { return palette },
	"changed": func() string { return changedColour },
	"css":     func(s string) template.CSS { return template.CSS(s) }, // of the tables, which are constant
}

// render fills in a template. An error comes from w.
func render(w io.Writer, name string, data any) error {
	page, err := template.New(path.Base(name)).Funcs(styles).ParseFS(files, name)
	if err != nil {
		return fmt.Errorf("drawing: %w", err)
	}
	return page.Execute(w, data)
}

// SVG writes a message sequence chart with slanted arrows: time runs downward, and an arrow leads from the sending of a
// message to its receipt. So where two arrows of a link cross, one message overtakes the other, which is drawn heavier
// and in red. In a ring, arrows between the last process and process 0 leave at one margin and enter at the other, at
// the same height. Everything can be distinguished in black and white.
//
// An error comes from w.
func (t *Trace) SVG(w io.Writer) error {
	return render(w, "svg.tmpl", NewPlan(t, t.Selection.layout()))
}

// HTML writes a self-contained page for stepping through the run: it shows the processes on a circle, the messages on
// their links, who acts and what changes, or the chart that SVG writes. The arrow keys step; the fragment of the
// address (page.html#12) is the step at which the page opens. An error comes from w.
func (t *Trace) HTML(w io.Writer) error {
	explained, overtaken := t.occurring()
	var chart strings.Builder
	if err := t.SVG(&chart); err != nil {
		return err
	}
	return render(w, "page/page.tmpl", struct {
		*Trace
		Document         *jsonTrace
		Explained        []Role
		Overtaken, Named bool
		Style            template.CSS
		Script           template.JS
		Chart            template.HTML // which svg.tmpl has escaped
	}{
		t, t.document(), explained, overtaken, t.Caption.named(),
		template.CSS(shared.Read("network.css") + read("page/page.css")),
		template.JS(shared.Script() + read("page/page.js")),
		template.HTML(chart.String()),
	})
}
