package peers

import (
	"context"
	"slices"
	"strings"
	"testing"

	"ringcheck/internal/test/filetest"
	"ringcheck/internal/test/testlevel"
)

// TestMeasure checks that the peers that are installed count as many states and transitions as ringcheck in small
// instances of all jobs; Measure fails if they do not.
func TestMeasure(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program, and compiles what the peers generate")
	}
	b, err := NewBench(t.Context(), "../..", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for i := range peers {
		if p := &peers[i]; !p.Installed() {
			t.Logf("%s is not installed: it is not compared", p.Name)
		}
	}
	b.level = "-O0"
	small := []*Job{peterson("3")}
	if testlevel.Gate() {
		small = append(small, franklin(2, 2).export(), ricartAgrawala(2), dijkstra(3), franklinLeft(2, 2), election(3))
	}
	for _, j := range small {
		j.Depth = 1000
		rows, err := b.Measure(t.Context(), j, 1)
		if err != nil {
			t.Error(err)
			continue
		}
		modelled := func(p Peer) bool {
			path, _, err := b.model(j, p.ending)
			return err == nil && path != ""
		}
		if len(rows) < 2 && slices.ContainsFunc(b.Peers, modelled) {
			t.Errorf("%s: %d rows, although a peer that has a model is installed", j.Name, len(rows))
		}
		for _, r := range rows {
			if r.States == 0 || r.Lines == 0 || r.Runs != 1 {
				t.Errorf("%s: %+v", j.Name, r)
			}
		}
	}
}

// TestDifference checks that a peer whose counts differ is an error.
func TestDifference(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program")
	}
	b, err := NewBench(t.Context(), "../..", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	wrong := func(_ context.Context, _ *Bench, _ *Job, ours *Row, _ int) ([]*Row, error) {
		r := *ours
		r.States++
		return []*Row{&r}, nil
	}
	b.Peers = []Peer{{Name: "other", measure: wrong}}
	if _, err := b.Measure(t.Context(), peterson("2"), 1); err == nil || !strings.Contains(err.Error(), "20 states") {
		t.Errorf("error %v", err)
	}
}

// TestRead checks that the output of a verifier is read only if it is complete.
func TestRead(t *testing.T) {
	for _, c := range []struct {
		by     patterns
		out    string
		states uint64 // 0: an error
	}{
		{bySPIN, "errors: 0\n  657 states, stored\n  1369 transitions (= stored+matched)\n", 657},
		{bySPIN, "errors: 1\n  657 states, stored\n  1369 transitions (= stored+matched)\n", 0},
		{bySPIN, "errors: 0\n", 0},
		{
			bySPIN, "error: max search depth too small\nerrors: 0\n  657 states, stored\n" +
				"  1369 transitions (= stored+matched)\n", 0,
		},
		{byRumur, "No error found.\n 657 states, 1368 rules fired in 0s.\n", 657},
		{byRumur, "Deadlock\n 657 states, 1368 rules fired in 0s.\n", 0},
	} {
		var r Row
		if err := c.by.read(&r, c.out); (err != nil) != (c.states == 0) || err == nil && r.States != c.states {
			t.Errorf("%q: %d states, error %v", c.out, r.States, err)
		}
	}
}

// TestLines checks what is counted of a model.
func TestLines(t *testing.T) {
	for _, c := range []struct {
		ending, text string
		want         int
	}{
		{".pml", "/* a\nb */\nbyte x;\n\nactive proctype p() { skip } /* c */\n", 2},
		{".m", "-- a\nvar\n  x: boolean;\n", 2},
		{".ring", "protocol a\n// b\nA = skip;\n    A\ninvariant c =\n    true\ndefine d = true\nB = stop\n", 4},
	} {
		if got := lines(c.text, c.ending); got != c.want {
			t.Errorf("%s: %d lines, want %d", c.ending, got, c.want)
		}
	}
}

// TestPage checks that the page shows the records.
func TestPage(t *testing.T) {
	page, err := Page("../..")
	if err != nil {
		t.Fatal(err)
	}
	if want := filetest.Read(t, "../../"+PagePath); string(page) != string(want) {
		t.Errorf("%s differs from the records: run go run ./results/make peers", PagePath)
	}
}
