// Package prove proves invariants of protocols on rings for every number of processes.
//
// # States and steps
//
// A state of a ring of any size is a set of atoms over its nodes: each node is at a control (a control point with the
// values of the finite variables that are live there); a variable that holds an identity, or counts the hops of a
// message since its origin, holds a node; messages are in transit to nodes, and their fields hold nodes, too; and the
// nodes are ordered by their identities, in any way. The abstraction forgets everything else, which may have any value.
// A channel is the set of messages in transit to its receiver, and messages are never removed; this admits more runs
// than queues and bags do. A rule is a step of one node, the actor: it needs atoms about the actor and a message that
// is in transit to it, and conditions on the nodes in these; it changes atoms about the actor, and puts a message in
// transit to a neighbour.
//
// A variable can also hold a set of nodes. If there is such a variable, and channels are queues, atoms are about the
// past instead of messages in transit: a node has sent a message, has received one, or has sent one before another one.
// A node that receives a message has already received all messages that its neighbour sent before it. These atoms and
// those about sets are exact, so a pattern or a rule may require that one of them is false.
//
// If a spec distinguishes process 0, or if there are initial messages, a state has atoms for the node that is process
// 0, and for messages of which two are in transit. Then messages are removed: of two, one is left. Two remain two for
// ever, which admits more runs again. See docs/prove.md for the proof that this is sound.
//
// If processes read registers of their neighbours, the values of registers are part of controls, and a state has atoms
// for the values beside a node: its sights. A rule changes the sights of the neighbours of the actor.
//
// # Patterns
//
// A pattern is a few atoms, true or false, over at most three nodes in a cyclic order. A set of patterns is inductive
// for a size if none of them occurs in an initial state, and no step leads from a state without them to one in which
// one of them occurs.
//
// # The theorem
//
// If no rule touches more than t nodes, patterns have at most q, and a set of patterns is inductive for the sizes 2 to
// t + q - 1, it is inductive for all.
//
// Proof. Suppose that in a larger ring a step leads from a state S in which no pattern occurs to a state in which a
// pattern occurs. It changes atoms only if they name the actor or the neighbour to which it sends, so an atom of the
// pattern names one of these. Hence the touched nodes and the nodes of the pattern are at most t + q - 1 together (with
// any second node if there is only one). Remove the other nodes from the ring. The rest of S is a state of the smaller
// ring: each node is still at one control, its variables hold at most one node (the held node may have been removed,
// which is why a state need not have an atom for every variable), identities are still ordered, and the remaining nodes
// keep their cyclic order; the actor and the neighbour are adjacent. No pattern occurs in it, because every atom about
// remaining nodes keeps its truth value. The rule applies to it: its atoms and conditions are about remaining nodes,
// except for conditions on all nodes, which hold for the remaining ones. The rule makes the same atoms true or false,
// because this depends only on the nodes that an atom names. So the pattern occurs afterwards, which contradicts that
// the set is inductive for that size. The same holds for initial states: all remaining nodes are at initial controls.
// If process 0 is removed, the rest is a state without process 0, which smaller rings have. ∎
//
// The rules are the same for all sizes, because processes, the property and the definitions that they use may only
// compare a parameter with a variable: see check.Dependence. A counter that begins with 1, is incremented when it is
// sent on in one direction, and has the range 1..n equals n exactly if the message is back at its origin.
//
// # The search
//
// Candidates are all patterns that never occurred in random runs of small rings. The search begins with the patterns of
// states that violate the invariant, the goals, and adds candidates to exclude steps into these; see searcher.
//
// # Files
//
//	instance     a protocol at two sizes, whose constants differ if they depend on parameters
//	value        symbolic values, one type for each sort; evaluation of expressions
//	sorts        how the abstraction represents each variable and field: a fixpoint before the translation
//	condition    paths of a symbolic execution, and the conditions on them
//	execute      the paths through the term of a process; translate: the controls and rules that result
//	property     the paths through a property that violate it: the goals
//	pattern      relations, atoms and patterns; rule: what a step of a process changes, in a ring of any size
//	sight        registers of neighbours
//	ring         the states and steps of a ring of some size as clauses
//	mine         the atoms that occur together in small rings; search: an inductive set of patterns
//	certificate  the files of a proof; refutation and check: their verification
//	audit        a proved property in runs of larger rings; abstract and validate: the rules against the semantics
package prove
