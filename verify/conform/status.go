package conform

import "errors"

// A Status is the state of a monitor at a moment.
type Status struct {
	Events     int     `json:"events"`     // that were observed
	Hypotheses int     `json:"hypotheses"` // the number of states in which the system may be
	State      []Event `json:"state"`      // see Monitor.State
	// Error is the text of the error with which the monitor stopped, "" if all events are explained. Mismatch has its
	// parts if no run of the spec explains an event.
	Error    string    `json:"error,omitempty"`
	Mismatch *Mismatch `json:"mismatch,omitzero"`
}

// Status returns the current status of the monitor. After a mismatch it describes the events before the wrong one.
// State is empty if too many states are possible.
func (m *Monitor) Status() Status {
	m.mu.Lock()
	s := Status{Events: m.events, Hypotheses: len(m.tracker.hypotheses)}
	if m.err != nil {
		s.Error = m.err.Error()
		errors.As(m.err, &s.Mismatch)
	}
	m.mu.Unlock()
	s.State, _ = m.State() // it leaves out what is not known
	return s
}
