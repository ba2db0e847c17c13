// Package tree stores states as trees of numbers and computes successors on that tree.
//
// The slots of a state vector are the leaves of a fixed binary tree. At every inner node the pair of what the two
// children hold is numbered (recursive indexing: Blom, Lisser, van de Pol, Weber 2008; the tree database of LTSmin:
// Laarman, van de Pol, Weber 2011). A whole state is then one pair, its StateID: 8 bytes, whatever the length of the
// vector. Parts that many states share are stored once. The number of a leaf is the value of its slot as it is, so
// values are expected to be small: what is kept by number reaches up to the largest.
//
// Sharing serves the successor function as well. What a transition group within one subtree does there does not depend
// on the rest of the state, so a subtree records for every number which numbers its groups lead to. Only the few groups
// that span both children of a node are looked up, by what the two sides hold of the group's slots. In a ring of
// processes nearly all transitions of a state are read off the two lists of its halves.
//
// A quotient by rotation (model.Necklace) has the tree of its unrotated system. Successors are found as above, and
// rotated. Likewise a system of representatives (model.RepresentativeSystem) has the tree of the unreduced system.
//
//	Store   the tree of one system            NewStore
//	Worker  one goroutine's access to it      Store.Worker
//	StateID a state                           Worker.ID, Worker.Vector
//	moves   Worker.Expand: the successors of states, with multiplicity and tags, without sleeping ones (sleep sets)
package tree
