// Package ringcheck explores, checks, minimises and compares systems state by state, exactly: protocols of small
// networks that are written in its language, and systems whose states are ordinary Go values.
//
//	sys, err := ringcheck.Load("franklin", ringcheck.Set{"n": 4, "k": 2})
//	report, err := ringcheck.Check(ctx, sys, ringcheck.Checks{}, ringcheck.Search{})
//	run, err := report.Run(ctx, "elected")
//	err = run.Write(os.Stdout, "svg")
//
// A System is an instance of a spec (Load, Open), a transition system or Markov decision process in a file (Load), a
// successor function over Go values (From), or any model.System (Wrap). The operations:
//
//	Explore         count states, transitions and terminal states
//	Check           decide its properties, in one search
//	Counterexample  a shortest run that violates one, as text, a picture or a page
//	Minimize        its quotient modulo strong, branching, divergence-preserving or probabilistic bisimilarity
//	Quantify        probabilities of reaching a goal, and expected costs until then
//	Compare         whether two systems are equivalent, and how they differ
//	Refines         whether a system does only what another one, its specification, does
//	Export          writes its transition system
//	Simulate        random runs, with confidence intervals
//	Prepare         the compiled and reduced system, for a custom engine
//
// A Search can reduce the system by confluence and by symmetry, and limits memory and states; the context limits time.
// Claims choose properties. A search that stops early is not an error: its report says why it stopped (Ending), its
// numbers are lower bounds, and verdicts that it did not reach are unknown. An invalid request is a *RequestError. The
// command of the same name prints the JSON form of a report with --json.
//
// Counts are exact: different states are never identified. A counterexample is replayed step by step, independently of
// the tables and the search that found it, before it is returned.
package ringcheck
