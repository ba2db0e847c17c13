package explorer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"sync"

	"ringcheck/explore"
	"ringcheck/internal/textfile"
	"ringcheck/internal/workers"
	"ringcheck/model"
	"ringcheck/view"
)

// An Action answers a request of the page, which is JSON. The answer is encoded as JSON, unless it is a []byte.
type Action func(ctx context.Context, request []byte) (any, error)

// A Session answers the requests of a page about the system that it shows.
type Session struct {
	mu       sync.Mutex
	explorer *Explorer
	opt      explore.Options // for searches
	trace    []byte
	draft    any
	now      Progress          // of the current or last search
	actions  map[string]Action // by name
	report   func(Progress)

	// Find, if not nil, returns the system of a draft: a request may name the one that it is about, as its member
	// "draft". Other requests are about the system that was shown last.
	Find func(ctx context.Context, draft []byte) (*Explorer, explore.Options, error)
}

// NewSession returns a session without a system: see Show. Report, if not nil, is called with the progress of searches,
// which the page can also request.
func NewSession(report func(Progress)) *Session {
	s := &Session{report: report}
	s.actions = map[string]Action{
		"system": Answering(s.system), "state": Answering(s.state), "seek": Answering(s.seek),
		"origin": Answering(s.origin), "replay": Answering(s.replay), "graph": Answering(s.graph),
		"quotient": Answering(s.quotient), "class": Answering(s.class), "save": Answering(s.save),
		"plan": Answering(s.plan), "search": Answering(s.explore), "progress": Answering(s.progress),
	}
	return s
}

// Add adds actions, by their names in requests.
func (s *Session) Add(more map[string]Action) { maps.Copy(s.actions, more) }

// Show sets the system of the page; searches use opt. Trace, if not nil, is a run to show first, as written by
// counterexample --json; draft, if not nil, is the initial content of the editor.
func (s *Session) Show(x *Explorer, opt explore.Options, trace []byte, draft any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.explorer, s.opt, s.trace, s.draft, s.now = x, opt, trace, draft, Progress{}
}

// A shownSystem is the system that a request is about, and the options of searches.
type shownSystem struct {
	explorer *Explorer
	opt      explore.Options
}

// shownKey is the key of the shownSystem in the context of a request that names its draft.
type shownKey struct{}

// current returns the system that a request is about, and the options of searches.
func (s *Session) current(ctx context.Context) (*Explorer, explore.Options) {
	if shown, ok := ctx.Value(shownKey{}).(shownSystem); ok {
		return shown.explorer, shown.opt
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.explorer, s.opt
}

// about takes the draft out of a request that names one, and returns the context for its system.
func (s *Session) about(ctx context.Context, request []byte) (context.Context, []byte, error) {
	var members map[string]json.RawMessage
	if s.Find == nil || json.Unmarshal(request, &members) != nil || members["draft"] == nil {
		return ctx, request, nil
	}
	x, opt, err := s.Find(ctx, members["draft"])
	if err != nil {
		return ctx, nil, err
	}
	delete(members, "draft")
	request, err = json.Marshal(members)
	return context.WithValue(ctx, shownKey{}, shownSystem{x, opt}), request, err
}

// Answer answers a request. The answer is JSON, except for the action "save", whose answer is a file. A panic
// becomes an error.
func (s *Session) Answer(ctx context.Context, action string, request []byte) (_ []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("internal error: %v", workers.AsPanic(r).Value)
		}
	}()
	act := s.actions[action]
	if act == nil {
		return nil, fmt.Errorf("there is no request %q", action)
	}
	ctx, request, err = s.about(ctx, request)
	if err != nil {
		return nil, err
	}
	answer, err := act(ctx, request)
	if err != nil {
		return nil, err
	}
	if file, ok := answer.([]byte); ok {
		return file, nil
	}
	return json.Marshal(answer)
}

// Answering returns an action that decodes requests of type Q for f; an empty request is the zero Q.
func Answering[Q any](f func(context.Context, *Q) (any, error)) Action {
	return func(ctx context.Context, request []byte) (any, error) {
		q := new(Q)
		if request = textfile.TrimMark(request); len(request) > 0 {
			d := json.NewDecoder(bytes.NewReader(request))
			d.DisallowUnknownFields()
			if err := d.Decode(q); err != nil {
				return nil, err
			}
		}
		return f(ctx, q)
	}
}

func (s *Session) system(context.Context, *struct{}) (any, error) { return s.System() }

// System describes the system that is shown.
func (s *Session) System() (any, error) {
	s.mu.Lock()
	x, trace, draft := s.explorer, s.trace, s.draft
	s.mu.Unlock()
	d, err := x.Describe()
	if err != nil {
		return nil, err
	}
	a := struct {
		*Description
		Trace json.RawMessage `json:"trace,omitempty"`
		Draft any             `json:"draft,omitempty"`
	}{d, trace, draft}
	return a, nil
}

