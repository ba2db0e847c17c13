// Package replay takes runs of large systems again, step by step, by the small-step semantics, and finds what of them matters.
//
//	Run        a schedule: a first state and deeds
//	Run.Play   takes it, if the semantics has each of its steps
//	Run.Shorten   leaves out what a fault at the end can do without
//	NewPast    what has had an influence on some processes
//
// package step says what a process can do. Here is only who holds what: a State lists the processes, and the messages by receiver, so that
// it takes what they take, even in a complete graph of 50,000 processes. It knows nothing of the simulator that has taken the run.
package replay
