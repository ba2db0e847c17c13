// Package conform checks programs against a spec: it decides whether the spec has a run that explains the log of a
// program.
//
//	Explain    judges logs: a verdict, the first line that no run explains, and one run that explains the others
//	New        a Monitor, which judges a program while it runs
//	Sample     writes the log of a random run
//	NewTests   runs that together cover the state space, as logs of a program that takes these steps
//	WithClock  a vector clock for a process of a program, for logs without an order
//
// Actions that the log does not show are internal and may happen at any time, so after a log the system may be in many
// states, the hypotheses. These files read a log and compute them:
//
//	log        the lines of a log, also of another kind (a mapping); event: what a line means in the spec
//	follow     Explain: reads events, run by run, and chooses one of the two searches, sets and depth
//	network    the compiled system; assign: values that are assigned to a process are bound before its first step
//	agenda     which event may come next: of all events, or of those of each process (a lane)
//	sets       the lines in their order: all states after each line, the hypotheses
//	depth      other orders, and too many hypotheses: one run, depth-first
//	relax      what each process can do, whatever others send: refutes most logs in other orders, guides the search
//	traffic    the messages that the log shows on a link, which restrict the process at its other end
//
// Before an event only the moves in a persistent set are tried (Godefroid 1996), so that independent steps are not
// taken in all orders. These files report what was found:
//
//	blame      the line that is not explained, the lines that contradict it, and what was possible in its place
//	judge      the invariants, in each state
//	verdict    the Report: invariants, possible events, and the run that explains the log
package conform
