package conform

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync"

	"ringcheck/model"
	"ringcheck/reduce"
)

// A Monitor checks a program while it runs. The program reports events in the order in which they happen. The monitor
// keeps only the states in which the system may be. Its methods may be called concurrently.
type Monitor struct {
	mu      sync.Mutex
	checker *checker
	tracker *tracker
	events  int
	given   int // of the first events: those about the beginning of a log from the middle of a run
	err     error
}

// New returns a monitor of a system. The program must report every action that observe lists, as kinds of action
// ("send", "crash") and names of messages and events; by default all sends, receipts and events. All other actions need
// not be reported. The invariants of the spec are evaluated in each state.
func New(sys *reduce.System, observe ...string) (*Monitor, error) {
	if len(observe) == 0 {
		observe = []string{verbWords[model.SendAction], verbWords[model.ReceiveAction], verbWords[model.EventAction]}
	}
	c, err := newChecker(context.Background(), sys, Options{Observe: observe})
	if err != nil {
		return nil, err
	}
	observable, err := c.observableActions()
	if err != nil {
		return nil, err
	}
	c.network = newNetwork(c.sys, observable)
	m := &Monitor{checker: c, tracker: c.newTracker()}
	return m, m.tracker.begin()
}

// Observe follows an event. The error is a *Mismatch if no run of the spec explains the events up to it. Other errors
// say that the event does not fit the spec, that an invariant is violated, or that there are too many hypotheses. Later
// calls return the same error.
func (m *Monitor) Observe(e Event) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err == nil {
		m.err = m.observe(e)
	}
	return m.err
}

// fail stops the monitor with an error, unless it has stopped.
func (m *Monitor) fail(err error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.err = cmp.Or(m.err, err)
	return m.err
}

// Err returns the error with which the monitor stopped, nil if all events are explained.
func (m *Monitor) Err() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.err
}

func (m *Monitor) observe(e Event) error {
	m.events++
	parts, err := resolveParts(m.checker.sys.Protocol(), &e)
	if err != nil {
		return fmt.Errorf("event %d, %s: %w", m.events, e, err)
	}
	for _, part := range newTraceEvents(parts, line{Event: &e}) {
		switch t := m.tracker; {
		case part.pattern.initial != nil && m.events == m.given+1: // what was known of the beginning has changed
			m.given++
			m.tracker = m.checker.newTracker()
		case t.initial == nil:
			if err := t.begin(); err != nil {
				return fmt.Errorf("event %d: %w", m.events, err)
			}
		}
		if !m.checker.network.mayObserve(part.action) {
			return fmt.Errorf("event %d, %s: the monitor does not observe it", m.events, e)
		}
		if err := m.checkpoint(); err != nil {
			return err
		}
		before, err := m.tracker.add(context.Background(), part)
		if errors.Is(err, errUnexplained) {
			return &Mismatch{Number: m.events, Event: e, Part: string(part.pattern.part),
				Expected: m.checker.expected(before, anyProcess, part.pattern)}
		}
		if wrong := (*LineError)(nil); errors.As(err, &wrong) {
			return fmt.Errorf("event %d, %s: %w", m.events, e, wrong.Err)
		}
		if err != nil {
			return err
		}
	}
	return m.checkInvariants()
}

// checkpoint forgets the events that are explained, and now and then encodes the hypotheses in a new system.
func (m *Monitor) checkpoint() error {
	m.tracker.dropExplained()
	if m.events%checkpointEvents != 0 {
		return nil
	}
	return m.checker.renew(context.Background(), m.tracker)
}

// checkInvariants returns an error if every run that explains the events has violated the same invariant.
func (m *Monitor) checkInvariants() error {
	if m.tracker.initial == nil {
		return nil
	}
	byAll, _ := m.tracker.violatedInvariants()
	for i, p := range m.checker.invariants.properties {
		if byAll>>i&1 != 0 {
			return fmt.Errorf("event %d: %s is violated", m.events, p.Name)
		}
	}
	for _, e := range m.checker.invariants.errors {
		if e != nil {
			return e
		}
	}
	return nil
}

