package verify

import (
	"errors"
	"sync"

	"ringcheck/internal/intern"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// An outcome is what evaluating a term comes to.
type outcome struct {
	value int64
	err   error // an *ir.Error, or that of a value that is undefined in the state
}

// A packed is an outcome in 4 bytes, of which a checker keeps many: a small value as it is, or special and the number
// of the outcome in an oddities.
type packed int32

// special is above the values that most terms have.
const special = 1 << 30

// oddities are errors and large values, which are hardly ever met. The zero value is ready for use by many goroutines.
type oddities struct {
	list    intern.Array[outcome]
	mu      sync.Mutex
	numbers map[oddity]uint32
}

// An oddity tells outcomes apart: an error by its place and its text.
type oddity struct {
	value int64
	at    syntax.Pos
	err   string
}

func (o *oddities) pack(value int64, err error) packed {
	if err == nil && -special <= value && value < special {
		return packed(value)
	}
	key := oddity{value: value}
	if err != nil {
		key.err = err.Error()
	}
	var e *ir.Error
	if errors.As(err, &e) {
		key.at = e.Pos
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	n, ok := o.numbers[key]
	if !ok {
		if o.numbers == nil {
			o.numbers = make(map[oddity]uint32)
		}
		n = uint32(len(o.numbers))
		*o.list.At(n) = outcome{value, err}
		o.numbers[key] = n
	}
	return special + packed(n)
}

func (o *oddities) unpack(p packed) (int64, error) {
	if p < special {
		return int64(p), nil
	}
	odd := o.list.At(uint32(p - special))
	return odd.value, odd.err
}
