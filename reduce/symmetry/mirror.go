package symmetry

import (
	"slices"

	"ringcheck/model"
)

// An image is a span in the mirror: cell i of the span becomes cell at[i] of the other.
type image struct {
	span *span
	at   []int
}

// reflect finds the images of spans among them.
func reflect(spans []*span, n int) bool {
	for _, s := range spans {
		for shift := range n {
			for _, other := range spans {
				if at, ok := s.onto(other, shift, n); ok && s.image.span == nil {
					s.image = image{other, at}
				}
			}
		}
		if s.image.span == nil {
			return false
		}
	}
	return true
}

// onto returns where the cells of s come in other if the one at offset o comes to shift - o.
func (s *span) onto(other *span, shift, n int) (at []int, ok bool) {
	for _, o := range s.offsets {
		i := slices.Index(other.offsets, (shift-o+n)%n)
		if i < 0 {
			return nil, false
		}
		at = append(at, i)
	}
	return at, len(s.offsets) == len(other.offsets)
}

// reflected checks that l, what is possible in the cells that s is from process p, has as its mirror image what is
// possible in the mirror image of these cells. So local states to which l leads get their images.
func (q *Quotient) reflected(s *span, p int, x *expansion, l *cellTransitions) error {
	y := q.spare.Get().(*expansion)
	defer q.spare.Put(y)
	copy(y.cells, x.cells)
	for i, o := range s.offsets {
		n := q.imageOf(x.cells[p+o])
		y.necklace.put(q.ring.around(p+s.image.span.offsets[s.image.at[i]]), n)
	}
	other, err := q.assemble(s.image.span, p, y)
	if err == nil {
		q.reflection.mu.Lock()
		defer q.reflection.mu.Unlock()
		if m := (&matching{reflection: q.reflection, q: q, s: s, p: p, a: l, b: other}); m.all() {
			return nil
		}
	}
	return &model.Fault{Process: -1, Cause: ErrAsymmetric, Message: lopsided("in the mirror image of %s, a process does not do the mirror image of what it does there",
		q.FormatSlot(p, x.cells[p])).Error()}
}

// A matching pairs the transitions a of the cells that s is from process p with those of their mirror image, b. It
// holds the reflection's mutex.
type matching struct {
	*reflection
	q     *Quotient
	s     *span
	p     int
	a, b  *cellTransitions
	fresh [][2]model.Value // the images that it has given
}

// all reports whether each choice of a has its own image in b.
func (m *matching) all() bool {
	return pairUp(m, choices(m.a, m.p), choices(m.b, m.p), func(x, y []int) bool {
		return pairUp(m, x, y, m.transition)
	})
}

// choices divides transitions by the choice to which they belong.
func choices(l *cellTransitions, p int) [][]int {
	var all [][]int
	last := uint32(0)
	for i := range l.jumps {
		j := &l.jumps[i]
		c := j.steps[p].Choice + j.choice
		if i == 0 || c != last {
			all = append(all, nil)
		}
		last = c
		all[len(all)-1] = append(all[len(all)-1], i)
	}
	return all
}

// pairUp reports whether each element of a fits one of b of its own, and takes the first that does.
func pairUp[T any](m *matching, a, b []T, fits func(a, b T) bool) bool {
	used := make([]bool, len(b))
	for _, x := range a {
		j, before := 0, len(m.fresh)
		for j < len(b) && (used[j] || !fits(x, b[j])) {
			m.forget(before)
			j++
		}
		if j == len(b) {
			return false
		}
		used[j] = true
	}
	return len(a) == len(b)
}

// forget takes all but some images back.
func (m *matching) forget(but int) {
	for _, pair := range m.fresh[but:] {
		m.images.At(pair[0]).Store(0)
		m.images.At(pair[1]).Store(0)
	}
	m.fresh = m.fresh[:but]
}

// transition reports whether transition y of b is the image of transition x of a.
func (m *matching) transition(x, y int) bool {
	a, b := m.a.jumps[x].steps[m.p], m.b.jumps[y].steps[m.p]
	if a.Weight != b.Weight || m.event(a.Label) != m.event(b.Label) {
		return false
	}
	w := len(m.s.offsets)
	for i, at := range m.s.image.at {
		if !m.cell(m.a.to[x*w+i], m.b.to[y*w+at]) {
			return false
		}
	}
	return true
}

// event returns the text of a visible label.
func (m *matching) event(l model.Label) string {
	if info := m.q.System.Label(l); info.Visible {
		return info.Text
	}
	return ""
}

// cell reports whether b is the image of a, and makes it that if it can.
func (m *matching) cell(a, b uint32) bool {
	x, y := m.q.cells.at(a).values, m.q.cells.at(b).values
	for to, from := range m.from {
		v, known := m.image(from, x[from])
		if !known {
			if !m.pair(x[from], y[to]) {
				return false
			}
			m.fresh = append(m.fresh, [2]model.Value{x[from], y[to]})
			continue
		}
		if v != y[to] {
			return false
		}
	}
	return true
}
