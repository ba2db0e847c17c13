package product

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"ringcheck/explore"
	"ringcheck/model/ltl"
)

// A Prefix is a finite run that decides that a formula is violated.
type Prefix struct {
	Steps []Step
	Last  uint64 // the place of its last state
	// Ends means that only the run that ends in Last violates the formula; otherwise every continuation does.
	Ends bool
	Next Kind // of a transition from Last; of the one at the end of the run if it Ends
}

// ErrNoMonitor means that a formula has no monitor of a reasonable size.
var ErrNoMonitor = errors.New("the monitor of the formula is too large")

// Prefix returns a shortest Prefix that violates ltl.Formula.Safety of a formula; nil if no run violates it. It ignores
// Automaton and Actions: in a finite system every finite run is the beginning of a fair one, in which each action is
// taken as soon as it can be, and its probability is positive.
//
// The search is breadth-first in the product with a monitor. It omits nodes from which no violation can be reached. The
// error is ErrNoMonitor, ErrTooLarge, explore.ErrMemory or the error of the context.
func (s *Search) Prefix(ctx context.Context, f *ltl.Formula) (*Prefix, error) {
	p := s.newPrefixSearch(ctx, f)
	switch {
	case p == nil:
		return nil, ErrNoMonitor
	case p.monitor.Initial == ltl.Safe:
		return nil, nil
	case p.m.places >= math.MaxUint32/2 || p.m.places*uint64(p.monitor.States) >= math.MaxUint32/2:
		return nil, ErrTooLarge
	}
	var starts []node
	for _, place := range s.System.Initial() {
		starts = append(starts, p.m.nodeOf(p.monitor.Initial, place))
	}
	b := &bfs{m: p.m, edges: p.edges}
	if size := s.System.States(); p.m.checkMemory(4*size) == nil { // a queue that grows leaves garbage
		b.queue = make([]node, 0, size)
		p.m.usedBytes += 4 * size
	}
	if err := b.restart(starts); err != nil {
		return nil, err
	}
	for p.bfs = b; !p.done; {
		_, _, err := b.expandBatch(false, func(pathEdge) bool { return p.done })
		if errors.Is(err, errNoPath) {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	return p.prefix()
}

// A prefixSearch is a search for a Prefix.
type prefixSearch struct {
	m         *product
	monitor   *ltl.Monitor
	letters   []int // by class: the index of its first letter
	events    []int // by kind: the index of its event, to add
	bfs       *bfs
	visits    int // the number of nodes that have been expanded
	depth     int // of the node that is expanded
	levelEnd  int // the number of nodes up to this depth
	done      bool
	violation *violation
}

// A violation is a run to a node, and in addition by an edge unless that is nil.
type violation struct {
	at     int // the index of the node in the queue
	edge   *pathEdge
	ends   bool
	next   Kind
	length int
}

// newPrefixSearch returns nil if there is no monitor of a reasonable size.
func (s *Search) newPrefixSearch(ctx context.Context, f *ltl.Formula) *prefixSearch {
	m := &product{Search: s, ctx: ctx, kinds: s.System.Kinds(), places: s.System.Places()}
	p := &prefixSearch{m: m}
	atoms := f.Atoms()
	var states []uint64
	events := []uint64{0} // of no event
	number := func(list *[]uint64, letter uint64) int {
		i := slices.Index(*list, letter&atoms)
		if i < 0 {
			i = len(*list)
			*list = append(*list, letter&atoms)
		}
		return i
	}
	for _, k := range m.kinds {
		p.events = append(p.events, number(&events, s.Events(k)))
	}
	for _, letter := range s.Letters {
		p.letters = append(p.letters, len(events)*number(&states, letter))
	}
	if len(states)*len(events) > maxMonitorLetters {
		return nil
	}
	var all []uint64
	for _, state := range states {
		for _, event := range events {
			all = append(all, state|event)
		}
	}
	if p.monitor = ltl.NewMonitor(f, all); p.monitor == nil {
		return nil
	}
	m.accepting = make([]bool, p.monitor.States)
	return p
}

// maxMonitorLetters bounds the letters of a monitor.
const maxMonitorLetters = 1 << 12

// edges calls do with the edges of a node to nodes from which a violation may still be reached. While the search goes
// on, it also looks for a violation by the node or its edges.
func (p *prefixSearch) edges(v *explore.Vertex, from node, do func(pathEdge) bool) {
	q := p.m.stateOf(from)
	if p.bfs != nil {
		if p.visits == p.levelEnd {
			p.levelEnd = len(p.bfs.queue)
			if p.visits > 0 {
				p.depth++
			}
		}
		p.judge(v, q, from)
		p.visits++
	}
	for t, tag := range v.Tags {
		if p.isEnd(tag) {
			continue
		}
		if to := p.monitor.Next(q, p.letters[v.Class]+p.events[tag]); to >= 0 &&
			!do(pathEdge{from: from, to: p.m.nodeOf(to, v.To[t]), kind: tag, by: permutationOf(v, t)}) {
			return
		}
	}
}

// isEnd reports whether a transition is the end of a run.
func (p *prefixSearch) isEnd(tag uint32) bool { return p.m.kinds[tag].Action == Over }

// judge records a violation by the node that is expanded or by its edges, if it is shorter than the known one.
func (p *prefixSearch) judge(v *explore.Vertex, q int, from node) {
	if p.violation != nil && p.violation.length <= p.depth {
		p.done = true
		return
	}
	next := violation{at: p.visits, next: p.m.kinds[v.Tags[0]], length: p.depth}
	letter := p.letters[v.Class]
	// If it takes an event to violate the formula, or the end of the run, that belongs to the run.
	every := p.monitor.Next(q, letter) == ltl.Violated
	var bad *pathEdge
	for t, tag := range v.Tags {
		violates := p.monitor.Next(q, letter+p.events[tag]) == ltl.Violated
		if p.isEnd(tag) {
			if p.violatesByEnd(q, letter+p.events[tag]) {
				next.ends, next.next = true, p.m.kinds[tag]
			}
		} else if violates && bad == nil {
			bad = &pathEdge{from: from, to: p.m.nodeOf(q, v.To[t]), kind: tag, by: permutationOf(v, t)}
		}
		every = every && violates
	}
	switch {
	case every, next.ends:
		next.ends = !every
		p.violation, p.done = &next, true
	case bad != nil && p.violation == nil:
		p.violation = &violation{at: p.visits, edge: bad, length: p.depth + 1}
	}
}

// violatesByEnd reports whether the run that ends in a state is a violation: the letter is repeated for ever.
func (p *prefixSearch) violatesByEnd(q, letter int) bool {
	for range p.monitor.States {
		if q = p.monitor.Next(q, letter); q < 0 {
			return q == ltl.Violated
		}
	}
	return false
}

// prefix returns the run to the violation.
func (p *prefixSearch) prefix() (*Prefix, error) {
	w := p.violation
	if w == nil {
		return nil, nil
	}
	result := &Prefix{Last: p.m.placeOf(p.bfs.queue[w.at]), Ends: w.ends, Next: w.next}
	b := p.bfs
	p.bfs = nil
	way, err := b.pathTo(w.at, false)
	if w.edge != nil {
		way = append(way, *w.edge)
		result.Last = p.m.placeOf(w.edge.to)
		err = cmp.Or(err, p.m.System.Expand([]uint64{result.Last}, func(v *explore.Vertex) {
			result.Next = p.m.kinds[v.Tags[0]]
		}))
	}
	result.Steps = p.m.steps(way)
	return result, err
}

// CheckPrefix returns an error unless every continuation of a Prefix violates a formula or, if it Ends, the run that
// ends with it does. It follows the definitions.
func (s *Search) CheckPrefix(p *Prefix, f *ltl.Formula) error {
	if p.Ends {
		return s.Check(p.Lasso(), ltl.Not(f))
	}
	f = f.Safety()
	places := append(sources(p.Steps), p.Last)
	if !slices.Contains(s.System.Initial(), places[0]) {
		return errors.New("a prefix does not begin in an initial state")
	}
	right, i := true, 0
	err := s.System.Expand(places, func(v *explore.Vertex) {
		letter := s.Letters[v.Class]
		if i == len(p.Steps) {
			for _, tag := range v.Tags {
				right = right && !ltl.Satisfiable(f.Progress(letter|s.Events(s.System.Kinds()[tag])))
			}
			return
		}
		has := false
		for t, to := range v.To {
			has = has || p.Steps[i] == stepOf(v, t, s.System.Kinds()) && to == places[i+1]
		}
		f = f.Progress(letter | s.Events(p.Steps[i].Kind))
		right = right && has
		i++
	})
	if err == nil && !right {
		err = errors.New("a prefix is not a run of the system, or does not violate the formula")
	}
	return err
}

// First returns the place of the first state.
func (p *Prefix) First() uint64 {
	if len(p.Steps) == 0 {
		return p.Last
	}
	return p.Steps[0].From
}

// Lasso returns the run that repeats the last state of a Prefix, with a transition of the kind Next. It is a run of the
// system if the Prefix Ends.
func (p *Prefix) Lasso() *Lasso {
	return &Lasso{Stem: p.Steps, Cycle: []Step{{From: p.Last, To: p.Last, Kind: p.Next}}}
}
