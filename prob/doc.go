// Package prob computes probabilities and expected costs of protocols, with certainty.
//
//	MDP                  a Markov decision process, compactly; Builder makes one
//	Protocol.Process     a protocol as a process, with goals and rewards
//	Prepare, Problem     a process and a goal, arranged for questions about it
//	Problem.Probability  with which the goal is reached
//	Problem.Within       the same within t steps, for all t
//	Problem.Expected     the expected reward until then
//	Problem.Exact        any of these as a rational number
//	Problem.Witness      a run with an extreme cost, or one that never comes to the goal
//	Minimize             the quotient by probabilistic bisimilarity
//	Problem.Ask          several of these at once
//
// In a process, a draw is chance and everything else a choice of the scheduler: who acts, which message is received,
// what a process chooses. Three schedulers are asked about: the one that makes the value least, the one that makes it
// greatest (they may decide by the whole history; they need not), and the one that takes every enabled choice of the
// system with equal probability, which makes the process a Markov chain. Several initial states are equally likely for
// that one, an orbit being as many as it holds, and the worst or best is chosen by the others.
//
// A goal is reached in a state, or by a transition. What is asked about is the run before: states that are met after
// the goal only are left out.
//
// # What is certain
//
// Probabilities 0 and 1, and infinite expectations, follow from the graph alone (extreme.go) and are exact. An expected
// reward is infinite if there is a chance, under the scheduler in question, that the goal is never reached. All other
// values are intervals: each end is proved to be on its side of the value, whatever was lost to rounding or to stopping
// an iteration (certify.go, iterate.go). That two iterates hardly differ says nothing about that, and is never taken
// for it. Within a number of steps a chain is followed forwards (transient.go), and the other schedulers are asked
// backwards, where only what changes is worked out (bounded.go).
//
// Exact lumps the states first (quotient.go): by probabilistic bisimulation, package bisim, which for the uniform
// scheduler is that of the chain and leaves few. Then it solves the equations of the best scheduler by p-adic lifting
// (dixon.go), and proves that it is the best (policy.go).
//
// Package prob/exchange writes and reads processes in the formats of PRISM and Storm.
//
// Sources: C. Baier, J.-P. Katoen, Principles of Model Checking (2008), Chap. 10; A. Hartmanns, B. L. Kaminski,
// Optimistic Value Iteration (CAV 2020); S. Haddad, B. Monmege, Interval iteration algorithm for MDPs and IMDPs (2018).
package prob
