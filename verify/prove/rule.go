package prove

import (
	"encoding/binary"
	"slices"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// Estimates of memory, in bytes.
const (
	controlBytes = 300
	ruleBytes    = 400
	pathBytes    = 600
)

// A control is a control point with the values of the variables of the process that have numbers.
type control struct {
	point    *ir.Point
	nodeVars []int   // by live variable: its nodeVar, -1 if it has none
	values   []int64 // by live variable; 0 if it has no number
}

// A nodeVar is a variable that stores an identity at a control, and not always the identity of its own process.
type nodeVar struct {
	*ir.Var `json:"-"`
	Control int  `json:"control"`
	Set     bool `json:"set"` // it stores any number of identities, instead of at most one
	right   bool // it counts the hops of a message that moves to the right
}

// A messageKind is a message with the values of its fields that have numbers, in a direction.
type messageKind struct {
	message *ir.Message
	values  []int64 // by field; 0 if it has no number
	Right   bool    `json:"right"` // it moves to the right
	Nodes   int     `json:"nodes"` // the number of fields that name a node
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
// are the nodes that its variables store and the fields of the received message name.
type rule struct {
	At          syntax.Pos   `json:"at"`
	From        int          `json:"from"`    // the control; To may be the same
	To          int          `json:"to"`      // the control
	Symbols     []int        `json:"symbols"` // from 1 on: the nodeVar that stores it; else ofField or unused
	Conds       []condition  `json:"conditions"`
	Received    int          `json:"received"` // the kind of message that it receives, -1: none
	Origins     []int        `json:"origins"`  // by field of that message that names a node: its symbol
	Sent        int          `json:"sent"`     // the kind of message that it sends, -1: none
	Targets     []int        `json:"targets"`  // by field of that message that names a node: its symbol
	Again       bool         `json:"again"`    // that message has been sent before (if there is a history)
	Assignments []assignment `json:"sets"`     // to the nodeVars of To that change
	Reveals     []int        `json:"reveals"`  // the sights of neighbours that become true; others of their views do not

	approximate  bool      // a condition is unknown, so the step may be impossible
	unknownConds []ir.Expr // these conditions
	exhaustive   bool      // its conditions select among rules, one of which can always be applied
}

// Symbols of no nodeVar.
const (
	ofField = -1 // of a field of the received message
	unused  = -2
)

// An assignment sets the nodes that a nodeVar stores after a step: the nodes of symbols, and all nodes that another
// nodeVar stored before.
type assignment struct {
	Var     int   `json:"holder"`
	Kept    int   `json:"kept"` // the other nodeVar, -1: none
	Symbols []int `json:"symbols"`
}

// A condition compares the nodes of symbols by their identities, or says that one is process 0.
type condition struct {
	Less bool `json:"less"` // else: equal
	Zero bool `json:"zero"` // A is process 0
	Not  bool `json:"not"`
	A    int  `json:"a"`
	B    int  `json:"b"`
	Of   int  `json:"of"`   // if above 0: the identity of A is at most the least that nodeVar Of-1 stores
	Sees int  `json:"sees"` // if above 0: A has sight Sees-1
}

// trim removes assignments that change nothing, and unused symbols.
func (r rule) trim() rule {
	r.Assignments = slices.DeleteFunc(slices.Clone(r.Assignments), func(s assignment) bool {
		if s.Kept >= 0 || len(s.Symbols) != 1 {
			return s.Kept == s.Var && len(s.Symbols) == 0
		}
		return s.Symbols[0] > 0 && r.Symbols[s.Symbols[0]-1] == s.Var
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
	touched := make(map[bool]bool) // the neighbour on the right, or on the left
	switch {
	case !x.hasHistory && r.Sent >= 0:
		touched[x.messageKinds[r.Sent].Right] = true
	case x.hasHistory && r.Received >= 0:
		touched[!x.messageKinds[r.Received].Right] = true
	}
	for _, i := range r.Reveals {
		touched[!x.sights[i].Right] = true
	}
	return count + len(touched)
}

// conditionAtom returns a condition over given nodes of symbols as an atom. If the nodes decide the condition, it
// returns its truth value instead.
func (x *translation) conditionAtom(c condition, nodes []int) (a atom, decided, holds bool) {
	first, second := nodes[c.A], nodes[c.B]
	switch {
	case c.Zero:
		a = newAtom(x.relation(isZero, 0), first)
		a.absent = c.Not
		return a, false, false
	case c.Sees > 0:
		return newAtom(x.relation(sees, c.Sees-1), first), false, false
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

// largestRing returns the size of the largest ring in which the theorem requires that patterns are inductive: the nodes
// of a rule and of a pattern, less one, because the rule makes an atom of the pattern true.
func (x *translation) largestRing() int {
	most := 0
	for _, r := range x.rules {
		most = max(most, x.countNodes(r))
	}
	return most + 2
}
