package conform

import (
	"context"
	"errors"
	"slices"
	"sort"

	"ringcheck/model"
)

// recordUnexplained records the event that is not explained.
func (c *checker) recordUnexplained(e *traceEvent) {
	c.report.File, c.report.Line, c.report.Event = e.line.File, e.line.Line, e.line.fullEvent()
	c.report.Part = string(e.pattern.part)
}

// A conflict is a prefix of a trace that no run explains, whatever happens after it.
type conflict struct {
	lengths []int // by chain: the number of its events, or unconstrained
	wrong   int   // the chain whose last event is reported
	certain bool  // no earlier line is wrong
}

// event returns the last event of a chain in a conflict.
func (x *conflict) event(t *trace, chain int) int { return t.chains[chain][x.lengths[chain]-1] }

// reportConflict reports the event that is not explained, and the events of other processes that cannot be explained
// together with it. d has found no run.
func (c *checker) reportConflict(ctx context.Context, d *dfs, initial [][]model.Value) {
	x := c.findConflict(ctx, d, initial)
	wrong := d.trace.events[x.event(d.trace, x.wrong)]
	c.recordUnexplained(wrong)
	c.report.AtMost = !x.certain
	var others []int
	for chain, length := range x.lengths {
		if length > 0 && chain != x.wrong {
			others = append(others, x.event(d.trace, chain))
		}
	}
	slices.Sort(others)
	for _, event := range others {
		c.report.Conflict = append(c.report.Conflict, d.trace.events[event].line.Position)
	}
	if !x.certain {
		c.report.Event, c.report.Part = nil, "" // it may be right
		return
	}
	c.report.Expected = c.alternatives(ctx, d, initial, wrong)
	if d.best.start != nil {
		c.report.StepErrors = c.network.stepErrors([][]model.Value{d.best.end.state}, wrong.pattern.process)
	}
	c.report.Missing = c.missing(ctx, d, initial, x.lengths)
	c.report.Bounds = c.boundsReached(ctx, d.trace.prefix(x.lengths), d.followed)
}

// missing returns an action after the last event of a process in the log with which a prefix of the trace can be
// explained, the first such action in some run. It is nil if a short search finds none.
func (c *checker) missing(ctx context.Context, d *dfs, initial [][]model.Value, lengths []int) *Event {
	s := c.prefixSearch(d, lengths)
	open := s.trace.openEnd
	s.trace.openEnd = slices.Repeat([]bool{true}, len(open))
	_, path, err := s.search(ctx, initial)
	for i := 0; err == nil && i < len(path); i++ {
		label := path[i].step.Label
		if _, actor := c.sys.Action(label); !open[s.trace.chainOf(actor)] && c.network.isUnlogged(&path[i]) {
			e := c.network.eventOf(label)
			return &e
		}
	}
	return nil
}

// alternatives returns the events that were possible in place of an event of a process. If a short search explains the
// events in the lines before it, as far as the abstraction reaches, they are possible after those, else after the best
// partial run that explains all earlier events of the process. It is nil if none are found. d gets the best partial
// run.
func (c *checker) alternatives(ctx context.Context, d *dfs, initial [][]model.Value, wrong *traceEvent) Alternatives {
	lengths := d.trace.lengthsBefore(slices.Index(d.trace.events, wrong))
	if d.abstraction != nil {
		for p := range c.network.protocol.N { // the abstraction does not reach events without a process
			lengths[p] = min(lengths[p], int(d.abstraction.maximum[p]))
		}
	}
	s := c.prefixSearch(d, lengths)
	state, path, err := s.search(ctx, initial)
	d.improveBest(&s.best)
	process := wrong.pattern.process
	chain := s.trace.chainOf(process)
	for i := range path {
		_, actor := c.sys.Action(path[i].step.Label)
		if actor == process && c.network.isUnlogged(&path[i]) {
			break // an alternative already
		}
		state = path[i].after
	}
	if err != nil {
		if d.best.start == nil || int(d.best.end.cut[chain]) != lengths[chain] {
			return nil
		}
		state = d.best.end.state
	}
	acting := process
	if d.trace.total {
		acting = anyProcess
	}
	s.trace.openEnd[chain] = false
	for _, internal := range []int{process, anyProcess} { // the internal actions of others only where necessary
		states, err := c.network.internalClosure(s.trace, [][]model.Value{state}, internal, s.limit, s.canonical)
		if all := c.expected(states, acting, wrong.pattern); err == nil && len(all) > 0 {
			return all
		}
	}
	return nil
}

// isUnlogged reports whether a move is an observable action that the log does not have.
func (n *network) isUnlogged(m *move) bool {
	return m.group >= 0 && m.event < 0 && !n.isInternal(m.step.Label)
}

