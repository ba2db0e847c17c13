package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"ringcheck/internal/effort"
	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
	"ringcheck/verify/product"
)

// A property is vacuous if a state-dependent part of it has no influence, because a subexpression has the same value in
// all states. There are two cases: one operand always decides the result, so the other has no influence; or a
// subexpression never holds, and the property would still hold if it held once. There is no warning if the property
// would then be violated, because the property claims exactly that the subexpression never holds. Weak claims get no
// warning either: the left side of an implication whose right side always holds, or conditions that are always true.

// constant reports whether a part has the given value in all observed states.
func (p *clause) constant(value bool) bool {
	constant := func(x *clause) bool { return x.constant(value) }
	all := func() bool { return !slices.ContainsFunc(p.parts, func(x *clause) bool { return !constant(x) }) }
	switch {
	case !p.stateful:
		return false
	case p.observed[1] != nil:
		if value {
			return !p.observed[0].any()
		}
		return !p.observed[1].any()
	}
	switch p.op {
	case ir.Negation:
		return p.parts[0].constant(!value)
	case ir.Implication:
		x, y := p.parts[0].constant(!value), p.parts[1].constant(value)
		return value && (x || y) || x && y
	case ir.Conjunction, ir.Disjunction, ir.Unless:
		if value == (p.op != ir.Conjunction) { // one operand suffices, and there must be one
			return !p.ranges && slices.ContainsFunc(p.parts, constant)
		}
	case ir.Until, ir.Releases:
		return p.parts[1].constant(value)
	case choice:
		return p.parts[1].constant(value) && p.parts[2].constant(value)
	case ir.StateAtom, ir.EventAtom, ir.TerminalAtom, ir.Next, ir.Always, ir.Eventually: // as its parts
	}
	return all()
}

