package explore

import (
	"context"
	"errors"
	"fmt"

	"github.com/dustin/go-humanize"

	"ringcheck/bisim/lts"
	"ringcheck/internal/effort"
	"ringcheck/model"
)

// An Ending says whether some work completed. If it did not, all numbers of the report are lower bounds.
type Ending struct {
	Complete bool `json:"complete"`
	// Stopped says why it is not complete: "states", "memory", "timeout", "interrupt", "growth", "fault", "violation"
	// (a state that violates a property ended the search), "disk", "size" (of a transition system or a table),
	// "precision" (that was not reached), "steps" (of a random run), "output" or "empty" (a log).
	Stopped string `json:"stopped,omitempty"`
	// ModelError is the error of the model that ended the search.
	ModelError *model.Error `json:"fault,omitempty"`

	err error
}

// Err returns nil if the work completed, otherwise why it did not: a *model.Error, or an error that wraps
// ErrIncomplete.
func (e *Ending) Err() error { return e.err }

// Incomplete returns the ending of work that stopped for a reason, which Ending.Stopped lists. Its error wraps
// ErrIncomplete.
func Incomplete(stopped, format string, args ...any) Ending {
	return Ending{Stopped: stopped, err: fmt.Errorf("%w: %w", ErrIncomplete, fmt.Errorf(format, args...))}
}

// EndedBy returns the ending of work that a model error ended. err says on what.
func EndedBy(modelError *model.Error, err error) Ending {
	return Ending{Stopped: ModelFailure.word(), ModelError: modelError, err: err}
}

// Annotate appends a text to the error of work that did not complete.
func (e *Ending) Annotate(text string) {
	if e.err != nil {
		e.err = fmt.Errorf("%w; %s", e.err, text)
	}
}

// Phase does a part of the work for a report unless ctx has ended. A part that is cut short makes the report incomplete
// but is not an error: earlier results stay.
func (e *Ending) Phase(ctx context.Context, part func() error) error {
	return e.Stop(ctx, effort.Do(ctx, part))
}

// Stop records that the context or a limit ended the work, if err says so, unless e is already incomplete. It returns
// any other err.
func (e *Ending) Stop(ctx context.Context, err error) error {
	why := Exhausted
	var early *StopError
	switch stopped := ContextError(ctx, err); {
	case err == nil:
		return nil
	case ctx.Err() != nil && errors.Is(stopped, ErrIncomplete):
		why, err = StopFor(ctx), stopped
	case errors.As(err, &early):
		why = early.Stop
	case errors.Is(err, lts.ErrMemory):
		why, err = MemoryLimit, fmt.Errorf("%w: %w", ErrIncomplete, err)
	case errors.Is(err, lts.ErrTooLarge):
		why, err = CapacityLimit, fmt.Errorf("%w: %w", ErrIncomplete, err)
	default:
		return err
	}
	if e.err == nil {
		*e = Ending{Stopped: why.word(), err: err}
	}
	return nil
}

// ContextError returns an error that says why ctx ended the work. It returns err if ctx has not ended, or if err is a
// *model.RequestError for another reason.
func ContextError(ctx context.Context, err error) error {
	var request *model.RequestError
	if ctx.Err() == nil || errors.As(err, &request) && !errors.Is(err, ctx.Err()) {
		return err
	}
	return &StopError{StopFor(ctx)}
}

// Ending returns how the search ended.
func (r *Result) Ending() Ending {
	e := Ending{Complete: r.Complete(), Stopped: r.Stop.word()}
	switch {
	case r.Complete():
	case r.Stop == ModelFailure:
		e.err, e.ModelError = r.ModelError, r.ModelError
		if r.ModelError.Growth {
			e.Stopped = "growth"
		}
	case r.Stop == DiskFailure:
		e.err = fmt.Errorf("%w: %w", ErrIncomplete, r.Failure)
	case r.Needs > 0:
		e.err = fmt.Errorf("%w: %v: the table of parts of states, which stays in memory, takes %s; "+
			"resuming takes a budget of %s, and finishing more",
			ErrIncomplete, r.Stop, humanize.IBytes(r.Parts), humanize.IBytes(r.Needs))
	default:
		e.err = r.Err()
	}
	return e
}

// word is the value of Ending.Stopped. A search that is Matched has found a state that violates a property.
func (s Stop) word() string {
	return [...]string{
		Exhausted: "", StateLimit: "states", MemoryLimit: "memory", CapacityLimit: "size", Deadline: "timeout",
		Interrupted: "interrupt", DiskFailure: "disk", ModelFailure: "fault", Matched: "violation",
	}[s]
}
