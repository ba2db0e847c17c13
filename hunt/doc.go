// Package hunt looks for runs that break a property where there are too many states for a breadth-first search, as
// swarm verification does (Holzmann, Joshi, Groce 2011): many short strategies side by side, each in bounded memory and
// with other random choices.
//
//	Run      lets strategies take turns on all cores until one has found something: a run, or a fault of the model
//	Shorten removes the steps of a run that its violation does not need
//
// A walker has a current state and its transitions; a judge decides which properties the state violates. With these a
// hunter follows random runs, whose transitions a policy chooses. An archive keeps one state of each class of an
// abstraction, from which later runs begin.
//
// A hunt never shows that a property holds: if it finds no violation, the property is unknown.
package hunt
