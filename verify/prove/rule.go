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
	point    *ir.Point
	nodeVars []int   // by live variable: its nodeVar, -1 if it has none
	values   []int64 // of variables that are not finite 0
}

// A holder is a variable that holds a node at a control, and not always its own process.
type nodeVar struct {
	*ir.Var `json:"-"`
	Control int  `json:"control"`
	Set     bool `json:"set"` // it holds any number of nodes, instead of at most one
	right   bool // it counts the hops of a message that moves to the right
}

// A transit is a kind of message in transit: with the values of its finite fields, in a direction.
type messageKind struct {
	message *ir.Message
	values  []int64 // by field; of fields that are not finite 0
	Right   bool    `json:"right"` // it moves to the right
	Nodes   int     `json:"nodes"` // how many of its fields hold one
}

func (c *control) key() string { return keyOf(int64(c.point.ID), c.values...) }

func (t *messageKind) key() string {
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
	At          syntax.Pos   `json:"at"`
	From        int          `json:"from"`    // the control; To may be the same
	To          int          `json:"to"`      // the control
	Symbols     []int        `json:"symbols"` // from 1 on: the holder whose node it is; else ofField or unused
	Conds       []condition  `json:"conditions"`
	Received    int          `json:"received"` // the transit that arrives at the process, -1: none
	Origins     []int        `json:"origins"`  // by node field of that message: its symbol
	Sent        int          `json:"sent"`     // the transit that leaves, -1: none
	Targets     []int        `json:"targets"`  // by node field of that message: the symbol
	Again       bool         `json:"again"`    // that message has been sent before (if there is a history)
	Assignments []assignment `json:"sets"`     // what holders of To hold afterwards, but for those that keep it

	approximate bool      // a condition is not known, so the step may be impossible
	unknownConds     []ir.Expr // these conditions
	exhaustive  bool      // its conditions choose among rules of which one can always be applied
}

// Symbols that do not belong to a holder.
const (
	ofField = -1 // of a field of the message received
	unused  = -2
)

// A set is what a holder holds after a step: the nodes of symbols, and those of another holder.
type assignment struct {
	Holder  int   `json:"holder"`
	Kept    int   `json:"kept"` // the other holder, -1: none
	Symbols []int `json:"symbols"`
}

// A cond compares symbols.
type condition struct {
	Less bool `json:"less"` // else: equal
	Not  bool `json:"not"`
	A    int  `json:"a"`
	B    int  `json:"b"`
	Of   int  `json:"of"` // else, if above 0: the identity of A is at most each that holder Of-1 has
}

// trim removes holders that do not change, and symbols that are not needed.
func (r rule) trim() rule {
	r.Assignments = slices.DeleteFunc(slices.Clone(r.Assignments), func(s assignment) bool {
		if s.Kept >= 0 || len(s.Symbols) != 1 {
			return s.Kept == s.Holder && len(s.Symbols) == 0
		}
		return s.Symbols[0] > 0 && r.Symbols[s.Symbols[0]-1] == s.Holder
	})
	used := slices.Concat(r.Origins, r.Targets)
	for _, s := range r.Assignments {
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

// countNodes returns the number of nodes of a rule.
func (x *translation) countNodes(r rule) int {
	count := 1 + len(r.Symbols)
	for _, h := range r.Symbols {
		if h == unused {
			count--
		}
	}
	if (!x.hasHistory && r.Sent >= 0) || (x.hasHistory && r.Received >= 0) { // the neighbour at the other end
		count++
	}
	return count
}

// conditionAtom returns a condition over given nodes of symbols as an atom, or whether it holds, if the nodes decide it.
func (x *translation) conditionAtom(c condition, nodes []int) (a atom, decided, holds bool) {
	first, second := nodes[c.A], nodes[c.B]
	switch {
	case c.Of > 0:
		return newAtom(x.relation(lowerBound, c.Of-1), first), false, false
	case !c.Less || first == second:
		return atom{}, true, (!c.Less && first == second) != c.Not
	case c.Not:
		first, second = second, first
	}
	return newAtom(x.relation(smallerIdentity, 0), first, second), false, false
}

// alwaysEnabled reports whether the rule can always be applied, or another one with the same control.
func (r *rule) alwaysEnabled() bool {
	return !r.approximate && r.Received < 0 && (len(r.Conds) == 0 || r.exhaustive)
}

// largestRing returns the size of the largest ring in which a step must be looked at: that of the nodes that it touches, and
// of those of a pattern but for one, since it makes an atom of the pattern true.
func (x *translation) largestRing() int {
	most := 0
	for _, r := range x.rules {
		most = max(most, x.countNodes(r))
	}
	return most + 2
}
