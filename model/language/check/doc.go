// Package check turns the text of a spec into a protocol that can be run, and says what is wrong with it.
//
//	File           syntax tree → Spec: everything that needs no parameter values (names, types, arities,
//	               bindings, unguarded recursion, draws that lead nowhere)
//	Text           text → Reading: the same with the errors of syntax, and where names stand
//	Instantiate    Spec and settings → ir.Protocol: ranges and constants are evaluated, conditions on them
//	               folded away, control points numbered and their live variables found
//
// A Spec also lists the parameters and options, which is what a command line needs to know.
//
// The syntax tree becomes a typed tree: for each expression, type, term and action, File notes what its names stand
// for, its shape (the type without its ranges), and how it is lowered to package ir once the settings are known. Both
// are said in one place for each construct; Instantiate only evaluates, folds and instantiates.
//
//	symbol             declared names, and where they can be seen
//	types              types and shapes
//	expr, call         expressions, and calls of functions and definitions
//	quantifier         sets, arrays and quantifiers
//	property           definitions and properties, and warnings about them
//	behaviour          temporal formulas, bounds, rewards, roles
//	term, action       equations, and what they bind
//	draw               draws, what may follow them, and unguarded recursion
//	network            who is connected to whom; faults and delays
//	text               texts with mistakes; unknown names; where names stand
//	instantiate        the values of parameters, options and constants, and the protocol with them
//	fold               constants and ranges
//	process            kinds of process; control points and their live variables
//	initial            initial configurations
//
// # Names
//
// Parameters, options, constants, types, variables, assignments, definitions and the name of the process number, or
// those of the kinds of process, share one name space; messages, events, equations and properties have one each.
// Parameters, options, constants, types and definitions can use only those above them. The values of an enumeration
// are found by the expected type, so that two enumerations may share a value; where nothing is expected, the one
// enumeration that has the value is meant. They must not be names of values, but may be those of types and
// definitions, which give way where the value is expected.
//
// A variable can be read where it is bound on the way from the beginning of the equation: by a parameter, a
// draw, a let or a receive.
//
// # Constants
//
// A condition that is decided before the run is replaced by the branch that remains, as if it had been
// written there. "e and false" is false and "e or true" true even if e itself would fail. What can no longer be
// reached is not checked: a message that is sent only "if announce" may have an argument out of range
// without it.
//
// What is declared "if c" with c false is absent: whatever is assigned to it is dropped without being
// evaluated, reading it gives 0 (false, the first value, the empty set).
package check
