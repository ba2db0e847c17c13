package exchange

import (
	"context"

	"ringcheck/explore"
	"ringcheck/model"
	"ringcheck/verify/prob"
)

// Load is Read for a report. The warnings list the assumptions about the file; strict makes them an error. The process
// is nil if reading ended early, as e then says. The error is a *model.RequestError.
func Load(ctx context.Context, path string, memory uint64, strict bool, e *explore.Ending) (
	m *prob.MDP, warnings []model.Warning, err error) {
	m, assumed, err := Read(ctx, path, memory)
	for _, text := range assumed {
		if strict {
			return nil, nil, model.Refuse("strict", "", "%s: %s", path, text)
		}
		warnings = append(warnings, model.Warning{Place: path, Text: text})
	}
	if err == nil {
		e.Complete = true
	} else if err = e.Stop(ctx, err); err != nil {
		err = &model.RequestError{Err: err}
	}
	return m, warnings, err
}
