package prove

import (
	"encoding/binary"
	"slices"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// What a control, a rule and a path take, roughly.
const (
	controlBytes = 300
	ruleBytes    = 400
	pathBytes    = 600
)

// A control is a control point with the values of the finite variables of the process.
type control struct {
	point   *ir.Point
	holders []int   // by variable that is live there: its holder, -1 if it has none
	values  []int64 // of variables that are not finite 0
}

// A holder is a variable that holds a node at a control, and not always its own process.
type holder struct {
	*ir.Var `json:"-"`
	Control int  `json:"control"`
	Set     bool `json:"set"` // it holds any number of nodes, instead of at most one
	right   bool // it counts the hops of a message that moves to the right
}

// A transit is a kind of message in transit: with the values of its finite fields, in a direction.
type transit struct {
	message *ir.Message
	values  []int64 // by field; of fields that are not finite 0
	Right   bool    `json:"right"` // it moves to the right
	Nodes   int     `json:"nodes"` // how many of its fields hold one
}

func (c *control) key() string { return keyOf(int64(c.point.ID), c.values...) }

func (t *transit) key() string {
	if t.Right {
		return keyOf(^int64(t.message.ID), t.values...)
	}
	return keyOf(int64(t.message.ID), t.values...)
}

func keyOf(first int64, others ...int64) string {
	key := binary.AppendVarint(nil, first)
	for _, n := range others {
		key = binary.AppendVarint(key, n)
	}
	return string(key)
}

// A rule is a step of a process, for rings of any size. Its nodes are symbols: 0 is the process itself, and the others
// are the nodes that its variables and the fields of the message hold.
type rule struct {
	At       syntax.Pos `json:"at"`
	From     int        `json:"from"`    // the control; To may be the same
	To       int        `json:"to"`      // the control
	Symbols  []int      `json:"symbols"` // from 1 on: the holder whose node it is; else ofField or unused
	Conds    []cond     `json:"conditions"`
	Received int        `json:"received"` // the transit that arrives at the process, -1: none
	Origins  []int      `json:"origins"`  // by node field of that message: its symbol
	Sent     int        `json:"sent"`     // the transit that leaves, -1: none
	Targets  []int      `json:"targets"`  // by node field of that message: the symbol
	Again    bool       `json:"again"`    // that message has been sent before (if there is a history)
	Sets     []set      `json:"sets"`     // what holders of To hold afterwards, but for those that keep it

	approximate bool      // a condition is not known, so the step may be impossible
	forgotten   []ir.Expr // these conditions
	either      bool      // its conditions choose among rules of which one can always be applied
}

// Symbols that do not belong to a holder.
const (
	ofField = -1 // of a field of the message received
	unused  = -2
)

// A set is what a holder holds after a step: the nodes of symbols, and those of another holder.
type set struct {
	Holder  int   `json:"holder"`
	Kept    int   `json:"kept"` // the other holder, -1: none
	Symbols []int `json:"symbols"`
}

// A cond compares symbols.
type cond struct {
	Less bool `json:"less"` // else: equal
	Not  bool `json:"not"`
	A    int  `json:"a"`
	B    int  `json:"b"`
	Of   int  `json:"of"` // else, if above 0: the identity of A is at most each that holder Of-1 has
}

// trim removes holders that do not change, and symbols that are not needed.
func (r rule) trim() rule {
	r.Sets = slices.DeleteFunc(slices.Clone(r.Sets), func(s set) bool {
		if s.Kept >= 0 || len(s.Symbols) != 1 {
			return s.Kept == s.Holder && len(s.Symbols) == 0
		}
		return s.Symbols[0] > 0 && r.Symbols[s.Symbols[0]-1] == s.Holder
	})
	used := slices.Concat(r.Origins, r.Targets)
	for _, s := range r.Sets {
		used = append(used, s.Symbols...)
	}
	for _, c := range r.Conds {
		used = append(used, c.A, c.B)
	}
	r.Symbols = slices.Clone(r.Symbols)
	for i := range r.Symbols {
		if !slices.Contains(used, i+1) {
			r.Symbols[i] = unused
		}
	}
	return r
}

// touched returns the number of nodes of a rule.
func (x *translation) touched(r rule) int {
	count := 1 + len(r.Symbols)
	for _, h := range r.Symbols {
		if h == unused {
			count--
		}
	}
	if (!x.history && r.Sent >= 0) || (x.history && r.Received >= 0) { // the neighbour at the other end
		count++
	}
	return count
}

// compared returns a condition over given nodes of symbols as an atom, or whether it holds, if the nodes decide it.
func (x *translation) compared(c cond, nodes []int) (a atom, decided, holds bool) {
	first, second := nodes[c.A], nodes[c.B]
	switch {
	case c.Of > 0:
		return newAtom(x.relation(least, c.Of-1), first), false, false
	case !c.Less || first == second:
		return atom{}, true, (!c.Less && first == second) != c.Not
	case c.Not:
		first, second = second, first
	}
	return newAtom(x.relation(smaller, 0), first, second), false, false
}

// free reports whether the rule can always be applied, or another one with the same control.
func (r *rule) free() bool {
	return !r.approximate && r.Received < 0 && (len(r.Conds) == 0 || r.either)
}

// rings returns the size of the largest ring in which a step must be looked at: that of the nodes that it touches, and
// of those of a pattern but for one, since it makes an atom of the pattern true.
func (x *translation) rings() int {
	most := 0
	for _, r := range x.rules {
		most = max(most, x.touched(r))
	}
	return most + 2
}
