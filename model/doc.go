// Package model is the interface between systems, such as compiled protocols, and the engines that explore them.
//
//	System      states, transition groups, successors, labels; a decorator wraps one in another
//	As          what a system can do beyond that: the optional interfaces of ability.go, through decorators
//	Validate    what an engine checks before it relies on a system; Ask is Next, checked
//	Successors  what Next fills
package model
