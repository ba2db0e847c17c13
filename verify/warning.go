package verify

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"ringcheck/internal/effort"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
	"ringcheck/verify/product"
)

// A vacuityCheck looks for the vacuous parts of a property.
type vacuityCheck struct {
	verdict           *Judgment
	root              *clause
	all               []*instance // all instances
	observesProcesses bool        // states are states of processes, not orbits
	warnings          []ir.Warning
}

// vacuityChecks returns the checks of the properties of some verdicts.
func (s Verifier) vacuityChecks(verdicts []Judgment, ends bool) (list []*vacuityCheck) {
	constants := newExpander(context.Background(), s.System, s.Memory)
	for i := range verdicts {
		v := &verdicts[i]
		one := &vacuityCheck{verdict: v, observesProcesses: !s.quotient()}
		d := &splitter{ends: ends, happens: v.happens, places: make(map[textPlace]*[4]*watch),
			constants: constants}
		if v.Property.Size() <= maxSize {
			if root := d.split(v.Property); len(d.all) <= maxInstances {
				one.root, one.all = root, d.all
			}
		}
		list = append(list, one)
	}
	return list
}

// happens reports whether a step of an LTL property's runs is an event.
func (v *Judgment) happens(event *ir.Event, process ir.Expr) bool {
	c, one := process.(*ir.Const)
	return slices.ContainsFunc(v.kinds, func(k product.Kind) bool {
		return k.Action == actionOf(event) && (!one || k.Process == int(c.Value))
	})
}

// candidates returns warnings about parts that are vacuous in the observed states. With open, it includes parts that
// may be vacuous.
func (s *vacuityCheck) candidates(open bool) []ir.Warning {
	if s.root == nil {
		return nil
	}
	s.warnings = nil
	if s.verdict.Outcome == Holds {
		for _, v := range s.vacuities(s.root, s.verdict.dependence()) {
			s.warnVacuous(v)
		}
	}
	s.warnUndefined(s.root, open)
	slices.SortStableFunc(s.warnings, func(x, y ir.Warning) int { return byPosition(x.Pos, y.Pos) })
	return s.warnings
}

// Ends of warnings.
const (
	silent  = ", so another part of the property has no effect"
	missing = "this is false because a part of it is undefined wherever it matters: " +
		"a variable is not live there, or a message has no such field"
)

// warnVacuous warns of a vacuous part.
func (s *vacuityCheck) warnVacuous(v vacuity) {
	c := v.cause
	switch {
	case v.reason == emptyRange:
		if c.rangeDependsOnState && !v.part.isLiteral {
			s.warn(c, "this range is empty in all states"+silent)
		}
	case v.reason == neverMatters:
		s.warn(c, "this never holds, and the property would hold even if it did")
	case v.processes != nil:
		s.warn(c, "this never holds for %s, so the property is vacuous there", strings.Join(v.processes, ", "))
	case c.event != "":
		s.warn(c, "%s never happens"+silent, c.event)
	case v.value:
		s.warn(c, "this always holds"+silent)
	default:
		s.warn(c, "this never holds"+silent)
	}
}

func (s *vacuityCheck) warn(p *clause, text string, args ...any) {
	w := ir.Warning{Pos: p.pos, Text: fmt.Sprintf(text, args...)}
	if !slices.Contains(s.warnings, w) { // a definition may be used several times
		s.warnings = append(s.warnings, w)
	}
}

// warnUndefined warns of atoms that never have a value in a state where they influence the property; with open, also of
// atoms that may have no influence.
func (s *vacuityCheck) warnUndefined(p *clause, open bool) {
	if p.relevantWatch != nil && (open || p.relevantWatch.observed()) && !p.definedWatch.observed() {
		s.warn(p, "%s", missing)
	}
	for _, x := range p.parts {
		s.warnUndefined(x, open)
	}
}

func byPosition(x, y syntax.Pos) int {
	return cmp.Or(cmp.Compare(x.Line, y.Line), cmp.Compare(x.Column, y.Column))
}

// unseen returns the instances that would refute a warning if they were observed.
func (s *vacuityCheck) unseen() []*instance {
	if len(s.candidates(true)) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(s.all), func(i *instance) bool { return !i.matters() })
}

// record records that an instance is true, or has no value.
func (i *instance) record(value int64, err error) {
	if value != 0 || err != nil {
		i.seen.Store(true)
	}
}

// warn adds the warnings to a report. Random runs refute most candidates. For the others it calls look, which searches
// all states and reports whether the search was complete.
func (s Verifier) warn(
	ctx context.Context, r *Result, look func(unseen []*instance) (complete bool, err error),
) (err error) {
	defer effort.Catch(&err)
	for i := range r.Judgments {
		r.warnPlainly(&r.Judgments[i])
	}
	if !r.Search.Complete() || s.System == nil {
		return nil
	}
	list := s.vacuityChecks(r.Judgments, r.Search.TerminalStates+r.Search.EnvironmentOnly > 0)
	if err := s.sample(ctx, list); err != nil {
		return err
	}
	var unseen []*instance
	for _, one := range list {
		unseen = append(unseen, one.unseenIn(s.Unreduce != nil)...)
	}
	if len(unseen) > 0 {
		if complete, err := look(unseen); err != nil || !complete {
			return err
		}
	}
	for _, one := range list {
		one.verdict.warn(one.candidates(false))
	}
	return nil
}

// warn adds warnings about positions without a warning.
func (v *Judgment) warn(list []ir.Warning) {
	for _, w := range list {
		if !slices.ContainsFunc(v.Warnings, func(known ir.Warning) bool { return known.Pos == w.Pos }) {
			v.Warnings = append(v.Warnings, w)
		}
	}
}

// unseenIn returns the unseen instances. For a reduced system, it omits instances that its states do not decide, and
// the verdict says so.
func (s *vacuityCheck) unseenIn(is bool) []*instance {
	unseen := s.unseen()
	return slices.DeleteFunc(unseen, func(i *instance) bool {
		if !is || i.isWholePredicate {
			return false
		}
		i.seen.Store(true)
		s.verdict.Reason = "vacuity was not checked: a reduction leaves out states that may refute it"
		return true
	})
}

// warnPlainly sets the warnings that do not depend on the reachable states.
func (r *Result) warnPlainly(v *Judgment) {
	p := v.Property
	v.Warnings = slices.Clone(p.Warnings)
	v.warn(v.idle)
	c, constant := p.Body.(*ir.Const)
	none := r.Search.Complete() && r.Search.TerminalStates+r.Search.EnvironmentOnly == 0
	if none && p.Kind.OfEnds() && !(constant && c.Value == 0) { // the body false claims that no state is terminal
		v.warn([]ir.Warning{{Pos: p.Pos, Text: "there is no terminal state, so this is vacuous"}})
	}
}
