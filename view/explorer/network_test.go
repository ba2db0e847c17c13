package explorer

import (
	"fmt"
	"strings"
	"testing"

	"ringcheck/internal/test/browsertest"
)

// flood is a protocol for every network: a token goes from neighbour to neighbour.
const flood = `protocol flood
topology %s
channel unordered
var q: node
var rest: set of node
message M
process p = if p = 0 then Go(neighbours(p)) else Wait(neighbours(p))
Wait(rest) = recv q M; Go(rest minus {q})
Go(rest) = for q in rest: send q M; stop
`

// linksThroughBoxes lists the links that lead through a process that is at neither end.
const linksThroughBoxes = `(() => {
	const boxes = [...document.querySelectorAll("#network .process")].map(p => ({ number: p.dataset.process, at: p.querySelector(".box").getBoundingClientRect() }));
	const bad = new Set();
	for (const line of document.querySelectorAll("#network .link")) {
		const turn = line.getScreenCTM(), length = line.getTotalLength(), met = new Set();
		for (let i = 2; i < 38; i++) {
			const p = line.getPointAtLength(length * i / 40).matrixTransform(turn);
			for (const b of boxes) if (p.x > b.at.left && p.x < b.at.right && p.y > b.at.top && p.y < b.at.bottom) met.add(b.number);
		}
		for (const m of met) bad.add(m);
	}
	return [...bad];
})()`

// TestNetworkLayouts looks at the picture of each kind of network: nothing overlaps, and links avoid the processes that
// are in their way.
func TestNetworkLayouts(t *testing.T) {
	b := browsertest.Start(t)
	for _, network := range []struct {
		topology  string
		rows      int // of processes
		processes int
	}{
		{"star of 7", 5, 7}, {"binary tree of 11", 4, 11}, {"grid of 4 by 3", 3, 12},
		{"torus of 4 by 3", 3, 12}, {"bipartite graph of 3 by 4", 2, 7}, {"hypercube of 3", 4, 8},
		{"complete graph of 4", 3, 4}, {"hypercube of 4", 9, 16}, {"torus of 5 by 5", 5, 25},
		{"binary tree of 60", 6, 60},
	} {
		p := open(t, b, fmt.Sprintf(flood, network.topology), "", "")
		p.press("1")
		p.at("1 / 1")
		p.neat("layout-" + strings.ReplaceAll(network.topology, " ", "-"))
		if bad := browsertest.Eval[[]string](t, b, linksThroughBoxes); len(bad) > 0 {
			t.Errorf("%s: links go through processes %v", network.topology, bad)
		}
		rows := browsertest.Eval[int](t, b, `new Set([...document.querySelectorAll("#network .process")].map(
			p => Math.round(p.getBoundingClientRect().top / 3))).size`)
		if rows != network.rows {
			t.Errorf("%s: the processes are in %d rows, want %d", network.topology, rows, network.rows)
		}
		circles := browsertest.Eval[bool](t, b, `document.querySelector("#network .badge") === null`)
		if many := network.processes > 12; circles != many {
			t.Errorf("%s: the processes are circles: %t", network.topology, circles)
		}
		p.Quiet(t, p.url)
	}
}

// TestNetworkZoom enlarges the picture of many processes, moves it, and reads the state of one.
func TestNetworkZoom(t *testing.T) {
	b := browsertest.Start(t)
	p := open(t, b, fmt.Sprintf(flood, "torus of 5 by 5"), "", "")
	const width = `document.querySelector("#network .process").getBoundingClientRect().width`
	before := browsertest.Eval[float64](t, b, width)
	p.click(".zoom [aria-label=Enlarge]")
	p.click(".zoom [aria-label=Enlarge]")
	if after := browsertest.Eval[float64](t, b, width); after < 2.2*before || after > 2.3*before {
		t.Errorf("a process has the width %g, and %g after two steps of 1.5", before, after)
	}
	p.click(".zoom [aria-label='Show all']")
	if after := browsertest.Eval[float64](t, b, width); after != before {
		t.Errorf("a process has the width %g, and %g afterwards", before, after)
	}
	p.click(`#network [data-process="7"] .box`)
	if got, want := p.text("#network .card"), "process 7: Wait(rest={2,6,8,12})"; got != want {
		t.Errorf("the card says %q, want %q", got, want)
	}
	p.click(`#network [data-process="0"] .box`)
	if got := p.text("#network .card"); !strings.HasPrefix(got, "process 0: Go") {
		t.Errorf("the card says %q", got)
	}
	p.press("1") // the card follows the run
	p.at("1 / 1")
	if got := p.text("#network .card"); !strings.Contains(got, "rest=") {
		t.Errorf("the card says %q", got)
	}
	p.click(`#network [data-process="0"] .box`)
	if got := p.text("#network .card"); got != "" {
		t.Errorf("the card says %q after a second click", got)
	}
	p.Quiet(t, p.url)
}
