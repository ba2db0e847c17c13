package view

import (
	"fmt"
	"slices"
	"strconv"
)

// rows says which steps of a run are in which row of its pictures. The first row has the initial state.
type rows struct {
	steps [][]int // by row, in ascending order
	of    []int   // by step: its row; for a step that is not shown, the row before which it happens, or the last row

	trace  *Trace
	floor  int     // the first row after all steps that every later step depends on
	next   []int   // by process: the first row after the steps on which its next one depends
	last   []int   // by process: its last step that is shown; 0 for none
	sent   []int   // by serial number: the first row after the message is sent
	nearby [][]int // by process: its neighbours and itself
	states [][]int // by row and process: the step after which the process is as it is after the row
	arrows []int   // the serial numbers of the messages that are shown, in the order of the rows that send them
}

// newRows returns the rows of a run. Steps share rows as far as the Selection of the trace says. A step is below the
// steps that it depends on: those before it of its process and, if it receives a message, the sending. The steps of the
// environment depend on all steps before them, and all later ones on them; so do those before and after the beginning
// of a cycle. In a row that steps share, no message is sent across another one or across a process that acts.
func newRows(t *Trace) *rows {
	r := &rows{trace: t, of: make([]int, len(t.Steps)), next: make([]int, t.N), last: make([]int, t.N),
		sent: make([]int, len(t.Messages)+1)}
	r.neighbours()
	shares := t.Selection.Share && !t.values && !t.excerpt()
	for i := range t.Steps {
		s := &t.Steps[i]
		if i > 0 && i == t.Loop() || !shares && !r.joinsLast(s) || r.barrier(s) {
			r.floor = len(r.steps)
		}
		at, shown := r.earliest(s), t.showsStep(s)
		if shown {
			at = r.place(i, at)
		}
		r.of[i] = at
		r.leave(i, at, shown)
		if r.barrier(s) {
			r.floor = len(r.steps)
		}
	}
	r.settle()
	return r
}

// settle sets what is known when all steps have a row.
func (r *rows) settle() {
	for i := range r.trace.Messages {
		if r.trace.showsMessage(&r.trace.Messages[i]) {
			r.arrows = append(r.arrows, i+1)
		}
	}
	r.states = make([][]int, len(r.steps))
	latest := make([][]int, len(r.steps)) // by row: the steps that have happened after it and not before
	for i := range r.of {
		r.of[i] = min(r.of[i], len(r.steps)-1)
		latest[r.of[i]] = append(latest[r.of[i]], i)
	}
	for row := range r.states {
		r.states[row] = make([]int, r.trace.N)
		if row > 0 {
			copy(r.states[row], r.states[row-1])
		}
		for _, i := range latest[row] {
			for p := range r.trace.N {
				if s := &r.trace.Steps[i]; s.acts(p) || s.Process < 0 {
					r.states[row][p] = max(r.states[row][p], i)
				}
			}
		}
	}
	slices.SortStableFunc(r.arrows, func(a, b int) int {
		return r.of[r.trace.Message(a).Sent] - r.of[r.trace.Message(b).Sent]
	})
}

// neighbours finds, for each process, the processes whose steps its own ones may depend on without a message.
func (r *rows) neighbours() {
	r.nearby = make([][]int, r.trace.N)
	for p := range r.nearby {
		r.nearby[p] = []int{p}
		for q := range r.trace.N {
			if r.trace.sharing && q != p {
				r.nearby[p] = append(r.nearby[p], q)
			}
		}
	}
	if r.trace.strict {
		for _, l := range r.trace.Links {
			r.nearby[l.From] = append(r.nearby[l.From], l.To)
			r.nearby[l.To] = append(r.nearby[l.To], l.From)
		}
	}
}

// barrier reports whether a step depends on all steps before it, and all later ones on it.
func (r *rows) barrier(s *Step) bool {
	return s.Process < 0 || s.Kind == Crash || s.Kind == Recover
}

// local reports whether a step can be folded.
func (s *Step) local() bool { return s.Process >= 0 && (s.Kind == Internal || s.Kind == Event) }

// folds reports whether a step can be in the row of the last one of its process.
func (r *rows) folds(s *Step) bool {
	if !r.trace.Selection.Fold || !s.local() || r.last[s.Process] == 0 || !r.trace.showsStep(s) {
		return false
	}
	before := &r.trace.Steps[r.last[s.Process]]
	return before.local() && before.Kind != Event && r.of[r.last[s.Process]] >= r.floor
}

