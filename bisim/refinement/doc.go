// Package refinement decides whether a labelled transition system does only what another one, the specification,
// permits: whether the specification has all of its traces, failures or divergences.
//
//	Check     searches for a shortest trace that the specification does not permit
//	Model     what is compared: see C. A. R. Hoare, Communicating Sequential Processes (1985), and A. W. Roscoe,
//	          Understanding Concurrent Systems (2010), for failures and divergences
//	System    a system whose transitions are asked for state by state; Of makes one of an lts.LTS
//
// The specification is made deterministic on the way (sets.go): a set has the states that it may be in after a trace. A
// pair is a state of the implementation with such a set. The search visits the pairs breadth first by the length of the
// trace, and leaves out a pair if one with the same state and a subset has been met (search.go). Such a pair permits
// less at once and after every further trace, so it violates whatever the other one violates, and not later: it was met
// after a trace that is not longer. So the first violation has a shortest trace. The pairs that remain for one state
// are an antichain (M. De Wulf, L. Doyen, T. A. Henzinger, J.-F. Raskin: Antichains: a new algorithm for checking
// universality of finite automata, CAV 2006; T. Wang, S. Song, J. Sun, Y. Liu, J. S. Dong, X. Wang, S. Li: More
// anti-chain based refinement checking, ICFEM 2012).
//
// Neither system is generated before the search. Of the specification, it visits only states to which a trace of the
// implementation leads. A violation is confirmed on both systems, without the stored sets (confirm.go).
package refinement
