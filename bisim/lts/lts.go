package lts

import (
	"context"
	"errors"
	"fmt"
	"math"

	"ringcheck/internal/effort"
	"ringcheck/internal/graph"
)

// A Label is the number of a label in one system.
type Label = uint32

// Tau is the label of the internal action in every system.
const Tau Label = 0

// An Edge is a transition without its source.
type Edge = graph.Edge

// MaxStates and MaxTransitions limit the size of a system.
const (
	MaxStates      = math.MaxUint32 - 1
	MaxTransitions = math.MaxUint32 - 1
)

// ErrMemory reports work that was given up because it would exceed its memory limit.
var ErrMemory = effort.ErrMemory

// checkEvery is the number of loop iterations between two checks of the context: a few milliseconds of work.
const checkEvery = 1 << 16

// checkContext returns the context's error, if i is a multiple of checkEvery.
func checkContext(ctx context.Context, i int) error {
	if i%checkEvery == 0 {
		return ctx.Err()
	}
	return nil
}

// ErrTooLarge reports a system with more than MaxStates states or MaxTransitions transitions.
var ErrTooLarge = errors.New("the transition system is too large: at most 2^32-2 states and transitions")

// An LTS is a labelled transition system. It is safe for concurrent use unless a goroutine calls Hide or Prune.
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

// Label returns the text of a label. The text of τ is TauName.
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
		if err := checkContext(ctx, a); err != nil {
			return fmt.Errorf("hiding labels: %w", err)
		}
		isTau[a] = hidden(l.labels[a])
		any = any || isTau[a]
	}
	if !any {
		return nil
	}
	for i, e := range l.rows.All {
		if err := checkContext(ctx, i); err != nil {
			return fmt.Errorf("hiding labels: %w", err)
		}
		if isTau[e.Label] {
			l.rows.All[i].Label = Tau
		}
	}
	return nil
}

// Prune drops the unreachable states and returns their number. The others keep their order. l must not be used
// concurrently, nor after the error that Prune returns if the context ends.
func (l *LTS) Prune(ctx context.Context) (dropped int, err error) {
	number := make([]uint32, l.States()) // at first 1 if the state is reached
	number[l.initial] = 1
	todo := []uint32{l.initial}
	for i := 0; len(todo) > 0; i++ {
		if err := checkContext(ctx, i); err != nil {
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
	rows := graph.Rows[Edge]{At: make([]uint32, 1, len(kept)+1), All: l.rows.All[:0]}
	for i, s := range kept {
		if err := checkContext(ctx, i); err != nil {
			return 0, fmt.Errorf("dropping states: %w", err)
		}
		for _, e := range l.rows.Of(s) {
			rows.All = append(rows.All, Edge{Label: e.Label, To: number[e.To]})
		}
		rows.At = append(rows.At, uint32(len(rows.All)))
	}
	l.rows = rows
	return dropped, nil
}
