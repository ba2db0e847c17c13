package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"ringcheck/explore"
	"ringcheck/internal/machine"
	"ringcheck/internal/printable"
)

// progress shows the progress of one search after another: a live line on a terminal, otherwise a line at intervals.
type progress struct {
	app   *app
	every time.Duration
	live  *os.File // standard error if it is a terminal, otherwise nil
	shown bool     // there is a live line on the terminal

	mu         sync.Mutex
	violations []string // the properties found to be violated, with the lengths of the runs
}

// onViolation records a violated property, as ringcheck.Checks.OnViolation.
func (p *progress) onViolation(property string, steps int) {
	if steps >= 0 {
		property += ", after " + countOf(steps, "step")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.violations = append(p.violations, property)
}

// violationsLine lists the violated properties.
func (p *progress) violationsLine() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.violations) == 0 {
		return ""
	}
	return "violated so far: " + printable.Text(strings.Join(p.violations, "; ")) + "  "
}

func newProgress(a *app) *progress {
	p := &progress{app: a, every: 10 * time.Second}
	if f, ok := a.stderr.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.live, p.every = f, time.Second/5
	}
	return p
}

// reset discards the state of the previous search.
func (p *progress) reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.violations = nil
}

// begin announces the next search.
func (p *progress) begin(what string) {
	p.clear()
	p.reset()
	if !p.app.quiet {
		fmt.Fprintln(p.app.stderr, printable.Text(what))
	}
}

// show prints a snapshot, as ringcheck.Search.Progress.
func (p *progress) show(now explore.Progress) { p.printLine(p.violationsLine() + now.String()) }

// printLine prints a line.
func (p *progress) printLine(line string) {
	if p.live == nil {
		fmt.Fprintln(p.app.stderr, line)
		return
	}
	if width, _, err := term.GetSize(int(p.live.Fd())); err == nil && width > 0 {
		line = fit(line, width-1)
	}
	fmt.Fprint(p.live, "\r", line, "\x1b[K")
	p.shown = true
}

// fieldGap separates the fields of a line of progress.
const fieldGap = "  "

// fit leaves out fields of a line that is wider than width: those from the first on that does not fit. Leading
// fields that do not even fit alone are skipped, so that a long list of properties hides no number. A part of a number
// would be a wrong number.
func fit(line string, width int) string {
	var kept string
	for field := range strings.SplitSeq(line, fieldGap) {
		longer := field
		if kept != "" {
			longer = kept + fieldGap + field
		}
		switch {
		case utf8.RuneCountInString(longer) <= width:
			kept = longer
		case kept != "":
			return kept
		}
	}
	return kept
}

// clear removes the live line, if there is one.
func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(p.live, "\r\x1b[K")
		p.shown = false
	}
}

// A run ends soon after its deadline or the first signal: long work has a context and returns its results so far when
// that ends. The watch handles work that does not return in time: the program exits immediately, with the reason and
// the right status, which damages no file and no store. On a busy machine a run gets more time.
const (
	grace    = 800 * time.Millisecond // from the deadline to the beginning of the output
	patience = 5 * time.Second        // to finish the output and close files
	busiest  = 10                     // the factor by which a busy machine extends these at most
)

// pastLimit reports whether a run has exceeded a limit: both in wall time and in processor time, or in wall time by the
// factor busiest.
func pastLimit(limit, passed, used time.Duration) bool {
	return passed >= busiest*limit || passed >= limit && used >= limit
}

// allow waits until the program has exceeded a limit, counted from now.
func allow(limit time.Duration) {
	begin, before := time.Now(), machine.CPU()
	for !pastLimit(limit, time.Since(begin), machine.CPU()-before) {
		time.Sleep(limit / 40)
	}
}

// A watch waits until a sub-command ends or exceeds its time.
type watch struct {
	begin   time.Time
	status  chan int // the status
	overdue chan explore.Stop
	prints  atomic.Bool // the sub-command has begun to print its results
}

func newWatch() *watch {
	return &watch{begin: time.Now(), status: make(chan int, 1), overdue: make(chan explore.Stop, 2)}
}

// expire is called at the deadline or a signal.
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

// limit returns the context of a sub-command with the deadline of --timeout, counted from the start of the program.
func (w *watch) limit(cmd *cobra.Command) context.Context {
	timeout, err := cmd.Flags().GetDuration("timeout")
	if err != nil || timeout <= 0 {
		return cmd.Context() // there is no such flag, or its value is refused
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

// wait returns the status of the sub-command with some arguments, or statusStopped if its time runs out.
func (a *app) wait(args []string) int {
	select {
	case status := <-a.watch.status:
		return status
	case why := <-a.watch.overdue:
		unfinished.Range(func(name, _ any) bool {
			os.Remove(name.(string))
			return true
		})
		err := earlyStop(&explore.StopError{Stop: why})
		fmt.Fprint(a.stderr, describe(cmp.Or(a.reportErrors(args, err), err)))
		return statusStopped
	}
}
