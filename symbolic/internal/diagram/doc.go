// Package diagram keeps sets of vectors as multi-valued decision diagrams.
//
// # Nodes
//
// A node stands for a set of vectors of one length. It is the list of its arcs, ascending by value: the vectors that
// begin with the value of an arc continue with a vector of the node that the arc leads to. All vectors have the same
// length and no level is left out, so that two nodes are the same set exactly if they have the same arcs; since nodes
// are unique (Store.Make), they are the same set exactly if they have the same number. Empty is the empty set, Accept
// the set of the vector of length 0. No arc leads to Empty.
//
// A node is a run of 8-byte units in one array without pointers, which is reserved at once and takes memory as it is
// used: a header (length and hash) and the arcs (value and child). The number of a node is the index of its header. A
// node of a list decision diagram is one arc and the rest of the list; keeping the list in one piece makes the diagram
// a third of the nodes, walks an array instead of a chain of cache misses, and enters the unique table once instead of
// once for each prefix that an operation builds.
//
// The unique table is open-addressing; the operation cache is direct-mapped, forgets, and never lies. One goroutine
// works on a store. Several that shared the tables without locks gained nothing on two cores: most of the time goes to
// random reads.
//
// # Garbage
//
// Unreferenced nodes are collected when the heap is full: what is live is marked, the unique table is rebuilt, results
// in the cache that are live stay, and the gaps between live nodes are reused. Nodes do not move. The caller of an
// operation keeps its operands protected (reachable from Store.Hold, an arc or item being built, or a pinned node), and
// protects the result before the next call.
//
// When even that does not make room, the store is halted, as it is by Halt: from then on operations do as little as
// possible, and return subsets of what they should. Computations of reachable states, which only ever add, unwind
// within milliseconds and leave a set of states that are reachable: a lower bound.
package diagram
