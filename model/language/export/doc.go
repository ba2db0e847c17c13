// Package export writes one instance of a protocol as a model for another tool.
//
//	Promela   for SPIN
//	MCRL2     for the mCRL2 toolset
//
// Both are written from the control points of the protocol, as ringcheck reads it: a process is a control point with
// the values of the variables that are live there, and only an action is a transition. A conditional after an action is
// decided with the next action, so the exported model has the same states and transitions; SPIN's model has them too,
// each action being one d_step. Variables that are not live hold a fixed value. Draws become choices without
// probabilities.
//
// In Promela a step is written down once for each value that is drawn, chosen or received: the values are constants in
// it, all else is an expression over the variables (see steps). In mCRL2 it is a sum over them. Where ringcheck would
// report a fault of the protocol, a value outside its type, the exported model does something else, so export protocols
// that ringcheck explores to the end.
package export
