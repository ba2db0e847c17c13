package drafts

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"sync"

	"ringcheck"
	"ringcheck/cmd/internal/lsp"
	"ringcheck/explore"
	"ringcheck/model/language/check"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/syntax"
	"ringcheck/view/explorer"
)

// An Editor answers requests about drafts. Its actions belong to a session of the page.
type Editor struct {
	Session *explorer.Session
	Search  ringcheck.Search // limits of all searches
	// Load, if not nil, returns the text of the file that is shown, and Save, if not nil, replaces it.
	Load func() (string, error)
	Save func(text string) error

	mu     sync.Mutex
	opened []openedDraft // the last ones, the latest at the end
}

// An openedDraft is the explorer of a draft, and the limits of its searches.
type openedDraft struct {
	key      string // the draft as JSON
	explorer *explorer.Explorer
	search   explore.Options
}

// Actions returns the requests that an editor answers, by name.
func (e *Editor) Actions() map[string]explorer.Action {
	return map[string]explorer.Action{
		"read": explorer.Answering(e.read), "complete": explorer.Answering(e.complete),
		"format": explorer.Answering(e.format), "open": explorer.Answering(e.open),
		"check": explorer.Answering(e.check), "counterexample": explorer.Answering(e.counterexample),
		"probability": explorer.Answering(e.probability), "keep": explorer.Answering(e.save),
		"changed": explorer.Answering(e.reload),
	}
}

// A Draft is a text with values for its parameters and options, and the file that holds it, if there is one.
type Draft struct {
	File     string        `json:"file"`
	Text     string        `json:"text"`
	Settings ringcheck.Set `json:"settings"`
}

// system returns the instance of the draft.
func (d *Draft) system() (*ringcheck.System, error) {
	spec, err := ringcheck.Parse(cmp.Or(d.File, "spec.ring"), []byte(d.Text))
	if err != nil {
		return nil, first(err)
	}
	sys, err := spec.System(d.Settings)
	return sys, first(err)
}

// Explorer returns an explorer of a system, which is an instance of a spec.
func Explorer(ctx context.Context, sys *ringcheck.System, search ringcheck.Search) (
	*explorer.Explorer, *ringcheck.Prepared, error) {
	prepared, err := ringcheck.Prepare(ctx, sys, search)
	if err != nil {
		return nil, nil, err
	}
	ask := func(ctx context.Context, goal string) (*compile.System, error) {
		p, err := sys.Spec.Declarations.Ask(sys.Given, goal)
		if err != nil {
			return nil, err
		}
		return compile.New(ctx, p, compile.Options{MaxMessages: search.MaxChannel, MaxNat: search.MaxNat})
	}
	return explorer.New(prepared.System.(*compile.System), sys.Spec.Text, ask), prepared, nil
}

// read answers with the errors, warnings, parameters and options of a text.
func (e *Editor) read(_ context.Context, q *Draft) (any, error) {
	r := check.Text(q.File, []byte(q.Text))
	answer := struct {
		Errors   syntax.ErrorList `json:"errors"`
		Warnings syntax.ErrorList `json:"warnings"`
		Params   []check.Setting  `json:"params"`
		Options  []check.Setting  `json:"options"`
	}{Errors: r.Errors, Warnings: r.Warnings}
	if r.Spec != nil {
		answer.Params, answer.Options = r.Spec.Params, r.Spec.Options
	}
	return answer, nil
}

func (e *Editor) complete(_ context.Context, q *struct {
	Text      string `json:"text"`
	Line      int    `json:"line"`      // from 0
	Character int    `json:"character"` // from 0, in units of UTF-16
}) (any, error) {
	return lsp.Complete(q.Text, q.Line, q.Character), nil
}

func (e *Editor) format(_ context.Context, q *Draft) (any, error) {
	f, err := syntax.Parse(q.File, []byte(q.Text))
	if err != nil {
		return nil, first(err)
	}
	return map[string]string{"text": string(syntax.Print(f))}, nil
}

// first returns the first of several errors in a text.
func first(err error) error {
	var list syntax.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		return list[0]
	}
	return err
}

// A basedDraft is a draft of a text that comes from a file.
type basedDraft struct {
	Draft
	Known *string `json:"known"` // the text of the file when it was loaded or saved; nil without a file
}

// open shows a draft.
func (e *Editor) open(ctx context.Context, q *basedDraft) (any, error) {
	x, search, err := e.explorer(ctx, &q.Draft)
	if err != nil {
		return nil, err
	}
	e.Session.Show(x, search, nil, e.content(q))
	return e.Session.System()
}

// Find returns the explorer of a draft, for a request about it: see explorer.Session.
func (e *Editor) Find(ctx context.Context, draft []byte) (*explorer.Explorer, explore.Options, error) {
	var q Draft
	if err := json.Unmarshal(draft, &q); err != nil {
		return nil, explore.Options{}, err
	}
	return e.explorer(ctx, &q)
}

// manyExplorers is the number of explorers that an editor keeps: one for each window with the page, say.
const manyExplorers = 3

