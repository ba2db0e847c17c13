package command

import (
	"context"
	"errors"
	"fmt"

	"ringcheck"
	"ringcheck/bisim/lts"
	"ringcheck/explore"
	"ringcheck/explore/store"
	"ringcheck/internal/document"
	"ringcheck/internal/effort"
	"ringcheck/internal/printable"
	"ringcheck/model"
	"ringcheck/reduce/confluence"
	"ringcheck/verify"
	"ringcheck/verify/prob"
)

// The exit statuses.
const (
	statusDone     = 0 // done, and the answer is yes
	statusViolated = 1 // a property is violated, or a regression differs
	statusRequest  = 2 // the request is wrong
	statusStopped  = 3 // stopped before the end; counts are lower bounds
	statusInternal = 4 // a bug in ringcheck
)

// A failure is an error with the exit status it leads to.
type failure struct {
	status int
	err    error
	// text is the text to print; if it is empty, a line with the error is printed.
	text string
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// wrongRequest marks err as a mistake of the caller.
func wrongRequest(err error) error { return &failure{status: statusRequest, err: err} }

func wrongRequestf(format string, args ...any) error {
	return wrongRequest(fmt.Errorf(format, args...))
}

// earlyStop marks err as the reason why the work ended early.
func earlyStop(err error) error { return &failure{status: statusStopped, err: err} }

// endedBy returns how the work ended that err, with statusStopped, ended early.
func endedBy(err error) ringcheck.Ending {
	var modelError *model.Error
	var early *explore.StopError
	switch {
	case errors.As(err, &modelError):
		return (&explore.Result{Stop: explore.ModelFailure, ModelError: modelError}).Ending()
	case errors.As(err, &early):
		return (&explore.Result{Stop: early.Stop}).Ending()
	case errors.Is(err, store.ErrFull):
		return (&explore.Result{Stop: explore.DiskFailure, Failure: err}).Ending()
	case errors.Is(err, effort.ErrMemory):
		return (&explore.Result{Stop: explore.MemoryLimit}).Ending()
	case errors.Is(err, prob.ErrTooLarge), errors.Is(err, lts.ErrTooLarge):
		return (&explore.Result{Stop: explore.CapacityLimit}).Ending()
	}
	return ringcheck.Ending{Stopped: "output"}
}

// A report is the result of a sub-command, with what determines its exit status.
type report struct {
	document.Document
	violation string // why the answer is no; "" if it is yes
	stopErr   error  // why the work ended early; nil if it did not
	// evidence, if not nil, returns text to print below the error, such as a run. It is called after the report is
	// printed, since it may search.
	evidence func() (string, error)
}

// verdict returns nil if the work completed and the answer is yes. A negative answer takes precedence over the reason
// why the work ended early. An error of the model or of a property is always reported.
func (r *report) verdict() error {
	f := classify(r.stopErr)
	if r.violation != "" {
		f = &failure{status: statusViolated, err: errors.New(r.violation)}
	}
	if f == nil {
		return r.stopErr
	}
	summary, evidence := describe(f), ""
	if r.violation != "" && isModelError(r.stopErr) {
		summary += describe(r.stopErr)
	}
	if r.evidence != nil {
		var err error
		if evidence, err = r.evidence(); err != nil {
			return err
		}
	}
	return &failure{status: f.status, err: f.err, text: summary + evidence}
}

// isModelError reports whether err is an error of the model or of a property.
func isModelError(err error) bool {
	return errors.As(err, new(*model.Error)) || errors.As(err, new(*verify.EvalError))
}

// classify gives an error its exit status. It returns nil for a bug: an error that neither the caller nor a model can
// cause.
func classify(err error) *failure {
	var f *failure
	var modelError *model.Error
	var request *ringcheck.RequestError
	switch {
	case errors.As(err, &f):
		return f
	case errors.As(err, &modelError):
		return modelFailure(modelError)
	case errors.As(err, &request) && err == error(request):
		return &failure{status: statusRequest, err: asFlag(request)}
	case request != nil:
		return &failure{status: statusRequest, err: err}
	case errors.Is(err, explore.ErrBudget):
		return &failure{status: statusRequest, err: fmt.Errorf("--mem: %w", err)}
	case errors.Is(err, store.ErrDamaged), errors.Is(err, store.ErrFormat), errors.Is(err, explore.ErrUnnamed):
		return &failure{status: statusRequest, err: err}
	case errors.Is(err, ringcheck.ErrIncomplete), errors.Is(err, store.ErrFull), errors.Is(err, prob.ErrTooLarge):
		return &failure{status: statusStopped, err: err}
	case errors.Is(err, context.DeadlineExceeded):
		return &failure{status: statusStopped, err: &explore.StopError{Stop: explore.Deadline}}
	case errors.Is(err, context.Canceled):
		return &failure{status: statusStopped, err: &explore.StopError{Stop: explore.Interrupted}}
	}
	return nil
}

// asFlag names the option of an error as a flag.
func asFlag(r *ringcheck.RequestError) error {
	if r.Option == "" {
		return r.Err
	}
	return fmt.Errorf("--%w", r)
}

// modelFailure is the failure for a model error in a reachable state. A value out of range makes the spec invalid, but
// growth beyond a bound may only mean that the bound is too small. An assumption that does not hold is a violation.
func modelFailure(f *model.Error) *failure {
	switch {
	case errors.Is(f, confluence.ErrAssumption):
		return &failure{status: statusViolated, err: f}
	case f.Growth:
		return &failure{status: statusStopped, err: fmt.Errorf("%w (--max-channel, --max-nat and --mem set bounds)", f)}
	}
	return &failure{status: statusRequest, err: f}
}

// statusOf returns the exit status for err.
func statusOf(err error) int {
	if err == nil {
		return statusDone
	}
	if f := classify(err); f != nil {
		return f.status
	}
	return statusInternal
}

// describe returns the text for err: one line, unless it shows an excerpt of a spec or a run.
func describe(err error) string {
	f := classify(err)
	switch {
	case f == nil:
		return printable.Text(fmt.Sprintf("ringcheck: internal error: %v", err)) + "\n"
	case f.text != "":
		return printable.Lines(f.text)
	}
	return printable.Text("ringcheck: "+f.Error()) + "\n"
}
