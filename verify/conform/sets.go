package conform

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ringcheck/bisim/lts"
	"ringcheck/model"
	"ringcheck/model/language/compile"
)

// Sets follow a log in the order of its lines, with the set of all configurations in which the system may be: the
// hypotheses.
type sets struct {
	*depth
	initial   [][]model.Value
	now       []hypothesis
	explained int
	traced    bool     // links are recorded
	kept      *[]*link // where all are kept; nil: they are not
	made      int      // links
	judge     *judge
	work      int // so far, see workForAll
	all, one  int // the limits workForAll and workForOne; 0: none
}

// A hypothesis is a configuration, with the information about the runs that reach it.
type hypothesis struct {
	state  []model.Value
	at     *link  // nil if none are made
	broken uint64 // the properties that all runs to it have violated
}

// A link is a move in a run and what came before it.
type link struct {
	move
	before *link  // nil at an initial state
	number uint64 // among those that are kept, from 1
}

// begin makes the initial states hypotheses.
func (s *sets) begin() error {
	s.whole, s.grown = s.unseen, nil
	initial, err := s.network.initial()
	s.initial = initial
	for _, state := range initial {
		at := s.extend(nil, &move{group: initialization, process: nobody, event: -1, after: state})
		s.now = append(s.now, hypothesis{state, at, s.judge.broken(state, s.network)})
	}
	return err
}

// extend adds a move to a run.
func (s *sets) extend(before *link, m *move) *link {
	if !s.traced {
		return nil
	}
	l := &link{move: *m, before: before}
	s.made++
	if s.kept != nil {
		*s.kept = append(*s.kept, l)
		l.number = uint64(len(*s.kept))
	}
	return l
}

// add follows a line of the log: an event, or what a process was assigned. The error is errUnexplained if no run does,
// and before then has the hypotheses before it, unobserved steps included.
func (s *sets) add(ctx context.Context, e *logged) (before [][]model.Value, err error) {
	if e.assign == nil {
		s.events = append(s.events, e)
		s.lanes[0] = append(s.lanes[0], len(s.events)-1)
		return s.observe(ctx)
	}
	fits := s.network.give(e.pattern)
	if s.initial == nil && fits {
		return nil, nil
	}
	var after []hypothesis
	for _, h := range s.now {
		if fits && s.network.agrees(h.state[s.size:], e.pattern) {
			if h.state, err = s.network.settled(h.state); err != nil {
				return nil, err
			}
			after = append(after, h)
		}
	}
	if len(after) == 0 {
		return states(s.now), s.unexplained()
	}
	s.now = after
	return nil, nil
}

// Work is counted in processes of hypotheses, and in values of quantifiers in invariants. All unseen steps are followed
// up to workForAll, and as long as it is workForEach an event on average. Then only those of persistent sets are
// followed: the same events are explained, but states and verdicts may be missing. Beyond workForOne, it is faster to
// find one run than all hypotheses.
const (
	workForAll  = 1 << 17
	workForOne  = 1 << 19
	workForEach = 1 << 12
)

// observe follows the next event, as add does.
func (s *sets) observe(ctx context.Context) ([][]model.Value, error) {
	before, next, err := s.after(ctx)
	if s.whole && errors.Is(err, errMany) {
		s.whole = false
		before, next, err = s.after(ctx)
	}
	if err == nil && len(next) == 0 {
		err = s.unexplained()
	}
	if err != nil {
		return states(before), err
	}
	s.now = next
	s.explained++
	return nil, nil
}

// after returns the hypotheses before and after the next event.
func (s *sets) after(ctx context.Context) (before, after []hypothesis, err error) {
	s.work = max(0, s.work-workForEach)
	done := []model.Value{model.Value(s.explained)}
	visited, next := &collection{of: s}, &collection{of: s}
	for _, h := range s.now {
		visited.add(h)
	}
	for i := 0; i < len(visited.list); i++ {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		h := visited.list[i]
		moves, err := s.persistent(s.agenda, configuration{h.state, done})
		if err != nil {
			return nil, nil, err
		}
		for j := range moves {
			m := &moves[j]
			to := visited
			if m.event >= 0 {
				to = next
			}
			h := hypothesis{state: m.after, at: h.at, broken: h.broken | s.judge.broken(m.after, s.network)}
			if to.add(h) {
				to.list[len(to.list)-1].at = s.extend(h.at, m)
			}
		}
		s.work += s.protocol.N + s.judge.work
		s.judge.work = 0
		switch {
		case s.whole && s.all > 0 && s.work > s.all, s.one > 0 && s.work > s.one:
			return nil, nil, errMany
		case s.held(visited, next) > s.limit:
			return nil, nil, errMemory
		}
	}
	return visited.list, next.list, nil
}

// states returns the states of hypotheses.
func states(list []hypothesis) (states [][]model.Value) {
	for _, h := range list {
		states = append(states, h.state)
	}
	return states
}

// held returns an estimate of the memory of hypotheses and links, in bytes.
func (s *sets) held(collections ...*collection) uint64 {
	all := s.made
	for _, c := range collections {
		all += len(c.list)
	}
	return uint64(all) * uint64(4*len(s.initial[0])+150)
}

// forget drops the events that are explained.
func (s *sets) forget() { s.events, s.lanes[0], s.explained = nil, nil, 0 }

// label returns the label of a link in a graph.
func (l *link) label(sys *compile.System) string {
	switch {
	case l.group == initialization && l.process < 0:
		return lts.TauName
	case l.group == initialization:
		return fmt.Sprintf("process %d gets its values", l.process)
	case l.group == observation:
		return fmt.Sprintf("process %d is as logged", l.process)
	case l.event < 0:
		return sys.Label(l.step.Label).Text + " (not in the log)"
	}
	return sys.Label(l.step.Label).Text
}

// violated returns the invariants that all runs to the hypotheses have violated, and that some have, as bits.
func (s *sets) violated() (every, some uint64) {
	every = ^uint64(0)
	for _, h := range s.now {
		every, some = every&h.broken, some|h.broken
	}
	return every, some
}

// path returns an initial state and the moves from it to a hypothesis.
func (h *hypothesis) path() (start []model.Value, path []move) {
	at := h.at
	for ; at.before != nil; at = at.before {
		path = append(path, at.move)
	}
	slices.Reverse(path)
	if len(path) > 0 { // later lines may have assigned values to a process
		path[len(path)-1].after = h.state
	}
	return at.after, path
}

// A collection is a set of hypotheses in the order in which they were added. It is fast for few.
type collection struct {
	of    *sets
	list  []hypothesis
	known map[string]bool // nil while there are few
}

const few = 8

func (c *collection) key(h hypothesis) string {
	return c.of.identity(configuration{h.state, []model.Value{model.Value(h.broken), model.Value(h.broken >> 32)}})
}

// add adds a hypothesis. It is false if that is in the collection.
func (c *collection) add(h hypothesis) bool {
	if len(c.list) < few {
		same := func(x hypothesis) bool { return x.broken == h.broken && slices.Equal(x.state, h.state) }
		if slices.ContainsFunc(c.list, same) {
			return false
		}
		c.list = append(c.list, h)
		return true
	}
	if c.known == nil {
		c.known = make(map[string]bool)
		for _, x := range c.list {
			c.known[c.key(x)] = true
		}
	}
	key := c.key(h)
	if c.known[key] {
		return false
	}
	c.known[key] = true
	c.list = append(c.list, h)
	return true
}
