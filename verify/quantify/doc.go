// Package quantify answers questions about probabilities and expected rewards, for an instance of a spec or a process
// in a file. Values are certified, see package prob.
//
//	Questions    what is asked for: goals, rewards, steps, schedulers, precision
//	Quantity     one probability or expectation
//	Report       the Answers, and the AttainedRun of a witness
package quantify
