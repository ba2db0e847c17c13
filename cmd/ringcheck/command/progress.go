package command

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/dustin/go-humanize"
	"golang.org/x/term"

	"ringcheck"
	"ringcheck/explore"
	"ringcheck/internal/printable"
	"ringcheck/symbolic"
)

// progress shows how far searches are, one after the other: one line that is rewritten on a terminal, a line now and
// then elsewhere.
type progress struct {
	app   *app
	every time.Duration
	live  *os.File // the terminal, nil if standard error is none
	last  explore.Progress
	shown bool // a live line stands on the terminal

	mu       sync.Mutex
	violated []string // what is known to be violated, and after how many steps
}

// meet is what ringcheck.Options.Violated calls.
func (p *progress) meet(property string, steps int) {
	if steps >= 0 {
		property += ", after " + countOf(steps, "step")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.violated = append(p.violated, property)
}

// sofar says what is violated.
func (p *progress) sofar() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.violated) == 0 {
		return ""
	}
	return "violated so far: " + printable.Text(strings.Join(p.violated, "; ")) + "  "
}

func newProgress(a *app) *progress {
	p := &progress{app: a, every: 10 * time.Second}
	if f, ok := a.stderr.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.live, p.every = f, time.Second/5
	}
	return p
}

// begin says which search is next.
func (p *progress) begin(what string) {
	p.clear()
	p.last = explore.Progress{}
	if !p.app.quiet {
		fmt.Fprintln(p.app.stderr, printable.Text(what))
	}
}

// show is what explore.Options.Progress calls.
func (p *progress) show(now explore.Progress) {
	line := p.sofar() + p.line(now)
	p.last = now
	p.say(line)
}

// showSymbolic is show for a symbolic search.
func (p *progress) showSymbolic(now symbolic.Progress) {
	p.say(fmt.Sprintf("states at least %s  nodes %s  memory %s",
		humanize.BigComma(now.States), comma(uint64(now.Nodes)), humanize.IBytes(now.Bytes)))
}

// advise says whether the symbolic engine would have been the better choice.
func (p *progress) advise(a *ringcheck.Advice) {
	if a.Symbolic || p.app.verbose {
		fmt.Fprintf(p.app.stderr, "ringcheck: %v\n", a)
	}
}

// say shows a line.
func (p *progress) say(line string) {
	if p.live == nil {
		fmt.Fprintln(p.app.stderr, line)
		return
	}
	if width, _, err := term.GetSize(int(p.live.Fd())); err == nil && 0 < width && width <= len(line) {
		line = line[:width-1]
	}
	fmt.Fprint(p.live, "\r", line, "\x1b[K")
	p.shown = true
}

// clear takes the live line away, if there is one, once a search has ended.
func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(p.live, "\r\x1b[K")
		p.shown = false
	}
}

// line describes a snapshot. The rate is that since the last one, if that is of the same search.
func (p *progress) line(now explore.Progress) string {
	if now.Elapsed < p.last.Elapsed {
		p.last = explore.Progress{}
	}
	var rate uint64
	if in := now.Elapsed - p.last.Elapsed; in > 0 {
		rate = uint64(float64(now.Transitions-p.last.Transitions) / in.Seconds())
	}
	return fmt.Sprintf("level %d  frontier %s  states %s  transitions %s  rate %s/s  memory %s",
		now.Level, comma(now.Frontier), comma(now.States), comma(now.Transitions), comma(rate),
		humanize.IBytes(now.Bytes))
}
