// Package symbolic computes the set of reachable states of a system as a decision diagram, without enumerating them.
//
//	Run      counts states, transitions and terminal states
//	Explore  is like Run, and keeps the set
//	Order    finds an order of the slots
//
// A set of states is a multi-valued decision diagram (package diagram) whose levels are the slots of the state vector,
// in an order that keeps slots that depend on each other close. A group of transitions is a relation over short
// vectors, which are the values of the group's slots. The relation is computed on demand (relation): the system is
// asked for the transitions of a short vector when the first state with these values is reached.
//
// The image of a set under a relation is computed from the relation's highest slot down to its lowest (fire). The
// diagram above and below these slots does not change; levels between them that are not slots of the relation are
// rebuilt. The new value of the highest slot can depend on the lowest slot, so a pass returns a node with an arc for
// each new prefix of a short vector; prefixes are numbered. Results are cached by relation, prefix and node.
//
// Saturation closes every new node under the relations whose highest slot is at its level or below, so most images are
// computed on small nodes that many states share. docs/symbolic.md compares it with other methods.
//
// All counts are exact, whatever their size. States are counted from the nodes (census). The transitions of a relation
// are counted from its short vectors: for each, the number of matching states times the number of its transitions. A
// state is terminal if it matches no short vector with transitions.
package symbolic
