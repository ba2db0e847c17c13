// Package representative replaces every state of a system by a representative that confluent τ's lead to, on
// the fly: only representatives are stored and expanded.
//
//	Reduce          *Reduced, a model.System; of what it is told about confluence, see System
//	InternalStates  for how many states a representative was looked for
//
// The confluent τ's from a state make a graph whose paths join, so that it has one terminal strongly
// connected component: one state, if there are no cycles. To find it, the algorithm goes from state to state
// along the first confluent τ until it meets a state whose representative is known (and all it has seen has
// the same), a state without confluent τ's, or a cycle; then Tarjan's algorithm takes over (Blom and van de
// Pol, CAV 2002; Bakhshi et al. 2008, Sect. 5). The representative of a component with several states is the
// least of them in readable form.
//
// In a model.Quotient such a component is refused (ErrCycle): it may pass through states that are symmetric to each
// other, of which the other system has one representative, and the quotient an orbit of them.
//
// A search that remembers what halves of states do takes a Reduced as a model.Represented: states have the numbers that
// the search gives them, and it says which confluent τ's they have. Next gives them numbers itself, by an
// intern.Vectors. The states met, and their successors that were not visited, are kept with their representatives: 25
// bytes each or so.
package representative
