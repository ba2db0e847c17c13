package check

import (
	"fmt"
	"slices"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// A warningCollector collects the warnings about a property or a definition while it is lowered.
type warningCollector struct {
	stateful bool // it depends on the state, at least with other parameters or options
	list     []ir.Warning
}

func (n *warningCollector) warn(pos syntax.Pos, text string, args ...any) {
	if w := (ir.Warning{Pos: pos, Text: fmt.Sprintf(text, args...)}); !slices.Contains(n.list, w) {
		n.list = append(n.list, w)
	}
}

// add adds the notice of a definition that is used.
func (n *warningCollector) add(other warningCollector) {
	n.stateful = n.stateful || other.stateful
	for _, w := range other.list {
		n.warn(w.Pos, "%s", w.Text)
	}
}

// warnings returns the warnings about a lowered property at pos. A property of states that is false has no warning: a
// terminal one claims that there is no terminal state. If a part has a warning, the whole has none.
func (b *builder) warnings(pos syntax.Pos, e syntax.Expr, ofStates bool) []ir.Warning {
	if b.errs == nil && len(b.collector.list) == 0 {
		if value, ok := b.tautology(e); ok && (value || !ofStates) {
			of := "state"
			if hasTemporal(e) {
				of = "run"
			}
			b.collector.warn(pos, "this has the same value in every %s", of)
		}
	}
	return b.collector.list
}

// emptyRange records a quantifier with an empty range, and warns if the range is literal: parameters may make one empty
// on purpose.
func (n *warningCollector) emptyRange(pos syntax.Pos, d *syntax.Binder) {
	n.stateful = true
	if r, ok := d.Type.(*syntax.RangeType); ok {
		_, lo := r.Lo.(*syntax.IntLit)
		_, hi := r.Hi.(*syntax.IntLit)
		if lo && hi {
			n.warn(pos, "this range is empty")
		}
	}
}

// warnComparison warns of a comparison that the ranges of both sides decide, except if it claims that a side is
// defined.
func (n *warningCollector) warnComparison(op ir.Op, l, r *ir.Type, pos syntax.Pos, stateful, undefined bool) {
	if !stateful || !l.Scalar() || !r.Scalar() {
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
