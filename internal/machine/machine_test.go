package machine

import (
	"errors"
	"math"
	"testing"
)

func TestBudget(t *testing.T) {
	for memory, want := range map[uint64]uint64{16: 12, 64 << 30: 48 << 30, Unknown: 3 << 30} {
		if got := budget(memory); got != want {
			t.Errorf("%d of %d, want %d", got, memory, want)
		}
	}
}

func TestLeast(t *testing.T) {
	is := func(n uint64) func() (uint64, error) { return func() (uint64, error) { return n, nil } }
	fails := func() (uint64, error) { return 7, errors.New("on purpose") }
	for _, test := range []struct {
		system, group func() (uint64, error)
		want          uint64
	}{
		{is(8), is(4), 4},
		{is(8), is(16), 8},
		{is(8), fails, 8},
		{fails, is(4), 4},
		{is(0), is(4), 4},
		{is(8), is(math.MaxUint64), 8},
		{is(0), is(0), Unknown},
		{fails, fails, Unknown},
	} {
		if got := minLimit(test.system, test.group); got != test.want {
			t.Errorf("got %d, want %d", got, test.want)
		}
	}
}
