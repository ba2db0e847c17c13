package command

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"ringcheck"
	"ringcheck/explore"
	"ringcheck/internal/machine"
)

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
