// Package hunt looks for runs that break a property where there are too many states for a breadth-first search, as
// swarm verification does (Holzmann, Joshi, Groce 2011): many short strategies side by side, each in bounded memory and
// with other random choices.
//
//	Run      runs strategies in turns on all cores until one finds a run to a violation or to a model error
//	Shorten  removes steps of a run that are not necessary for its violation
//
// A walker has a current state and its transitions; a judge decides which properties the state violates. With these a
// hunter follows random runs, whose transitions a policy chooses. An archive keeps one state of each class of an
// abstraction, from which later runs begin.
//
// A hunt never shows that a property holds: if it finds no violation, the property is unknown.
package hunt
