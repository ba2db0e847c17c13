// Package step is the small-step semantics of the language: it defines the steps of a process. No other package defines
// them; package compile tabulates this one.
//
//	Own        what a process can do on its own in a local state
//	Receive    what it can do with a message that arrives there
//	Initial    the initial states, as they are written
//
// It is a recursion over the terms of an ir.Protocol, simple enough to be verified by reading. It uses no tables:
// package replay, which has the rules of the network, uses it to check runs independently of the tables, the tree
// database and the search that found them.
//
// # States
//
// A process is at a control point with values of the variables that are live there; a channel is a list of
// messages. An If, a Draw or a Let takes no step: it belongs to the action that follows. A Call right after an
// action is resolved with it; every other pending term is decided when the next action is chosen.
//
// # Transitions
//
// The scheduler first decides whether a process acts on its own, or which message it receives from which channel. Then
// the term of the process is evaluated. Each alternative of a Choice, and each value of a choose, gives separate
// outcomes. A draw gives one distribution: each of its values leads to exactly one action of the process itself
// (package check ensures this).
//
// Transitions are a set, as in the labelled transition systems of µCRL: outcomes of one distribution with
// the same action and target are one, their weights added, and equal distributions of one process are one.
package step
