// Package verify checks the properties of a protocol over its reachable states.
//
//	Verifier         decides properties of a protocol in a system to search: the protocol or a reduction of it
//	 .Check          a judgment on each property, from one search
//	 .Counterexample a shortest run to a state that violates a property
//	Symmetric        whether a property has the same value in every rotation of a state
//	Monitor          the same for invariants, during a search that is made for something else
//	Explain          why a property does not hold in a state: the processes and values that violate it
//	Replay           a run, step by step, by the untabulated semantics
//	Cover            in how many states the actions and conditions of the protocol take part
//
// Evaluating a formula takes longer than finding a state, but a formula depends on little of a state. Before a search
// its quantifiers are written out, which leaves a graph of terms without binders, each depending on a few slots
// (expander). States are stored as trees. Only this matters of a subtree: what is certain there about the properties,
// and the values of the terms that can still decide the rest (observer, summarize). Parts that agree in these are one
// class, which is computed once for each pair of classes of the halves and looked up for every state.
//
//	kind         holds if its body is true                          decided
//	invariant    in every reachable state                           when a state is met
//	terminal     in every reachable state without transitions       when it is expanded
//	reachable    in some reachable state                            when a state is met
//	recoverable  in some state reachable from each reachable state  when all are known (explore.Space)
//	ltl          of every run (a formula of runs)                   when all are known (explore.Graph, product)
//
// An LTL property whose safety part is "always g" for a predicate g of states and events that do not happen is decided
// like an invariant (temporal.always). Any other one becomes an automaton of its negation (package ltl); its atoms are
// terms, as in other properties. Runs that violate it are lassos.
//
// A part of a property is vacuous if true and false can replace it without changing the verdict, see vacuity. Check
// looks for states that show that a part matters, first in some random runs, then in all states.
package verify
