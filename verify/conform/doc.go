// Package conform checks programs against a spec: it decides whether the spec has a run that explains the log of a
// program.
//
//	Explain    checks logs: a verdict, the first line that no run explains, and one run that explains the others
//	New        a Monitor, which checks a program while it runs, and shows its status by HTTP
//	Sample     writes the log of a random run
//	NewTests   runs that together cover the state space, as logs of a program that takes these steps
//	WithClock  a vector clock for a process of a program, for logs without an order
//
// Actions are observable, and then every occurrence has a line, or internal, and then they may happen at any time. So
// after a log the system may be in many states, the hypotheses. A log is read in these files:
//
//	log         the lines of a log, also of another kind (a mapping)
//	event       a line, and resolve: its meaning in the spec, a pattern that actions and states match
//	trace       the partial order of the events: a chain for each process, or one chain in a total order
//
// These files look for runs that explain a trace:
//
//	checker     Explain: reads events, run by run, and chooses one of the two searches
//	open_start  what a log from the middle of a run says about its beginning; what is open is decided late
//	network     the compiled system with its observable actions; assign: assigned values are bound late
//	fault       faults that are not in the log are decided late
//	expand      the moves to try in a configuration, a state with a cut of the trace: a persistent set
//	hypotheses  a total order: the subset construction, all states after each line
//	checkpoint  of long logs, only the hypotheses after many events are kept, in tables that do not grow
//	dfs         other orders, and too many hypotheses: a depth-first search for one run
//	abstraction what each process can do, whatever others send; refute: refutes most logs in other orders
//	channel     the messages on a link that a log shows, which restrict the other end in the abstraction
//
// Independent steps are not taken in all orders, because only the moves of a persistent set are tried (Godefroid 1996).
// These files report the result:
//
//	conflict    the line that is not explained, the lines that contradict it, and the possible events in its place
//	invariants  the invariants in a state
//	verdict     the Report: invariants, possible events, and the run that explains the log
package conform