// A question is a request about a state.
type question struct {
	Code       string   `json:"code"`
	Conditions []string `json:"conditions"`
	Goal       string   `json:"goal"`
}

func (s *Session) state(ctx context.Context, q *question) (any, error) {
	x, _ := s.current(ctx)
	return x.State(ctx, q.Code, q.Conditions)
}

// A run is the answer to a request for a run: its first state and its steps.
type run struct {
	Start *State `json:"start"`
	Steps []Step `json:"steps"`
	conclusion
}

// A conclusion is what a recorded run shows, and why.
type conclusion struct {
	Finding string       `json:"finding,omitempty"`
	Why     []string     `json:"why,omitempty"`
	Lasso   *model.Lasso `json:"lasso,omitempty"`
}

func (s *Session) seek(ctx context.Context, q *question) (any, error) {
	x, opt := s.current(ctx)
	steps, err := x.Seek(ctx, q.Code, q.Goal, opt)
	if err != nil {
		return nil, err
	}
	return run{Steps: steps}, nil
}

func (s *Session) origin(ctx context.Context, q *question) (any, error) {
	x, opt := s.current(ctx)
	start, steps, err := x.Origin(ctx, q.Code, opt)
	if err != nil {
		return nil, err
	}
	return run{Start: start, Steps: steps}, nil
}

func (s *Session) replay(ctx context.Context, data *json.RawMessage) (any, error) {
	recorded, err := view.ReadRecording(*data)
	if err != nil {
		return nil, err
	}
	x, _ := s.current(ctx)
	start, steps, err := x.Replay(ctx, recorded)
	if err != nil {
		return nil, err
	}
	return run{start, steps, conclusion{recorded.Finding, recorded.Why, recorded.Lasso}}, nil
}

func (s *Session) graph(ctx context.Context, _ *struct{}) (any, error) {
	x, opt := s.current(ctx)
	g, err := x.Graph(ctx, opt)
	if errors.Is(err, ErrManyStates) {
		const advice = "The search shows how many states each level has."
		return Graph{Large: fmt.Sprintf("%v: its graph is too large to be drawn. %s", err, advice)}, nil
	}
	return g, err
}

func (s *Session) quotient(ctx context.Context, _ *struct{}) (any, error) {
	x, opt := s.current(ctx)
	q, err := x.Quotient(ctx, opt)
	if errors.Is(err, ErrManyStates) || errors.Is(err, ErrManyToMinimize) {
		return Graph{Large: fmt.Sprintf("%v: too large for this page. ringcheck minimize can do more.", err)}, nil
	}
	return q, err
}

// class answers with the class of a state in the quotient, -1 if the state has no class.
func (s *Session) class(ctx context.Context, q *question) (any, error) {
	x, opt := s.current(ctx)
	all, err := x.Quotient(ctx, opt)
	if err != nil {
		return nil, err
	}
	class, ok := all.classes[q.Code]
	if !ok {
		class = -1
	}
	return map[string]int{"class": class}, nil
}

// plan answers with the layout of a run as a chart.
func (s *Session) plan(ctx context.Context, q *struct {
	Code  string  `json:"code"`
	Moves []int   `json:"moves"`
	Room  float64 `json:"room"` // the width of the panel, in pixels

	Selection view.Selection `json:"selection"`
}) (any, error) {
	x, _ := s.current(ctx)
	trace, err := x.Run(q.Code, q.Moves)
	if err != nil {
		return nil, err
	}
	trace.Selection = q.Selection
	if err := q.Selection.Check(trace); err != nil {
		return nil, err
	}
	return view.NewPlan(trace, view.Layout{Compact: true, Bare: true, Room: q.Room}), nil
}

// save answers with a run, in a format of package view.
func (s *Session) save(ctx context.Context, q *struct {
	Code   string `json:"code"`
	Moves  []int  `json:"moves"`
	Format string `json:"format"`
	conclusion

	Selection view.Selection `json:"selection"`
}) (any, error) {
	x, _ := s.current(ctx)
	var b bytes.Buffer
	err := x.save(&b, q.Code, q.Moves, q.Format, q.conclusion, q.Selection)
	return b.Bytes(), err
}

// Save writes a run, given by its first state and the indices of its moves, in a format of package view.
func (x *Explorer) Save(w io.Writer, code string, moves []int, format string) error {
	return x.save(w, code, moves, format, conclusion{}, view.Selection{})
}

func (x *Explorer) save(w io.Writer, code string, moves []int, format string, shown conclusion,
	selection view.Selection) error {
	f, err := view.Lookup(format)
	if err != nil {
		return err
	}
	trace, err := x.Run(code, moves)
	if err != nil {
		return err
	}
	trace.Caption.Finding, trace.Caption.Why, trace.Lasso = shown.Finding, shown.Why, shown.Lasso
	trace.Selection = selection
	if err := selection.Check(trace); err != nil {
		return err
	}
	return f.Write(trace, w)
}
