// Package tree stores states as trees of numbers and computes successors on that tree.
//
// # States
//
// The slots of a state vector are the leaves of a fixed binary tree. Every inner node numbers the pairs of its
// children's numbers (recursive indexing: Blom, Lisser, van de Pol, Weber 2008; the tree database of LTSmin: Laarman,
// van de Pol, Weber 2011). The number of a leaf is the value of its slot, so values should be small: arrays by number
// reach up to the largest one. A state is the pair of the numbers of its two halves, its StateID: 8 bytes, whatever the
// number of slots. States share their equal parts. The state 0 3 5 0, for example:
//
//	               2, 1               root: the StateID
//	            /        \
//	   0, 3 is 2          5, 0 is 1   a half: a pair, and its number at this node
//	   /      \            /      \
//	  0        3          5        0
//	slot 0   slot 1     slot 2   slot 3
//
// # Successors
//
// What a group of transitions does within the slots of a node does not depend on the other slots. So every node has,
// by number, a memo, which is computed once:
//
//   - the moves: the numbers to which the groups lead whose slots are all within the node;
//   - the projections: for every group that spans the node and its sibling, what the node holds in the group's slots.
//
// The successors of the state (l, r) are (l', r) for each move of l to l', (l, r') for each move of r to r', and those
// by the groups that span both halves. Such a group is tabulated by the two projections or, if it has most slots of
// the node, direct: the system is asked for every state. A large table leaves out what a model.Idler tells, and a group
// whose pairs of projections are mostly met once is not tabulated. Where a model.Guarder tells by one slot that a
// group has no transitions, the projection is barred, and nothing is looked up. In a ring of processes the memos of the
// halves have nearly all transitions of a state. The moves of inner nodes are computed in the same way from the memos
// of their children.
//
// # Cases
//
// NewStore chooses the case of a system. Each case has an expander, and the nodes know none of them.
//
//	plain.go           a system with its own tree; its sleep sets are in sleep.go
//	rotation.go        a quotient by rotation (reduction.Necklace), with the tree of the unrotated system: targets are
//	                   rotated, mostly by what lead.go knows about their halves
//	permutation.go     a quotient by permutations of processes (reduction.Permutation), with the tree of the full
//	                   system: targets are permuted, mostly as the colours of their halves say
//	tagged.go          the sleep sets of both kinds of quotients
//	representative.go  a system of representatives (reduction.RepresentativeSystem), with the tree of the unreduced
//	                   system, whose successors the reduction maps to representatives
//
// A quotient or a reduced system with a group that has most slots is a plain system.
//
// # Files
//
//	store.go, node.go, shape.go    a Store and its nodes; how slots and groups are divided among them
//	memo.go, record.go             the memos of numbers: computed; packed into a record each
//	spanning.go, projection.go     groups that span both children of a node
//	successors.go, number.go       the successors of a part; the numbers of new halves, many at a time
//	worker.go, expansion.go        the access of a goroutine to a Store, and the result of Worker.Expand
//	expander.go, environment.go    what all cases have in common
//	memory.go                      memory outside the heap, its bounds, and memos that are dropped
//	pairs.go                       a Store that another operating-system process reads
//	overlay.go                     a second system on the numbers of the same tree
//	precede.go                     which states may have a transition to a given one
//	classes.go, resting.go         classes of states, found part by part; states that represent others of their class
package tree
