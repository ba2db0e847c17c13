package desk

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"ringcheck"
	"ringcheck/internal/inside"
	"ringcheck/lsp"
	"ringcheck/model/language/check"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/syntax"
	"ringcheck/view/explorer"
)

// A Desk is where a text is worked on. Its actions belong to a session of the page.
type Desk struct {
	Session *explorer.Session
	Options ringcheck.Options // of all searches
	// Load, if not nil, returns the text of the file that is shown, and Save, if not nil, replaces it.
	Load func() (string, error)
	Save func(text string) error

	mu    sync.Mutex
	known string // the digest of the text of the file
}

// Actions returns the requests that a desk answers, by name.
func (d *Desk) Actions() map[string]explorer.Action {
	return map[string]explorer.Action{
		"read": explorer.Answering(d.read), "complete": explorer.Answering(d.complete),
		"format": explorer.Answering(d.format), "open": explorer.Answering(d.open),
		"check": explorer.Answering(d.check), "counterexample": explorer.Answering(d.counterexample),
		"probability": explorer.Answering(d.probability), "keep": explorer.Answering(d.keep),
		"changed": explorer.Answering(d.changed),
	}
}

// A Draft is a text with values for its parameters and options, and the file that holds it, if there is one.
type Draft struct {
	File     string        `json:"file"`
	Text     string        `json:"text"`
	Settings ringcheck.Set `json:"settings"`
}

// system returns the instance of the draft. Settings that the text does not declare are left out, since the text may
// have changed since they were chosen.
func (d *Draft) system() (*ringcheck.System, error) {
	file := d.File
	if file == "" {
		file = "spec.ring"
	}
	spec, err := ringcheck.Parse(file, []byte(d.Text))
	if err != nil {
		return nil, err
	}
	set := ringcheck.Set{}
	for _, s := range settings(inside.Spec(spec)) {
		if value, ok := d.Settings[s.Name]; ok {
			set[s.Name] = value
		} else if s.suggested {
			set[s.Name] = s.Default
		}
	}
	return spec.System(set)
}

// Explorer returns an explorer of a system, which is an instance of a spec.
func Explorer(ctx context.Context, sys *ringcheck.System, opt ringcheck.Options) (
	*explorer.Explorer, *ringcheck.Prepared, error) {
	prepared, err := sys.Prepare(ctx, opt)
	if err != nil {
		return nil, nil, err
	}
	ask := func(ctx context.Context, goal string) (*compile.System, error) {
		p, err := inside.Spec(sys.Spec).Ask(inside.Given(sys), goal)
		if err != nil {
			return nil, err
		}
		return compile.New(ctx, p, compile.Options{MaxMessages: opt.MaxChannel, MaxNat: opt.MaxNat})
	}
	return explorer.New(prepared.System.(*compile.System), sys.Spec.Text, ask), prepared, nil
}

