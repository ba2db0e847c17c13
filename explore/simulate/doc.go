// Package simulate takes random runs of a protocol without storing its state space, and estimates costs and
// probabilities.
//
//	New        prepares a protocol
//	Estimate   takes many runs and estimates costs and probabilities, with confidence intervals
//	Record     repeats one of those runs and records its steps, for package replay
//	Run        a random run in progress
//
// A state consists of the local state of each process, as a row of numbers, and the messages in transit. Channels and
// states are not numbered, so a complete graph of 50,000 processes takes memory for its processes and messages only.
// Values of wide set types (ir.WideSetType) are stored in ir.Sets, and a random subset is drawn without enumerating the
// set from which it is drawn.
//
// # The same semantics
//
// Package step defines the semantics of the terms of a protocol. If exactly one alternative of a process is enabled, as
// in nearly all states, a step.Walker finds and takes it in place. Otherwise the alternatives are listed, because two
// of them may be equal. The tests compare every step on small instances with step.Machine.Successors.
//
// # Schedules
//
//	Uniform   each enabled choice of the system is equally likely; a probabilistic draw is one choice, resolved by
//	          its weights: the Markov chain whose exact values package prob computes
//	Timed     each message has its own delay, uniform in lo..hi, and time advances when nothing else can happen;
//	          events at the same time happen in random order, except that a process that acts continues until it waits
//	          or has a choice
//
// A run begins in a random initial state, each equally likely, and ends in a terminal state. A choice is drawn from a
// tree of the numbers of choices (package weighttree).
//
// # Messages in transit
//
// A mailbox moves a message through these states:
//
//	Timed    post ──► travelling ──► ready ──► received
//	                      │          ▲   ▲
//	                      ▼          │   ▼
//	                   waiting ──────┘  deferred
//
//	Uniform  post ──► travelling ──► deliverable ──► received
//
//	travelling   younger than its delay: in mailbox.buckets, compressed, or in mailbox.arrivals
//	ready        can be chosen: in mailbox.ready, which is empty when time advances
//	waiting      not the first of its channel, or to a process that has ended: only in mailbox.queues, if channels are
//	             sequences; a message before which another one is put waits again
//	deferred     cannot be received in the present state of its receiver: in process.deferred until that changes
//	deliverable  at least as old as its delay: in the inbox of its receiver
//
// The methods markDeliverable, makeReady, takeReady, deferReceipt and offerDeferred make these transitions. Inboxes
// exist for a Uniform schedule and for faults. Unless messages are compressed, one is in its inbox from post on. With
// faults, a message can be lost or changed in any state.
//
// A message at the maximum delay is due (mailbox.dueDates, markDue): it must be received before time advances. If its
// receiver has ended it is undeliverable instead, and lost with the next tick.
//
// # Random numbers
//
// Each run has its own random generator, seeded with the seed and the number of the run, so the results do not depend
// on the number of workers.
package simulate
