package refinement

import (
	"context"
	"slices"

	"ringcheck/bisim/lts"
	"ringcheck/internal/effort"
)

// Options limit a search. The zero value has no limits.
type Options struct {
	Memory uint64 // in bytes, both systems included; 0: no limit
	// Progress, if not nil, is called every few milliseconds.
	Progress func(Progress)
}

// A Progress is a snapshot of a search.
type Progress struct {
	Level    int // the length of the traces
	Frontier int // pairs of that level that were met
	Result
	Bytes uint64 // held, both systems included
}

// A Result is the result of a search.
type Result struct {
	Refines    bool
	Difference *Difference // why not; nil if Refines
	Pairs      uint64      // states of A with sets of states of B that were compared
	Sets       uint64      // of states of B
	// Visible says whether A has a visible label; it is certain if Refines.
	Visible bool
	// Common says whether some visible label was met in A as well as in B.
	Common bool
	// Chaos says whether a trace led to a divergence of B, after which everything is permitted; Void, whether the empty
	// trace did.
	Chaos, Void bool
}

// A Difference is a behaviour of an implementation that the specification does not permit.
type Difference struct {
	Kind  Kind
	Trace []lts.Label // after which it occurs, for Excess including the label that is not permitted
	Run   []lts.Edge  // of the implementation from its initial state, with the labels of the trace, and τ's
	// Of a Refusal: the labels that the last state offers, and a minimal set of labels that it refuses though no stable
	// state of the specification does so. Refusal is empty if the specification is never stable after the trace.
	Offer, Refusal []lts.Label
	// Of a Divergence: the number of τ's at the end of Run, at least one, that lead back to the same state.
	Cycle int
}

// A Kind is a kind of difference.
type Kind int

// The kinds of difference.
const (
	Excess Kind = iota // a trace that the specification does not have
	Refusal
	Divergence
)

// Check decides whether a system refines another one, the specification, in a model. The labels of both are numbers of
// the same Alphabet. Of the violations it returns one with a shortest trace. The error is the error of ctx or of a
// system, lts.ErrMemory, or lts.ErrTooLarge; the result then has the numbers so far.
func Check(ctx context.Context, a, b System, model Model, opt Options) (r *Result, err error) {
	s := newSearch(ctx, a, b, model, opt)
	defer func() { r = s.result() }()
	defer effort.Catch(&err)
	s.difference = s.run()
	s.done = true
	if s.difference != nil {
		s.confirm(s.difference)
	}
	return nil, nil
}

// A search looks for a violation.
type search struct {
	effort effort.Effort
	a      System
	b      *sets
	model  Model
	opt    Options

	nodes   []node
	first   []uint32 // by state of A: the first node of its antichain, or none
	current []uint32 // nodes of the level
	pending []node   // candidates for the next level
	level   int
	at      int // nodes of current that were visited

	edges      []lts.Edge // of the state that is visited
	other      []lts.Edge // of a state that the divergence is asked for
	divergence divergence
	met        []bool // by label: whether a transition of A has it
	excess     *Difference
	difference *Difference
	done       bool
	chaos      bool
	void       bool
	ticks      uint
}

func newSearch(ctx context.Context, a, b System, model Model, opt Options) *search {
	s := &search{effort: effort.Effort{Context: ctx}, a: a, model: model, opt: opt}
	s.b = newSets(b, model, s.tick, s.hold)
	s.divergence = divergence{edgesOf: s.edgesOf, tick: s.tick}
	return s
}

// A node is a pair with the way to it.
type node struct {
	state, set uint32
	parent     uint32 // a node, or none
	label      lts.Label
	next       uint32 // in the antichain of the state
}

const none = ^uint32(0)

// run returns a violation with a shortest trace, or nil. A trace that B does not have is found on the
// level before its last label, so the rest of that level, whose traces are shorter, is searched first.
func (s *search) run() *Difference {
	initial := effort.Must(s.a.Initial())
	begin := s.b.initial()
	if s.void = s.meetsChaos(begin); s.void {
		return nil
	}
	s.pending = append(s.pending, node{state: initial, set: begin, parent: none})
	for ; len(s.pending) > 0; s.level++ {
		s.current, s.at = s.current[:0], 0
		for _, n := range s.pending {
			s.tick()
			s.admit(n)
		}
		s.pending = s.pending[:0]
		for ; s.at < len(s.current); s.at++ {
			s.tick()
			if d := s.visit(s.current[s.at]); d != nil {
				return d
			}
			if s.excess != nil && !s.model.refuses() {
				return s.excess
			}
		}
		if s.excess != nil {
			return s.excess
		}
	}
	return nil
}

// admit adds a candidate to the level, unless a node with the same state and a subset is known. Nodes with a superset
// leave the antichain.
func (s *search) admit(n node) {
	if s.dominated(n.state, n.set) {
		return
	}
	number := uint32(len(s.nodes))
	for at := &s.first[n.state]; *at != none; {
		other := &s.nodes[*at]
		if s.b.subset(n.set, other.set) {
			*at = other.next
			other.set = none
		} else {
			at = &other.next
		}
	}
	n.next = s.first[n.state]
	if number == none {
		effort.Abort(lts.ErrTooLarge)
	}
	s.nodes = append(reserve(s.nodes, 1, s.hold), n)
	s.first[n.state] = number
	s.current = append(s.current, number)
}