// improveBest replaces the best partial run by another one, up to its first unlogged action, if that explains more.
func (d *dfs) improveBest(r *partialRun) {
	if r.start == nil {
		return
	}
	end, path := configuration{r.start, make(cut, len(d.trace.chains))}, r.path
	for i := range path {
		if d.network.isUnlogged(&path[i]) {
			path = path[:i]
			break
		}
		end = d.trace.apply(end, &path[i])
	}
	if d.best.start == nil || end.cut.size() > d.best.events() {
		d.best = partialRun{r.start, path, end}
	}
}

// prefixSearch returns a limited search for a run that explains a prefix of a trace. d has found no run that explains
// all of it.
func (c *checker) prefixSearch(d *dfs, lengths []int) *dfs {
	s := c.newDFS(d.trace.prefix(lengths))
	s.canonical, s.limit, s.abstractionLimit = d.canonical, workForAll/c.network.protocol.N, workForAll
	if d.abstraction == nil {
		s.abstractionLimit = 0
	}
	return s
}

// findConflict returns a conflict in a trace for which a search has found no run. It prefers a refutedNeighbourhood.
// Else the conflict has all lines up to the first one with which no run explains them. Then the other chains are
// shortened one by one, as far as short searches decide that.
func (c *checker) findConflict(ctx context.Context, d *dfs, initial [][]model.Value) *conflict {
	x := c.refutedNeighbourhood(ctx, d, initial)
	near := x != nil
	if !near {
		l := leastSearch{checker: c, dfs: d, initial: initial, persistent: true, lengths: d.trace.lengthsBefore}
		first := l.find(ctx, len(d.trace.events))
		x = &conflict{d.trace.lengthsBefore(first), d.trace.chainOf(d.trace.events[first-1].pattern.process), l.certain}
	}
	c.shortenOthers(ctx, d, initial, x)
	for near {
		l := leastSearch{checker: c, dfs: d, initial: initial, lengths: func(events int) []int {
			lengths := slices.Clone(x.lengths)
			lengths[x.wrong] = events
			return lengths
		}}
		x.lengths[x.wrong] = l.find(ctx, x.lengths[x.wrong])
		if length := x.lengths[x.wrong]; length > 0 {
			x.certain = l.certain || int(d.furthest[x.wrong]) >= length-1
			break
		}
		x.wrong = d.trace.latest(x.lengths) // the other chains contradict each other
	}
	return x
}

// shortenOthers shortens the chains of a conflict but the wrong one.
func (c *checker) shortenOthers(ctx context.Context, d *dfs, initial [][]model.Value, x *conflict) {
	order := make([]int, len(d.trace.chains))
	for chain := range order {
		order[chain] = chain
	}
	// The chains that the search has explained furthest are the least likely to contribute.
	slices.SortStableFunc(order, func(a, b int) int { return int(d.furthest[b]) - int(d.furthest[a]) })
	order = slices.DeleteFunc(order, func(chain int) bool { return chain == x.wrong })
	budget := workForAll / c.network.protocol.N
	shorten(x.lengths, order, 0, func(lengths []int) bool {
		if budget <= 0 {
			return false
		}
		s := c.prefixSearch(d, lengths)
		s.limit = min(budget, s.limit)
		_, _, err := s.search(ctx, initial)
		budget -= len(s.visited)
		return errors.Is(err, errUnexplained)
	})
}

// shorten lowers the lengths of chains one by one, down to a minimum, as long as they are unexplained.
func shorten(lengths, chains []int, minimum int, unexplained func(lengths []int) bool) {
	for _, chain := range chains {
		lengths[chain] = minimum + sort.Search(lengths[chain]-minimum, func(more int) bool {
			shorter := slices.Clone(lengths)
			shorter[chain] = minimum + more
			return unexplained(shorter)
		})
	}
}

// maxStuck limits the number of stuck processes that are examined. Most of them may only wait for the process with the
// wrong line. Their lines are then later, or in another file.
const maxStuck = 8

// refutedNeighbourhood returns a conflict among the chains of a stuck process and its neighbours, if an abstraction
// refutes one. Of the stuck processes, it is the one with the smallest such neighbourhood, and with the first line.
func (c *checker) refutedNeighbourhood(ctx context.Context, d *dfs, initial [][]model.Value) *conflict {
	a := d.abstraction
	if a == nil {
		return nil
	}
	stuck := a.sortedStuck()
	stuck = stuck[:min(len(stuck), maxStuck)]
	refuted := func(lengths []int) bool {
		other := newAbstraction(ctx, d.network, d.trace.prefix(lengths), initial,
			abstractionOptions{d.canonical, workForAll, d.memory})
		return other != nil && len(other.stuckProcesses()) > 0
	}
	for radius := 0; radius < 2*c.network.protocol.N; radius = max(1, 2*radius) {
		for _, p := range stuck {
			near := c.network.neighbourhood(p, radius)
			lengths := slices.Repeat([]int{unconstrained}, len(d.trace.chains))
			for _, q := range near {
				lengths[q] = len(d.trace.chains[q])
			}
			if d.trace.pending(a.maximum, p) {
				lengths[p] = int(a.maximum[p]) + 1
			}
			if !refuted(lengths) {
				continue
			}
			slices.Reverse(near)
			shorten(lengths, near, unconstrained, refuted)
			if lengths[p] <= int(a.maximum[p]) {
				p = d.trace.latest(lengths)
			}
			return &conflict{lengths: lengths, wrong: p}
		}
	}
	return nil
}

