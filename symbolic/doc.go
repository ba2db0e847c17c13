// Package symbolic finds the reachable states of a system as a set, without visiting them one by one.
//
//	Run      counts states, transitions and terminal states
//	Explore  is like Run, and keeps the set
//	Order    finds an order of the slots
//
// A set of states is a multi-valued decision diagram (package diagram) whose levels are the slots of the state vector,
// in an order that keeps slots that depend on each other close. A group of transitions is a relation over short
// vectors: the values of the slots that it names. It is learned on the way (relation): the system is asked for the
// transitions of a short vector when the first state that has it is met.
//
// The image of a set under a relation is computed from the relation's highest slot down to its lowest (fire). The
// diagram does not change above and below these; levels in between that the relation does not name are rebuilt. What
// the highest slot holds afterwards can depend on the lowest one, so that a pass returns a node with an arc for each
// new prefix of a short vector; prefixes are numbered. Results are cached by relation, prefix and node.
//
// Saturation closes every new node under the relations whose highest slot is at its level or below, so that most
// transitions are taken within small parts that many states share. docs/symbolic.md compares other ways.
//
// All counts are exact, whatever their size. States are counted from the nodes (census), transitions for each relation
// from its short vectors: how many states match each, times its transitions. Terminal states match no short vector with
// transitions.
package symbolic
