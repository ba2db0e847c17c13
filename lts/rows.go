package lts

import "unsafe"

// rows are the transitions of all states: compressed sparse rows in pages. A row, the transitions from one
// state, lies within one page, at a position that is a page number and an offset of pageBits. In contrast to
// one long array, pages that different goroutines have filled need not be copied together.
type rows struct {
	pages  [][]Edge
	start  []uint32 // by state: the position of its row
	degree []uint32 // by state: the length of its row
	edges  int
}

const (
	pageBits = 16
	pageSize = 1 << pageBits
	maxPages = 1 << (32 - pageBits)
)

func (r *rows) row(s uint32) []Edge {
	degree := r.degree[s]
	if degree == 0 {
		return nil
	}
	start := r.start[s]
	offset := start & (pageSize - 1)
	return r.pages[start>>pageBits][offset : offset+degree : offset+degree]
}

// choose keeps the rows of some states only, in the given order. What the others hold stays in the pages.
func (r *rows) choose(states []uint32) {
	start, degree := make([]uint32, len(states)), make([]uint32, len(states))
	for i, s := range states {
		start[i], degree[i] = r.start[s], r.degree[s]
	}
	r.start, r.degree = start, degree
}

func (r *rows) bytes() uint64 {
	b := uint64(len(r.start)+len(r.degree)) * 4
	for _, page := range r.pages {
		b += uint64(cap(page)) * uint64(unsafe.Sizeof(Edge{}))
	}
	return b
}

// labelBytes is what a label takes: its text, its header in the list of labels and its part of an index.
func labelBytes(text string) uint64 { return uint64(len(text)) + 16 + 48 }

// A segment is a stretch of transitions from one state.
type segment struct{ from, count uint32 }

// A shard is a growing sequence of segments. A segment's transitions lie in one page, and the segments of a page one
// behind the other.
type shard struct {
	pages []page
}

// bytes returns the memory that the shard takes.
func (s *shard) bytes() uint64 {
	var b uint64
	for i := range s.pages {
		b += uint64(cap(s.pages[i].edges))*uint64(unsafe.Sizeof(Edge{})) + uint64(cap(s.pages[i].segments))*uint64(unsafe.Sizeof(segment{}))
	}
	return b
}

type page struct {
	edges    []Edge
	segments []segment
}

const firstPage = 64

// add appends transitions of one state. Consecutive calls for one state make one segment.
func (s *shard) add(from uint32, edges []Edge) {
	if len(edges) == 0 {
		return
	}
	p := s.last()
	if p != nil && len(p.segments) > 0 && p.segments[len(p.segments)-1].from == from {
		s.extend(p, edges)
		return
	}
	if p == nil || !p.fits(len(edges)) || len(p.edges) >= pageSize {
		p = s.grow(len(edges))
	}
	p.edges = append(p.edges, edges...)
	p.segments = append(p.segments, segment{from, uint32(len(edges))})
}

// extend lengthens the last segment of p, the last page; if the segment outgrows the page it moves to a new one.
func (s *shard) extend(p *page, edges []Edge) {
	last := len(p.segments) - 1
	r := p.segments[last]
	if !p.fits(len(edges)) && last > 0 {
		head := len(p.edges) - int(r.count)
		moved := p.edges[head:]
		p.edges, p.segments = p.edges[:head], p.segments[:last]
		p = s.grow(2 * (len(moved) + len(edges)))
		p.edges = append(p.edges, moved...)
		p.segments = append(p.segments, r)
		last = 0
	}
	// A segment that is alone in its page has offset 0 and may be longer than a page.
	p.edges = append(p.edges, edges...)
	p.segments[last].count += uint32(len(edges))
}

func (s *shard) last() *page {
	if len(s.pages) == 0 {
		return nil
	}
	return &s.pages[len(s.pages)-1]
}

func (p *page) fits(n int) bool { return len(p.edges)+n <= cap(p.edges) }

// grow opens a new page with room for at least n transitions; pages double in size up to pageSize.
func (s *shard) grow(n int) *page {
	size := firstPage
	if p := s.last(); p != nil {
		size = min(2*cap(p.edges), pageSize)
	}
	s.pages = append(s.pages, page{edges: make([]Edge, 0, max(n, size))})
	return s.last()
}