// joinsLast reports whether a step is folded with the last row.
func (r *rows) joinsLast(s *Step) bool {
	return len(r.steps) > 0 && r.folds(s) && r.of[r.last[s.Process]] == len(r.steps)-1
}

// earliest returns the first row in which a step can be.
func (r *rows) earliest(s *Step) int {
	at := r.floor
	if s.Process < 0 {
		return at
	}
	if s.Kind == Receive {
		at = max(at, r.sent[s.Message])
	}
	for _, actor := range s.actors() {
		for _, p := range r.nearby[actor] {
			if p != s.Process || !r.folds(s) {
				at = max(at, r.next[p])
			}
		}
	}
	if r.folds(s) {
		at = max(at, r.of[r.last[s.Process]])
	}
	return at
}

// place adds a step to the first row from at on that has room for it, and returns the row.
func (r *rows) place(i, at int) int {
	for at < len(r.steps) && !r.fits(i, at) {
		at++
	}
	if at == len(r.steps) {
		r.steps = append(r.steps, nil)
	}
	r.steps[at] = append(r.steps[at], i)
	return at
}

// fits reports whether a row has room for a step.
func (r *rows) fits(i, row int) bool {
	s := &r.trace.Steps[i]
	for _, other := range r.steps[row] {
		o := &r.trace.Steps[other]
		same := slices.ContainsFunc(s.actors(), o.acts) && !r.folds(s)
		if same || r.barrier(o) || r.crosses(s, o) || r.crosses(o, s) {
			return false
		}
	}
	return true
}

// crosses reports whether the message that s sends crosses the column of o, or a message that o sends.
func (r *rows) crosses(s, o *Step) bool {
	if s.Kind != Send {
		return false
	}
	low, high, inside := r.span(s)
	if within := low < o.Process && o.Process < high; within == inside && o.Process != low && o.Process != high {
		return true
	}
	if o.Kind != Send {
		return false
	}
	first, last, in := r.span(o)
	switch {
	case inside && in:
		return low < last && first < high
	case inside:
		return low < first || last < high
	case in:
		return first < low || high < last
	}
	return true
}

// span returns the columns of the sender and the receiver of the message that a step sends, in ascending order, and
// whether its arrow is between them; otherwise it goes from them to the margins.
func (r *rows) span(s *Step) (low, high int, inside bool) {
	m := r.trace.Message(s.Message)
	l := r.trace.Links[m.Link]
	return min(l.From, l.To), max(l.From, l.To), !r.trace.crossesSeam(m)
}

// leave records what depends on a step.
func (r *rows) leave(i, at int, shown bool) {
	s := &r.trace.Steps[i]
	after := at
	if shown {
		after++
	}
	for _, p := range s.actors() {
		r.next[p] = max(r.next[p], after)
		r.last[p] = choose(shown, i, 0)
	}
	if s.Message > 0 && s.Kind != Receive {
		r.sent[s.Message] = after
	}
}

// label returns the numbers of the steps in a row: 3, 4–6, or 1, 5.
func (r *rows) label(row int) string {
	steps := r.steps[row]
	first, last := steps[0], steps[len(steps)-1]
	switch {
	case len(steps) == 1:
		return strconv.Itoa(first)
	case last-first == len(steps)-1:
		return fmt.Sprintf("%d–%d", first, last)
	case len(steps) <= 3:
		return joined(steps)
	}
	return fmt.Sprintf("%d, … %d", first, last)
}

// state returns the local state of a process after a row.
func (r *rows) state(row, process int) *Process {
	return &r.trace.Steps[r.states[row][process]].Processes[process]
}

// actors returns the processes that act in a row, in ascending order.
func (r *rows) actors(row int) (processes []int) {
	for _, i := range r.steps[row] {
		for _, p := range r.trace.Steps[i].actors() {
			if r.trace.showsProcess(p) {
				processes = append(processes, p)
			}
		}
	}
	slices.Sort(processes)
	return slices.Compact(processes)
}

// lastOf returns the last step of a process in a row, and the number of its steps there.
func (r *rows) lastOf(row, process int) (step, count int) {
	for _, i := range r.steps[row] {
		if r.trace.Steps[i].acts(process) {
			step = i
			count++
		}
	}
	return step, count
}

// end returns the row in which a message is received or lost; the number of rows if it is neither.
func (r *rows) end(m *Message) int {
	if m.endStep() == 0 {
		return len(r.steps)
	}
	return r.of[m.endStep()]
}
