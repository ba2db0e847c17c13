//go:build !js

package lsp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"ringcheck"
	"ringcheck/internal/printable"
	"ringcheck/model/language/check"
	"ringcheck/model/language/syntax"
	"ringcheck/verify"
)

// A quickCheck holds the findings of a check of a small instance.
type quickCheck struct {
	of     *document
	notes  []diagnostic
	states map[string]string // by equation
}

// Limits of quick checks, which run while the user types.
const (
	quickDelay  = 300 * time.Millisecond
	quickTime   = 5 * time.Second
	quickStates = 50_000
	quickMemory = 256 << 20
)

// watch publishes what is wrong with the versions of a document, until it is closed or the session ends.
func (s *server) watch(uri string, news chan struct{}) {
	stop := func() {}
	for {
		select {
		case <-s.ctx.Done(): // which ends quick checks, too
			return
		case _, open := <-news:
			if stop(); !open {
				return
			}
		}
		if d := s.document(uri); d != nil {
			s.publish(d)
			stop = s.checkSoon(d)
		}
	}
}

// checkSoon begins a quick check in the background; stop ends it.
func (s *server) checkSoon(d *document) (stop func()) {
	ctx, stop := context.WithCancel(s.ctx)
	s.work.Go(func() { s.quick(ctx, d) })
	return stop
}

// publish tells the editor what is wrong with a document, unless there is a newer version of it.
func (s *server) publish(d *document) {
	defer s.guard("diagnostics", new(error))
	list := d.problems()
	s.publishing.Lock()
	defer s.publishing.Unlock()
	s.mu.Lock()
	current := s.docs[d.uri] == d
	if q := s.quickChecks[d.uri]; q != nil && q.of == d {
		list = append(list, q.notes...)
	}
	s.mu.Unlock()
	if current {
		s.rpc.Notify(s.ctx, "textDocument/publishDiagnostics", diagnostics{d.uri, d.version, list})
	}
}

// quick checks a small instance of a document after a pause in typing.
func (s *server) quick(ctx context.Context, d *document) {
	defer s.guard("quick check", new(error))
	select {
	case <-ctx.Done():
		return
	case <-time.After(quickDelay):
	}
	if d.reading().Errors != nil {
		return
	}
	q := &quickCheck{of: d, states: map[string]string{}}
	ctx, cancel := context.WithTimeout(ctx, quickTime)
	defer cancel()
	if sys, err := d.system(); err == nil {
		r, err := ringcheck.Check(ctx, sys, ringcheck.Checks{Coverage: true},
			ringcheck.Search{Workers: 1, MaxStates: quickStates, Memory: quickMemory})
		if err != nil {
			return
		}
		q.note(r)
	} else if list := (syntax.ErrorList)(nil); errors.As(err, &list) {
		_, title := d.usual()
		for _, e := range list {
			e.Message = strings.TrimSuffix(e.Message+", with"+title, ", with")
			q.notes = append(q.notes, d.problem(e, severityWarning))
		}
	}
	s.mu.Lock()
	if s.docs[d.uri] == d {
		s.quickChecks[d.uri] = q
	}
	s.mu.Unlock()
	s.publish(d)
}

// note adds what a report says of the document.
func (q *quickCheck) note(r *ringcheck.Report) {
	title := r.Title()
	note := func(place string, severity int, code, text string) {
		var pos syntax.Pos
		if _, err := fmt.Sscanf(place, "%d:%d", &pos.Line, &pos.Column); err == nil {
			r := q.of.span(pos, q.of.tokenEnd(pos))
			q.notes = append(q.notes, diagnostic{r, severity, code, "ringcheck", text + "\n" + title})
		}
	}
	names, _ := q.of.names()
	for i := range r.Verdicts.Properties {
		p := &r.Verdicts.Properties[i]
		for _, w := range p.Warnings {
			note(w.Place, severityWarning, "hollow", w.Text)
		}
		if p.EvalError != nil {
			note(p.EvalError.Place, severityWarning, "no-value", "property "+p.Name+": "+p.EvalError.Message)
		}
		is := func(n *check.Name) bool { return n.Kind == "property" && n.Text == p.Name }
		if at := slices.IndexFunc(names, is); p.Outcome() == verify.Violated && at >= 0 {
			note(names[at].At[0].String(), severityInformation, "violated", p.Kind+" "+p.Name+" is violated")
		}
	}
	if r.ModelError != nil {
		note(r.ModelError.Place, severityWarning, "model-error", r.ModelError.Message)
	}
	for _, c := range r.Verdicts.Coverage {
		if c.Kind == "equation" {
			q.states[c.Equation] = fmt.Sprintf("%s of %s", printable.Count(uint64(c.States), "state"), title)
			if !r.Complete {
				q.states[c.Equation] = "at least " + q.states[c.Equation]
			}
		}
	}
}

