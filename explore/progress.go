package explore

import (
	"fmt"
	"time"

	"github.com/dustin/go-humanize"

	"ringcheck/model"
)

// Progress is a snapshot of running work: of a search, a simulation or the explanation of a log.
type Progress interface {
	// Elapsed returns the time since the work began.
	Elapsed() time.Duration
	// String describes the snapshot on one line: fields that are separated by two blanks, the most important first.
	String() string
}

// A SearchProgress is a snapshot of a search that stores states.
type SearchProgress struct {
	Level       int    // the BFS level being expanded, from 0
	Frontier    uint64 // states of that level
	States      uint64 // stored so far (of a quotient, too)
	Transitions uint64 // counted so far
	Bytes       uint64 // held by the search
	Rate        uint64 // transitions in a second, since the last snapshot
	Time        time.Duration
	Left        time.Duration // an estimate of the time to the end of the search; 0 if unknown
}

// Elapsed returns the time since the search began.
func (p SearchProgress) Elapsed() time.Duration { return p.Time }

func (p SearchProgress) String() string {
	line := fmt.Sprintf("level %d  frontier %s  states %s  transitions %s  rate %s/s  memory %s",
		p.Level, model.Count(p.Frontier).Comma(), model.Count(p.States).Comma(), model.Count(p.Transitions).Comma(),
		model.Count(p.Rate).Comma(), humanize.IBytes(p.Bytes))
	if p.Left > 0 {
		line += fmt.Sprintf("  about %s left", max(time.Second, p.Left.Round(time.Second)))
	}
	return line
}

// A ProgressMeter reports the progress of some work at intervals. Its methods are not called concurrently.
type ProgressMeter struct {
	report      func(Progress) // nil if nobody asks for reports
	every       time.Duration
	last        time.Duration // the time of the last report
	transitions uint64        // at that time
	levels      forecast
}

// NewProgressMeter returns a meter that calls report, if it is not nil, every so often (0: every second).
func NewProgressMeter(report func(Progress), every time.Duration) *ProgressMeter {
	if every <= 0 {
		every = time.Second
	}
	return &ProgressMeter{report: report, every: every}
}

// Due reports whether a report is due at a time after the beginning of the work.
func (m *ProgressMeter) Due(elapsed time.Duration) bool {
	return m.report != nil && elapsed >= m.last+m.every
}

// Report reports a snapshot.
func (m *ProgressMeter) Report(now Progress) {
	m.last = now.Elapsed()
	m.report(now)
}

// ReportSearch reports a snapshot of a search and sets its rate and the time that is left.
func (m *ProgressMeter) ReportSearch(now SearchProgress) {
	if in := now.Time - m.last; in > 0 {
		now.Rate = uint64(float64(now.Transitions-m.transitions) / in.Seconds())
	}
	m.transitions = now.Transitions
	m.levels.add(now.Level, now.Frontier)
	now.Left = m.levels.left(now)
	m.Report(now)
}
