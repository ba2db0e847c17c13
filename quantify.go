package ringcheck

import (
	"context"

	"ringcheck/verify/prob"
	"ringcheck/verify/quantify"
)

type (
	// Questions ask for probabilities of reaching a goal and for expected rewards until then.
	Questions = quantify.Questions
	// A Quantity is the probability of reaching a goal, or an expected reward until then.
	Quantity = quantify.Quantity
	// A Quantified is the report of Quantify.
	Quantified = quantify.Report
	// An Answer is the value of a Quantity.
	Answer = quantify.Answer
	// A Value is a probability or an expected reward, which is between Low and High.
	Value = prob.Value
)

// Quantify answers questions about an instance of a spec or a process in a file. Values are certified, see package
// prob. Work that ends early is not an error: see Quantified.Err. The error is a *RequestError, or says why the work
// could not begin.
func Quantify(ctx context.Context, sys *System, ask Questions, search Search) (*Quantified, error) {
	return quantify.Quantify(ctx, sys, ask, search)
}
