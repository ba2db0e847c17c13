// Package check turns the text of a spec into a protocol that can be executed, and reports the errors of the spec. It
// has two passes over the syntax tree, as a compiler has:
//
//	checking   syntax.File → Spec: everything that needs no values of parameters, such as names, types, arities,
//	           bindings, unguarded recursion, and what may follow a draw
//	lowering   Spec and settings → ir.Protocol: everything else. Ranges and constants are evaluated, conditions on
//	           constants are decided, control points are numbered and their live variables are found
//
// A spec is checked once, by File or Text, and lowered for each set of values, by Instantiate. Text is for editors: it
// also checks the readable part of a text with errors, and reports where each name occurs.
//
// # Checking
//
// A checker walks the tree with a scope: the names that the text at this place may use. It stores what it finds in the
// tree, so the second pass needs no scope. For each name it stores a *symbol, in the field Binding of the node. The
// symbol has the kind, the declaration and the shape of the name. Three other fields record decisions that depend on
// the scope: Name.Binds (a pattern binds the variable), FieldExpr.Of (the kind of a message) and SetLit.Shape (the type
// of an empty set). The tree of a Spec is never changed after that.
//
// A shape is a type as far as it is known without the values of parameters: 1..n and node are both integers.
// checker.expr returns the shape of an expression. An expression without a shape of its own, such as {}, gets the shape
// that its context expects, the hint.
//
//	check              the passes; File and Spec
//	declare, symbol    the declarations, and the names that they declare
//	scope              the names that can be used at a place in the text
//	types              types and shapes
//	expr, call         expressions, and calls of functions and definitions
//	collection         sets and arrays; quantifier: quantifiers and other binders
//	property           what only properties can read, and definitions
//	checks             declared settings for checks of the properties
//	behaviour          temporal formulas, bounds, rewards, roles
//	term, action       equations, and what they bind
//	draw, guarded      what may follow a draw; recursion without an action
//	network, process   targets and sources, faults; kinds of process; initial: messages in the channels
//	unused             warnings about declarations without a use
//	text               texts with errors; unknown names; the places of names
//	depend             what depends on the values of parameters, for proofs about all values
//
// # Lowering
//
// A builder holds the values of the settings and the parts of the protocol that exist so far: the variable, message or
// equation of each symbol. It follows the declarations in the order of Spec.instantiate, and lowers an equation or a
// definition when the first use is found, so unreachable ones are left out. Each method lowers one construct, and
// builder.expr, typ, term and action select it. Files lower_X lower what X checks.
//
//	instantiate        the builder, and the order in which it works
//	setting            the values of parameters, options and constants
//	lower_type         types; lower_expr, lower_call, lower_collection, lower_quantifier: expressions
//	lower_network      who is connected to whom; lower_faults: faults and delays
//	lower_process      kinds of process, equations, control points; lower_initial: initial configurations
//	lower_term         terms; lower_action, lower_draw: their parts
//	lower_property     definitions and properties; lower_behaviour: temporal formulas, bounds, rewards, roles
//	fold, decided      constants and ranges; calls and quantifiers that have a value before the run
//	warning, tautology warnings about properties that hold or fail in every state
//	live               the live variables of each control point
//
// For example, take A(x) = recv left M(y) where y > limit; B(y). The checker binds left, M, y, limit and B to symbols,
// and sets Binds of the y in the pattern. With limit = 3 the builder makes an ir.Receive with the condition y > 3,
// whose pattern binds the variable y, and an ir.Call of the equation B, which it then lowers, too.
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
