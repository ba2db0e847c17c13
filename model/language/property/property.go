// Package property is the table of the kinds of property that a spec can declare.
//
//	Kinds   the table, in the order of docs/language.md
//	Kind    an entry: what the properties of a kind claim, and how they are declared
//	Find    the entry with a keyword
//
// Most engines ask for the parts of a claim, its quantifier and scope, so that they decide every kind with the same
// parts.
package property

import "slices"

// A Kind is a kind of property. It claims that the body is true in all states of a scope, or in some, or that from all
// of them such a state can be reached.
type Kind struct {
	Keyword    string
	Reserved   bool // names must differ from the keyword
	Quantifier Quantifier
	Scope      Scope
	// Negated says that the body in the text states the opposite: the body of the property is its negation.
	Negated bool
	// Finding describes a run to a deciding state, after the name of the property: "is violated".
	Finding string
}

// A Quantifier says which states of the scope must satisfy the body.
type Quantifier int

// The quantifiers.
const (
	All      Quantifier = iota // every state or run
	Some                       // a state
	Possible                   // from every state, one can be reached (AG EF)
)

// A Scope is the states, or the runs, that a property is about.
type Scope int

// The scopes.
const (
	States Scope = iota // the reachable states
	Ends                // the reachable states in which a run can end
	Runs                // the runs; the body is a temporal formula
)

// Kinds lists the kinds of property.
var Kinds = []*Kind{
	{Keyword: "invariant", Reserved: true, Quantifier: All, Scope: States, Finding: "is violated"},
	{Keyword: "terminal", Reserved: true, Quantifier: All, Scope: Ends, Finding: "is violated"},
	{Keyword: "reachable", Reserved: true, Quantifier: Some, Scope: States, Finding: "is reached"},
	{Keyword: "recoverable", Quantifier: Possible, Scope: States, Finding: "is violated"},
	{Keyword: "ltl", Quantifier: All, Scope: Runs, Finding: "is violated"},
}

// Find returns the kind with a keyword, or nil.
func Find(keyword string) *Kind {
	i := slices.IndexFunc(Kinds, func(k *Kind) bool { return k.Keyword == keyword })
	if i < 0 {
		return nil
	}
	return Kinds[i]
}

// Keywords returns the keywords of the properties of states, reserved or not.
func Keywords(reserved bool) (list []string) {
	for _, k := range Kinds {
		if k.Scope != Runs && k.Reserved == reserved {
			list = append(list, k.Keyword)
		}
	}
	return list
}

// String returns the keyword.
func (k *Kind) String() string { return k.Keyword }

// OfRuns reports whether the properties are about runs.
func (k *Kind) OfRuns() bool { return k.Scope == Runs }

// OfEnds reports whether the properties are about the states in which a run can end.
func (k *Kind) OfEnds() bool { return k.Scope == Ends }

// Existential reports whether a single state satisfies a property.
func (k *Kind) Existential() bool { return k.Quantifier == Some }

// Universal reports whether a single state or run violates a property.
func (k *Kind) Universal() bool { return k.Quantifier == All }

// OfFutures reports whether a property is about what can be reached from states.
func (k *Kind) OfFutures() bool { return k.Quantifier == Possible }

// Statewise reports whether a single state decides a property.
func (k *Kind) Statewise() bool { return !k.OfRuns() && !k.OfFutures() }

// Safety reports whether a single state violates a property.
func (k *Kind) Safety() bool { return k.Statewise() && k.Universal() }

// Negation returns the kind of the claim that no state satisfies a property of an existential kind. Its body is the
// negation of the property's, and a run to a state that violates it has the finding of the property.
func (k *Kind) Negation() *Kind {
	negation := *k
	negation.Quantifier = All
	return &negation
}

// Concerns reports whether a property is about a state, given whether a run can end in it.
func (k *Kind) Concerns(quiescent bool) bool { return !k.OfEnds() || quiescent }

// Decides reports whether a state of the scope in which the body has the given value decides a property.
func (k *Kind) Decides(value bool) bool { return k.Statewise() && value == k.Existential() }

// The kinds that have a name in Go programs.
var (
	Invariant   = Find("invariant")
	Terminal    = Find("terminal")
	Reachable   = Find("reachable")
	Recoverable = Find("recoverable")
	LTL         = Find("ltl")
)
