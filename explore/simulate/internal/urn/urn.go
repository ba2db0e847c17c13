// Package urn draws from a changing number of tickets.
package urn

// fan is the number of children of a node of an urn: the sums of siblings fill two cache lines.
const fan = 32

// An Urn holds tickets of numbered owners. It is a tree of sums: sums[0] has the number of tickets of each owner, and
// each further level the sums of groups of fan entries of the level before. The last level has one entry.
type Urn struct{ sums [][]uint32 }

// New returns an urn without tickets.
func New(owners int) *Urn {
	u := &Urn{}
	for n := max(1, owners); ; n = (n + fan - 1) / fan {
		u.sums = append(u.sums, make([]uint32, n))
		if n == 1 {
			return u
		}
	}
}

// Total returns the number of tickets.
func (u *Urn) Total() uint32 { return u.sums[len(u.sums)-1][0] }

// Tickets returns the number of tickets of an owner.
func (u *Urn) Tickets(owner int) uint32 { return u.sums[0][owner] }

// Set sets the number of tickets of an owner.
func (u *Urn) Set(owner int, tickets uint32) {
	change := tickets - u.sums[0][owner] // modulo 2³²
	if change == 0 {
		return
	}
	for _, level := range u.sums {
		level[owner] += change
		owner /= fan
	}
}

// Find returns the owner of a ticket, numbered from 0 to Total - 1, and its number among the owner's tickets.
func (u *Urn) Find(ticket uint32) (owner int, rest uint32) {
	for i := len(u.sums) - 2; i >= 0; i-- {
		owner *= fan
		for level := u.sums[i]; ticket >= level[owner]; owner++ {
			ticket -= level[owner]
		}
	}
	return owner, ticket
}
