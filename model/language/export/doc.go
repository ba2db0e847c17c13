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
// In Promela a step is written once for each value that is drawn, chosen or received: these values are constants in the
// step, and everything else is an expression over the variables (see steps). In mCRL2 the step is a sum over these
// values. The exported model does not detect faults of the protocol, such as a value outside its type, so its behaviour
// is defined only for protocols that ringcheck explores without a fault.
package export
