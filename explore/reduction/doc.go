// Package reduction has the optional abilities of reduced systems that only a search uses, see model.As.
//
// A search finds successors quickly if groups of transitions have few slots. The groups of a reduced system have all
// slots: whether a state is a representative depends on the whole state. With these abilities a search computes the
// transitions of another system, whose groups have few slots, and maps their targets to representatives.
//
//	Necklace              a quotient by rotation: targets are rotated
//	Permutation           a quotient by permutations of processes: a Permuter maps targets to representatives
//	SleepSets             the sleep sets of both, whose transitions have SleepTags
//	RepresentativeSystem  a system of representatives: a Representer finds them in the Space of unreduced states
package reduction
