// Package verify checks the properties of a protocol over its reachable states.
//
//	Subject          a protocol, and perhaps a smaller system to search in its place, such as its quotient by rotation
//	 .Check          the verdict on each property, from one search
//	 .Counterexample a shortest run to a state that breaks a property
//	Symmetric        whether a property has the same value in every rotation of a state
//	Monitor          the same for invariants, during a search that is made for something else
//	Explain          why a property does not hold in a state: the processes and values that break it
//	Replay           a run, step by step, by the untabulated semantics
//	Cover            in how many states the actions and conditions of the protocol take part
//
// A search meets tens of millions of states a minute, and evaluating a formula takes longer than finding a state. But a
// formula depends on little of a state. Before a search its quantifiers are written out, which leaves a graph of terms
// without binders, each depending on a few slots of the state vector (expander). States are stored as trees; of a part
// of a state, a subtree, all that matters is what is certain there about the properties, whatever the rest is, and the
// values of those terms that can still decide what is not (observer, tell). Parts that agree in them are one class, so
// that a class is worked out once for each pair of classes of its halves, and looked up for every state.
//
//	kind         holds if its body is true                              decided
//	invariant    in every reachable state                               when a state is met
//	terminal     in every reachable state without transitions           when it is expanded
//	reachable    in some reachable state                                when a state is met
//	recoverable  in some state reachable from each reachable state      when all are known (explore.Space)
//	ltl          its formula, of every run                              when all are known (explore.Graph, package product)
//
// An LTL property becomes an automaton of its negation (package ltl); its atoms are terms like those of the others.
// Runs that violate it are lassos.
//
// A property may hold vacuously: something in it has one value in all states, and a part of it says nothing therefore
// (clause, analysis). Check looks for states that show other values, in some random runs first, and in all states if
// they are not found there.
//
// A verdict is Holds, Violated or Unknown: a search that is stopped early shows what it has found and says nothing
// about the rest.
package verify
