package reduction

import "ringcheck/model"

// A Necklace is a quotient by rotation. A state is a vector of cells, which lie around a ring, and represents all its
// rotations: it begins at its least rotation, in a fixed order of the cells.
type Necklace interface {
	// Unrotated returns a system with the same states whose transitions lead to vectors of cells before these are
	// rotated. Groups are of few cells. If asleep is set, the label of a step is its SleepTag. Otherwise steps equal
	// the steps of the quotient, whose second group, if any, is the environment's, but choices have other numbers:
	// different ones in different groups, which ascend with the groups.
	Unrotated(asleep bool) model.System
	// Least returns the index at which the representative begins in two copies of a vector of cells, one after the
	// other.
	Least(twice []model.Value) int
	// Rank is a weak order of cells: no cell of a state has a lower rank than the first.
	Rank(cell model.Value) uint32
	// Sleep returns which transitions a breadth-first search can leave out.
	Sleep() RotatedSleep
}

// RotatedSleep describes the sleep sets of a Necklace.
type RotatedSleep struct {
	SleepSets
	Width int // bits of a set; 0 if there are too many for one
	Turn  int // bits of each cell, in the order of the cells
}

// Rotate returns a set rotated to begin with the given cell.
func (z *RotatedSleep) Rotate(set uint64, cell int) uint64 {
	by := cell * z.Turn
	return (set>>by | set<<(z.Width-by)) & (1<<z.Width - 1)
}