// usual returns values for the parameters that need some: 3, or what is nearest to it.
func (d *document) usual() (set ringcheck.Set, title string) {
	set = ringcheck.Set{}
	if d.reading().Spec == nil {
		return set, ""
	}
	for _, p := range d.reading().Spec.Params {
		if p.Default != "" {
			continue
		}
		value := 3
		if lo, err := strconv.Atoi(p.Lo); err == nil {
			value = max(value, lo)
		}
		if hi, err := strconv.Atoi(p.Hi); err == nil {
			value = min(value, hi)
		}
		set[p.Name] = value
		title += fmt.Sprintf(", %s = %d", p.Name, value)
	}
	return set, strings.TrimPrefix(title, ",")
}

// system returns the instance with the usual values.
func (d *document) system() (*ringcheck.System, error) {
	spec, err := ringcheck.Parse("", []byte(d.text))
	if err != nil {
		return nil, err
	}
	set, _ := d.usual()
	return spec.System(set)
}

// lenses offers to check properties, and to look at the system.
func (s *server) lenses(d *document, _ *params) (any, error) {
	lenses := []codeLens{}
	_, title := d.usual()
	for _, x := range d.reading().File.Extents {
		args := []any{d.uri}
		switch decl := x.Decl.(type) {
		case *syntax.PropertyDecl:
			args = append(args, decl.Name)
		case *syntax.TemporalDecl:
			args = append(args, decl.Name)
		case *syntax.ProcessDecl:
		default:
			continue
		}
		offers := []command{{"check" + title, checkCommand, args}, {"counterexample", runCommand, args}}
		if len(args) == 1 && s.Page != nil {
			offers = append(offers, command{"open the page", pageCommand, args})
		}
		for _, c := range offers {
			lenses = append(lenses, codeLens{d.span(x.Start, x.Start), c})
		}
	}
	return lenses, nil
}

// execute runs the command of a code lens. It shows the result, and returns it.
func (s *server) execute(ctx context.Context, p *params) (any, error) {
	if len(p.Arguments) == 0 || s.document(p.Arguments[0]) == nil {
		return nil, requestError("%s requires an open document", p.Command)
	}
	d := s.document(p.Arguments[0])
	sys, err := d.system()
	if err != nil {
		return nil, requestError("%v", err)
	}
	claims := ringcheck.Claims{Properties: append([]string(nil), p.Arguments[1:]...)} // nil: all
	text, show := "", ""
	switch {
	case p.Command == checkCommand:
		var r *ringcheck.Report
		if r, err = ringcheck.Check(ctx, sys, ringcheck.Checks{Claims: claims}, ringcheck.Search{}); err == nil {
			text = verdicts(r)
		}
	case p.Command == runCommand:
		text, show, err = s.counterexample(ctx, sys, claims)
	case p.Command == pageCommand && s.Page != nil:
		text, err = s.Page(s.ctx, sys)
		show = text
	default:
		err = errors.New("unknown command " + p.Command)
	}
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return nil, requestError("%v", err)
	}
	return text, s.show(ctx, text, show)
}

// verdicts returns the verdicts of a report on properties, as text.
func verdicts(r *ringcheck.Report) string {
	text := r.Title()
	for i := range r.Verdicts.Properties {
		p := &r.Verdicts.Properties[i]
		text += fmt.Sprintf("\n%s %s: %s", p.Kind, p.Name, p.Outcome())
	}
	text += fmt.Sprintf("\n%s states", r.States.Comma())
	if err := r.Err(); err != nil {
		text += "\n" + err.Error()
	}
	return text
}

// counterexample returns a run that breaks a property, and the address of a temporary file that shows it.
func (s *server) counterexample(
	ctx context.Context, sys *ringcheck.System, claims ringcheck.Claims,
) (text, uri string, err error) {
	run, r, err := ringcheck.Counterexample(ctx, sys, claims, ringcheck.Search{})
	if err != nil {
		return "", "", err
	}
	if run == nil {
		return verdicts(r), "", nil
	}
	f, err := os.CreateTemp("", "counterexample-*.txt")
	if err != nil {
		return "", "", err
	}
	s.mu.Lock()
	s.files = append(s.files, f.Name())
	s.mu.Unlock()
	var b strings.Builder
	err = run.Write(io.MultiWriter(f, &b), "msc")
	return b.String(), fileURI(f.Name()), errors.Join(err, f.Close())
}

// show shows a document or a page in the editor, if there is an address and the editor can, or else a text.
func (s *server) show(ctx context.Context, text, uri string) error {
	if uri == "" || !s.shows {
		return s.rpc.Notify(ctx, "window/showMessage", message{severityInformation, text})
	}
	ctx, cancel := context.WithTimeout(ctx, quickTime)
	defer cancel()
	external := !strings.HasPrefix(uri, "file:")
	_, err := s.rpc.Callback(ctx, "window/showDocument", showDocument{uri, external, true})
	return err
}
