// Package ltl implements linear-time temporal logic: formulas over numbered atoms, and automata that accept the runs
// that satisfy them.
//
//	Formula                       in positive normal form, simplified, as Atom, Not, And, Until, … build it
//	Formula.Holds                 whether it holds of a lasso-shaped word, by the definition
//	Translate                     a small automaton that accepts the words that satisfy a formula
//	Automaton.LimitDeterministic  its product with a Markov decision process shows what has positive probability
//	Automaton.Suitable            such an automaton from which probability one follows as well
//	Formula.Safety                a weaker formula that is violated by finite prefixes only
//	Formula.Invariant             the g if a formula is "always g" and g has no operators of time
//	Union                         one automaton for several properties
//	Monitor                       a deterministic automaton that finds the first violation of it
//
// A letter is the set of the atoms that are true at one position of a word, a bit for each: there are at most MaxAtoms.
// An automaton is a generalised Büchi automaton whose acceptance is on its edges: a run is accepting if it takes edges
// of every acceptance set infinitely often. This form is smaller than others, and it is the input of the emptiness
// check.
//
// The translation expands a conjunction of formulas into the letters that may come now and the formulas that must hold
// next (Couvreur, On-the-fly verification of linear temporal logic, FM 1999). An edge is in the acceptance set of a U b
// unless it postpones b. Edges that are dominated by another one are left out during the construction, as in Gastin and
// Oddoux (CAV 2001) and Babiak, Křetínský, Řehák and Strejček (LTL to Büchi automata translation: fast and more
// deterministic, TACAS 2012); the result is reduced by direct simulation, and states that cannot reach an accepting
// cycle are removed.
package ltl
