// Package replay represents runs of the network and has the network's rules. It confirms a run by repeating it step by
// step with the small-step semantics, and finds the steps that a violation depends on.
//
//	Run           a state and steps: recorded by a simulator, made of moves of a compiled system (FromMoves), or of
//	              the labels of its steps (Recording)
//	Run.Play      repeats them; it is an error if the semantics does not allow one
//	Run.Moves     the same as moves of a compiled system
//	Run.Shorten   removes steps that are not needed for a condition at the end
//	NewPast       the steps and processes that have influenced some processes
//	State         a state of the network: Enabled says which steps are possible
//
// Package step defines the steps of a process. A State holds the local states of all processes and the messages in
// transit, listed by receiver. So its size is the size of its contents, even in a complete graph of 50,000 processes.
// It depends neither on the simulator nor on the tables of the compiler.
package replay
