// Package conform judges programs by a spec: it says whether the spec has a run in which everything happens that a
// program logged, in the order that the log tells.
//
//	Explain    judges logs: a verdict, the first line that no run explains, and one run that explains the others
//	New        a Monitor, which judges a program while it runs
//	Sample     writes the log of a random run
//	NewTests   runs that together cover the state space, as logs of a program that takes these steps
//	WithClock  a vector clock for a process of a program, for logs without an order
//
// What the log does not show may happen unseen at any time, so a log leaves many states in which the system may be.
// What follows keeps them apart:
//
//	network    the compiled system; values that are assigned to a process are bound when its first step is taken
//	agenda     which event may come next: of all, or of each process (a lane)
//	sets       the lines in their order: all states after each line, the hypotheses
//	depth      other orders, and too many hypotheses: one run, depth-first, with memory and backjumping
//
// Before an event only the moves of some processes are tried (agenda.persistent), so that steps that are independent of
// it are not taken in all orders.
package conform
