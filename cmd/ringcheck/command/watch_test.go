package command

import (
	"testing"
	"time"
)

func TestOver(t *testing.T) {
	for _, test := range []struct {
		limit, passed, used time.Duration
		want                bool
	}{
		{10, 9, 9, false},
		{10, 9, 20, false}, // of two processors
		{10, 10, 10, true},
		{10, 11, 9, false}, // the machine is busy
		{10, 50, 10, true},
		{10, 99, 1, false},
		{10, 100, 1, true},
	} {
		if got := pastLimit(test.limit, test.passed, test.used); got != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
}
