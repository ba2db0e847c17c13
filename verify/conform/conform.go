package conform

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"ringcheck/bisim/lts"
	"ringcheck/explore"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/reduce"
	"ringcheck/verify"
	"ringcheck/view"
)

// An Order is the meaning of the order of the lines of a log.
type Order string

// The orders.
const (
	Total     Order = "total"   // actions happened in the order of the lines
	ByProcess Order = "process" // the lines of each process are in order; messages relate different processes
	ByClock   Order = "clock"   // likewise, and vector clocks relate different processes
)

// Orders lists the orders, the default first.
func Orders() []string { return []string{string(Total), string(ByProcess), string(ByClock)} }

// Options configure Explain. The zero value assumes that actions happened in the order of the lines.
type Options struct {
	Order Order // "" is Total
	// Observe lists the observed actions, every occurrence of which has a line: kinds of action ("send", "event"), and
	// names of messages and events. All other actions are internal, and lines about them are ignored. Nil means all
	// kinds of action that occur in the log.
	Observe []string
	// Properties are the names of the invariants that are evaluated in the states of the runs; nil means all.
	Properties []string
	Run        bool // ask for an explanation, Report.Run
	Graph      bool // ask for all hypotheses of a total order, Report.Graph
	AllowEmpty bool // a log without an observed event is explained; otherwise it has no verdict
	// Live asks for the verdict on each line before the next one is read, if the order is total and Observe is given:
	// Explain then ends at the first line that is not explained.
	Live       bool
	Memory     uint64 // budget in bytes; 0 means 3/4 of the machine's
	MaxChannel int    // see reduce.Search
	MaxNat     int64
	// Progress, if not nil, is called with a Progress every ProgressEvery (0 means every second).
	Progress      func(explore.Progress)
	ProgressEvery time.Duration

	// In tests, for workForAll, workForOne, checkpointEvents and maxTables if not 0.
	allLimit, hardLimit, checkpointEvents, maxTables int
}

// A Report says whether a spec explains a log.
type Report struct {
	reduce.Description
	Order     Order `json:"order"`
	Explained *bool `json:"explained"` // null: unknown, because a limit was reached or the log is empty
	explore.Ending
	Events int `json:"events"` // in the log
	// EventsExplained is the number of events that some run explains: in a total order all before the line, else the
	// most that a search has explained together.
	EventsExplained int `json:"explained_events"`
	// File and Line are the position of the first event that is not explained; 0 if all are. Conflict has the lines of
	// other processes that cannot be explained together with it. If AtMost is true, the first wrong line may be an
	// earlier one.
	File     string     `json:"file,omitempty"`
	Line     int        `json:"line,omitempty"`
	AtMost   bool       `json:"at_most,omitempty"`
	Event    *Event     `json:"event,omitempty"` // in this line; nil if AtMost is true
	Part     string     `json:"part,omitempty"`  // of the event that is not explained: "before", "after", or "" for it all
	Conflict []Position `json:"conflict,omitempty"`
	Missing  *Event     `json:"missing,omitempty"` // an action after the last line of its process, which explains them
	Bounds   []Bound    `json:"bounds,omitempty"`  // of the spec that prevent an explanation
	// StepErrors are the model errors of the process of the event that occur in its place: a value leaves its range.
	StepErrors []*model.Error `json:"faults,omitempty"`
	// Hypotheses is the number of states in which the system may be after the last explained event, as far as they were
	// distinguished.
	Hypotheses     int          `json:"hypotheses"`
	AllHypotheses  bool         `json:"all_hypotheses"`            // the number is complete
	Expected       Alternatives `json:"expected,omitempty"`        // what was possible in place of the line; nil: unknown
	TruncatedLines []Position   `json:"truncated_lines,omitempty"` // incomplete last lines, which were ignored
	PathsNotFound  []string     `json:"paths_not_found,omitempty"` // of mappings; an explained log has no value there
	Properties     []Property   `json:"properties"`
	Seconds        float64      `json:"seconds"`

	Run   *view.Run `json:"-"` // explains the explained events; nil unless Options.Run asks for it
	sys   *compile.System
	graph []*runNode // of all runs; see Options.Graph
}

// Alternatives are the events that were possible where another one was logged.
type Alternatives []Event

func (a Alternatives) String() string {
	if len(a) == 0 {
		return "  no logged action was possible there"
	}
	const limit = 20
	lines := []string{"  possible there:"}
	for i, e := range a {
		if i == limit {
			lines = append(lines, fmt.Sprintf("    and %d more", len(a)-limit))
			break
		}
		lines = append(lines, "    "+e.String())
	}
	return strings.Join(lines, "\n")
}

// WriteGraph writes the hypotheses as a transition system whose initial state, 0, precedes all runs. It writes no
// transitions if Options.Graph is false.
func (r *Report) WriteGraph(w lts.Writer) error {
	for _, node := range r.graph {
		from := uint64(0)
		if node.parent != nil {
			from = node.parent.number
		}
		if err := w.Transition(from, node.label(r.sys), node.number); err != nil {
			return err
		}
	}
	return w.Close(0, uint64(len(r.graph))+1)
}

// A Property is the verdict on an invariant in the states of the runs.
type Property struct {
	Name  string `json:"name"`
	Holds *bool  `json:"holds"` // null: it was not evaluated in all states, or has no value in some state
	// Certain means that all runs that explain the log agree.
	Certain bool `json:"certain"`
	// EvalError says why the invariant has no value in some state.
	EvalError *model.Error `json:"fault,omitempty"`

	invalid *verify.EvalError // of Invalid
}

// Invalid returns a *model.RequestError about the first invariant that has no value in some state; nil if there is
// none.
func (r *Report) Invalid() error {
	for i := range r.Properties {
		if e := r.Properties[i].invalid; e != nil {
			return &model.RequestError{Err: e}
		}
	}
	return nil
}

// Explain decides whether a system has a run that explains the logs, and returns it on request. In a total order, the
// actions in each log happened after those in the logs before it. Work that ends early, by the context or a limit, is
// not an error: see Report.Err. The error is a *LineError or a *model.RequestError.
func Explain(ctx context.Context, sys *reduce.System, logs []*Log, opt Options) (*Report, error) {
	c, err := newChecker(ctx, sys, opt)
	if err != nil {
		r := &Report{Description: sys.Description(), Order: cmp.Or(opt.Order, Total), Properties: []Property{}}
		return r, r.Stop(ctx, err)
	}
	if c.Graph && c.Order != Total {
		err := errors.New("a graph of hypotheses requires a total order")
		return nil, &model.RequestError{Option: "graph", Err: err}
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	err = c.check(ctx, logs)
	c.report.Seconds = time.Since(c.startTime).Seconds()
	if explained := c.report.Explained; explained != nil && *explained {
		c.report.PathsNotFound = pathsWithoutValue(logs)
		if c.report.Events == 0 && !c.AllowEmpty {
			c.report.Explained = nil
			c.report.Ending = explore.Incomplete("empty", "no line of the log is an observed event")
		}
	}
	return c.report, err
}