// cause returns the innermost part that gives a part the given value in all states, and the value of the innermost
// part.
func (p *clause) cause(value bool) (*clause, bool) {
	if p.named {
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

// irrelevant returns the operand that has no influence if operand i has the given value; -1 if every operand has
// influence.
func (p *clause) irrelevant(i int, value bool) int {
	silent := false
	switch p.op {
	case ir.Conjunction, ir.Disjunction:
		silent = len(p.parts) == 2 && value == (p.op == ir.Disjunction)
	case ir.Implication:
		silent = i == 0 && !value
	case ir.Until, ir.Releases:
		silent = i == 1 && value
	case ir.Unless:
		silent = value
	case choice:
		if i == 0 && value {
			return 2
		}
		silent = i == 0
	case ir.StateAtom, ir.EventAtom, ir.TerminalAtom, ir.Negation, ir.Next, ir.Always, ir.Eventually: // one operand
	}
	if silent {
		return 1 - i
	}
	return -1
}

func (s *suspicion) warn(p *clause, text string, args ...any) {
	w := ir.Warning{Pos: p.pos, Text: fmt.Sprintf(text, args...)}
	if !slices.Contains(s.list, w) { // a definition may be used several times
		s.list = append(s.list, w)
	}
}

// Ends of warnings.
const (
	silent  = ", so another part of the property has no effect"
	missing = "this is false because a part of it is undefined wherever it matters: " +
		"a variable is not live there, or a message has no such field"
)

// warnConstant warns of the reason for which a part has the same value in all states.
func (s *suspicion) warnConstant(p *clause, value bool) {
	switch c, value := p.cause(value); {
	case c.event != "":
		s.warn(c, "%s never happens"+silent, c.event)
	case value:
		s.warn(c, "this always holds"+silent)
	default:
		s.warn(c, "this never holds"+silent)
	}
}

// visit looks for vacuous subexpressions of a part. up and down say whether the property depends on the part being
// true, or false.
func (s *suspicion) visit(p *clause, up, down bool) {
	switch {
	case !p.stateful:
		return
	case p.ranges && p.parts[0].constant(false) && p.parts[0].constant(true):
		if p.stated && !p.parts[0].literal {
			s.warn(p, "this range is empty in all states"+silent)
		}
		return
	case !up && p.constant(false):
		if c, value := p.cause(false); !value {
			s.warn(c, "this never holds, and the property would hold even if it did")
			return
		}
	}
	silenced := make([]bool, len(p.parts))
	for i := range p.parts {
		s.warnIrrelevant(p, i, silenced)
	}
	for i, x := range p.parts {
		up, down := up, down
		switch {
		case silenced[i]:
			continue
		case p.op == ir.Negation, p.op == ir.Implication && i == 0:
			up, down = down, up
		case p.op == choice && i == 0:
			up, down = true, true
		case p.op == ir.StateAtom:
			matters := !x.constant(false) || p.influences(i)
			up, down = matters, matters
		}
		s.visit(x, up, down)
	}
}

// warnIrrelevant warns if operand i has the same value in all states, so that another operand has no influence.
func (s *suspicion) warnIrrelevant(p *clause, i int, silenced []bool) {
	x := p.parts[i]
	for _, value := range []bool{false, true} {
		j := p.irrelevant(i, value)
		if j < 0 || silenced[i] || silenced[j] {
			continue
		}
		left := p.op == ir.Implication
		if y := p.parts[j]; !y.stateful && (y.literal || !left && !x.member) {
			continue
		}
		switch idle := s.idle(x); {
		case x.constant(value) || left && len(idle) > 0 && len(idle) == len(x.own):
			s.warnConstant(x, value)
			silenced[j] = true
		case left && len(idle) > 0 && s.single:
			s.warn(x, "this never holds for %s, so the property is vacuous there", strings.Join(idle, ", "))
		}
	}
}

// idle returns the processes, as "p = 0", for which a part never holds, unless constants alone decide that.
func (s *suspicion) idle(p *clause) []string {
	shown := map[string]bool{}
	var names []string
	for _, i := range p.own {
		if !i.seen.Load() && s.excludes(i.where) {
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

// excludes reports whether constants decide that e is false in every state.
func (s *suspicion) excludes(e ir.Expr) bool {
	p, ok := newExpander(context.Background(), s.of.System, s.of.Memory).expand(e)
	c, constant := p.constant()
	return ok && constant && c.Value == 0
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
// each element, and the value of a conditional is the value of its condition.
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

// undefined warns of atoms that never have a value in a state where they influence the property; with open, also of
// atoms that may have no influence.
func (s *suspicion) undefined(p *clause, open bool) {
	if p.relevant != nil && (open || p.relevant.any()) && !p.defined.any() {
		s.warn(p, "%s", missing)
	}
	for _, x := range p.parts {
		s.undefined(x, open)
	}
}

// A suspicion is a set of parts of a property that may be vacuous.
type suspicion struct {
	of      Verifier
	verdict *Judgment
	root    *clause
	all     []*instance // all instances
	single  bool        // whether states of single processes are observed, not of orbits
	list    []ir.Warning
}

// suspect divides the properties of some verdicts.
func (s Verifier) suspect(verdicts []Judgment, ends bool) (list []*suspicion) {
	for i := range verdicts {
		v := &verdicts[i]
		one := &suspicion{of: s, verdict: v, single: !s.quotient()} // a state of a quotient represents several
		d := &divider{ends: ends, happens: v.happens, places: make(map[place]*[4]*watch)}
		if v.Property.Size() <= maxDivided {
			if root := d.divide(v.Property); len(d.all) <= maxWatched {
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
		return k.Action == eventAction+event.Name && (!one || k.Process == int(c.Value))
	})
}

// vacuous returns warnings about parts that are vacuous in the states seen; with open, in these and perhaps others.
func (s *suspicion) vacuous(open bool) []ir.Warning {
	if s.root == nil {
		return nil
	}
	s.list = nil
	if s.verdict.Outcome == Holds {
		s.visit(s.root, !universal(s.verdict.Property.Kind), true)
	}
	s.undefined(s.root, open)
	slices.SortStableFunc(s.list, func(x, y ir.Warning) int { return byPosition(x.Pos, y.Pos) })
	return s.list
}

func byPosition(x, y syntax.Pos) int {
	return cmp.Or(cmp.Compare(x.Line, y.Line), cmp.Compare(x.Column, y.Column))
}

// unseen returns the instances that would refute a warning and have not been observed.
func (s *suspicion) unseen() []*instance {
	if len(s.vacuous(true)) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(s.all), func(i *instance) bool { return i.seen.Load() })
}

// note records that an instance is true, or has no value.
func (i *instance) note(value int64, err error) {
	if value != 0 || err != nil {
		i.seen.Store(true)
	}
}

// warn adds the warnings to a report. Random runs refute most suspicions; for the others it calls look, which searches
// all states and reports whether it was complete.
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
	list := s.suspect(r.Judgments, r.Search.TerminalStates+r.Search.EnvironmentOnly > 0)
	if err := s.sample(ctx, list); err != nil {
		return err
	}
	var unseen []*instance
	for _, one := range list {
		unseen = append(unseen, one.reduced(s.Unreduce != nil)...)
	}
	if len(unseen) > 0 {
		if complete, err := look(unseen); err != nil || !complete {
			return err
		}
	}
	for _, one := range list {
		one.verdict.warn(one.vacuous(false))
	}
	return nil
}

// warn adds warnings about places that have none.
func (v *Judgment) warn(list []ir.Warning) {
	for _, w := range list {
		if !slices.ContainsFunc(v.Warnings, func(known ir.Warning) bool { return known.Pos == w.Pos }) {
			v.Warnings = append(v.Warnings, w)
		}
	}
}

// reduced returns the unseen instances; for a reduced system only the instances that its states decide. The judgment
// says so if there are others.
func (s *suspicion) reduced(is bool) []*instance {
	unseen := s.unseen()
	return slices.DeleteFunc(unseen, func(i *instance) bool {
		if !is || i.whole {
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
	if none && p.Kind == ir.Terminal && !(constant && c.Value == 0) { // the body false means that there must be none
		v.warn([]ir.Warning{{Pos: p.Pos, Text: "there is no terminal state, so this is vacuous"}})
	}
}

// universal reports whether properties of a kind are about all states or runs.
func universal(k ir.PropertyKind) bool { return k == ir.Invariant || k == ir.Terminal || k == ir.LTL }

// Limits of sample.
const (
	sampleRuns   = 32      // random runs
	sampleIdle   = 4       // runs that show nothing new, after which sampling stops
	sampleSteps  = 500     // the maximum length of a run
	sampleValues = 1 << 22 // the maximum number of values of quantifiers in all runs
)

// sample takes a fixed set of random runs, and records the observations in their states.
func (s Verifier) sample(ctx context.Context, list []*suspicion) (err error) {
	defer func() {
		if errors.Is(err, effort.ErrSteps) {
			err = nil
		}
	}()
	defer effort.Catch(&err)
	sys := s.System
	view := sys.NewView()
	env := sys.Protocol().NewEnv(view)
	bound, steps := effort.Effort{Context: ctx}, effort.Steps(sampleValues)
	env.Tick = func() { bound.Tick(); steps() }
	random := rand.New(rand.NewPCG(1, 1))
	for idle := 0; idle < sampleRuns; idle++ {
		var missing []*instance
		for _, s := range list {
			missing = append(missing, s.unseen()...)
		}
		fresh := false
		seen := func(i *instance) bool {
			i.note(i.expr.Eval(env))
			fresh = fresh || i.seen.Load()
			return i.seen.Load()
		}
		more, err := sampleRun(ctx, sys, random, func(state []model.Value) bool {
			view.Show(state)
			missing = slices.DeleteFunc(missing, seen)
			return len(missing) > 0
		})
		if err != nil || !more {
			return err
		}
		if !fresh {
			idle += sampleRuns / sampleIdle
		}
	}
	return nil
}

// sampleRun takes one run and returns the last result of look: whether there is more to look for.
func sampleRun(
	ctx context.Context, sys model.System, random *rand.Rand, look func(state []model.Value) bool,
) (missing bool, err error) {
	state := make([]model.Value, len(sys.Slots()))
	seen := 0
	err = sys.Initial(func(s []model.Value) bool { // uniformly one of the first 64
		if seen++; random.IntN(seen) == 0 {
			copy(state, s)
		}
		return seen < 64
	})
	groups := sys.Groups()
	in := make([]model.Value, len(state))
	var out model.Successors
	for n := 0; err == nil && n < sampleSteps && ctx.Err() == nil; n++ {
		if missing = look(state); !missing {
			return false, nil
		}
		moved := false
		for _, g := range random.Perm(len(groups)) {
			slots := groups[g].Slots
			for i, s := range slots {
				in[i] = state[s]
			}
			out.Reset(len(slots))
			if sys.Next(g, in[:len(slots)], &out) != nil || out.Len() == 0 {
				continue
			}
			for i, v := range out.Values(random.IntN(out.Len())) {
				state[slots[i]] = v
			}
			moved = true
			break
		}
		if !moved {
			break
		}
	}
	return missing, err
}
