package command

import (
	"bytes"
	"testing"
	"time"

	"ringcheck/explore"
)

func TestProgressLines(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&app{stderr: &out})
	if p.every != 10*time.Second {
		t.Errorf("a line every %v, want 10s", p.every)
	}
	p.show(explore.Progress{Level: 7, Frontier: 1200, States: 34567, Transitions: 100000, Bytes: 3 << 20, Elapsed: 2 * time.Second})
	p.show(explore.Progress{Level: 8, Frontier: 9, States: 34600, Transitions: 100300, Bytes: 3 << 20, Elapsed: 4 * time.Second})
	p.clear()
	want := "level 7  frontier 1,200  states 34,567  transitions 100,000  rate 50,000/s  memory 3.0 MiB\n" +
		"level 8  frontier 9  states 34,600  transitions 100,300  rate 150/s  memory 3.0 MiB\n"
	if got := out.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
