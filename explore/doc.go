// Package explore generates state spaces: level-synchronous breadth-first search, exact, with as many goroutines as
// there are cores.
//
//	Run       counts states, transitions, terminal states and levels
//	Generate  makes a labelled transition system, an lts.LTS
//	Walk      visits every state and its transitions with group, label and weight, always in the same order
//	Path      finds a shortest run to a state
//	Keep      is Run, and keeps the levels: to search backward from a state (Space.Path), to sweep over all states and
//	          their transitions (Space.Graph), and to find the states without a way to a goal (Space.Trap)
//	Expander  generates successors for searches that keep states elsewhere
//
// A search keeps states in a tree database (package tree), which also computes successors, and remembers them in a
// compact exact hash table (package visited). The frontier is a list of batches; a worker takes one, expands a few
// hundred states at a time, and looks up all their successors together, so that memory reads overlap. New states go
// into batches of the next level.
//
// Transitions that are certain to lead to states found otherwise are only counted (sleep sets, see package tree),
// unless the caller wants to see them. An Observer divides states into classes by their parts; the class of a state
// then costs a few memory reads, which is how package verify checks properties.
//
// A search that has used up its memory spills to disk (diskStorage): it collects the states found until the end of a
// level, and then compares them with the known ones, range by range (detection, package store). A run that is kept in a
// store writes a checkpoint after every level. The interface storage hides from the workers where states are kept.
//
// When the visited set is nearly full the workers pause between two lookups and enlarge it together (safepoint). They
// share nothing else but lock-free tables, and counters to which they publish once a batch.
package explore