// A problem is an error or a warning at a place. Lines and columns count from 1, columns in characters; the end is
// behind what is wrong.
type problem struct {
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	EndLine int    `json:"endLine"`
	End     int    `json:"endColumn"`
	Warning bool   `json:"warning,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

func problems(list syntax.ErrorList, warning bool) []problem {
	found := []problem{}
	for _, e := range list {
		p := problem{e.Pos.Line, e.Pos.Column, e.End.Line, e.End.Column, warning, e.Message, e.Hint}
		if e.End.Line == 0 {
			p.EndLine, p.End = p.Line, p.Column+1
		}
		found = append(found, p)
	}
	return found
}

// A setting is a parameter or an option that a text declares. Values has the texts to choose from, nil for a number
// from Low to High.
type setting struct {
	Name    string   `json:"name"`
	Doc     string   `json:"doc,omitempty"`
	Values  []string `json:"values,omitempty"`
	Low     string   `json:"low,omitempty"`
	High    string   `json:"high,omitempty"`
	Default string   `json:"default"`

	suggested bool // whether the text has no default
}

func settings(spec *check.Spec) []setting {
	list := []setting{}
	for _, p := range spec.Params {
		s := setting{Name: p.Name, Doc: p.Doc, Low: p.Lo, High: p.Hi, Default: p.Default}
		if s.Default == "" {
			s.Default, s.suggested = suggestion(p.Lo), true
		}
		list = append(list, s)
	}
	for _, o := range spec.Options {
		s := setting{o.Name, o.Doc, o.Values, o.Lo, o.Hi, o.Default, false}
		if o.Kind == check.BoolOption {
			s.Values = []string{"true", "false"}
		}
		list = append(list, s)
	}
	return list
}

// suggestion is the value with which a page begins where a text has no default: 3, or the least one that is allowed.
func suggestion(low string) string {
	if n, err := strconv.Atoi(low); err == nil && n <= 3 {
		return "3"
	}
	return low
}

// A reading is what is known about a text at once.
type reading struct {
	Problems []problem `json:"problems"`
	Settings []setting `json:"settings"` // nil if there are errors
	Name     string    `json:"name,omitempty"`
}

func (d *Desk) read(_ context.Context, q *Draft) (any, error) {
	r := check.Text(q.File, []byte(q.Text))
	found := &reading{Problems: append(problems(r.Errors, false), problems(r.Warnings, true)...)}
	if r.Spec != nil {
		found.Name, found.Settings = r.Spec.Name, settings(r.Spec)
	}
	return found, nil
}

func (d *Desk) complete(_ context.Context, q *struct {
	Text      string `json:"text"`
	Line      int    `json:"line"`      // from 0
	Character int    `json:"character"` // from 0, in units of UTF-16
}) (any, error) {
	return lsp.Complete(q.Text, q.Line, q.Character), nil
}

func (d *Desk) format(_ context.Context, q *Draft) (any, error) {
	f, err := syntax.Parse(q.File, []byte(q.Text))
	if err != nil {
		return nil, first(err)
	}
	var b bytes.Buffer
	err = syntax.Print(&b, f)
	return map[string]string{"text": b.String()}, err
}

// first returns the first of several errors in a text.
func first(err error) error {
	var list syntax.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		return list[0]
	}
	return err
}

// open shows a draft. What is wrong with it for its settings only is an answer, too.
func (d *Desk) open(ctx context.Context, q *Draft) (any, error) {
	sys, err := q.system()
	if err == nil {
		err = sys.Explorable()
	}
	if err != nil {
		return nil, first(err)
	}
	x, prepared, err := Explorer(ctx, sys, d.Options)
	if err != nil {
		return nil, first(err)
	}
	d.Session.Show(x, prepared.Search, nil, d.About(q))
	return d.Session.System()
}

// About returns what the editor begins with.
func (d *Desk) About(q *Draft) any {
	return struct {
		*Draft
		Keep  bool   `json:"keep"`            // whether the text can be saved
		Known string `json:"known,omitempty"` // of a file that may change: what changed answered last
	}{q, d.Save != nil, d.know(q.Text, false)}
}

// know notes the text of the file, unless one is known and this is not new, and returns the digest of what is known.
func (d *Desk) know(text string, isNew bool) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.Load != nil && (isNew || d.known == "") {
		d.known = fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
	}
	return d.known
}

// changed answers with the text of the file, and its digest.
func (d *Desk) changed(context.Context, *struct{}) (any, error) {
	if d.Load == nil {
		return nil, errors.New("this page shows no file")
	}
	text, err := d.Load()
	if err != nil {
		return nil, err
	}
	return map[string]string{"known": d.know(text, true), "text": text}, nil
}

// watched returns the options of a search that the page watches.
func (d *Desk) watched() ringcheck.Options {
	opt := d.Options
	opt.Progress, opt.ProgressEvery = d.Session.Watch, explorer.WatchEvery
	return opt
}

func (d *Desk) check(ctx context.Context, q *Draft) (any, error) {
	sys, err := q.system()
	if err != nil {
		return nil, first(err)
	}
	r, err := ringcheck.Check(ctx, sys, d.watched())
	if err != nil {
		return nil, err
	}
	return struct {
		*ringcheck.Report
		Title string `json:"title"`
	}{r, r.Title()}, nil
}

// A found is the outcome of the search for a run that violates a property.
type found struct {
	Title    string          `json:"title"`
	Finding  string          `json:"finding"`
	Complete bool            `json:"complete"`
	Run      json.RawMessage `json:"run,omitempty"` // as counterexample --json writes it
}

// counterexample searches for a shortest run that violates a property, any if none is named.
func (d *Desk) counterexample(ctx context.Context, q *struct {
	Draft
	Property string `json:"property"`
	Witness  bool   `json:"witness"` // of a reachable property, instead
}) (any, error) {
	sys, err := q.system()
	if err != nil {
		return nil, first(err)
	}
	opt := d.watched()
	opt.Witness = q.Witness
	if q.Property != "" {
		opt.Properties = []string{q.Property}
	}
	run, r, err := ringcheck.Counterexample(ctx, sys, opt)
	if err != nil {
		return nil, err
	}
	answer := &found{Title: r.Title(), Complete: r.Complete, Finding: "All properties hold."}
	if q.Property != "" {
		answer.Finding = fmt.Sprintf("%s holds.", q.Property)
	}
	if r.Fault != nil {
		answer.Finding = r.Err().Error()
		run, err = r.FaultRun(ctx)
	} else if !r.Complete {
		answer.Finding = r.Err().Error()
	}
	if run == nil || err != nil {
		return answer, err
	}
	var b bytes.Buffer
	err = run.Write(&b, "json")
	answer.Finding, answer.Run = run.Finding, b.Bytes()
	return answer, err
}

func (d *Desk) probability(ctx context.Context, q *struct {
	Draft
	Until string `json:"until"`
}) (any, error) {
	sys, err := q.system()
	if err != nil {
		return nil, first(err)
	}
	r, err := ringcheck.Quantify(ctx, sys, ringcheck.Questions{Until: q.Until}, d.watched())
	if err != nil {
		return nil, err
	}
	names := make([]string, len(r.Results))
	for i := range r.Results {
		names[i] = r.Results[i].Name()
	}
	return struct {
		*ringcheck.Quantified
		Title string   `json:"title"`
		Until string   `json:"until"`
		Names []string `json:"names"` // of the results
	}{r, r.Title(), r.Until, names}, nil
}

func (d *Desk) keep(_ context.Context, q *Draft) (any, error) {
	if d.Save == nil {
		return nil, errors.New("this page saves no files: see ringcheck view --edit")
	}
	return map[string]string{"known": d.know(q.Text, true)}, d.Save(q.Text)
}