// sortedStuck returns the stuck processes, ordered by their next line. Processes that are stuck because of others come
// later, and processes without a next line last: they have not sent all messages of which the log shows receipts.
func (a *abstraction) sortedStuck() []int {
	t := a.trace
	stuck := a.stuckProcesses()
	pending := slices.DeleteFunc(slices.Clone(stuck), func(p int) bool { return !t.pending(a.maximum, p) })
	rank := slices.Repeat([]int{2 * len(t.events)}, len(t.chains))
	for _, p := range pending {
		rank[p] = t.chains[p][a.maximum[p]]
		if a.followsFrom(p, pending) {
			rank[p] += len(t.events)
		}
	}
	slices.SortFunc(stuck, func(p, q int) int { return rank[p] - rank[q] })
	return stuck
}

// followsFrom reports whether a process may be stuck because another one is: that one is stuck before it sends the
// message that the process is about to receive, or before an event that, by the clocks, happened before.
func (a *abstraction) followsFrom(process int, stuck []int) bool {
	pending := func(p int) *traceEvent { return a.trace.events[a.trace.chains[p][a.maximum[p]]] }
	e := pending(process)
	receipt := e.pattern
	lo, hi := a.network.protocol.InLinks(process)
	for _, q := range stuck {
		if e.before != nil && q != process && e.before[q] > int(a.maximum[q]) {
			return true
		}
		send := pending(q).pattern
		if receipt.kind != model.ReceiveAction || send.kind != model.SendAction ||
			receipt.message != nil && send.message != nil && receipt.message != send.message {
			continue
		}
		for l := lo; l < hi; l++ {
			link := a.network.protocol.Link(l)
			if link.From == q && matchesValue(link.In, receipt.port) && matchesValue(link.Out, send.port) {
				return true
			}
		}
	}
	return false
}

// neighbourhood returns the processes at most radius links away from a process, the nearest first.
func (n *network) neighbourhood(process, radius int) []int {
	list := []int{process}
	for first := 0; radius > 0; radius-- {
		last := len(list)
		for _, p := range list[first:last] {
			for _, q := range n.protocol.Neighbours(p) {
				if !slices.Contains(list, q) {
					list = append(list, q)
				}
			}
		}
		first = last
	}
	return list
}

// A leastSearch finds the least number of events that cannot be explained together. Each search for a run is limited.
// If persistent is true, the searches are repeated with twice the work until the number is certain, or the context, the
// memory or a bound ends them.
type leastSearch struct {
	checker    *checker
	dfs        *dfs // that has found no run
	initial    [][]model.Value
	persistent bool
	lengths    func(events int) []int // the prefix of a number of events

	explained int  // the most events that are known to be explained
	least     int  // the least number of events that is known to be unexplained
	limit     int  // of each search
	undecided bool // a search has exceeded the limit
	certain   bool // the result of find
}

// find returns the least number of events that cannot be explained together, at most all, which cannot be. If certain
// is false, a lower number may be the least.
func (l *leastSearch) find(ctx context.Context, all int) int {
	if l.dfs.trace.total {
		l.certain = true
		return int(l.dfs.furthest[0]) + 1 // the search has tried everything
	}
	l.explained, l.least, l.limit = -1, all, workForAll/l.checker.network.protocol.N
	for {
		if l.persistent {
			l.checker.recordUnexplained(l.dfs.trace.events[l.least-1]) // so far
		}
		l.undecided = false
		if l.least == l.explained+1 || l.explains(ctx, l.least-1) {
			l.certain = true
			return l.least
		}
		for low := l.explained; low+1 < l.least; {
			if middle := int(uint(low+l.least) / 2); l.explains(ctx, middle) || middle < l.least {
				low = middle // if it is undecided, a later one may be decided
			}
		}
		if !l.persistent || !l.undecided || ctx.Err() != nil {
			l.certain = l.least == l.explained+1
			return l.least
		}
		l.limit *= 2
	}
}

// explains reports whether a search finds a run that explains a number of events.
func (l *leastSearch) explains(ctx context.Context, events int) bool {
	c := l.checker
	s := c.prefixSearch(l.dfs, l.lengths(events))
	s.limit = l.limit
	s.progress = func(visited int) { c.reportProgress(l.dfs.linesExplained, visited) }
	_, _, err := s.search(ctx, l.initial)
	switch {
	case err == nil:
		l.explained = max(l.explained, events)
	case errors.Is(err, errUnexplained):
		l.least = min(l.least, events)
	case errors.Is(err, errLimit):
		l.undecided = true
	}
	return err == nil
}
