package command

import (
	"fmt"

	"ringcheck/explore"
)

// A watch shows the progress of several searches, one after the other.
type watch struct {
	app     *app
	current *progress
}

func newWatch(a *app) *watch { return &watch{app: a, current: newProgress(a.stderr)} }

// options returns the options of the searches.
func (w *watch) options(s *search) explore.Options {
	opt := s.options()
	if !w.app.quiet {
		opt.ProgressEvery = w.current.every
		opt.Progress = func(p explore.Progress) { w.current.show(p) }
	}
	return opt
}

// begin says which search is next.
func (w *watch) begin(what string) {
	w.done()
	w.current = newProgress(w.app.stderr)
	if !w.app.quiet {
		fmt.Fprintln(w.app.stderr, what)
	}
}

// done takes the live line away once the last search has ended.
func (w *watch) done() { w.current.clear() }
