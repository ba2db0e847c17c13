// Package step is the small-step semantics of the language: what a process can do next. It is the only one;
// package compile tabulates it.
//
//	Own        what a process can do on its own in a local state
//	Receive    what it can do with a message that arrives there
//	Initial    the initial states, as they are written
//
// It works by recursion over the terms of an ir.Protocol, and is meant to be simple enough to be verified by reading
// it. It uses no table at all: package replay, which has the rules of the network, checks by it the tables, the tree
// and the search that found a run.
//
// # States
//
// A process is at a control point with values of the variables that are live there; a channel is a list of
// messages. An If, a Draw or a Let takes no step: it belongs to the action that follows. A Call right after an
// action is resolved with it; every other pending term is decided when the next action is chosen.
//
// # Transitions
//
// A step of a process begins with what a scheduler picks: that the process acts on its own, or that it
// receives a certain message from a certain channel. Then the term is walked. Each Choice, and each value of a
// choose, gives alternatives of its own. A draw makes one distribution: each of its values leads to exactly one
// action of the process' own (package check sees to that).
//
// Transitions are a set, as in the labelled transition systems of µCRL: outcomes of one distribution with
// the same action and target are one, their weights added, and equal distributions of one process are one.
package step
