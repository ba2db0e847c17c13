package conform

import (
	"context"
	"errors"
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/step"
)

// A dfs is a depth-first search for a run that explains a trace. It visits each configuration once, except for those
// that an abstraction refutes.
type dfs struct {
	network          *network
	trace            *trace
	followed         *tracker                       // that has followed the events before the trace; nil: none
	canonical        bool                           // configurations with the same canonical local states are one
	memory           uint64                         // the limit for visited configurations, in bytes
	limit            int                            // the limit on visited configurations; 0: none
	abstractionLimit int                            // the limit on the work for an abstraction, unless there is one
	avoid            func(state []model.Value) bool // states that a run must not contain; nil: none
	progress         func(visited int)              // if not nil, called now and then

	abstraction *abstraction // nil if it is too large
	refuted     bool         // by the abstraction: the search only looks for events that are explained together
	visited     map[string]bool
	bytes       uint64 // of visited
	key         []byte // scratch
	stack       []frame
	best        partialRun
	furthest    cut // by chain: the most events that a visited configuration explains
}

// A frame is a configuration on the stack.
type frame struct {
	configuration configuration
	by            *move  // the move to it; nil at the start
	moves         []move // its expansion
	next          int    // the move that is tried next
}

// A partialRun leads to a configuration that explains the most events, of those where a search went back or ended.
type partialRun struct {
	start []model.Value // nil: there is no run
	path  []move
	end   configuration
}

// events returns the number of events that a partial run explains.
func (r *partialRun) events() int { return r.end.cut.size() }

// linesExplained returns the number of lines that the best partial run explains.
func (d *dfs) linesExplained() int {
	if d.best.start == nil {
		return 0
	}
	return d.trace.lines(d.best.end.cut)
}

// maxAfterRefutation bounds the configurations, beyond the number of events, that are visited after a refutation.
const maxAfterRefutation = 1 << 8

// Reasons for which a search ends without a result.
var (
	errMemory = errors.New("memory")
	errLimit  = errors.New("too many configurations or hypotheses")
)

// search looks for a run from one of the initial states. It returns its moves. The error is errUnexplained if there is
// no run, errMemory, errLimit, the error of ctx, or an error of notExplained.
func (d *dfs) search(ctx context.Context, initial [][]model.Value) (start []model.Value, path []move, err error) {
	d.visited = make(map[string]bool)
	d.best, d.furthest = partialRun{}, make(cut, len(d.trace.chains))
	if d.abstraction == nil {
		d.abstraction = newAbstraction(ctx, d.network, d.trace, initial,
			abstractionOptions{d.canonical, d.abstractionLimit, d.memory})
	}
	d.network.growth = nil // what the abstraction has set
	d.refuted = d.abstraction != nil && len(d.abstraction.stuckProcesses()) > 0
	for _, state := range initial {
		found, err := d.searchFrom(ctx, configuration{state, make(cut, len(d.trace.chains))})
		if err != nil || found {
			return state, d.path(), err
		}
	}
	if d.refuted {
		return nil, nil, errUnexplained // whatever steps were left out
	}
	return nil, nil, d.network.notExplained()
}

// searchFrom searches from one configuration. If it finds a run, the stack holds it.
func (d *dfs) searchFrom(ctx context.Context, c configuration) (found bool, err error) {
	d.stack = d.stack[:0]
	defer func() {
		if len(d.stack) > 0 { // the search ends early
			d.recordBest()
		}
	}()
	err = d.push(c, nil)
	for count := 0; err == nil && len(d.stack) > 0; count++ {
		if count%16 == 0 {
			if ctx.Err() != nil {
				return false, context.Cause(ctx)
			}
			if d.progress != nil {
				d.progress(len(d.visited))
			}
		}
		f := &d.stack[len(d.stack)-1]
		if d.trace.first(f.configuration.cut) < 0 {
			return true, nil
		}
		if f.next == len(f.moves) {
			d.recordBest()
			d.stack = d.stack[:len(d.stack)-1]
			continue
		}
		switch {
		case d.refuted && len(d.visited) > len(d.trace.events)+maxAfterRefutation:
			return false, nil
		case d.bytes > d.memory:
			return false, errMemory
		case d.limit > 0 && len(d.visited) > d.limit:
			return false, errLimit
		}
		m := &f.moves[f.next]
		f.next++
		err = d.push(d.trace.apply(f.configuration, m), m)
	}
	return false, err
}

// push pushes a configuration after a move, unless it has been visited or no run leads through it.
func (d *dfs) push(c configuration, by *move) error {
	key := d.keyOf(c)
	if d.visited[key] || d.refutes(c, by) || d.avoid != nil && d.avoid(c.state) {
		return nil
	}
	moves, err := d.network.expand(d.trace, c)
	slices.SortStableFunc(moves, func(a, b move) int { return d.rank(c, &a) - d.rank(c, &b) })
	if d.abstraction != nil {
		d.abstraction.sortSends(c, moves)
	}
	d.visited[key] = true
	for chain, events := range c.cut {
		d.furthest[chain] = max(d.furthest[chain], events)
	}
	d.bytes += uint64(len(key)) + 64
	d.stack = append(d.stack, frame{configuration: c, by: by, moves: moves})
	return err
}

// rank ranks moves: moves that explain an event are tried first, and moves after the end of a chain last.
func (d *dfs) rank(c configuration, m *move) int {
	switch {
	case m.event >= 0:
		return 0
	case m.process >= 0 && !d.trace.isOpen(c.cut, d.trace.chainOf(m.process)):
		return 1
	}
	return 2
}

// refutes reports whether the abstraction refutes a configuration after a move, which changes one abstract state.
func (d *dfs) refutes(c configuration, by *move) bool {
	if d.abstraction == nil || d.refuted {
		return false
	}
	if by != nil && by.process >= 0 {
		return d.abstraction.refutes(c, by.process)
	}
	for p := range d.network.protocol.N {
		if d.abstraction.refutes(c, p) {
			return true
		}
	}
	return false
}

// keyOf returns a key that is the same for configurations from which the same events can be explained.
func (d *dfs) keyOf(c configuration) string {
	d.key = d.network.appendKey(d.key[:0], c.state, d.canonical)
	for _, n := range c.cut {
		d.key = appendValue(d.key, n)
	}
	return string(d.key)
}

func appendValue(key []byte, v model.Value) []byte { return step.AppendKey(key, int64(v)) }

// recordBest records the run to the top of the stack if no recorded run has explained as many events.
func (d *dfs) recordBest() {
	c := d.stack[len(d.stack)-1].configuration
	if d.best.start == nil || c.cut.size() > d.best.events() {
		d.best = partialRun{d.stack[0].configuration.state, d.path(), c}
	}
}

// path returns the moves to the configuration on top of the stack.
func (d *dfs) path() (path []move) {
	for i := 1; i < len(d.stack); i++ {
		path = append(path, *d.stack[i].by)
	}
	return path
}
