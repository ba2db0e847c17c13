// Package symbolic finds the reachable states of a system as a set, without visiting them one by one.
//
//	Run      counts states, transitions and terminal states
//	Explore  is like Run, and keeps the set
//	Order    finds an order of the slots
//
// A set of states is a multi-valued decision diagram (package diagram) whose levels are the slots of the state vector,
// in an order that keeps slots that depend on each other close. A model.System is made for that: a group of transitions
// names the slots that it reads and writes, and is a relation over short vectors of their values. The relation is
// learned on the way (relation): the system is asked for the transitions of a short vector when the first state is met
// that has it, never for those of others.
//
// The image of a set under a relation is computed from the relation's highest slot down to its lowest (fire). The
// diagram stays as it is above and below these. Levels in between that the relation does not name are rebuilt. One pass
// goes through all that a short vector's prefix can lead to: what the highest slot holds afterwards can depend on the
// lowest one, so that the result is a node with an arc for each new prefix; prefixes are numbered. The result of each
// pass is kept in the operation cache under the relation, the prefix and the node.
//
// Saturation closes every node that is made under the relations whose highest slot is at its level or below, so that
// most transitions are taken within small parts of states that many states share. docs/symbolic.md compares other ways.
//
// All counts are exact, whatever their size. States are counted from the nodes (census), transitions for each relation
// from its short vectors: how many states match each, times how many transitions it has. Terminal states are those that
// match no short vector with transitions.
package symbolic