// State returns the control point and the variables of each process on which all runs that explain the events agree,
// including those that end with internal actions. It is empty if too many states are possible.
func (m *Monitor) State() ([]Event, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	const limit = 1 << 16
	n := m.checker.network
	states, err := n.internalClosure(m.tracker.trace, statesOf(m.tracker.hypotheses), anyProcess, limit, false)
	if err != nil || len(states) == 0 || len(states) > limit {
		return nil, err
	}
	certain := make([]Event, n.protocol.N)
	for p := range certain {
		for i, state := range states {
			e := n.localEvent(state[n.sys.SlotOfProcess(p)], p)
			if i == 0 {
				certain[p] = e
				continue
			}
			if e.At != certain[p].At {
				certain[p].At = ""
			}
			differs := func(name string, v any) bool { return jsonText(e.Vars[name]) != jsonText(v) }
			maps.DeleteFunc(certain[p].Vars, differs)
		}
	}
	return certain, nil
}

// localEvent returns the control point and the variables of a process whose slot has value v, none if it is
// uninitialized.
func (n *network) localEvent(v model.Value, process int) Event {
	e := Event{Process: process, Vars: map[string]any{}}
	if v != uninitialized {
		l := n.protocol.Settle(n.sys.Local(v), nil)
		if l.Point.ID >= 0 {
			e.At = n.pointNames[l.Point.ID]
		}
		for i, variable := range l.Point.Live {
			e.Vars[variable.Name] = jsonValue(variable.Type, l.Env[i])
		}
	}
	return e
}

// A Mismatch is an event that no run of the spec explains.
type Mismatch struct {
	Number   int          `json:"number"` // of the event, from 1
	Event    Event        `json:"event"`
	Part     string       `json:"part,omitempty"` // see Report.Part
	Expected Alternatives `json:"expected"`       // what was possible in its place
}

func (m *Mismatch) Error() string {
	what := "is not explained"
	if m.Part != "" {
		what = fmt.Sprintf("is not explained, because of %q", m.Part)
	}
	return fmt.Sprintf("event %d %s: %s\n%s", m.Number, what, m.Event, m.Expected)
}

// Handler returns a handler of structured logs that observes the events among the records, of all levels, and passes
// every record on to another handler. The attributes of a record that are in no group are the members of an event. If
// mapping is not nil, its paths lead to the members, also into groups. Call Err at the end, because loggers drop the
// errors of their handlers.
func (m *Monitor) Handler(next slog.Handler, mapping *Mapping) slog.Handler {
	return &handler{next: next, observer: slog.NewJSONHandler(&eventWriter{m, Log{Mapping: mapping}}, nil)}
}

// A handler passes each record to an observer, which writes it as a line for the monitor, and to another handler.
type handler struct{ next, observer slog.Handler }

func (h *handler) Enabled(context.Context, slog.Level) bool { return true }

func (h *handler) Handle(ctx context.Context, r slog.Record) error {
	err := h.observer.Handle(ctx, r)
	if h.next.Enabled(ctx, r.Level) {
		err = errors.Join(err, h.next.Handle(ctx, r.Clone()))
	}
	return err
}

func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &handler{h.next.WithAttrs(attrs), h.observer.WithAttrs(attrs)}
}

func (h *handler) WithGroup(name string) slog.Handler {
	return &handler{h.next.WithGroup(name), h.observer.WithGroup(name)}
}

// An eventWriter is a writer of log lines whose events a monitor observes.
type eventWriter struct {
	monitor *Monitor
	log     Log
}

func (w *eventWriter) Write(text []byte) (int, error) {
	all, err := w.log.parseLine(text, Position{})
	if err != nil {
		return len(text), w.monitor.fail(fmt.Errorf("%s: %w", bytes.TrimSpace(text), err))
	}
	for _, l := range all {
		if err := w.monitor.Observe(*l.fullEvent()); err != nil {
			return len(text), err
		}
	}
	return len(text), nil
}
