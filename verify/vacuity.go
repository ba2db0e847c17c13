package verify

import (
	"fmt"
	"slices"

	"ringcheck/model/language/ir"
)

// A part of a property is vacuous if true and false can replace it without changing the verdict (Beer, Ben-David,
// Eisner and Rodeh, Efficient detection of vacuity in temporal model checking, 2001). A vacuityCheck lists the vacuous
// parts of a property that holds. It does not check the property again for each replacement. It records the values of
// conditions in the states, and concludes from them that both replacements keep the verdict, see vacuity. So it finds
// the parts that are vacuous because some condition has the same value in all states, and it can name that condition.
//
// There is no warning about a condition that a property claims never to hold: with true in its place, the property
// would be violated. There is none about weak claims either, although a part of them is vacuous: the left side of an
// implication whose right side always holds, and conditions that are always true.

// constant reports whether a part has the given value in all observed states.
func (p *clause) constant(value bool) bool {
	constant := func(x *clause) bool { return x.constant(value) }
	all := func() bool { return !slices.ContainsFunc(p.parts, func(x *clause) bool { return !constant(x) }) }
	switch {
	case !p.stateful:
		return false
	case p.valueWatches[1] != nil:
		if value {
			return !p.valueWatches[0].observed()
		}
		return !p.valueWatches[1].observed()
	}
	switch p.op {
	case ir.Negation:
		return p.parts[0].constant(!value)
	case ir.Implication:
		x, y := p.parts[0].constant(!value), p.parts[1].constant(value)
		return value && (x || y) || x && y
	case ir.Conjunction, ir.Disjunction, ir.Unless:
		if value == (p.op != ir.Conjunction) { // one operand suffices
			return !p.hasVaryingRange && slices.ContainsFunc(p.parts, constant)
		}
	case ir.Until, ir.Releases:
		return p.parts[1].constant(value)
	case choice:
		return p.parts[1].constant(value) && p.parts[2].constant(value)
	case ir.StateAtom, ir.EventAtom, ir.TerminalAtom, ir.Next, ir.Always, ir.Eventually: // like its parts
	}
	return all()
}

// cause returns the innermost part that gives a part its value in all states, and the value of the innermost part.
func (p *clause) cause(value bool) (*clause, bool) {
	if p.isNamed {
		return p, value
	}
	for i, x := range p.parts {
		of := value
		if p.op == ir.Negation || p.op == ir.Implication && i == 0 {
			of = !value
		}
		decides := len(p.parts) == 1 || p.op == ir.Conjunction && !value ||
			(p.op == ir.Disjunction || p.op == ir.Implication) && value
		if decides && p.op != ir.StateAtom && x.constant(of) {
			return x.cause(of)
		}
	}
	return p, value
}

// A vacuity is a vacuous part of a property, and the reason.
type vacuity struct {
	part  *clause
	cause *clause // the condition that has the same value in all states
	value bool    // the value of cause
	// processes are those for which cause never holds, as "p = 0". Only for them the part is vacuous; nil: for all.
	processes []string
	reason    vacuityReason
}

// A vacuityReason is the reason why true and false can replace a part without changing the verdict.
type vacuityReason int

const (
	// decidedByCause: cause is another operand of the same operator and alone decides the value of the operator.
	decidedByCause vacuityReason = iota
	// neverMatters: the part never holds, so false keeps every value. The verdict does not depend on the part being
	// true in more states, so true keeps the verdict. The condition of a count is replaced for one value of the binder.
	neverMatters
	// emptyRange: cause is a quantifier that ranges over nothing, and the part is its body.
	emptyRange
)

// A dependence says which changes of a part can change the verdict. Monotone operators, such as conjunctions, pass it
// on to their operands.
type dependence struct {
	onTrue  bool // the part is true in more states
	onFalse bool // the part is false in more states
}

// ofOperand returns the dependence of the verdict on operand i of p, from the dependence on p.
func (d dependence) ofOperand(p *clause, i int) dependence {
	switch {
	case p.op == ir.Negation, p.op == ir.Implication && i == 0:
		return dependence{d.onFalse, d.onTrue}
	case p.op == choice && i == 0:
		return dependence{true, true}
	case p.op == ir.StateAtom: // the condition of a count
		matters := !p.parts[i].constant(false) || p.influences(i)
		return dependence{matters, matters}
	}
	return d
}

// dependence returns the dependence of the verdict on the whole property, which holds.
func (v *Judgment) dependence() dependence {
	return dependence{onTrue: !v.Property.Kind.Universal(), onFalse: true}
}

