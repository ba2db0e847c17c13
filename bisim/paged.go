package bisim

// A paged list grows without moving its elements: pointers to them remain valid, and growing leaves nothing
// behind for the garbage collector, which matters for lists of gigabytes.
type paged[T any] struct {
	pages [][]T
	n     int
}

const (
	pageBits = 6
	pageSize = 1 << pageBits
)

func (p *paged[T]) len() int { return p.n }

func (p *paged[T]) at(i uint32) *T { return &p.pages[i>>pageBits][i&(pageSize-1)] }

// add appends an element and returns its index.
func (p *paged[T]) add(v T) uint32 {
	last := p.n >> pageBits
	if last == len(p.pages) {
		p.pages = append(p.pages, make([]T, 0, pageSize))
	}
	p.pages[last] = append(p.pages[last], v)
	p.n++
	return uint32(p.n - 1)
}
