package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"ringcheck/bisim"
	"ringcheck/explore"
	"ringcheck/lts"
)

// A subject is a system that is minimised or compared: a protocol with its settings, or a file.
type subject struct {
	*app
	protocol protocol
	reduce   reduction
	search   *search
	visible  *visibility
}

// An origin says where a system is from.
type origin struct {
	File       string   `json:"file,omitempty"`
	Spec       string   `json:"spec,omitempty"`
	Params     settings `json:"params,omitempty"`
	Options    settings `json:"options,omitempty"`
	Reduction  string   `json:"reduction,omitempty"`
	Symmetry   string   `json:"symmetry,omitempty"`
	Assumption string   `json:"assumption,omitempty"`
}

// title names the origin for people.
func (o *origin) title() string {
	if o.File != "" {
		return o.File
	}
	text := title(o.Spec, o.Params, o.Options)
	if o.Reduction != noReduction {
		text += ", reduction " + o.Reduction
	}
	if o.Symmetry != noSymmetry {
		text += ", symmetry " + o.Symmetry
	}
	if o.Assumption != "" {
		text += ", assuming " + o.Assumption
	}
	return text
}

// An extent is the size of a system.
type extent struct {
	States      uint64 `json:"states"`
	Transitions uint64 `json:"transitions"`
}

func extentOf(l *lts.LTS) extent { return extent{uint64(l.States()), uint64(l.Transitions())} }

// A found is what became of a subject.
type found struct {
	origin
	extent           // of system; lower bounds if there is none
	system  *lts.LTS // nil if it was not completed
	stopped string   // why not, a word for programs
	failure error    // and the error to end with
}

// isSystemFile reports whether an operand is a file that holds a transition system.
func isSystemFile(name string) bool { return filepath.Ext(name) == ".aut" }

// validate reports what does not fit the subject. flags are those that were given for it.
func (s *subject) validate(flags *pflag.FlagSet, e bisim.Equivalence) error {
	if isSystemFile(s.protocol.name) {
		return s.refuse(flags)
	}
	if err := s.reduce.validate(false); err != nil {
		return err
	}
	if s.reduce.kind != noReduction && e != bisim.Branching {
		return wrongRequestf("--reduce %s keeps what a system is modulo branching bisimilarity, not %v: give it with --equivalence branching",
			s.reduce.kind, e)
	}
	return nil
}

// refuse rejects flags that have no meaning for a file.
func (s *subject) refuse(flags *pflag.FlagSet) error {
	for _, name := range []string{"param", "reduce", "assume", "symmetry", "max-states", "max-channel", "max-nat"} {
		if flags.Changed(name) {
			return wrongRequestf("--%s is about a SPEC, and %s is a file", name, s.protocol.name)
		}
	}
	return nil
}

// load makes or reads the system.
func (s *subject) load(ctx context.Context, opt explore.Options) (*found, error) {
	if isSystemFile(s.protocol.name) {
		return s.read(ctx)
	}
	return s.explore(ctx, opt)
}

// read reads the system from its file.
func (s *subject) read(ctx context.Context) (*found, error) {
	name := s.protocol.name
	file, err := os.Open(name)
	if err != nil {
		return nil, wrongRequest(err)
	}
	defer file.Close()
	l, err := lts.ReadAut(&contextReader{ctx, file})
	f := &found{origin: origin{File: name}}
	switch {
	case err != nil && ctx.Err() != nil:
		f.stop(ctx)
		return f, nil
	case err != nil:
		return nil, wrongRequest(fmt.Errorf("%s: %w", name, err))
	}
	l.Hide(func(label string) bool { return !s.visible.shows(label, true) })
	f.system, f.extent = l, extentOf(l)
	return f, nil
}

// explore makes the system from its spec.
func (s *subject) explore(ctx context.Context, opt explore.Options) (*found, error) {
	p, err := s.protocol.instantiate()
	if err != nil {
		return nil, err
	}
	s.warn(s.protocol.spec)
	full, err := s.search.system(p)
	if err != nil {
		return nil, wrongRequest(err)
	}
	sys, err := s.reduce.apply(ctx, full)
	if err != nil {
		return nil, err
	}
	f := &found{origin: origin{
		Spec: p.Name, Params: p.Params, Options: p.Options, Reduction: s.reduce.kind, Symmetry: s.reduce.symmetry,
		Assumption: s.reduce.assumption(),
	}}
	labels := &labeller{visibility: s.visible}
	l, result, err := explore.Generate(ctx, sys.System, sys.watch(opt), labels.name)
	if err != nil {
		return nil, generateError(err)
	}
	f.extent = extent{result.Stored, result.Transitions}
	if l == nil {
		f.stopped, f.failure = stopReason(result), sys.stopError(result)
		return f, nil
	}
	f.system, f.extent = l, extentOf(l)
	return f, s.reduce.permits(labels.private)
}

// permits fails if labels are visible that the reduction is not sound for.
func (r *reduction) permits(private string) error {
	switch {
	case private == "":
		return nil
	case r.symmetry != noSymmetry:
		return wrongRequestf("--visible: under --symmetry %s only events can be visible, since it does not keep which process does what; %s is none",
			r.symmetry, private)
	case r.kind != noReduction:
		return wrongRequestf("--visible: under --reduce %s only events can be visible; %s is none", r.kind, private)
	}
	return nil
}

// stop notes that the context ended the work.
func (f *found) stop(ctx context.Context) {
	f.stopped, f.failure = contextStop(ctx)
}

// contextStop says why the context ended the work.
func contextStop(ctx context.Context) (word string, err error) {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return "timeout", stopped(errors.New("stopped before the end: timeout"))
	}
	return "interrupt", stopped(errors.New("stopped before the end: interrupted"))
}

// stopError says why a search ended early.
func (s *reduced) stopError(r *explore.Result) error {
	f, _, err := s.broken(r)
	switch {
	case err != nil:
		return err
	case f == nil && r.Stop != explore.Faulted:
		return stopped(fmt.Errorf("stopped before the end: %v", r.Stop))
	case f == nil:
		f = faultFailure(r.Fault)
	}
	f.rendered = describe(f) + "ringcheck explore shows the run that leads there\n"
	return f
}

// generateError gives the error of explore.Generate its exit status.
func generateError(err error) error {
	if errors.Is(err, lts.ErrTooLarge) {
		return stopped(err)
	}
	return searchError(err)
}

// A contextReader stops reading when its context is done.
type contextReader struct {
	ctx context.Context
	io.Reader
}

func (r *contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}
