// Package check turns the text of a spec into a protocol that can be executed, and reports the errors of the spec.
//
//	File           syntax tree → Spec: everything that needs no parameter values (names, types, arities,
//	               bindings, unguarded recursion, draws that lead nowhere)
//	Text           text → Reading: the same with the errors of syntax, and where names stand
//	Instantiate    Spec and settings → ir.Protocol: ranges and constants are evaluated, conditions on them
//	               folded away, control points numbered and their live variables found
//
// A Spec also lists the parameters and options, for the command line.
//
// File turns the syntax tree into a typed tree: each expression, type, term and action has its resolved names, its
// shape (the type without its ranges), and a function that lowers it to package ir once the settings are known.
// Checking and lowering are in one place for each construct; Instantiate only evaluates and folds.
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
// kinds of process, share one name space; messages, events, equations and properties have one each. Parameters,
// options, constants, types and definitions can use only those above them. The values of an enumeration are resolved by
// the expected type, so two enumerations may share a value; without an expected type, the value must belong to exactly
// one enumeration. They must not have the names of parameters, constants or variables. They may have the names of types
// and definitions; where the value is expected, the value takes precedence.
//
// A variable can be read where it is bound on the path from the beginning of the equation, by a parameter, a draw, a
// let or a receive.
//
// # Constants
//
// An if whose condition is decided before the run is replaced by the selected branch. "e and false" is false and "e or
// true" is true even if the evaluation of e would fail. Unreachable parts are not checked: a message that is sent only
// "if announce" may have an argument out of range if announce is false.
//
// A variable or field that is declared "if c" is absent if c is false: expressions that are assigned to it are not
// evaluated, and reading it gives 0 (false, the first value, the empty set).
package check
