// Package diagram keeps sets of vectors as multi-valued decision diagrams.
//
// # Nodes
//
// A node stands for a set of vectors of one length. It is the list of its arcs, ascending by value: the vectors that
// begin with the value of an arc continue with a vector of the node that the arc leads to. No level is left out and
// nodes are unique (Store.Make), so that two nodes are the same set exactly if they have the same number. Empty is the
// empty set, Accept the set of the vector of length 0. No arc leads to Empty.
//
// A node is a run of 8-byte units in one array without pointers, which takes memory as it is used: a header (length and
// hash) and the arcs (value and child). The number of a node is the index of its header. In a list decision diagram, a
// node is one arc and the rest of the list; keeping the list in one piece leaves a third of the nodes, walks an array
// instead of a chain of cache misses, and enters the unique table once for a list, not once for each prefix.
//
// The unique table is open-addressing; the operation cache is direct-mapped and forgets. One goroutine works on a
// store. Several that shared the tables without locks gained nothing on two cores: most of the time goes to random
// reads.
//
// # Garbage
//
// Unreferenced nodes are collected when the heap is full: live nodes are marked, the unique table is rebuilt, cached
// results that are live stay, and the gaps between live nodes are reused. Nodes do not move. The caller of an operation
// protects its operands (by Store.Hold, an arc or item being built, or a pin), and the result before the next call.
//
// If that does not make room, the store is halted, as by Halt: from then on operations return subsets of what they
// should. Computations of reachable states, which only ever add, unwind within milliseconds and leave a lower bound.
package diagram
