package simulate

// fan is the number of children of a node of an urn: the sums of siblings fill two cache lines.
const fan = 32

// An urn holds tickets of numbered owners. It is a tree of sums: sums[0] has the tickets of each owner, and each
// further level the sums of fan neighbours of the level before. The last has one.
type urn struct{ sums [][]uint32 }

func newUrn(owners int) *urn {
	u := &urn{}
	for n := max(1, owners); ; n = (n + fan - 1) / fan {
		u.sums = append(u.sums, make([]uint32, n))
		if n == 1 {
			return u
		}
	}
}

// total returns the number of tickets.
func (u *urn) total() uint32 { return u.sums[len(u.sums)-1][0] }

// set gives an owner so many tickets.
func (u *urn) set(owner int, tickets uint32) {
	change := tickets - u.sums[0][owner] // modulo 2³²
	if change == 0 {
		return
	}
	for _, level := range u.sums {
		level[owner] += change
		owner /= fan
	}
}

// find returns the owner of a ticket below total, and which of the owner's tickets it is.
func (u *urn) find(ticket uint32) (owner int, rest uint32) {
	for i := len(u.sums) - 2; i >= 0; i-- {
		owner *= fan
		for level := u.sums[i]; ticket >= level[owner]; owner++ {
			ticket -= level[owner]
		}
	}
	return owner, ticket
}
