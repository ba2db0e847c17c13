// Package ir is the intermediate form of a spec for given parameters and options: names are resolved, ranges are
// evaluated, conditions on constants are folded, and control points are numbered and annotated with their live
// variables.
//
// Package check builds a Protocol, package step defines its semantics, and package compile tabulates the semantics.
//
//	Protocol    one instance of a spec
//	Point       a control point: what a process does from there (Term) and which variables it holds (Live)
//	Term        Stop Call Prefix Draw Let If Choice For Again Store, and in Start.Term also Enter
//	Action      Send Receive Emit Assign Skip Crash
//	Expr        Const VarRef SharedVar Unary Binary Cond Convert SetLit Interval Index Update Fill, and in properties
//	            Quantifier At ProcessVar MessageIs MessageField Inbox Neighbour Length Apply Holds;
//	            in processes Peer, in both Neighbours, and in Start.Term Assigned
//	Abstract    evaluates an expression in a domain of abstract values
//	Walk        visits an expression and its parts; Terms and PartsOf do so for terms
//
// Every value is an int64: an integer is itself, a boolean 0 or 1, an enumerated value its position, a process its
// number, a set is a bit mask whose bit 0 represents the element type's Lo. The elements of an array, each less the
// element type's Lo, are packed from the low bits on in fields of equal width. Values of an absent type (declared "if
// c" with c false) are 0.
//
// Arithmetic is exact: a result that does not fit in 64 bits is an *Error.
package ir
