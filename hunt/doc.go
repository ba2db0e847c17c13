// Package hunt looks for runs that break a property where there are too many states for a breadth-first search, as
// swarm verification does (Holzmann, Joshi, Groce 2011): many short strategies side by side, each in bounded memory and
// with other random choices.
//
//	Run      lets strategies take turns on all cores until one has found something: a run, or a fault of the model
//	Shorten  leaves out what a run does not need
//
// A walker is in a state and knows its transitions; a judge says which properties are broken there. With these a hunter
// follows random runs, whose transitions a policy chooses. An archive keeps some of their states, one of each class of
// an abstraction, to begin from again.
//
// Nothing is ever shown to hold: that nothing was found says nothing.
package hunt
