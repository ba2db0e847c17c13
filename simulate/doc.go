// Package simulate takes random runs of a protocol without storing its state space, and estimates costs and
// probabilities.
//
//	New        prepares a protocol
//	Estimate   takes many runs and says what they cost and how they end, with confidence intervals
//	Record     repeats one of those runs and writes down its steps, for package replay
//	Run        a random run in progress
//
// A state consists of the state of each process, as a row of numbers, and the messages in transit, each in the mailbox
// of its receiver. Channels and states are not numbered, so the memory of a complete graph of 50,000 processes is that
// of its processes and messages. Values of wide set types (ir.WideSetType) stand in ir.Sets, and a random subset is
// drawn without enumerating the set that it is drawn from.
//
// # The same semantics
//
// Package step is the semantics of the terms of a protocol. If exactly one alternative of a process is enabled, as in
// nearly all states, a step.Walker finds and takes it in place. Otherwise the alternatives are listed, because two of
// them may be equal. The tests compare every step on small instances with step.Machine.Successors.
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
// Run i of a seed has its own random generator, seeded with both numbers, so the results do not depend on the number of
// workers.
package simulate
