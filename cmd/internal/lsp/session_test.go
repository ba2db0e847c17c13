package lsp

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"

	"ringcheck"
)

// An editor is the other end of a session.
type editor struct {
	*testing.T
	*jrpc2.Client
	found chan diagnostics // that are published
	shown chan string      // messages and documents
	ended chan error       // what Serve returned
}

func start(t *testing.T, opt Options) *editor {
	t.Helper()
	toServer, fromEditor := io.Pipe()
	toEditor, fromServer := io.Pipe()
	e := &editor{T: t, found: make(chan diagnostics, 1000), shown: make(chan string, 10), ended: make(chan error, 1)}
	if opt.Log == nil {
		opt.Log = t.Output()
	}
	go func() { e.ended <- Serve(t.Context(), toServer, fromServer, opt) }()
	e.Client = jrpc2.NewClient(channel.LSP(toEditor, fromEditor), &jrpc2.ClientOptions{
		OnNotify: e.notified,
		OnCallback: func(_ context.Context, r *jrpc2.Request) (any, error) {
			var p showDocument
			err := r.UnmarshalParams(&p)
			e.shown <- p.URI
			return map[string]bool{"success": true}, err
		},
	})
	t.Cleanup(func() { e.Close() })
	return e
}

func (e *editor) notified(r *jrpc2.Request) {
	switch r.Method() {
	case "textDocument/publishDiagnostics":
		var p diagnostics
		if err := r.UnmarshalParams(&p); err != nil {
			e.Error(err)
		}
		e.found <- p
	case "window/showMessage":
		var p message
		if err := r.UnmarshalParams(&p); err != nil {
			e.Error(err)
		}
		e.shown <- p.Message
	}
}

// ask sends a request and reads the answer.
func (e *editor) ask(method string, params, answer any) {
	e.Helper()
	if err := e.CallResult(e.Context(), method, params, answer); err != nil {
		e.Fatalf("%s: %v", method, err)
	}
}

func (e *editor) tell(method string, params any) {
	e.Helper()
	if err := e.Notify(e.Context(), method, params); err != nil {
		e.Fatalf("%s: %v", method, err)
	}
}

// call is the parameter of a request to run a command.
type call struct {
	Command   string   `json:"command"`
	Arguments []string `json:"arguments"`
}

const uri = "file:///franklin.ring"

func (e *editor) open(text string) {
	e.Helper()
	e.tell("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": uri, "languageId": "ring", "version": 1, "text": text}})
}

// edit replaces a range; nil is the whole text.
func (e *editor) edit(version int, r *textRange, text string) {
	e.Helper()
	change := map[string]any{"text": text}
	if r != nil {
		change["range"] = r
	}
	e.tell("textDocument/didChange", map[string]any{
		"textDocument": map[string]any{"uri": uri, "version": version}, "contentChanges": []any{change}})
}

// diagnostics waits for those of a version.
func (e *editor) diagnostics(version int) []diagnostic {
	for d := range e.found {
		if d.Version == version {
			return d.Diagnostics
		}
	}
	return nil
}

// at returns the parameters of a request about the first place of a marked text: "send ^right".
func at(t *testing.T, text, marked string) map[string]any {
	t.Helper()
	before, after, _ := strings.Cut(marked, "^")
	i := strings.Index(text, before+after)
	if i < 0 {
		t.Fatalf("the text does not have %q", marked)
	}
	head := text[:i+len(before)]
	line := head[strings.LastIndex(head, "\n")+1:]
	return map[string]any{"textDocument": map[string]any{"uri": uri},
		"position": position{strings.Count(head, "\n"), len(utf16.Encode([]rune(line)))}}
}

func with(params map[string]any, name string, value any) map[string]any {
	params[name] = value
	return params
}

