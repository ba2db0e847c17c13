// Package prob computes probabilities and expected costs of protocols, with certainty.
//
//	MDP               a Markov decision process, compactly; Builder makes one
//	Protocol.Process  a protocol as a process, with goals and rewards
//	Prepare, Problem  a process and a goal, arranged for questions about it
//	Problem.Ask       answers: probabilities, within numbers of steps or at all, and expected rewards
//	Problem.Exact     any of these as a rational number
//	Problem.Witness   a run with an extreme cost, or one that never reaches the goal
//	Minimize          the quotient by probabilistic bisimilarity
//
// In a process, a draw is chance and everything else a choice of the scheduler: who acts, which message is received,
// what a process chooses. There are three schedulers: the one that minimises the value, the one that maximises it (both
// may decide by the whole history; they need not), and the one that takes every enabled choice of the system with equal
// probability, which makes the process a Markov chain. For that one all initial states are equally likely, where an
// orbit counts as many as it holds; the others begin in the worst or the best.
//
// A goal is reached in a state, or by a transition. States that are met only after the goal are left out.
//
// # What is certain
//
// Probabilities 0 and 1, and infinite expectations, follow from the graph alone (extreme.go) and are exact. An expected
// reward is infinite if the scheduler in question misses the goal with positive probability. All other values are
// intervals: each end is proved to be on its side of the value, whatever was lost to rounding or to stopping an
// iteration (certify.go). That two iterates hardly differ proves nothing. Within a number of steps a chain is followed
// forwards; for the other schedulers values are propagated backwards, and only those that change are computed again
// (within.go).
//
// Exact lumps the states first (quotient.go): by probabilistic bisimilarity, which for the uniform scheduler is that of
// the chain and leaves few. Then it solves the equations of the best scheduler by p-adic lifting (dixon.go), and proves
// that it is the best (exact.go).
//
// Package prob/exchange writes and reads processes in the formats of PRISM and Storm.
//
// Sources: C. Baier, J.-P. Katoen, Principles of Model Checking (2008), Chap. 10; A. Hartmanns, B. L. Kaminski,
// Optimistic Value Iteration (CAV 2020); S. Haddad, B. Monmege, Interval iteration algorithm for MDPs and IMDPs (2018).
package prob
