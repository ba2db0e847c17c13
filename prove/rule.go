package prove

import (
	"fmt"
	"slices"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// A control is where a process is, with the values of its finite variables.
type control struct {
	point   *ir.Point
	holders []int   // by variable that is live there: its holder, -1 if it has none
	values  []int64 // of a variable that counts hops: 1 if the message moves to the right
}

// A holder is a variable that holds a node at a control, and not always its own process.
type holder struct {
	*ir.Var
	control int
}

// set reports whether it holds any number of nodes, instead of at most one.
func (h holder) set() bool { return h.Type.Kind == ir.Set }

// A transit is a kind of message in transit: with the values of its finite fields, in a direction.
type transit struct {
	message *ir.Message
	values  []int64 // by field; of fields that are not finite 0
	right   bool    // it moves to the right
}

func (c *control) key() string { return fmt.Sprint(c.point.ID, c.values) }
func (t *transit) key() string { return fmt.Sprint(t.message.ID, t.values, t.right) }

// A rule is a step of a process, for rings of any size. Nodes that it speaks of are symbols: 0 is the process itself,
// and the others are those that its variables and the fields of the message hold.
type rule struct {
	At       syntax.Pos `json:"at"`
	From     int        `json:"from"`    // the control; To may be the same
	To       int        `json:"to"`      // the control
	Symbols  []int      `json:"symbols"` // from 1 on: the holder whose node it is, -1 for a field of the message received
	Conds    []cond     `json:"conditions"`
	Received int        `json:"received"` // the transit that arrives at the process, -1: none
	Origins  []int      `json:"origins"`  // by node field of that message: its symbol
	Sent     int        `json:"sent"`     // the transit that leaves, -1: none
	Targets  []int      `json:"targets"`  // by node field of that message: the symbol
	Again    bool       `json:"again"`    // that message has been sent before (if there is a history)
	Sets     []set      `json:"sets"`     // what holders of To hold afterwards, but for those that keep it

	vague bool // a condition is not known
}

// A set says what a holder holds after a step: the nodes of symbols, and those that another holder has.
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

// trim removes what does not matter: holders that keep what they hold, and symbols that are not used.
func (r rule) trim() rule {
	r.Sets = slices.DeleteFunc(slices.Clone(r.Sets), func(s set) bool {
		if s.Kept >= 0 || len(s.Symbols) != 1 {
			return s.Kept == s.Holder && len(s.Symbols) == 0
		}
		return s.Symbols[0] > 0 && r.Symbols[s.Symbols[0]-1] == s.Holder
	})
	used := make([]bool, len(r.Symbols)+1)
	refer := func(use func(s *int)) {
		r.Origins, r.Targets, r.Conds = slices.Clone(r.Origins), slices.Clone(r.Targets), slices.Clone(r.Conds)
		lists := [][]int{r.Origins, r.Targets}
		for i, s := range r.Sets {
			r.Sets[i].Symbols = slices.Clone(s.Symbols)
			lists = append(lists, r.Sets[i].Symbols)
		}
		for _, list := range lists {
			for i := range list {
				use(&list[i])
			}
		}
		for i := range r.Conds {
			use(&r.Conds[i].A)
			use(&r.Conds[i].B)
		}
	}
	refer(func(s *int) { used[*s] = true })
	number := make([]int, len(used)) // by symbol: its new number
	var symbols []int
	for i, s := range r.Symbols {
		if used[i+1] {
			symbols = append(symbols, s)
			number[i+1] = len(symbols)
		}
	}
	refer(func(s *int) { *s = number[*s] })
	r.Symbols = symbols
	return r
}

// free reports whether the rule can always be applied.
func (r *rule) free() bool { return !r.vague && r.Received < 0 && len(r.Conds) == 0 }

// rings returns the size of the largest ring in which a step must be looked at: that of the nodes that it touches, and
// of those of a pattern but for one, since it makes an atom of the pattern true.
func (x *translation) rings() int {
	touched := 0
	for _, r := range x.rules {
		count := 1 + len(r.Symbols)
		if (!x.history && r.Sent >= 0) || (x.history && r.Received >= 0) { // the neighbour at the other end
			count++
		}
		touched = max(touched, count)
	}
	return touched + 2
}
