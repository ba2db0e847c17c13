package view

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"

	"ringcheck/view/internal/shared"
)

//go:embed page/page.tmpl
var pageSource string

//go:embed page/page.css
var pageStyle string

//go:embed page/page.js
var pageScript string

// HTML writes one page, complete in itself, on which to step through the run: the processes on a circle, the
// messages on their links, who acts and what changes. The arrow keys step; the fragment of the address
// (page.html#12) is the step that it opens with. The error is that of w.
func (t *Trace) HTML(w io.Writer) error {
	source, err := template.New("page").Parse(pageSource)
	if err != nil {
		return fmt.Errorf("drawing a run: %w", err)
	}
	roles, overtaken := t.occurring()
	return source.Execute(w, &page{
		Trace:     t,
		Document:  t.document(),
		Roles:     roles,
		Overtaken: overtaken,
		Style:     template.CSS(shared.Read("network.css") + pageStyle),
		Script:    template.JS(shared.Plain(shared.Read("dom.js")+shared.Read("network.js")) + pageScript),
	})
}

// A page is what page.tmpl is filled with.
type page struct {
	*Trace
	Document  *jsonTrace
	Roles     []Role // to be explained
	Overtaken bool   // some message is
	Style     template.CSS
	Script    template.JS
}

// Named reports whether the finding begins with the name of the property.
func (p *page) Named() bool { return p.Caption.named() }

// RoleName names a role for people.
func (p *page) RoleName(r Role) string { return p.roleName(r) }

// Overtaking reports whether a message overtakes another one in a step.
func (p *page) Overtaking(s Step) bool {
	return s.Kind == Receive && len(p.Message(s.Message).Overtakes) > 0
}
