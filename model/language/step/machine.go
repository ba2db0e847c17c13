package step

import (
	"cmp"
	"errors"
	"fmt"

	"ringcheck/internal/printable"
	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// Options bound the growth of a spec; exceeding them is a *model.Error with Growth set. Zero means the default.
type Options struct {
	MaxMessages int   // in one channel; default 64
	MaxNat      int64 // the greatest value of type nat; default 1000
	MaxOutcomes int   // of the draws and choices of one process in one step; default 2²⁰
}

// The defaults far exceed the needs of protocols of the literature. A protocol that grows forever soon reaches them.
const (
	defaultMaxMessages = 64
	defaultMaxNat      = 1000
	defaultMaxOutcomes = 1 << 20
)

// WithDefaults returns o with zeros replaced by defaults.
func (o Options) WithDefaults() Options {
	return Options{cmp.Or(o.MaxMessages, defaultMaxMessages), cmp.Or(o.MaxNat, defaultMaxNat),
		cmp.Or(o.MaxOutcomes, defaultMaxOutcomes)}
}

// A Machine is the semantics of a protocol. It is immutable and safe for concurrent use.
type Machine struct {
	protocol *ir.Protocol
	options  Options
	points   []string // how control points are called, by Point.ID
	ignores  bool     // whether some action leaves a process where it is
	reads    bool     // whether processes read registers of others, or use shared variables
	usages   []usage  // by Point.ID; nil without shared variables
	listener Listener // or nil
}

// Protocol returns the protocol whose semantics it is.
func (m *Machine) Protocol() *ir.Protocol { return m.protocol }

// Reads reports whether processes read registers of others, or use shared variables.
func (m *Machine) Reads() bool { return m.reads }

// MaxMessages returns the capacity of a channel.
func (m *Machine) MaxMessages() int { return m.options.MaxMessages }

// A Listener is notified of the possible actions and the outcomes of conditions.
type Listener interface {
	Possible(action *ir.Prefix)
	Decided(condition *ir.If, value bool)
}

// Listening returns a machine that notifies l.
func (m *Machine) Listening(l Listener) *Machine {
	heard := *m
	heard.listener = l
	return &heard
}

// New returns the semantics of p.
func New(p *ir.Protocol, opt Options) *Machine {
	m := &Machine{protocol: p, options: opt.WithDefaults(), points: p.PointNames(), reads: p.Reading() != nil}
	m.usages = usages(p)
	for _, t := range p.Terms() {
		prefix, ok := t.(*ir.Prefix)
		m.ignores = m.ignores || ok && prefix.Next == nil
	}
	return m
}

// A Site is the context in which a process acts: its behaviour can depend on what it reads of others.
type Site struct {
	Process int
	View    ir.View  // of the processes that it reads, see ir.Protocol.Reads, and of the shared variables that it uses
	Sets    *ir.Sets // of a system with wide sets
	// DrawValues, if not nil, are the values of the next draws, which then have no other outcomes. They are ignored
	// where sends wait for room or a receiver, since all values of a draw decide whether it is possible.
	DrawValues []DrawValue
	// Full reports whether a link has no room for another message. It is needed where sends wait for room; see
	// ir.Capacity.Blocks.
	Full func(link int) bool
}

// NeverFull is the Site.Full of callers that list all sends and leave out those without room later.
func NeverFull(int) bool { return false }

// A DrawValue is the value that a draw gave to a variable.
type DrawValue struct {
	Var   *ir.Var
	Value int64
}

// OwnSteps returns the distinct alternatives of a process in a local state that receive no message, in the order of the
// text. Sends that wait for room are left out; sends that wait for a receiver are not: see Steps. An error is a
// *model.Error that names no process. The zero Site suffices where nothing is read and no send waits for room.
func (m *Machine) OwnSteps(l ir.Local, at Site) ([]Distribution, error) {
	if !m.protocol.Capacity.Blocks() {
		return m.walker(l, at, nil).list()
	}
	at.DrawValues = nil
	all, err := m.walker(l, at, nil).list()
	return m.withoutBlocked(all, at), err
}

// Receive returns the distinct alternatives of a process in a local state that receive a message from a source. An
// error is a *model.Error that names no process.
func (m *Machine) Receive(l ir.Local, at Site, source int64, message ir.Content) ([]Distribution, error) {
	return m.walker(l, at, &Arrival{source, message}).list()
}

// FormatLocal formats a local state for people.
func (m *Machine) FormatLocal(l ir.Local) string { return ir.FormatLocal(m.points[l.Point.ID], l) }

func errorAt(pos syntax.Pos, format string, args ...any) *model.Error {
	return &model.Error{Place: pos.String(), Message: fmt.Sprintf(format, args...)}
}

// AsModelError turns an error of an expression into a model error of no process.
func AsModelError(err error) error {
	if e, ok := errors.AsType[*ir.Error](err); ok {
		return &model.Error{Place: e.Pos.String(), Process: -1, Message: e.Message}
	}
	return err
}

// Bounded checks a value of type nat against the bound.
func (m *Machine) Bounded(t *ir.Type, value int64, pos syntax.Pos, kind, name string) error {
	if t.Kind != ir.Nat || value <= m.options.MaxNat {
		return nil
	}
	f := errorAt(pos, "%s %s: %d is beyond the bound of %d for nat", kind, name, value, m.options.MaxNat)
	f.Growth = true
	return f
}

// Blame returns err as a model error of a process.
func Blame(process int, err error) error {
	var f *model.Error
	if !errors.As(err, &f) {
		return fmt.Errorf("process %d: %w", process, err)
	}
	blamed := *f
	blamed.Process = process
	blamed.Message = fmt.Sprintf("process %d: %s", process, f.Message)
	return &blamed
}

// NoChannel returns the error of sending, at a place in the text, to a target without a channel. Blame adds the
// process.
func (m *Machine) NoChannel(target int64, place *syntax.Pos) error {
	return &model.Error{Place: place.String(), Message: "there is no channel to " + m.protocol.FormatPort(target)}
}

// Overflow returns the error of a channel that a fault of the environment makes too full.
func (m *Machine) Overflow(k ir.FaultKind, link int) error {
	text := fmt.Sprintf("a %s: %s", k.Info().Noun, m.overfull(link))
	return &model.Error{Process: -1, Message: text, Growth: true}
}

// Overfull returns the error of sending, at a place in the text, into a full channel. Blame adds the process.
func (m *Machine) Overfull(process int, target int64, place *syntax.Pos) error {
	return &model.Error{Place: place.String(), Message: m.overfull(m.protocol.OutLink(process, target)), Growth: true}
}

func (m *Machine) overfull(link int) string {
	bound := printable.Count(m.options.MaxMessages, "message")
	return fmt.Sprintf("%s would hold more than %s", m.protocol.FormatLink(link), bound)
}

// A Reception is a receive that is open in a local state: the messages that it takes have the given values in
// the fields for which there is one.
type Reception struct {
	Source  *int64 // nil: any
	Message *ir.Message
	Fields  []*int64 // nil: any
}

// Receptions returns the receives that are open to a process in a local state. It overapproximates: conditions on the
// variables that a receive binds are left out. The error is a *model.Error of no process.
func (m *Machine) Receptions(l ir.Local) ([]Reception, error) {
	w := m.walker(l, Site{}, nil)
	w.mode = opening
	_, err := w.walk(l.Point.Term)
	return w.open, err
}

// reception lists an enabled receive.
func (w *Walker) reception(r *ir.Receive) {
	source := w.required(r.Source)
	if r.Message == nil {
		for _, kind := range w.machine.protocol.Messages {
			w.open = append(w.open, Reception{source, kind, make([]*int64, len(kind.Fields))})
		}
		return
	}
	open := Reception{source, r.Message, make([]*int64, len(r.Patterns))}
	for i, p := range r.Patterns {
		open.Fields[i] = w.required(p)
	}
	w.open = append(w.open, open)
}

// required returns the value that a pattern requires, nil if it accepts any.
func (w *Walker) required(p ir.Pattern) *int64 {
	if p.Equal == nil {
		return nil
	}
	value := w.eval(p.Equal)
	return &value
}

// Head returns a local state in which a process does the same as in l: where it is after the decisions that are pending
// in l. So several local states have one head. Where a process may ignore messages, which leaves it in l, or crash
// before these decisions, each is its own.
func (m *Machine) Head(l ir.Local) ir.Local {
	if m.ignores || m.protocol.Faults.Most[ir.CrashFault] != 0 {
		return l
	}
	return m.protocol.Settle(l, nil)
}
