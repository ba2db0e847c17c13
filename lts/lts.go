package lts

import (
	"context"
	"errors"
	"fmt"
	"math"

	"ringcheck/graph"
	"ringcheck/internal/effort"
)

// A Label is the number of a label in one system.
type Label uint32

// Tau is the label of the internal action in every system.
const Tau Label = 0

// An Edge is a transition without its source.
type Edge struct {
	Label Label
	To    uint32
}

// MaxStates and MaxTransitions limit the size of a system.
const (
	MaxStates      = math.MaxUint32 - 1
	MaxTransitions = math.MaxUint32 - 1
)

// ErrMemory reports work that was given up because it would exceed its memory limit.
var ErrMemory = effort.ErrMemory

// checkEvery is the number of loop iterations between two checks of the context: a few milliseconds of work.
const checkEvery = 1 << 16

// every returns the context's error, if i is a multiple of checkEvery.
func every(ctx context.Context, i int) error {
	if i%checkEvery == 0 {
		return ctx.Err()
	}
	return nil
}

// ErrTooLarge reports a system with more than MaxStates states or MaxTransitions transitions.
var ErrTooLarge = errors.New("the transition system is too large: at most 2^32-2 states and transitions")

// An LTS is a labelled transition system. It is safe for concurrent use unless a goroutine calls Hide, Prune or
// Renumber.
type LTS struct {
	rows    graph.Rows[Edge]
	initial uint32
	labels  []string // by Label
}

// States returns the number of states.
func (l *LTS) States() int { return l.rows.Len() }

// Transitions returns the number of transitions. Equal ones count as often as they were added.
func (l *LTS) Transitions() int { return len(l.rows.All) }

// Initial returns the initial state.
func (l *LTS) Initial() uint32 { return l.initial }

// Out returns the transitions from s. The caller must not change them.
func (l *LTS) Out(s uint32) []Edge { return l.rows.Of(s) }

// Labels returns the number of labels, τ included; some may be on no transition.
func (l *LTS) Labels() int { return len(l.labels) }

// Label returns the text of a label; that of τ is TauName.
func (l *LTS) Label(a Label) string { return l.labels[a] }

// labelBytes returns the memory of a label: its text, its header in the list of labels and its entry in a map.
func labelBytes(text string) uint64 { return uint64(len(text)) + 16 + 48 }

// Bytes returns the memory of the system in bytes, labels included.
func (l *LTS) Bytes() uint64 {
	b := l.rows.Bytes()
	for _, text := range l.labels {
		b += labelBytes(text)
	}
	return b
}

// Hide turns every label whose text satisfies the predicate into τ. If the context ends, Hide returns its error, with
// only some transitions hidden.
func (l *LTS) Hide(ctx context.Context, hidden func(label string) bool) error {
	isTau := make([]bool, len(l.labels))
	any := false
	for a := 1; a < len(l.labels); a++ {
		if err := every(ctx, a); err != nil {
			return fmt.Errorf("hiding labels: %w", err)
		}
		isTau[a] = hidden(l.labels[a])
		any = any || isTau[a]
	}
	if !any {
		return nil
	}
	for i, e := range l.rows.All {
		if err := every(ctx, i); err != nil {
			return fmt.Errorf("hiding labels: %w", err)
		}
		if isTau[e.Label] {
			l.rows.All[i].Label = Tau
		}
	}
	return nil
}

// Renumber numbers the states in breadth-first order from the initial state, which becomes state 0, and the labels in
// the order of their first transitions. It drops unreachable states and labels. Systems that differ only in their
// numbers, not in the order of the transitions from each state, become equal. l must not be used concurrently, nor
// after the error that Renumber returns if the context ends.
func (l *LTS) Renumber(ctx context.Context) error {
	states := newNumbering(l.States())
	labels := newNumbering(len(l.labels))
	labels.number(uint32(Tau))
	states.number(l.initial)
	l.initial = 0
	for i := 0; i < len(states.met); i++ {
		if err := every(ctx, i); err != nil {
			return fmt.Errorf("numbering states: %w", err)
		}
		row := l.rows.Of(states.met[i])
		for j, e := range row {
			row[j] = Edge{Label(labels.number(uint32(e.Label))), states.number(e.To)}
		}
	}
	l.rows.Keep(states.met)
	texts := make([]string, len(labels.met))
	for i, a := range labels.met {
		texts[i] = l.labels[a]
	}
	l.labels = texts
	return nil
}

// Prune drops the unreachable states and returns their number. The others keep their order. l must not be used
// concurrently, nor after the error that Prune returns if the context ends.
func (l *LTS) Prune(ctx context.Context) (dropped int, err error) {
	number := make([]uint32, l.States()) // at first 1 if the state is reached
	number[l.initial] = 1
	todo := []uint32{l.initial}
	for i := 0; len(todo) > 0; i++ {
		if err := every(ctx, i); err != nil {
			return 0, fmt.Errorf("looking for reachable states: %w", err)
		}
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, e := range l.rows.Of(s) {
			if number[e.To] == 0 {
				number[e.To] = 1
				todo = append(todo, e.To)
			}
		}
	}
	var kept []uint32
	for s, reached := range number {
		if reached != 0 {
			number[s] = uint32(len(kept))
			kept = append(kept, uint32(s))
		}
	}
	if dropped = l.States() - len(kept); dropped == 0 {
		return 0, nil
	}
	l.initial = number[l.initial]
	l.rows.Keep(kept)
	for i := range l.rows.All {
		if err := every(ctx, i); err != nil {
			return 0, fmt.Errorf("dropping states: %w", err)
		}
		l.rows.All[i].To = number[l.rows.All[i].To]
	}
	return dropped, nil
}

// A numbering numbers things in the order of their first occurrence.
type numbering struct {
	of  []uint32 // the number of each thing, or unmet
	met []uint32
}

const unmet = ^uint32(0)

func newNumbering(things int) *numbering {
	n := &numbering{of: make([]uint32, things)}
	for i := range n.of {
		n.of[i] = unmet
	}
	return n
}

func (n *numbering) number(thing uint32) uint32 {
	if n.of[thing] == unmet {
		n.of[thing] = uint32(len(n.met))
		n.met = append(n.met, thing)
	}
	return n.of[thing]
}
