package command

import (
	"bytes"
	"testing"
	"time"

	"ringcheck/explore"
	"ringcheck/explore/simulate"
)

func TestViolatedSoFar(t *testing.T) {
	var p progress
	if got := p.violationsLine(); got != "" {
		t.Errorf("%q", got)
	}
	p.onViolation("exclusion", 13)
	p.onViolation("order", 1)
	p.onViolation("reduced", -1)
	want := "violated so far: exclusion, after 13 steps; order, after 1 step; reduced  "
	if got := p.violationsLine(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestProgressLines: a line that is no terminal's is printed whole, with the violations before it.
func TestProgressLines(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&app{stderr: &out})
	if p.every != 10*time.Second {
		t.Errorf("a line every %v, want 10s", p.every)
	}
	p.show(explore.SearchProgress{Level: 7, Frontier: 1200, States: 34567, Transitions: 100000, Bytes: 3 << 20,
		Rate: 50_000, Time: 2 * time.Second})
	p.onViolation("order", 1)
	p.show(simulate.Progress{Runs: 10, Of: 1000, Steps: 6000, Time: 2 * time.Second})
	p.clear()
	want := "level 7  frontier 1,200  states 34,567  transitions 100,000  rate 50,000/s  memory 3.0 MiB\n" +
		"violated so far: order, after 1 step  10 of 1,000 runs  events 6,000  rate 3,000/s  about 198 s left\n"
	if got := out.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestFit: a narrow terminal shows whole fields.
func TestFit(t *testing.T) {
	const line = "level 9  frontier 3,014  states 1,012,345  memory 3.0 MiB"
	for width, want := range map[int]string{
		80: line, len(line): line, len(line) - 1: "level 9  frontier 3,014  states 1,012,345",
		41: "level 9  frontier 3,014  states 1,012,345", 40: "level 9  frontier 3,014", 7: "level 9", 6: "", 0: "",
	} {
		if got := fit(line, width); got != want {
			t.Errorf("%d columns: %q, want %q", width, got, want)
		}
	}
	const violated = "violated so far: exclusion, after 13 steps  level 9  μ 3,014"
	for width, want := range map[int]string{
		42: "violated so far: exclusion, after 13 steps", 41: "level 9  μ 3,014", 16: "level 9  μ 3,014", 15: "level 9",
	} {
		if got := fit(violated, width); got != want {
			t.Errorf("%d columns: %q, want %q", width, got, want)
		}
	}
}
