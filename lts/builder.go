package lts

import (
	"context"
	"fmt"
	"sync"
)

// A Builder collects the transitions of a system from several goroutines. Each works with an Appender of its
// own; states may come in any order. What they filled becomes the system without being copied if all
// transitions of a state are added by one Appender and one after the other; else they are sorted, which for
// a moment takes as much memory again.
type Builder struct {
	mu        sync.Mutex
	labels    []string
	byText    map[string]Label
	appenders []*Appender
}

// NewBuilder returns a builder that knows no label but τ.
func NewBuilder() *Builder {
	return &Builder{labels: []string{TauName}, byText: map[string]Label{TauName: Tau}}
}

// Label returns the label with a text, a new one if it is not known; τ for TauName. Safe for concurrent use,
// but with a lock: callers with many transitions remember what they got.
func (b *Builder) Label(text string) Label {
	b.mu.Lock()
	defer b.mu.Unlock()
	if a, ok := b.byText[text]; ok {
		return a
	}
	a := Label(len(b.labels))
	b.labels = append(b.labels, text)
	b.byText[text] = a
	return a
}

// Appender returns a new appender. Safe for concurrent use.
func (b *Builder) Appender() *Appender {
	a := new(Appender)
	b.mu.Lock()
	b.appenders = append(b.appenders, a)
	b.mu.Unlock()
	return a
}

// An Appender adds transitions to its builder, for one goroutine.
type Appender struct{ shard shard }

// Add adds transitions from one state. The slice is copied.
func (a *Appender) Add(from uint32, edges ...Edge) { a.shard.add(from, edges) }

// Build returns the system with states 0 … states−1. It takes over the memory of the appenders; neither they
// nor the builder may be used afterwards. It fails with ErrTooLarge, or if a transition or the initial state
// names a state or label that does not exist, or if the context ends.
func (b *Builder) Build(ctx context.Context, initial uint32, states int) (*LTS, error) {
	if uint64(states) > MaxStates {
		return nil, ErrTooLarge
	}
	if int64(initial) >= int64(states) {
		return nil, fmt.Errorf("the initial state %d is not below the number of states, %d", initial, states)
	}
	var pages []page
	for _, a := range b.appenders {
		pages = append(pages, a.shard.pages...)
	}
	b.appenders, b.byText = nil, nil
	r, err := adopt(ctx, pages, states, Label(len(b.labels)))
	if err != nil {
		return nil, err
	}
	return &LTS{rows: *r, initial: initial, labels: b.labels}, nil
}

// adopt makes rows of pages, and checks what they hold.
func adopt(ctx context.Context, pages []page, states int, labels Label) (*rows, error) {
	r := &rows{start: make([]uint32, states), degree: make([]uint32, states)}
	single := len(pages) <= maxPages
	for i, p := range pages {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("building a transition system: %w", err)
		}
		if err := check(p, states, labels); err != nil {
			return nil, err
		}
		r.edges += len(p.edges)
		offset := 0
		for _, segment := range p.segments {
			single = single && r.degree[segment.from] == 0
			r.start[segment.from] = uint32(i<<pageBits | offset)
			r.degree[segment.from] += segment.count
			offset += int(segment.count)
		}
		r.pages = append(r.pages, p.edges)
	}
	if uint64(r.edges) > MaxTransitions {
		return nil, ErrTooLarge
	}
	if single {
		return r, nil
	}
	return gather(ctx, pages, r.degree)
}

// check makes sure that a page names states and labels that exist only.
func check(p page, states int, labels Label) error {
	for _, r := range p.segments {
		if int64(r.from) >= int64(states) {
			return fmt.Errorf("a transition leaves state %d, but there are %d states", r.from, states)
		}
	}
	for _, e := range p.edges {
		if int64(e.To) >= int64(states) {
			return fmt.Errorf("a transition enters state %d, but there are %d states", e.To, states)
		}
		if e.Label >= labels {
			return fmt.Errorf("a transition has label %d, but there are %d labels", e.Label, labels)
		}
	}
	return nil
}

// gather brings the segments of each state together. Rows keep the order of the segments.
func gather(ctx context.Context, pages []page, degree []uint32) (*rows, error) {
	r := &rows{start: make([]uint32, len(degree)), degree: degree}
	for s, d := range degree {
		if d > 0 {
			r.start[s] = r.reserve(int(d))
		}
	}
	if len(r.pages) > maxPages {
		return nil, ErrTooLarge
	}
	filled := make([]uint32, len(degree))
	for i, p := range pages {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("building a transition system: %w", err)
		}
		edges := p.edges
		for _, segment := range p.segments {
			copy(r.row(segment.from)[filled[segment.from]:], edges[:segment.count])
			filled[segment.from] += segment.count
			edges = edges[segment.count:]
		}
		r.edges += len(p.edges)
		pages[i] = page{}
	}
	return r, nil
}

// reserve makes room for a row and returns its position.
func (r *rows) reserve(n int) uint32 {
	last := len(r.pages) - 1
	if last < 0 || len(r.pages[last])+n > cap(r.pages[last]) {
		r.pages = append(r.pages, make([]Edge, 0, max(n, pageSize)))
		last++
	}
	offset := len(r.pages[last])
	r.pages[last] = r.pages[last][:offset+n]
	return uint32(last<<pageBits | offset)
}
