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
	from, to int   // controls; to may be from
	symbols  []int // by symbol from 1 on: the holder whose node it is, -1 for a field of the message received
	received int   // the transit that arrives at the process, -1: none
	origins  []int // by node field of that message: its symbol
	conds    []cond
	sent     int   // the transit that leaves, -1: none
	targets  []int // by node field of that message: the symbol
	sets     []set // what holders of the control to hold afterwards, but for those that keep it
	vague    bool  // a condition is not known
	pos      syntax.Pos
}

// A set is a holder and the symbol that it holds after a step.
type set struct{ holder, symbol int }

// trim removes what does not matter: holders that keep what they hold, and symbols that are not used.
func (r rule) trim() rule {
	r.sets = slices.DeleteFunc(slices.Clone(r.sets), func(s set) bool {
		return s.symbol > 0 && r.symbols[s.symbol-1] == s.holder
	})
	used := make([]bool, len(r.symbols)+1)
	refer := func(use func(s *int)) {
		r.origins, r.targets, r.conds = slices.Clone(r.origins), slices.Clone(r.targets), slices.Clone(r.conds)
		for _, list := range [][]int{r.origins, r.targets} {
			for i := range list {
				use(&list[i])
			}
		}
		for i := range r.sets {
			use(&r.sets[i].symbol)
		}
		for i := range r.conds {
			use(&r.conds[i].a)
			use(&r.conds[i].b)
		}
	}
	refer(func(s *int) { used[*s] = true })
	number := make([]int, len(used)) // by symbol: its new number
	var symbols []int
	for i, s := range r.symbols {
		if used[i+1] {
			symbols = append(symbols, s)
			number[i+1] = len(symbols)
		}
	}
	refer(func(s *int) { *s = number[*s] })
	r.symbols = symbols
	return r
}

// A cond compares symbols.
type cond struct {
	less bool // else: equal
	a, b int
	not  bool
}

// free reports whether the rule can always be applied.
func (r *rule) free() bool { return !r.vague && r.received < 0 && len(r.conds) == 0 }

// rings returns the size of the largest ring in which a step must be looked at: that of the nodes that it touches, and
// of those of a pattern but for one, since it makes an atom of the pattern true.
func (x *translation) rings() int {
	touched := 0
	for _, r := range x.rules {
		count := 1 + len(r.symbols)
		if r.sent >= 0 {
			count++
		}
		touched = max(touched, count)
	}
	return touched + 2
}
