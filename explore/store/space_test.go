package store

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ringcheck/internal/test/filetest"
)

// TestIntact: a memtable that becomes empty and is then removed has been written as a table; one that stays empty, and
// any other that gets shorter, has been cut off.
func TestIntact(t *testing.T) {
	for _, test := range []struct {
		name    string
		size    int64
		removed bool
		damaged bool
	}{
		{"00001.mem", 0, true, false},
		{"00001.mem", 0, false, true},
		{"00001.mem", 1, false, true},
		{"000001.sst", 0, true, true},
	} {
		s := &space{dir: t.TempDir(), sizes: map[string]int64{test.name: 2}}
		path := filepath.Join(s.dir, test.name)
		filetest.Write(t, path, make([]byte, test.size))
		removed := make(chan error, 1)
		if test.removed {
			time.AfterFunc(20*time.Millisecond, func() { removed <- os.Remove(path) })
		} else {
			removed <- nil
		}
		if err := s.intact(); errors.Is(err, ErrDamaged) != test.damaged || err != nil && !test.damaged {
			t.Errorf("%+v: error %v", test, err)
		}
		if err := <-removed; err != nil {
			t.Fatal(err)
		}
	}
}
