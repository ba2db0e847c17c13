// Package product multiplies a transition system with an automaton and looks for a run that the automaton accepts: a
// lasso, a finite stem that leads to a cycle.
//
//	System         the transition system: states by place, with their successors on request
//	Search         the automaton, the fair runs, and whether transitions have probabilities
//	Search.Find    returns a lasso; Search.Exists reports whether there is one
//	Search.Short   returns a short lasso near the initial states
//	Search.Check   checks a lasso by the definitions
//	EachDistant    does what Search.Distant does, for several searches at once
//	Search.Prefix  returns a shortest finite run that violates a property however it continues
//
// The automaton accepts the runs that violate a property, so that a system without a lasso satisfies it. Neither the
// product nor the transitions of the system are kept, except under strong fairness. A node is a state with a state of
// the automaton. A bit says whether it is alive, and there is a bit for each mark that a cycle must have: acceptance
// sets, and actions to which it must be fair.
//
// Nodes are eliminated until nothing changes: nodes without an edge to an alive node, and nodes from which a mark can
// no longer be taken. Nothing is left if there is no lasso (Emerson and Lei, Modalities for model checking: branching
// time logic strikes back, Sci. Comput. Program. 8(3), 1987; on the fly, in parallel and with disks this is OWCTY:
// Černá and Pelánek, Distributed explicit fair cycle detection, SPIN 2003). Parallel sweeps go through the levels of
// the search from the last to the first. A few are enough, because most transitions lead to the next level. States that
// lead back are visited again separately: every cycle goes through one.
//
// Most of the time of a sweep goes to the successors of states. So EachDistant eliminates nodes for several searches in
// one product, with the union of their automata.
//
// A violated property is often violated early. So before nodes are eliminated, the nodes near the initial ones are held
// in memory with their edges, and decomposed into components, as soon as their number has doubled (fragment). Then a
// bounded number of edges is searched depth-first for a component with all marks.
//
// Strong fairness can take as many rounds as there are strongly connected components inside each other. After the first
// round, or before it if the automaton has several accepting states, the remaining nodes are therefore held in memory
// with their edges, if they fit, and decomposed into components until all remaining ones are fair. This is done for one
// component of the automaton after the other.
//
// With chances, an edge counts only if every outcome of its draw leads to alive nodes. The remaining nodes form end
// components, in which a scheduler can stay for ever for all outcomes of draws (de Alfaro, Formal verification of
// probabilistic systems, 1997). Then the automaton must be limit-deterministic. If nodes remain, the property is
// violated with positive probability, else it holds with probability one. It is violated with probability one if a
// scheduler can reach the remaining nodes with probability one.
//
// A search for strongly connected components (UFSCC: Bloemen, Laarman and van de Pol, Multi-core on-the-fly SCC
// decomposition, PPoPP 2016) would pass through the product once, but take 20 bytes a node and look up successors one
// state at a time, where a sweep looks up hundreds together.
package product
