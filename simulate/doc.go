// Package simulate estimates what cannot be explored: it takes random runs of a protocol, without a state space.
//
//	New        prepares a protocol
//	Estimate   takes many runs and says what they cost and how they end, with confidence intervals
//	Record     repeats one of those runs and writes down its steps, for package replay
//	Run        a random run in progress
//
// A state consists of the state of each process, as a row of numbers, and the messages in transit, each in the mailbox
// of its receiver. No channel and no state has a number, so a complete graph of 50,000 processes takes what its
// processes and messages take. Values of wide set types (ir.WideSetType) stand in ir.Sets, and a random subset is drawn
// without enumerating the set that it is drawn from.
//
// # The same semantics
//
// The terms of a protocol say what a process can do, and package step is their semantics. Where a state leaves exactly
// one alternative, as nearly all do, a step.Walker finds and takes it in place. Choices and overlapping alternatives
// are listed, since two of them may be the same. The tests compare every step on small instances with
// step.Machine.Successors.
//
// # Schedules
//
//	Uniform   each enabled choice of the system is equally likely, a probabilistic draw being one choice, resolved by
//	          its weights: the Markov chain whose exact values package prob computes
//	Timed     each message has a delay of its own, uniform in lo..hi, and time advances when nothing else can happen;
//	          events at the same moment come in random order, except that a process that acts continues until it waits
//	          or has a choice
//
// A run begins in an initial state, each equally likely, and ends in a terminal state. The numbers of choices are kept
// in a tree of sums (urn), from which one is drawn.
//
// Run i of a seed has a random generator of its own, made of both numbers, so the results do not depend on the number
// of workers.
package simulate
