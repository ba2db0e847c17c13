//go:build !js

package lsp

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"strings"
	"sync"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/handler"

	"ringcheck"
	"ringcheck/internal/workers"
)

// Options say who serves.
type Options struct {
	Version string
	// Page serves a page to step through a system until ctx ends, and returns its address.
	Page func(ctx context.Context, sys *ringcheck.System) (url string, err error)
	Log  io.Writer // for internal errors
}

// A server is one session with an editor. Its methods are called by several goroutines.
type server struct {
	Options
	ctx  context.Context // ends with the session
	rpc  *jrpc2.Server
	log  *log.Logger
	end  func() error // the session
	work sync.WaitGroup

	publishing sync.Mutex // held while diagnostics are published, so that the last ones are of the last version

	mu          sync.Mutex
	docs        map[string]*document
	news        map[string]chan struct{} // by document: that it has changed
	quickChecks map[string]*quickCheck
	roots       []string
	shows       bool     // the editor can show documents
	files       []string // temporary ones
}

// Error codes of the protocol, in addition to the codes of JSON-RPC.
const (
	requestFailed    = jrpc2.Code(-32803)
	requestCancelled = jrpc2.Code(-32800)
)

// Serve answers an editor until it ends the session or closes in, or ctx ends.
func Serve(ctx context.Context, in io.Reader, out io.WriteCloser, opt Options) error {
	ctx, cancel := context.WithCancel(ctx)
	s := &server{Options: opt, ctx: ctx, log: newLog(opt.Log), docs: map[string]*document{},
		news: map[string]chan struct{}{}, quickChecks: map[string]*quickCheck{}}
	// Checks take long: they must not keep other requests waiting.
	s.rpc = jrpc2.NewServer(s.methods(), &jrpc2.ServerOptions{AllowPush: true, Concurrency: 64})
	// The session ends with its input: to stop the JSON-RPC server while it reads can panic.
	input, feed := io.Pipe()
	s.end = feed.Close
	go func() {
		_, err := io.Copy(feed, in)
		feed.CloseWithError(err)
	}()
	s.rpc.Start(newWire(input, out))
	stop := context.AfterFunc(ctx, func() { s.end() })
	err := s.rpc.Wait()
	stop()
	cancel()
	s.work.Wait()
	for _, name := range s.files {
		os.Remove(name)
	}
	return err
}

// methods returns the handler of each method.
func (s *server) methods() handler.Map {
	return handler.Map{
		"initialize":                   s.method(s.initialize),
		"shutdown":                     s.method(func(context.Context, *params) (any, error) { return nil, nil }),
		"exit":                         s.method(func(context.Context, *params) (any, error) { return nil, s.end() }),
		"$/cancelRequest":              s.method(s.cancel),
		"textDocument/didOpen":         s.method(s.didOpen),
		"textDocument/didChange":       s.method(s.didChange),
		"textDocument/didClose":        s.method(s.didClose),
		"textDocument/hover":           s.onDocument((*server).hover),
		"textDocument/definition":      s.onDocument((*server).definition),
		"textDocument/references":      s.onDocument((*server).references),
		"textDocument/documentSymbol":  s.onDocument((*server).symbols),
		"textDocument/foldingRange":    s.onDocument((*server).folding),
		"textDocument/completion":      s.onDocument((*server).completion),
		"textDocument/rename":          s.onDocument((*server).rename),
		"textDocument/formatting":      s.onDocument((*server).format),
		"textDocument/rangeFormatting": s.onDocument((*server).format),
		"textDocument/codeAction":      s.onDocument((*server).actions),
		"textDocument/codeLens":        s.onDocument((*server).lenses),
		"workspace/symbol":             s.method(s.workspaceSymbols),
		"workspace/executeCommand":     s.method(s.execute),
	}
}

