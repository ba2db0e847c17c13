package symmetry

import (
	"ringcheck/model"
)

// Image returns the process to which a permutation, given by its number, moves a process.
func (q *PermutationQuotient) Image(permutation uint32, process int) int {
	return int(q.group.elements[permutation].processes[process])
}

// A Follower follows a run of the quotient with a run of the system. A state of the one is the image of a state of the
// other under a permutation, which changes with every step.
type Follower struct {
	quotient    *PermutationQuotient
	permutation permutation // from the quotient to the system
}

// Follow returns a Follower at the beginning of a run, where the states of both systems are equal.
func (q *PermutationQuotient) Follow() *Follower {
	return &Follower{q, identity(q.group.n)}
}

// Process returns the process of the system for a process of the quotient.
func (f *Follower) Process(p int) int { return int(f.permutation.processes[p]) }

// State returns the state of the system for the present state of the quotient.
func (f *Follower) State(representative []model.Value) []model.Value {
	image := make([]model.Value, len(representative))
	f.quotient.permute(f.permutation, representative, image)
	return image
}

// Take takes a step after which a permutation, given by its number, leads from the target to its representative.
func (f *Follower) Take(permutation uint32) {
	f.permutation = f.quotient.group.elements[permutation].inverse().then(f.permutation)
}

// Equal reports whether two Followers of a quotient have the same permutation.
func (f *Follower) Equal(g *Follower) bool { return f.permutation == g.permutation }

// Clone returns a copy.
func (f *Follower) Clone() *Follower {
	g := *f
	return &g
}
