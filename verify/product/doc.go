// Package product multiplies a transition system with an automaton and looks for a run that the automaton accepts: a lasso, a finite
// stem that leads to a cycle.
//
//	Graph      the transitions of a system, in memory: Builder makes one
//	Search     what is looked for: the automaton, which runs are fair, whether chance may help
//	Search.Find   the lasso, nil if there is none
//	Check      whether a lasso is what was looked for, by the definitions
//
// The automaton accepts the runs that violate a property, so that a system without a lasso satisfies it. The strongly connected
// components of the product are found in one depth-first search that keeps one word for each node (Pearce, Inf. Process. Lett. 116(1),
// 2016); the nodes are pairs of a state and a state of the automaton, whose edges are worked out when they are needed. Acceptance is
// a set of marks on edges of which a component must have all. Weak fairness of an action adds a mark: on its edges, and on those
// from states in which it is disabled. Strong fairness removes, from a component in which an action is enabled and never
// taken, the states in which it is enabled, and divides the rest anew (Emerson and Lei, Sci. Comput. Program. 8(3), 1987).
//
// With chances, transitions come in distributions, and what is looked for is an end component: one that a scheduler can stay in for
// ever, whatever chance does (de Alfaro, Formal verification of probabilistic systems, 1997). The automaton must be limit-deterministic
// then. If there is one, the property is violated with positive probability; else it holds with probability one. It is violated with
// probability one if a scheduler can come to one with probability one.
//
// Why a depth-first search, which one goroutine makes: it takes linear time, where elimination over levels takes a pass for each
// round of each mark, and most of the time goes to making the transitions, which is done by all workers.
package product