// method returns the handler that f is. A panic in it is the answer to one request.
func (s *server) method(f func(context.Context, *params) (any, error)) jrpc2.Handler {
	return func(ctx context.Context, req *jrpc2.Request) (answer any, err error) {
		defer s.guard(req.Method(), &err)
		var p params
		if req.HasParams() {
			if err := req.UnmarshalParams(&p); err != nil {
				return nil, err
			}
		}
		answer, err = f(ctx, &p)
		if ctx.Err() != nil && s.ctx.Err() == nil {
			return nil, &jrpc2.Error{Code: requestCancelled, Message: "cancelled"}
		}
		return answer, err
	}
}

// onDocument returns the handler of a request about an open document.
func (s *server) onDocument(f func(*server, *document, *params) (any, error)) jrpc2.Handler {
	return s.method(func(_ context.Context, p *params) (any, error) {
		d := s.document(p.TextDocument.URI)
		if d == nil {
			return nil, requestError("%s is not open", p.TextDocument.URI)
		}
		return f(s, d, p)
	})
}

// requestError is the answer to a request that is invalid here.
func requestError(format string, args ...any) error {
	return &jrpc2.Error{Code: requestFailed, Message: fmt.Sprintf(format, args...)}
}

// guard turns a panic into an error, and logs where it came from.
func (s *server) guard(doing string, err *error) {
	r := recover()
	if r == nil {
		return
	}
	p := workers.AsPanic(r)
	s.log.Printf("%s: internal error: %v\n%s", doing, p.Value, p.Stack)
	*err = &jrpc2.Error{Code: jrpc2.InternalError, Message: fmt.Sprintf("internal error: %v", p.Value)}
}

func (s *server) document(uri string) *document {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.docs[uri]
}

func (s *server) initialize(_ context.Context, p *params) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range p.WorkspaceFolders {
		s.roots = append(s.roots, f.URI)
	}
	s.shows = p.Capabilities.Window.ShowDocument.Support
	return map[string]any{
		"capabilities": capabilities,
		"serverInfo":   map[string]string{"name": "ringcheck", "version": s.Version},
	}, nil
}

func (s *server) cancel(_ context.Context, p *params) (any, error) {
	s.rpc.CancelRequest(strings.TrimSpace(string(p.ID)))
	return nil, nil
}

func (s *server) didOpen(_ context.Context, p *params) (any, error) {
	uri := p.TextDocument.URI
	s.mu.Lock()
	defer s.mu.Unlock()
	s.docs[uri] = newDocument(uri, p.TextDocument.Version, p.TextDocument.Text)
	if s.news[uri] == nil {
		s.news[uri] = make(chan struct{}, 1)
		s.work.Go(func() { s.watch(uri, s.news[uri]) })
	}
	s.signalChange(uri)
	return nil, nil
}

func (s *server) didChange(_ context.Context, p *params) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.docs[p.TextDocument.URI]
	if d == nil {
		return nil, requestError("%s is not open", p.TextDocument.URI)
	}
	for _, c := range p.ContentChanges {
		d = d.withEdit(p.TextDocument.Version, c.Range, c.Text)
	}
	s.docs[d.uri] = d
	s.signalChange(d.uri)
	return nil, nil
}

func (s *server) didClose(ctx context.Context, p *params) (any, error) {
	uri := p.TextDocument.URI
	s.publishing.Lock()
	defer s.publishing.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.docs[uri] != nil {
		delete(s.docs, uri)
		delete(s.quickChecks, uri)
		close(s.news[uri])
		delete(s.news, uri)
	}
	return nil, s.rpc.Notify(ctx, "textDocument/publishDiagnostics", diagnostics{URI: uri, Diagnostics: []diagnostic{}})
}

// signalChange tells the goroutine of a document that there is a new version.
func (s *server) signalChange(uri string) {
	select {
	case s.news[uri] <- struct{}{}:
	default: // a signal is pending already
	}
}

func newLog(w io.Writer) *log.Logger { return log.New(w, "ringcheck lsp: ", 0) }
