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

// A Monitor judges a program while it runs. The program reports events in the order in which they happen; the monitor
// keeps only the states in which the system may be. Its methods may be called concurrently.
type Monitor struct {
	mu     sync.Mutex
	f      *follower
	sets   *sets
	events int
	err    error
}

// New returns a monitor of a system. The program must report every action that observe lists, as kinds of action
// ("send", "crash") and names of messages and events; by default all sends, receipts and events. All other actions need
// not be reported. The invariants of the spec are evaluated in each state.
func New(sys *reduce.System, observe ...string) (*Monitor, error) {
	if len(observe) == 0 {
		observe = []string{verbs[model.SendAction], verbs[model.ReceiveAction], verbs[model.EventAction]}
	}
	f, err := newFollower(context.Background(), sys, Options{Observe: observe})
	if err != nil {
		return nil, err
	}
	shown, err := f.visible()
	if err != nil {
		return nil, err
	}
	f.network = newNetwork(f.sys, shown)
	a := newAgenda(nil, f.sys.Protocol().N, true)
	m := &Monitor{f: f, sets: &sets{depth: f.depth(a), judge: f.judge, all: workForAll}}
	return m, m.sets.begin()
}

// Observe follows an event. The error is a *Mismatch if no run of the spec explains it after those before, which is
// then the error of all later calls; others say that the event does not fit the spec, that an invariant is violated, or
// that there are too many hypotheses.
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
	q, err := resolve(m.f.sys.Protocol(), &e)
	switch {
	case err != nil:
		return fmt.Errorf("event %d, %s: %w", m.events, e, err)
	case !m.f.network.observes(q):
		return fmt.Errorf("event %d, %s: it is not one that the monitor observes", m.events, e)
	}
	m.sets.forget()
	before, err := m.sets.add(context.Background(), &logged{pattern: q})
	if errors.Is(err, errUnexplained) {
		return &Mismatch{Number: m.events, Event: e, Expected: m.f.expected(before, anybody, q)}
	}
	if err != nil {
		return err
	}
	return m.violated()
}

// violated returns an error if every run that explains the events has violated the same invariant.
func (m *Monitor) violated() error {
	every, _ := m.sets.violated()
	for i, p := range m.f.judge.properties {
		if every>>i&1 != 0 {
			return fmt.Errorf("event %d: %s is violated", m.events, p.Name)
		}
	}
	for _, e := range m.f.judge.invalid {
		if e != nil {
			return e
		}
	}
	return nil
}

// State returns what is certain about each process: the control point and the variables on which all runs that explain
// the events agree, whatever unobserved steps followed. It is empty if there are too many such runs to tell.
func (m *Monitor) State() ([]Event, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	const most = 1 << 16
	states, err := m.sets.unseenFrom(states(m.sets.now), anybody, most)
	if err != nil || len(states) == 0 || len(states) > most {
		return nil, err
	}
	n := m.f.network
	certain := make([]Event, n.protocol.N)
	for p := range certain {
		for i, state := range states {
			is := n.situation(state, p)
			if i == 0 {
				certain[p] = is
				continue
			}
			if is.At != certain[p].At {
				certain[p].At = ""
			}
			maps.DeleteFunc(certain[p].Vars, func(name string, v any) bool { return text(is.Vars[name]) != text(v) })
		}
	}
	return certain, nil
}

// situation returns the control point and the variables of a process; nothing if it is uninitialized.
func (n *network) situation(state []model.Value, process int) Event {
	e := Event{Process: process, Vars: map[string]any{}}
	if v := state[n.sys.SlotOfProcess(process)]; v != uninitialized {
		l := n.protocol.Settled(n.sys.Local(v), nil)
		if l.Point.ID >= 0 {
			e.At = n.names[l.Point.ID]
		}
		for i, variable := range l.Point.Live {
			e.Vars[variable.Name] = plain(variable.Type, l.Env[i])
		}
	}
	return e
}

// A Mismatch is an event that no run of the spec explains.
type Mismatch struct {
	Number   int // of the event, from 1
	Event    Event
	Expected Alternatives // what was possible in its place
}

func (m *Mismatch) Error() string {
	return fmt.Sprintf("event %d is not explained: %s\n%s", m.Number, m.Event, m.Expected)
}

// Handler returns a handler of structured logs that observes the events among the records, of all levels, and passes
// every record on to another handler. The attributes of a record that are in no group are the members of an event. If
// mapping is not nil, its paths lead to the members, also into groups. Call Err at the end, because loggers drop the
// errors of their handlers.
func (m *Monitor) Handler(next slog.Handler, mapping *Mapping) slog.Handler {
	return &handler{next: next, judge: slog.NewJSONHandler(&records{m, Log{Mapping: mapping}}, nil)}
}

// A handler writes the lines of a log for the monitor, and passes records on to another handler.
type handler struct{ next, judge slog.Handler }

func (h *handler) Enabled(context.Context, slog.Level) bool { return true }

func (h *handler) Handle(ctx context.Context, r slog.Record) error {
	err := h.judge.Handle(ctx, r)
	if h.next.Enabled(ctx, r.Level) {
		err = errors.Join(err, h.next.Handle(ctx, r.Clone()))
	}
	return err
}

func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &handler{h.next.WithAttrs(attrs), h.judge.WithAttrs(attrs)}
}

func (h *handler) WithGroup(name string) slog.Handler {
	return &handler{h.next.WithGroup(name), h.judge.WithGroup(name)}
}

// Records observe the lines that are written to them.
type records struct {
	monitor *Monitor
	log     Log
}

func (r *records) Write(text []byte) (int, error) {
	var said line
	err := r.log.read(text, &said)
	if err == nil && said.Event != nil {
		err = r.monitor.Observe(*said.whole())
	} else if err != nil {
		err = r.monitor.fail(fmt.Errorf("%s: %w", bytes.TrimSpace(text), err))
	}
	return len(text), err
}
