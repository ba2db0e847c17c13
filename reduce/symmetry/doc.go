// Package symmetry identifies the states of a system that differ by a permutation of its processes.
//
//	Find             the quotient of a compiled spec by the greatest group of permutations, or of rotations, it finds
//	Rotation         the quotient of another model.System by the rotations of a ring
//	Orbits           what both are: Lift turns a run of the quotient into a run of the system
//	Automorphisms    the group; Variance is nil if an expression has the same value in all states of an orbit
//
// # Why it is sound
//
// Let a group of permutations be automorphisms of a system: if a transition leads from s to t, another leads from the
// image of s to the image of t, and the image of an initial state is an initial state. Then the states of an orbit are
// all reachable, at the same depth, or none is, and they have the same number of transitions, to the same orbits
// (Clarke, Enders, Filkorn, Jha 1996; Ip, Dill 1996). So it suffices to store one state per orbit. The numbers of
// states, transitions, terminal states and states of a level are sums over the stored states, each weighted by the size
// of its orbit, which is the order of the group divided by the number of permutations that leave the state unchanged.
//
// # Why permutations are automorphisms
//
//   - They preserve the network, the kinds of processes, and which of them can crash (automorphisms).
//
//   - If one exchanges directions, the text of the spec remains the same, up to names and to the order of things
//     without an order: there is a renaming of control points and variables, which the action on local states follows
//     (matching). The renamings compose as the exchanges do (renamings.closed).
//
//   - The terms of the spec treat values alike that differ by a permutation (effects, an abstract interpretation by
//     sorts of values). Where a term names processes, permutations must not move them; where it computes distances,
//     such as (p + 1) mod n, only rotations are left; where it orders processes or computes with their numbers in other
//     ways, or visits them in their order, none is (requirement).
//
//   - The initial states are closed under them (compareInitial).
//
//     permutation  of processes and, if they exchange them, of directions
//     network      the links of processes, and their automorphisms
//     renaming     what an exchange of directions makes of control points and variables; matching finds it
//     group        permutations, with the coset that arranges ranks of processes least
//     action       what a permutation makes of the values of slots
//
// The same interpretation decides whether properties, goals and rewards have the same value in all states of an orbit.
//
// # Two representations of orbits
//
// A PermutationQuotient works for any group and network. Its states are states of the system:
//
//	description  what is known of a value without the numbers of processes, and how it names each of them
//	colouring    colours of the processes of a state, refined until that tells no more apart
//	permuter     representatives: the least image of a state under the permutations that sort the colours
//
// A search uses it as a reduction.Permutation: it finds the transitions of the full system by parts of states, and
// colours are sums over these parts, too.
//
// A Quotient is the faster way if the group is that of the rotations of a ring, which change no value of a slot
// (finding.turns). Then it is not used if runs are asked about, along which processes are followed. It is the only way
// where a spec uses the numbers of processes to count (anonymous).
//
// It also works for systems that are not compiled specs, such as a confluence.PrioritizedSystem: which action has
// priority is not in the text of a spec. So Rotation checks by itself that rotation is an automorphism, in three parts:
//
//   - The slots and the transition groups are arranged alike around the ring: each process has the same kinds of slot,
//     in the same order, and the same groups over corresponding slots.
//   - The initial states are closed under rotation.
//   - Corresponding groups behave alike on the same values: the same actions, with the same weights, by corresponding
//     processes on corresponding channels, to the same values. When a group meets new values, the transitions of all n
//     groups are computed and compared (Quotient.Next).
//
// The third part requires that equal values mean the same in corresponding slots, as in a compiled protocol; otherwise
// it would fail. A process number stored in a variable is a value like any other: rotation does not change it, and
// where that matters the check fails.
//
// # Cells
//
// The slots of a process and of the channels that lead to it are its cell. Cells are numbered, and a state of the
// quotient is the vector of the n numbers. Cells are ordered by a hash of their text, so that the least rotation of a
// vector, the representative of its orbit, does not depend on the numbering. Transitions are cached by the numbers of
// their cells.
//
//	class, member     the rotations of one transition group, and one of these groups
//	classTransitions  the transitions of a class from given values of the slots, for all processes
//	span              neighbouring cells relative to any process, with the classes on them
//	spanGroup         a span from one process
//	cellTransitions   the transitions of a span from given cells, for all processes
//
// A search of a quotient does not call Next for every state. It uses the quotient as a reduction.Necklace, whose
// unrotated system has groups of few cells. So it can cache the transitions of halves of states and the positions of
// their least cells; then most successors need not be rotated.
//
// # Together with other reductions
//
// A decorator with local groups, such as confluence.Prioritize, is applied to the compiled protocol before the
// quotient. A decorator that works on whole states, such as representative.Reduce, is applied to the quotient, which
// passes on the confluent transitions. The counts equal the counts of the reduction without symmetry; internal states
// are counted in the quotient. The representative of a state is unique unless confluent transitions form a cycle, in
// which case package representative refuses the quotient. docs/symmetry.md proves that permutations are automorphisms
// of reduced systems.
package symmetry
