package symmetry

import (
	"sync/atomic"
	"unsafe"

	"ringcheck/internal/intern"
	"ringcheck/model"
)

// A memo remembers the transitions of a class by the values of its slots. It is safe for concurrent use; looking
// up what is known takes no lock.
type memo struct {
	keys  tuples
	known intern.Map
	all   intern.Array[transitions]
	count uint32       // guarded by known's mutex
	held  atomic.Int64 // the bytes that all transitions refer to
}

func (t *memo) bytes() int64 {
	return t.keys.bytes() + t.known.Bytes() + t.all.Bytes() + t.held.Load()
}

// transitions are the transitions of a class that start from some values, with the new values.
type transitions struct {
	steps   []model.Step // n for each transition, one for each process
	values  []model.Value
	choices uint32
}

// transitions returns the transitions of a class. The error is that of the given process, or says that the processes
// differ.
func (q *Quotient) transitions(c *class, process int, values []model.Value) (*transitions, error) {
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
		t.held.Add(int64(len(m.steps))*int64(unsafe.Sizeof(model.Step{})) + int64(len(m.values))*int64(unsafe.Sizeof(model.Value(0))))
		t.count++
		return n
	})
	return t.all.At(n), nil
}
