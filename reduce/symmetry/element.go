package symmetry

import (
	"fmt"
	"strings"

	"ringcheck/model/language/ir"
)

// A permutation maps the number of each process to another one: process p to process processes[p]. It can exchange
// directions, too: direction d becomes directions[d].
type permutation struct {
	processes  string
	directions string // "" if all directions remain
}

// identity returns the permutation of n processes that moves none.
func identity(n int) permutation { return permutation{processes: identityMap(n)} }

// identityMap returns the map of 0..n-1 to themselves.
func identityMap(n int) string {
	m := make([]byte, n)
	for i := range m {
		m[i] = byte(i)
	}
	return string(m)
}

// exchange returns the permutation of directions only.
func (p permutation) exchange() permutation {
	return permutation{identityMap(len(p.processes)), p.directions}
}

// then returns the permutation that applies p first and q second.
func (p permutation) then(q permutation) permutation {
	r := permutation{compose(p.processes, q.processes), q.directions}
	switch {
	case q.directions == "":
		r.directions = p.directions
	case p.directions != "":
		if r.directions = compose(p.directions, q.directions); r.directions == identityMap(len(r.directions)) {
			r.directions = ""
		}
	}
	return r
}

// inverse returns the permutation that undoes p.
func (p permutation) inverse() permutation {
	return permutation{inverseMap(p.processes), inverseMap(p.directions)}
}

// inverseMap returns the map that undoes m.
func inverseMap(m string) string {
	r := make([]byte, len(m))
	for i := range m {
		r[m[i]] = byte(i)
	}
	return string(r)
}

// compose returns the map that applies p first and q second.
func compose(p, q string) string {
	r := make([]byte, len(p))
	for i := range p {
		r[i] = q[p[i]]
	}
	return string(r)
}

// direction returns the image of a direction.
func (p permutation) direction(d int64) int64 {
	if p.directions == "" {
		return d
	}
	return int64(p.directions[d])
}

// format returns the moves: "process 1 as 2, 2 as 1, left as right, right as left".
func (p permutation) format(protocol *ir.Protocol) string {
	var parts []string
	for q := range p.processes {
		if int(p.processes[q]) != q {
			parts = append(parts, fmt.Sprintf("%d as %d", q, p.processes[q]))
		}
	}
	if len(parts) > 0 {
		parts[0] = "process " + parts[0]
	}
	names := protocol.DirType()
	for d := range p.directions {
		if to := p.direction(int64(d)); to != int64(d) {
			parts = append(parts, names.Format(int64(d))+" as "+names.Format(to))
		}
	}
	return strings.Join(parts, ", ")
}
