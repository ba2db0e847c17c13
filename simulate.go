package ringcheck

import (
	"context"

	"ringcheck/verify/estimate"
)

// A Scheduler chooses the steps of random runs; "" is the UniformScheduler.
type Scheduler = estimate.Scheduler

// The schedulers.
const (
	UniformScheduler = estimate.UniformScheduler
	TimedScheduler   = estimate.TimedScheduler
)

type (
	// A Simulation configures the random runs of a system.
	Simulation = estimate.Simulation
	// A SimulationReport is the report of Simulate.
	SimulationReport = estimate.Report
	// An Estimate estimates an expected reward, or the probability that an event happens or a property holds in a run.
	Estimate = estimate.Estimate
)

// Simulate takes random runs of an instance of a spec and estimates their costs and outcomes, see package simulate. A
// simulation that ends early is not an error: see SimulationReport.Err. The error is a *RequestError, or a
// *simulate.RunError.
func Simulate(ctx context.Context, sys *System, plan Simulation, search Search) (*SimulationReport, error) {
	return estimate.Simulate(ctx, sys, plan, search)
}
