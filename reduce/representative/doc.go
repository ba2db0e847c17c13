// Package representative replaces every state of a system on the fly by a representative reached by confluent τ's: only
// representatives are stored and expanded.
//
//	Reduce          returns a *ReducedSystem, a model.System, of a System that knows its confluent τ's
//	InternalStates  returns the number of states whose representative was searched for
//
// The paths of confluent τ's from a state join, so they have one terminal strongly connected component: one state, if
// there are no cycles. To find it, the algorithm follows the first confluent τ of each state until it meets a state
// with a known representative (which all states seen then share), a state without confluent τ's, or a cycle; then
// Tarjan's algorithm takes over (Blom and van de Pol, CAV 2002; Bakhshi et al. 2008, Sect. 5). The representative of a
// component with several states is the least of them in readable form.
//
// In a quotient (Orbits) such a component is refused (ErrCycle): it may contain several states of one orbit. In the
// other system only one of them is the representative, but in the quotient the whole orbit is. Where several steps with
// one label lead to one orbit, they are counted in the other system.
//
// A search that caches the transitions of halves of states uses a ReducedSystem as a reduction.RepresentativeSystem:
// the search numbers the states and provides the confluent τ's of many states at a time. Next numbers states itself, by
// an intern.Vectors. The states met, and their unvisited successors, are kept with their representatives, in about 20
// bytes each.
package representative
