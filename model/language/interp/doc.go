// Package interp is the reference interpreter of the language: slow, and meant to be believed by reading it.
//
// It says once more what package compile does with tables, by direct recursion over the terms of an
// ir.Protocol. It shares no code with compile but package ir, and tests compare the two.
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
// choose, gives alternatives of its own. A draw makes one distribution: each of its values leads to one
// definite action of the process' own.
//
// Transitions are a set, as in the labelled transition systems of µCRL: outcomes of one distribution with
// the same label and target are one, their weights added, and equal distributions of one process are one.
package interp
