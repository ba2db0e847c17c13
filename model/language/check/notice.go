package check

import (
	"fmt"
	"slices"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// A notice is what is noticed of a property or a definition while it is lowered.
type notice struct {
	stateful bool // it speaks of the state, with other parameters or options at least
	list     []ir.Warning
}

func (n *notice) warn(pos syntax.Pos, text string, args ...any) {
	if w := (ir.Warning{Pos: pos, Text: fmt.Sprintf(text, args...)}); !slices.Contains(n.list, w) {
		n.list = append(n.list, w)
	}
}

// add adds what was noticed of a definition that is used.
func (n *notice) add(other notice) {
	n.stateful = n.stateful || other.stateful
	for _, w := range other.list {
		n.warn(w.Pos, "%s", w.Text)
	}
}

// warnings returns those about a property; never is that it is false, as it is of a terminal property that says that
// there is no terminal state.
func (n *notice) warnings(pos syntax.Pos, never bool) []ir.Warning {
	if !n.stateful && !never {
		n.warn(pos, "this says nothing of any state")
	}
	return n.list
}

// nothing notices a quantifier that ranges over no value. It is no mistake if parameters decide that.
func (n *notice) nothing(pos syntax.Pos, d *syntax.Binder) {
	n.stateful = true
	if r, ok := d.Type.(*syntax.RangeType); ok {
		_, lo := r.Lo.(*syntax.IntLit)
		_, hi := r.Hi.(*syntax.IntLit)
		if lo && hi {
			n.warn(pos, "this ranges over nothing")
		}
	}
}

// compared warns of a comparison that the ranges of both sides decide. Where something may be undefined, a comparison
// that is always true otherwise says that it is defined.
func (n *notice) compared(op ir.Op, l, r *ir.Type, pos syntax.Pos, stateful, undefined bool) {
	ordered := func(t *ir.Type) bool { return ir.Absent < t.Kind && t.Kind < ir.Set }
	if !stateful || !ordered(l) || !ordered(r) {
		return
	}
	never, always := l.Lo > r.Hi, l.Hi <= r.Lo && !undefined
	switch op {
	case ir.Lt:
		never, always = l.Lo >= r.Hi, l.Hi < r.Lo && !undefined
	case ir.Eq:
		never, always = l.Lo > r.Hi || r.Lo > l.Hi, l.Lo == r.Hi && l.Hi == r.Lo && !undefined
	case ir.Ne:
		never, always = l.Lo == r.Hi && l.Hi == r.Lo, l.Lo > r.Hi || r.Lo > l.Hi
	}
	switch {
	case never:
		n.warn(pos, "this is never true: the values are %s and %s", values(l), values(r))
	case always:
		n.warn(pos, "this is always true: the values are %s and %s", values(l), values(r))
	}
}

func values(t *ir.Type) string {
	if t.Lo == t.Hi {
		return t.Format(t.Lo)
	}
	return t.String()
}