func franklin(t testing.TB) string {
	src, err := os.ReadFile("../../../specs/franklin.ring")
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

// apply applies edits to a text.
func apply(text string, edits []textEdit) string {
	d := newDocument(uri, 0, text)
	for i := len(edits) - 1; i >= 0; i-- {
		d = d.withEdit(0, &edits[i].Range, edits[i].NewText)
	}
	return d.text
}

// TestSession opens, reads and edits a spec as people do.
func TestSession(t *testing.T) {
	src := franklin(t)
	e := start(t, Options{Version: "v1"})
	var hello struct {
		ServerInfo   struct{ Version string }
		Capabilities map[string]any
	}
	e.ask("initialize", map[string]any{"processId": nil, "rootUri": nil, "capabilities": map[string]any{}}, &hello)
	if hello.ServerInfo.Version != "v1" || hello.Capabilities["hoverProvider"] != true {
		t.Errorf("the server is %+v", hello)
	}
	e.tell("initialized", map[string]any{})
	e.open(src)
	if found := e.diagnostics(1); len(found) != 0 {
		t.Errorf("diagnostics of franklin: %+v", found)
	}
	e.look(src)
	e.write(src)

	var done any
	e.ask("shutdown", nil, &done)
	e.tell("exit", nil)
	if err := <-e.ended; err != nil {
		t.Errorf("the session ended with %v", err)
	}
}

// look asks what stands in the text.
func (e *editor) look(src string) {
	var h hover
	e.ask("textDocument/hover", at(e.T, src, "if h = n the^n Leader else A3"), &h)
	if h.Contents.Value != "" {
		e.Errorf("hover over a word of the language: %+v", h)
	}
	e.ask("textDocument/hover", at(e.T, src, "recv left M(i^, h, bit)"), &h)
	for _, want := range []string{"variable `i`: an integer", "var i, j: 1..k", "identities received from the left"} {
		if !strings.Contains(h.Contents.Value, want) {
			e.Errorf("hover says %q, not %q", h.Contents.Value, want)
		}
	}
	var places []location
	e.ask("textDocument/definition", at(e.T, src, "Leader else ^A3(id"), &places)
	if want := strings.Count(src[:strings.Index(src, "\nA3(id, bit, i) =")+1], "\n"); len(places) != 1 ||
		places[0].Range != (textRange{position{want, 0}, position{want, 2}}) {
		e.Errorf("A3 is declared at %+v", places)
	}
	e.ask("textDocument/references", at(e.T, src, "Leader else ^A3(id"), &places)
	if len(places) != 2 {
		e.Errorf("A3 is used at %+v", places)
	}
	var items []Completion
	e.ask("textDocument/completion", at(e.T, src, "then Leader else A4^(id"), &items)
	if !slices.Contains(items, Completion{"A4", 3, "equation"}) {
		e.Errorf("completed by %+v", items)
	}
	var symbols []symbol
	e.ask("textDocument/documentSymbol", at(e.T, src, "^protocol"), &symbols)
	if len(symbols) != 48 || symbols[0].Name != "n" || symbols[0].Detail != "parameter" {
		e.Errorf("%d symbols: %+v", len(symbols), symbols)
	}
	e.ask("workspace/symbol", map[string]string{"query": "lemma"}, &symbols)
	if len(symbols) != 1 || symbols[0].Name != "lemma1" || symbols[0].Location.URI != uri {
		e.Errorf("symbols of the workspace: %+v", symbols)
	}
	var folds []foldingRange
	e.ask("textDocument/foldingRange", at(e.T, src, "^protocol"), &folds)
	if len(folds) != 17 {
		e.Errorf("folds: %+v", folds)
	}
	var lenses []codeLens
	e.ask("textDocument/codeLens", at(e.T, src, "^protocol"), &lenses)
	if len(lenses) != 2+2*7 || lenses[0].Command.Title != "check n = 3" {
		e.Errorf("lenses: %+v", lenses)
	}
}

// write changes the text.
func (e *editor) write(src string) {
	var edits []textEdit
	e.ask("textDocument/formatting", at(e.T, src, "^protocol"), &edits)
	laidOut := apply(src, edits)
	untidy := strings.Replace(src, "var h: 1..n", "var  h :1..n", 1)
	e.edit(2, nil, untidy)
	e.ask("textDocument/formatting", at(e.T, untidy, "^protocol"), &edits)
	if got := apply(untidy, edits); got != laidOut {
		e.Errorf("formatted:\n%s", got)
	}
	elsewhere := with(at(e.T, untidy, "^protocol"), "range", textRange{End: position{3, 0}})
	e.ask("textDocument/rangeFormatting", elsewhere, &edits)
	if got := apply(untidy, edits); !strings.Contains(got, "var  h :1..n") {
		e.Errorf("formatted outside of the range: %+v", edits)
	}

	// A mistake in one equation leaves the rest as it was, and a hint can be followed.
	broken := strings.Replace(strings.Replace(src, "A4(id, bit, j) = recv left", "A4(id, bit, j) = recv (", 1),
		"send left Elected; Nonleader", "send left Electd; 🙂", 1)
	broken = strings.Replace(broken, "send right Elected; Nonleader", "send right Electd; Nonleader", 1)
	e.edit(3, nil, broken)
	found := e.diagnostics(3)
	if len(found) != 2 || found[0].Code != "syntax" || found[1].Code != "unknown-name" ||
		!strings.Contains(found[1].Message, "did you mean \"Elected\"?") {
		e.Errorf("diagnostics %+v", found)
	}
	var actions []codeAction
	e.ask("textDocument/codeAction", with(at(e.T, broken, "^protocol"), "range", found[1].Range), &actions)
	if len(actions) != 1 || !strings.Contains(apply(broken, actions[0].Edit.Changes[uri]), "send right Elected;") {
		e.Errorf("actions %+v", actions)
	}
	var places []location
	e.ask("textDocument/definition", at(e.T, broken, "then Leader else ^A4(id"), &places)
	if len(places) != 1 {
		e.Errorf("A4 is declared at %+v", places)
	}

	e.edit(4, nil, src)
	var renamed workspaceEdit
	e.ask("textDocument/rename", with(at(e.T, src, "var i^d: 1..k"), "newName", "name"), &renamed)
	if got := apply(src, renamed.Changes[uri]); !strings.Contains(got, "A5(name, bit, i, j) =") {
		e.Errorf("renamed: %s", got)
	}
	var failure *jrpc2.Error
	for _, name := range []string{"i", "if", "no name", "", "leader_2", "9"} {
		request := with(at(e.T, src, "var i^d: 1..k"), "newName", name)
		err := e.CallResult(e.Context(), "textDocument/rename", request, &renamed)
		if ok := errors.As(err, &failure); ok != (name != "leader_2") {
			e.Errorf("renamed to %q: %v", name, err)
		}
	}
}

// TestCompletion checks what is offered at places of texts that are being typed.
func TestCompletion(t *testing.T) {
	src := franklin(t)
	tests := []struct{ before, typed, want, not string }{
		{"P = recv left M(i, h, b); ", "se", "send recv leader Herald A1", "invariant id hop"},
		{"P = recv left ", "", "M Elected", "leader send"},
		{"P = ", "", "send draw leader Round", "M id"},
		{"P = if i > ", "", "id n order abs", "Round M recv"},
		{"P = draw ", "", "id bit", "A1 n"},
		{"", "inv", "invariant var message", "send id"},
		{"invariant x = forall p in node: p at ", "", "A1 Leader", "leader id"},
		{"invariant x = forall p in node: p.", "", "id hop bit", "A1 node"},
		{"invariant x = forall p in node: ", "", "leads elected exists count", "send"},
		{"invariant x = forall p in node, d in dir, m in inbox(p, d): m is ", "", "M Elected", "A1"},
		{"var x: ", "", "bool nat set n k", "send A1"},
		{"topology ", "", "directed torus anonymous", "A1 bool"},
		{"channel fifo, ", "", "lossy delay", "A1 fifo"},
		{"ltl x = eventually ", "", "leader happens leads", "send"},
	}
	for _, tt := range tests {
		text := strings.Replace(src, "// Properties.", "\n"+tt.before+tt.typed+"\n\n// Properties.", 1)
		d := newDocument(uri, 0, text)
		i := strings.Index(text, "\n"+tt.before+tt.typed+"\n\n// Properties.") + 1
		p := position{strings.Count(text[:i], "\n"), len(tt.before + tt.typed)}
		answer, err := (&server{}).completion(d, &params{Position: p})
		if err != nil {
			t.Fatal(err)
		}
		offered := map[string]bool{}
		for _, item := range answer.([]Completion) {
			offered[item.Label] = true
		}
		for _, w := range strings.Fields(tt.want) {
			if !offered[w] {
				t.Errorf("%q: %s is not offered", tt.before+tt.typed, w)
			}
		}
		for _, w := range strings.Fields(tt.not) {
			if offered[w] {
				t.Errorf("%q: %s is offered", tt.before+tt.typed, w)
			}
		}
	}
	if before := Complete(src, -1, 0); !reflect.DeepEqual(before, Complete(src, 0, 0)) {
		t.Errorf("before the first line %v is offered, not what is at its beginning", before)
	}
}

const tiny = `protocol tiny
param n: 2..9
topology directed ring of n
channel fifo
message Token(hop: 1..n)
event leader
process p = if p = 0 then First else Other
First = send right Token(1); recv left Token(n); leader; stop
Other = for q in 1..2: skip; recv left Token(h); send right Token(h + 1); stop
var h: 1..n
var q: node
invariant hollow = forall m in 2..1: false
invariant wrong = not (exists p in node: p at Other)
`

// TestCommands checks what runs in the background and by code lenses.
// TestAllErrors: every error of a spec is a diagnostic.
func TestAllErrors(t *testing.T) {
	e := start(t, Options{})
	var ignored any
	e.ask("initialize", map[string]any{}, &ignored)
	e.open("protocol p\nprocess p = stop\n" + strings.Repeat("param\n", 12) + "reachable r = x\n")
	if found := e.diagnostics(1); len(found) != 14 {
		t.Errorf("%d diagnostics: %+v", len(found), found)
	}
}

func TestCommands(t *testing.T) {
	const page = "http://127.0.0.1:1/"
	e := start(t, Options{Page: func(_ context.Context, sys *ringcheck.System) (string, error) {
		return page + sys.Params().String(), nil
	}})
	examples, err := filepath.Abs("../../../examples")
	if err != nil {
		t.Fatal(err)
	}
	var ignored any
	e.ask("initialize", map[string]any{
		"capabilities":     map[string]any{"window": map[string]any{"showDocument": map[string]any{"support": true}}},
		"workspaceFolders": []any{map[string]any{"uri": fileURI(examples), "name": "examples"}},
	}, &ignored)
	var symbols []symbol
	e.ask("workspace/symbol", map[string]string{"query": "accepted"}, &symbols)
	if len(symbols) == 0 || !strings.HasSuffix(symbols[0].Location.URI, "/examples/paxos.ring") {
		t.Errorf("symbols of the folder: %+v", symbols)
	}
	e.open(tiny)
	found := e.diagnostics(1)
	for len(found) == 0 { // until the quick check is done
		found = e.diagnostics(1)
	}
	var codes []string
	for _, d := range found {
		codes = append(codes, d.Code)
	}
	if got := strings.Join(codes, " "); got != "hollow violated" {
		t.Errorf("the quick check found %s: %+v", got, found)
	}
	var h hover
	e.ask("textDocument/hover", at(t, tiny, "then ^First"), &h)
	if !strings.Contains(h.Contents.Value, "taken in ") || !strings.Contains(h.Contents.Value, "tiny, n = 3") {
		t.Errorf("hover says %q", h.Contents.Value)
	}
	var text string
	e.ask("workspace/executeCommand", call{checkCommand, []string{uri, "wrong"}}, &text)
	if !strings.Contains(text, "invariant wrong: violated") || <-e.shown != text {
		t.Errorf("check says %q", text)
	}
	e.ask("workspace/executeCommand", call{runCommand, []string{uri, "wrong"}}, &text)
	if path := <-e.shown; !strings.Contains(text, "wrong is violated") || !strings.HasPrefix(path, "file:///") {
		t.Errorf("the run is in %s: %q", path, text)
	}
	e.ask("workspace/executeCommand", call{pageCommand, []string{uri}}, &text)
	if shown := <-e.shown; !strings.HasPrefix(text, page) || shown != text {
		t.Errorf("the page is at %s, shown is %s", text, shown)
	}
	if _, err := e.Call(t.Context(), "workspace/executeCommand", call{"rm", []string{uri}}); err == nil {
		t.Error("any command is run")
	}
}

// TestCancel checks that a request that is cancelled stops, and that others are answered meanwhile.
func TestCancel(t *testing.T) {
	e := start(t, Options{})
	var ignored any
	e.ask("initialize", map[string]any{"capabilities": map[string]any{}}, &ignored)
	e.open(strings.ReplaceAll(franklin(t), `param n: 2..1000 "ring size"`, `param n: 2..1000 = 9 "ring size"`))
	ended := make(chan error)
	go func() {
		_, err := e.Call(t.Context(), "workspace/executeCommand", call{checkCommand, []string{uri}})
		ended <- err
	}()
	var h hover
	e.ask("textDocument/hover", at(t, franklin(t), "event l^eader"), &h)
	for { // the check has the number 2, or 3 if the other request was faster
		e.tell("$/cancelRequest", map[string]any{"id": 2})
		e.tell("$/cancelRequest", map[string]any{"id": 3})
		select {
		case err := <-ended:
			var failure *jrpc2.Error
			begun := errors.As(err, &failure) && failure.Code == requestCancelled
			if !begun && !errors.Is(err, context.Canceled) { // which JSON-RPC says of a request that has not begun
				t.Errorf("the cancelled request ended with %v", err)
			}
			e.Close()
			<-e.ended
			if len(e.shown) > 0 {
				t.Errorf("the user is told %s", <-e.shown)
			}
			return
		default:
		}
	}
}

// TestPanic checks that a panic answers one request with an error.
func TestPanic(t *testing.T) {
	s := &server{}
	s.ctx = t.Context()
	var log strings.Builder
	s.log = newLog(&log)
	h := s.method(func(context.Context, *params) (any, error) { panic("oh") })
	toServer, fromEditor := io.Pipe()
	toEditor, fromServer := io.Pipe()
	server := jrpc2.NewServer(assigner{h}, nil).Start(channel.LSP(toServer, fromServer))
	client := jrpc2.NewClient(channel.LSP(toEditor, fromEditor), nil)
	for range 2 {
		var failure *jrpc2.Error
		_, err := client.Call(t.Context(), "any", nil)
		if !errors.As(err, &failure) || failure.Code != jrpc2.InternalError {
			t.Errorf("a panic is answered by %v", err)
		}
	}
	client.Close()
	server.Wait()
	if !strings.Contains(log.String(), "oh") {
		t.Errorf("the log is %q", log.String())
	}
}

type assigner struct{ h jrpc2.Handler }

func (a assigner) Assign(context.Context, string) jrpc2.Handler { return a.h }
