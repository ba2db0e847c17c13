package explorer

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"strings"

	"ringcheck/explore"
	"ringcheck/model"
	"ringcheck/view"
	"ringcheck/view/internal/shared"
)

// A Recording is a run in a file, as the JSON format of package view writes it. What it says of states is used to tell
// apart steps that have the same label.
type Recording struct {
	Initial recordedState  `json:"initial"`
	Steps   []recordedStep `json:"steps"`
	Lasso   *view.Lasso    `json:"lasso"` // of a run that goes on for ever
}

type recordedStep struct {
	Action string        `json:"action"`
	State  recordedState `json:"state"`
}

type recordedState struct {
	Processes []struct {
		Exact string `json:"exact"`
	} `json:"processes"`
}

// UnmarshalJSON implements json.Unmarshaler. It takes what else there may be in the file as it comes.
func (r *Recording) UnmarshalJSON(data []byte) error {
	type plain Recording
	return json.Unmarshal(data, (*plain)(r))
}

// fits reports whether a state may be the one that was recorded.
func (r *recordedState) fits(s *State) bool {
	if len(r.Processes) == 0 {
		return true
	}
	if len(r.Processes) != len(s.Processes) {
		return false
	}
	for p := range s.Processes {
		if r.Processes[p].Exact != s.Processes[p].Exact {
			return false
		}
	}
	return true
}

// Replay takes the steps of a recording, and returns the state in which it begins and the steps.
func (x *Explorer) Replay(ctx context.Context, r *Recording) (*State, []Step, error) {
	if len(r.Steps) == 0 && len(r.Initial.Processes) == 0 {
		return nil, nil, errors.New("there is no run in the file")
	}
	start, err := x.beginning(ctx, &r.Initial)
	if err != nil {
		return nil, nil, err
	}
	steps := []Step{}
	code := start.Code
	for i := range r.Steps {
		step, err := x.recorded(ctx, code, &r.Steps[i])
		if err != nil {
			return nil, nil, fmt.Errorf("step %d of the run: %w", i+1, err)
		}
		steps = append(steps, *step)
		code = step.State.Code
	}
	return start, steps, r.closes(start, steps)
}

// closes checks that a lasso comes back to where it says.
func (r *Recording) closes(start *State, steps []Step) error {
	if r.Lasso == nil || r.Lasso.Cycle == 0 {
		return nil
	}
	stem := r.Lasso.Stem
	if stem < 0 || r.Lasso.Cycle < 0 || stem+r.Lasso.Cycle != len(steps) {
		return errors.New("the lasso in the file does not fit its run")
	}
	back := start
	if stem > 0 {
		back = steps[stem-1].State
	}
	if back.Code != steps[len(steps)-1].State.Code {
		return fmt.Errorf("the run does not come back to where it was after step %d", stem)
	}
	return nil
}

// beginning returns the initial state that was recorded.
func (x *Explorer) beginning(ctx context.Context, r *recordedState) (start *State, err error) {
	failed := x.sys.Initial(func(state []model.Value) bool {
		start, err = x.describe(ctx, state, nil)
		if err == nil && !r.fits(start) {
			start = nil
		}
		return err == nil && start == nil
	})
	switch {
	case failed != nil:
		return nil, failed
	case err != nil:
		return nil, err
	case start == nil:
		return nil, errors.New("the run does not begin in an initial state of this system")
	}
	return start, nil
}

// recorded takes a step that was recorded.
func (x *Explorer) recorded(ctx context.Context, code string, r *recordedStep) (*Step, error) {
	state, err := x.decode(x.sys, code)
	if err != nil {
		return nil, err
	}
	fits := func(_ []model.Value, s *State) bool { return r.State.fits(s) }
	return x.step(ctx, state, r.Action, fits, fmt.Errorf("%q is not enabled there", r.Action))
}

// Export writes the page as one file that needs no server: all states are in it. The error wraps ErrManyStates if there
// are too many.
func Export(ctx context.Context, w io.Writer, x *Explorer, opt explore.Options) error {
	graph, err := x.Graph(ctx, opt)
	if err != nil {
		return err
	}
	about, err := x.Describe()
	if err != nil {
		return err
	}
	quotient, err := x.Quotient(ctx, opt)
	if err != nil {
		return err
	}
	all := &embedded{Description: about, Graph: graph, Quotient: quotient, Classes: quotient.classes,
		States: make(map[string]*embeddedState)}
	for _, node := range graph.Nodes {
		state, err := x.decode(x.sys, node.Code)
		if err != nil {
			return err
		}
		if all.States[node.Code], err = x.embed(ctx, state); err != nil {
			return err
		}
	}
	return writeFile(w, all)
}

// embedded is all that the page asks a server for.
type embedded struct {
	*Description
	Graph    *Graph                    `json:"graph"`
	Quotient *Quotient                 `json:"quotient"`
	Classes  map[string]int            `json:"classes"` // by code
	States   map[string]*embeddedState `json:"states"`  // by code
}

type embeddedState struct {
	*State
	Targets []string `json:"targets"` // of the moves
}

func (x *Explorer) embed(ctx context.Context, state []model.Value) (*embeddedState, error) {
	s, err := x.describe(ctx, state, nil)
	if err != nil {
		return nil, err
	}
	moves, _ := x.moves(state) // what is wrong is State.Fault
	e := &embeddedState{s, []string{}}
	for _, m := range moves {
		e.Targets = append(e.Targets, x.code(m.target))
	}
	return e, nil
}

// writeFile puts the page, its style, its modules and the data into one file. The modules become one script: their
// names at the top level are distinct.
func writeFile(w io.Writer, all *embedded) error {
	var failed error
	read := func(name string) string {
		text, err := page.ReadFile("page/" + name)
		failed = cmp.Or(failed, err)
		return string(text)
	}
	script := shared.Read("dom.js") + shared.Read("network.js")
	for _, name := range modules {
		script += read(name)
	}
	script = shared.Plain(script)
	library, style, index := read(layoutLibrary), shared.Read("network.css")+read("style.css"), read("index.html")
	if failed != nil {
		return failed
	}
	data, err := json.Marshal(all) // escapes <, > and &
	if err != nil {
		return err
	}
	policy := fmt.Sprintf("default-src 'none'; script-src 'sha256-%s' 'sha256-%s'; style-src 'sha256-%s'; "+
		"img-src data: blob:; base-uri 'none'; form-action 'none'",
		digest(library), digest(script), digest(style))
	title := template.HTMLEscapeString(all.Title + ", " + all.Settings)
	text := strings.NewReplacer(
		"<title>ringcheck</title>",
		"<meta http-equiv=\"Content-Security-Policy\" content=\""+policy+"\">\n<title>"+title+"</title>",
		`<link rel="stylesheet" href="network.css">`+"\n"+`<link rel="stylesheet" href="style.css">`,
		"<style>"+style+"</style>",
		`<script src="`+layoutLibrary+`"></script>`, "<script>"+library+"</script>",
		`<script type="module" src="app.js"></script>`,
		"<script type=\"application/json\" id=\"data\">"+string(data)+"</script>\n"+
			"<script type=\"module\">"+script+"</script>",
	).Replace(index)
	_, err = io.WriteString(w, text)
	return err
}

// modules are the scripts of the page behind those that are shared, each after those that it imports.
var modules = []string{"backend.js", "run.js", "chart.js", "graph.js", "quotient.js", "search.js", "app.js"}

// layoutLibrary is the script that lays graphs out; it is no module.
const layoutLibrary = "vendor/dagre.min.js"

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.StdEncoding.EncodeToString(sum[:])
}
