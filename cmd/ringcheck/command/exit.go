package command

import (
	"errors"
	"fmt"

	"ringcheck/explore"
	"ringcheck/explore/store"
	"ringcheck/model"
	"ringcheck/reduce/confluence"
)

// The exit statuses.
const (
	statusDone     = 0 // done, and what was asked holds
	statusViolated = 1 // a property is violated, or a regression differs
	statusRequest  = 2 // the request is wrong
	statusStopped  = 3 // stopped before the end; what was counted so far is a lower bound
	statusInternal = 4 // a mistake of ringcheck's own
)

// A failure is an error with the exit status it leads to.
type failure struct {
	status int
	err    error
	// rendered is what to show for it; if empty, a line with the error.
	rendered string
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// wrongRequest marks err as the caller's mistake.
func wrongRequest(err error) error { return &failure{status: statusRequest, err: err} }

func wrongRequestf(format string, args ...any) error {
	return wrongRequest(fmt.Errorf(format, args...))
}

// violated marks err as what was asked and does not hold.
func violated(err error) error { return &failure{status: statusViolated, err: err} }

// stopped marks err as the reason why a run ended early.
func stopped(err error) error { return &failure{status: statusStopped, err: err} }

// faultFailure says what a spec does wrong in a reachable state. A range that is left makes the spec
// invalid; growth beyond the bound may be the bound's fault. An assumption that does not hold is a property that is
// violated.
func faultFailure(f *model.Fault) *failure {
	if errors.Is(f, confluence.ErrAssumption) {
		return &failure{status: statusViolated, err: f}
	}
	if f.Growth {
		return &failure{status: statusStopped, err: fmt.Errorf("%w (--max-channel and --max-nat set the bounds)", f)}
	}
	return &failure{status: statusRequest, err: f}
}

// searchError gives the error of a search that has nothing to report its exit status.
func searchError(err error) error {
	var fault *model.Fault
	switch {
	case errors.As(err, &fault):
		return faultFailure(fault)
	case errors.Is(err, explore.ErrBudget):
		return wrongRequestf("--mem: %w", err)
	case errors.Is(err, store.ErrDamaged), errors.Is(err, store.ErrFormat), errors.Is(err, explore.ErrUnnamed):
		return wrongRequest(err)
	case errors.Is(err, store.ErrFull):
		return stopped(err)
	}
	return err
}

// statusOf returns the exit status for err.
func statusOf(err error) int {
	var f *failure
	switch {
	case err == nil:
		return statusDone
	case errors.As(err, &f):
		return f.status
	}
	return statusInternal
}

// describe returns err for people: one line, but for what shows a place in a spec or a run.
func describe(err error) string {
	var f *failure
	if errors.As(err, &f) && f.rendered != "" {
		return f.rendered
	}
	return "ringcheck: " + err.Error() + "\n"
}
