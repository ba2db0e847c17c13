package ringcheck

import (
	"context"

	"ringcheck/verify/conform"
)

// Conform decides whether some run of a system explains logs, see package conform. With opt.Run, it returns such a run,
// which a second implementation has replayed; otherwise the run is nil. A log that is not explained is not an error,
// nor is work that ends early: see conform.Report.
func Conform(ctx context.Context, sys *System, logs []*conform.Log, opt conform.Options) (
	*Run, *conform.Report, error) {
	r, err := conform.Explain(ctx, sys, logs, opt)
	if err != nil || r.Run == nil {
		return nil, r, err
	}
	run := &Run{Finding: r.Run.Finding, Unlogged: r.Run.Unlogged, Name: sys.Name, Title: sys.Title(),
		System: r.Run.System, Moves: r.Run.Moves}
	return run, r, nil
}
