// Package replay repeats recorded runs step by step by the small-step semantics, which confirms them, and finds the
// steps that matter.
//
//	Run           an initial state and steps
//	Run.Play      repeats them; it is an error if the semantics does not allow one
//	Run.Shorten   removes steps that are not needed to reach a fault at the end
//	NewPast       the steps and processes that have influenced some processes
//
// Package step says what a process can do. A State holds the local states of all processes and the messages in transit,
// listed by receiver, so that its size is that of its contents, even in a complete graph of 50,000 processes. It does
// not depend on the simulator that recorded the run.
package replay
