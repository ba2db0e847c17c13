// Package prove proves invariants of protocols on rings for every number of processes.
//
// # States and steps
//
// A state of a ring of any size is a set of atoms over its nodes: each node is at a control (a control point with the
// values of the finite variables that are live there); a variable that holds an identity, or counts the hops of a
// message from where it began, holds a node; messages are in transit to nodes, and their fields hold nodes, too; and
// the nodes are ordered by their identities, in any way. Everything else is forgotten: it may have any value. A channel
// is the set of messages in transit to its end, of which none is ever lost; this admits more runs than queues and bags
// do. A rule is a step of one node, the actor: it needs atoms about the actor and a message that comes to it, and
// conditions on the nodes that they hold; it changes atoms about the actor, and puts a message in transit to a
// neighbour.
//
// A variable can also hold a set of nodes. If there is one, and channels are queues, atoms say what has happened,
// instead of what is in transit: a node has sent a message, has received one, or has sent one ahead of another one. Who
// receives a message has received all that the neighbour has not sent after it. These atoms and those of sets are known
// exactly: a pattern, and a rule, may need that one of them is false.
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
// Proof. Let a step in a larger ring lead from a state S without patterns to one in which a pattern occurs. It changes
// atoms only if they name the actor or the neighbour to which it sends, so that an atom of the pattern names one of
// these, and the nodes touched and those of the pattern are at most t + q - 1 together (with any second node if they
// are one). Take the others out of the ring. What is left of S is a state of the smaller ring: a node is still at one
// control, its variables hold at most one node (the one that they held may be gone, which is why a state need not have
// it), identities are still ordered, and the nodes that are left have the cyclic order that they had; the actor and the
// neighbour are adjacent. No pattern occurs in it, since an atom about nodes that are left is true if it was, and false
// if it was. The rule applies to it: all atoms and conditions that it needs are about nodes that are left, but for what
// it requires of all nodes, which holds of those. And it makes the same atoms true or false: whether it does depends on
// the nodes that an atom names. So the pattern occurs behind it, which contradicts that the set is inductive for that
// size. The same holds of initial states: all nodes of what is left are at initial controls. ∎
//
// The rules are those of a spec for all sizes since a parameter may be used in processes, in the property and in what
// they name only as it is, to be compared with a variable: see check.Dependence. A counter that begins with 1, is sent
// on in one direction with 1 added, and has the range 1..n is n where a message is back at its origin, and only there.
//
// # The search
//
// Candidates are all patterns that never occurred in random runs of small rings. The search begins with those that the
// invariant forbids, and adds candidates as they are needed to exclude a step; see searcher.
package prove