// dominated reports whether a node with the same state and a subset is known.
func (s *search) dominated(state, set uint32) bool {
	for uint32(len(s.first)) <= state {
		s.first = append(reserve(s.first, 1, s.hold), none)
	}
	for at := s.first[state]; at != none; at = s.nodes[at].next {
		s.tick()
		if s.b.subset(s.nodes[at].set, set) {
			return true
		}
	}
	return false
}

// visit returns the violation in a node, or keeps the trace that violates one label later. It finds the next nodes.
func (s *search) visit(number uint32) *Difference {
	n := s.nodes[number]
	if n.set == none {
		return nil // dominated since
	}
	s.edges = effort.Must(s.a.Edges(n.state, s.edges[:0]))
	if s.model == FailuresDivergences && s.divergence.has(n.state) {
		return s.divergesAt(number)
	}
	if s.model.refuses() && stable(s.edges) {
		if offer := s.b.offers.of(s.edges); !s.b.permitsOffer(n.set, offer) {
			d := s.differenceAt(Refusal, number)
			d.Offer, d.Refusal = slices.Clone(s.b.offers.list[offer]), s.b.refusal(n.set, offer)
			return d
		}
	}
	for _, e := range s.edges {
		if e.Label == lts.Tau && s.model.hides() {
			s.admit(node{state: e.To, set: n.set, parent: number, label: e.Label})
			continue
		}
		s.meet(e.Label)
		to, permitted := s.b.next(n.set, e.Label)
		switch {
		case !permitted && s.excess == nil:
			s.excess = s.differenceAt(Excess, number)
			s.excess.Trace, s.excess.Run = append(s.excess.Trace, e.Label), append(s.excess.Run, e)
		case !permitted || s.excess != nil || s.meetsChaos(to) || s.dominated(e.To, to):
		default:
			s.pending = append(reserve(s.pending, 1, s.hold),
				node{state: e.To, set: to, parent: number, label: e.Label})
		}
	}
	return nil
}

// meetsChaos reports whether a set permits everything.
func (s *search) meetsChaos(set uint32) bool {
	s.chaos = s.chaos || set == chaos
	return set == chaos
}

func (s *search) meet(label lts.Label) {
	for uint32(len(s.met)) <= label {
		s.met = append(s.met, false)
	}
	s.met[label] = true
}

// edgesOf returns the transitions of a state of A, valid until the next call.
func (s *search) edgesOf(state uint32) []lts.Edge {
	s.other = effort.Must(s.a.Edges(state, s.other[:0]))
	return s.other
}

// differenceAt returns a difference with the way to a node.
func (s *search) differenceAt(kind Kind, number uint32) *Difference {
	d := &Difference{Kind: kind, Trace: []lts.Label{}, Run: []lts.Edge{}}
	for n := &s.nodes[number]; n.parent != none; n = &s.nodes[n.parent] {
		d.Run = append(d.Run, lts.Edge{Label: n.label, To: n.state})
		if n.label != lts.Tau || !s.model.hides() {
			d.Trace = append(d.Trace, n.label)
		}
	}
	slices.Reverse(d.Run)
	slices.Reverse(d.Trace)
	return d
}

// tick counts a step, and stops the search at its limits.
func (s *search) tick() {
	const ticksPerCheck = 1 << 10
	if s.ticks++; s.ticks%ticksPerCheck != 0 {
		return
	}
	s.effort.Check()
	s.hold(0)
	held := s.bytes()
	if s.opt.Progress != nil {
		s.opt.Progress(Progress{Level: s.level, Frontier: len(s.current), Result: *s.result(), Bytes: held})
	}
}

// hold stops the search if it cannot hold more memory.
func (s *search) hold(bytes uint64) {
	if s.opt.Memory != 0 && s.bytes()+bytes > s.opt.Memory {
		effort.Abort(effort.ErrMemory)
	}
}

func (s *search) bytes() uint64 {
	const nodeBytes = 20
	return s.a.Bytes() + s.b.System.Bytes() + s.b.bytes() + s.divergence.bytes() +
		nodeBytes*uint64(cap(s.nodes)+cap(s.pending)) + 4*uint64(cap(s.first)+cap(s.current)) +
		8*uint64(cap(s.edges)+cap(s.other))
}

// result returns the result so far.
func (s *search) result() *Result {
	r := &Result{Refines: s.done && s.difference == nil, Difference: s.difference, Pairs: uint64(len(s.nodes)),
		Sets: uint64(len(s.b.list) - 1), Chaos: s.chaos, Void: s.void}
	for label, met := range s.met {
		if met && label != int(lts.Tau) {
			r.Visible = true
			r.Common = r.Common || label < len(s.b.met) && s.b.met[label]
		}
	}
	return r
}

// divergesAt returns the difference that the state of a node diverges: with a shortest way to the nearest state on a
// τ-cycle, and a shortest such cycle.
func (s *search) divergesAt(number uint32) *Difference {
	d := s.differenceAt(Divergence, number)
	r := s.silent(s.nodes[number].state)
	for i := uint32(0); ; i++ {
		cycle := r.cycle(i)
		if cycle == nil {
			continue
		}
		d.Run = append(append(d.Run, r.path(i)...), cycle...)
		d.Cycle = len(cycle)
		return d
	}
}
