package explorer

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"slices"
	"time"

	"ringcheck/explore"
	"ringcheck/model/language/replay"
	"ringcheck/view"
	"ringcheck/view/internal/shared"
)

//go:embed page
var page embed.FS

// contentPolicy lets the page load only its own files, with neither inline scripts nor inline styles.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; " +
	"img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// A Server serves the page on which to explore a system, and answers its requests.
type Server struct {
	explorer *Explorer
	hosts    []string
	opt      explore.Options
	trace    []byte
	patience time.Duration // with an idle client, or one that has sent half a request
	search   search
	mux      *http.ServeMux
	ctx      context.Context
	stop     context.CancelFunc
}

// A Config says how to serve.
type Config struct {
	// Hosts are the names and addresses of the server, with port. Requests for any other host are refused: a foreign
	// page can make one by a name of its own for this machine (DNS rebinding).
	Hosts  []string
	Search explore.Options // for searches that the page starts
	// Trace, if not nil, is the run with which the page begins, as written by counterexample --json.
	Trace []byte
}

// NewServer returns a server of the page. Close ends its background search.
func NewServer(x *Explorer, c Config) (*Server, error) {
	files, err := fs.Sub(page, "page")
	if err != nil {
		return nil, err
	}
	s := &Server{explorer: x, hosts: c.Hosts, opt: c.Search, trace: c.Trace, patience: time.Minute,
		mux: http.NewServeMux()}
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.mux.Handle("GET /", http.FileServerFS(files))
	for _, name := range shared.Names {
		s.mux.Handle("GET /"+name, http.FileServerFS(shared.Files))
	}
	s.mux.HandleFunc("GET /api/system", handle(s.system))
	s.mux.HandleFunc("POST /api/state", handle(s.state))
	s.mux.HandleFunc("POST /api/seek", handle(s.seek))
	s.mux.HandleFunc("POST /api/origin", handle(s.origin))
	s.mux.HandleFunc("POST /api/replay", handle(s.replay))
	s.mux.HandleFunc("POST /api/graph", handle(s.graph))
	s.mux.HandleFunc("POST /api/quotient", handle(s.quotient))
	s.mux.HandleFunc("POST /api/class", handle(s.class))
	s.mux.HandleFunc("POST /api/search", handle(s.begin))
	s.mux.HandleFunc("GET /api/search",
		handle(func(*http.Request, *struct{}) (any, error) { return s.search.progress(), nil }))
	s.mux.HandleFunc("DELETE /api/search", handle(s.end))
	s.mux.HandleFunc("POST /api/save", s.save)
	return s, nil
}

// Close ends a search that is running.
func (s *Server) Close() {
	s.stop()
	s.search.cancel()
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", contentPolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	if !s.trusts(r) {
		http.Error(w, "only requests from this page itself are answered", http.StatusForbidden)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, 8<<20)
	s.mux.ServeHTTP(w, r)
}

// trusts reports whether a request names this server as its host and does not come from a page of another origin.
func (s *Server) trusts(r *http.Request) bool {
	if !slices.Contains(s.hosts, r.Host) {
		return false
	}
	if origin := r.Header.Get("Origin"); origin != "" && origin != "http://"+r.Host {
		return false
	}
	site := r.Header.Get("Sec-Fetch-Site")
	return site == "" || site == "same-origin" || site == "none"
}

