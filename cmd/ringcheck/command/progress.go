package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"ringcheck"
	"ringcheck/explore"
	"ringcheck/internal/machine"
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

// A run is over soon after its deadline or the first signal, whatever it does. What takes long has a context and comes
// back when that has ended, with what it knows so far; this is for what does not in time. Then the program ends as it
// would if it were killed, which no file and no store minds, but with the reason and the right status. On a machine
// that is busy with other things a run gets more time, since it gets little of each second.
const (
	grace    = 800 * time.Millisecond // to come back, and begin to print
	patience = 5 * time.Second        // to finish that, and close what is open
	busiest  = 10                     // at most so many times as long, where other programs keep the processors busy
)

// over reports whether a run has had its time: that much has passed, and the run has had as much of the processors, or
// the machine is busier than anybody waits for.
func over(limit, passed, used time.Duration) bool {
	return passed >= busiest*limit || passed >= limit && used >= limit
}

// allow returns when the program has had so much time from now on.
func allow(limit time.Duration) {
	begin, before := time.Now(), machine.CPU()
	for !over(limit, time.Since(begin), machine.CPU()-before) {
		time.Sleep(limit / 40)
	}
}

// A watch waits for the end of a sub-command, or of our patience with it.
type watch struct {
	begin   time.Time
	ended   chan int // the status
	overdue chan explore.Stop
	prints  atomic.Bool // the sub-command has come back and prints what it knows
}

func newWatch() *watch {
	return &watch{begin: time.Now(), ended: make(chan int, 1), overdue: make(chan explore.Stop, 2)}
}

// expire is called when the run ought to end.
func (w *watch) expire(why explore.Stop) {
	go func() {
		allow(grace)
		if w.prints.Load() {
			allow(patience)
		}
		select {
		case w.overdue <- why:
		default:
		}
	}()
}

// limit returns the context of a sub-command with the deadline that its flag --timeout sets, counted from when the
// program began.
func (w *watch) limit(cmd *cobra.Command) context.Context {
	timeout, err := cmd.Flags().GetDuration("timeout")
	if err != nil || timeout <= 0 {
		return cmd.Context() // there is none, or it is refused
	}
	ctx, cancel := context.WithDeadline(cmd.Context(), w.begin.Add(timeout))
	context.AfterFunc(ctx, func() {
		cancel()
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			w.expire(explore.Deadline)
		}
	})
	return ctx
}

// wait returns the status of the sub-command, or ends the wait.
func (a *app) wait() int {
	select {
	case status := <-a.watch.ended:
		return status
	case why := <-a.watch.overdue:
		fmt.Fprintf(a.stderr, "ringcheck: %v: %v\n", ringcheck.ErrIncomplete, why)
		return statusStopped
	}
}
