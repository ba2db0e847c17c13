package symmetry

import (
	"context"
	"sync"
	"sync/atomic"

	"ringcheck/internal/intern"
	"ringcheck/model"
)

// A reflection exchanges left and right: process p becomes process n-1-p, the channels that lead to it change places,
// and its local state becomes the mirror image of that, in which it waits for the right neighbour in place of the left
// one, say. What the image of a local state is, is found out as the system is explored: what a process does in the
// image must be the mirror image of what it does, and so its next local state is the image of the next one.
type reflection struct {
	from []int  // by place in a cell: the place whose mirror image comes there
	self []bool // by place in a cell: whether it holds a local state

	mu     sync.Mutex                  // for writing
	images intern.Array[atomic.Uint32] // by local state: one more than its image
	cells  intern.Array[atomic.Uint32] // by cell: one more than its image
}

// Dihedral returns the quotient of sys by rotation and reflection, which make the dihedral group. Beyond what Rotation
// says, it takes two channels to each process; and from the mirror image of any local states, processes have to do
// the mirror image of what they do. The process in a local state in which some process begins is its own image.
//
// A protocol that sends to one side first is not symmetric, but can be once confluence.Prioritize makes both sends one
// step. Labels of internal actions are not compared: those of the quotient are those of the representative.
func Dihedral(ctx context.Context, sys model.System) (*Quotient, error) {
	q, err := newQuotient(sys)
	if err != nil {
		return nil, err
	}
	if q.reflection, err = q.ring.newReflection(sys.Slots()); err != nil {
		return nil, err
	}
	if !reflect(q.all, q.ring.n) || !reflect(q.confluent, q.ring.n) {
		return nil, lopsided("the channels that the steps of a process concern are not the same ones in the mirror")
	}
	return q, q.closed(ctx)
}

func (r *ring) newReflection(slots []model.Slot) (*reflection, error) {
	f := &reflection{}
	var channels []int
	for i, slot := range r.slots[0] {
		f.from, f.self = append(f.from, i), append(f.self, slots[slot].Kind == model.ProcessSlot)
		if slots[slot].Kind == model.ChannelSlot {
			channels = append(channels, i)
		}
	}
	if len(channels) != 2 {
		return nil, lopsided("it takes channels in both directions")
	}
	f.from[channels[0]], f.from[channels[1]] = channels[1], channels[0]
	return f, nil
}

// image returns the mirror image of what a place of a cell holds, if that is known.
func (f *reflection) image(place int, v model.Value) (model.Value, bool) {
	if !f.self[place] {
		return v, true
	}
	known := f.images.At(v).Load()
	return known - 1, known != 0
}

// begin makes the local states of an initial state their own images.
func (f *reflection) begin(r *ring, state []model.Value) {
	for slot, v := range state {
		if f.self[r.place[slot].index] {
			f.pair(v, v)
		}
	}
}

// pair makes two local states images of each other. It reports false if one of them has another image.
func (f *reflection) pair(a, b model.Value) bool {
	x, y := f.images.At(a), f.images.At(b)
	if x.Load() == b+1 && y.Load() == a+1 {
		return true
	}
	if x.Load() != 0 || y.Load() != 0 {
		return false
	}
	x.Store(b + 1)
	y.Store(a + 1)
	return true
}

// mirrored is the mirror image of a necklace.
type mirrored struct {
	necklace
	q *Quotient
}

// put makes the mirror image of c the cell at place p.
func (m *mirrored) put(p int, c model.Value) {
	m.necklace.put(p, m.q.imageOf(c))
}

// imageOf returns the mirror image of a cell whose local state has one.
func (q *Quotient) imageOf(cell uint32) uint32 {
	known := q.reflection.cells.At(cell)
	if n := known.Load(); n != 0 {
		return n - 1
	}
	values := q.cells.at(cell).values
	image := make([]model.Value, len(values))
	for to, from := range q.reflection.from {
		v, ok := q.reflection.image(from, values[from])
		if !ok {
			panic("symmetry: the mirror image of a local state is not known: " + q.formatCell(0, values))
		}
		image[to] = v
	}
	n := q.cells.number(image)
	known.Store(n + 1)
	return n
}

// inMirror returns the mirror image of a state of the other system.
func (q *Quotient) inMirror(state []model.Value) []model.Value {
	cells, to := make([]model.Value, q.ring.n), make([]model.Value, len(state))
	x := newExpansion(q)
	x.encode(state)
	copy(cells, x.mirrored.cells)
	q.Decode(cells, 0, to)
	return to
}

// leastImage returns the least rotation of the mirror image of a vector of cells.
func (q *Quotient) leastImage(cells []model.Value) []model.Value {
	image := mirrored{newNecklace(len(cells), q.cells), q}
	for p, c := range cells {
		image.put(len(cells)-1-p, c)
	}
	at := image.least()
	return image.cells[at : at+len(cells)]
}
