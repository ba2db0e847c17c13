package estimate

import (
	"fmt"
	"slices"
	"strings"

	"ringcheck/model"
	"ringcheck/reduce"
)

// A Simulation configures the random runs of a system.
type Simulation struct {
	Runs       int     // the number of runs
	Precision  float64 // stops earlier when every estimate is so precise, see simulate.Options; 0 means never
	Confidence float64 // of the intervals; 0 means 0.95
	Scheduler  Scheduler
	// FaultRate is the probability, under the TimedScheduler and where the spec allows it, that a message is lost or
	// duplicated, that a process crashes before a step, or recovers within a tick; 0 means 0.01. The UniformScheduler
	// takes faults like all other steps.
	FaultRate float64
	Seed      uint64
	// MaxSteps ends a run; math.MaxUint64 means no limit. 0 means ten million plus ten thousand for each process, and
	// no further runs if the first does not end within that.
	MaxSteps uint64
	// Rewards are the names of the rewards whose expectations are estimated; nil means steps and messages. Until is a
	// goal that ends a run, as in Questions; "" and "terminal" mean that runs end in terminal states.
	Rewards []string
	// Properties are the names of invariants that are checked in every state, and of terminal properties; nil means all
	// terminal properties.
	Properties []string
	Until      string
}

// A Scheduler chooses the steps of random runs; "" is the UniformScheduler.
type Scheduler string

// The schedulers.
const (
	// UniformScheduler takes each enabled choice of the system with equal probability.
	UniformScheduler Scheduler = "uniform"
	// TimedScheduler draws a delay for each message, uniformly from what the spec allows, and advances time when
	// nothing else is enabled. Steps at the same time are taken in random order.
	TimedScheduler Scheduler = "time"
)

// Schedulers returns the schedulers, the default first.
func Schedulers() []string { return []string{string(UniformScheduler), string(TimedScheduler)} }

func (s *Simulation) validate(sys *reduce.System) error {
	switch {
	case sys.Protocol == nil:
		return model.Refuse("", "", "%s is not an instance of a spec: there is nothing to simulate", sys.Name)
	case s.Scheduler != "" && !slices.Contains(Schedulers(), string(s.Scheduler)):
		return model.Refuse("scheduler", string(s.Scheduler), "expected %s", strings.Join(Schedulers(), " or "))
	case s.Runs <= 0:
		return model.Refuse("runs", fmt.Sprint(s.Runs), "must be at least 1")
	case s.Precision != 0 && !(s.Precision > 0 && s.Precision < 1):
		return model.Refuse("precision", fmt.Sprint(s.Precision), "must be between 0 and 1")
	case s.FaultRate != 0 && !(s.FaultRate > 0 && s.FaultRate <= 1):
		return model.Refuse("fault-rate", fmt.Sprint(s.FaultRate), "must be greater than 0 and at most 1")
	case s.FaultRate != 0 && (s.Scheduler != TimedScheduler || !sys.Protocol.Faults.Any()):
		return model.Refuse("fault-rate", fmt.Sprint(s.FaultRate),
			"it is for --scheduler time and a protocol with faults")
	case s.Confidence != 0 && !(s.Confidence > 0 && s.Confidence < 1):
		return model.Refuse("confidence", fmt.Sprint(s.Confidence), "must be between 0 and 1")
	}
	return nil
}
