package symmetry

import (
	"ringcheck/model"
	"ringcheck/model/intern"
)

// A table remembers the transitions of a class by the values of its slots. It is safe for concurrent use; looking
// up what is known takes no lock.
type table struct {
	keys  tuples
	known intern.Map
	all   intern.Array[moves]
	count uint32 // guarded by known's mutex
}

// moves are the transitions of a class that start from some values, with the new values.
type moves struct {
	steps   []model.Step // n for each transition, one for each process
	values  []model.Value
	choices uint32
}

// moves returns the transitions of a class. The error is that of the given process, or says that the processes
// differ.
func (q *Quotient) moves(c *class, process int, values []model.Value) (*moves, error) {
	t := &c.table
	key := t.keys.number(values)
	if n, ok := t.known.Load(key); ok {
		return t.all.At(n), nil
	}
	m, err := q.compared(c, process, values)
	if err != nil {
		return nil, err
	}
	n := t.known.LoadOrCreate(key, func() uint32 {
		n := t.count
		*t.all.At(n) = *m
		t.count++
		return n
	})
	return t.all.At(n), nil
}

// own are the transitions within one cell.
type own struct {
	steps   []model.Step // n for each transition, one for each process
	to      []target
	choices uint32
}

// A target is a cell with its rank.
type target struct {
	number uint32
	rank   uint64
}

// own returns the transitions of a process within its cell, which has number n.
func (q *Quotient) own(n uint32, process int) (*own, error) {
	from := q.cells.at(n)
	if known := from.own.Load(); known != nil {
		return known, nil
	}
	all := &own{}
	for _, c := range q.inner {
		p := &c.members[process].cells[0]
		values := make([]model.Value, len(p.index))
		for i, at := range p.index {
			values[i] = from.values[at]
		}
		m, err := q.moves(c, process, values)
		if err != nil {
			return nil, err
		}
		for i := range len(m.steps) / q.ring.n {
			number := q.cells.number(p.applied(from.values, m.values[i*len(values):]))
			all.to = append(all.to, target{number, q.cells.at(number).rank})
			for _, step := range m.steps[i*q.ring.n : (i+1)*q.ring.n] {
				step.Choice += all.choices
				all.steps = append(all.steps, step)
			}
		}
		all.choices += m.choices
	}
	from.own.Store(all)
	return all, nil
}