// vacuities returns the vacuous parts in p, the outermost ones. d is the dependence of the verdict on p.
func (s *vacuityCheck) vacuities(p *clause, d dependence) (list []vacuity) {
	switch {
	case !p.stateful:
		return nil
	case p.hasVaryingRange && p.parts[0].constant(false) && p.parts[0].constant(true):
		return []vacuity{{part: p.parts[0], cause: p, reason: emptyRange}}
	case !d.onTrue && p.constant(false):
		if c, value := p.cause(false); !value {
			return []vacuity{{part: p, cause: c, reason: neverMatters}}
		}
	}
	decided := make([]bool, len(p.parts))
	for i, x := range p.parts {
		for _, value := range []bool{false, true} {
			j := p.decidedOperand(i, value)
			if j < 0 || decided[i] || decided[j] {
				continue
			}
			if v, ok := s.decides(p, x, p.parts[j], value); ok {
				list, decided[j] = append(list, v), v.processes == nil
			}
		}
	}
	for i, x := range p.parts {
		if !decided[i] {
			list = append(list, s.vacuities(x, d.ofOperand(p, i))...)
		}
	}
	return list
}

// decidedOperand returns the operand of p that true and false can replace without changing the value of p, if operand i
// has a value in all states: that value alone decides the value of p. It returns -1 if there is none.
func (p *clause) decidedOperand(i int, value bool) int {
	decides := false
	switch p.op {
	case ir.Conjunction, ir.Disjunction:
		decides = len(p.parts) == 2 && value == (p.op == ir.Disjunction)
	case ir.Implication: // the right side also decides if it is true; then the claim is only weak
		decides = i == 0 && !value
	case ir.Until, ir.Releases:
		decides = i == 1 && value
	case ir.Unless:
		decides = value
	case choice:
		if i == 0 && value {
			return 2
		}
		decides = i == 0
	case ir.StateAtom, ir.EventAtom, ir.TerminalAtom, ir.Negation, ir.Next, ir.Always, ir.Eventually: // one operand
	}
	if decides {
		return 1 - i
	}
	return -1
}

// decides returns the vacuity of y, an operand of p, if another operand, x, has the given value in all states, or for
// some processes: then it decides the value of p.
func (s *vacuityCheck) decides(p, x, y *clause, value bool) (v vacuity, ok bool) {
	left := p.op == ir.Implication
	if !y.stateful && (y.isLiteral || !left && !x.isMembership) {
		return vacuity{}, false
	}
	constant := x.constant(value)
	var idle []string
	if left && !constant {
		idle = s.idle(x)
	}
	switch {
	case constant || len(idle) > 0 && len(idle) == len(x.ownInstances):
		cause, value := x.cause(value)
		return vacuity{part: y, cause: cause, value: value, reason: decidedByCause}, true
	case len(idle) > 0 && s.observesProcesses:
		return vacuity{part: y, cause: x, processes: idle, reason: decidedByCause}, true
	}
	return vacuity{}, false
}

// idle returns the processes, as "p = 0", for which a part never holds, unless constants alone decide that.
func (s *vacuityCheck) idle(p *clause) []string {
	shown := map[string]bool{}
	var names []string
	for _, i := range p.ownInstances {
		if !i.seen.Load() && i.impossible() {
			continue
		}
		name := fmt.Sprintf("%s = %d", i.name, i.process)
		if _, ok := shown[name]; !ok {
			names = append(names, name)
		}
		shown[name] = shown[name] || i.seen.Load()
	}
	return slices.DeleteFunc(names, func(name string) bool { return shown[name] })
}

// influences reports whether the value of an atom may change if a condition in it, which is always false, were true
// once.
func (p *clause) influences(i int) bool {
	counts := map[ir.Expr]int64{}
	for j, x := range p.parts {
		if x.constant(false) {
			counts[p.counts[j]] = 0
		}
	}
	never, ok := countedValue(p.expr, counts)
	once := []int64{1}
	if t := p.counts[i].Type(); t.Kind == ir.Set { // any element
		n, _ := t.Elem.Size()
		once = nil
		for e := range min(n, 63) {
			once = append(once, 1<<e)
		}
	}
	return !ok || slices.ContainsFunc(once, func(value int64) bool {
		counts[p.counts[i]] = value
		v, ok := countedValue(p.expr, counts)
		return !ok || v != never
	})
}

// countedValue returns the value of e for some values of counts, if it depends on nothing else. A set has a bit for
// each element. The count of a conditional is the value of its condition.
func countedValue(e ir.Expr, counts map[ir.Expr]int64) (int64, bool) {
	v, ok := counts[e]
	switch x := e.(type) {
	case *ir.Const:
		return x.Value, true
	case *ir.Quantifier:
		return v, ok
	case *ir.Cond:
		switch {
		case ok && v != 0:
			return countedValue(x.Then, counts)
		case ok:
			return countedValue(x.Else, counts)
		}
	case *ir.Unary, *ir.Binary, *ir.Holds:
	default:
		return 0, false
	}
	parts := ir.Children(e)
	for i, p := range parts {
		v, ok := countedValue(p, counts)
		if !ok {
			return 0, false
		}
		parts[i] = &ir.Const{T: p.Type(), Value: v}
	}
	v, err := ir.WithChildren(e, parts).Eval(&ir.Env{})
	return v, err == nil
}
