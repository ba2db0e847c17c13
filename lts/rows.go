package lts

import "unsafe"

// rows are the transitions of all states: compressed sparse rows in pages. A row, the transitions from one
// state, lies within one page, at a position that is a page number and an offset of pageBits. In contrast to
// one long array, they need not be copied when they grow.
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
