package record

import (
	"context"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"ringcheck/internal/machine"
	"ringcheck/results/experiment"
	"ringcheck/results/regress"
)

// Measure runs the wanted entries of a regression file and records their outcomes, except incomplete ones. It calls
// finished after each entry.
func (a *Archive) Measure(
	ctx context.Context, file *regress.File, wanted func(*regress.Entry) bool,
	finished func(*regress.Entry, *experiment.Result),
) error {
	_, err := file.Run(ctx, regress.Options{
		Select: wanted,
		None:   true,
		OnFinish: func(e *regress.Entry, o *experiment.Result) error {
			finished(e, o)
			if !o.Complete {
				return nil
			}
			return a.Keep(&Record{
				Name: e.Name(), Version: Version(), Date: time.Now().UTC().Format(time.DateOnly),
				Machine: ThisMachine(machine.Memory()), Experiment: e.Experiment, Result: *o,
			})
		},
	})
	return err
}

// Version returns the version of ringcheck, if it is known, and of Go.
func Version() string {
	version := runtime.Version()
	if info, ok := debug.ReadBuildInfo(); ok {
		version = strings.TrimSpace(info.Main.Version + " " + version)
	}
	return version
}
