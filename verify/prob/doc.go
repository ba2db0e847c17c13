// Package prob computes probabilities and expected costs of protocols with guaranteed bounds.
//
//	MDP               a Markov decision process, stored compactly; Builder makes one
//	Protocol.Process  a protocol as a process, with goals and rewards
//	Prepare, Problem  a process and a goal, arranged for queries
//	Problem.Ask       answers queries: probabilities, step-bounded or not, and expected rewards
//	Problem.Exact     answers any of these by a rational number
//	Problem.Witness   a run with an extreme cost, or a run that never reaches the goal
//	Minimize          the quotient by probabilistic bisimilarity
//
// In a process, draws are probabilistic and everything else is a choice of the scheduler: which process acts, which
// message is received, what a process chooses. There are three schedulers: one minimises the value, one maximises it
// (among all schedulers, including history-dependent ones), and the uniform one takes every enabled choice with equal
// probability, which makes the process a Markov chain. For the uniform scheduler all initial states are equally likely,
// and an orbit has the weight of its size. The others begin in the initial state with the least or the greatest value.
//
// A goal is reached in a state, or by a transition. States that are reachable only through the goal are left out.
//
// # Guarantees
//
// Probabilities 0 and 1, and infinite expectations, follow from the graph alone (extreme.go) and are exact. An expected
// reward is infinite if the scheduler in question misses the goal with positive probability. All other values are
// intervals whose ends are proved bounds of the value, in spite of rounding and of stopping an iteration (certify.go);
// a small difference between two iterates would prove nothing. For step bounds, the distribution of a chain is
// propagated forwards; for the other schedulers values are propagated backwards, and only changing values are
// recomputed (within.go).
//
// Exact first lumps the states (quotient.go) by probabilistic bisimilarity; for the uniform scheduler, by bisimilarity
// of the chain, which leaves few states. Then it solves the equations of a policy by p-adic lifting (dixon.go), and
// improves the policy until no choice is better for its values (policy.go).
//
// Package prob/exchange writes and reads processes in the formats of PRISM and Storm.
//
// Sources: C. Baier, J.-P. Katoen, Principles of Model Checking (2008), Chap. 10; A. Hartmanns, B. L. Kaminski,
// Optimistic Value Iteration (CAV 2020); S. Haddad, B. Monmege, Interval iteration algorithm for MDPs and IMDPs (2018).
package prob
