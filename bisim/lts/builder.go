package lts

import (
	"context"
	"fmt"
	"slices"

	"ringcheck/internal/graph"
)

// A Builder collects the transitions of a system. States may come in any order.
type Builder struct {
	labels   []string
	byText   map[string]Label
	chunks   [][]Edge // all but the last are full
	segments []segment
	edges    int
}

// chunkEdges is the number of transitions per chunk. Chunks avoid the repeated copying of one growing slice.
const chunkEdges = 1 << 16

// NewBuilder returns an empty builder whose only label is τ.
func NewBuilder() *Builder {
	return &Builder{labels: []string{TauName}, byText: map[string]Label{TauName: Tau}}
}

// Label returns the label with a text, adding it if it is new; τ for TauName. Callers with many transitions should
// cache the result.
func (b *Builder) Label(text string) Label {
	if a, ok := b.byText[text]; ok {
		return a
	}
	a := Label(len(b.labels))
	b.labels = append(b.labels, text)
	b.byText[text] = a
	return a
}

// A segment is a run of consecutive transitions from one state.
type segment struct{ from, count uint32 }

// Add adds transitions from one state. The slice is copied.
func (b *Builder) Add(from uint32, edges ...Edge) {
	if len(edges) == 0 {
		return
	}
	if n := len(b.segments); n == 0 || b.segments[n-1].from != from {
		b.segments = append(b.segments, segment{from: from})
	}
	b.segments[len(b.segments)-1].count += uint32(len(edges))
	b.edges += len(edges)
	for len(edges) > 0 {
		last := len(b.chunks) - 1
		if last < 0 || len(b.chunks[last]) == chunkEdges {
			b.chunks = append(b.chunks, nil)
			continue
		}
		n := min(len(edges), chunkEdges-len(b.chunks[last]))
		b.chunks[last] = append(b.chunks[last], edges[:n]...)
		edges = edges[n:]
	}
}

// bytes returns the memory of the transitions in bytes.
func (b *Builder) bytes() uint64 { return 8 * uint64(b.edges+len(b.segments)) }

// Build returns the system with states 0 … states−1. The builder must not be used afterwards. Build fails with
// ErrTooLarge, or if a state or label does not exist, or if the context ends.
func (b *Builder) Build(ctx context.Context, initial uint32, states int) (*LTS, error) {
	switch {
	case uint64(states) > MaxStates || uint64(b.edges) > MaxTransitions:
		return nil, ErrTooLarge
	case int64(initial) >= int64(states):
		return nil, fmt.Errorf("the initial state %d is not below the number of states, %d", initial, states)
	}
	if err := b.check(ctx, states); err != nil {
		return nil, err
	}
	rows := graph.Rows[Edge]{At: make([]uint32, states+1), All: make([]Edge, b.edges)}
	for _, s := range b.segments {
		rows.At[s.from+1] += s.count
	}
	for s := range states {
		rows.At[s+1] += rows.At[s]
	}
	next := slices.Clone(rows.At)
	for _, s := range b.segments { // keeps the order of each state's transitions
		for s.count > 0 {
			n := uint32(copy(rows.All[next[s.from]:][:s.count], b.chunks[0]))
			next[s.from] += n
			s.count -= n
			if b.chunks[0] = b.chunks[0][n:]; len(b.chunks[0]) == 0 {
				b.chunks[0], b.chunks = nil, b.chunks[1:]
			}
		}
	}
	return &LTS{rows: rows, initial: initial, labels: b.labels}, nil
}

// check reports a transition whose state or label does not exist.
func (b *Builder) check(ctx context.Context, states int) error {
	for _, s := range b.segments {
		if int64(s.from) >= int64(states) {
			return fmt.Errorf("a transition leaves state %d, but there are %d states", s.from, states)
		}
	}
	for _, chunk := range b.chunks {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("building a transition system: %w", err)
		}
		for _, e := range chunk {
			if int64(e.To) >= int64(states) {
				return fmt.Errorf("a transition enters state %d, but there are %d states", e.To, states)
			}
			if int(e.Label) >= len(b.labels) {
				return fmt.Errorf("a transition has label %d, but there are %d labels", e.Label, len(b.labels))
			}
		}
	}
	return nil
}
