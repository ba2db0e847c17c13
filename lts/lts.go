package lts

import (
	"errors"
	"math"
)

// A Label numbers the labels of one system.
type Label uint32

// Tau is the label of the internal action in every system.
const Tau Label = 0

// An Edge is a transition but for its source.
type Edge struct {
	Label Label
	To    uint32
}

// MaxStates is the largest number of states of a system, and MaxTransitions of transitions.
const (
	MaxStates      = math.MaxUint32 - 1
	MaxTransitions = math.MaxUint32 - 1
)

// ErrTooLarge reports a system with more than MaxStates states or MaxTransitions transitions.
var ErrTooLarge = errors.New("the transition system is too large: at most 2^32-2 states and transitions")

// An LTS is a labelled transition system. It is safe for concurrent use as long as nobody calls Hide or Renumber.
type LTS struct {
	rows    rows
	initial uint32
	labels  []string // by Label
}

// States returns the number of states.
func (l *LTS) States() int { return len(l.rows.start) }

// Transitions returns the number of transitions. Equal ones count as often as they were added.
func (l *LTS) Transitions() int { return l.rows.edges }

// Initial returns the initial state.
func (l *LTS) Initial() uint32 { return l.initial }

// Out returns the transitions from s. The caller must not change them.
func (l *LTS) Out(s uint32) []Edge { return l.rows.row(s) }

// Labels returns the number of labels, τ included; some may be on no transition.
func (l *LTS) Labels() int { return len(l.labels) }

// Label returns the text of a label; that of τ is TauName.
func (l *LTS) Label(a Label) string { return l.labels[a] }

// Bytes returns the memory that the transitions take.
func (l *LTS) Bytes() uint64 { return l.rows.bytes() }

// Hide makes τ of every label whose text the predicate holds for.
func (l *LTS) Hide(hidden func(label string) bool) {
	isTau := make([]bool, len(l.labels))
	any := false
	for a := 1; a < len(l.labels); a++ {
		isTau[a] = hidden(l.labels[a])
		any = any || isTau[a]
	}
	if !any {
		return
	}
	for s := range uint32(len(l.rows.start)) {
		row := l.rows.row(s)
		for i, e := range row {
			if isTau[e.Label] {
				row[i].Label = Tau
			}
		}
	}
}

// Reverse returns the transitions by their targets.
func (l *LTS) Reverse() *Reverse {
	n := l.States()
	offset := make([]uint32, n+1)
	for s := range n {
		for _, e := range l.Out(uint32(s)) {
			offset[e.To+1]++
		}
	}
	for s := range n {
		offset[s+1] += offset[s]
	}
	in := make([]Source, l.Transitions())
	for s := range n {
		for _, e := range l.Out(uint32(s)) {
			in[offset[e.To]] = Source{e.Label, uint32(s)}
			offset[e.To]++
		}
	}
	// Every offset has moved on to the next row's start.
	copy(offset[1:], offset)
	offset[0] = 0
	return &Reverse{offset, in}
}

// A Source is a transition but for its target.
type Source struct {
	Label Label
	From  uint32
}

// A Reverse finds the transitions of a system by their targets, as compressed sparse rows made by counting
// sort.
type Reverse struct {
	offset []uint32 // of each state's row in in, and the end of the last
	in     []Source
}

// In returns the transitions to s, in the order of their sources. The caller must not change them.
func (r *Reverse) In(s uint32) []Source { return r.in[r.offset[s]:r.offset[s+1]] }
