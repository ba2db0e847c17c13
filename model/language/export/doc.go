// Package export writes one instance of a protocol as a model for another tool.
//
//	Promela   for SPIN
//	MCRL2     for the mCRL2 toolset
//
// Both models are generated from the control points of the protocol. The state of a process is a control point with the
// values of the variables that are live there, and only actions are transitions: a conditional after an action is
// evaluated with the next action. So the exported model has the same states and transitions as ringcheck's; in Promela
// each action is one d_step. Variables that are not live hold a fixed value. Draws become nondeterministic choices.
//
// In Promela there is one step for each value that is drawn, chosen or received: these values are constants in the
// step, and everything else is an expression over the variables. In mCRL2 the step is a sum over these values. The
// exported model does not detect model errors, such as a value outside its type, so its behaviour is defined only for
// protocols that ringcheck explores without a model error.
package export
