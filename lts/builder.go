package lts

import (
	"context"
	"fmt"
	"unsafe"
)

// A Builder collects the transitions of a system. States may come in any order. What was added becomes the system without
// being copied if all transitions of a state are added one after the other; else they are sorted, which for a moment takes as
// much memory again.
type Builder struct {
	labels []string
	byText map[string]Label
	pages  []page
}

// NewBuilder returns a builder that knows no label but τ.
func NewBuilder() *Builder {
	return &Builder{labels: []string{TauName}, byText: map[string]Label{TauName: Tau}}
}

// Label returns the label with a text, a new one if it is not known; τ for TauName. Callers with many transitions remember
// what they got.
func (b *Builder) Label(text string) Label {
	if a, ok := b.byText[text]; ok {
		return a
	}
	a := Label(len(b.labels))
	b.labels = append(b.labels, text)
	b.byText[text] = a
	return a
}

// A segment is a stretch of transitions from one state.
type segment struct{ from, count uint32 }

// A page is a stretch of transitions that lie together, and the segments that they make, one behind the other.
type page struct {
	edges    []Edge
	segments []segment
}

const firstPage = 64

// Add adds transitions from one state. The slice is copied. Consecutive calls for one state make one segment.
func (b *Builder) Add(from uint32, edges ...Edge) {
	if len(edges) == 0 {
		return
	}
	p := b.last()
	if p != nil && len(p.segments) > 0 && p.segments[len(p.segments)-1].from == from {
		b.extend(p, edges)
		return
	}
	if p == nil || !p.fits(len(edges)) || len(p.edges) >= pageSize {
		p = b.grow(len(edges))
	}
	p.edges = append(p.edges, edges...)
	p.segments = append(p.segments, segment{from, uint32(len(edges))})
}

// extend lengthens the last segment of p, the last page; if the segment outgrows the page it moves to a new one.
func (b *Builder) extend(p *page, edges []Edge) {
	last := len(p.segments) - 1
	r := p.segments[last]
	if !p.fits(len(edges)) && last > 0 {
		head := len(p.edges) - int(r.count)
		moved := p.edges[head:]
		p.edges, p.segments = p.edges[:head], p.segments[:last]
		p = b.grow(2 * (len(moved) + len(edges)))
		p.edges = append(p.edges, moved...)
		p.segments = append(p.segments, r)
		last = 0
	}
	// A segment that is alone in its page has offset 0 and may be longer than a page.
	p.edges = append(p.edges, edges...)
	p.segments[last].count += uint32(len(edges))
}

func (b *Builder) last() *page {
	if len(b.pages) == 0 {
		return nil
	}
	return &b.pages[len(b.pages)-1]
}

func (p *page) fits(n int) bool { return len(p.edges)+n <= cap(p.edges) }

// grow opens a new page with room for at least n transitions; pages double in size up to pageSize.
func (b *Builder) grow(n int) *page {
	size := firstPage
	if p := b.last(); p != nil {
		size = min(2*cap(p.edges), pageSize)
	}
	b.pages = append(b.pages, page{edges: make([]Edge, 0, max(n, size))})
	return b.last()
}

// bytes returns the memory that the transitions take.
func (b *Builder) bytes() uint64 {
	var n uint64
	for i := range b.pages {
		n += uint64(cap(b.pages[i].edges))*uint64(unsafe.Sizeof(Edge{})) + uint64(cap(b.pages[i].segments))*uint64(unsafe.Sizeof(segment{}))
	}
	return n
}

// Build returns the system with states 0 … states−1. It takes over the memory of the builder, which may not be used
// afterwards. It fails with ErrTooLarge, or if a transition or the initial state names a state or label that does not exist, or
// if the context ends.
func (b *Builder) Build(ctx context.Context, initial uint32, states int) (*LTS, error) {
	if uint64(states) > MaxStates {
		return nil, ErrTooLarge
	}
	if int64(initial) >= int64(states) {
		return nil, fmt.Errorf("the initial state %d is not below the number of states, %d", initial, states)
	}
	r, err := adopt(ctx, b.pages, states, Label(len(b.labels)))
	b.pages, b.byText = nil, nil
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
