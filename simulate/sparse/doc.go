// Package sparse takes random runs of protocols whose systems are too large to be compiled.
//
//	New          prepares a protocol
//	System.Run   a random run in progress
//
// A state consists of the state of each process, as a row of numbers, and the messages in transit, each in the mailbox of its receiver. No
// channel and no state has a number, so a complete graph of 50,000 processes takes what its processes and messages take. Values of wide set
// types (ir.WideSetType) stand in ir.Sets, and a random subset is drawn without a look at the set that it is drawn from.
//
// # The same semantics
//
// The terms of a protocol say what a process can do, and package step is their semantics. Where a state leaves
// exactly one alternative, as nearly all do, a walk through the term finds and takes it in place. Everything else, choices and
// overlapping alternatives, is left to package step, which knows when two of them are the same. The tests compare every step on
// small instances with step.Machine.Successors.
//
// # Schedules
//
//	Uniform   each enabled choice of the system is equally likely: the Markov chain of packages simulate and prob
//	Timed     each message has a delay of its own, uniform in lo..hi, and time advances when nothing else can happen now; what
//	          happens at the same moment does so in random order, except that a process that acts continues until it waits or has a choice
package sparse
