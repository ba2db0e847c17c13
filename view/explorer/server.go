//go:build !js

package explorer

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"time"
)

// contentPolicy allows the page to load only its own files, with neither inline scripts nor inline styles.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; " +
	"img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// A Server serves the page on which to explore a system, and answers its requests.
type Server struct {
	*Session
	hosts   []string
	timeout time.Duration // the timeout for idle clients and incomplete requests
	mux     *http.ServeMux
}

// NewServer returns a server of the page of a session. Hosts are the names and addresses of the server, with port.
// Requests for any other host are refused: a foreign page can make one with a name of its own for this machine (DNS
// rebinding).
func NewServer(session *Session, hosts []string) *Server {
	s := &Server{Session: session, hosts: hosts, timeout: time.Minute, mux: http.NewServeMux()}
	files := http.FileServerFS(Files())
	s.mux.Handle("GET /", files)
	s.mux.HandleFunc("GET /api/{action}", s.handle)
	s.mux.HandleFunc("POST /api/{action}", s.handle)
	return s
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

func (s *Server) handle(w http.ResponseWriter, r *http.Request) {
	// The server notices that a client has disconnected only after it has read the body.
	body, err := io.ReadAll(r.Body)
	if err != nil {
		fail(w, err)
		return
	}
	action := r.PathValue("action")
	answer, err := s.Answer(r.Context(), action, body)
	if err != nil {
		fail(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if action == "save" { // the page saves it as a file; the browser must not show it from this address
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Disposition", "attachment")
	}
	w.Write(answer)
}

// fail answers with an error.
func fail(w http.ResponseWriter, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	json.NewEncoder(w).Encode(map[string]string{"error": err.Error()})
}

// Serve serves the page on a listener until the context is done.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler:     s,
		ReadTimeout: s.timeout,
		IdleTimeout: s.timeout,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	defer context.AfterFunc(ctx, func() {
		server.Close()
	})()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
