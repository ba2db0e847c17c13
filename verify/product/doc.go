// Package product multiplies a transition system with an automaton and looks for a run that the automaton accepts: a
// lasso, a finite stem that leads to a cycle.
//
//	System         the transition system: states by place, successors whenever they are asked for
//	Search         what is looked for: the automaton, which runs are fair, whether chance may help
//	Search.Find    a lasso, nil if there is none; Search.Exists whether there is one
//	Search.Check   whether a lasso is what was looked for, by the definitions
//
// The automaton accepts the runs that violate a property, so that a system without a lasso satisfies it. Neither the
// product nor the transitions of the system are kept, except under strong fairness. A node is a state with a state of
// the automaton; it has a bit for whether it is alive, and one for each mark that a cycle must have: acceptance sets
// and actions to be fair to.
//
// Nodes are eliminated until nothing changes: those without an edge to one that is alive, and those from which a mark
// can no longer be taken. Nothing is left if there is no lasso (Emerson and Lei, Modalities for model checking:
// branching time logic strikes back, Sci. Comput. Program. 8(3), 1987; on the fly, in parallel and with disks this is
// OWCTY: Černá and Pelánek, Distributed explicit fair cycle detection, SPIN 2003). Parallel sweeps go through the
// levels of the search from the last to the first; a few are enough, since most transitions lead to the next level.
// States that lead back are visited again on their own: every cycle goes through one.
//
// A property that is violated is often violated early. So before anything is eliminated, a bounded number of edges is
// searched depth first for a component with all marks.
//
// Strong fairness can take as many rounds as there are strongly connected components inside each other. After the first
// round, or before it if the automaton has several accepting states, what is left is therefore numbered and held in
// memory with its edges, if there is room, and decomposed into components until those that are left are fair: the nodes
// of one component of the automaton after the other.
//
// With chances, an edge counts only if every outcome of its draw leads to nodes that are alive: what is left is made of
// end components, in which a scheduler can stay for ever, whatever is drawn (de Alfaro, Formal verification of
// probabilistic systems, 1997). The automaton must be limit-deterministic then. If anything is left, the property is
// violated with positive probability, else it holds with probability one. It is violated with probability one if a
// scheduler can get there with probability one.
//
// A search for strongly connected components (UFSCC: Bloemen, Laarman and van de Pol, Multi-core on-the-fly SCC
// decomposition, PPoPP 2016) would pass through the product once, but take 20 bytes a node and look up successors one
// state at a time, where a sweep looks up hundreds together.
package product
