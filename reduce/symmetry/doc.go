// Package symmetry identifies the states of a ring that differ by a rotation.
//
//	Rotation         the quotient of a model.System: its states are orbits under rotation
//	Quotient.Lift    turns a run of the quotient into a run of the system
//
// # Why it is sound
//
// Let rotation be an automorphism of a system with n processes: whatever takes a state to another takes the rotated
// state to the rotated other, and a rotated initial state is an initial state. Then all states of an orbit are
// reachable or none is, at the same depth, and they have the same number of transitions, which lead to the same orbits
// (Clarke, Enders, Filkorn, Jha 1996; Ip, Dill 1996). So it is enough to store one state of each orbit, and the numbers
// of states, transitions, terminal states and of the states of a level are sums over the stored ones, each multiplied
// by the size of its orbit. That is n divided by the number of rotations that do not change the state.
//
// # Why rotation is an automorphism
//
// It is checked, in three parts:
//
//   - The slots and the transition groups are arranged alike around the ring: each process has the same kinds of slot,
//     in the same order, and the same groups over corresponding slots (Rotation). A complete graph fails here.
//   - The initial states are closed under rotation (Rotation). A distinguished process fails here, and identities in
//     one fixed arrangement; in every possible arrangement they do not: then there are as many initial states
//     as arrangements, and rotation permutes them.
//   - Corresponding groups do the same on the same values: the same actions, with the same weights, by
//     corresponding processes on corresponding channels, to the same values. The first time that some values
//     are met in one group, all n groups are asked and compared (Quotient.Next).
//
// The third part needs equal values to mean the same in corresponding slots, as they do in a compiled protocol. If
// they did not, it would fail. A process number that is kept in a variable is a value like any other: rotation
// does not change it, and where that matters the check fails.
//
// # Representation
//
// The slots of a process and of the channels that lead to it are its cell. Cells are numbered, and the state of
// the quotient is the vector of the n numbers. Cells are ordered by a hash of their text, so that the least
// rotation of a vector, the representative of its orbit, does not depend on the numbering. Transitions are remembered
// by the numbers of the cells that they concern.
//
// A search of a quotient does not call Next for every state. It takes the quotient as a model.Necklace, whose unrotated
// system has groups of few cells, and so remembers what halves of states do and where their least cells are; then most
// successors need not be rotated.
//
// # Together with other reductions
//
// A decorator with local groups, such as confluence.Prioritize, comes between a compiled protocol and its quotient. One
// that works on whole states, such as representative.Reduce, comes after the quotient, which passes on what is known
// to be confluent. That gives the counts of the reduction without symmetry; internal states are those of the quotient.
// The representative of a state is unique unless there are cycles of confluent transitions: where one is met, package
// representative refuses the quotient.
package symmetry