// decode reads a request into q. It reads the whole body, since the server notices only after its end that a client has
// left.
func decode(r *http.Request, q any) error {
	if r.Method != http.MethodPost {
		return nil
	}
	data, err := io.ReadAll(r.Body)
	if err != nil || len(data) == 0 {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return d.Decode(q)
}

// handle returns a handler for a function from a request to an answer, both JSON.
func handle[Q any](f func(*http.Request, *Q) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		q := new(Q)
		if err := decode(r, q); err != nil {
			fail(w, err)
			return
		}
		a, err := f(r, q)
		if err != nil {
			fail(w, err)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(a)
	}
}

// fail answers with an error.
func fail(w http.ResponseWriter, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	json.NewEncoder(w).Encode(map[string]string{"error": err.Error()})
}

func (s *Server) system(*http.Request, *struct{}) (any, error) {
	d, err := s.explorer.Describe()
	if err != nil {
		return nil, err
	}
	a := struct {
		*Description
		Trace json.RawMessage `json:"trace,omitempty"`
	}{d, s.trace}
	return a, nil
}

// A question is a request about a state.
type question struct {
	Code       string   `json:"code"`
	Conditions []string `json:"conditions"`
	Goal       string   `json:"goal"`
}

func (s *Server) state(r *http.Request, q *question) (any, error) {
	return s.explorer.State(r.Context(), q.Code, q.Conditions)
}

// A run is the answer to a request for a run: its first state and its steps.
type run struct {
	Start *State      `json:"start"`
	Steps []Step      `json:"steps"`
	Lasso *view.Lasso `json:"lasso,omitempty"`
}

func (s *Server) seek(r *http.Request, q *question) (any, error) {
	steps, err := s.explorer.Seek(r.Context(), q.Code, q.Goal, s.opt)
	if err != nil {
		return nil, err
	}
	return run{Steps: steps}, nil
}

func (s *Server) origin(r *http.Request, q *question) (any, error) {
	start, steps, err := s.explorer.Origin(r.Context(), q.Code, s.opt)
	if err != nil {
		return nil, err
	}
	return run{Start: start, Steps: steps}, nil
}

func (s *Server) replay(r *http.Request, recorded *replay.Recording) (any, error) {
	start, steps, err := s.explorer.Replay(r.Context(), recorded)
	if err != nil {
		return nil, err
	}
	return run{start, steps, recorded.Lasso}, nil
}

func (s *Server) graph(r *http.Request, _ *struct{}) (any, error) {
	g, err := s.explorer.Graph(r.Context(), s.opt)
	if errors.Is(err, ErrManyStates) {
		const advice = "The search shows how many states each level has."
		return Graph{Large: fmt.Sprintf("%v: its graph is too large to be drawn. %s", err, advice)}, nil
	}
	return g, err
}

func (s *Server) quotient(r *http.Request, _ *struct{}) (any, error) {
	q, err := s.explorer.Quotient(r.Context(), s.opt)
	if errors.Is(err, ErrManyStates) || errors.Is(err, ErrManyToMinimize) {
		return Graph{Large: fmt.Sprintf("%v: too large for this page. ringcheck minimize can do more.", err)}, nil
	}
	return q, err
}

// class answers with the class of a state in the quotient, -1 if there is none.
func (s *Server) class(r *http.Request, q *question) (any, error) {
	all, err := s.explorer.Quotient(r.Context(), s.opt)
	if err != nil {
		return nil, err
	}
	class, ok := all.Class(q.Code)
	if !ok {
		class = -1
	}
	return map[string]int{"class": class}, nil
}

func (s *Server) begin(*http.Request, *struct{}) (any, error) {
	s.search.start(s.ctx, s.explorer.sys, s.opt)
	return s.search.progress(), nil
}

func (s *Server) end(*http.Request, *struct{}) (any, error) {
	s.search.cancel()
	return s.search.progress(), nil
}

// save answers with a run, in a format of package view.
func (s *Server) save(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Code   string `json:"code"`
		Moves  []int  `json:"moves"`
		Format string `json:"format"`
	}
	var b bytes.Buffer
	err := decode(r, &q)
	if err == nil {
		err = s.explorer.Save(&b, q.Code, q.Moves, q.Format)
	}
	if err != nil {
		fail(w, err)
		return
	}
	// The page saves it as a file; the browser must not show it from this address.
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", "attachment")
	w.Write(b.Bytes())
}

// Save writes a run, given by its first state and the indices of its moves, in a format of package view.
func (x *Explorer) Save(w io.Writer, code string, moves []int, format string) error {
	f, err := view.Lookup(format)
	if err != nil {
		return err
	}
	trace, err := x.Run(code, moves)
	if err != nil {
		return err
	}
	return f.Write(trace, w)
}

// Serve serves the page on a listener until the context is done.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler:     s,
		ReadTimeout: s.patience,
		IdleTimeout: s.patience,
		BaseContext: func(net.Listener) context.Context { return s.ctx },
	}
	defer context.AfterFunc(ctx, func() {
		s.Close()
		server.Close()
	})()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
