package command

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/dustin/go-humanize"
	"golang.org/x/term"

	"ringcheck/explore"
)

// progress shows how far a search is: one line that is rewritten on a terminal, a line now and then
// elsewhere.
type progress struct {
	w     io.Writer
	every time.Duration
	live  *os.File // the terminal, nil if w is none
	last  explore.Progress
	shown bool // a live line stands on the terminal
}

func newProgress(w io.Writer) *progress {
	p := &progress{w: w, every: 10 * time.Second}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.live, p.every = f, time.Second/5
	}
	return p
}

// show is what explore.Options.Progress calls.
func (p *progress) show(now explore.Progress) {
	line := p.line(now)
	p.last = now
	if p.live == nil {
		fmt.Fprintln(p.w, line)
		return
	}
	if width, _, err := term.GetSize(int(p.live.Fd())); err == nil && 0 < width && width <= len(line) {
		line = line[:width-1]
	}
	fmt.Fprint(p.w, "\r", line, "\x1b[K")
	p.shown = true
}

// clear takes the live line away, if there is one, once the search has ended.
func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}

// line describes a snapshot. The rate is that since the last one.
func (p *progress) line(now explore.Progress) string {
	return fmt.Sprintf("level %d  frontier %s  states %s  transitions %s  rate %s/s  memory %s",
		now.Level, comma(now.Frontier), comma(now.States), comma(now.Transitions),
		comma(rate(now.Transitions-p.last.Transitions, now.Elapsed-p.last.Elapsed)), humanize.IBytes(now.Bytes))
}

// rate returns n per second.
func rate(n uint64, in time.Duration) uint64 {
	if in <= 0 {
		return 0
	}
	return uint64(float64(n) / in.Seconds())
}

// comma writes n with thousands separators.
func comma(n uint64) string { return humanize.Comma(int64(n)) }
