package ringcheck

import (
	"context"

	"ringcheck/verify/conform"
	"ringcheck/verify/equivalence"
	"ringcheck/verify/estimate"
	"ringcheck/verify/prob"
	"ringcheck/verify/prove"
	"ringcheck/verify/quantify"
)

// An Equivalence is a kind of bisimilarity.
type Equivalence = equivalence.Equivalence

// The equivalences, see package bisim, and prob.Minimize for Probabilistic, by which Compare does not compare.
const (
	Strong        = equivalence.Strong
	Branching     = equivalence.Branching
	Divergence    = equivalence.Divergence
	Probabilistic = equivalence.Probabilistic
)

// A RefinementModel is a kind of behaviour that one system must not have unless another one has it, see package
// refinement. "" is WeakTrace. It is an Equivalence, too.
type RefinementModel = equivalence.Model

// The models.
const (
	WeakTrace           = equivalence.WeakTrace
	Trace               = equivalence.Trace
	Failures            = equivalence.Failures
	FailuresDivergences = equivalence.FailuresDivergences
)

// An Explanation is the way in which Compare explains a difference. "" is ByFormula.
type Explanation = equivalence.Explanation

// The explanations.
const (
	ByFormula     = equivalence.ByFormula
	ByTrace       = equivalence.ByTrace
	NoExplanation = equivalence.NoExplanation
)

type (
	// GraphOptions say which states and labels of a system Minimize and Compare see.
	GraphOptions = equivalence.GraphOptions
	// A Comparison has the GraphOptions of two systems, and says how a difference is explained.
	Comparison = equivalence.Comparison
	// A MinimizeReport is the report of Minimize.
	MinimizeReport = equivalence.MinimizeReport
	// A CompareReport is the report of Compare.
	CompareReport = equivalence.CompareReport
	// A RefinementReport is the report of Refines.
	RefinementReport = equivalence.RefinementReport
	// A Violation is a behaviour of one system that the other one does not have.
	Violation = equivalence.Violation
	// A Graph is a labelled transition system with the system that it was generated from.
	Graph = equivalence.Graph
	// A Size is the size of a transition system or of a Markov decision process.
	Size = equivalence.Size
)

// Minimize computes the quotient of a system by an equivalence, see equivalence.Minimize.
func Minimize(ctx context.Context, sys *System, e Equivalence, opt GraphOptions) (*MinimizeReport, error) {
	return equivalence.Minimize(ctx, sys, e, opt)
}

// Compare decides whether two systems are equivalent, and explains a difference, see equivalence.Compare.
func Compare(ctx context.Context, a, b *System, e Equivalence, opt Comparison) (*CompareReport, error) {
	return equivalence.Compare(ctx, a, b, e, opt)
}

// Refines decides whether a system does nothing, in a model, that another one does not; see equivalence.Refines.
func Refines(ctx context.Context, a, b *System, m RefinementModel, opt Comparison) (*RefinementReport, error) {
	return equivalence.Refines(ctx, a, b, m, opt)
}

type (
	// Questions ask for probabilities of reaching a goal and for expected rewards until then.
	Questions = quantify.Questions
	// A Quantity is the probability of reaching a goal, or an expected reward until then.
	Quantity = quantify.Quantity
	// A QuantifyReport is the report of Quantify.
	QuantifyReport = quantify.Report
	// An Answer is the value of a Quantity.
	Answer = quantify.Answer
	// A Value is a probability or an expected reward, which is between Low and High.
	Value = prob.Value
)

// Quantify answers questions about an instance of a spec or a process in a file. Values are certified, see package
// prob. Work that ends early is not an error: see QuantifyReport.Err. The error is a *RequestError, or says why the
// work could not begin.
func Quantify(ctx context.Context, sys *System, ask Questions, search Search) (*QuantifyReport, error) {
	return quantify.Quantify(ctx, sys, ask, search)
}

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

// Conform decides whether some run of a system explains logs, see package conform. With opt.Run, the report has such a
// run, which a second implementation has replayed. A log that is not explained is not an error, nor is work that ends
// early: see conform.Report.
func Conform(ctx context.Context, sys *System, logs []*conform.Log, opt conform.Options) (*conform.Report, error) {
	return conform.Explain(ctx, sys, logs, opt)
}

// Prove proves the properties of a spec for every n and every value of the parameters that are not given, see
// package prove.
func Prove(ctx context.Context, spec *Spec, given Set, opt prove.Options) (*prove.Report, error) {
	return prove.Prove(ctx, spec, given, opt)
}