// explorer returns an explorer of a draft.
func (e *Editor) explorer(ctx context.Context, q *Draft) (*explorer.Explorer, explore.Options, error) {
	key, err := json.Marshal(q)
	if err != nil {
		return nil, explore.Options{}, err
	}
	if o, ok := e.recall(string(key)); ok {
		return o.explorer, o.search, nil
	}
	sys, err := q.system() // without the lock, since it takes time
	if err == nil {
		err = sys.Explorable()
	}
	if err != nil {
		return nil, explore.Options{}, err
	}
	x, prepared, err := Explorer(ctx, sys, e.Search)
	if err != nil {
		return nil, explore.Options{}, first(err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.opened = append(e.opened, openedDraft{string(key), x, prepared.Search})
	if len(e.opened) > manyExplorers {
		e.opened = slices.Delete(e.opened, 0, 1)
	}
	return x, prepared.Search, nil
}

// recall returns an opened draft, which becomes the latest.
func (e *Editor) recall(key string) (openedDraft, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	i := slices.IndexFunc(e.opened, func(o openedDraft) bool { return o.key == key })
	if i < 0 {
		return openedDraft{}, false
	}
	o := e.opened[i]
	e.opened = append(slices.Delete(e.opened, i, i+1), o)
	return o, true
}

// Content returns the content that the editor begins with: a draft whose text is that of the file, if there is one.
func (e *Editor) Content(q *Draft) any { return e.content(&basedDraft{*q, &q.Text}) }

func (e *Editor) content(q *basedDraft) any {
	content := struct {
		Draft
		Keep  bool    `json:"keep"`            // whether the text can be saved
		Known *string `json:"known,omitempty"` // the text of the file, if it may change
	}{Draft: q.Draft, Keep: e.Save != nil}
	if e.Load != nil {
		content.Known = q.Known
	}
	return content
}

// reload answers with the text of the file.
func (e *Editor) reload(context.Context, *struct{}) (any, error) {
	if e.Load == nil {
		return nil, errors.New("this page shows no file")
	}
	text, err := e.Load()
	return map[string]string{"text": text}, err
}

// save replaces the text of the file. If another program has changed it since the page read it, save answers with its
// text instead.
func (e *Editor) save(_ context.Context, q *basedDraft) (any, error) {
	if e.Save == nil {
		return nil, errors.New("this page cannot save files: see ringcheck view --edit")
	}
	if e.Load != nil && q.Known != nil {
		now, err := e.Load()
		switch {
		case errors.Is(err, fs.ErrNotExist): // there is nothing to overwrite
		case err != nil:
			return nil, err
		case now != *q.Known && now != q.Text:
			return map[string]string{"changed": now}, nil
		}
	}
	return struct{}{}, e.Save(q.Text)
}

// watchedSearch returns a search that the page watches.
func (e *Editor) watchedSearch() ringcheck.Search {
	search := e.Search
	search.Progress, search.ProgressEvery = e.Session.Watch, explorer.WatchEvery
	return search
}

func (e *Editor) check(ctx context.Context, q *Draft) (any, error) {
	sys, err := q.system()
	if err != nil {
		return nil, err
	}
	return ringcheck.Check(ctx, sys, ringcheck.Checks{}, e.watchedSearch())
}

// counterexample searches for a shortest run that violates a property, any if none is named. It answers with a finding
// and, if there is one, the run as counterexample --json writes it.
func (e *Editor) counterexample(ctx context.Context, q *struct {
	Draft
	Property string `json:"property"`
	Witness  bool   `json:"witness"` // of a reachable property, instead
}) (any, error) {
	sys, err := q.system()
	if err != nil {
		return nil, err
	}
	var names []string
	if q.Property != "" {
		names = []string{q.Property}
	}
	var run *ringcheck.Run
	var r *ringcheck.Report
	if q.Witness {
		run, r, err = ringcheck.Witness(ctx, sys, names, e.watchedSearch())
	} else {
		run, r, err = ringcheck.Counterexample(ctx, sys, ringcheck.Claims{Properties: names}, e.watchedSearch())
	}
	if err == nil && run == nil && (r.ModelError != nil || r.Invalid() != nil) {
		run, err = r.ErrorRun(ctx)
	}
	if err != nil {
		return nil, err
	}
	answer := map[string]any{"states": r.States, "transitions": r.Transitions}
	finding := cmp.Or(q.Property, "Every property") + " holds."
	switch {
	case run != nil:
		if run.Moves != nil {
			var b bytes.Buffer
			err := run.Write(&b, "json")
			return map[string]any{"finding": run.Finding, "run": json.RawMessage(b.Bytes())}, err
		}
		finding = run.Finding // all runs together show it
	case !r.Complete:
		finding = r.Err().Error()
	case q.Witness:
		finding = q.Property + " is not reached."
	case r.Verdicts.Holds == nil:
		finding = "Not decided."
	}
	answer["finding"] = finding
	return answer, nil
}

func (e *Editor) probability(ctx context.Context, q *Draft) (any, error) {
	sys, err := q.system()
	if err != nil {
		return nil, err
	}
	return ringcheck.Quantify(ctx, sys, ringcheck.Questions{}, e.watchedSearch())
}
