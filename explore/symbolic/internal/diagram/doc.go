// Package diagram keeps sets of vectors as multi-valued decision diagrams.
//
// # Nodes
//
// A node represents a set of vectors of one length. It is the list of its arcs, ascending by value: the vectors that
// begin with the value of an arc continue with a vector of the node that the arc leads to. No level is skipped and
// nodes are unique (Store.Make), so two nodes represent the same set exactly if they have the same number. Empty is the
// empty set, Accept the set of the vector of length 0. No arc leads to Empty.
//
// A node is a run of 8-byte units in one array without pointers, which takes memory as it is used: a header (length and
// hash) and the arcs (value and child). The number of a node is the index of its header. In a list decision diagram, a
// node is one arc and the rest of the list. With the whole list in one node there are a third as many nodes, a
// traversal reads an array instead of following pointers with cache misses, and the unique table has one entry for a
// list, not one for each suffix.
//
// The unique table uses open addressing; the operation cache is direct-mapped and overwrites entries. A store is for
// one goroutine: several goroutines with lock-free tables were no faster on two cores, because most of the time is
// spent in random reads.
//
// # Garbage
//
// Unreferenced nodes are collected when the heap is full: live nodes are marked, the unique table is rebuilt, cached
// results that are live stay, and the gaps between live nodes are reused. Nodes do not move. The caller of an operation
// protects its operands (by Store.Hold, an arc or item being built, or a pin), and the result before the next call.
//
// If the collection frees too little memory, the store is halted, as by Halt: from then on operations return subsets of
// their results. A computation of reachable states, which only adds states, then returns within milliseconds with a
// lower bound.
package diagram
