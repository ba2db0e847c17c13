// Package ringcheck explores, checks, minimises and compares systems state by state, exactly: protocols of small
// networks that are written in its language, and systems whose states are ordinary Go values.
//
//	sys, err := ringcheck.Load("franklin", ringcheck.Set{"n": 4, "k": 2})
//	report, err := ringcheck.Check(ctx, sys)
//	run, err := report.Run(ctx, "elected")
//	err = run.Write(os.Stdout, "svg")
//
// A System is an instance of a spec (Load, Open), a transition system or a process in a file (Load), Go values with a
// function that yields what can happen next (From), or any model.System (Wrap). What can be done with it:
//
//	Explore         count states, transitions and terminal states
//	Check           decide the properties that it states, in one search
//	Counterexample  a shortest run that breaks one, as text, a picture or a page
//	Minimize        its quotient modulo strong, branching, divergence-preserving branching or probabilistic bisimilarity
//	Quantify        probabilities of reaching a goal, and expected costs until then
//	Compare         whether two systems are equivalent, and if not, why
//	Generate        its transition system, and Export writes one to a file
//	Prepare         the compiled and reduced system, for a custom engine
//
// Options make the system smaller by confluence and by symmetry, choose properties, and bound time (by the context),
// memory and states. A search that is stopped is not an error: its report says so (Ending), its numbers are lower
// bounds, and what is not known is reported as unknown. An invalid value is a *RequestError. The JSON form of a report
// is what the command of the same name prints with --json.
//
// Counts are exact: no two different states are identified. Before a counterexample is returned, it is replayed step by
// step, without the tables and the search that found it.
package ringcheck
